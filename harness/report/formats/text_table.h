#ifndef HARNESS_REPORT_FORMATS_TEXT_TABLE_H
#define HARNESS_REPORT_FORMATS_TEXT_TABLE_H

/* A table as text: figures are aligned at the decimal point. One that is too wide is cut between groups of columns into
 * parts below each other, each with the names of its rows. */

#include "harness/report/content/document.h"

#include <stdio.h>

/* The columns of a table, and the numbers of notes as the last. */
enum { TEXT_TABLE_COLUMNS = 32 };

struct text_table {
    const struct table *table;
    struct column column[TEXT_TABLE_COLUMNS];
    unsigned columns; /* with the column of notes */
    bool has_notes;
    unsigned gap;    /* blanks between columns: 2, or what the caller sets */
    bool is_colored; /* speed-ups have the colours of their rows */
    unsigned before[TEXT_TABLE_COLUMNS], after[TEXT_TABLE_COLUMNS],
        text[TEXT_TABLE_COLUMNS]; /* width before and after the decimal point, and of text */
};

/* The width of a table in one part. */
unsigned text_table_width(const struct text_table *text_table);

/* Columns that fit side by side. Outcomes of rows are in the first part only. */
struct text_table_part {
    bool shows[TEXT_TABLE_COLUMNS];
    bool is_first;
};

/* Measures a table, which has fewer columns than TEXT_TABLE_COLUMNS. */
void text_table_measure(struct text_table *out, const struct table *table);

/* Cuts the table into parts of at most `width` columns (0: one part). The first has all names, without figures if there
 * is no room, and the numbers of notes; the others have the names that identify a row and at least one more column.
 * Returns the number of parts. */
unsigned text_table_cut(const struct text_table *text_table, unsigned width,
                        struct text_table_part out[TEXT_TABLE_COLUMNS]);

/* A field; for the column after the last the numbers of its notes, written to `room`. */
const char *text_table_field(const struct text_table *text_table, const struct row *row, unsigned column,
                             char room[ROW_NOTES]);

/* Prints titles and rows, without trailing blanks. A row with only a name in this part is left out. */
void text_table_print(const struct text_table *text_table, const struct text_table_part *part, unsigned width,
                      FILE *out);

/* Whether the part has a figure of that row. */
bool text_table_row_shows(const struct text_table *text_table, const struct text_table_part *part,
                          const struct row *row);

/* Prints the notes that rows refer to, with their numbers. */
void text_table_notes(const struct lines *notes, unsigned width, FILE *out);

#endif
