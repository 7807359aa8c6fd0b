#ifndef BENCH_SCHEDULE_BLOCK_H
#define BENCH_SCHEDULE_BLOCK_H

/* One problem on all its devices: races choose the method of each row, then the rows are measured in rounds. */

#include "bench/schedule/context.h"

/* Measures the cells of one block; those that are chosen get their kernel shape. Each row ends with an outcome in the
 * journal. Does nothing for a block that a resumed journal
 * has already. False only when memory is short. */
bool block_measure(struct context *context, struct cell cell[], unsigned cells, struct error *err);

/* Seconds that it takes if every series of every row spends its budget, and the baseline as much again beside each row;
 * and if methods are tried wherever there are several. 0 once it is done. For the progress line. */
double block_seconds(struct context *context, const struct cell cell[], unsigned cells);

#endif
