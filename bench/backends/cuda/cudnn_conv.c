#include "bench/backends/cuda/cudnn.h"
#include "harness/base/text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Tensor cores round f32 to TF32. The manual does not say whether layout copies support bfloat16. As float16 the same
 * bits are multiplied by 1 and unchanged below 2^121. */
static const struct cudnn_arithmetic types[DTYPE_COUNT] = {
    [DTYPE_F32] = { CUDNN_F32, CUDNN_F32, CUDNN_F32, false }, [DTYPE_F64] = { CUDNN_F64, CUDNN_F64, CUDNN_F64, true },
    [DTYPE_F16] = { CUDNN_F16, CUDNN_F32, CUDNN_F16, true },  [DTYPE_BF16] = { CUDNN_BF16, CUDNN_F32, CUDNN_F16, true },
    [DTYPE_TF32] = { CUDNN_F32, CUDNN_F32, CUDNN_F32, true },
};

static const struct convolution_method {
    const char *name;
    enum cudnn_layout layout;
    bool is_winograd; /* its intermediate values are rounded: only f32 keeps that error small */
} methods[] = {
    { "cudnn", CUDNN_NCHW, false },
    { "cudnn-nhwc", CUDNN_NHWC, false },
    { "cudnn-winograd", CUDNN_NCHW, true },
};

static bool tensor_create(const struct cudnn_task *task, struct cudnn_tensor **out, enum cudnn_layout layout,
                          enum cudnn_type type, unsigned which, struct error *err)
{
    const struct cudnn *cudnn = &task->cudnn;
    int n[4];
    cudnn_shape(task->problem, which, n);
    return cudnn_call(cudnn, err, tensor_open, out) &&
           cudnn_call(cudnn, err, tensor_set, *out, layout, type, n[0], n[1], n[2], n[3]);
}

/* Allocates memory for one operand in the method's layout, and describes both layouts. */
static bool place_create(struct cudnn_task *task, unsigned which, size_t bytes, struct error *err)
{
    struct cudnn_place *place = &task->place[which];
    const enum cudnn_type type = task->type->copied_as;
    place->buffer = cuda_alloc(task->session, bytes, MEMORY_PAGEABLE, err);
    if (!place->buffer)
        return false;
    task->address[which] = place->buffer->address;
    return tensor_create(task, &place->given, CUDNN_NCHW, type, which, err) &&
           tensor_create(task, &place->kept, task->layout, type, which, err);
}

/* The workspace may use what the method declared, less the operands in its own layout. */
static bool conv_place(struct cudnn_task *task, const struct job *job, struct error *err)
{
    struct operand operand[OPERANDS_MAX];
    double most = job->method->workspace(job->problem);
    job->problem->workload->operands(job->problem, operand);
    for (unsigned i = 0; i < CONV_OPERANDS; i++) {
        const size_t bytes = (size_t)operand[i].count * dtype_bytes(operand[i].dtype);
        task->address[i] = task->given[i];
        if (task->layout == CUDNN_NCHW)
            continue;
        most -= (double)bytes;
        if (!place_create(task, i, bytes, err))
            return false;
    }
    task->most = most > 0 ? (size_t)most : 0;
    return true;
}

static bool conv_fits(const struct problem *problem, const struct convolution_method *method, struct error *err)
{
    struct operand operand[OPERANDS_MAX];
    problem->workload->operands(problem, operand);
    if (dtype_is_whole(problem->dtype))
        return fail(err, STATUS_UNSUPPORTED, "cuDNN has no convolution of i8 with sums of 32 bits in these layouts");
    if (method->is_winograd && problem->dtype != DTYPE_F32 && problem->dtype != DTYPE_TF32)
        return fail(
            err, STATUS_UNSUPPORTED,
            "Winograd's algorithm rounds what it transforms to %s; only in f32 is it known how far that takes it",
            dtype_name(problem->dtype));
    for (unsigned i = 0; i < CONV_OPERANDS; i++)
        if (operand[i].count > INT_MAX)
            return fail(err, STATUS_UNSUPPORTED, "%s has %" PRId64 " elements, cuDNN's limit is %d", operand[i].name,
                        operand[i].count, INT_MAX);
    return true;
}

static void conv_close(void *opaque)
{
    struct cudnn_task *task = opaque;
    const struct cudnn_calls *call = &task->cudnn.call;
    for (unsigned i = 0; i < CONV_OPERANDS; i++) {
        if (task->place[i].given)
            CUDNN(call, tensor_close, task->place[i].given);
        if (task->place[i].kept)
            CUDNN(call, tensor_close, task->place[i].kept);
        cuda_release(task->session, task->place[i].buffer);
    }
    cudnn_graph_close(task);
    cuda_release(task->session, task->workspace);
    cudnn_close(&task->cudnn);
}

/* Tensor cores multiply TF32 since compute capability 8.0 (CUDA C++ Programming Guide, compute capabilities). Older
 * GPUs compute it in f32, and so does Winograd's algorithm. */
static bool is_in_f32(const struct session *session, const struct problem *problem,
                      const struct convolution_method *method)
{
    return problem->dtype == DTYPE_TF32 &&
           (method->is_winograd || cuda_attribute(&session->driver, session->ordinal, CUDA_CAPABILITY_MAJOR) < 8);
}

/* "cuDNN 9.19.0 engine 38, NHWC, computed in f32". */
static void detail_write(const struct cudnn_task *task, const struct convolution_method *method, const char *way,
                         char detail[DETAIL_MAX])
{
    const struct cudnn *cudnn = &task->cudnn;
    const char *ignored = cudnn->ignored_variables;
    snprintf(detail, DETAIL_MAX, "%s %s%s%s%s%s%s", cudnn->name, way, method->layout == CUDNN_NHWC ? ", NHWC" : "",
             is_in_f32(task->session, task->problem, method) ? ", computed in f32" : "", *ignored ? ", " : "", ignored,
             *ignored ? " ignored" : "");
}

static bool workspace_alloc(struct cudnn_task *task, const struct cudnn_way *way, size_t bytes, struct error *err)
{
    if (bytes > task->most)
        return fail(err, STATUS_NO_MEMORY, "cuDNN's %s needs a workspace of %zu bytes, the limit is %zu", way->name,
                    bytes, task->most);
    if (bytes == 0)
        return true;
    struct error refused = { 0 };
    task->workspace = cuda_alloc(task->session, bytes, MEMORY_PAGEABLE, &refused);
    return task->workspace ||
           fail_in(err, refused.where, refused.status, "cuDNN's %s needs a workspace of %zu bytes: %s", way->name,
                   bytes, refused.message);
}

/* Makes everything for runs in one way. */
static bool way_open(struct cudnn_task *task, const struct cudnn_way *way, struct error *err)
{
    size_t bytes = 0;
    return cudnn_plan_open(task, way, &bytes, err) && workspace_alloc(task, way, bytes, err) &&
           cudnn_pack_open(task, err);
}

static bool way_try(void *context, unsigned number, double *seconds, struct error *err)
{
    struct cudnn_task *task = context;
    const bool ok =
        way_open(task, &task->way[number], err) && choice_measure(task->session, cudnn_run, task, seconds, err);
    cuda_release(task->session, task->workspace);
    task->workspace = NULL;
    cudnn_plan_close(task);
    return ok;
}

static bool conv_open(void *opaque, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                      struct error *err)
{
    struct cudnn_task *task = opaque;
    struct choice choice = { .attempt = way_try, .work = task };
    const struct convolution_method *method = methods;
    while (strcmp(method->name, job->method->name) != 0)
        method++; /* the routine was found by that name */
    cuda_operands(job, task->given);
    task->session = session;
    task->problem = job->problem;
    task->type = &types[job->problem->dtype];
    task->layout = method->layout;
    task->is_winograd = method->is_winograd;
    if (task->is_winograd)
        task->type = &types[DTYPE_F32];
    if (!conv_fits(job->problem, method, err) || !cudnn_open(&task->cudnn, session, err) ||
        !cudnn_graph_open(task, err) || !conv_place(task, job, err))
        return false;
    for (; choice.count < task->ways; choice.count++)
        text_copy(choice.name[choice.count], KERNEL_SHAPE_MAX, task->way[choice.count].name);
    const int best = choice_make(&choice, job, err);
    if (best < 0 || !way_open(task, &task->way[best], err))
        return false;
    detail_write(task, method, task->way[best].name, detail);
    return true;
}

static unsigned conv_repacks(const void *opaque)
{
    const struct cudnn_task *task = opaque;
    unsigned bits = 0;
    for (unsigned i = 0; i < CONV_OPERANDS; i++)
        if (task->place[i].buffer)
            bits |= 1u << i;
    return bits;
}

static bool conv_repack(void *opaque, unsigned operand, enum repack_way way, struct error *err)
{
    struct cudnn_task *task = opaque;
    const struct cudnn *cudnn = &task->cudnn;
    const struct cudnn_place *place = &task->place[operand];
    const bool is_in = way == REPACK_IN;
    void *given = cudnn_pointer(task->given[operand]), *kept = cudnn_pointer(place->buffer->address);
    return cudnn_call(cudnn, err, transform, cudnn->handle, cudnn_one(task), is_in ? place->given : place->kept,
                      is_in ? given : kept, cudnn_zero(task), is_in ? place->kept : place->given, is_in ? kept : given);
}

const struct routine cuda_cudnn = { "conv",
                                    { "cudnn", "cudnn-nhwc", "cudnn-winograd" },
                                    sizeof(struct cudnn_task),
                                    conv_open,
                                    cudnn_run,
                                    conv_close,
                                    conv_repacks,
                                    conv_repack };
