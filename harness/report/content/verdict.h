#ifndef HARNESS_REPORT_CONTENT_VERDICT_H
#define HARNESS_REPORT_CONTENT_VERDICT_H

/* The answer in words: is this GPU worth it for this problem? One sentence for each GPU or accelerator, or one for the
 * block. Cells that failed or are not finished support no claim, a CPU seen through an API is never called a GPU, and
 * an interval that contains 1 shows no difference. */

#include "harness/analysis/cell_metrics.h"
#include "harness/report/content/builder.h"

/* Adds the sentences on a block, at least one. */
void verdict_append(struct pool *pool, struct lines *out, const struct cell_metrics metrics[], unsigned count);

#endif
