#ifndef HARNESS_REPORTS_CEILINGS_H
#define HARNESS_REPORTS_CEILINGS_H

/* What the devices can do at most, as this run measured it, and what they could do by their own facts: a line for each
 * ceiling, which the shares in the tables below it are parts of. */

#include "harness/record.h"

#include <stdio.h>

/* Whether all cells of the block were added to be held against, so that ceilings_print shows them and nobody else. */
bool ceilings_hold(const struct block_record *block);

/* Prints nothing where there are none. False when memory is short. */
bool ceilings_print(const struct record *record, FILE *out);

#endif
