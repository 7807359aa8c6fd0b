#ifndef BENCH_WORKLOADS_PRODUCT_H
#define BENCH_WORKLOADS_PRODUCT_H

/* What the workloads that multiply two operands have in common: matmul and conv, which sum products up, and multiply.
 */

#include "bench/workloads/workload.h"
#include "harness/base/element.h"

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

/* How far a sum of `terms` products of operands in [-1, 1), added up so in whatever order and stored as dtype, may be
 * from a truth computed in double, which is `value`; `size` is the sum of their absolute values. Each term has been
 * rounded at most `terms` times, so it is within terms * u * size (Higham, Accuracy and Stability of Numerical
 * Algorithms, 2002, section 3.1). Errors go both ways, so it is within lambda * sqrt(terms) * u * size (Higham and
 * Mary, A new approach to probabilistic rounding error analysis, SIAM J. Sci. Comput. 41, 2019). Terms go both ways,
 * too, so it is within a few u * size (Higham and Mary, Sharper probabilistic backward error analysis for basic linear
 * algebra kernels with random data, SIAM J. Sci. Comput. 42, 2020). The smallest of the three, the last two with
 * factors that make a false alarm unlikely for good.
 *
 * Units that multiply matrices may cut sums off where they should round them (Fasi, Higham, Mikaitis and Pranesh,
 * Numerical behavior of NVIDIA tensor cores, PeerJ Computer Science 7, 2021): twice the u, and errors that go one way.
 * The third does not hold then; the second does, as partial sums of i balanced terms are about sqrt(i) large and what
 * they lose adds up to some 2 sqrt(terms) * u * size. What is stored in a smaller type than it was summed up in is
 * rounded once more. */
double product_bound(enum dtype dtype, struct sums sums, int64_t terms, double value, double size);

/* Whole numbers whose products, `terms` of them, have sums that are exact in dtype, whatever the order. Where those of
 * f32 and f64 could not be larger, those of the small types, which hold few whole numbers, would be larger one time in
 * 10^20 or so: 12 standard deviations. No workload sums up more than 2^24. */
struct integers product_exact(enum dtype dtype, int64_t terms);

/* The steps of all that computes one result of two operands: both up, one run, the result down. */
unsigned product_steps(const struct problem *problem, struct step out[STEPS_MAX]);

#endif
