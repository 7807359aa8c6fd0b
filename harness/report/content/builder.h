#ifndef HARNESS_REPORT_CONTENT_BUILDER_H
#define HARNESS_REPORT_CONTENT_BUILDER_H

/* What those share that fill a document, and no format needs. What memory is short for is left out; the pool knows. */

#include "harness/report/content/document.h"

#include <stdio.h>

/* Adds a paragraph; both texts are copied. NULL when memory is short. */
struct line *lines_add(struct pool *pool, struct lines *lines, const char *label, const char *text);
void lines_print(struct pool *pool, struct lines *lines, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Says of the lines from `first` on which run they are about. */
void lines_sign(struct lines *lines, unsigned first, const char *letter);

/* A new section, with its title and its anchor; NULL when memory is short. Those before it may have moved. */
struct section *section_add(struct document *document, const char *title);

/* A text that is put together piece by piece. */
struct words {
    FILE *out; /* never NULL while open */
    char *text;
    size_t size;
};

/* False when memory is short; then there is nothing to end. */
bool words_begin(struct pool *pool, struct words *words);
/* What was written, as a text of the pool; "" when memory was short. */
const char *words_end(struct pool *pool, struct words *words);

/* Makes room for the rows, all fields "". */
void table_open(struct pool *pool, struct table *table, const struct column column[], unsigned columns, unsigned rows);
/* Leaves out the columns in which no row has anything to show. */
void table_shed(struct table *table);

#endif
