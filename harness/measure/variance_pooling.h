#ifndef HARNESS_MEASURE_VARIANCE_POOLING_H
#define HARNESS_MEASURE_VARIANCE_POOLING_H

/* Variances of few values each, of many cells: between runs, or between the rounds of a race. A variance from five
 * values is unreliable: by chance one cell in a hundred seems ten times as steady as it is, and every shift of it would
 * look certain. So variances are shrunk towards the pooled one. */

#include <stdbool.h>

/* A variance and its degrees of freedom; 0: unknown. */
struct variance {
    double variance, freedom;
};

/* Shrinks the variance of each cell towards the pooled one, the more the more alike the cells are: the empirical Bayes
 * estimate of Smyth (2004, Statistical Applications in Genetics and Molecular Biology 3, article 3). The pooled
 * variance is estimated robustly against disturbed cells. A cell that varies far more or less than the others keeps its
 * own; one without its own gets the pooled one. With fewer than POOL_CELLS_MIN known variances they are shrunk
 * towards `usual`, but not below the mean of all; a single one is kept. All stay unknown if all are. False when memory
 * is short. */
enum { POOL_CELLS_MIN = 6 };
bool variance_pool(struct variance cell[], unsigned cells, struct variance usual);

/* The half width, in standard errors, of an interval of this confidence: Student's t; the normal distribution if
 * freedom is infinite. NAN unless confidence is within (0, 1) and freedom above 0. */
double student_quantile(double confidence, double freedom);

/* Chance of a value beyond t on either side, t being above 0, by Student's t. */
double student_beyond(double t, double freedom);

#endif
