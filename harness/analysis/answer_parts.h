#ifndef HARNESS_ANALYSIS_ANSWER_PARTS_H
#define HARNESS_ANALYSIS_ANSWER_PARTS_H

/* Steps of answer_set_read; others use answer.h. */

#include "harness/analysis/answer.h"

/* Chooses the rows of a block that stand for the answer's device in each use, and the first that supports no claim.
 * False: the device has no row. */
bool answer_choose(struct answer *out, const struct figures rows[], unsigned count);

/* Sorts the answers. False when memory is short. */
bool answer_workloads_read(struct answer_set *set);

#endif
