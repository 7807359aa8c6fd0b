#ifndef BENCH_SCHEDULE_APART_H
#define BENCH_SCHEDULE_APART_H

/* What is measured apart from the visits of a block, once, before it is closed.
 *
 * Sustained: each device runs alone, slice after slice without a pause. In a rotation it rests while others are
 * measured: a laptop refills its turbo budget, a card cools down.
 *
 * Naive timing: fresh processes, no warm-up, no wait. Suites that restate a published page measure this beside the
 * ordinary figures (harness/analysis/naive.h evaluates it). */

#include "bench/schedule/block.h"

/* Seconds of the sustained series of a cell, if it is the one of its device that gets it; 0: none. */
double sustained_seconds(const struct options *options, const struct cell *cell);

/* Seconds that those of a block will take. */
double sustained_left(const struct block *block);

/* Runs it for the fastest row of each device whose worker is alive, where --time allows for it. */
void sustained_run(struct block *block);

/* Some fresh processes, one after the other, each with one run; what they saw, or why they did not, goes to the
 * journal. No other worker may be at work. */
void naive_measure(struct block *block, const struct cell *cell);

/* Seconds that this usually takes: for the progress line. */
double naive_seconds(const struct options *options, const struct cell *cell);

#endif
