#include "bench/backends/cpu/openblas.h"
#include "harness/base/parallel.h"
#include "kernels/native_conv.h"
#include "kernels/train_products.h"
#include "tests/benchmarks/bare.h"

#include <stdlib.h>

/* gemm as anybody would call it, and im2col as it is usually written: all patches of an image in one matrix. */

struct state {
    struct openblas library;
    const struct problem *problem;
    struct conv_plan plan;
    float *operand[3], *patches;
    const float *image;
};

static void state_close(void *opaque)
{
    struct state *state = opaque;
    if (!state)
        return;
    for (unsigned i = 0; i < 3; i++)
        free(state->operand[i]);
    free(state->patches);
    free(state);
}

static struct state *state_open(const struct problem *problem, size_t patches, struct error *err)
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
    if (ok && (patches == 0 || (state->patches = bare_operand(patches * sizeof(float)))))
        return state;
    fail(err, STATUS_NO_MEMORY, "no memory for the operands");
    state_close(state);
    return NULL;
}

static void *matmul_open(const struct problem *problem, struct error *err)
{
    return state_open(problem, 0, err);
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

static void *im2col_open(const struct problem *problem, struct error *err)
{
    const struct conv_plan plan = conv_plan_make(problem->dim);
    struct state *state = state_open(problem, (size_t)(plan.taps * plan.p * plan.q), err);
    if (state)
        state->plan = plan;
    return state;
}

static void gather(void *opaque, int64_t begin, int64_t end)
{
    const struct state *state = opaque;
    const int64_t *dim = state->problem->dim, height = dim[CONV_H], width = dim[CONV_W];
    for (int64_t tap = begin; tap < end; tap++) {
        const int64_t s = tap % dim[CONV_S], r = tap / dim[CONV_S] % dim[CONV_R], c = tap / dim[CONV_S] / dim[CONV_R];
        float *to = state->patches + tap * state->plan.p * state->plan.q;
        for (int64_t p = 0; p < state->plan.p; p++)
            for (int64_t q = 0; q < state->plan.q; q++) {
                const int64_t y = p * dim[CONV_STRIDE] + r - dim[CONV_PAD],
                              x = q * dim[CONV_STRIDE] + s - dim[CONV_PAD];
                const bool is_in = y >= 0 && y < height && x >= 0 && x < width;
                *to++ = is_in ? state->image[(c * height + y) * width + x] : 0;
            }
    }
}

static bool im2col_run(void *opaque)
{
    struct state *state = opaque;
    const int64_t *dim = state->problem->dim;
    const blasint k = (blasint)dim[CONV_K], taps = (blasint)state->plan.taps;
    const blasint places = (blasint)(state->plan.p * state->plan.q);
    for (int64_t n = 0; n < dim[CONV_N]; n++) {
        state->image = state->operand[0] + n * dim[CONV_C] * dim[CONV_H] * dim[CONV_W];
        parallel_slices(gather, state, 0, state->plan.taps, 1, 0);
        state->library.call.sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, k, places, taps, 1, state->operand[1],
                                  taps, state->patches, places, 0, state->operand[2] + n * k * places, places);
    }
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
const struct bare bare_im2col = { "conv", "im2col-openblas", im2col_open, im2col_run, state_close };
