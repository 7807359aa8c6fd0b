#ifndef HARNESS_ANALYSIS_PLAUSIBLE_H
#define HARNESS_ANALYSIS_PLAUSIBLE_H

/* Rejects times that contradict physics, even if the answers are right: a run that took no time, or one faster than the
 * confirmed peak of the hardware at its highest clock. Measured or likely limits reject nothing. */

#include "harness/journal/record.h"

/* Whether a device can do so many FLOP in so many seconds. If not: STATUS_IMPOSSIBLE with both numbers in `why`. True
 * if no limit is known. Not applicable to fast algorithms, which need fewer operations than are counted. */
bool plausible_time(const struct device *device, enum dtype dtype, double flops, double seconds, struct error *why);

/* One run in so many may be wrong, as a clock may stumble. */
enum { RUNS_FOR_ONE_FALSE = 100 };

/* The same for all runs of a cell. One impossible run in RUNS_FOR_ONE_FALSE is ignored, more reject the cell. */
bool plausible_cell(const struct record *record, const struct cell_record *cell, struct error *why);

#endif
