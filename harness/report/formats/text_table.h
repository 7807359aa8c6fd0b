#ifndef HARNESS_REPORT_FORMATS_TEXT_TABLE_H
#define HARNESS_REPORT_FORMATS_TEXT_TABLE_H

/* A table as text: figures are aligned at the decimal point. */

#include "harness/report/content/table.h"

#include <stdio.h>

struct text_style {
    unsigned width; /* columns of text that there are; 0: no limit */
    bool is_brief;  /* a table that is too wide leaves out methods, then intervals, then rates; otherwise it is cut into
                     * parts below each other, each with the names of its rows */
    bool is_colored; /* verdicts have colours */
};

/* Prints titles and rows, without trailing blanks. Outcomes and the numbers of notes are in the first part. `pool` says
 * whether memory was short. */
void text_table_print(const struct table *table, const struct text_style *style, struct pool *pool, FILE *out);

#endif
