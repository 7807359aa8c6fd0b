#ifndef HARNESS_REPORT_CONTENT_BREAKEVEN_TEXT_H
#define HARNESS_REPORT_CONTENT_BREAKEVEN_TEXT_H

/* From how many uses of the same data on a device pays, and in which kind of memory to keep them. One sentence for each
 * answer; cells with the same answer share it. */

#include "harness/analysis/cell_metrics.h"
#include "harness/report/content/builder.h"

/* The break-even of a cell, without its name: "pays from 4 [3, 6] uses of the same data when the result is fetched
 * once, never when it is fetched at every use"; of many cells "pay from ...". "" where it has none. In the pool. */
const char *breakeven_text(struct pool *pool, const struct cell_metrics *metrics, bool many);

/* Adds the sentences on the cells of a block, if there are any. */
void breakeven_text_append(struct pool *pool, struct lines *out, const struct cell_metrics metrics[], unsigned count);

#endif
