#include "harness/analysis/speedup.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NO                                                                                                             \
    {                                                                                                                  \
        NAN, NAN, NAN                                                                                                  \
    }

static struct estimate estimate(const double figure[3])
{
    return (struct estimate){ .value = figure[0], .low = figure[1], .high = figure[2] };
}

Test(speedup, shows_the_digits_that_the_interval_allows)
{
    static const struct {
        double figure[3];
        const char *value, *interval;
        enum side side;
    } table[] = {
        { { 0.97, 0.95, 0.99 }, "0.97", "[0.95, 0.99]", SIDE_SLOWER },
        { { 92.4, 90.1, 94.2 }, "92", "[90, 94]", SIDE_FASTER },
        { { 0.6134, 0.6130, 0.6138 }, "0.613", "[0.613, 0.614]", SIDE_SLOWER },
        { { 5.4, 5.39, 5.41 }, "5.40", "[5.39, 5.41]", SIDE_FASTER },
        { { 1, 0.5, 1.5 }, "1.0", "[0.5, 1.5]", SIDE_EVEN },
        { { 1, 1, 1 }, "1.00", "[1.00, 1.00]", SIDE_EVEN },
        { { 0.997, 0.99, 1.004 }, "0.997", "[0.990, 1.004]", SIDE_EVEN },
        { { 0.98, 0.96, 0.9996 }, "0.9800", "[0.9600, 0.9996]", SIDE_SLOWER },
        { { 1.05, 1.0004, 1.1 }, "1.0500", "[1.0004, 1.1000]", SIDE_FASTER },
        { { 1, 0.99999999, 1.00000001 }, "1.00", "[1.00, 1.00]", SIDE_EVEN },
        { { 1, 0.99999999, 1.3 }, "1.0", "[1.0, 1.3]", SIDE_EVEN },
        { { 0.00123, 0.0012, 0.0013 }, "0.00123", "[0.00120, 0.00130]", SIDE_SLOWER },
        { { 1234.5, 1200, 1300 }, "1235", "[1200, 1300]", SIDE_FASTER },
        { { 3e17, 2e17, 4e17 }, "3.00e+17", "[2.00e+17, 4.00e+17]", SIDE_FASTER },
        { { 1.234, NAN, NAN }, "1.2", "", SIDE_UNCERTAIN },
        { { 123.4, NAN, NAN }, "123", "", SIDE_UNCERTAIN },
        { { 0.03402, NAN, NAN }, "0.034", "", SIDE_UNCERTAIN },
        { { 0.99951, NAN, NAN }, "1.0", "", SIDE_UNCERTAIN },
        { NO, "-", "", SIDE_MISSING },
    };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        struct speedup_text text;
        struct estimate speedup = estimate(table[i].figure);
        speedup_write(&text, &speedup);
        cr_expect_eq(speedup_side(&speedup), table[i].side, "case %u", i);
        cr_expect_str_eq(text.value, table[i].value, "case %u: %s", i, text.value);
        cr_expect_str_eq(text.interval, table[i].interval, "case %u: %s", i, text.interval);
    }
}

Test(speedup, no_rounding_moves_a_figure_onto_or_across_one)
{
    srand(3);
    for (unsigned i = 0; i < 200000; i++) {
        double spread = pow(10, -5.0 * rand() / RAND_MAX), middle = 1 + spread * (2.0 * rand() / RAND_MAX - 1);
        double figure[3] = { middle, middle - spread * rand() / RAND_MAX, middle + spread * rand() / RAND_MAX };
        struct estimate speedup = estimate(figure);
        struct speedup_text text;
        double low, high;
        if (figure[1] <= 0)
            continue;
        speedup_write(&text, &speedup);
        cr_assert_eq(sscanf(text.interval, "[%lf, %lf]", &low, &high), 2);
        enum side shown = high < 1 ? SIDE_SLOWER : low > 1 ? SIDE_FASTER : SIDE_EVEN;
        cr_assert_eq(shown, speedup_side(&speedup), "%.9f [%.9f, %.9f] is shown as %s %s", figure[0], figure[1],
                     figure[2], text.value, text.interval);
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
        { 0.9, 1.5, 2.1, VERDICT_UNCLEAR },  { 0.4, 0.6, 1.1, VERDICT_UNCLEAR },   { NAN, 1.5, NAN, VERDICT_UNCLEAR },
        { NAN, NAN, NAN, VERDICT_NONE },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct estimate speedup = { known[i].value, known[i].low, known[i].high, 12, 12 };
        cr_expect_eq(speedup_verdict(&speedup), known[i].verdict, "%g (%g to %g) is %s", known[i].value, known[i].low,
                     known[i].high, verdict_words[speedup_verdict(&speedup)]);
    }
}
