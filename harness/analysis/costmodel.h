#ifndef HARNESS_ANALYSIS_COSTMODEL_H
#define HARNESS_ANALYSIS_COSTMODEL_H

/* What a run costs by three numbers: t = launch + bytes / bandwidth + work / rate. It is fitted to measured times, so
 * that one can see what a size costs and why, and where it does not fit: a cache that is outgrown has two bandwidths.
 */

#include <stdbool.h>

struct cost_sample {
    double bytes, flops, seconds;
};

struct cost_model {
    double launch;          /* seconds; 0: none to be seen */
    double bandwidth, rate; /* bytes and FLOP in a second; INFINITY: that part costs nothing that can be seen */
    double worst;           /* largest error of all samples, relative to the measured time */
};

/* Least squares of the relative errors, no part below 0. Parts that cannot be told from each other, as bytes and work
 * that grow alike, are one: the bandwidth, or the rate where there are more than 32 FLOP to a byte. False where there
 * are fewer than three samples that have a time. */
bool cost_fit(struct cost_model *out, const struct cost_sample sample[], unsigned count);

double cost_seconds(const struct cost_model *model, double bytes, double flops);

#endif
