#ifndef BENCH_SCHEDULE_RACE_H
#define BENCH_SCHEDULE_RACE_H

/* Races: which method and kernel shape each row of a block is measured with. All contenders of a row are verified, then
 * timed in short lockstep rounds, and leave one by one (harness/measure/race.h). These rounds enter no figure: the
 * winner is measured in a fresh worker. Data that stay and data that move have a race each. */

#include "bench/schedule/context.h"

/* What contenders are ranked by: the computation, or the computation with repacking. Transfers are the same for all. */
enum race_kind { RACE_COMPUTE, RACE_TRANSFERS, RACE_KINDS };

/* What the winner is measured for, if the other race has another. */
enum measures race_measures(enum race_kind kind);

/* A method of a row, and what its race found. */
struct candidate {
    struct cell *cell;
    double rank[RACE_KINDS]; /* 0: to be measured; 1: tied with that; above: times as slow as the leader, and 1; NAN:
                              * not raced */
    char kernel_shape[RACE_KINDS][KERNEL_SHAPE_MAX]; /* its best */
    struct error outcome;                            /* why it cannot be measured; STATUS_OK: it can */
    bool lacks_device;                               /* its worker failed to open the device */
    bool was_passed_over;                            /* it can be measured, but took too long or was not tried */
    long driver_log;                                 /* when its device's log was written to last before it was tried */
};

/* Races the cells of a block wherever there is a choice, in a row or for the baseline, and writes a line for each race.
 */
void race_rows(struct context *context, struct candidate candidate[], unsigned count);

/* Sorts each row by one race: the winner first, then those that may replace it, then those that cannot be measured.
 * Rows of the baseline's device with one candidate each are ordered together, so that the first is the baseline. */
void race_order(const struct device *baseline, struct candidate candidate[], unsigned count, enum race_kind kind);

/* The index after the row that begins at `first`. */
unsigned race_row_end(const struct candidate candidate[], unsigned count, unsigned first);

/* Seconds that racing the cells of a block may take: for the progress line, and for the block's share of the tuning
 * budget. */
double race_seconds(struct context *context, const struct cell cell[], unsigned cells);

#endif
