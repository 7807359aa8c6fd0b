#include "bench/backends/cpu/onednn_work.h"
#include "harness/base/text.h"
#include "kernels/train_products.h"

#include <string.h>

/* A step of training by matmul primitives on arrays as they are, transposed ones by their strides. Passes of plain C
 * come between them, but where the primitive does to its result what the pass would do. */

enum { ARGUMENTS = 5 }; /* both factors, the result, W1, the scratchpad */

/* A product as a primitive. */
struct stage {
    dnnl_primitive_desc_t description;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t argument[ARGUMENTS];
    int arguments;
};

struct train_work {
    struct onednn library;
    struct passes passes;
    struct stage stage[TRAIN_PRODUCTS];
    struct buffer *scratchpad; /* one for all */
};

static void train_close(void *opaque)
{
    struct train_work *work = opaque;
    const struct onednn_calls *call = &work->library.call;
    for (struct stage *stage = work->stage; stage < work->stage + TRAIN_PRODUCTS; stage++) {
        for (int i = 0; i < stage->arguments; i++)
            if (stage->argument[i].memory)
                call->memory_destroy(stage->argument[i].memory);
        if (stage->primitive)
            call->primitive_destroy(stage->primitive);
        if (stage->description)
            call->primitive_desc_destroy(stage->description);
    }
    cpu_release(work->passes.session, work->scratchpad);
    cpu_passes_close(&work->passes);
    onednn_close(&work->library);
}

/* Adds memory to the arguments of a step. */
static bool argument_add(struct train_work *work, struct stage *stage, int name, onednn_layout layout, void *at,
                         struct error *err)
{
    dnnl_exec_arg_t *argument = &stage->argument[stage->arguments++];
    *argument = (dnnl_exec_arg_t){ .arg = name };
    return onednn_call(&work->library, err, memory_create, &argument->memory, layout, work->library.engine, at);
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

static bool stage_describe(struct train_work *work, unsigned number, dnnl_data_type_t type, struct error *err)
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
    struct stage *stage = &work->stage[number];
    onednn_layout layout[ONEDNN_OPERANDS] = { NULL };
    dnnl_status_t status = dnnl_success;
    if (!onednn_attributes_make(&work->library, err))
        return false;
    for (unsigned i = 0; i < ONEDNN_OPERANDS && status == dnnl_success; i++)
        layout[i] = onednn_layout_create(&work->library, &shape[i], is_transposed[i] ? dnnl_ba : dnnl_ab, &status);
    if (status == dnnl_success && does_more(product->c))
        status = attributes_set(&work->library, product->c, layout[2]);
    if (status == dnnl_success)
        status = onednn_matmul_describe(&work->library, layout, &stage->description);
    bool ok = onednn_check(&work->library, status, "dnnl_primitive_desc_create", err);
    for (unsigned i = 0; i < ONEDNN_OPERANDS && ok; i++)
        ok = argument_add(work, stage, name[i], layout[i], work->passes.array[array[i]], err);
    if (product->c == TRAIN_NEW_W1 && ok)
        ok = argument_add(work, stage, DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, layout[2],
                          work->passes.array[TRAIN_W1], err);
    for (unsigned i = 0; i < ONEDNN_OPERANDS; i++)
        onednn_layout_destroy(&work->library, layout[i]);
    return ok;
}

static onednn_layout scratchpad_layout(const struct train_work *work, const struct stage *stage)
{
    return work->library.call.primitive_desc_query_md(stage->description, dnnl_query_scratchpad_md, 0);
}

/* Once all are described. */
static bool stages_make(struct train_work *work, struct error *err)
{
    const struct onednn_calls *call = &work->library.call;
    size_t most = 0;
    for (const struct stage *stage = work->stage; stage < work->stage + TRAIN_PRODUCTS; stage++) {
        const size_t bytes = call->memory_desc_get_size(scratchpad_layout(work, stage));
        most = bytes > most ? bytes : most;
    }
    if (most > 0 && !(work->scratchpad = cpu_alloc(work->passes.session, most, MEMORY_PAGEABLE, err)))
        return false;
    for (struct stage *stage = work->stage; stage < work->stage + TRAIN_PRODUCTS; stage++) {
        onednn_layout layout = scratchpad_layout(work, stage);
        if (call->memory_desc_get_size(layout) > 0 &&
            !argument_add(work, stage, DNNL_ARG_SCRATCHPAD, layout, work->scratchpad->memory, err))
            return false;
        if (!onednn_call(&work->library, err, primitive_create, &stage->primitive, stage->description))
            return false;
    }
    return true;
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
        if (!stage_describe(work, i, type, err))
            return false;
    if (!stages_make(work, err))
        return false;
    text_copy(detail, DETAIL_MAX, work->library.name);
    const char *before = "", *own = ""; /* of the products in their order: "brg:avx512_core, gemm:jit" */
    for (unsigned i = 0; i < TRAIN_PRODUCTS; i++, before = own) {
        work->library.call.primitive_desc_query(work->stage[i].description, dnnl_query_impl_info_str, 0, &own);
        if (strcmp(own, before) != 0)
            text_append(detail, DETAIL_MAX, "%s %s", *before ? "," : "", own);
    }
    cpu_detail_append(detail, job, job->problem->dtype, work->library.threads);
    return true;
}

static bool train_submit(void *opaque, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    const struct train_work *work = opaque;
    const struct onednn *library = &work->library;
    for (unsigned i = 0; i < TRAIN_PRODUCTS; i++) {
        const struct stage *stage = &work->stage[i];
        if (!onednn_call(&work->library, err, primitive_execute, stage->primitive, library->stream, stage->arguments,
                         stage->argument) ||
            !onednn_call(&work->library, err, stream_wait, library->stream))
            return false;
        if (!does_more(train_products[i].c))
            cpu_passes_run(&work->passes, i);
    }
    return true;
}

const struct routine cpu_onednn_train = { "train",    { "onednn" },           sizeof(struct train_work),
                                          train_open, .submit = train_submit, .close = train_close };
