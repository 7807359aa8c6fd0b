#ifndef HARNESS_ANALYSIS_VARIANCE_POOLING_H
#define HARNESS_ANALYSIS_VARIANCE_POOLING_H

/* How much something varies from run to run, where there are a few runs only, but of many cells. Five runs tell a
 * variance so badly that by chance a cell in a hundred seems to be ten times as steady as it is, and every shift of it
 * would pass for certain. So what the cells have in common is drawn on. */

#include <stdbool.h>

/* A variance, and the degrees of freedom that it rests on; 0: nothing is known of it. */
struct variance {
    double variance, freedom;
};

/* Moves the variance of each cell towards what the cells have in common, as far as they resemble each other: the
 * empirical Bayes estimate of Smyth (2004, Statistical Applications in Genetics and Molecular Biology 3, article 3), in
 * which what is common is worth the more freedom the nearer the variances lie to each other. It is found in a way that
 * disturbed cells do not touch, and a cell that varies far more than the others, or far less, is left to itself. One
 * that knows nothing of its own gets what is common.
 *
 * Fewer than POOL_CELLS_MIN cells that know something cannot tell that. They are moved towards what is usual, which
 * the caller knows, but not below the variance of all together; a single one is left to itself.
 *
 * All stay unknown where all are. False when memory is short. */
enum { POOL_CELLS_MIN = 6 };
bool variance_pool(struct variance cell[], unsigned cells, struct variance usual);

/* How many standard errors to either side an interval of this confidence reaches: Student's t; the normal
 * distribution's where freedom is infinite. NAN unless confidence is within (0, 1) and freedom above 0. */
double student_quantile(double confidence, double freedom);

#endif
