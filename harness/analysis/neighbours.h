#ifndef HARNESS_ANALYSIS_NEIGHBOURS_H
#define HARNESS_ANALYSIS_NEIGHBOURS_H

/* In which looks between slices (harness/machine/neighbour.h) somebody else computed on the same core: the rate was
 * below 0.8 of what the processor shows in this run when it is alone. Whoever is there all the time is not seen. With
 * too few looks nothing is known. */

#include "harness/journal/record.h"

/* The share of such looks; NAN unknown. */
double neighbours_share(const struct record *record);

/* Whether a slice began after such a look. */
bool neighbours_are_beside(const struct record *record, const struct slice *slice);

/* Whether other programs left less than half of the cores that the run may use, on average while the cell was measured.
 * By the operating system's counters: a look sees only who computes at the same moment, not who takes turns. */
bool neighbours_crowd(const struct record *record, const struct cell_record *cell);

/* Whether more than half of the slices did. A look of 0.1 ms at one core says little of one slice: of fewer than ten
 * slices all must be so, and fewer than five say nothing. */
bool neighbours_are_most(unsigned beside, unsigned slices);
bool neighbours_disturbed(const struct record *record, const struct track *track);

#endif
