#ifndef BENCH_SCHEDULE_FINISHED_H
#define BENCH_SCHEDULE_FINISHED_H

/* A line for each finished problem, on a terminal and in a log alike: what a long run has found so far. */

#include "bench/schedule/context.h"

/* Prints the lines of a block that has been measured: "[4/11] matmul 2048   CPU 61.2 ms   GPU 74.0 ms ...". */
void finished_print(struct context *context, const char *block, unsigned number, unsigned of);

#endif
