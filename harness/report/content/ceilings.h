#ifndef HARNESS_REPORT_CONTENT_CEILINGS_H
#define HARNESS_REPORT_CONTENT_CEILINGS_H

/* What the devices can do at most, as their run measured it, and what they could do by their own facts: a row for each
 * ceiling, which the shares in the tables below it are parts of. */

#include "harness/journal/record.h"
#include "harness/report/content/builder.h"

/* Whether all cells of the block were added to be held against, so that they are shown here and nowhere else. */
bool ceilings_only(const struct block_record *block);

/* Cells of a record that measure a ceiling. */
unsigned ceilings_count(const struct record *record);

/* Begins a sheet with room for so many of them, then adds the rows of a record; those of several records make one
 * sheet.
 */
void ceilings_begin(struct pool *pool, struct table *table, unsigned rows);
void ceilings_fill(struct pool *pool, struct table *table, const struct record *record, const char *letter);

#endif
