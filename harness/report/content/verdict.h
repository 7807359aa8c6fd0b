#ifndef HARNESS_REPORT_CONTENT_VERDICT_H
#define HARNESS_REPORT_CONTENT_VERDICT_H

/* The answers to a problem as labelled lines: both speed-ups with their verdicts, why, break-even, and what supports no
 * claim. */

#include "harness/report/content/answer_words.h"
#include "harness/report/content/builder.h"

/* Adds the lines on a block of the set's record, at least one. */
void verdict_append(struct pool *pool, struct lines *out, const struct answer_set *set,
                    const struct block_record *block);

#endif
