#ifndef BENCH_WORKLOADS_PRODUCT_H
#define BENCH_WORKLOADS_PRODUCT_H

/* For workloads that compute one output from two inputs: matmul and conv, which sum up products, and multiply. */

#include "bench/workloads/workload.h"
#include "harness/base/element.h"

/* An element of an exact check, which is a whole number. Anything else counts as 0. */
static inline uint64_t whole_at(const void *array, enum dtype dtype, int64_t index)
{
    double value = element_at(array, dtype, index);
    return value >= -0x1p53 && value <= 0x1p53 ? (uint64_t)(int64_t)value : 0;
}

/* Weighted sums of whole numbers, modulo 2^64, for projections. Of `count` elements from `begin` on, with as many
 * weights: */
uint64_t product_dot(const void *array, enum dtype dtype, int64_t begin, int64_t count, const uint64_t weight[]);
/* With one weight: adds the elements at begin, begin + stride, ... to `count` sums. */
void product_add(const void *array, enum dtype dtype, int64_t begin, int64_t stride, int64_t count, uint64_t weight,
                 uint64_t sum[]);

/* Error bound of a sum of `terms` products of operands in [-1, 1), added up in any order and stored as dtype. `value`
 * is the true sum, computed in double, `size` the sum of the absolute values. The bound is the smallest of three, the
 * last two with factors that make false alarms very unlikely: terms * u * size: each term is rounded at most `terms`
 * times (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1); lambda * sqrt(terms) * u * size:
 * errors have both signs (Higham and Mary, A new approach to probabilistic rounding error analysis, SIAM J. Sci.
 * Comput. 41, 2019); a few u * size: terms have both signs, too (Higham and Mary, Sharper probabilistic backward error
 * analysis for basic linear algebra kernels with random data, SIAM J. Sci. Comput. 42, 2020).
 *
 * Matrix units may truncate sums where they should round (Fasi, Higham, Mikaitis and Pranesh, Numerical behavior of
 * NVIDIA tensor cores, PeerJ Computer Science 7, 2021): that doubles u, and all errors have one sign. Then the third
 * bound does not hold. The second does: partial sums of i balanced terms are about sqrt(i) large, so they lose about 2
 * sqrt(terms) * u * size in all. A result that is stored in a smaller type is rounded once more. Sums of integers are
 * exact.
 */
double product_bound(enum dtype dtype, struct sums sums, int64_t terms, double value, double size);

/* Whether a sum of so many products of operands from -64 to 63 fits 32 bits, as all of i8 do: fewer than 2^19. */
bool product_accepts(enum dtype dtype, int64_t terms, struct error *err);

/* Error bound of a sum whose terms have independent errors of both signs, from the sum of their bounds and that of the
 * squares of their bounds: the first, or lambda times the root of the second (Hoeffding, Probability inequalities for
 * sums of bounded random variables, J. Amer. Statist. Assoc. 58, 1963, theorem 2). */
double product_spread(double bounds, double squares);

/* Whole numbers for which a sum of `terms` products is exact in dtype, in any order: always for f32 and f64. The small
 * types hold few whole numbers, so there a sum is too large about once in 10^20 (12 standard deviations). No workload
 * sums up more than 2^24 products. */
struct integers product_exact(enum dtype dtype, int64_t terms);
/* Of a workload with `sum_length`. */
struct integers product_integers(const struct problem *problem);

/* The steps of such a workload: both inputs up, one run, the output down. */
unsigned product_steps(const struct problem *problem, struct step out[STEPS_MAX]);

#endif
