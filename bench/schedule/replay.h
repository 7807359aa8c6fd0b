#ifndef BENCH_SCHEDULE_REPLAY_H
#define BENCH_SCHEDULE_REPLAY_H

/* Replays a block that a resumed journal has already: what its cells showed is recorded as if they had just been
 * measured. */

#include "bench/schedule/context.h"

/* Hands the journal's results of these cells to admission. */
void replay_block(struct context *context, const struct cell cell[], unsigned cells);

#endif
