#include "bench/backends/cuda/cudnn.h"

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

static bool tensor_create(const struct cudnn_task *task, struct cudnn_tensor **out, enum cudnn_layout layout,
                          enum cudnn_type type, unsigned which, struct error *err)
{
    const struct cudnn *cudnn = task->cudnn;
    int n[4];
    cudnn_shape(task->problem, which, n);
    return cudnn_call(cudnn, err, tensor_open, out) &&
           cudnn_call(cudnn, err, tensor_set, *out, layout, type, n[0], n[1], n[2], n[3]);
}

static bool scratch_get(struct cudnn_task *task, unsigned number, uint64_t operand, size_t bytes, struct error *err)
{
    task->scratch[number] =
        scratch_share(&task->session->scratch, number, operand, bytes, task->session, cuda_alloc, err);
    return task->scratch[number] != NULL;
}

/* Memory for one operand in the method's layout, and both layouts described. */
static bool place_create(struct cudnn_task *task, unsigned which, size_t bytes, struct error *err)
{
    struct cudnn_layouts *layouts = &task->layouts[which];
    const enum cudnn_type type = task->type->copied_as;
    if (!scratch_get(task, which, task->given[which], bytes, err))
        return false;
    task->address[which] = task->scratch[which]->buffer->address;
    return tensor_create(task, &layouts->given, CUDNN_NCHW, type, which, err) &&
           tensor_create(task, &layouts->kept, task->layout, type, which, err);
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

static bool conv_fits(const struct cudnn_task *task, struct error *err)
{
    const struct problem *problem = task->problem;
    struct operand operand[OPERANDS_MAX];
    problem->workload->operands(problem, operand);
    if (dtype_is_whole(problem->dtype))
        return fail(err, STATUS_UNSUPPORTED, "cuDNN has no convolution of i8 with sums of 32 bits in these layouts");
    if (task->is_winograd && problem->dtype != DTYPE_F32 && problem->dtype != DTYPE_TF32)
        return fail(err, STATUS_UNSUPPORTED,
                    "Winograd's algorithm rounds transformed values to %s; its error bound is known only in f32",
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
    for (unsigned i = 0; i < CONV_OPERANDS; i++) {
        if (task->layouts[i].given)
            CUDNN(&task->cudnn->call, tensor_close, task->layouts[i].given);
        if (task->layouts[i].kept)
            CUDNN(&task->cudnn->call, tensor_close, task->layouts[i].kept);
    }
    cudnn_graph_close(task);
    scratch_give(&task->session->scratch, task->scratch, task->session, cuda_release);
}

static bool workspace_get(struct cudnn_task *task, const struct cudnn_way *way, size_t bytes, struct error *err)
{
    if (bytes > task->most)
        return fail(err, STATUS_NO_MEMORY, "cuDNN's %s needs a workspace of %zu bytes, the limit is %zu", way->name,
                    bytes, task->most);
    if (bytes == 0)
        return true;
    struct error refused = { 0 };
    if (!scratch_get(task, CONV_OPERANDS, 0, task->most, &refused))
        return fail_in(err, refused.where, refused.status, "cuDNN's %s needs a workspace of %zu bytes: %s", way->name,
                       bytes, refused.message);
    task->workspace = task->scratch[CONV_OPERANDS]->buffer;
    return true;
}

/* Describes the convolution, and asks the heuristics for engines. */
static bool convolution_open(struct cudnn_task *task, struct session *session, const struct problem *problem,
                             const struct method *method, struct error *err)
{
    task->session = session;
    task->problem = problem;
    task->layout = strcmp(method->name, "cudnn-nhwc") == 0 ? CUDNN_NHWC : CUDNN_NCHW;
    task->is_winograd = method->is_fast; /* its intermediate values are rounded: only f32 keeps that error small */
    task->type = &types[task->is_winograd ? DTYPE_F32 : problem->dtype];
    task->cudnn = conv_fits(task, err) ? cudnn_of(session, err) : NULL;
    return task->cudnn && cudnn_graph_open(task, err);
}

static bool conv_open(void *opaque, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                      struct error *err)
{
    struct cudnn_task *task = opaque;
    const struct cudnn_way *way = &task->way[job->kernel_shape];
    size_t bytes = 0;
    cuda_operands(job, task->given);
    if (!convolution_open(task, session, job->problem, job->method, err) || !conv_place(task, job, err))
        return false;
    if (job->kernel_shape >= task->ways)
        return fail(err, STATUS_UNSUPPORTED, "the heuristics of cuDNN name only %u engines", task->ways);
    if (!cudnn_plan_open(task, way, &bytes, err) || !workspace_get(task, way, bytes, err) ||
        !cudnn_pack_open(task, err))
        return false;
    /* Tensor cores multiply TF32 since compute capability 8.0 (CUDA C++ Programming Guide, compute capabilities). Older
     * GPUs compute it in f32, and so does Winograd's algorithm. */
    const bool is_in_f32 =
        job->problem->dtype == DTYPE_TF32 && (task->is_winograd || session->target.architecture < 80);
    snprintf(detail, DETAIL_MAX, "%s %s%s%s%s", task->cudnn->name, way->name,
             task->layout == CUDNN_NHWC ? ", NHWC" : "", is_in_f32 ? ", computed in f32" : "", session->ignored);
    return routine_run(cudnn_run, task, cuda_finish, session, err);
}

static unsigned conv_shapes(struct session *session, const struct problem *problem, const struct method *method,
                            char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX])
{
    struct cudnn_task task = { .ways = 0 };
    convolution_open(&task, session, problem, method, NULL);
    for (unsigned i = 0; i < task.ways; i++)
        memcpy(name[i], task.way[i].name, KERNEL_SHAPE_MAX);
    conv_close(&task);
    return task.ways;
}

static unsigned conv_repacks(const void *opaque)
{
    const struct cudnn_task *task = opaque;
    return task->layout == CUDNN_NHWC ? (1u << CONV_OPERANDS) - 1 : 0;
}

static bool conv_repack(void *opaque, unsigned operand, enum repack_way way, struct error *err)
{
    struct cudnn_task *task = opaque;
    const struct cudnn *cudnn = task->cudnn;
    const struct cudnn_layouts *layouts = &task->layouts[operand];
    const bool is_in = way == REPACK_IN;
    void *given = cudnn_pointer(task->given[operand]), *kept = cudnn_pointer(task->address[operand]);
    return cudnn_call(cudnn, err, transform, cudnn->handle, cudnn_one(task), is_in ? layouts->given : layouts->kept,
                      is_in ? given : kept, &cudnn_zero, is_in ? layouts->kept : layouts->given, is_in ? kept : given);
}

const struct routine cuda_cudnn = { .workload = { "conv" },
                                    .method = { "cudnn", "cudnn-nhwc", "cudnn-winograd" },
                                    .bytes = sizeof(struct cudnn_task),
                                    .open = conv_open,
                                    .submit = cudnn_run,
                                    .close = conv_close,
                                    .repacks = conv_repacks,
                                    .repack = conv_repack,
                                    .kernel_shapes = conv_shapes };
