#ifndef BENCH_SCHEDULE_BLOCK_STATE_H
#define BENCH_SCHEDULE_BLOCK_STATE_H

/* A block while it is measured, for the files that measure it: block.c goes through its rows, contenders.c opens the
 * methods that a row is chosen from, chosen.c measures those that were chosen, block_lines.c writes the journal's
 * lines. */

#include "bench/schedule/choice.h"
#include "bench/schedule/rounds.h"

struct block {
    struct context *context;
    struct runner *runner; /* one for each cell, in the order of the plan */
    unsigned runners;
    struct rounds rounds; /* of those that were chosen */
    struct choice choice; /* of the row that is opened now */
    bool is_opening;      /* the methods of that row are still opened */
};

/* Opens the methods of a row, or of several rows, that are worth it: runners from `first` to `end`. They become the
 * contenders of block->choice, which are out if they were not opened. */
void contenders_open(struct block *block, unsigned first, unsigned end);

/* Opens a runner once there is room for it: other workers end if that helps, those that are measured after their
 * rounds. False with its outcome. */
bool contenders_open_one(struct block *block, struct runner *runner);

/* Remembers for later runs what this one chose. A change is a note of the journal. */
void contenders_remember(struct block *block, struct contender *const taken[USES]);

/* Takes the rounds of those that were chosen, and ends them, but for the baselines if further rows are compared with
 * these. A baseline that was beside no other is measured by itself. */
void block_measure_chosen(struct block *block, bool keeps_baseline);

/* Writes the cell of a runner, with those that tied with it if it was chosen. */
void block_write_cell(const struct block *block, const struct runner *runner, bool is_chosen);

/* Writes a cell that is not measured, with the reason. */
void block_write_unmeasured(const struct block *block, const struct runner *runner);

/* Writes the lines of the choice: one for resident data, and one for copied data where these have an order of their
 * own. */
void block_write_choice(const struct block *block);

#endif
