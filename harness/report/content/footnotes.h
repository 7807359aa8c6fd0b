#ifndef HARNESS_REPORT_CONTENT_FOOTNOTES_H
#define HARNESS_REPORT_CONTENT_FOOTNOTES_H

/* Footnotes: sentences that rows of a section refer to by number, each written once. */

#include "harness/analysis/answer.h"
#include "harness/report/content/builder.h"

#include <jansson.h>

struct footnotes {
    struct pool *pool;
    struct lines *lines;  /* the sentences, in the order of their numbers */
    json_t *number;       /* an object from sentence to number, empty at first */
    const json_t *common; /* an object with sentences as keys: notes on all rows, which get no footnote */
};

/* The notes that all measured rows of a run have, if it has several problems: an object with them as keys, to be
 * released. NULL when memory is short. */
json_t *footnotes_common(const struct answer_set *set);

/* Adds a reference to the row, and the sentence to the footnotes if it is new. */
void footnotes_add(struct footnotes *footnotes, struct row *row, const char *text);

#endif
