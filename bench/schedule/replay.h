#ifndef BENCH_SCHEDULE_REPLAY_H
#define BENCH_SCHEDULE_REPLAY_H

/* A block that the journal of a resumed run has already: what its cells have shown is remembered as if they had just
 * been measured. */

#include "bench/schedule/context.h"

/* Tells the gate what the journal says of these cells. */
void replay_block(struct context *context, const struct cell cell[], unsigned cells);

#endif
