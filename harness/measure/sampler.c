#include "harness/measure/sampler.h"

#include <math.h>

/* Seconds. Alternating slices this short average out drift and neighbours; shorter ones are noisier. */
static const double usual_slice = 0.05, shortest_slice = 0.02;

/* The least rounds by the seconds of one, whatever the budget: from 12 on an interval is narrow enough to be useful,
 * and six are the fewest that have one. */
static const double short_round = 0.125, long_round = 5;
enum { ROUNDS_SHORT = 12, ROUNDS_MEDIUM = 6, ROUNDS_LONG = 2 };

/* Determined by tests/harness/measure/test_coverage.c. A series that by chance looks less noisy or less correlated than
 * it is also looks precise: few checks, none of them early, and a least number of groups limit that effect. */
static const double checks_apart = 1.5; /* each check comes after so many times the rounds of the one before */
enum { CHECK_FIRST = ESTIMATE_ROUNDS_ALONE, PRECISE_GROUPS_MIN = 22 };

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
    return estimate.samples >= CHECK_FIRST && estimate.groups >= PRECISE_GROUPS_MIN &&
           estimate_half_width(&estimate) <= rule->target;
}

unsigned sampler_least_rounds(const struct rule *rule, double round)
{
    if (rule->rounds > 0)
        return rule->rounds;
    return round < short_round ? ROUNDS_SHORT : round <= long_round ? ROUNDS_MEDIUM : ROUNDS_LONG;
}

enum stop sampler_decide(const struct rule *rule, const double ratios[], unsigned rounds, double spent, double last)
{
    bool fits = spent + last <= rule->budget;
    if (rounds < sampler_least_rounds(rule, last))
        return STOP_NOT_YET;
    if ((!fits || is_check_round(rounds)) && is_precise(rule, ratios, rounds))
        return STOP_PRECISE;
    if (fits)
        return STOP_NOT_YET;
    return rounds < ESTIMATE_GROUPS_MIN ? STOP_LONG : STOP_BUDGET;
}

double sampler_slice(const struct rule *rule, double run)
{
    double usual = fmin(usual_slice, fmax(shortest_slice, rule->budget / ROUNDS_SHORT));
    return fmax(rule->slice > 0 ? rule->slice : usual, run);
}

const char *const stop_names[STOP_COUNT] = {
    [STOP_NOT_YET] = "not yet", [STOP_PRECISE] = "precise",         [STOP_BUDGET] = "budget",
    [STOP_LONG] = "long",       [STOP_WITH_OTHERS] = "with-others", [STOP_INTERRUPTED] = "interrupted",
    [STOP_FAILED] = "failed",
};
