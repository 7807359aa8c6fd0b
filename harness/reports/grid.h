#ifndef HARNESS_REPORTS_GRID_H
#define HARNESS_REPORTS_GRID_H

/* Rows of text in columns that line up over a whole report: figures stand with their points below each other. A block
 * of rows leaves out the columns in which none of them has anything. */

#include <stdbool.h>
#include <stdio.h>

enum { GRID_COLUMNS = 24, GRID_FIELD = 72, GRID_SPAN = 176 };

enum align {
    ALIGN_LEFT,
    ALIGN_NUMBER, /* by the point; words to the right */
    ALIGN_RATIO   /* "0.97x [0.95, 0.99]": by the point; words to the left */
};

struct grid_row {
    char field[GRID_COLUMNS][GRID_FIELD]; /* "-" or "": nothing to show */
    char span[GRID_SPAN];                 /* takes the place of all fields from span_at on */
    unsigned span_at;                     /* 0: there is no span */
    bool is_title;                        /* does not by itself make a column worth showing */
};

struct grid {
    unsigned columns;
    enum align align[GRID_COLUMNS];
    unsigned before[GRID_COLUMNS], after[GRID_COLUMNS], words[GRID_COLUMNS]; /* widths found by grid_measure */
};

/* Puts the word behind what the field has, whole or as "..."; nothing more follows that. */
void grid_append(char field[GRID_FIELD], const char *word);

/* Takes a row into account; all that are going to be printed must have been. */
void grid_measure(struct grid *grid, const struct grid_row *row);

/* Marks the columns in which the row has something to show. */
void grid_mark(const struct grid *grid, const struct grid_row *row, bool used[GRID_COLUMNS]);

/* Prints the row's columns that are used, indented by two blanks, without any at its end; no line where they are empty.
 */
void grid_print(const struct grid *grid, const struct grid_row *row, const bool used[GRID_COLUMNS], FILE *out);

#endif
