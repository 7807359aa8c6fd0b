#include "bench/backends/cpu/onednn_work.h"
#include "harness/base/text.h"
#include "kernels/train_products.h"

#include <string.h>

/* A step of training by matmul primitives on arrays as they are, transposed ones by their strides. Passes of plain C
 * come between them, but where the primitive does to its result what the pass would do. */

struct train_work {
    struct onednn library;
    struct passes passes;
    struct onednn_step step[TRAIN_PRODUCTS];
    struct buffer *scratchpad; /* one for all */
};

static void train_close(void *opaque)
{
    struct train_work *work = opaque;
    for (unsigned i = 0; i < TRAIN_PRODUCTS; i++)
        onednn_step_close(&work->library, &work->step[i]);
    cpu_release(work->passes.session, work->scratchpad);
    cpu_passes_close(&work->passes);
    onednn_close(&work->library);
}

/* What the primitive of a product does afterwards: max(x, 0) for A1; W1 + x * -TRAIN_STEP, where W1 has the layout of
 * the result, for the new W1. */
static dnnl_status_t attributes_set(const struct onednn *library, unsigned result, onednn_layout layout)
{
    const struct onednn_calls *call = &library->call;
    const bool is_a1 = result == TRAIN_A1;
    dnnl_post_ops_t after;
    dnnl_status_t status = call->post_ops_create(&after);
    if (status != dnnl_success)
        return status;
    status = onednn_append_eltwise(library, after, is_a1 ? dnnl_eltwise_relu : dnnl_eltwise_linear,
                                   is_a1 ? 0 : -(float)TRAIN_STEP);
    if (status == dnnl_success && !is_a1)
        status = call->post_ops_append_binary(after, dnnl_binary_add, layout);
    if (status == dnnl_success)
        status = call->primitive_attr_set_post_ops(library->attributes, after);
    call->post_ops_destroy(after);
    return status;
}

static bool does_more(unsigned result)
{
    return result == TRAIN_A1 || result == TRAIN_NEW_W1;
}

static bool step_describe(struct train_work *work, unsigned number, dnnl_data_type_t type, struct error *err)
{
    const struct train_product *product = &train_products[number];
    const int64_t *dim = work->passes.problem.dim, m = dim[product->m], n = dim[product->n], k = dim[product->k];
    const struct onednn_shape shape[ONEDNN_OPERANDS] = {
        { 2, { m, k }, type },
        { 2, { k, n }, type },
        { 2, { m, n }, type },
    };
    const bool is_transposed[ONEDNN_OPERANDS] = { product->a_is_transposed, product->b_is_transposed, false };
    static const int name[ONEDNN_OPERANDS] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST };
    const unsigned array[ONEDNN_OPERANDS] = { product->a, product->b, product->c };
    struct onednn_step *step = &work->step[number];
    onednn_layout layout[ONEDNN_OPERANDS] = { NULL };
    dnnl_status_t status = dnnl_success;
    if (!onednn_attributes_make(&work->library, err))
        return false;
    for (unsigned i = 0; i < ONEDNN_OPERANDS && status == dnnl_success; i++)
        layout[i] = onednn_layout_create(&work->library, &shape[i], is_transposed[i] ? dnnl_ba : dnnl_ab, &status);
    if (status == dnnl_success && does_more(product->c))
        status = attributes_set(&work->library, product->c, layout[2]);
    if (status == dnnl_success)
        status = onednn_matmul_describe(&work->library, layout, &step->description);
    bool ok = onednn_check(&work->library, status, "dnnl_primitive_desc_create", err);
    for (unsigned i = 0; i < ONEDNN_OPERANDS && ok; i++)
        ok = onednn_argument_add(&work->library, step, name[i], layout[i], work->passes.array[array[i]], err);
    if (product->c == TRAIN_NEW_W1 && ok)
        ok = onednn_argument_add(&work->library, step, DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, layout[2],
                                 work->passes.array[TRAIN_W1], err);
    for (unsigned i = 0; i < ONEDNN_OPERANDS; i++)
        onednn_layout_destroy(&work->library, layout[i]);
    return ok;
}

static bool train_open(void *opaque, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                       struct error *err)
{
    struct train_work *work = opaque;
    dnnl_data_type_t type;
    if (!onednn_type(job->problem, &type, err) || !onednn_open(&work->library, onednn_sonames, err) ||
        !cpu_passes_open(&work->passes, session, job, &cpu_train_passes, err))
        return false;
    for (unsigned i = 0; i < TRAIN_PRODUCTS; i++)
        if (!step_describe(work, i, type, err))
            return false;
    if (!onednn_steps_make(&work->library, work->step, TRAIN_PRODUCTS, session, &work->scratchpad, err))
        return false;
    text_copy(detail, DETAIL_MAX, work->library.name);
    const char *before = "", *own = ""; /* of the products in their order: "brg:avx512_core, gemm:jit" */
    for (unsigned i = 0; i < TRAIN_PRODUCTS; i++, before = own) {
        work->library.call.primitive_desc_query(work->step[i].description, dnnl_query_impl_info_str, 0, &own);
        if (strcmp(own, before) != 0)
            text_append(detail, DETAIL_MAX, "%s %s", *before ? "," : "", own);
    }
    cpu_detail_append(detail, job, job->problem->dtype, work->library.threads);
    return true;
}

static bool train_submit(void *opaque, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    const struct train_work *work = opaque;
    for (unsigned i = 0; i < TRAIN_PRODUCTS; i++) {
        if (!onednn_step_run(&work->library, &work->step[i], err))
            return false;
        if (!does_more(train_products[i].c))
            cpu_passes_run(&work->passes, i);
    }
    return true;
}

const struct routine cpu_onednn_train = { { "train" }, { "onednn" },           sizeof(struct train_work),
                                          train_open,  .submit = train_submit, .close = train_close };
