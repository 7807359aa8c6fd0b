#ifndef HARNESS_REPORT_CONTENT_SWEEP_NOTES_H
#define HARNESS_REPORT_CONTENT_SWEEP_NOTES_H

/* The notes on a sweep's measurements, which are too many for a footnote each: how often the most frequent of them
 * hold. */

#include "harness/journal/record.h"
#include "harness/report/content/builder.h"

void sweep_notes_append(struct pool *pool, struct lines *out, const struct record *record, const char *letter);

#endif
