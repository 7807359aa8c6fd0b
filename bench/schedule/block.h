#ifndef BENCH_SCHEDULE_BLOCK_H
#define BENCH_SCHEDULE_BLOCK_H

/* One problem on all its devices: races choose the method of each row, then the rows are measured in rounds. */

#include "bench/schedule/context.h"

/* The measurement of a block, in steps: blocks may take turns (batch.h). */
struct block;

/* Races its cells; those that are chosen get their kernel shape. No worker stays open. NULL only when memory is short.
 */
struct block *block_open(struct context *context, struct cell cell[], unsigned cells, struct error *err);

/* Whether each of its rows could be opened beside the open workers of other blocks. */
bool block_has_room(const struct block *block);

/* Opens its rows, as many as there is room for. Returns whether these are all: if so it may take turns. */
bool block_begin(struct block *block);

/* Takes one pass of rounds of the rows that are open. False once their rounds are over. */
bool block_pass(struct block *block);

/* Opens the rows that had no room, for which no other block may be open, and takes all rounds that are left. Each row
 * ends with an outcome in the journal. Frees the block. */
void block_end(struct block *block);

/* All of it at once. Does nothing for a block that a resumed journal has already. False only when memory is short. */
bool block_measure(struct context *context, struct cell cell[], unsigned cells, struct error *err);

/* Seconds that it takes if every series of every row spends its budget, and the baseline as much again beside each row;
 * and if methods are tried wherever there are several. 0 once it is done. For the progress line. */
double block_seconds(struct context *context, const struct cell cell[], unsigned cells);

/* Plans a block, once before any is measured: its races get their share of the time for tuning. Returns its seconds. */
double block_plan(struct context *context, const struct cell cell[], unsigned cells);

#endif
