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
};
enum { ESTIMATE_VALUES_MIN = 6 }; /* fewer have no interval */
static const struct estimate estimate_unknown = { .value = NAN, .low = NAN, .high = NAN };

static const double normal_95 = 1.959963984540054; /* quantile of the normal distribution at 97.5 % */

/* For qsort: doubles that are numbers, or structs that begin with one. */
int stats_compare(const void *a, const void *b);

double stats_median(const double x[], unsigned n);
/* Type 7 (linear interpolation between order statistics, Hyndman and Fan 1996); q in [0, 1]. */
double stats_quantile(const double x[], unsigned n, double q);
struct summary stats_summary(const double x[], unsigned n);

/* Median of a time series of values in the order measured, with its interval: one value for each visit of a run.
 *
 * The ends are order statistics (interpolated between values). Their ranks are the wider of two: those of independent
 * values (Hettmansperger and Sheather 1986, Nyblom 1992); and those that follow from the share of values above the
 * median (Woodruff 1952), whose error is found by Student's t from six consecutive batches of the series. A machine
 * that is slower for a part of the run has batches that differ, whatever the length of that part. No end is outside the
 * values: what lasts longer than the run is not in the interval. Of twelve values or more the least and the greatest
 * are outside, so that one wild value moves little. */
struct estimate stats_estimate(const double x[], unsigned n);

/* An estimate of values above 0, without its interval if the ends of that are farther apart than a factor of
 * INTERVAL_WIDEST: then it says nothing. */
#define INTERVAL_WIDEST 10.0
struct estimate estimate_unless_wide(struct estimate estimate);

/* Half the interval's width relative to the value; NAN while the interval is unknown. */
double estimate_half_width(const struct estimate *estimate);

/* The half width, in standard errors, of an interval of this confidence: Student's t; the normal distribution if
 * freedom is infinite. NAN unless confidence is within (0, 1) and freedom above 0. */
double student_quantile(double confidence, double freedom);

#endif
