#include "bench/backends/cpu/openblas.h"
#include "harness/base/parallel.h"
#include "kernels/train_products.h"
#include "tests/benchmarks/bare.h"

#include <stdlib.h>

/* gemm as anybody would call it. */

struct state {
    struct openblas library;
    const struct problem *problem;
    float *operand[3];
};

static void state_close(void *opaque)
{
    struct state *state = opaque;
    if (!state)
        return;
    for (unsigned i = 0; i < 3; i++)
        free(state->operand[i]);
    free(state);
}

static void *matmul_open(const struct problem *problem, struct error *err)
{
    struct operand operand[OPERANDS_MAX];
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        fail(err, STATUS_NO_MEMORY, "no memory to begin with");
    if (!state || !openblas_open(&state->library, NULL, "", parallel_threads(), err)) {
        free(state);
        return NULL;
    }
    problem->workload->operands(problem, operand);
    state->problem = problem;
    bool ok = true;
    for (unsigned i = 0; i < 3; i++)
        ok = ok && (state->operand[i] = bare_operand((size_t)operand[i].count * sizeof(float)));
    if (ok)
        return state;
    fail(err, STATUS_NO_MEMORY, "no memory for the operands");
    state_close(state);
    return NULL;
}

static bool matmul_run(void *opaque)
{
    const struct state *state = opaque;
    const blasint m = (blasint)state->problem->dim[0], n = (blasint)state->problem->dim[1];
    const blasint k = (blasint)state->problem->dim[2];
    state->library.call.sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, state->operand[0], k,
                              state->operand[1], n, 0, state->operand[2], n);
    return true;
}

/* --- the five products of a training step, and nothing of what comes between them --- */

struct products {
    struct openblas library;
    const struct problem *problem;
    float *array[TRAIN_ARRAYS];
};

static void train_close(void *opaque)
{
    struct products *products = opaque;
    for (unsigned i = 0; i < TRAIN_ARRAYS; i++)
        free(products->array[i]);
    free(products);
}

static void *train_open(const struct problem *problem, struct error *err)
{
    struct products *products = calloc(1, sizeof *products);
    if (!products) {
        fail(err, STATUS_NO_MEMORY, "no memory to begin with");
        return NULL;
    }
    products->problem = problem;
    if (openblas_open(&products->library, NULL, "", parallel_threads(), err) &&
        bare_products(problem, products->array, err))
        return products;
    train_close(products);
    return NULL;
}

static bool train_run(void *opaque)
{
    const struct products *products = opaque;
    float *const *array = products->array;
    for (unsigned i = 0; i < TRAIN_PRODUCTS; i++) {
        const struct train_product *p = &train_products[i];
        const int64_t *dim = products->problem->dim;
        const blasint m = (blasint)dim[p->m], n = (blasint)dim[p->n], k = (blasint)dim[p->k];
        products->library.call.sgemm(CblasRowMajor, p->a_is_transposed ? CblasTrans : CblasNoTrans,
                                     p->b_is_transposed ? CblasTrans : CblasNoTrans, m, n, k, 1, array[p->a],
                                     p->a_is_transposed ? m : k, array[p->b], p->b_is_transposed ? k : n, 0,
                                     array[p->c], n);
    }
    return true;
}

const struct bare bare_openblas_train = { "train", "openblas", train_open, train_run, train_close };
const struct bare bare_openblas_matmul = { "matmul", "openblas", matmul_open, matmul_run, state_close };
