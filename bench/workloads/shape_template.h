#ifndef BENCH_WORKLOADS_SHAPE_TEMPLATE_H
#define BENCH_WORKLOADS_SHAPE_TEMPLATE_H

/* A shape with places for one size: what a sweep goes over. */

#include "bench/workloads/workload.h"

struct shape_template {
    const struct workload *workload;
    char shape[SHAPE_MAX]; /* "m={},n={},k=4096" */
    char unit[SHAPE_MAX];  /* the dimensions that grow, and how reports call the size: "m=n" */
    const char *dim;       /* the first of them, from whose value the size can be read again */
    int64_t from, to;      /* where such a sweep usually begins and ends */
    int64_t multiple;      /* that sizes are rounded to */
};

/* The workload's own, but for the dimensions that `size` fixes ("c=3,h=224"; NULL: none). Where `size` marks
 * dimensions with {} those are swept, and no others. Fails with STATUS_USAGE where there is nothing to sweep. */
bool shape_template_make(struct shape_template *out, const struct workload *workload, const char *size,
                         struct error *err);

/* The shape at one size. Returns `to`. */
const char *shape_template_fill(const struct shape_template *shape_template, int64_t size, char to[SHAPE_MAX]);

#endif
