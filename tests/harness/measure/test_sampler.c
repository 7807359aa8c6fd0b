/* How many visits a series gets, when, and why it stops: the stop rule on made-up values. How often its intervals hold
 * test_stats_coverage finds. */

#include "harness/measure/random.h"
#include "harness/measure/sampler.h"

#include <criterion/criterion.h>

enum { VALUES = 200 };

static const struct rule standard = { .visits = 24, .target = 0.02, .budget = 1.5 },
                         by_budget = { .target = 0.02, .budget = 10 };

/* Independent ratios around 2 that vary by that share. */
static const double *varied(double share)
{
    static double ratio[VALUES];
    for (unsigned i = 0; i < VALUES; i++) {
        double uniform = (double)(random_bits(7, 1, i) >> 11) / (double)(UINT64_C(1) << 53);
        ratio[i] = 2 * (1 + share * (2 * uniform - 1));
    }
    return ratio;
}

/* --- so many visits --- */

Test(sampler, long_runs_get_fewer_visits_but_no_fewer_than_an_interval_needs)
{
    static const struct {
        unsigned visits; /* of the rule */
        double run;
        unsigned wanted;
    } cases[] = {
        { 24, 0.001, 24 }, { 24, 0.25, 24 }, { 24, 0.26, 12 }, { 24, 0.5, 12 }, { 24, 0.51, 8 }, { 24, 1, 8 },
        { 24, 1.1, 6 },    { 24, 100, 6 },   { 12, 0.25, 12 }, { 12, 0.4, 6 },  { 12, 0.9, 6 },  { 4, 0.1, 4 },
        { 4, 0.4, 4 },     { 4, 100, 4 },    { 0, 0.1, 0 },    { 0, 0.4, 0 },   { 0, 100, 0 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rule rule = { .visits = cases[i].visits };
        const unsigned wanted = sampler_visits(&rule, cases[i].run);
        cr_expect_eq(wanted, cases[i].wanted, "%u visits, %g s: %u", cases[i].visits, cases[i].run, wanted);
    }
}

/* From turn 2 on; the last one is the rule's. */
Test(sampler, visits_are_spread_evenly_over_the_turns)
{
    for (unsigned wanted = 3; wanted <= standard.visits; wanted++) {
        unsigned visits = 2, latest = 1, least = VALUES, most = 0;
        for (unsigned turn = 2; turn < standard.visits; turn++) {
            if (!sampler_is_due(&standard, wanted, visits, turn))
                continue;
            least = turn - latest < least ? turn - latest : least;
            most = turn - latest > most ? turn - latest : most;
            latest = turn;
            visits++;
        }
        cr_expect_eq(visits, wanted, "%u of %u visits", visits, wanted);
        cr_expect_eq(latest, standard.visits - 1, "%u visits: the last one is in turn %u", wanted, latest);
        cr_expect_leq(most - least, 1, "%u visits: %u to %u turns apart", wanted, least, most);
    }
}

/* A resumed run may come late, and a series may need more visits than there are turns. */
Test(sampler, after_its_turns_and_without_a_number_of_visits_a_problem_is_always_due)
{
    cr_expect(sampler_is_due(&standard, 6, 5, 24));
    cr_expect(sampler_is_due(&standard, 6, 1, 0));
    cr_expect(sampler_is_due(&standard, 8, 10, 24));
    cr_expect(sampler_is_due(&by_budget, 0, 3, 2));
    cr_expect_not(sampler_is_due(&standard, 6, 3, 2));
}

Test(sampler, a_number_of_visits_is_the_whole_rule)
{
    const double *ratio = varied(0.005);
    cr_expect_eq(sampler_decide(&standard, 24, ratio, 23, 1000, 100), STOP_NOT_YET);
    cr_expect_eq(sampler_decide(&standard, 24, ratio, 24, 0.01, 0.01), STOP_VISITS);
    cr_expect_eq(sampler_decide(&standard, 8, ratio, 8, 0.01, 0.01), STOP_VISITS);
}

/* --- by precision and budget --- */

/* After so many visits of 10 ms that the budget has room for more. */
static enum stop early(const double *ratio, unsigned visits)
{
    return sampler_decide(&by_budget, 0, ratio, visits, 0.01 * visits, 0.01);
}

/* The same where the budget is spent. */
static enum stop late(const double *ratio, unsigned visits)
{
    return sampler_decide(&by_budget, 0, ratio, visits, by_budget.budget, 0.01);
}

Test(sampler, a_narrow_interval_stops_at_a_check_only_and_a_wide_one_does_not)
{
    const double *ratio = varied(0.005);
    for (unsigned visits = 1; visits <= 131; visits++) {
        const bool is_check = visits == 26 || visits == 39 || visits == 58 || visits == 87 || visits == 131;
        cr_expect_eq(early(ratio, visits), is_check ? STOP_PRECISE : STOP_NOT_YET, "%u visits", visits);
    }
    ratio = varied(0.8);
    cr_expect_eq(early(ratio, 39), STOP_NOT_YET);
    cr_expect_eq(early(ratio, 58), STOP_NOT_YET);
}

/* At a check, and where the budget is spent. */
Test(sampler, an_interval_is_precise_up_to_the_half_width_that_is_asked_for)
{
    const double *ratio = varied(0.3);
    const struct estimate estimate = stats_estimate(ratio, 58);
    const double half = estimate_half_width(&estimate);
    const struct rule just = { .target = 1.01 * half, .budget = 10 }, more = { .target = 0.99 * half, .budget = 10 };
    cr_expect_eq(sampler_decide(&just, 0, ratio, 58, 0.58, 0.01), STOP_PRECISE);
    cr_expect_eq(sampler_decide(&more, 0, ratio, 58, 0.58, 0.01), STOP_NOT_YET);
    cr_expect_eq(sampler_decide(&just, 0, ratio, 58, 10, 0.01), STOP_PRECISE);
    cr_expect_eq(sampler_decide(&more, 0, ratio, 58, 10, 0.01), STOP_BUDGET);
}

Test(sampler, at_the_end_of_the_budget_the_interval_says_why)
{
    cr_expect_eq(late(varied(0.005), 40), STOP_PRECISE);
    cr_expect_eq(late(varied(0.8), 40), STOP_BUDGET);
    cr_expect_eq(late(varied(0.005), 25), STOP_BUDGET, "25 visits are too few to be sure of");
    double ratio[26];
    for (unsigned i = 0; i < 26; i++)
        ratio[i] = i == 3 ? NAN : varied(0.005)[i];
    cr_expect_eq(late(ratio, 26), STOP_BUDGET, "one of them has no ratio");
}

Test(sampler, a_visit_that_would_not_fit_is_not_begun)
{
    const double *ratio = varied(0.8);
    cr_expect_eq(sampler_decide(&by_budget, 0, ratio, 20, 9.9, 0.15), STOP_BUDGET);
    cr_expect_eq(sampler_decide(&by_budget, 0, ratio, 20, 9.8, 0.15), STOP_NOT_YET);
    cr_expect_eq(sampler_decide(&by_budget, 0, ratio, 20, NAN, 0.15), STOP_BUDGET,
                 "unknown time is no reason to go on");
}

Test(sampler, six_visits_are_done_whatever_the_budget)
{
    cr_expect_eq(sampler_decide(&by_budget, 0, varied(0.8), 5, 1000, 100), STOP_NOT_YET);
    cr_expect_eq(sampler_decide(&by_budget, 0, varied(0.8), 6, 1000, 100), STOP_BUDGET);
}

/* --- slices --- */

Test(sampler, a_slice_is_shorter_on_a_gpu_and_in_a_small_budget)
{
    static const struct {
        struct rule rule;
        double on_cpu, on_gpu;
    } cases[] = {
        { { .budget = 10 }, 0.05, 0.01 },
        { { .budget = 0.48 }, 0.04, 0.01 },
        { { .budget = 0.05 }, 0.02, 0.01 },
        { { .budget = 10, .slice = 0.3 }, 0.3, 0.3 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_float_eq(sampler_slice(&cases[i].rule, false), cases[i].on_cpu, 1e-12, "case %u", i);
        cr_expect_float_eq(sampler_slice(&cases[i].rule, true), cases[i].on_gpu, 1e-12, "case %u", i);
    }
}

Test(sampler, each_reason_has_a_name_of_its_own)
{
    for (enum stop stop = 0; stop < STOP_COUNT; stop++)
        for (enum stop other = 0; other < stop; other++)
            cr_expect_str_neq(stop_names[stop], stop_names[other]);
    cr_expect_str_eq(stop_names[STOP_PRECISE], "precise");
}
