#ifndef HARNESS_REPORT_CONTENT_FOOTNOTES_H
#define HARNESS_REPORT_CONTENT_FOOTNOTES_H

/* Footnotes: sentences that rows of a section refer to by number, each written once. */

#include "harness/analysis/answer.h"
#include "harness/report/content/builder.h"
#include "harness/report/content/note_list.h"

struct footnotes {
    struct pool *pool;
    struct lines *lines;        /* the sentences, in the order of their numbers */
    const struct notes *common; /* on all rows: they get no footnote; NULL: none */
};

/* The notes that all measured rows of a run have, if it has several problems. To be released. */
void footnotes_common(struct notes *out, const struct answer_set *set);

/* Adds a reference to the row, and the sentence to the footnotes if it is new. */
void footnotes_add(struct footnotes *footnotes, struct row *row, const char *text);

#endif
