#ifndef HARNESS_REPORT_FORMATS_BRIEF_TEXT_H
#define HARNESS_REPORT_FORMATS_BRIEF_TEXT_H

/* The brief report as text: for each run at most BRIEF_LINES lines at 80 columns, or without that limit as the first
 * part of a full report. */

#include "harness/base/error.h"
#include "harness/journal/results.h"
#include "harness/report/report.h"

bool brief_text_write(const struct results *results, const struct layout *layout, FILE *out, struct error *err);

#endif
