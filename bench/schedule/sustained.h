#ifndef BENCH_SCHEDULE_SUSTAINED_H
#define BENCH_SCHEDULE_SUSTAINED_H

/* What a device does when it is not given a rest. In rounds it recovers while others have their turn: a laptop's
 * processor fills up its turbo budget, a card cools down. So after the rounds each device runs by itself for a while,
 * slice upon slice without a pause: the series "sustained". */

#include "bench/schedule/rounds.h"

/* Seconds that each device is to run by itself; 0: not at all. */
double sustained_seconds(const struct options *options);

/* Whether that is asked for, and makes sense, of a cell: it computes, is no ceiling itself, and its caches stay warm.
 */
bool sustained_takes(const struct options *options, const struct cell *cell);

/* The fastest row of each device in turn, as far as its worker is still alive. */
void sustained_run(struct rounds *rounds);

#endif
