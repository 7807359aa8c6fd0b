#ifndef HARNESS_REPORTS_SWEEP_H
#define HARNESS_REPORTS_SWEEP_H

/* The report of a sweep for people: for each device a row for each size, from which sizes on it pays in words, and what
 * the cost model makes of the times. */

#include "harness/record.h"

#include <stdio.h>

/* False when memory is short. */
bool sweep_print(const struct record *record, FILE *out);

#endif
