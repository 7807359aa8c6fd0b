#ifndef HARNESS_ANALYSIS_NAIVE_H
#define HARNESS_ANALYSIS_NAIVE_H

/* What somebody sees who times a computation only to see: one run in a fresh process, the result freshly taken, no
 * warm-up, no explicit wait, and the clock stopped once the result is printed. A few such processes tell how much of
 * what is seen is luck. */

#include "harness/journal/record.h"

/* What the processes of one cell saw. Seconds, NAN where none of them got so far. */
struct naive {
    unsigned processes, failed;
    double wall, least, most; /* the clock's median, and between which it lay */
    double alloc, run, fetch; /* of the process that saw the median, or the one below it */
    double compile;           /* before its clock */
    double faults;            /* pages handed out under its clock */
    struct error outcome;     /* of the first that failed */
};

void naive_read(struct naive *out, const struct cell_record *cell);

/* How many times as fast as the baseline of the cell it looks that way, and between which it may lie: the quotients of
 * the extremes. NAN where one of the two was not seen. */
struct naive_ratio {
    double value, least, most;
};
struct naive_ratio naive_speedup(const struct record *record, const struct cell_record *cell);

#endif
