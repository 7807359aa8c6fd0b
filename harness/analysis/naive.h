#ifndef HARNESS_ANALYSIS_NAIVE_H
#define HARNESS_ANALYSIS_NAIVE_H

/* What a naive measurement would show: one run in a fresh process, with the result fetched, no warm-up, no explicit
 * wait, and the clock stopped after printing the result. Several such processes show how much of it is chance. */

#include "harness/journal/record.h"

/* Over the processes of one cell. Seconds, NAN where none got so far. */
struct naive {
    unsigned processes, failed;
    double wall, least, most; /* the median of the clock, the least and the greatest */
    struct naive_run middle;  /* the process with the median, or the one below it */
    struct error outcome;     /* of the first that failed */
};

void naive_read(struct naive *out, const struct cell_record *cell);

/* The speed-up that it would show over the cell's baseline, with the quotients of the extremes as range. NAN if either
 * is missing. */
struct estimate naive_speedup(const struct record *record, const struct cell_record *cell);

#endif
