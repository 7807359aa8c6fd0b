#ifndef HARNESS_MEASURE_SAMPLER_H
#define HARNESS_MEASURE_SAMPLER_H

/* The stop rule: when a series of a cell has been measured enough, and why it stopped. A value without state: it is
 * asked after each round, with all that was measured so far. Whatever stops a real run stops a simulated one. */

#include "harness/measure/stats.h"

enum stop {
    STOP_NOT_YET,
    STOP_PRECISE,
    STOP_BUDGET,
    STOP_LONG,        /* runs so long that fewer rounds than an interval needs fit the budget */
    STOP_WITH_OTHERS, /* a baseline: it goes on as long as anything is compared with it */
    STOP_INTERRUPTED,
    STOP_FAILED,
    STOP_COUNT
};

struct rule {
    double target; /* relative half width of the 95 % interval of the ratio to stop at: 0.02 */
    double budget; /* seconds of this series' own measuring */
    double slice;  /* seconds of the shortest slice; 0: the usual 75 ms */
};

/* ratios: one per round so far, in order (the series' own slice medians where there is no baseline). spent: seconds
 * this series took so far; last: seconds that its latest round took. To be asked after each round.
 *
 * "precise" says that the interval is within the target and rests on 22 blocks or more. Asked after each round, that
 * question would stop at the luckiest one, with an interval that misses too often; so it is asked after 26, 39, 58, 87,
 * 131 ... rounds only, and once more at the end of the budget.
 *
 * "budget" says that another round like the last would exceed the budget; "long" the same with fewer than six rounds
 * done, so that the interval is unknown. Two rounds are done in any case. */
enum stop sampler_decide(const struct rule *rule, const double ratios[], unsigned rounds, double spent, double last);

/* How long a slice of runs of `run` seconds is asked to be: max(the rule's shortest, one run). */
double sampler_slice(const struct rule *rule, double run);

/* Rounds that fit the budget when a slice takes `slice` seconds: at least two where even one run fits, 0 when a single
 * run of `run` seconds exceeds the budget (outcome too-slow). */
unsigned sampler_rounds_that_fit(const struct rule *rule, double run);

const char *stop_name(enum stop stop); /* "precise", "budget", ... */

#endif
