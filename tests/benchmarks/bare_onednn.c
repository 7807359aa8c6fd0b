#include "bench/backends/cpu/onednn_api.h"
#include "kernels/native_conv.h"
#include "kernels/train_products.h"
#include "tests/benchmarks/bare.h"

#include <stdlib.h>

/* Layouts and primitive come from the same few calls as in the backend, because they differ between versions of the
 * library. Memory, attributes and the loop are those that anybody would write. */

struct state {
    struct onednn library;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t argument[3];
    float *operand[3];
    bool is_borrowed; /* the operands are not its own */
};

static const int argument_of[] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST };
static const dnnl_query_t layout_of[] = { dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md };

static void state_close(void *opaque)
{
    struct state *state = opaque;
    if (!state)
        return;
    const struct onednn_calls *call = &state->library.call;
    if (state->primitive)
        call->primitive_destroy(state->primitive);
    for (unsigned i = 0; i < 3; i++) {
        if (state->argument[i].memory)
            call->memory_destroy(state->argument[i].memory);
        if (!state->is_borrowed)
            free(state->operand[i]);
    }
    onednn_close(&state->library);
    free(state);
}

static bool operand_make(struct state *state, unsigned operand, dnnl_primitive_desc_t description)
{
    const struct onednn_calls *call = &state->library.call;
    onednn_layout layout = call->primitive_desc_query_md(description, layout_of[operand], 0);
    state->argument[operand].arg = argument_of[operand];
    if (!state->is_borrowed)
        state->operand[operand] = bare_operand(call->memory_desc_get_size(layout));
    return state->operand[operand] && call->memory_create(&state->argument[operand].memory, layout,
                                                          state->library.engine, state->operand[operand]) == 0;
}

/* Layouts that are stated, or open where the library is to choose; freed here. */
static bool state_make(struct state *state, const struct onednn_shape shape[3], const dnnl_format_tag_t tag[3],
                       dnnl_alg_kind_t algorithm, const dnnl_dims_t stride, const dnnl_dims_t padding,
                       struct error *err)
{
    const struct onednn_calls *call = &state->library.call;
    if (!onednn_open(&state->library, onednn_sonames, err))
        return false;
    call->primitive_attr_destroy(state->library.attributes);
    state->library.attributes = NULL; /* the library's defaults */

    dnnl_primitive_desc_t description = NULL;
    dnnl_status_t status = dnnl_success;
    onednn_layout layout[3] = { NULL };
    for (unsigned i = 0; i < 3 && status == dnnl_success; i++)
        layout[i] = onednn_layout_create(&state->library, &shape[i], tag[i], &status);
    if (status == dnnl_success)
        status = stride ? onednn_conv_describe(&state->library, algorithm, layout, stride, padding, &description)
                        : onednn_matmul_describe(&state->library, layout, &description);
    for (unsigned i = 0; i < 3; i++)
        onednn_layout_destroy(&state->library, layout[i]);
    if (!onednn_check(&state->library, status, "describe", err))
        return false;

    bool ok = onednn_check(&state->library, call->primitive_create(&state->primitive, description), "create", err);
    for (unsigned i = 0; i < 3 && ok; i++)
        ok = operand_make(state, i, description) || fail(err, STATUS_NO_MEMORY, "no memory for operand %u", i);
    call->primitive_desc_destroy(description);
    return ok;
}

static void *state_open(const struct onednn_shape shape[3], const dnnl_format_tag_t tag[3], dnnl_alg_kind_t algorithm,
                        const dnnl_dims_t stride, const dnnl_dims_t padding, struct error *err)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        fail(err, STATUS_NO_MEMORY, "no memory to begin with");
    if (state && state_make(state, shape, tag, algorithm, stride, padding, err))
        return state;
    state_close(state);
    return NULL;
}

static void *matmul_open(const struct problem *problem, struct error *err)
{
    const int64_t m = problem->dim[0], n = problem->dim[1], k = problem->dim[2];
    const struct onednn_shape shape[] = { { 2, { m, k }, dnnl_f32 },
                                          { 2, { k, n }, dnnl_f32 },
                                          { 2, { m, n }, dnnl_f32 } };
    return state_open(shape, (const dnnl_format_tag_t[]){ dnnl_ab, dnnl_format_tag_any, dnnl_ab }, dnnl_alg_kind_undef,
                      NULL, NULL, err);
}

/* Rows as they are: its operands have the bytes that the problem states. */
struct gemm {
    struct state state;
    int64_t m, n, k;
};

static void *gemm_open(const struct problem *problem, struct error *err)
{
    struct gemm *gemm = calloc(1, sizeof *gemm);
    if (!gemm) {
        fail(err, STATUS_NO_MEMORY, "no memory to begin with");
        return NULL;
    }
    gemm->m = problem->dim[0], gemm->n = problem->dim[1], gemm->k = problem->dim[2];
    float **operand = gemm->state.operand;
    if (onednn_open(&gemm->state.library, onednn_sonames, err)) {
        if ((operand[0] = bare_operand((size_t)(gemm->m * gemm->k) * sizeof(float))) &&
            (operand[1] = bare_operand((size_t)(gemm->k * gemm->n) * sizeof(float))) &&
            (operand[2] = bare_operand((size_t)(gemm->m * gemm->n) * sizeof(float))))
            return gemm;
        fail(err, STATUS_NO_MEMORY, "no memory for the operands");
    }
    state_close(gemm);
    return NULL;
}

static bool gemm_run(void *opaque)
{
    const struct gemm *gemm = opaque;
    float *const *operand = gemm->state.operand;
    return gemm->state.library.call.sgemm('N', 'N', gemm->m, gemm->n, gemm->k, 1, operand[0], gemm->k, operand[1],
                                          gemm->n, 0, operand[2], gemm->n) == dnnl_success;
}

static void *conv_open(const struct problem *problem, dnnl_alg_kind_t algorithm, struct error *err)
{
    const int64_t *dim = problem->dim, stride = dim[CONV_STRIDE], pad = dim[CONV_PAD];
    const struct conv_plan plan = conv_plan_make(dim);
    const struct onednn_shape shape[] = { { 4, { dim[CONV_N], dim[CONV_C], dim[CONV_H], dim[CONV_W] }, dnnl_f32 },
                                          { 4, { dim[CONV_K], dim[CONV_C], dim[CONV_R], dim[CONV_S] }, dnnl_f32 },
                                          { 4, { dim[CONV_N], dim[CONV_K], plan.p, plan.q }, dnnl_f32 } };
    return state_open(shape,
                      (const dnnl_format_tag_t[]){ dnnl_format_tag_any, dnnl_format_tag_any, dnnl_format_tag_any },
                      algorithm, (const dnnl_dims_t){ stride, stride }, (const dnnl_dims_t){ pad, pad }, err);
}

static void *direct_open(const struct problem *problem, struct error *err)
{
    return conv_open(problem, dnnl_convolution_direct, err);
}

static void *winograd_open(const struct problem *problem, struct error *err)
{
    return conv_open(problem, dnnl_convolution_winograd, err);
}

static bool run(void *opaque)
{
    const struct state *state = opaque;
    const struct onednn *library = &state->library;
    return library->call.primitive_execute(state->primitive, library->stream, 3, state->argument) == dnnl_success &&
           library->call.stream_wait(library->stream) == dnnl_success;
}

/* The five products of a training step, and nothing of what comes between them. */
struct products {
    float *array[TRAIN_ARRAYS];
    struct state *product[TRAIN_PRODUCTS];
};

static void train_close(void *opaque)
{
    struct products *products = opaque;
    for (unsigned i = 0; i < TRAIN_PRODUCTS; i++)
        state_close(products->product[i]);
    for (unsigned i = 0; i < TRAIN_ARRAYS; i++)
        free(products->array[i]);
    free(products);
}

static struct state *product_open(float *const array[], const struct train_product *p, const int64_t dim[],
                                  struct error *err)
{
    const int64_t m = dim[p->m], n = dim[p->n], k = dim[p->k];
    const struct onednn_shape shape[] = { { 2, { m, k }, dnnl_f32 },
                                          { 2, { k, n }, dnnl_f32 },
                                          { 2, { m, n }, dnnl_f32 } };
    const dnnl_format_tag_t tag[] = { p->a_is_transposed ? dnnl_ba : dnnl_ab, p->b_is_transposed ? dnnl_ba : dnnl_ab,
                                      dnnl_ab };
    struct state *state = calloc(1, sizeof *state);
    if (!state) {
        fail(err, STATUS_NO_MEMORY, "no memory to begin with");
        return NULL;
    }
    *state = (struct state){ .operand = { array[p->a], array[p->b], array[p->c] }, .is_borrowed = true };
    if (state_make(state, shape, tag, dnnl_alg_kind_undef, NULL, NULL, err))
        return state;
    state_close(state);
    return NULL;
}

static void *train_open(const struct problem *problem, struct error *err)
{
    struct products *products = calloc(1, sizeof *products);
    if (!products) {
        fail(err, STATUS_NO_MEMORY, "no memory to begin with");
        return NULL;
    }
    bool ok = bare_products(problem, products->array, err);
    for (unsigned i = 0; i < TRAIN_PRODUCTS && ok; i++)
        ok = (products->product[i] = product_open(products->array, &train_products[i], problem->dim, err));
    if (ok)
        return products;
    train_close(products);
    return NULL;
}

static bool train_run(void *opaque)
{
    const struct products *products = opaque;
    for (unsigned i = 0; i < TRAIN_PRODUCTS; i++)
        if (!run(products->product[i]))
            return false;
    return true;
}

const struct bare bare_onednn_train = { "train", "onednn", train_open, train_run, train_close };
const struct bare bare_onednn_matmul = { "matmul", "onednn", matmul_open, run, state_close };
const struct bare bare_onednn_gemm = { "matmul", "onednn-gemm", gemm_open, gemm_run, state_close };
const struct bare bare_onednn_conv = { "conv", "onednn", direct_open, run, state_close };
const struct bare bare_onednn_winograd = { "conv", "onednn-winograd", winograd_open, run, state_close };
