#ifndef BENCH_WORKLOADS_SHAPE_TEMPLATE_H
#define BENCH_WORKLOADS_SHAPE_TEMPLATE_H

/* A shape text with {} for the size that a sweep varies. */

#include "bench/workloads/workload.h"

struct shape_template {
    const struct workload *workload;
    char shape[SHAPE_MAX]; /* "m={},n={},k=4096" */
    char unit[SHAPE_MAX];  /* the dimensions that grow, as reports name the size: "m=n" */
    const char *dim;       /* the first of them; its value is the size */
    int64_t from, to;      /* the default ends of the sweep */
    int64_t multiple;      /* sizes are rounded to multiples of it */
};

/* The template of the workload, with the dimensions that `size` fixes ("c=3,h=224"; NULL: none). If `size` has {},
 * those dimensions are swept and no others. Fails with STATUS_USAGE if there is nothing to sweep. */
bool shape_template_make(struct shape_template *out, const struct workload *workload, const char *size,
                         struct error *err);

/* The shape at one size. Returns `to`. */
const char *shape_template_fill(const struct shape_template *shape_template, int64_t size, char to[SHAPE_MAX]);

#endif
