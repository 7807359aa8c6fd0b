#ifndef HARNESS_REPORT_CONTENT_TRIALS_H
#define HARNESS_REPORT_CONTENT_TRIALS_H

/* The methods that were tried before one of them was measured, in words: who won by how much, and who could not. */

#include "harness/journal/record.h"
#include "harness/report/content/builder.h"

/* One paragraph for each device of the block: "tried on cpu: openblas 8.4 ms, onednn 8.1 ms + 1.2 ms repacking (a
 * few runs each, unverified); native unsupported: ...", the fastest first from the workload's layout and back to it;
 * and a sentence where another method computes clearly faster than the baseline, but repacks. Nothing where nothing was
 * tried. */
void trials_append(struct pool *pool, struct lines *out, const struct block_record *block);

#endif
