#ifndef HARNESS_REPORTS_SWEEP_NOTES_H
#define HARNESS_REPORTS_SWEEP_NOTES_H

/* The notes on a sweep's measurements, which are too many for a footnote each: how often the most frequent of them
 * hold. */

#include "harness/document_parts.h"
#include "harness/record.h"

void sweep_notes_say(struct pool *pool, struct lines *out, const struct record *record, const char *letter);

#endif
