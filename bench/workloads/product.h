#ifndef BENCH_WORKLOADS_PRODUCT_H
#define BENCH_WORKLOADS_PRODUCT_H

/* What the workloads that sum up products have in common: matmul and conv. */

#include "bench/workload.h"

/* Element `index` of a dense array, as a double. */
static inline double element_at(const void *array, enum dtype dtype, int64_t index)
{
    return dtype == DTYPE_F32 ? (double)((const float *)array)[index] : ((const double *)array)[index];
}

/* How far a sum of `terms` products, computed in dtype in whatever order, may be from the truth; `size` is the sum of
 * their absolute values. lambda * sqrt(terms) * u * size, with lambda so that one failure in the life of the program is
 * unlikely (Higham and Mary, A new approach to probabilistic rounding error analysis, SIAM J. Sci. Comput. 41, 2019).
 */
double product_bound(enum dtype dtype, int64_t terms, double size);

/* Largest r such that `terms` products of integers up to r in absolute value have sums that are exact in dtype. */
int64_t product_exact_range(enum dtype dtype, int64_t terms);

#endif
