#ifndef HARNESS_REPORT_CONTENT_DOCUMENT_H
#define HARNESS_REPORT_CONTENT_DOCUMENT_H

/* What a report for people says, apart from how it is written down: text, Markdown and HTML are made of the same
 * document, so that they cannot disagree. It is of one run or of several side by side, then with a letter for each. */

#include "harness/base/error.h"
#include "harness/journal/results.h"
#include "harness/report/content/builder.h"
#include "harness/report/report.h"

/* To be released in any case. `claims` as in a layout. Fails only when memory is short. */
bool document_make(struct document *out, const struct results *results, const struct claim *claims, struct error *err);

#endif
