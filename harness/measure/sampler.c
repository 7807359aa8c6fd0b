#include "harness/measure/sampler.h"

#include <math.h>

/* Seconds. */
static const double usual_slice = 0.05, gpu_slice = 0.01, shortest_slice = 0.02;

/* Seconds of runs that are visited in every turn, in every second and in every third. */
static const double every_turn = 0.25, every_second = 0.5, every_third = 1;

/* A series that by chance looks less noisy than it is also looks precise: few checks, none of them early, limit that
 * effect. Each comes after so many times the visits of the one before. */
static const double checks_apart = 1.5;
enum { CHECK_FIRST = 26, SLICES_IN_BUDGET = 12 };

unsigned sampler_visits(const struct rule *rule, double run)
{
    const unsigned part = run <= every_turn ? 1 : run <= every_second ? 2 : run <= every_third ? 3 : rule->visits;
    const unsigned wanted = part > 0 ? rule->visits / part : 0;
    const unsigned least = rule->visits < ESTIMATE_VALUES_MIN ? rule->visits : ESTIMATE_VALUES_MIN;
    return wanted > least ? wanted : least;
}

bool sampler_is_due(const struct rule *rule, unsigned wanted, unsigned visits, unsigned turn)
{
    if (rule->visits == 0 || turn >= rule->visits || visits < 2 || wanted <= 2)
        return true;
    return (visits - 1) * (rule->visits - 2) <= (wanted - 2) * (turn - 1);
}

static bool is_check_visit(unsigned visits)
{
    double check = CHECK_FIRST;
    while (floor(check) < visits)
        check *= checks_apart;
    return floor(check) == visits;
}

static bool is_precise(const struct rule *rule, const double ratios[], unsigned visits)
{
    const struct estimate estimate = stats_estimate(ratios, visits);
    return estimate.samples >= CHECK_FIRST && estimate_half_width(&estimate) <= rule->target;
}

enum stop sampler_decide(const struct rule *rule, unsigned wanted, const double ratios[], unsigned visits, double spent,
                         double last)
{
    const bool fits = spent + last <= rule->budget;
    if (rule->visits > 0)
        return visits >= wanted ? STOP_VISITS : STOP_NOT_YET;
    if (visits < ESTIMATE_VALUES_MIN)
        return STOP_NOT_YET;
    if ((!fits || is_check_visit(visits)) && is_precise(rule, ratios, visits))
        return STOP_PRECISE;
    return fits ? STOP_NOT_YET : STOP_BUDGET;
}

double sampler_slice(const struct rule *rule, bool is_gpu)
{
    const double usual = fmin(usual_slice, fmax(shortest_slice, rule->budget / SLICES_IN_BUDGET));
    return rule->slice > 0 ? rule->slice : is_gpu ? gpu_slice : usual;
}

const char *const stop_names[STOP_COUNT] = {
    [STOP_NOT_YET] = "not yet",         [STOP_VISITS] = "visits",    [STOP_PRECISE] = "precise",
    [STOP_BUDGET] = "budget",           [STOP_TIME] = "out-of-time", [STOP_LONG] = "long",
    [STOP_WITH_OTHERS] = "with-others", [STOP_FAILED] = "failed",    [STOP_INTERRUPTED] = "interrupted",
};
