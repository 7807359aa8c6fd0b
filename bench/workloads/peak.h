#ifndef BENCH_WORKLOADS_PEAK_H
#define BENCH_WORKLOADS_PEAK_H

/* What the files of the workload `peak` share: its shape as a layout of arrays, and its methods. */

#include "bench/workloads/workload.h"
#include "kernels/native_peak.h"

enum peak_threads { PEAK_ALL, PEAK_ONE };

static inline struct peak_plan peak_plan_of(const struct problem *problem)
{
    return peak_plan_make(problem->dim, (int64_t)dtype_bytes(problem->dtype));
}

extern const struct method peak_methods[]; /* peak_methods.c */

/* One working set for each level of cache, half of what the cores that are used have of it. */
unsigned peak_sizes(const struct host *host, enum suite suite, char out[][SHAPE_MAX], unsigned room); /* peak_sizes.c */

#endif
