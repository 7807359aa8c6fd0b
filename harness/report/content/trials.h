#ifndef HARNESS_REPORT_CONTENT_TRIALS_H
#define HARNESS_REPORT_CONTENT_TRIALS_H

/* The trials of methods before one of them was measured: their times, and why some failed. */

#include "harness/journal/record.h"
#include "harness/report/content/builder.h"

/* Adds one line for each device with trials: "tried on cpu: openblas 8.4 ms, onednn 8.1 ms + 1.2 ms repacking (a few
 * runs each, unverified); native unsupported: ...", by time including repacking; and a sentence if a method that
 * repacks computes clearly faster than the baseline. */
void trials_append(struct pool *pool, struct lines *out, const struct block_record *block);

#endif
