#ifndef HARNESS_REPORT_CONTENT_SWEEP_H
#define HARNESS_REPORT_CONTENT_SWEEP_H

/* What a sweep found, for people: for each device a section with a row for each size, from which sizes on it pays in
 * words, and what the cost model makes of the times. */

#include "harness/journal/record.h"
#include "harness/report/content/builder.h"

/* Adds its sections, and the notes on its measurements. */
void sweep_append(struct document *document, const struct record *record, const char *letter);

#endif
