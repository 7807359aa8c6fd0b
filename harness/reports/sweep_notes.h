#ifndef HARNESS_REPORTS_SWEEP_NOTES_H
#define HARNESS_REPORTS_SWEEP_NOTES_H

/* The notes on a sweep's measurements, which are too many for a footnote each: how often the most frequent of them
 * hold. */

#include "harness/record.h"

#include <stdio.h>

/* False when memory is short. Prints nothing where there is no note. */
bool sweep_notes_print(const struct record *record, FILE *out);

#endif
