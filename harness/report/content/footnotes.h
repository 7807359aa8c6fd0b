#ifndef HARNESS_REPORT_CONTENT_FOOTNOTES_H
#define HARNESS_REPORT_CONTENT_FOOTNOTES_H

/* The sentences that the rows of a section refer to by number, each written once. */

#include "harness/journal/record.h"
#include "harness/report/content/builder.h"

#include <jansson.h>

struct footnotes {
    struct pool *pool;
    struct lines *lines;  /* the sentences, in the order of their numbers */
    json_t *number;       /* by sentence: an object, empty at first */
    const json_t *common; /* sentences that are said of all rows, so that none refers to them: an object */
};

/* The notes that all measured rows of a run have, where it has several problems: worth saying once, as keys of an
 * object to be released. NULL when memory is short. */
json_t *footnotes_common(const struct record *record);

/* Puts the number of the sentence among the row's notes, and the sentence with the others where it is new. */
void footnotes_add(struct footnotes *footnotes, struct row *row, const char *text);

#endif
