#ifndef HARNESS_REPORT_FORMATS_TEXT_TABLE_H
#define HARNESS_REPORT_FORMATS_TEXT_TABLE_H

/* A table as text: figures are aligned at the decimal point. */

#include "harness/report/content/table.h"

#include <stdio.h>

/* The most columns of a table, one of them for the numbers of notes. Those beyond are not shown. */
enum { TEXT_TABLE_COLUMNS = 32 };

struct text_style {
    unsigned width; /* columns of text that there are; 0: no limit */
    bool is_brief;  /* a table that is too wide leaves out methods, then intervals, then rates; otherwise it is cut into
                     * parts below each other, each with the names of its rows */
    bool is_colored; /* verdicts have colours */
};

/* Prints titles and rows, without trailing blanks. Outcomes and the numbers of notes are in the first part. */
void text_table_print(const struct table *table, const struct text_style *style, FILE *out);

#endif
