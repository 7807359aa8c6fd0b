#ifndef HARNESS_REPORT_CONTENT_NOTE_LIST_H
#define HARNESS_REPORT_CONTENT_NOTE_LIST_H

/* A list of notes: sentences that a reader needs to know besides the figures, each of them once. */

#include "harness/base/pool.h"

/* How much a note takes from the figures. A warning's text says what to do. */
enum severity {
    SEVERITY_NONE,  /* a remark */
    SEVERITY_VAGUE, /* figures are less certain than asked for */
    SEVERITY_STATE, /* the machine was not in its best state: figures are of that state */
    SEVERITY_WRONG, /* figures may be wrong */
    SEVERITIES
};

struct notes {
    struct pool pool;
    const char **text; /* sentences without a full stop, clean, the most important first */
    enum severity *severity;
    unsigned count, room, severity_room;
};

enum { NOTE_ROOM = 256 };

/* Adds a sentence, unless it is there already. What memory is short for is left out. */
void note_text(struct notes *notes, const char *text);
__attribute__((format(printf, 2, 3))) void note(struct notes *notes, const char *format, ...);
__attribute__((format(printf, 3, 4))) void note_warning(struct notes *notes, enum severity severity, const char *format,
                                                        ...);

/* A relative change in a few coarse steps, so that rows share a note; 0 for one that is too small for a note. */
double step_below(double change);

void notes_release(struct notes *notes);

#endif
