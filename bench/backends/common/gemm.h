#ifndef BENCH_BACKENDS_COMMON_GEMM_H
#define BENCH_BACKENDS_COMMON_GEMM_H

/* Products of matrices as libraries of linear algebra take them, whatever the API. */

#include "bench/workloads/workload.h"
#include "kernels/train_products.h"

/* C = A B of dense row-major matrices, C m x n, k terms each. One that is transposed is read as the rows of A' (k x m)
 * or B' (n x k). Rows of A and B are pitches apart, in elements. What C held before is not read. */
struct gemm {
    int64_t m, n, k;
    bool a_is_transposed, b_is_transposed;
    int64_t a_pitch, b_pitch;
    unsigned a, b, c; /* numbers of the arrays: operands, and after them the scratch of the passes in between */
};

struct gemm gemm_make(int64_t m, int64_t n, int64_t k, bool a_is_transposed, bool b_is_transposed);

/* That of matmul: arrays 0, 1 and 2. */
struct gemm gemm_of_matmul(const struct problem *problem);

/* All products of a run in their order, one of matmul, and how many. A pass of our own follows each of train. */
unsigned gemms_of(const struct problem *problem, struct gemm out[TRAIN_PRODUCTS]);

#endif
