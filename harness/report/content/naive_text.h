#ifndef HARNESS_REPORT_CONTENT_NAIVE_TEXT_H
#define HARNESS_REPORT_CONTENT_NAIVE_TEXT_H

/* What naive timing makes of a problem beside what was measured with care, and what a page has published of it: each
 * sentence follows from the figures, and stands only where they bear it out. */

#include "harness/analysis/cell_metrics.h"
#include "harness/report/content/document.h"

/* Adds the lines on a block, whose facts these are; nothing where nobody timed it naively. */
void naive_text_append(struct pool *pool, struct lines *out, const struct record *record,
                       const struct cell_metrics metrics[], unsigned count);

/* What is known to have been published of a problem, in one sentence; "" for nothing. Returns `to`. */
enum { CLAIM_ROOM = 480 };
const char *naive_text_claim(char to[CLAIM_ROOM], const struct cell_record *cell);

#endif
