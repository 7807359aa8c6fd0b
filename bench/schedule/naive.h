#ifndef BENCH_SCHEDULE_NAIVE_H
#define BENCH_SCHEDULE_NAIVE_H

/* A cell as people time it who only want to see: what a suite that restates a page measures beside the ordinary figures
 * (harness/naive.h says what comes of it). */

#include "bench/schedule/context.h"

/* Whether that is asked for, and makes sense, of a cell: it computes, is no ceiling, and its caches stay warm. */
bool naive_takes(const struct options *options, const struct cell *cell);

/* Some fresh processes, one after the other, each with one run; what they saw, or why they did not, goes to the
 * journal. No other worker may be at work. */
void naive_measure(struct context *context, const struct cell *cell);

/* Seconds that this usually takes: for the progress line. */
double naive_seconds(struct context *context, const struct cell *cell);

#endif
