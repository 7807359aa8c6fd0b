#ifndef BENCH_SCHEDULE_BATCH_H
#define BENCH_SCHEDULE_BATCH_H

/* Blocks that are measured in turn: some rounds of the first, some of the second, and again. A machine is faster at one
 * time of a run and slower at another, and not alike for both sides of a ratio; rounds that are spread over more time
 * average that. Measured on two cores of a shared host: medians of 12 rounds in a row vary by 2.7 % from place to place
 * of a run, those of 12 rounds spread over three times the time by 1.4 %.
 *
 * Workers stay open between passes, as far as memory allows. */

#include "bench/schedule/context.h"

/* So many blocks are lost when a run is interrupted. They are planned for two minutes at most, unless it is one. */
enum { BATCH_BLOCKS = 4 };

/* How far a plan is measured. */
struct batch_place {
    unsigned first;            /* the cell that the next batch begins with */
    unsigned finished, blocks; /* so many of so many */
};

/* Races the blocks of the next batch, then measures them, and prints the lines of each when it is finished. Moves the
 * place behind the last cell that was begun: an interrupt leaves the rest. False only when memory is short for a single
 * block. The progress moves to the time that was planned. */
bool batch_measure(struct context *context, const struct plan *plan, struct batch_place *place, struct error *err);

#endif
