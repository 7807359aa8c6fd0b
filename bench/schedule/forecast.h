#ifndef BENCH_SCHEDULE_FORECAST_H
#define BENCH_SCHEDULE_FORECAST_H

/* How long a block will take: for the progress line and for --time. */

#include "bench/schedule/context.h"

/* Predicted seconds: as long as the last time, where that is remembered. 0 for a block that a resumed journal has. */
double forecast_block(const struct context *context, const struct cell cell[], unsigned cells);

/* Remembers how long a block took. */
void forecast_remember(struct context *context, const struct cell cell[], unsigned cells, double seconds);

#endif
