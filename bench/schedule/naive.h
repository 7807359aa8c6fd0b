#ifndef BENCH_SCHEDULE_NAIVE_H
#define BENCH_SCHEDULE_NAIVE_H

/* Times a cell naively: a fresh process, no warm-up, no wait. Suites that restate a published page measure this beside
 * the ordinary figures (harness/analysis/naive.h evaluates it). */

#include "bench/schedule/context.h"

/* Some fresh processes, one after the other, each with one run; what they saw, or why they did not, goes to the
 * journal. No other worker may be at work. */
void naive_measure(struct context *context, const struct cell *cell);

/* Seconds that this usually takes: for the progress line. */
double naive_seconds(const struct context *context, const struct cell *cell);

#endif
