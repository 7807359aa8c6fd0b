#ifndef HARNESS_ANALYSIS_BREAKEVEN_H
#define HARNESS_ANALYSIS_BREAKEVEN_H

/* From how many uses of the same data on a device pays that is faster only where the data stay: they are copied to it
 * once, and the result is fetched once.
 *
 * With c and g a run of the baseline and of the device on data that stay, and b and m a use of either with all copies
 * (b is c where the baseline copies nothing), N uses take b + (N - 1) c and m + (N - 1) g. So the device pays from
 *
 *   N > 1 + (m - b) / (c - g) = 1 + (b / c) (1 / K - 1) / (1 - 1 / S)
 *
 * where S = c / g is the resident speed-up and K = b / m the copied one, by the rounds: drift is in neither, and what
 * follows agrees with the classes of both. Where each use has a method of its own, m is of the one, g of the other. */

#include "harness/measure/stats.h"

enum breakeven_outcome {
    BREAKEVEN_NONE,    /* not applicable: the baseline, a peak, only transfers, or nothing copied */
    BREAKEVEN_KNOWN,   /* pays from `uses` on: 1 where both speed-ups are faster */
    BREAKEVEN_NEVER,   /* surely at no number of uses: neither speed-up can be above 1 */
    BREAKEVEN_UNCLEAR, /* all else */
    BREAKEVEN_COUNT
};

extern const char *const breakeven_outcomes[BREAKEVEN_COUNT]; /* "none", "known", "never", "unclear" */

/* Whole numbers of uses, at least 1; NAN unless known. */
struct breakeven {
    enum breakeven_outcome outcome;
    double uses, low, high; /* by the medians; by the ends of both intervals */
};

/* `first`: b / c. */
struct breakeven breakeven_solve(const struct estimate *resident, const struct estimate *copied, double first);

#endif
