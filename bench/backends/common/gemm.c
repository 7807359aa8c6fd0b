#include "bench/backends/common/gemm.h"

#include "kernels/native.h"

struct gemm gemm_dense(int64_t m, int64_t n, int64_t k)
{
    return (struct gemm){ .m = m, .n = n, .k = k, .a_pitch = k, .b_pitch = n, .c_pitch = n };
}

struct gemm gemm_of_matmul(const struct problem *problem)
{
    const int64_t *dim = problem->dim;
    return gemm_dense(dim[MATMUL_M], dim[MATMUL_N], dim[MATMUL_K]);
}

void gemm_of_train(const struct problem *problem, struct gemm out[TRAIN_PRODUCTS])
{
    const int64_t *dim = problem->dim;
    for (unsigned i = 0; i < TRAIN_PRODUCTS; i++) {
        const struct train_product *product = &train_products[i];
        out[i] = gemm_dense(dim[product->m], dim[product->n], dim[product->k]);
        out[i].a_is_transposed = product->a_is_transposed;
        out[i].b_is_transposed = product->b_is_transposed;
        if (product->a_is_transposed)
            out[i].a_pitch = out[i].m;
        if (product->b_is_transposed)
            out[i].b_pitch = out[i].k;
    }
}
