#include "harness/analysis/speedup.h"

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

Test(speedup, shows_the_digits_that_the_doubt_allows)
{
    static const struct {
        double figure[3];
        const char *value, *interval, *brief;
        enum side side;
    } table[] = {
        { { 0.97, 0.951, 0.989 }, "0.970", "[0.951, 0.989]", "0.970+-.019", SIDE_SLOWER },
        { { 0.9169, 0.7928, 1.0004 }, "0.92", "[0.79, 1.00]", "0.92+-.13", SIDE_EVEN },
        { { 0.9, 0.7928, 0.9904 }, "0.90", "[0.79, 0.99]", "0.79..0.99", SIDE_SLOWER },
        { { 0.033, 0.019, 0.114 }, "0.033", "[0.019, 0.114]", "0.019..0.114", SIDE_SLOWER },
        { { 1.02, 1.01, 1.07 }, "1.02", "[1.01, 1.07]", "1.01..1.07", SIDE_FASTER },
        { { 1.04, 0.99, 1.045 }, "1.04", "[0.99, 1.05]", "0.99..1.05", SIDE_EVEN },
        { { 92.4, 90.1, 94.2 }, "92.4", "[90.1, 94.2]", "92.4+-2.3", SIDE_FASTER },
        { { 0.6134, 0.6130, 0.6138 }, "0.613", "[0.613, 0.614]", "0.613+-.001", SIDE_SLOWER },
        { { 5.4, 5.39, 5.41 }, "5.40", "[5.39, 5.41]", "5.40+-.01", SIDE_FASTER },
        { { 1, 0.5, 1.5 }, "1.00", "[0.50, 1.50]", "1.00+-.50", SIDE_EVEN },
        { { 1, 0.4, 1.5 }, "1.00", "[0.40, 1.50]", "0.40..1.50", SIDE_EVEN },
        { { 1, 1, 1 }, "1.00", "[1.00, 1.00]", "1.00+-.00", SIDE_EVEN },
        { { 0.997, 0.99, 1.004 }, "0.997", "[0.990, 1.004]", "0.997+-.007", SIDE_EVEN },
        { { 0.98, 0.94, 0.9996 }, "0.980", "[0.940, 0.9996]", "0.940..0.9996", SIDE_SLOWER },
        { { 1.06, 1.0004, 1.1 }, "1.06", "[1.0004, 1.10]", "1.0004..1.10", SIDE_FASTER },
        { { 1, 0.99999999, 1.00000001 }, "1.00", "[1.00, 1.00]", "1.00+-.01", SIDE_EVEN },
        { { 1, 0.99999999, 1.3 }, "1.00", "[1.00, 1.30]", "1.00+-.30", SIDE_EVEN },
        { { 0.00123, 0.0012, 0.0013 }, "0.00123", "[0.00120, 0.00130]", "0.00123+-.00007", SIDE_SLOWER },
        { { 1234.5, 1200, 1300 }, "1235", "[1200, 1300]", "1235+-65", SIDE_FASTER },
        { { 3e17, 2e17, 4e17 }, "3.00e+17", "[2.00e+17, 4.00e+17]", "3.00e+17+-1.00e+17", SIDE_FASTER },
        { { 1.234, NAN, NAN }, "1.2", "", "1.2+-?", SIDE_UNCERTAIN },
        { { 123.4, NAN, NAN }, "123", "", "123+-?", SIDE_UNCERTAIN },
        { { 0.03402, NAN, NAN }, "0.034", "", "0.034+-?", SIDE_UNCERTAIN },
        { { 0.99951, NAN, NAN }, "1.0", "", "1.0+-?", SIDE_UNCERTAIN },
        { NO, "-", "", "-", SIDE_MISSING },
    };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        struct speedup_text text;
        struct estimate speedup = estimate(table[i].figure);
        speedup_write(&text, &speedup);
        cr_expect_eq(verdict_side(&speedup), table[i].side, "case %u", i);
        cr_expect_str_eq(text.value, table[i].value, "case %u: %s", i, text.value);
        cr_expect_str_eq(text.interval, table[i].interval, "case %u: %s", i, text.interval);
        cr_expect_str_eq(text.brief, table[i].brief, "case %u: %s", i, text.brief);
    }
}

Test(speedup, words_have_the_interval_in_parentheses_and_none_that_is_unknown)
{
    struct speedup_text text;
    speedup_write(&text, &(struct estimate){ .value = 0.9169, .low = 0.7928, .high = 1.0004 });
    cr_expect_str_eq(text.words, "0.92 (0.79 - 1.00)");
    speedup_write(&text, &(struct estimate){ .value = 1.234, .low = NAN, .high = NAN });
    cr_expect_str_eq(text.words, "1.2");
}

/* The ends that are shown: of an interval, or around a figure. */
static void read_ends(const struct speedup_text *text, bool is_brief, double *low, double *high)
{
    double middle, half;
    if (!is_brief)
        cr_assert_eq(sscanf(text->interval, "[%lf, %lf]", low, high), 2, "%s", text->interval);
    else if (strstr(text->brief, ".."))
        cr_assert_eq(sscanf(text->brief, "%lf..%lf", low, high), 2, "%s", text->brief);
    else {
        cr_assert_eq(sscanf(text->brief, "%lf+-%lf", &middle, &half), 2, "%s", text->brief);
        *low = middle - half;
        *high = middle + half;
    }
}

Test(speedup, no_figure_that_is_shown_contradicts_the_verdict)
{
    srand(3);
    for (unsigned i = 0; i < 200000; i++) {
        double spread = pow(10, -5.0 * rand() / RAND_MAX), middle = 1 + spread * (2.0 * rand() / RAND_MAX - 1);
        double figure[3] = { middle, middle - spread * rand() / RAND_MAX, middle + spread * rand() / RAND_MAX };
        struct estimate speedup = estimate(figure);
        struct speedup_text text;
        const enum verdict verdict = verdict_of(&speedup);
        if (figure[1] <= 0)
            continue;
        speedup_write(&text, &speedup);
        for (unsigned brief = 0; brief < 2; brief++) {
            double low, high;
            read_ends(&text, brief, &low, &high);
            bool agrees = verdict == VERDICT_FASTER   ? low > 1
                          : verdict == VERDICT_SLOWER ? high < 1
                          : verdict == VERDICT_EQUAL  ? low > 0.9499999 && high < 1.0500001
                                                      : low <= 1 && high >= 1;
            cr_assert(agrees, "%.9f [%.9f, %.9f], %s, is shown as %s %s or %s", figure[0], figure[1], figure[2],
                      verdict_words[verdict], text.value, text.interval, text.brief);
        }
    }
}

Test(speedup, has_the_verdict_that_its_whole_interval_allows)
{
    static const struct {
        double low, value, high;
        enum verdict verdict;
    } known[] = {
        { 1.2, 1.5, 1.8, VERDICT_FASTER },   { 0.5, 0.6, 0.7, VERDICT_SLOWER },    { 0.96, 1.0, 1.04, VERDICT_EQUAL },
        { 1.01, 1.02, 1.03, VERDICT_EQUAL }, { 0.92, 1.0, 1.04, VERDICT_UNCLEAR }, { 0.96, 1.0, 1.08, VERDICT_UNCLEAR },
        { 0.9, 1.5, 2.1, VERDICT_UNCLEAR },  { 0.4, 0.6, 1.1, VERDICT_UNCLEAR },   { NAN, 1.5, NAN, VERDICT_UNJUDGED },
        { NAN, NAN, NAN, VERDICT_NONE },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct estimate speedup = { known[i].value, known[i].low, known[i].high, 12, 12 };
        cr_expect_eq(verdict_of(&speedup), known[i].verdict, "%g (%g to %g) is %s", known[i].value, known[i].low,
                     known[i].high, verdict_words[verdict_of(&speedup)]);
    }
}
