#ifndef BENCH_WORKLOADS_GEMV_H
#define BENCH_WORKLOADS_GEMV_H

/* Methods of matmul for products with few columns or few rows, which memory limits as it does the product of a matrix
 * and a vector. */

#include "bench/workloads/workload.h"

/* One column or one row: what libraries' gemv computes. */
bool is_gemv(const struct problem *problem);
/* Few columns or rows, and many of the other. Neither is said of i8, for which these methods are not. */
bool is_like_gemv(const struct problem *problem);

extern const struct native gemv_native;
extern const struct portable gemv_portable;

#endif
