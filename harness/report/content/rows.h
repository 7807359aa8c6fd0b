#ifndef HARNESS_REPORT_CONTENT_ROWS_H
#define HARNESS_REPORT_CONTENT_ROWS_H

/* The cells of a problem as rows of a table: first the result, then how close it is to the ceiling, then the figures
 * behind it. */

#include "harness/analysis/cell_metrics.h"
#include "harness/report/content/footnotes.h"

/* Opens a section's table for that many cells, fills in the cells of one run after the other, the next at row `at`, and
 * closes it with the metrics of all cells: their times share a unit so that they can be compared. */
void rows_open(struct pool *pool, struct table *table, unsigned cells);
void rows_fill(struct table *table, unsigned at, const struct cell_metrics metrics[], unsigned count,
               const char *letter, struct footnotes *footnotes);
void rows_close(struct pool *pool, struct table *table, const struct cell_metrics metrics[]);

#endif
