#include "harness/measure/sampler.h"

#include <limits.h>
#include <math.h>

static const double shortest_slice =
    0.075; /* seconds; alternating slices this short average out drift and neighbours */

/* Determined by tests/harness/measure/test_coverage.c. A series that by chance looks less noisy or less correlated than
 * it is also looks precise: few checks, none of them early, and a least number of blocks limit that effect. */
static const double checks_apart = 1.5; /* each check comes after so many times the rounds of the one before */
enum { ROUNDS_MIN = 2, CHECK_FIRST = 26, PRECISE_BLOCKS_MIN = 22 };

static bool is_check_round(unsigned rounds)
{
    double check = CHECK_FIRST;
    while (floor(check) < rounds)
        check *= checks_apart;
    return floor(check) == rounds;
}

static bool is_precise(const struct rule *rule, const double ratios[], unsigned rounds)
{
    struct estimate estimate = stats_estimate(ratios, rounds);
    return estimate.samples >= CHECK_FIRST && estimate.blocks >= PRECISE_BLOCKS_MIN &&
           estimate_half_width(&estimate) <= rule->target;
}

enum stop sampler_decide(const struct rule *rule, const double ratios[], unsigned rounds, double spent, double last)
{
    bool fits = spent + last <= rule->budget;
    if (rounds < ROUNDS_MIN)
        return STOP_NOT_YET;
    if ((!fits || is_check_round(rounds)) && is_precise(rule, ratios, rounds))
        return STOP_PRECISE;
    if (fits)
        return STOP_NOT_YET;
    return rounds < ESTIMATE_BLOCKS_MIN ? STOP_LONG : STOP_BUDGET;
}

double sampler_slice(const struct rule *rule, double run)
{
    return fmax(rule->slice > 0 ? rule->slice : shortest_slice, run);
}

unsigned sampler_rounds_that_fit(const struct rule *rule, double run)
{
    if (!(run <= rule->budget))
        return 0;
    double fit = floor(rule->budget / sampler_slice(rule, run));
    return fit < ROUNDS_MIN ? ROUNDS_MIN : fit < UINT_MAX ? (unsigned)fit : UINT_MAX;
}

static const char *const names[STOP_COUNT] = {
    [STOP_NOT_YET] = "not yet", [STOP_PRECISE] = "precise",         [STOP_BUDGET] = "budget",
    [STOP_LONG] = "long",       [STOP_WITH_OTHERS] = "with-others", [STOP_INTERRUPTED] = "interrupted",
    [STOP_FAILED] = "failed",
};

const char *stop_name(enum stop stop)
{
    return (unsigned)stop < STOP_COUNT ? names[stop] : "unknown";
}
