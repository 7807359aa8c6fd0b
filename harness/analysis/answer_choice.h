#ifndef HARNESS_ANALYSIS_ANSWER_CHOICE_H
#define HARNESS_ANALYSIS_ANSWER_CHOICE_H

/* The parts of an answer set: which cells of a block stand for a device, the costs, and the answer over all problems.
 */

#include "harness/analysis/answer.h"

/* The cells of one device in a block. Both uses are of the same kind of memory: if cells differ only in that, the
 * fastest resident figure is the luckiest one. */
struct choice {
    const struct cell_metrics *resident, *copied; /* NULL: none could be compared */
    const struct cell_metrics *unsound;           /* the first that supports no claim */
    bool is_used;                                 /* it has a cell in this block */
    bool is_taken;                                /* for the caller */
};

/* Fills one choice for each device of the record. */
void choice_find(struct choice out[], const struct record *record, const struct cell_metrics metrics[], unsigned count);

/* Whether the second of two APIs of a chip is the better one. */
bool choice_is_better_answer(const struct answer *held, const struct answer *one);

/* False when memory is short. The second sorts the answers. */
bool answer_costs_read(struct answer_set *set);
bool answer_overalls_read(struct answer_set *set);

#endif
