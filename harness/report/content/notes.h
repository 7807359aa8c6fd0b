#ifndef HARNESS_REPORT_CONTENT_NOTES_H
#define HARNESS_REPORT_CONTENT_NOTES_H

/* A list of notes: sentences that a reader needs to know besides the figures, each of them once, with what to do. */

#include "harness/analysis/figures.h"
#include "harness/base/pool.h"

/* How much a note takes from the figures. The screen has warnings and what is worse. */
enum severity {
    SEVERITY_NONE,      /* a remark */
    SEVERITY_WARNING,   /* figures are right, but of a machine or a use that could be better */
    SEVERITY_DISTURBED, /* somebody else used it, too */
    SEVERITY_WRONG,     /* figures may be wrong, or are missing */
    SEVERITY_HELD,      /* the baseline is slower than it could be, so that others seem faster */
};

struct note {
    const char *text; /* a sentence without a full stop, clean */
    enum severity severity;
    unsigned rows;     /* of these, for a row that was measured: the sum over what was added */
    unsigned places;   /* different ones that it was added for */
    const char *place; /* the last of them */
    const char *named; /* the first of them: "matmul 1024, conv 32x64x56"; "" */
};

enum { NOTE_PLACES = 3 }; /* that are named */

struct notes {
    struct pool *pool; /* has its texts */
    struct note *note; /* the most important first */
    unsigned count;
};

/* Adds a note, or counts it if it is there. Each has an entry in the glossary, which its words find. What memory is
 * short for is left out. */
void note(struct notes *notes, enum severity severity, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Adds a note, or counts it. `place` is what it is on; the same pointer for the same place, NULL if it needs no name.
 * Both texts must outlive the list. Returns the note's number, from 1. */
unsigned notes_add(struct notes *notes, const struct note *one, const char *place);

/* The place of a text in the list; its count: it is not there. */
unsigned notes_find(const struct notes *notes, const char *text);

/* The places that a note is on: "matmul 1024, conv 32x64x56". */
const char *notes_places(struct pool *pool, const struct note *one);

/* The worst first, then those of most rows. */
void notes_sort(struct notes *notes);

/* On a cell: what its samples show, then what the run itself noted. */
struct notes notes_read(struct pool *pool, const struct figures *figures);

/* On a run: what the run noted, then what the machine does to all figures. */
struct notes notes_read_run(struct pool *pool, const struct record *record);

/* Whether there was other load on the cores in more load checks than errors explain. */
bool note_is_shared(const struct record *record);

/* Adds a note of the journal, with the severity that its words have. */
void note_recorded(struct notes *notes, const char *text);

/* A part of the notes on a cell, for notes_read: what the machine and the state of a GPU did to it. */
void note_machine(struct notes *notes, const struct figures *figures);

#endif
