#include "bench/backends/cpu/onednn_work.h"

#include "bench/backends/common/gemm.h"
#include "harness/base/text.h"
#include "kernels/native_conv.h"

#include <stdio.h>
#include <string.h>

/* What a method of matmul or conv computes. */
struct onednn_plan {
    struct onednn_shape shape[ONEDNN_OPERANDS];
    bool is_open[ONEDNN_OPERANDS]; /* the library chooses the layout */
    dnnl_alg_kind_t algorithm;     /* of a convolution, and its numbers; dnnl_alg_kind_undef: a product of matrices */
    dnnl_dims_t stride, padding;
    char task[DETAIL_MAX]; /* for the message that the library does not have it: "matmul" */
};

/* An operand that is there twice. */
struct onednn_place {
    dnnl_memory_t stated;      /* in the workload's layout; NULL where the primitive computes on that */
    struct buffer *buffer;     /* in the primitive's */
    dnnl_primitive_t in, back; /* from stated to that, and for the output back */
};

/* A primitive bound to two inputs and an output. An operand that it needs in another layout is there twice: in its
 * buffer in the workload's layout, and in memory of the task in the primitive's. */
struct onednn_work {
    struct onednn library;
    struct session *session;
    /* Instead of a primitive sgemm, a function of its own that takes matrices in rows as they are. Neither it nor the
     * matmul primitive is always the faster: version 2.6.3 on two cores with AVX-512 was 1.4 times as fast by sgemm at
     * 512 cubed, 0.93 times at 1024 and 0.9 to 1.1 times at 2048. */
    bool is_sgemm;
    struct gemm gemm;
    void *array[OPERANDS_MAX];
    struct onednn_step step;
    struct onednn_place place[ONEDNN_OPERANDS];
    struct buffer *scratchpad;
};

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

bool onednn_argument_add(const struct onednn *library, struct onednn_step *step, int name, onednn_layout layout,
                         void *at, struct error *err)
{
    dnnl_exec_arg_t *argument = &step->argument[step->arguments++];
    *argument = (dnnl_exec_arg_t){ .arg = name };
    return onednn_call(library, err, memory_create, &argument->memory, layout, library->engine, at);
}

static onednn_layout scratchpad_layout(const struct onednn *library, const struct onednn_step *step, size_t *bytes)
{
    onednn_layout layout = library->call.primitive_desc_query_md(step->description, dnnl_query_scratchpad_md, 0);
    *bytes = layout ? library->call.memory_desc_get_size(layout) : 0;
    return layout;
}

bool onednn_steps_make(const struct onednn *library, struct onednn_step step[], unsigned steps, struct session *session,
                       struct buffer **scratchpad, struct error *err)
{
    size_t bytes, most = 0;
    for (unsigned i = 0; i < steps; i++) {
        scratchpad_layout(library, &step[i], &bytes);
        most = bytes > most ? bytes : most;
    }
    if (most > 0 && !(*scratchpad = cpu_alloc(session, most, MEMORY_PAGEABLE, err)))
        return false;
    for (unsigned i = 0; i < steps; i++) {
        onednn_layout layout = scratchpad_layout(library, &step[i], &bytes);
        if ((bytes > 0 &&
             !onednn_argument_add(library, &step[i], DNNL_ARG_SCRATCHPAD, layout, (*scratchpad)->memory, err)) ||
            !onednn_call(library, err, primitive_create, &step[i].primitive, step[i].description))
            return false;
    }
    return true;
}

static bool execute(const struct onednn *library, dnnl_primitive_t primitive, const dnnl_exec_arg_t argument[],
                    int arguments, struct error *err)
{
    return onednn_call(library, err, primitive_execute, primitive, library->stream, arguments, argument) &&
           onednn_call(library, err, stream_wait, library->stream);
}

bool onednn_step_run(const struct onednn *library, const struct onednn_step *step, struct error *err)
{
    return execute(library, step->primitive, step->argument, step->arguments, err);
}

void onednn_step_close(const struct onednn *library, struct onednn_step *step)
{
    for (int i = 0; i < step->arguments; i++)
        if (step->argument[i].memory)
            library->call.memory_destroy(step->argument[i].memory);
    if (step->primitive)
        library->call.primitive_destroy(step->primitive);
    if (step->description)
        library->call.primitive_desc_destroy(step->description);
}

/* Without VNNI the library halves a convolution's filters of 8 bits, and rounds them. That of AVX is known to all its
 * implementations from version 3 on (s8s8_weights_scale_factor in its sources). What it may use is asked of the
 * library: a user can limit it. */
static bool conv_is_exact(const struct onednn *library)
{
    const unsigned isa = library->call.get_effective_cpu_isa(), of_avx512 = dnnl_cpu_isa_avx512_core_vnni,
                   of_avx = dnnl_cpu_isa_avx2_vnni;
    return (isa & of_avx512) == of_avx512 || (DNNL_VERSION_MAJOR >= 3 && (isa & of_avx) == of_avx);
}

static dnnl_status_t describe(struct onednn_work *work, const struct onednn_plan *plan,
                              const onednn_layout layout[ONEDNN_OPERANDS])
{
    const struct onednn *library = &work->library;
    if (plan->algorithm == dnnl_alg_kind_undef)
        return onednn_matmul_describe(library, layout, &work->step.description);
    if (plan->shape[0].type == dnnl_s8 && !conv_is_exact(library))
        return dnnl_unimplemented;
    return onednn_conv_describe(library, plan->algorithm, layout, plan->stride, plan->padding, &work->step.description);
}

static dnnl_format_tag_t stated_tag(const struct onednn_shape *shape)
{
    return shape->axes == 4 ? dnnl_abcd : dnnl_ab;
}

/* The primitive is described with layouts that are stated or open, and chooses where they are open. */
static bool work_describe(struct onednn_work *work, const struct onednn_plan *plan, struct error *err)
{
    onednn_layout layout[ONEDNN_OPERANDS] = { NULL };
    dnnl_status_t status = dnnl_success;
    for (unsigned i = 0; i < ONEDNN_OPERANDS && status == dnnl_success; i++)
        layout[i] = onednn_layout_create(&work->library, &plan->shape[i],
                                         plan->is_open[i] ? dnnl_format_tag_any : stated_tag(&plan->shape[i]), &status);
    if (status == dnnl_success)
        status = describe(work, plan, layout);
    for (unsigned i = 0; i < ONEDNN_OPERANDS; i++)
        onednn_layout_destroy(&work->library, layout[i]);
    /* Arguments are well-formed here: "invalid" means that they are more than the library takes. */
    if (status == dnnl_unimplemented && plan->shape[0].type == dnnl_f16) /* whatever the size */
        return fail(err, STATUS_UNSUPPORTED, "%s has no f16 here: it needs version 3 and a processor with AVX512-FP16",
                    work->library.name);
    if (status == dnnl_unimplemented || status == dnnl_invalid_arguments)
        return fail(err, STATUS_UNSUPPORTED, "%s has no %s", work->library.name, plan->task);
    return onednn_check(&work->library, status, "dnnl_primitive_desc_create", err);
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

/* Binds an operand. Where the primitive's layout is another than the stated one it gets memory of the task's own. */
static bool place_bind(struct onednn_work *work, unsigned operand, onednn_layout stated, void *array, bool is_output,
                       struct error *err)
{
    const struct onednn *library = &work->library;
    struct onednn_place *place = &work->place[operand];
    onednn_layout wanted = library->call.primitive_desc_query_md(work->step.description, layout_of[operand], 0);
    if (library->call.memory_desc_equal(stated, wanted))
        return onednn_argument_add(library, &work->step, argument_of[operand], stated, array, err);
    place->buffer = cpu_alloc(work->session, library->call.memory_desc_get_size(wanted), MEMORY_PAGEABLE, err);
    return place->buffer &&
           onednn_argument_add(library, &work->step, argument_of[operand], wanted, place->buffer->memory, err) &&
           onednn_call(library, err, memory_create, &place->stated, stated, library->engine, array) &&
           reorder_make(work, &place->in, stated, wanted, err) &&
           (!is_output || reorder_make(work, &place->back, wanted, stated, err));
}

static bool place_make(struct onednn_work *work, unsigned operand, const struct onednn_shape *shape, void *array,
                       bool is_output, struct error *err)
{
    dnnl_status_t status;
    onednn_layout stated = onednn_layout_create(&work->library, shape, stated_tag(shape), &status);
    const bool ok = onednn_check(&work->library, status, "dnnl_memory_desc", err) &&
                    place_bind(work, operand, stated, array, is_output, err);
    onednn_layout_destroy(&work->library, stated);
    return ok;
}

/* "oneDNN 2.6.3 jit:avx512_core, own layout of in, filters, out, huge pages, 2 threads" */
static void work_describe_detail(const struct onednn_work *work, const struct job *job, char detail[DETAIL_MAX])
{
    const struct onednn_calls *call = &work->library.call;
    struct operand operand[OPERANDS_MAX];
    job->problem->workload->operands(job->problem, operand);
    const char *implementation = "", *lead = "own layout of ";
    call->primitive_desc_query(work->step.description, dnnl_query_impl_info_str, 0, &implementation);
    detail[0] = '\0';
    text_append(detail, DETAIL_MAX, "%s %s", work->library.name, implementation);
    struct job run = *job; /* on the operands that a run works on */
    for (unsigned i = 0; i < ONEDNN_OPERANDS; i++) {
        if (!work->place[i].buffer)
            continue;
        text_append(detail, DETAIL_MAX, ", %s%s", lead, operand[i].name);
        run.operand[i].buffer = work->place[i].buffer;
        lead = "";
    }
    const enum dtype dtype = job->problem->dtype;
    cpu_detail_append(detail, &run, dtype == DTYPE_TF32 ? DTYPE_F32 : dtype_result(dtype), work->library.threads);
}

/* The matmul primitive keeps B in blocks, in which it is faster by some 5 to 10 % than with rows as they are, where the
 * method has a workspace for them. */
static void plan_matmul(struct onednn_plan *plan, const struct job *job, dnnl_data_type_t type, dnnl_data_type_t result)
{
    const struct gemm gemm = gemm_of_matmul(job->problem);
    char shape[SHAPE_MAX];
    *plan = (struct onednn_plan){
        .shape = { { 2, { gemm.m, gemm.k }, type },
                   { 2, { gemm.k, gemm.n }, type },
                   { 2, { gemm.m, gemm.n }, result } },
        .is_open = { false, job->method->workspace(job->problem) > 0, false },
    };
    snprintf(plan->task, sizeof plan->task, "matmul in %s of %s on this processor", dtype_name(job->problem->dtype),
             problem_shape(job->problem, shape));
}

/* On processors with AMX version 2.6.3 ends the process where a filter larger than 1 x 1 goes over more channels than
 * somewhere between 5093 and 5125 (3 x 3) or 5118 and 5140 (5 x 5); up to 5000 it was never seen to. */
static bool conv_survives(const struct problem *problem, struct error *err)
{
    const int64_t *dim = problem->dim, most = 5000;
    return DNNL_VERSION_MAJOR >= 3 || problem->dtype != DTYPE_BF16 || dim[CONV_C] <= most ||
           (dim[CONV_R] == 1 && dim[CONV_S] == 1) ||
           fail(err, STATUS_UNSUPPORTED, "oneDNN 2 crashes on bf16 convolutions over more than some 5000 channels");
}

/* Of the convolution each algorithm is a method. The library chooses the layouts: it is several times slower in those
 * that the workload states. */
static void plan_conv(struct onednn_plan *plan, const struct job *job, dnnl_data_type_t type, dnnl_data_type_t result)
{
    const bool is_winograd = job->method->is_fast;
    const int64_t *dim = job->problem->dim, stride = dim[CONV_STRIDE], pad = dim[CONV_PAD];
    const struct conv_plan places = conv_plan_make(dim);
    *plan = (struct onednn_plan){
        .shape = { { 4, { dim[CONV_N], dim[CONV_C], dim[CONV_H], dim[CONV_W] }, type },
                   { 4, { dim[CONV_K], dim[CONV_C], dim[CONV_R], dim[CONV_S] }, type },
                   { 4, { dim[CONV_N], dim[CONV_K], places.p, places.q }, result } },
        .is_open = { true, true, true },
        .algorithm = is_winograd ? dnnl_convolution_winograd : dnnl_convolution_direct,
        .stride = { stride, stride },
        .padding = { pad, pad },
    };
    char shape[SHAPE_MAX];
    const bool is_simple = dim[CONV_R] == 3 && dim[CONV_S] == 3 && stride == 1;
    snprintf(plan->task, sizeof plan->task, "%s convolution in %s of %s%s", is_winograd ? "Winograd" : "direct",
             dtype_name(job->problem->dtype), problem_shape(job->problem, shape),
             is_winograd && !is_simple ? ": it needs 3 x 3 filters and stride 1"
             : type == dnnl_s8         ? " that is exact here: it needs VNNI (with oneDNN 2 that of AVX-512)"
                                       : " on this processor");
}

static bool sgemm_run(const struct onednn_work *work, struct error *err)
{
    const struct gemm *gemm = &work->gemm;
    return onednn_call(&work->library, err, sgemm, 'N', 'N', gemm->m, gemm->n, gemm->k, 1, work->array[0],
                       gemm->a_pitch, work->array[1], gemm->b_pitch, 0, work->array[2], gemm->n);
}

static bool sgemm_open(struct onednn_work *work, const struct job *job, dnnl_data_type_t type, char detail[DETAIL_MAX],
                       struct error *err)
{
    work->gemm = gemm_of_matmul(job->problem);
    if (type != dnnl_f32)
        return fail(err, STATUS_UNSUPPORTED, "oneDNN's sgemm is for f32, not for %s", dtype_name(job->problem->dtype));
    if (!onednn_open(&work->library, onednn_sonames, err))
        return false;
    snprintf(detail, DETAIL_MAX, "%s sgemm", work->library.name);
    cpu_detail_append(detail, job, DTYPE_F32, work->library.threads);
    return sgemm_run(work, err); /* the first call compiles */
}

static bool work_open(void *opaque, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                      struct error *err)
{
    struct onednn_work *work = opaque;
    struct onednn_plan plan;
    struct operand operand[OPERANDS_MAX];
    dnnl_data_type_t type;
    work->session = session;
    job->problem->workload->operands(job->problem, operand);
    const bool is_conv = strcmp(job->problem->workload->name, "conv") == 0;
    if (!onednn_type(job->problem, &type, err) || (is_conv && !conv_survives(job->problem, err)) ||
        !cpu_operands(job, work->array, err))
        return false;
    work->is_sgemm = strcmp(job->method->name, "onednn-gemm") == 0;
    if (work->is_sgemm)
        return sgemm_open(work, job, type, detail, err);
    (is_conv ? plan_conv : plan_matmul)(&plan, job, type, type == dnnl_s8 ? dnnl_s32 : type);
    if (!onednn_open(&work->library, onednn_sonames, err) || !work_describe(work, &plan, err))
        return false;
    for (unsigned i = 0; i < ONEDNN_OPERANDS; i++)
        if (!place_make(work, i, &plan.shape[i], work->array[i], operand[i].role == ROLE_OUTPUT, err))
            return false;
    if (!onednn_steps_make(&work->library, &work->step, 1, session, &work->scratchpad, err))
        return false;
    work_describe_detail(work, job, detail);
    return true;
}

static bool work_submit(void *opaque, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    const struct onednn_work *work = opaque;
    return work->is_sgemm ? sgemm_run(work, err) : onednn_step_run(&work->library, &work->step, err);
}

static unsigned work_repacks(const void *opaque)
{
    const struct onednn_work *work = opaque;
    unsigned bits = 0;
    for (unsigned i = 0; i < ONEDNN_OPERANDS; i++)
        if (work->place[i].buffer)
            bits |= 1u << i;
    return bits;
}

static bool work_repack(void *opaque, unsigned operand, enum repack_way way, struct error *err)
{
    const struct onednn_work *work = opaque;
    const struct onednn_place *place = &work->place[operand];
    const dnnl_memory_t kept = work->step.argument[operand].memory;
    const dnnl_exec_arg_t argument[] = {
        { DNNL_ARG_FROM, way == REPACK_IN ? place->stated : kept },
        { DNNL_ARG_TO, way == REPACK_IN ? kept : place->stated },
    };
    return execute(&work->library, way == REPACK_IN ? place->in : place->back, argument, 2, err);
}

static void work_close(void *opaque)
{
    struct onednn_work *work = opaque;
    const struct onednn_calls *call = &work->library.call;
    onednn_step_close(&work->library, &work->step);
    cpu_release(work->session, work->scratchpad);
    for (const struct onednn_place *place = work->place; place < work->place + ONEDNN_OPERANDS; place++) {
        if (place->in)
            call->primitive_destroy(place->in);
        if (place->back)
            call->primitive_destroy(place->back);
        if (place->stated)
            call->memory_destroy(place->stated);
        cpu_release(work->session, place->buffer);
    }
    onednn_close(&work->library);
}

const struct routine cpu_onednn = { .workload = { "matmul", "conv" },
                                    .method = { "onednn", "onednn-winograd", "onednn-gemm" },
                                    .bytes = sizeof(struct onednn_work),
                                    .open = work_open,
                                    .submit = work_submit,
                                    .close = work_close,
                                    .repacks = work_repacks,
                                    .repack = work_repack };
