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
    double mad;     /* median absolute deviation from the median, unscaled */
    bool two_modes; /* two clusters at least 5 % apart, a fifth of the samples or more in each and nearly none
                     * between; never said of fewer than 50 samples */
};

/* A value with its 95 % confidence interval; low and high are NAN while the interval is unknown. */
struct estimate {
    double value, low, high;
    unsigned samples; /* values used */
    unsigned blocks;  /* independent blocks behind the interval; fewer than ESTIMATE_BLOCKS_MIN: unknown */
};
enum { ESTIMATE_BLOCKS_MIN = 6 };
static const struct estimate estimate_unknown = { .value = NAN, .low = NAN, .high = NAN };

enum { CORRELATION_ROUNDS_MIN = 12 };              /* fewer rounds are too few to measure their correlation */
static const double normal_95 = 1.959963984540054; /* quantile of the normal distribution at 97.5 % */

/* The least and the greatest of some ratios; NAN where there are none. */
struct ratio_range {
    double least, most;
};

double stats_median(const double x[], unsigned n);
/* Type 7 (linear interpolation between order statistics, Hyndman and Fan 1996); q in [0, 1]. */
double stats_quantile(const double x[], unsigned n, double q);
struct summary stats_summary(const double x[], unsigned n);

/* Correlation time of the series in rounds, with respect to its median: n values are worth n / time independent ones.
 * About 1 for independent values, 2.3 and 6.2 for autoregressive ones with a correlation of neighbours of 0.5 and 0.8.
 * Estimated rather too long, because too short a time makes intervals too narrow. NAN for fewer than
 * CORRELATION_ROUNDS_MIN values. */
double stats_correlation_time(const double x[], unsigned n);

/* Median of a time series of per-round values in the order measured, with its interval.
 *
 * The interval is that of n / correlation time independent blocks, by interpolated order statistics (Hettmansperger and
 * Sheather 1986, Nyblom 1992). Below 14 blocks it is wider, because their number is uncertain: at 6 it is the range of
 * all values. The ranks are scaled from blocks to values, and taken in the values themselves; medians of blocks of a
 * skewed series would have another median.
 *
 * From 6 to 11 values the autocorrelation cannot be measured and is assumed to be that of ratios which share a baseline
 * slice. Such an interval is too narrow if slices are correlated otherwise (it covers in 81 instead of 95 of 100 runs
 * where neighbours correlate with 0.5). */
struct estimate stats_estimate(const double x[], unsigned n);

/* Half the interval's width relative to the value; NAN while the interval is unknown. */
double estimate_half_width(const struct estimate *estimate);

#endif
