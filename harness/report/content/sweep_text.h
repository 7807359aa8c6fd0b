#ifndef HARNESS_REPORT_CONTENT_SWEEP_TEXT_H
#define HARNESS_REPORT_CONTENT_SWEEP_TEXT_H

/* What a curve says, in sentences: from which size on the device pays, for each kind of use, and the cost model with
 * its own opinion of that. */

#include "harness/analysis/curve.h"
#include "harness/report/content/builder.h"

/* Adds them. Lines that belong to a heading are below it. */
void sweep_text_append(struct pool *pool, struct lines *out, const struct curves *curves, const struct curve *curve);

/* What "[?]" in a curve's table means, or NULL where it has none. */
const char *sweep_legend(const struct curve *curve);

/* "40,000,000", a size being a whole number; "-" for NAN. */
void sweep_size(char *to, size_t room, double size);

#endif
