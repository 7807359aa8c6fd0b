#ifndef BENCH_SCHEDULE_BLOCK_H
#define BENCH_SCHEDULE_BLOCK_H

/* A block: one problem on all its devices. Its rows are opened one after the other, each with the methods that are
 * chosen from; the workers that win stay open and are measured in rounds with each other. */

#include "bench/schedule/context.h"

/* Measures the block of these cells, which `plan` orders by row. Does nothing if a resumed journal has it. False only
 * when memory is short. */
bool block_measure(struct context *context, struct cell cell[], unsigned cells, struct error *err);

#endif
