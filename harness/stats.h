#ifndef HARNESS_STATS_H
#define HARNESS_STATS_H

/* Statistics of timings: order statistics throughout, because timings are skewed, drift, and remember. */

#include <stdbool.h>

/* Of a plain set of samples. NAN where there are too few. */
struct summary {
    unsigned count;
    double min, p5, median, p95, max;
    double mad; /* median absolute deviation from the median, unscaled */
    bool two_modes;
};

/* A value with its 95 % confidence interval; low and high are NAN while the interval is unknown. */
struct estimate {
    double value, low, high;
    unsigned samples; /* that went in */
    unsigned blocks;  /* that the interval rests on; fewer than ESTIMATE_BLOCKS_MIN: unknown */
};
enum { ESTIMATE_BLOCKS_MIN = 6 };

double stats_median(const double x[], unsigned n);
/* Type 7 (linear interpolation between order statistics, Hyndman and Fan 1996); q in [0, 1]. */
double stats_quantile(const double x[], unsigned n, double q);
struct summary stats_summary(const double x[], unsigned n);

/* Rounds over which the series remembers itself: 1 for independent values. */
unsigned stats_correlation_time(const double x[], unsigned n);

/* Median of a time series of per-round values in the order measured, with its interval. */
struct estimate stats_estimate(const double x[], unsigned n);

/* Half the interval's width relative to the value; NAN while the interval is unknown. */
double estimate_half_width(const struct estimate *estimate);

#endif
