#ifndef HARNESS_ANALYSIS_COSTMODEL_H
#define HARNESS_ANALYSIS_COSTMODEL_H

/* The cost of a run by three numbers: t = launch + bytes / bandwidth + work / rate, fitted to measured times. It shows
 * what a size costs and why, and where it does not fit: data that outgrow a cache have two bandwidths. */

#include <stdbool.h>

struct cost_sample {
    double bytes, flops, seconds;
};

struct cost_model {
    double launch;          /* seconds; 0: not measurable */
    double bandwidth, rate; /* bytes and FLOP per second; INFINITY: that part costs nothing measurable */
    double worst;           /* largest relative error of all samples */
};

/* Least squares of the relative errors, all parts at least 0. Parts that cannot be separated, as bytes and work that
 * grow alike, become one: the bandwidth, or the rate above 32 FLOP per byte. False with fewer than three samples that
 * have a time. */
bool cost_fit(struct cost_model *out, const struct cost_sample sample[], unsigned count);

double cost_seconds(const struct cost_model *model, double bytes, double flops);

#endif
