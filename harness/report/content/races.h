#ifndef HARNESS_REPORT_CONTENT_RACES_H
#define HARNESS_REPORT_CONTENT_RACES_H

/* The races of a problem: who was chosen on each device, who tied with it, and why the others were not measured. */

#include "harness/journal/record.h"
#include "harness/report/content/builder.h"

/* Adds one line for each race: "raced on cpu: onednn 8.1 ms; tied: onednn-gemm 8.1 ms; slower: native 20 ms (12
 * rounds); openblas unsupported: ...". One for data that move begins with "with repacking:". */
void races_append(struct pool *pool, struct lines *out, const struct block_record *block);

#endif
