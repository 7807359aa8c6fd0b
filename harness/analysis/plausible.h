#ifndef HARNESS_ANALYSIS_PLAUSIBLE_H
#define HARNESS_ANALYSIS_PLAUSIBLE_H

/* What contradicts physics is refused, however well its answers verified: a run that took no time, or less; and one
 * that did more than the hardware can by a confirmed peak at its highest clock. Nothing that was only measured, and
 * nothing that is only likely, refuses anything. */

#include "harness/journal/record.h"

/* Whether a device can do so many FLOP in so many seconds. False with STATUS_IMPOSSIBLE and both numbers in `why`; true
 * also where nothing is known that would forbid it. Not to be asked of fast algorithms, which do with fewer operations
 * than are counted. */
bool plausible_time(const struct device *device, enum dtype dtype, double flops, double seconds, struct error *why);

/* Runs of which one may be false, as a clock may stumble. */
enum { RUNS_FOR_ONE_FALSE = 100 };

/* The same of all that was measured of a cell. One run in RUNS_FOR_ONE_FALSE that cannot be is passed over, more of
 * them condemn the cell. */
bool plausible_cell(const struct record *record, const struct cell_record *cell, struct error *why);

#endif
