#ifndef HARNESS_REPORT_CONTENT_BESIDE_H
#define HARNESS_REPORT_CONTENT_BESIDE_H

/* Machines side by side: of the problems that the first run shares with another, the times of each run's CPU and of its
 * fastest GPU, with data that stay; of two runs also how many times as fast the second is. */

#include "harness/journal/results.h"
#include "harness/report/content/answer_words.h"
#include "harness/report/content/builder.h"

/* No rows: there is one run, or nothing in common. Texts are in the pool. */
void beside_make(struct pool *pool, struct table *out, const struct answer_set set[], unsigned runs);

#endif
