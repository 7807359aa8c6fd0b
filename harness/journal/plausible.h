#ifndef HARNESS_JOURNAL_PLAUSIBLE_H
#define HARNESS_JOURNAL_PLAUSIBLE_H

/* Rejects times that contradict physics, even if the answers are right, in a run and in every journal that is read: a
 * run that took no time, one that lasted longer than its slice, one faster than the confirmed peak of the hardware at
 * its highest clock, and one faster than any hardware. Measured or likely limits reject nothing. schema.h judges each
 * value of a journal by itself. */

#include "harness/journal/line.h"

/* Whether a run can take so many seconds in a slice of `slice` seconds (NAN unknown). */
bool plausible_run(double seconds, double slice);

/* Whether a processor or a board can use so much energy in so many seconds. */
bool plausible_energy(double joules, double seconds);

/* Whether a device can do so many FLOP in so many seconds. If not: STATUS_IMPOSSIBLE with both numbers in `why`. Not
 * applicable to fast algorithms, which need fewer operations than are counted. */
bool plausible_time(const struct device *device, enum dtype dtype, double flops, double seconds, struct error *why);

/* One run in so many may be wrong, as a clock may stumble. */
enum { RUNS_FOR_ONE_FALSE = 100 };

/* The same for all runs of a cell. One impossible run in RUNS_FOR_ONE_FALSE is ignored, more reject the cell. */
bool plausible_cell(const struct record *record, const struct cell_record *cell, struct error *why);

/* Whether a check can have compared so many elements of the cell's operands (NAN unknown). If not: the reason. */
bool plausible_elements(const struct cell_record *cell, double elements, struct error *why);

/* The same for all counts of a verification that succeeded, and for the errors that it saw. */
bool plausible_verify(const struct cell_record *cell, const struct verify_line *verify, struct error *why);

/* The outcome of each cell that is rejected becomes STATUS_IMPOSSIBLE. */
void plausible_record(struct record *record);

#endif
