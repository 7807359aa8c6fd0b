#ifndef HARNESS_REPORT_CONTENT_DOCUMENT_H
#define HARNESS_REPORT_CONTENT_DOCUMENT_H

/* The content of a report for people, without its form: text, Markdown and HTML are made from the same document, so
 * they agree. It covers one run, or several side by side with a letter for each. */

#include "harness/base/error.h"
#include "harness/journal/results.h"
#include "harness/report/content/builder.h"
#include "harness/report/report.h"

/* To be released in any case. Fails only when memory is short. */
bool document_make(struct document *out, const struct results *results, struct error *err);

/* A comparison as a document: a table of what changed, a folded one of what did not, and the cells of one side only. To
 * be released in any case. Speed-ups of both sides are columns where `width` has room for them (0: no limit). Fails
 * only when memory is short. */
bool comparison_document_make(struct document *out, const struct comparison *comparison, unsigned width,
                              struct error *err);

#endif
