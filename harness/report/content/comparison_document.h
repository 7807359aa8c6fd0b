#ifndef HARNESS_REPORT_CONTENT_COMPARISON_DOCUMENT_H
#define HARNESS_REPORT_CONTENT_COMPARISON_DOCUMENT_H

/* A comparison as a document: a table of what changed, a folded one of what did not, and the cells of one side only. */

#include "harness/analysis/compare/comparison.h"
#include "harness/report/content/builder.h"

/* To be released in any case. Speed-ups of both sides are columns where `width` has room for them (0: no limit). Fails
 * only when memory is short. */
bool comparison_document_make(struct document *out, const struct comparison *comparison, unsigned width,
                              struct error *err);

/* The cell of the new side, or of the old one if the new side does not have it. */
const struct cell_record *compared_cell(const struct compared *cell);

#endif
