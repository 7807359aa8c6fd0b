#ifndef HARNESS_REPORT_CONTENT_NAIVE_TEXT_H
#define HARNESS_REPORT_CONTENT_NAIVE_TEXT_H

/* Naive timing of a problem compared with the measurement, and what others have published about it. Each sentence
 * follows from the figures. */

#include "harness/analysis/cell_metrics.h"
#include "harness/report/content/builder.h"
#include "harness/report/report.h"

/* Adds the lines on a block and the claim about its problem, if any of its cells was timed naively. */
void naive_text_append(struct pool *pool, struct lines *out, const struct record *record,
                       const struct cell_metrics metrics[], unsigned count, const struct claim *claims);

#endif
