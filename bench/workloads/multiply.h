#ifndef BENCH_WORKLOADS_MULTIPLY_H
#define BENCH_WORKLOADS_MULTIPLY_H

/* What multiply shares with `launch` and `overlap`, which do the same in parts. The first dimension is the number of
 * elements. */

#include "bench/workloads/workload.h"

unsigned multiply_operands(const struct problem *problem, struct operand out[OPERANDS_MAX]);
double multiply_flops(const struct problem *problem);
void multiply_expect(const struct problem *problem, struct sums sums, const void *const operand[], int64_t index,
                     double *value, double *bound);
struct integers multiply_exact(const struct problem *problem);
bool multiply_is_elementwise(const struct problem *problem); /* always true */

/* Elements that stay together where the work is cut into parts: few enough that 40 million of them make 10,000 parts,
 * and enough for a long walk of a core and a whole group of a GPU. */
enum { MULTIPLY_GRAIN = 1024 };

/* The methods of a workload in parts; ends with a NULL name. */
extern const struct method multiply_in_parts[];

/* Its parts, for a workload that has further methods. */
extern const struct native multiply_native;
extern const struct portable multiply_portable_parts;

/* False with err where n elements have fewer grains than parts, which the shape calls `name`. */
bool multiply_can_be_cut(const struct problem *problem, int64_t parts, const char *name, struct error *err);

#endif
