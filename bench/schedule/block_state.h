#ifndef BENCH_SCHEDULE_BLOCK_STATE_H
#define BENCH_SCHEDULE_BLOCK_STATE_H

/* A block while it is measured, for the files that measure it: block.c measures its rows, candidates.c opens the
 * methods that a row is chosen from, members.c has those that are measured together, block_lines.c writes the journal's
 * lines. */

#include "bench/schedule/choice.h"
#include "bench/schedule/rounds.h"

struct block {
    struct context *context;
    struct runner *runner; /* one for each cell, in the order of the plan */
    unsigned runners;
    struct rounds rounds;
    struct cell *baseline[USES]; /* what the others are compared with; NULL: nothing */
    struct choice choice;        /* of the row that is opened now */
    bool is_opening;             /* the methods of that row are still opened */
    json_t *told[USES];          /* contenders of that row for the journal, those that left to make room first */
};

/* Opens the methods of a row, or of several rows, that are tried: runners from `first` to `end`. They become the
 * contenders of block->choice, unless they fail. */
void candidates_open(struct block *block, unsigned first, unsigned end);

/* Opens a runner once there is room for it: other workers end if that helps, those that are measured after their
 * rounds. False with its outcome. */
bool candidates_open_one(struct block *block, struct runner *runner);

/* Notes which contenders earlier runs chose, and what this run chose. A change is a note of the journal. */
void candidates_recall(struct block *block);
void candidates_remember(struct block *block, struct contender *const taken[USES]);

/* Measures the members of the rounds and ends them, but for the baselines if further rows are compared with these. A
 * baseline that was beside no other is measured by itself. */
void block_measure_members(struct block *block, bool keeps_baseline);

/* What the end of a runner says against its method and its device. */
void block_count_losses(struct block *block, const struct runner *runner);

/* Writes the cell of a runner, with those that tied with it if it was chosen. */
void block_write_cell(const struct block *block, const struct runner *runner, bool is_chosen);

/* Writes a cell that is not measured, with the reason. */
void block_write_unmeasured(const struct block *block, const struct runner *runner);

/* Takes a contender into the lines of the choice. */
void block_tell(struct block *block, const struct contender *contender);

/* Writes the lines of the choice: one for data that stay, and one for data that move where these have an order of their
 * own. */
void block_write_choice(struct block *block, unsigned first, unsigned end);

#endif
