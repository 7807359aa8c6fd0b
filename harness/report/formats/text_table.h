#ifndef HARNESS_REPORT_FORMATS_TEXT_TABLE_H
#define HARNESS_REPORT_FORMATS_TEXT_TABLE_H

/* A table as text: figures are aligned at the decimal point. One that is too wide is cut between groups of columns into
 * parts below each other, each with the names of its rows. */

#include "harness/report/content/document.h"

#include <stdio.h>

/* The most columns of a table, one of them for the numbers of notes. */
enum { TEXT_TABLE_COLUMNS = 32 };

struct text_style {
    unsigned width;  /* columns of text that a part may take; 0: no limit */
    unsigned gap;    /* blanks between columns */
    bool is_colored; /* speed-ups have the colours of their rows */
};

/* The width of a table in one part. */
unsigned text_table_width(const struct table *table, const struct text_style *style);

/* Prints titles and rows, without trailing blanks, in as many parts as it takes, with an empty line between them.
 * Outcomes and the numbers of notes are in the first; others leave out rows without a figure. */
void text_table_print(const struct table *table, const struct text_style *style, FILE *out);

/* Prints the notes that rows refer to, with their numbers. */
void text_table_notes(const struct lines *notes, unsigned width, FILE *out);

#endif
