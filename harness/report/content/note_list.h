#ifndef HARNESS_REPORT_CONTENT_NOTE_LIST_H
#define HARNESS_REPORT_CONTENT_NOTE_LIST_H

/* A list of notes: sentences that a reader needs to know besides the figures, each of them once. The glossary has the
 * sentences, how bad each is, and what to do (harness/report/glossary/glossary.txt). */

#include "harness/base/pool.h"

#include <stdbool.h>

/* How much a note takes from the figures. */
enum severity {
    SEVERITY_NONE,      /* a remark */
    SEVERITY_VAGUE,     /* figures are less certain than asked for */
    SEVERITY_STATE,     /* the machine was not in its best state: figures are of that state */
    SEVERITY_DISTURBED, /* somebody else used it, too: the report begins with that */
    SEVERITY_WRONG,     /* figures may be wrong */
    SEVERITIES
};

struct note {
    const char *text; /* a sentence without a full stop, clean */
    enum severity severity;
    unsigned times; /* that it was added */
};

struct notes {
    struct pool pool;
    struct note *note; /* the most important first */
    unsigned count, room;
};

/* What a sentence is filled with, in the order of its braces:
 * {count} 3, {number} 2.5, {percent} "20 %" for 0.2, {time} "3.1 ms", {bytes} "480 MB", {times} "1.31", a ratio;
 * {text}; {s} and {es} are the plural's ending after a number that is not 1. Unused ones may be left out. */
struct with {
    double number[4];
    const char *text[4];
};

/* Adds a note's sentence, unless it is there already: `id` is its name in the glossary, `sentence` counts from 1.
 * What memory is short for is left out. */
void note(struct notes *notes, const char *id, unsigned sentence, struct with figures);

/* The same with words before it, such as "copied: ". */
void note_after(struct notes *notes, const char *prefix, const char *id, unsigned sentence, struct with figures);

/* Adds a remark in the words of a journal. */
void note_text(struct notes *notes, const char *text);

/* Adds a copy of a note, or counts it. */
void notes_add(struct notes *notes, const struct note *one);

/* The worst first, then those of most cells. */
void notes_sort(struct notes *notes);

/* A relative change in a few coarse steps, so that rows share a note; 0 for one that is too small for a note. */
double step_below(double change);

void notes_release(struct notes *notes);

#endif
