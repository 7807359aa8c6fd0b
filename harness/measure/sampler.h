#ifndef HARNESS_MEASURE_SAMPLER_H
#define HARNESS_MEASURE_SAMPLER_H

/* The stop rule: how many visits a series of a cell gets, how long its slices are, and why it ended. Stateless: it is
 * evaluated after each visit on all values so far. Real runs and simulated ones use the same rule. */

#include "harness/measure/stats.h"

enum stop {
    STOP_NOT_YET,
    STOP_VISITS,
    STOP_PRECISE,
    STOP_BUDGET,
    STOP_TIME,        /* the time of the run was over */
    STOP_LONG,        /* only in journals of version 3: fewer rounds than an interval needs */
    STOP_WITH_OTHERS, /* a baseline stops when nothing is compared with it any more */
    STOP_INTERRUPTED,
    STOP_FAILED,
    STOP_COUNT
};

struct rule {
    unsigned visits; /* that a series of short runs gets; 0: until it is precise or its budget is spent */
    double target;   /* relative half width of the 95 % interval of the ratio to stop at: 0.02 */
    double budget;   /* seconds of slices of a series, or of its baseline's if these take longer */
    double slice;    /* seconds of a slice; 0: what is usual for the device */
    double deadline; /* seconds that one run may take */
};

/* Visits that a problem gets whose runs take up to `run` seconds: all of the rule up to 0.25 s, half of them up to 0.5
 * s, a third up to 1 s, but no fewer than an interval needs. 0: the rule has no number of visits. */
unsigned sampler_visits(const struct rule *rule, double run);

/* Whether a problem that was visited so many times, of `wanted`, is visited in this turn. Turns count the rotations
 * since it was opened, from 2 on: the first two visits come with opening. The visits are spread evenly over as many
 * turns as the rule has visits. */
bool sampler_is_due(const struct rule *rule, unsigned wanted, unsigned visits, unsigned turn);

/* ratios: one for each visit so far, in order (or the series' own slice medians without a baseline). wanted: visits.
 * spent: seconds of this series; last: of its latest visit. Call after each visit. "precise": the interval is within
 * the target. A check after each visit would stop where the values are close by chance, and too many intervals would
 * not contain the true value. So it is checked only after 26, 39, 58, 87, 131 ... visits, and at the end of the budget.
 * "budget": another visit like the last would exceed it. Neither comes before 6 visits. */
enum stop sampler_decide(const struct rule *rule, unsigned wanted, const double ratios[], unsigned visits, double spent,
                         double last);

/* Seconds of a slice, which has at least one run. Times of a GPU vary less than those of a CPU, whose clock and wide
 * units need longer to settle. */
double sampler_slice(const struct rule *rule, bool is_gpu);

extern const char *const stop_names[]; /* "precise", "budget", ... */

#endif
