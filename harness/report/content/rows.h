#ifndef HARNESS_REPORT_CONTENT_ROWS_H
#define HARNESS_REPORT_CONTENT_ROWS_H

/* The cells of a problem as rows of a sheet: the answer first, then how good it is and why, then what it was worked out
 * from. */

#include "harness/analysis/cell_metrics.h"
#include "harness/report/content/footnotes.h"

/* Opens a section's sheet for so many cells; fills it with those of one run after the other, beginning with row `at`;
 * then closes it with the facts of all cells, as their times are to be in one unit, so that they can be compared at a
 * glance. */
void rows_open(struct pool *pool, struct table *table, unsigned cells);
void rows_fill(struct table *table, unsigned at, const struct cell_metrics metrics[], unsigned count,
               const char *letter, struct footnotes *footnotes);
void rows_close(struct pool *pool, struct table *table, const struct cell_metrics metrics[]);

#endif
