#ifndef BENCH_SCHEDULE_FORECAST_H
#define BENCH_SCHEDULE_FORECAST_H

/* How long a block will take: for the progress line and for --time. */

#include "bench/schedule/context.h"

struct block;

/* Seconds of opening and closing, and of a visit. */
struct forecast {
    double fixed, visit;
    unsigned visits;
};

/* As in the last run, if that is remembered. */
struct forecast forecast_block(const struct context *context, const struct rule *rule, const struct cell cell[],
                               unsigned cells);

/* Seconds with all its visits, and with the fewest visits that give an interval. */
double forecast_seconds(const struct forecast *forecast);
double forecast_least(const struct forecast *forecast);

/* Remembers how long a block took. */
void forecast_remember(const struct block *block);

#endif
