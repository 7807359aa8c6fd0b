#ifndef HARNESS_REPORT_CONTENT_SWEEP_TEXT_H
#define HARNESS_REPORT_CONTENT_SWEEP_TEXT_H

/* A curve in sentences: from which size on the device pays, for each kind of use, and the cost model with its own
 * thresholds. */

#include "harness/analysis/curve.h"
#include "harness/report/content/builder.h"

/* Adds the sentences; those that belong to a heading are below it. */
void sweep_text_append(struct pool *pool, struct lines *out, const struct curves *curves, const struct curve *curve);

/* The meaning of "[?]" in a curve's table; NULL if the table has none. */
const char *sweep_legend(const struct curve *curve);

/* "40,000,000"; "-" for NAN. */
void sweep_size(char *to, size_t room, double size);

#endif
