#ifndef HARNESS_REPORT_FORMATS_PROSE_H
#define HARNESS_REPORT_FORMATS_PROSE_H

/* Wraps sentences: lines are broken between words, and further lines are indented. */

#include <stdio.h>

enum { PROSE_WIDTH = 100 };

/* Prints `lead` and the text in lines of at most `width` columns; 0, or more than PROSE_WIDTH: PROSE_WIDTH. Further
 * lines start below the text, or are indented by two blanks if there is no lead. Intervals are not broken. */
void prose_fit(const char *lead, const char *text, unsigned width, FILE *out);

/* The same after `column` columns that are already on the line, with further lines indented; width 0: in one line. */
void prose_flow(unsigned column, unsigned indent, const char *text, unsigned width, FILE *out);

#endif
