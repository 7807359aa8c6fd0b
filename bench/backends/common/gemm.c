#include "bench/backends/common/gemm.h"

#include "kernels/native.h"

#include <string.h>

struct gemm gemm_make(int64_t m, int64_t n, int64_t k, bool a_is_transposed, bool b_is_transposed)
{
    return (struct gemm){ m, n, k, a_is_transposed, b_is_transposed, a_is_transposed ? m : k, b_is_transposed ? k : n,
                          0, 1, 2 };
}

struct gemm gemm_of_matmul(const struct problem *problem)
{
    const int64_t *dim = problem->dim;
    return gemm_make(dim[MATMUL_M], dim[MATMUL_N], dim[MATMUL_K], false, false);
}

unsigned gemms_of(const struct problem *problem, struct gemm out[TRAIN_PRODUCTS])
{
    const int64_t *dim = problem->dim;
    *out = gemm_of_matmul(problem);
    if (strcmp(problem->workload->name, "train") != 0)
        return 1;
    for (unsigned i = 0; i < TRAIN_PRODUCTS; i++) {
        const struct train_product *product = &train_products[i];
        out[i] = gemm_make(dim[product->m], dim[product->n], dim[product->k], product->a_is_transposed,
                           product->b_is_transposed);
        out[i].a = product->a, out[i].b = product->b, out[i].c = product->c;
    }
    return TRAIN_PRODUCTS;
}
