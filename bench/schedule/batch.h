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

/* Races the blocks of the batch that begins with cell `*first`, then measures them, and prints the lines of each when
 * it is finished: number `*finished` of `blocks`. Moves `*first` behind the last cell that was begun: the next batch
 * begins there, and an interrupt leaves the rest. False only when memory is short for a single block. The progress
 * moves to the time that was planned. */
bool batch_measure(struct context *context, const struct plan *plan, unsigned *first, unsigned *finished,
                   unsigned blocks, struct error *err);

#endif
