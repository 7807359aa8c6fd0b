#ifndef HARNESS_MEASURE_SAMPLER_H
#define HARNESS_MEASURE_SAMPLER_H

/* The stop rule: when a series of a cell is measured well enough, and why it stopped. Stateless: it is evaluated after
 * each round on all values so far. Real runs and simulated ones use the same rule. */

#include "harness/measure/stats.h"

enum stop {
    STOP_NOT_YET,
    STOP_PRECISE,
    STOP_BUDGET,
    STOP_LONG,        /* fewer rounds than an interval needs fit the budget */
    STOP_WITH_OTHERS, /* a baseline stops when nothing is compared with it any more */
    STOP_INTERRUPTED,
    STOP_FAILED,
    STOP_COUNT
};

struct rule {
    double target;   /* relative half width of the 95 % interval of the ratio to stop at: 0.02 */
    double budget;   /* seconds of this series' own measuring, where the least rounds do not take longer */
    double slice;    /* seconds of the shortest slice; 0: 50 ms, or what the least rounds need in a smaller budget */
    double deadline; /* seconds that one run may take */
    unsigned rounds; /* least rounds; 0: 12 if a round takes less than 0.125 s, six up to 5 s, else two */
};

/* ratios: one per round so far, in order (or the series' own slice medians without a baseline). spent: seconds used by
 * this series; last: seconds of its latest round. Call after each round. "precise": the interval is within the target
 * and has 22 groups or more. Checked after each round, that would stop at the luckiest one, with an interval that
 * misses too often; so it is checked after 26, 39, 58, 87, 131 ... rounds only, and at the end of the budget. "budget":
 * the least rounds are done, and another like the last would exceed the budget; "long": the same with fewer than six
 * rounds, so that the interval is unknown. */
enum stop sampler_decide(const struct rule *rule, const double ratios[], unsigned rounds, double spent, double last);

/* The least rounds of a series whose rounds take `round` seconds. */
unsigned sampler_least_rounds(const struct rule *rule, double round);

/* Seconds to request for a slice of runs of `run` seconds: the larger of the rule's shortest slice and one run. */
double sampler_slice(const struct rule *rule, double run);

extern const char *const stop_names[]; /* "precise", "budget", ... */

#endif
