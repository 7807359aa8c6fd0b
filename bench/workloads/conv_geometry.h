#ifndef BENCH_WORKLOADS_CONV_GEOMETRY_H
#define BENCH_WORKLOADS_CONV_GEOMETRY_H

/* How kernels/conv.cl is compiled and launched for a convolution. */

#include "bench/workloads/workload.h"

extern const struct portable conv_portable;

/* Bytes of its packed filters, at most. */
double conv_portable_workspace(const struct problem *problem);

#endif
