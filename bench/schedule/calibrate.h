#ifndef BENCH_SCHEDULE_CALIBRATE_H
#define BENCH_SCHEDULE_CALIBRATE_H

/* Calibration: which method each row of a block is measured with. Every candidate runs a few times in a worker of its
 * own; the fastest from the layout that the workload states and back to it is measured. All times go to the journal.
 * Results are not checked here: the winner is verified when it is measured, and if it is wrong the next candidate takes
 * its place. */

#include "bench/schedule/context.h"

/* A cell of a block, and what calibration found. */
struct candidate {
    const struct cell *cell;
    double run;           /* seconds of one run; NAN: not tried, passed over, or cannot be measured */
    double repack;        /* seconds of repacking into the method's own layout and back, beside the run */
    struct error outcome; /* why it cannot be measured, by the plan, admission or its worker; STATUS_OK: it can */
    bool lacks_device;    /* its worker failed to open the device */
    bool was_passed_over; /* it can be measured, but takes too long to get ready */
    long driver_log;      /* bytes in its device's log before it was tried */
};

/* Tries every cell that has an alternative, in its row or for the baseline. On return each row begins with its best
 * candidate, followed by those that may replace it and those that cannot be measured. Rows of the baseline's device
 * with one candidate each are ordered the same way, so that the first is the baseline. */
void calibrate(struct context *context, struct candidate candidate[], unsigned count);

/* The order that calibrate leaves: see there. */
void calibrate_rank(const struct device *baseline, struct candidate candidate[], unsigned count);

/* The index after the row that begins at `first`. */
unsigned calibrate_row_end(const struct candidate candidate[], unsigned count, unsigned first);

/* Seconds that trying the cells of a block may take: for the progress line. */
double calibrate_seconds(struct context *context, const struct cell cell[], unsigned cells);

#endif
