#ifndef HARNESS_ANALYSIS_NEIGHBOURS_H
#define HARNESS_ANALYSIS_NEIGHBOURS_H

#include "harness/journal/record.h"

/* The share of the looks between slices (harness/machine/neighbour.h) in which somebody else computed on the same core:
 * the rate was below 0.8 of what the processor shows in this run when it is alone. Whoever is there all the time is not
 * seen. NAN with too few looks to say. */
double neighbours_share(const struct record *record);

#endif
