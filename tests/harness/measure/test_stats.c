#include "harness/measure/stats.h"
#include "tests/support/generator.h"

#include <criterion/criterion.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The linker sends every malloc of the harness here, so that running out of memory can be tested. */
void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
static unsigned allocations_left = UINT_MAX;

void *__wrap_malloc(size_t bytes)
{
    if (allocations_left == 0)
        return NULL;
    allocations_left--;
    return __real_malloc(bytes);
}

static void expect_near(double got, double wanted)
{
    cr_expect(fabs(got - wanted) <= 1e-12 * fmax(1, fabs(wanted)), "got %.17g, wanted %.17g", got, wanted);
}

/* Quantiles */

/* R: quantile(c(15, 20, 35, 40, 50), c(.05, .3, .4, .95), type = 7) */
Test(stats, quantiles_are_those_of_type_7)
{
    static const double cases[][2] = { { 0, 15 }, { 0.05, 16 }, { 0.3, 23 }, { 0.4, 29 }, { 0.95, 48 }, { 1, 50 } };
    const double x[] = { 50, 15, 40, 20, 35 };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_near(stats_quantile(x, 5, cases[i][0]), cases[i][1]);
    expect_near(stats_median(x, 5), 35);
    expect_near(stats_median(x, 4), 30); /* the mean of both middles */
    expect_near(stats_median(x, 1), 50);
    expect_near(stats_median((double[]){ DBL_MAX, DBL_MAX }, 2) / DBL_MAX, 1); /* and no overflow */
    expect_near(stats_median((double[]){ -DBL_MAX, DBL_MAX }, 2), 0);
}

Test(stats, series_of_every_length_are_sorted)
{
    for (unsigned n = 2; n < 150; n++) {
        double x[150];
        for (unsigned i = 0; i < n; i++)
            x[i] = (double)(i * 7919 % n); /* each of 0 to n - 1 once, as 7919 is a prime above n */
        for (unsigned i = 0; i < n; i++)
            cr_expect_float_eq(stats_quantile(x, n, i / (n - 1.0)), i, 1e-9, "%u of %u", i, n);
    }
}

Test(stats, quantiles_of_nothing_or_outside_0_to_1_are_unknown)
{
    const double x[] = { 1, 2, 3 };
    cr_expect(isnan(stats_median(NULL, 0)));
    cr_expect(isnan(stats_quantile(x, 3, -0.01)));
    cr_expect(isnan(stats_quantile(x, 3, 1.01)));
    cr_expect(isnan(stats_quantile(x, 3, NAN)));
}

Test(stats, values_that_are_not_finite_are_left_out_and_counted_out)
{
    const double x[] = { NAN, 3, INFINITY, 1, -INFINITY, 2 }, none[] = { NAN, INFINITY };
    struct summary s = stats_summary(x, 6);
    cr_expect_eq(s.count, 3);
    expect_near(s.min, 1);
    expect_near(s.median, 2);
    expect_near(s.max, 3);
    cr_expect(isnan(stats_median(none, 2)));
    cr_expect_eq(stats_estimate(x, 6).samples, 3);
}

/* Summary */

Test(stats, summary_is_complete)
{
    double x[101];
    for (unsigned i = 0; i <= 100; i++)
        x[i] = i * 37 % 101;
    struct summary s = stats_summary(x, 101);
    cr_expect_eq(s.count, 101);
    expect_near(s.min, 0);
    expect_near(s.p5, 5);
    expect_near(s.median, 50);
    expect_near(s.p95, 95);
    expect_near(s.max, 100);
    expect_near(s.mad, 25);
}

Test(stats, summary_of_nothing_is_unknown_and_that_of_one_sample_is_it)
{
    struct summary s = stats_summary(NULL, 0);
    cr_expect_eq(s.count, 0);
    cr_expect(isnan(s.min) && isnan(s.p5) && isnan(s.median) && isnan(s.p95) && isnan(s.max) && isnan(s.mad));
    s = stats_summary((double[]){ 5 }, 1);
    expect_near(s.p5, 5);
    expect_near(s.max, 5);
    expect_near(s.mad, 0);
}

/* Estimates */

Test(stats, interval_of_fewer_than_six_values_is_unknown)
{
    const double x[] = { 5, 1, 4, 2, 3 };
    struct estimate none = stats_estimate(NULL, 0), five = stats_estimate(x, 5);
    cr_expect(isnan(none.value) && isnan(none.low) && isnan(none.high));
    expect_near(five.value, 3);
    cr_expect(isnan(five.low) && isnan(five.high));
    cr_expect(isnan(estimate_half_width(&five)));
}

Test(stats, interval_of_six_values_is_their_range)
{
    struct estimate e = stats_estimate((double[]){ 5, 1, 4, 6, 2, 3 }, 6);
    expect_near(e.value, 3.5);
    expect_near(e.low, 1);
    expect_near(e.high, 6);
    cr_expect_eq(e.samples, 6);
}

/* All batches have as many values above the median as below. The lower ends are by the formula of Nyblom 1992, with
 * exact binomial sums; above 1000 values by the normal distribution. */
Test(stats, interval_of_values_without_states_is_that_of_independent_ones)
{
    static const struct {
        unsigned count;
        double low;
    } cases[] = { { 12, 3.2631184408 },     { 24, 7.8267638315 },     { 36, 12.7353786925 },
                  { 60, 22.9538453135 },    { 120, 49.8164826812 },   { 300, 133.5678723210 },
                  { 1000, 469.5330866017 }, { 1002, 470.4792741126 }, { 3000, 1446.8241756885 } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        double x[3000];
        const unsigned count = cases[i].count;
        for (unsigned k = 0; k < count; k++)
            x[k] = k % 2 ? count - k / 2 : 1 + k / 2; /* the least, the largest, the least but one, ... */
        const struct estimate e = stats_estimate(x, count);
        expect_near(e.value, (count + 1) / 2.0);
        cr_expect_float_eq(e.low, cases[i].low, 1e-8, "%u values: %.12f", count, e.low);
        expect_near(e.low + e.high, count + 1);
    }
}

/* Of six batches of ten values so many are above the median. Their shares vary by a standard error of 0.0724 by hand,
 * which t of 5 degrees of freedom turns into 11.17 ranks. */
Test(stats, interval_of_batches_that_differ_is_that_of_their_shares)
{
    static const unsigned above[] = { 7, 3, 7, 3, 5, 5 };
    double x[60];
    for (unsigned i = 0, low = 0, high = 30; i < 60; i++)
        x[i] = i % 10 < above[i / 10] ? ++high : ++low;
    const struct estimate e = stats_estimate(x, 60);
    cr_expect_float_eq(e.low, 30.5 - 2.570582 * sqrt(0.16 / 30 * 59 / 60) * 60, 1e-4, "%.9f", e.low);
    expect_near(e.low + e.high, 61);
}

/* The same values in another order: for one half of the run the machine was slower. */
Test(stats, interval_of_two_states_has_both)
{
    double mixed[24], apart[24];
    for (unsigned i = 0; i < 24; i++) {
        apart[i] = (i < 12 ? 1 : 2) + 0.001 * i;
        mixed[i] = (i % 2 ? 1 : 2) + 0.001 * i;
    }
    struct estimate little = stats_estimate(mixed, 24), much = stats_estimate(apart, 24);
    cr_expect(much.low < 1.002 && much.high > 2.02, "%g %g", much.low, much.high);
    cr_expect(little.low > 1.005 && little.high < 2.02, "%g %g", little.low, little.high);
}

Test(stats, interval_of_values_that_only_drift_has_all_but_the_outermost)
{
    double x[60];
    for (unsigned i = 0; i < 60; i++)
        x[i] = i;
    struct estimate e = stats_estimate(x, 60);
    expect_near(e.value, 29.5);
    expect_near(e.low, 1); /* without the outermost */
    expect_near(e.high, 58);
}

Test(stats, interval_has_the_batches_of_the_finite_values)
{
    double x[48], finite[24];
    for (unsigned i = 0; i < 24; i++) {
        x[i] = i % 2 ? (double)NAN : (double)INFINITY;
        x[24 + i] = finite[i] = i * 17 % 24;
    }
    struct estimate all = stats_estimate(x, 48), some = stats_estimate(finite, 24);
    cr_expect_eq(all.samples, 24);
    expect_near(all.low, some.low);
    expect_near(all.high, some.high);
}

Test(stats, interval_of_equal_values_has_no_width)
{
    double x[30];
    for (unsigned i = 0; i < 30; i++)
        x[i] = 2.5;
    struct estimate e = stats_estimate(x, 30);
    expect_near(e.low, 2.5);
    expect_near(e.high, 2.5);
    expect_near(estimate_half_width(&e), 0);
}

/* Tables of Student's distribution. */
Test(stats, quantiles_of_student_are_those_of_the_tables)
{
    static const double rows[][3] = { { 0.95, 1, 12.706205 },
                                      { 0.95, 8, 2.306004 },
                                      { 0.997, 8, 4.199146 },
                                      { 0.99, 120, 2.617421 },
                                      { 0.95, INFINITY, 1.959964 },
                                      { 0.997, INFINITY, 2.967738 },
                                      { 0.95, 0, NAN },
                                      { 1, 5, NAN },
                                      { NAN, 5, NAN },
                                      { 0.95, NAN, NAN } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double t = student_quantile(rows[i][0], rows[i][1]);
        cr_expect(isnan(rows[i][2]) ? isnan(t) : fabs(t - rows[i][2]) < 1e-5, "%g of %g: %.17g", rows[i][0], rows[i][1],
                  t);
    }
}

Test(stats, half_width_is_relative_to_the_size_of_the_value)
{
    expect_near(estimate_half_width(&(struct estimate){ .value = -4, .low = -5, .high = -3 }), 0.25);
    cr_expect(isnan(estimate_half_width(&(struct estimate){ .value = 0, .low = -1, .high = 1 })));
    cr_expect(isnan(estimate_half_width(&(struct estimate){ .value = 1, .low = NAN, .high = NAN })));
}

/* Of independent values of a uniform distribution half a width is 1.96 / (2 sqrt n). */
Test(stats, of_millions_of_values_the_interval_is_about_that_of_order_statistics)
{
    enum { N = 2000000 };
    double *x = malloc(N * sizeof *x), plain = 1.96 / (2 * sqrt(N));
    struct generator g = { .seed = 8 };
    for (unsigned i = 0; i < N; i++)
        x[i] = uniform(&g);
    struct summary s = stats_summary(x, N);
    struct estimate e = stats_estimate(x, N);
    cr_expect(fabs(s.median - 0.5) < 0.002 && fabs(s.mad - 0.25) < 0.002);
    cr_expect(e.samples == N && e.low < e.value && e.value < e.high);
    const double half = (e.high - e.low) / 2;
    cr_expect(half >= 0.95 * plain && half <= 2 * plain, "%g, for independent values %g", half, plain);
    free(x);
}

Test(stats, without_memory_the_answer_is_unknown)
{
    double x[40];
    for (unsigned i = 0; i < 40; i++)
        x[i] = i * 17 % 40;
    allocations_left = 0;
    double median = stats_median(x, 40);
    struct summary s = stats_summary(x, 40);
    struct estimate e = stats_estimate(x, 40);
    allocations_left = UINT_MAX;
    cr_expect(isnan(e.value) && isnan(e.low) && isnan(e.high));
    cr_expect(isnan(median) && isnan(s.median) && isnan(s.mad));
}

Test(stats, an_interval_beyond_a_factor_of_ten_is_none)
{
    static const struct {
        double low, high;
        bool has_sense;
    } cases[] = { { 1, 2, true },       { 1, 10, true },        { 1, 10.1, false },     { 0.38, 2768447696.0, false },
                  { 0, 1, false },      { -1, 1, false },       { 1, INFINITY, false }, { NAN, 1, false },
                  { 1e-9, 9e-9, true }, { 1e-9, 1.1e-8, false } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct estimate given = { .value = 1, .low = cases[i].low, .high = cases[i].high, .samples = 9 };
        const struct estimate kept = estimate_unless_wide(given);
        cr_expect(kept.value == 1 && kept.samples == 9);
        cr_expect_eq(!isnan(kept.low) && !isnan(kept.high), cases[i].has_sense, "%g to %g", cases[i].low,
                     cases[i].high);
        cr_expect_eq(isnan(kept.low), isnan(kept.high));
    }
}
