#ifndef HARNESS_REPORT_CONTENT_CEILINGS_H
#define HARNESS_REPORT_CONTENT_CEILINGS_H

/* The ceilings of the devices, measured and theoretical: a row for each. The shares in the tables of problems refer to
 * them. */

#include "harness/journal/record.h"
#include "harness/report/content/builder.h"

/* Whether the block has nothing but ceilings, which are shown in this table and nowhere else. */
bool ceilings_only(const struct block_record *block);

/* The number of cells that measure a ceiling. */
unsigned ceilings_count(const struct record *record);

/* Opens a table for that many ceilings, then adds those of one record. Several records share a table. */
void ceilings_begin(struct pool *pool, struct table *table, unsigned rows);
void ceilings_fill(struct pool *pool, struct table *table, const struct record *record, const char *letter);

#endif
