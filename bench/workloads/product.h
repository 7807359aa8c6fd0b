#ifndef BENCH_WORKLOADS_PRODUCT_H
#define BENCH_WORKLOADS_PRODUCT_H

/* What the workloads that multiply two operands have in common: matmul and conv, which sum products up, and multiply.
 */

#include "bench/workload.h"

/* Element `index` of a dense array, as a double. */
static inline double element_at(const void *array, enum dtype dtype, int64_t index)
{
    return dtype == DTYPE_F32 ? (double)((const float *)array)[index] : ((const double *)array)[index];
}

/* The same of an exact pass, whose elements are whole numbers. Whatever else has got into an array counts as 0. */
static inline uint64_t whole_at(const void *array, enum dtype dtype, int64_t index)
{
    double value = element_at(array, dtype, index);
    return value >= -0x1p53 && value <= 0x1p53 ? (uint64_t)(int64_t)value : 0;
}

/* Weighted sums of whole numbers, modulo 2^64, for projections: of `count` elements from `begin` on with as many
 * weights
 * ... */
uint64_t product_dot(const void *array, enum dtype dtype, int64_t begin, int64_t count, const uint64_t weight[]);
/* ... and of arrays with one weight each: adds the elements at begin, begin + stride, ... to `count` sums. */
void product_add(const void *array, enum dtype dtype, int64_t begin, int64_t stride, int64_t count, uint64_t weight,
                 uint64_t sum[]);

/* How far a sum of `terms` products of operands in [-1, 1), computed in dtype in whatever order, may be from a truth
 * computed in double; `size` is the sum of their absolute values. Each term has been rounded at most `terms` times, so
 * it is within terms * u * size (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1). Errors go
 * both ways, so it is within lambda * sqrt(terms) * u * size (Higham and Mary, A new approach to probabilistic rounding
 * error analysis, SIAM J. Sci. Comput. 41, 2019). Terms go both ways, too, so it is within a few u * size (Higham and
 * Mary, Sharper probabilistic backward error analysis for basic linear algebra kernels with random data, SIAM J. Sci.
 * Comput. 42, 2020). The smallest of the three, the last two with factors that make a false alarm unlikely for good. */
double product_bound(enum dtype dtype, int64_t terms, double size);

/* Largest r such that `terms` products of integers up to r in absolute value have sums that are exact in dtype, in
 * whatever order; at least 1, since no workload sums up more than 2^24. */
int64_t product_exact_range(enum dtype dtype, int64_t terms);

/* The steps of all that computes one result of two operands: both up, one run, the result down. */
unsigned product_steps(const struct problem *problem, struct step out[STEPS_MAX]);

#endif
