#ifndef HARNESS_REPORTS_HEADING_H
#define HARNESS_REPORTS_HEADING_H

/* The lines above the figures: the machine and its devices, and what problem a block is about. */

#include "harness/reports/facts.h"

#include <stdio.h>

/* The machine, the devices that took part, and what gave no device. */
void heading_machine(const struct record *record, FILE *out);

/* "multiply f32, n = 40,000,000 (40.0 MFLOP, 480 MB)", and the baseline below it. */
void heading_problem(const struct facts facts[], unsigned count, FILE *out);

#endif
