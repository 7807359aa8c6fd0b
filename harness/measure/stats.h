#ifndef HARNESS_MEASURE_STATS_H
#define HARNESS_MEASURE_STATS_H

/* Statistics of timings: order statistics only, because timings are skewed, drift and are autocorrelated. Values that
 * are not finite are ignored everywhere; the counts say how many were used. Input is never modified. Too few values, or
 * no memory to sort them, give NAN. */

#include <math.h>
#include <stdbool.h>

/* Summary of a set of samples. NAN without samples. */
struct summary {
    unsigned count;
    double min, p5, median, p95, max;
    double mad; /* median absolute deviation from the median, unscaled */
};

/* A value with its 95 % confidence interval; low and high are NAN while the interval is unknown. */
struct estimate {
    double value, low, high;
    unsigned samples; /* values used */
    unsigned groups;  /* how many independent values these are worth */
};
/* The interval is unknown of fewer values than ESTIMATE_GROUPS_MIN. */
enum { ESTIMATE_GROUPS_MIN = 6, ESTIMATE_ROUNDS_ALONE = 26 };
static const struct estimate estimate_unknown = { .value = NAN, .low = NAN, .high = NAN };

static const double normal_95 = 1.959963984540054; /* quantile of the normal distribution at 97.5 % */

/* For qsort: doubles that are numbers, or structs that begin with one. */
int stats_compare(const void *a, const void *b);

double stats_median(const double x[], unsigned n);
/* Type 7 (linear interpolation between order statistics, Hyndman and Fan 1996); q in [0, 1]. */
double stats_quantile(const double x[], unsigned n, double q);
struct summary stats_summary(const double x[], unsigned n);

/* The correlation of neighbours in several short series of one kind, such as the ratios of all rows of one device: each
 * alone is too short to show it. Starts as { 0 }. Series of fewer than ESTIMATE_GROUPS_MIN values add nothing. */
struct correlation {
    double sum, weight;
};
void stats_correlation_add(struct correlation *pool, const double x[], unsigned n);

/* The correlation time of the pool, rather too long. A pool of fewer than about 5 series of 12 values or 20 of 6 shows
 * too little: its time is that of a strong correlation of 0.85, 7.9. */
double stats_pooled_time(const struct correlation *pool);

/* Median of a time series of per-round values in the order measured, with its interval.
 *
 * From ESTIMATE_ROUNDS_ALONE values on the interval is that of n / correlation time independent groups, by interpolated
 * order statistics (Hettmansperger and Sheather 1986, Nyblom 1992). Below 14 groups it is wider, because their number
 * is uncertain: at 6 it is the range of all values. The ranks are scaled from groups to values, and taken in the values
 * themselves; medians of groups of a skewed series would have another median.
 *
 * Values that are worth fewer than ESTIMATE_GROUPS_MIN groups have the interval of n independent values, stretched
 * around the median by a power of the correlation time, and at least the range of all values. Fewer values than
 * ESTIMATE_ROUNDS_ALONE do not show their correlation: they have the stretched interval, by the time of the pool. */
struct estimate stats_estimate(const double x[], unsigned n);

/* The interval of independent values, stretched by a correlation time that is known otherwise. */
struct estimate stats_estimate_with(const double x[], unsigned n, double time);

/* Half the interval's width relative to the value; NAN while the interval is unknown. */
double estimate_half_width(const struct estimate *estimate);

#endif
