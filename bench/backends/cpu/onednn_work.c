#include "bench/backends/cpu/onednn_work.h"

#include "harness/base/text.h"

#include <string.h>

static const int argument_of[] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST };
static const dnnl_query_t layout_of[] = { dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md };

bool onednn_type(const struct problem *problem, dnnl_data_type_t *type, struct error *err)
{
    static const dnnl_data_type_t types[DTYPE_COUNT] = { [DTYPE_F32] = dnnl_f32,
                                                         [DTYPE_F16] = dnnl_f16,
                                                         [DTYPE_BF16] = dnnl_bf16,
                                                         [DTYPE_TF32] = dnnl_f32,
                                                         [DTYPE_I8] = dnnl_s8 };
    *type = types[problem->dtype];
    return *type != dnnl_data_type_undef || fail(err, STATUS_UNSUPPORTED, "oneDNN has no %s of %s on a CPU",
                                                 problem->workload->name, dtype_name(problem->dtype));
}

dnnl_data_type_t onednn_result(dnnl_data_type_t type)
{
    return type == dnnl_s8 ? dnnl_s32 : type;
}

/* The primitive is described with layouts that are stated or open, and chooses where they are open. */
static bool work_describe(struct onednn_work *work, const struct onednn_plan *plan, struct error *err)
{
    onednn_layout layout[ONEDNN_OPERANDS] = { NULL };
    dnnl_status_t status = dnnl_success;
    for (unsigned i = 0; i < ONEDNN_OPERANDS && status == dnnl_success; i++)
        layout[i] = onednn_layout_create(&work->library, &plan->shape[i], onednn_tag(&plan->shape[i], plan->is_open[i]),
                                         &status);
    if (status == dnnl_success)
        status = plan->describe(&work->library, plan, layout, &work->description);
    for (unsigned i = 0; i < ONEDNN_OPERANDS; i++)
        onednn_layout_destroy(&work->library, layout[i]);
    /* Arguments are well-formed here: "invalid" means that they are more than the library takes. */
    if (status == dnnl_unimplemented && plan->shape[0].type == dnnl_f16) /* whatever the size */
        return fail(err, STATUS_UNSUPPORTED,
                    "%s has no f16 here: that takes version 3 and a processor with AVX512-FP16", work->library.name);
    if (status == dnnl_unimplemented || status == dnnl_invalid_arguments)
        return fail(err, STATUS_UNSUPPORTED, "%s has no %s", work->library.name, plan->task);
    return onednn_check(&work->library, status, "dnnl_primitive_desc_create", err);
}

static bool memory_make(struct onednn_work *work, dnnl_memory_t *out, onednn_layout layout, void *at, struct error *err)
{
    return onednn_call(&work->library, err, memory_create, out, layout, work->library.engine, at);
}

static bool reorder_make(struct onednn_work *work, dnnl_primitive_t *out, onednn_layout from, onednn_layout to,
                         struct error *err)
{
    const struct onednn *library = &work->library;
    dnnl_primitive_desc_t reorder = NULL;
    if (!onednn_call(&work->library, err, reorder_primitive_desc_create, &reorder, from, library->engine, to,
                     library->engine, NULL))
        return false;
    bool ok = onednn_call(&work->library, err, primitive_create, out, reorder);
    library->call.primitive_desc_destroy(reorder);
    return ok;
}

/* Memory of the task's own where the primitive's layout is another than the stated one. */
static bool place_keep(struct onednn_work *work, struct onednn_place *place, onednn_layout stated, onednn_layout wanted,
                       bool is_output, struct error *err)
{
    if (work->library.call.memory_desc_equal(stated, wanted))
        return true;
    place->buffer = cpu_alloc(work->session, work->library.call.memory_desc_get_size(wanted), MEMORY_PAGEABLE, err);
    return place->buffer && memory_make(work, &place->kept, wanted, place->buffer->memory, err) &&
           reorder_make(work, &place->in, stated, wanted, err) &&
           (!is_output || reorder_make(work, &place->back, wanted, stated, err));
}

static bool place_make(struct onednn_work *work, unsigned operand, const struct onednn_shape *shape, void *array,
                       bool is_output, struct error *err)
{
    struct onednn_place *place = &work->place[operand];
    dnnl_status_t status;
    onednn_layout stated = onednn_layout_create(&work->library, shape, onednn_tag(shape, false), &status);
    onednn_layout wanted = work->library.call.primitive_desc_query_md(work->description, layout_of[operand], 0);
    bool ok = onednn_check(&work->library, status, "dnnl_memory_desc", err) &&
              memory_make(work, &place->stated, stated, array, err) &&
              place_keep(work, place, stated, wanted, is_output, err);
    onednn_layout_destroy(&work->library, stated);
    work->argument[work->arguments++] =
        (dnnl_exec_arg_t){ argument_of[operand], place->kept ? place->kept : place->stated };
    return ok;
}

/* So that no run allocates. */
static bool scratchpad_make(struct onednn_work *work, struct error *err)
{
    const struct onednn_calls *call = &work->library.call;
    onednn_layout layout = call->primitive_desc_query_md(work->description, dnnl_query_scratchpad_md, 0);
    size_t bytes = layout ? call->memory_desc_get_size(layout) : 0;
    if (bytes == 0)
        return true;
    work->scratchpad = cpu_alloc(work->session, bytes, MEMORY_PAGEABLE, err);
    if (!work->scratchpad)
        return false;
    dnnl_exec_arg_t *argument = &work->argument[work->arguments++];
    *argument = (dnnl_exec_arg_t){ .arg = DNNL_ARG_SCRATCHPAD };
    return memory_make(work, &argument->memory, layout, work->scratchpad->memory, err);
}

/* "oneDNN 2.6.3 jit:avx512_core, own layout of in, filters, out, huge pages, 2 threads" */
static void work_describe_detail(const struct onednn_work *work, const struct job *job, char detail[DETAIL_MAX])
{
    const struct onednn_calls *call = &work->library.call;
    struct operand operand[OPERANDS_MAX];
    job->problem->workload->operands(job->problem, operand);
    const char *implementation = "", *lead = "own layout of ";
    call->primitive_desc_query(work->description, dnnl_query_impl_info_str, 0, &implementation);
    detail[0] = '\0';
    text_append(detail, DETAIL_MAX, "%s %s", work->library.name, implementation);
    struct job run = *job; /* on the operands that a run works on */
    for (unsigned i = 0; i < ONEDNN_OPERANDS; i++) {
        if (!work->place[i].kept)
            continue;
        text_append(detail, DETAIL_MAX, ", %s%s", lead, operand[i].name);
        run.operand[i].buffer = work->place[i].buffer;
        lead = "";
    }
    const enum dtype dtype = job->problem->dtype;
    cpu_detail_append(detail, &run, dtype == DTYPE_TF32 ? DTYPE_F32 : dtype_result(dtype), work->library.threads);
}

bool onednn_work_open(void *opaque, struct session *session, const struct job *job, const struct onednn_plan *plan,
                      char detail[DETAIL_MAX], struct error *err)
{
    struct onednn_work *work = opaque;
    struct operand operand[OPERANDS_MAX];
    void *array[OPERANDS_MAX];
    work->session = session;
    job->problem->workload->operands(job->problem, operand);
    if (!cpu_operands(job, array, err) || !onednn_open(&work->library, onednn_sonames, err) ||
        !work_describe(work, plan, err))
        return false;
    for (unsigned i = 0; i < ONEDNN_OPERANDS; i++)
        if (!place_make(work, i, &plan->shape[i], array[i], operand[i].role == ROLE_OUTPUT, err))
            return false;
    if (!scratchpad_make(work, err) ||
        !onednn_call(&work->library, err, primitive_create, &work->primitive, work->description))
        return false;
    work_describe_detail(work, job, detail);
    return true;
}

static bool execute(struct onednn_work *work, dnnl_primitive_t primitive, const dnnl_exec_arg_t argument[],
                    int arguments, struct error *err)
{
    const struct onednn *library = &work->library;
    return onednn_call(&work->library, err, primitive_execute, primitive, library->stream, arguments, argument) &&
           onednn_call(&work->library, err, stream_wait, library->stream);
}

bool onednn_work_submit(void *opaque, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    struct onednn_work *work = opaque;
    return execute(work, work->primitive, work->argument, work->arguments, err);
}

unsigned onednn_work_repacks(const void *opaque)
{
    const struct onednn_work *work = opaque;
    unsigned bits = 0;
    for (unsigned i = 0; i < ONEDNN_OPERANDS; i++)
        if (work->place[i].kept)
            bits |= 1u << i;
    return bits;
}

bool onednn_work_repack(void *opaque, unsigned operand, enum repack_way way, struct error *err)
{
    struct onednn_work *work = opaque;
    const struct onednn_place *place = &work->place[operand];
    const dnnl_exec_arg_t argument[] = {
        { DNNL_ARG_FROM, way == REPACK_IN ? place->stated : place->kept },
        { DNNL_ARG_TO, way == REPACK_IN ? place->kept : place->stated },
    };
    return execute(work, way == REPACK_IN ? place->in : place->back, argument, 2, err);
}

static void place_release(const struct onednn_work *work, struct onednn_place *place)
{
    const struct onednn_calls *call = &work->library.call;
    if (place->in)
        call->primitive_destroy(place->in);
    if (place->back)
        call->primitive_destroy(place->back);
    if (place->kept)
        call->memory_destroy(place->kept);
    if (place->stated)
        call->memory_destroy(place->stated);
    cpu_release(work->session, place->buffer);
}

void onednn_work_close(void *opaque)
{
    struct onednn_work *work = opaque;
    const struct onednn_calls *call = &work->library.call;
    if (work->primitive)
        call->primitive_destroy(work->primitive);
    if (work->description)
        call->primitive_desc_destroy(work->description);
    if (work->arguments > ONEDNN_OPERANDS && work->argument[ONEDNN_OPERANDS].memory)
        call->memory_destroy(work->argument[ONEDNN_OPERANDS].memory);
    cpu_release(work->session, work->scratchpad);
    for (unsigned i = 0; i < ONEDNN_OPERANDS; i++)
        place_release(work, &work->place[i]);
    onednn_close(&work->library);
}
