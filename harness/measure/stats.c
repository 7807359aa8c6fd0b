#include "harness/measure/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Constants determined by the simulations of tests/harness/measure/test_coverage.c, which fail if they are wrong. */
static const double pi = 3.14159265358979323846;
static const double confidence = 0.95;
static const double correlation_floor = 0.1;   /* least correlation of neighbours ever assumed */
static const double correlation_doubt = 0.8;   /* standard errors added to a significant correlation */
static const double correlation_none = 0.07;   /* correlations below are taken as 0 */
static const double correlation_strong = 0.85; /* assumed if nothing is known: of ratios, where slices have 0.8 */
static const double correlation_most = 0.95;   /* ever assumed of a pool */
static const double pooled_doubt = 0.6;        /* standard errors added to a pooled correlation */
static const double pooled_weight_least = 30;  /* a standard error of 0.18; fewer values show too little */
enum {
    CORRELATION_LAGS_MAX = 512, /* bounds the work on very long series */
    GROUPS_ENOUGH = 14,         /* from so many on their number counts as known */
    BINOMIAL_MAX = 1000,        /* above, the normal approximation of ranks is exact to three digits */
};

struct ranked {
    double value;
    unsigned place;
};

int stats_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of finite values. */
static void sort_doubles(double x[], unsigned n)
{
    qsort(x, n, sizeof *x, stats_compare);
}

/* Copy of the finite values in their order, the caller's to free; NULL when there is none or memory ran out. */
static double *copy_finite(const double x[], unsigned n, unsigned *count)
{
    double *copy = malloc((n + 1) * sizeof *copy);
    *count = 0;
    for (unsigned i = 0; copy && i < n; i++)
        if (isfinite(x[i]))
            copy[(*count)++] = x[i];
    if (*count > 0)
        return copy;
    free(copy);
    return NULL;
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

/* Replaces a series by its centred ranks (ties share theirs), so that outliers have limited weight. False when memory
 * is short. */
static bool rank_series(double series[], unsigned n)
{
    struct ranked *order = malloc(n * sizeof *order);
    if (!order)
        return false;
    for (unsigned i = 0; i < n; i++)
        order[i] = (struct ranked){ series[i], i };
    qsort(order, n, sizeof *order, stats_compare); /* by their first member */
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

/* Correlation of neighbours, corrected for its bias (Marriott and Pope 1954: -(1 + 3 rho) / n). */
static double correlation_of_neighbours(const double ranks[], unsigned n, double variance)
{
    double raw = lagged_sum(ranks, n, 1) / variance * n / (n - 1.0);
    return (n * raw + 1) / (n - 3.0);
}

/* From the correlation of neighbours alone, the best estimate for a short series. If it is significant, it is increased
 * by a part of its standard error: the interval must also hold where chance hides some of the correlation. */
static double time_by_neighbours(const double ranks[], unsigned n, double variance)
{
    double rho = fmin(fmax(correlation_of_neighbours(ranks, n, variance), -0.9), 0.98);
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

/* Correlation time of the series in rounds, with respect to its median: n values are worth n / time independent ones.
 * About 1 for independent values, 2.3 and 6.2 for autoregressive ones with a correlation of neighbours of 0.5 and 0.8.
 * Estimated rather too long, because too short a time makes intervals too narrow. */
static double correlation_time(const double x[], unsigned n)
{
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

/* What is left of the bias at a correlation of 0.5 to 0.8 in series of 6 to 12 values is about 0.6 rho / n. The
 * standard error of one series is sqrt(n) / (n - 3). */
void stats_correlation_add(struct correlation *pool, const double x[], unsigned n)
{
    unsigned count;
    double *ranks = copy_finite(x, n, &count);
    if (ranks && count >= ESTIMATE_GROUPS_MIN && rank_series(ranks, count)) {
        double variance = lagged_sum(ranks, count, 0), weight = (count - 3.0) * (count - 3.0) / count;
        pool->sum += variance > 0 ? weight * (1 + 0.6 / count) * correlation_of_neighbours(ranks, count, variance) : 0;
        pool->weight += variance > 0 ? weight : 0;
    }
    free(ranks);
}

double stats_pooled_time(const struct correlation *pool)
{
    if (!(pool->weight >= pooled_weight_least))
        return autoregressive_time(correlation_strong);
    double rho = fmin(fmax(pool->sum / pool->weight, correlation_floor), correlation_most);
    rho = tanh(atanh(rho) + pooled_doubt / sqrt(pool->weight));
    return autoregressive_time(fmin(rho, correlation_most));
}

/* Lower rank, counted from 1 and fractional, of the interpolated interval for the median of n independent values
 * (Hettmansperger and Sheather 1986; Nyblom 1992); the upper one mirrors it. n is at least ESTIMATE_GROUPS_MIN. */
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

/* The same as a share of the sample, for a fractional number of groups. */
static double interval_share(double groups)
{
    unsigned whole = (unsigned)groups;
    double share = (interval_rank(whole) - 0.5) / whole, next = (interval_rank(whole + 1) - 0.5) / (whole + 1.0);
    return share + (next - share) * (groups - whole);
}

/* Lower rank in `count` values that are worth `groups` independent ones. The number of groups is an estimate too, worse
 * the fewer there are, and a series that looks less correlated than it is gives a too narrow interval. So the interval
 * is widened for few groups, up to the range of all values at the smallest number. */
static double sample_rank(unsigned count, double groups)
{
    double known = fmin(1, (groups - ESTIMATE_GROUPS_MIN) / (GROUPS_ENOUGH - ESTIMATE_GROUPS_MIN));
    double rank = interval_share(groups) * count + 0.5;
    return 1 + known * known * (rank - 1);
}

/* From the median to an end of an interval and beyond, by this multiple: in logarithms where both are positive. */
static double stretch(double median, double end, double by)
{
    return median > 0 && end > 0 ? median * pow(end / median, by) : median + by * (end - median);
}

struct estimate stats_estimate_with(const double x[], unsigned n, double time)
{
    struct estimate e = estimate_unknown;
    double *sorted = copy_sorted(x, n, &e.samples), count = e.samples;
    if (!sorted)
        return e;
    e.value = sorted_quantile(sorted, e.samples, 0.5);
    e.groups = (unsigned)(count / time);
    if (e.samples >= ESTIMATE_GROUPS_MIN) {
        double rank = interval_rank(e.samples), by = pow(time, 0.62 + 0.9 / count);
        e.low = stretch(e.value, at_rank(sorted, e.samples, rank), by);
        e.high = stretch(e.value, at_rank(sorted, e.samples, count + 1 - rank), by);
    }
    free(sorted);
    return e;
}

struct estimate stats_estimate(const double x[], unsigned n)
{
    struct correlation own = { .weight = 0 };
    struct estimate e = estimate_unknown;
    unsigned count;
    double *series = copy_finite(x, n, &count);
    if (!series)
        return e;
    if (count < ESTIMATE_ROUNDS_ALONE) {
        stats_correlation_add(&own, series, count);
        e = stats_estimate_with(series, count, stats_pooled_time(&own));
        free(series);
        return e;
    }
    const double time = correlation_time(series, count), groups = count / time; /* NAN where memory ran out */
    if (groups < ESTIMATE_GROUPS_MIN)
        e = stats_estimate_with(series, count, time);
    sort_doubles(series, count);
    e.samples = count;
    e.groups = (unsigned)fmax(groups, 0);
    e.value = sorted_quantile(series, count, 0.5);
    if (groups < ESTIMATE_GROUPS_MIN) { /* at least the interval of so few groups */
        e.low = fmin(e.low, series[0]);
        e.high = fmax(e.high, series[count - 1]);
    } else if (!isnan(groups)) {
        double rank = sample_rank(count, groups);
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
