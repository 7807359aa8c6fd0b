#ifndef HARNESS_REPORT_CONTENT_BREAKEVEN_TEXT_H
#define HARNESS_REPORT_CONTENT_BREAKEVEN_TEXT_H

/* What a program's author asks after the verdict: from how many uses of the same data on a device pays, and in which
 * kind of memory to put them. A sentence for each answer; cells of which the same is true share one. */

#include "harness/analysis/cell_metrics.h"
#include "harness/report/content/builder.h"

/* What a cell's two break-evens say, without its name: "pays from 4 [3, 6] uses of the same data when the result is
 * fetched once, never when it is fetched at every use"; of many cells "pay from ...". "" where there is nothing to say.
 * In the pool. */
const char *breakeven_text(struct pool *pool, const struct cell_metrics *metrics, bool many);

/* Adds the sentences on the cells of a block; nothing where there are none. */
void breakeven_text_append(struct pool *pool, struct lines *out, const struct cell_metrics metrics[], unsigned count);

#endif
