#ifndef HARNESS_REPORT_FORMATS_PROSE_H
#define HARNESS_REPORT_FORMATS_PROSE_H

/* Sentences in lines that can be read: broken between words, the lines that follow indented. */

#include <stdio.h>

enum { PROSE_WIDTH = 100 };

/* Prints `lead` and the text behind it in lines of at most `width` columns; 0, or more than can be read: PROSE_WIDTH.
 * Further lines are indented to the text's beginning, or by two blanks where there is no lead. An interval is not
 * broken, nor is a word that is longer than a line. The text is clean. */
void prose_fit(const char *lead, const char *text, unsigned width, FILE *out);

/* The same behind what stands on the line already, `column` columns of it; width 0: in one line. */
void prose_below(unsigned column, const char *text, unsigned width, FILE *out);

#endif
