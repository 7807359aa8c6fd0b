#ifndef BENCH_SCHEDULE_CALIBRATE_H
#define BENCH_SCHEDULE_CALIBRATE_H

/* Which method each row of a block is measured with: try each, keep the fastest from the
 * layout that the workload states and back to it. Every candidate runs a few times in a
 * worker of its own, one at a time; what was found goes to the journal, whoever wins. Nothing is verified here: the
 * winner is when it is measured, and if its answers are wrong the next best takes its place. */

#include "bench/schedule/context.h"

/* What is known of one cell of a block before it is measured. */
struct candidate {
    const struct cell *cell;
    double run;           /* seconds of one run; NAN: it has no rival, was passed over, or cannot be measured */
    double repack;        /* seconds that bringing operands into the method's own layout, and back, adds to it */
    struct error outcome; /* why it cannot be measured, as the plan, the gate or its worker said; STATUS_OK: it can */
    bool lacks_device;    /* its worker failed to open the device */
    bool was_passed_over; /* it can be measured, but is not worth the wait */
    long driver_log;      /* bytes that its device had printed before it was tried */
};

/* Tries the cells of a block where the row, or the baseline, is to be the fastest of several. On return each row begins
 * with its best candidate, those follow that may take its place, then those that cannot be measured; and the baseline
 * device's rows, where they have one candidate each, stand in the same order, so that the first is the baseline. */
void calibrate(struct context *context, struct candidate candidate[], unsigned count);

/* The end of the row that begins at `first`. */
unsigned calibrate_row_end(const struct candidate candidate[], unsigned count, unsigned first);

/* Seconds that trying the cells of a block may take, roughly: for the progress line. */
double calibrate_seconds(struct context *context, const struct cell cell[], unsigned cells);

#endif
