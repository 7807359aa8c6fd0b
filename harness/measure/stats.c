#include "harness/measure/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Constants determined by the simulations of tests/harness/measure/test_coverage.c (correlation, blocks) and
 * test_stats.c (modes), which fail if they are wrong. */
static const double pi = 3.14159265358979323846;
static const double confidence = 0.95;
static const double correlation_floor = 0.1; /* least correlation of neighbours ever assumed */
static const double correlation_doubt = 0.8; /* standard errors added to a significant correlation */
static const double correlation_none = 0.07; /* correlations below are taken as 0 */
static const double separation_min = 2;      /* of two modes: 5.4 standard deviations of normal ones */
static const double relative_min = 0.05;     /* modes closer than this do not matter */
enum {
    MODES_SAMPLES_MIN = 50,     /* fewer look clustered by chance */
    MODES_SHARE = 5,            /* each mode holds a fifth of the samples or more */
    MODES_VALLEY = 8,           /* and each is so many times */
    CORRELATION_LAGS_MAX = 512, /* bounds the work on very long series */
    BLOCKS_ENOUGH = 14,         /* from so many on their number counts as known */
    BINOMIAL_MAX = 1000,        /* above, the normal approximation of ranks is exact to three digits */
    SHORT_SERIES = 100,         /* faster by insertion */
};

struct ranked {
    double value;
    unsigned place;
};

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of finite values. Most series are short, and a report sorts several of each cell. */
static void sort_doubles(double x[], unsigned n)
{
    if (n > SHORT_SERIES) {
        qsort(x, n, sizeof *x, compare_doubles);
        return;
    }
    for (unsigned i = 1; i < n; i++) {
        double value = x[i];
        unsigned place = i;
        for (; place > 0 && x[place - 1] > value; place--)
            x[place] = x[place - 1];
        x[place] = value;
    }
}

static int compare_ranked(const void *a, const void *b)
{
    return compare_doubles(&((const struct ranked *)a)->value, &((const struct ranked *)b)->value);
}

static unsigned count_finite(const double x[], unsigned n)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++)
        count += isfinite(x[i]) != 0;
    return count;
}

/* Copy of the finite values in their order, the caller's to free; NULL when there is none or memory ran out. */
static double *copy_finite(const double x[], unsigned n, unsigned *count)
{
    *count = count_finite(x, n);
    double *copy = *count > 0 ? malloc(*count * sizeof *copy) : NULL;
    for (unsigned i = 0, to = 0; copy && i < n; i++)
        if (isfinite(x[i]))
            copy[to++] = x[i];
    return copy;
}

static double *copy_sorted(const double x[], unsigned n, unsigned *count)
{
    double *copy = copy_finite(x, n, count);
    if (copy)
        sort_doubles(copy, *count);
    return copy;
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

/* Distance of the two parts of a sorted set that is cut after `cut` values: the difference of their medians over the
 * sum of their interquartile ranges. A uniform distribution scores 1, a sinusoid 1.3, two normal ones their distance in
 * standard deviations / 2.7. */
static double separation(const double sorted[], unsigned n, unsigned cut)
{
    const double *high = sorted + cut;
    unsigned rest = n - cut;
    double distance = sorted_quantile(high, rest, 0.5) - sorted_quantile(sorted, cut, 0.5);
    double spread = sorted_quantile(sorted, cut, 0.75) - sorted_quantile(sorted, cut, 0.25) +
                    sorted_quantile(high, rest, 0.75) - sorted_quantile(high, rest, 0.25);
    if (!(distance > 0))
        return 0;
    return spread > 0 ? distance / spread : INFINITY;
}

static unsigned count_between(const double sorted[], unsigned n, double low, double high)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++)
        count += sorted[i] >= low && sorted[i] <= high;
    return count;
}

static unsigned best_cut(const double sorted[], unsigned n, unsigned least)
{
    unsigned best = 0;
    double widest = 0;
    for (unsigned cut = least; cut <= n - least; cut++) {
        double apart = separation(sorted, n, cut);
        if (apart > widest) {
            widest = apart;
            best = cut;
        }
    }
    return widest >= separation_min ? best : 0;
}

/* Whether there are two clusters far apart, each with enough samples, and almost none between them. The density of a
 * skewed distribution with a single peak falls steadily, so its middle is never emptier than its tail: comparing the
 * valley with both peaks, in windows of equal width, distinguishes a second mode from a tail. */
static bool sorted_has_two_modes(const double sorted[], unsigned n)
{
    unsigned least = (n + MODES_SHARE - 1) / MODES_SHARE;
    unsigned cut = n >= MODES_SAMPLES_MIN ? best_cut(sorted, n, least) : 0;
    if (cut == 0)
        return false;
    double low = sorted_quantile(sorted, cut, 0.5), high = sorted_quantile(sorted + cut, n - cut, 0.5);
    double gap = high - low, middle = low + gap / 2, window = gap / 8; /* half the width of each window */
    unsigned valley = count_between(sorted, n, middle - window, middle + window);
    unsigned peak_low = count_between(sorted, n, low - window, low + window);
    unsigned peak_high = count_between(sorted, n, high - window, high + window);
    unsigned below = count_between(sorted, n, -INFINITY, middle);
    return gap >= relative_min * fabs(low) && below >= least && n - below >= least &&
           valley * MODES_VALLEY <= (peak_low < peak_high ? peak_low : peak_high);
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
    s.two_modes = sorted_has_two_modes(sorted, s.count);
    for (unsigned i = 0; i < s.count; i++)
        sorted[i] = fabs(sorted[i] - s.median);
    s.mad = stats_median(sorted, s.count);
    free(sorted);
    return s;
}

/* Replaces a series by its centred ranks (ties share theirs), so that outliers have limited weight. False when memory
 * is short. */
static bool rank_series(double series[], unsigned n)
{
    struct ranked *order = malloc(n * sizeof *order);
    if (!order)
        return false;
    for (unsigned i = 0; i < n; i++)
        order[i] = (struct ranked){ series[i], i };
    qsort(order, n, sizeof *order, compare_ranked);
    for (unsigned first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && order[end].value == order[first].value;)
            end++;
        for (unsigned i = first; i < end; i++)
            series[order[i].place] = 0.5 * ((double)first + end - n);
    }
    free(order);
    return true;
}

static double lagged_sum(const double x[], unsigned n, unsigned lag)
{
    double sum = 0;
    for (unsigned i = 0; i + lag < n; i++)
        sum += x[i] * x[i + lag];
    return sum;
}

/* The contribution of a correlation, of both directions, to the variance of the median: the median depends only on the
 * sides of it on which values are, and the signs of two normal variables correlate with 2/pi asin(rho). */
static double sign_weight(double rho)
{
    return 4 / pi * asin(fmin(rho, 1));
}

/* Correlation time of an autoregressive series whose neighbours correlate with rho. */
static double autoregressive_time(double rho)
{
    double time = 1;
    for (double at_lag = rho; at_lag > correlation_none; at_lag *= rho)
        time += sign_weight(at_lag);
    return time;
}

/* From the correlation of neighbours alone, the best estimate for a short series. Lag 1 is corrected for its bias
 * (Marriott and Pope 1954: -(1 + 3 rho) / n) and, if it is significant, increased by a part of its standard error: the
 * interval must also hold where chance hides some of the correlation. */
static double time_by_neighbours(const double ranks[], unsigned n, double variance)
{
    double raw = lagged_sum(ranks, n, 1) / variance * n / (n - 1.0);
    double rho = fmin(fmax((n * raw + 1) / (n - 3.0), -0.9), 0.98);
    double error = 1 / sqrt(n), excess = (atanh(rho) - atanh(correlation_floor)) / error;
    if (excess <= 0)
        return autoregressive_time(correlation_floor);
    return autoregressive_time(tanh(atanh(rho) + correlation_doubt * error * fmin(1, excess / 2)));
}

/* From all lags up to twice the time found so far (the window of Sokal 1997), which finds slow correlation under fast
 * noise where neighbours do not show it. Each lag is corrected for the estimated mean. */
static double time_by_window(const double ranks[], unsigned n, double variance)
{
    double time = 1, linear = 1;
    for (unsigned lag = 1; lag <= n / 3 && lag <= CORRELATION_LAGS_MAX && lag <= 1 + 2 * linear; lag++) {
        double rho = lagged_sum(ranks, n, lag) / variance * n / (n - (double)lag) + linear / n;
        if (rho <= 0)
            break;
        linear += 2 * rho;
        time += sign_weight(rho);
    }
    return time;
}

/* Of finite values. */
static double correlation_time(const double x[], unsigned n)
{
    if (n < CORRELATION_ROUNDS_MIN)
        return autoregressive_time(correlation_floor);
    double *ranks = malloc(n * sizeof *ranks), time = NAN;
    if (!ranks)
        return NAN;
    memcpy(ranks, x, n * sizeof *ranks);
    if (rank_series(ranks, n)) {
        double variance = lagged_sum(ranks, n, 0);
        time = variance > 0 ? fmax(time_by_neighbours(ranks, n, variance), time_by_window(ranks, n, variance)) : 1;
    }
    free(ranks);
    return time;
}

double stats_correlation_time(const double x[], unsigned n)
{
    unsigned count;
    double *series = copy_finite(x, n, &count);
    double time = series && count >= CORRELATION_ROUNDS_MIN ? correlation_time(series, count) : NAN;
    free(series);
    return time;
}

/* Lower rank, counted from 1 and fractional, of the interpolated interval for the median of n independent values
 * (Hettmansperger and Sheather 1986; Nyblom 1992); the upper one mirrors it. n is at least ESTIMATE_BLOCKS_MIN. */
static double interval_rank(unsigned n)
{
    if (n > BINOMIAL_MAX)
        return (n + 1) / 2.0 - normal_95 * sqrt(n) / 2;
    double chance = pow(0.5, n), covered = 1;
    for (unsigned rank = 0;; rank++) {
        double next = covered - 2 * chance; /* confidence of the interval from rank + 1 on */
        if (next < confidence) {
            double part = (covered - confidence) / (covered - next);
            return rank + (n - rank) * part / (rank + (n - 2.0 * rank) * part);
        }
        covered = next;
        chance *= (double)(n - rank) / (rank + 1);
    }
}

/* The same as a share of the sample, for a fractional number of blocks. */
static double interval_share(double blocks)
{
    unsigned whole = (unsigned)blocks;
    double share = (interval_rank(whole) - 0.5) / whole, next = (interval_rank(whole + 1) - 0.5) / (whole + 1.0);
    return share + (next - share) * (blocks - whole);
}

/* Lower rank in `count` values that are worth `blocks` independent ones. The number of blocks is an estimate too, worse
 * the fewer there are, and a series that looks less correlated than it is gives a too narrow interval. So the interval
 * is widened for few blocks, up to the range of all values at the smallest number. */
static double sample_rank(unsigned count, double blocks)
{
    double known = fmin(1, (blocks - ESTIMATE_BLOCKS_MIN) / (BLOCKS_ENOUGH - ESTIMATE_BLOCKS_MIN));
    double rank = interval_share(blocks) * count + 0.5;
    return 1 + known * known * (rank - 1);
}

/* Of finite values in the order measured. */
static double count_blocks(const double series[], unsigned count)
{
    double blocks = count / correlation_time(series, count);
    if (count >= ESTIMATE_BLOCKS_MIN && count < CORRELATION_ROUNDS_MIN)
        return fmax(blocks, ESTIMATE_BLOCKS_MIN);
    return blocks;
}

struct estimate stats_estimate(const double x[], unsigned n)
{
    struct estimate e = estimate_unknown;
    unsigned count;
    double *series = copy_finite(x, n, &count);
    if (!series)
        return e;
    double blocks = count_blocks(series, count); /* NAN where memory ran out */
    sort_doubles(series, count);
    e.samples = count;
    e.blocks = blocks >= 1 ? (unsigned)blocks : 0;
    e.value = sorted_quantile(series, count, 0.5);
    if (e.blocks >= ESTIMATE_BLOCKS_MIN) {
        double rank = sample_rank(count, blocks);
        e.low = at_rank(series, count, rank);
        e.high = at_rank(series, count, count + 1 - rank);
    }
    free(series);
    return e;
}

double estimate_half_width(const struct estimate *estimate)
{
    double half = (estimate->high - estimate->low) / 2;
    return estimate->value != 0 ? half / fabs(estimate->value) : NAN;
}
