#ifndef HARNESS_REPORTS_TRIALS_H
#define HARNESS_REPORTS_TRIALS_H

/* The methods that were tried before one of them was measured, in words: who won by how much, and who could not. */

#include "harness/record.h"

#include <stdio.h>

/* One paragraph for each device of the block: "tried on cpu: onednn 12.1 ms, openblas 13.4 ms (a few runs each,
 * unverified); native unsupported: ...", fastest first. Nothing where nothing was tried. False when memory is short. */
bool trials_print(const struct block_record *block, FILE *out);

#endif
