#ifndef HARNESS_REPORT_FORMATS_TEXT_TABLE_H
#define HARNESS_REPORT_FORMATS_TEXT_TABLE_H

/* A sheet laid out in columns of characters: figures stand with their points below each other. One that is too wide is
 * cut between groups of columns into parts that stand below each other, each with the names of its rows. */

#include "harness/report/content/document.h"

#include <stdio.h>

/* The columns of a sheet, and behind them the numbers of the rows' notes. */
enum { TEXT_TABLE_COLUMNS = 32 };

struct text_table {
    const struct table *table;
    unsigned columns; /* with the one of the notes */
    bool has_notes;
    unsigned before[TEXT_TABLE_COLUMNS], after[TEXT_TABLE_COLUMNS],
        text[TEXT_TABLE_COLUMNS]; /* of the point; of what is no figure */
};

/* Columns that fit side by side. What became of a row stands in the first part only. */
struct text_table_part {
    bool shows[TEXT_TABLE_COLUMNS];
    bool is_first;
};

/* Takes the measure of a sheet, which has fewer columns than TEXT_TABLE_COLUMNS. */
void text_table_measure(struct text_table *out, const struct table *table);

/* Cuts it into parts of at most `width` columns (0: one part). All names are in the first, by themselves where there is
 * no room for a figure beside them; in the others as many as it takes to know a row again, and one more column at
 * least. The numbers of the notes are in the first part. Returns how many parts. */
unsigned text_table_cut(const struct text_table *text_table, unsigned width,
                        struct text_table_part out[TEXT_TABLE_COLUMNS]);

/* What a field shows; of the column behind the last, the numbers of its notes, written to `room`. */
const char *text_table_field(const struct text_table *text_table, const struct row *row, unsigned column,
                             char room[ROW_NOTES]);

/* Prints titles and rows, without a blank at the end of a line; a row that has nothing in this part but its name is
 * left out. */
void text_table_print(const struct text_table *text_table, const struct text_table_part *part, unsigned width,
                      FILE *out);

/* Whether a row has something to show in a part. */
bool text_table_row_shows(const struct text_table *text_table, const struct text_table_part *part,
                          const struct row *row);

#endif
