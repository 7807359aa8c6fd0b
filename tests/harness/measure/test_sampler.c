/* When a series stops, and why: the stop rule on made-up rounds. How often its intervals hold test_coverage finds. */

#include "harness/measure/random.h"
#include "harness/measure/sampler.h"

#include <criterion/criterion.h>

enum { ROUNDS = 200 };

static const struct rule usual = { .target = 0.02, .budget = 10 };

/* Independent ratios around 2 that vary by that share. */
static const double *varied(double share)
{
    static double ratio[ROUNDS];
    for (unsigned i = 0; i < ROUNDS; i++) {
        double uniform = (double)(random_bits(7, 1, i) >> 11) / (double)(UINT64_C(1) << 53);
        ratio[i] = 2 * (1 + share * (2 * uniform - 1));
    }
    return ratio;
}

/* After so many rounds of 10 ms that the budget has room for more. */
static enum stop early(const double *ratio, unsigned rounds)
{
    return sampler_decide(&usual, ratio, rounds, 0.01 * rounds, 0.01);
}

/* The same where the budget is spent. */
static enum stop late(const double *ratio, unsigned rounds)
{
    return sampler_decide(&usual, ratio, rounds, usual.budget, 0.01);
}

Test(sampler, a_narrow_interval_stops_at_a_check_and_a_wide_one_does_not)
{
    const double *ratio = varied(0.005);
    cr_expect_eq(early(ratio, 39), STOP_PRECISE);
    cr_expect_eq(early(ratio, 58), STOP_PRECISE);
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
    cr_expect_eq(sampler_decide(&just, ratio, 58, 0.58, 0.01), STOP_PRECISE);
    cr_expect_eq(sampler_decide(&more, ratio, 58, 0.58, 0.01), STOP_NOT_YET);
    cr_expect_eq(sampler_decide(&just, ratio, 58, 10, 0.01), STOP_PRECISE);
    cr_expect_eq(sampler_decide(&more, ratio, 58, 10, 0.01), STOP_BUDGET);
}

Test(sampler, between_checks_nothing_stops)
{
    const double *ratio = varied(0.005);
    for (unsigned rounds = 12; rounds <= 100; rounds++)
        if (rounds != 26 && rounds != 39 && rounds != 58 && rounds != 87)
            cr_expect_eq(early(ratio, rounds), STOP_NOT_YET, "%u rounds", rounds);
}

Test(sampler, at_the_end_of_the_budget_the_interval_says_why)
{
    cr_expect_eq(late(varied(0.005), 40), STOP_PRECISE);
    cr_expect_eq(late(varied(0.8), 40), STOP_BUDGET);
    cr_expect_eq(late(varied(0.005), 12), STOP_BUDGET, "12 rounds are too few to be sure of");
}

Test(sampler, a_round_that_would_not_fit_is_not_begun)
{
    const double *ratio = varied(0.8);
    cr_expect_eq(sampler_decide(&usual, ratio, 20, 9.9, 0.15), STOP_BUDGET);
    cr_expect_eq(sampler_decide(&usual, ratio, 20, 9.8, 0.15), STOP_NOT_YET);
}

Test(sampler, the_least_rounds_are_done_whatever_the_budget)
{
    const double *ratio = varied(0.8);
    const struct rule three = { .target = 0.02, .budget = 10, .rounds = 3 };
    static const struct {
        double round;
        unsigned least;
        enum stop stop;
    } cases[] = { { 0.12, 12, STOP_BUDGET }, { 0.125, 6, STOP_BUDGET }, { 5, 6, STOP_BUDGET }, { 5.1, 2, STOP_LONG } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned least = cases[i].least;
        double round = cases[i].round;
        cr_expect_eq(sampler_least_rounds(&usual, round), least);
        cr_expect_eq(sampler_decide(&usual, ratio, least - 1, 1000, round), STOP_NOT_YET);
        cr_expect_eq(sampler_decide(&usual, ratio, least, 1000, round), cases[i].stop);
    }
    cr_expect_eq(sampler_least_rounds(&three, 0.1), 3);
    cr_expect_eq(sampler_decide(&three, ratio, 5, 1000, 0.1), STOP_LONG);
    cr_expect_eq(sampler_decide(&three, ratio, 6, 1000, 0.1), STOP_BUDGET);
}

Test(sampler, a_slice_is_as_long_as_a_run_and_no_longer_than_the_budget_allows)
{
    const struct rule small = { .budget = 0.48 }, tiny = { .budget = 0.05 }, own = { .budget = 10, .slice = 0.3 };
    cr_expect_float_eq(sampler_slice(&usual, 0.001), 0.05, 1e-12);
    cr_expect_float_eq(sampler_slice(&usual, 0.5), 0.5, 1e-12);
    cr_expect_float_eq(sampler_slice(&small, 0.001), 0.04, 1e-12);
    cr_expect_float_eq(sampler_slice(&tiny, 0.001), 0.02, 1e-12);
    cr_expect_float_eq(sampler_slice(&own, 0.001), 0.3, 1e-12);
    cr_expect_float_eq(sampler_slice(&own, 0.5), 0.5, 1e-12);
}

Test(sampler, each_reason_has_a_name_of_its_own)
{
    for (enum stop stop = 0; stop < STOP_COUNT; stop++)
        for (enum stop other = 0; other < stop; other++)
            cr_expect_str_neq(stop_names[stop], stop_names[other]);
    cr_expect_str_eq(stop_names[STOP_PRECISE], "precise");
}
