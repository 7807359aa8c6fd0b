#ifndef BENCH_SCHEDULE_SUSTAINED_H
#define BENCH_SCHEDULE_SUSTAINED_H

/* The sustained series: after the rounds each device runs alone, slice after slice without a pause. In rounds it rests
 * while others are measured: a laptop refills its turbo budget, a card cools down. */

#include "bench/schedule/rounds.h"

/* Seconds for each device; 0: none. */
double sustained_seconds(const struct options *options);

/* Runs it for the fastest row of each device whose worker is alive. */
void sustained_run(struct rounds *rounds);

#endif
