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

/* A place in a baseline's slices; at first only the track is set. */
struct pairing {
    const struct track *track;
    unsigned after; /* its first slice that is later than the cell's */
    unsigned used;  /* the place after that of the last pair without visits */
};

/* The baseline's slice that a slice of the cell is compared with; NULL: none. For all slices of a series in order. */
const struct slice *pairing_next(struct pairing *pairing, const struct slice *slice);

#endif
