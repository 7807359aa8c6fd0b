#ifndef KERNELS_MATMUL_DIMS_H
#define KERNELS_MATMUL_DIMS_H

/* The dims of matmul, in order: C = A B, where A has m rows of k elements, and B has k rows of n. */
enum { MATMUL_M, MATMUL_N, MATMUL_K };

#endif
