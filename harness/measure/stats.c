#include "harness/measure/stats.h"

#include <math.h>
#include <stdlib.h>

static const double confidence_95 = 0.95;
enum {
    BATCHES = 6,
    ONE_IS_WILD = 12,    /* of so many values the outermost at either end is in no interval */
    BINOMIAL_MAX = 1000, /* above, the normal approximation of ranks is exact to three digits */
};
static const double student_of_batches =
    2.570581835636314; /* t of this confidence for BATCHES - 1 degrees of freedom */

int stats_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorted copy of the finite values, the caller's to free; NULL when there is none or memory ran out. */
static double *copy_sorted(const double x[], unsigned n, unsigned *count)
{
    double *copy = malloc((n + 1) * sizeof *copy);
    *count = 0;
    for (unsigned i = 0; copy && i < n; i++)
        if (isfinite(x[i]))
            copy[(*count)++] = x[i];
    if (*count > 0) {
        qsort(copy, *count, sizeof *copy, stats_compare);
        return copy;
    }
    free(copy);
    return NULL;
}

/* Value at a fractional rank counted from 1, clamped to the ends. */
static double at_rank(const double sorted[], unsigned n, double rank)
{
    if (!(rank > 1))
        return sorted[0];
    if (rank >= n)
        return sorted[n - 1];
    unsigned below = (unsigned)rank;
    double part = rank - below;
    return (1 - part) * sorted[below - 1] + part * sorted[below];
}

static double sorted_quantile(const double sorted[], unsigned n, double q)
{
    return at_rank(sorted, n, 1 + q * (n - 1.0));
}

double stats_quantile(const double x[], unsigned n, double q)
{
    if (!(q >= 0 && q <= 1))
        return NAN;
    unsigned count;
    double *sorted = copy_sorted(x, n, &count);
    double value = sorted ? sorted_quantile(sorted, count, q) : NAN;
    free(sorted);
    return value;
}

double stats_median(const double x[], unsigned n)
{
    return stats_quantile(x, n, 0.5);
}

struct summary stats_summary(const double x[], unsigned n)
{
    struct summary s = { .min = NAN, .p5 = NAN, .median = NAN, .p95 = NAN, .max = NAN, .mad = NAN };
    double *sorted = copy_sorted(x, n, &s.count);
    if (!sorted)
        return s;
    s.min = sorted[0];
    s.p5 = sorted_quantile(sorted, s.count, 0.05);
    s.median = sorted_quantile(sorted, s.count, 0.5);
    s.p95 = sorted_quantile(sorted, s.count, 0.95);
    s.max = sorted[s.count - 1];
    for (unsigned i = 0; i < s.count; i++)
        sorted[i] = fabs(sorted[i] - s.median);
    s.mad = stats_median(sorted, s.count);
    free(sorted);
    return s;
}

/* Lower rank, counted from 1 and fractional, of the interpolated interval for the median of n independent values
 * (Hettmansperger and Sheather 1986; Nyblom 1992); the upper one mirrors it. n is at least ESTIMATE_VALUES_MIN. */
static double interval_rank(unsigned n)
{
    if (n > BINOMIAL_MAX)
        return (n + 1) / 2.0 - normal_95 * sqrt(n) / 2;
    double chance = pow(0.5, n), covered = 1;
    for (unsigned rank = 0;; rank++) {
        double next = covered - 2 * chance; /* confidence of the interval from rank + 1 on */
        if (next < confidence_95) {
            double part = (covered - confidence_95) / (covered - next);
            return rank + (n - rank) * part / (rank + (n - 2.0 * rank) * part);
        }
        covered = next;
        chance *= (double)(n - rank) / (rank + 1);
    }
}

/* Standard error of the share of values above the median, by the shares of consecutive batches. `count` values are
 * finite. As they are half above their own median, the shares vary by count / (count - 1) too much. */
static double share_error(const double x[], unsigned n, unsigned count, double median)
{
    double above[BATCHES] = { 0 }, held[BATCHES] = { 0 }, squares = 0;
    unsigned place = 0;
    for (unsigned i = 0; i < n; i++) {
        if (!isfinite(x[i]))
            continue;
        const unsigned batch = (unsigned)((size_t)place++ * BATCHES / count);
        above[batch] += 0.5 * ((x[i] > median) - (x[i] < median));
        held[batch]++;
    }
    for (unsigned i = 0; i < BATCHES; i++)
        squares += above[i] * above[i] / (held[i] * held[i]);
    return sqrt(squares / (BATCHES * (BATCHES - 1)) * (count - 1) / count);
}

struct estimate stats_estimate(const double x[], unsigned n)
{
    struct estimate e = estimate_unknown;
    double *sorted = copy_sorted(x, n, &e.samples);
    const unsigned count = e.samples;
    if (!sorted)
        return e;
    e.value = sorted_quantile(sorted, count, 0.5);
    if (count >= ESTIMATE_VALUES_MIN) {
        const double off = student_of_batches * share_error(x, n, count, e.value) * count;
        const double outermost = count >= ONE_IS_WILD ? 2 : 1;
        const double rank = fmin(interval_rank(count), fmax(outermost, (count + 1) / 2.0 - off));
        e.low = at_rank(sorted, count, rank);
        e.high = at_rank(sorted, count, count + 1 - rank);
    }
    free(sorted);
    return e;
}

struct estimate estimate_unless_wide(struct estimate estimate)
{
    if (!(estimate.high <= INTERVAL_WIDEST * estimate.low))
        estimate.low = estimate.high = NAN;
    return estimate;
}

double estimate_half_width(const struct estimate *estimate)
{
    double half = (estimate->high - estimate->low) / 2;
    return estimate->value != 0 ? half / fabs(estimate->value) : NAN;
}

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by the method of Lentz. */
static double beta_fraction(double x, double a, double b)
{
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), value = d;
    for (unsigned m = 1; m < 500; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        value *= c * d;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        value *= c * d;
        if (fabs(c * d - 1) < 1e-14)
            break;
    }
    return value;
}

/* The regularised incomplete beta function. */
static double beta_share(double x, double a, double b)
{
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(1 - x, b, a) / b;
}

/* Chance of a value beyond t on either side, t being above 0. */
static double student_beyond(double t, double freedom)
{
    if (freedom > 1e6)
        return erfc(t / sqrt(2));
    return beta_share(freedom / (freedom + t * t), freedom / 2, 0.5);
}

double student_quantile(double confidence, double freedom)
{
    if (!(confidence > 0 && confidence < 1 && freedom > 0))
        return NAN;
    double low = 0, high = 1;
    while (student_beyond(high, freedom) > 1 - confidence && high < 1e9)
        high *= 2;
    for (unsigned i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (student_beyond(middle, freedom) > 1 - confidence)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}
