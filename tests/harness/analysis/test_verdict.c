#include "harness/analysis/verdict.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO                                                                                                             \
    {                                                                                                                  \
        NAN, NAN, NAN                                                                                                  \
    }

static struct estimate estimate(const double figure[3])
{
    return (struct estimate){ .value = figure[0], .low = figure[1], .high = figure[2] };
}

Test(verdict, shows_three_digits_or_as_many_as_the_verdict_needs)
{
    static const struct {
        double figure[3];
        const char *value, *interval;
        enum verdict verdict;
    } table[] = {
        { { 0.97, 0.951, 0.989 }, "0.97", "(0.95 - 0.99)", VERDICT_EQUAL },
        { { 0.9169, 0.7928, 1.0004 }, "0.92", "(0.79 - 1.00)", VERDICT_UNCLEAR },
        { { 0.033, 0.019, 0.114 }, "0.033", "(0.019 - 0.114)", VERDICT_SLOWER },
        { { 1.02, 1.01, 1.07 }, "1.02", "(1.01 - 1.07)", VERDICT_FASTER },
        { { 1.04, 0.99, 1.045 }, "1.04", "(0.99 - 1.05)", VERDICT_EQUAL },
        { { 92.4, 90.1, 94.2 }, "92.4", "(90.1 - 94.2)", VERDICT_FASTER },
        { { 5.4, 5.39, 5.41 }, "5.40", "(5.39 - 5.41)", VERDICT_FASTER },
        { { 1, 1, 1 }, "1.00", "(1.00 - 1.00)", VERDICT_EQUAL },
        { { 0.9999, 0.99, 1.004 }, "1.00", "(0.99 - 1.00)", VERDICT_EQUAL },
        { { 0.98, 0.94, 0.9996 }, "0.9800", "(0.9400 - 0.9996)", VERDICT_SLOWER },
        { { 1.06, 1.0004, 1.1 }, "1.0600", "(1.0004 - 1.1000)", VERDICT_FASTER },
        { { 1, 0.948, 1.02 }, "1.000", "(0.948 - 1.020)", VERDICT_UNCLEAR }, /* beyond 5 %: unclear */
        { { 1, 0.99999999, 1.00000001 }, "1.00", "(1.00 - 1.00)", VERDICT_EQUAL },
        { { 0.00123, 0.0012, 0.0013 }, "0.0012", "(0.0012 - 0.0013)", VERDICT_SLOWER },
        { { 9.996, 9.9, 10.1 }, "10.0", "(9.9 - 10.1)", VERDICT_FASTER },
        { { 1234.5, 1200, 1300 }, "1235", "(1200 - 1300)", VERDICT_FASTER },
        { { 4e-7, 3e-7, 5e-7 }, "4.00e-07", "(3.00e-07 - 5.00e-07)", VERDICT_SLOWER },
        { { 3e17, 2e17, 4e17 }, "3.00e+17", "(2.00e+17 - 4.00e+17)", VERDICT_FASTER },
        { { 1.234, NAN, NAN }, "1.23", "", VERDICT_UNJUDGED },
        { { 123.4, NAN, NAN }, "123", "", VERDICT_UNJUDGED },
        { { 0.03402, NAN, NAN }, "0.034", "", VERDICT_UNJUDGED },
        { NO, "-", "", VERDICT_NONE },
    };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        struct pool pool = { 0 };
        struct estimate speedup = estimate(table[i].figure);
        const char *value = speedup_value(&pool, &speedup), *interval = speedup_interval(&pool, &speedup);
        cr_expect_eq(verdict_of(&speedup), table[i].verdict, "case %u", i);
        cr_expect_str_eq(value, table[i].value, "case %u: %s", i, value);
        cr_expect_str_eq(interval, table[i].interval, "case %u: %s", i, interval);
        pool_release(&pool);
    }
}

/* Two digits; three of one that is a few percent, and as many as show on which side of 1 it is. */
Test(verdict, a_ratio_is_short)
{
    static const struct {
        double ratio;
        const char *text;
    } cases[] = { { 2.345, "2.3" },     { 12.3, "12" },       { 1234.5, "1235" }, { 0.0123, "0.012" }, { 0.5, "0.50" },
                  { 9.96, "10" },       { 1.5, "1.5" },       { 1.1, "1.1" },     { 1.0949, "1.09" },  { 1.02, "1.02" },
                  { 1.0004, "1.0004" }, { 0.9996, "0.9996" }, { 1, "1.0" },       { NAN, "-" } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pool pool = { 0 };
        const char *text = speedup_ratio(&pool, cases[i].ratio);
        cr_expect_str_eq(text, cases[i].text, "%g: %s", cases[i].ratio, text);
        pool_release(&pool);
    }
}

Test(verdict, no_figure_that_is_shown_contradicts_the_verdict)
{
    srand(3);
    for (unsigned i = 0; i < 200000; i++) {
        double spread = pow(10, -5.0 * rand() / RAND_MAX), middle = 1 + spread * (2.0 * rand() / RAND_MAX - 1);
        double figure[3] = { middle, middle - spread * rand() / RAND_MAX, middle + spread * rand() / RAND_MAX };
        struct estimate speedup = estimate(figure), shown = speedup;
        struct pool pool = { 0 };
        if (figure[1] <= 0)
            continue;
        const char *interval = speedup_interval(&pool, &speedup);
        cr_assert_eq(sscanf(interval, "(%lf - %lf)", &shown.low, &shown.high), 2, "%s", interval);
        cr_assert_eq(verdict_of(&shown), verdict_of(&speedup), "%.9f [%.9f, %.9f], %s, is shown as %s %s", figure[0],
                     figure[1], figure[2], verdict_words[verdict_of(&speedup)], speedup_value(&pool, &speedup),
                     interval);
        pool_release(&pool);
    }
}

Test(verdict, has_the_verdict_that_its_whole_interval_allows)
{
    static const struct {
        double low, value, high;
        enum verdict verdict;
    } known[] = {
        { 1.2, 1.5, 1.8, VERDICT_FASTER },   { 0.5, 0.6, 0.7, VERDICT_SLOWER },    { 0.96, 1.0, 1.04, VERDICT_EQUAL },
        { 1.01, 1.02, 1.03, VERDICT_EQUAL }, { 0.92, 1.0, 1.04, VERDICT_UNCLEAR }, { 0.96, 1.0, 1.08, VERDICT_UNCLEAR },
        { 0.9, 1.5, 2.1, VERDICT_UNCLEAR },  { 0.4, 0.6, 1.1, VERDICT_UNCLEAR },   { NAN, 1.5, NAN, VERDICT_UNJUDGED },
        { 0.95, 1, 1.05, VERDICT_EQUAL },    { 0.949, 1, 1.01, VERDICT_UNCLEAR },  { 1.01, 1, 1.051, VERDICT_FASTER },
        { 2, 2, NAN, VERDICT_UNJUDGED },     { NAN, NAN, NAN, VERDICT_NONE },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct estimate speedup = { known[i].value, known[i].low, known[i].high, 12 };
        cr_expect_eq(verdict_of(&speedup), known[i].verdict, "%g (%g to %g) is %s", known[i].value, known[i].low,
                     known[i].high, verdict_words[verdict_of(&speedup)]);
    }
}
