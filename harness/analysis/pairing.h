#ifndef HARNESS_ANALYSIS_PAIRING_H
#define HARNESS_ANALYSIS_PAIRING_H

/* The pairing rule, in one place: which of the baseline's measurements a measurement of a cell is compared with. The
 * scheduler takes slices by it, the analysis forms ratios by it, and the stop rule looks at these ratios.
 *
 * Series: each is compared with the baseline's series of the same name, or with the baseline's headline series if it
 * has no such. A cell that moves nothing has no copied series; its resident series takes that place.
 *
 * Slices: one is compared with the baseline's of the same visit, and no slice is in two visits. Several devices of a
 * visit share the baseline's. In a journal of version 3, without visits, one is compared with the one before it, which
 * no other slice of its series may have; a slice with none shortly before it has no pair. */

#include "harness/journal/record.h"

/* The baseline's series that one of another cell is compared with. */
enum series pairing_baseline_series(enum series series, bool baseline_has_it, enum series baseline_headline);

/* For each slice of `own`, at most `room` of them: seconds of the other track's slice that it is compared with, NAN
 * where there is none. Returns how many there are. 0 when there are no visits and fewer than half have one: then the
 * two were not measured in turn, and a ratio of slices would take drift for a difference. */
unsigned pairing_times(const struct track *own, const struct track *other, double out[], unsigned room);

#endif
