#include "bench/backends/cuda/cudnn.h"
#include "harness/base/text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Only FMA keeps f32 from being rounded to TF32: the default rounds wherever tensor cores can. The manual does not say
 * whether layout copies support bfloat16. As float16 the same bits are multiplied by 1 and unchanged below 2^121. */
static const struct cudnn_arithmetic types[DTYPE_COUNT] = {
    [DTYPE_F32] = { CUDNN_F32, CUDNN_F32, CUDNN_FMA, CUDNN_F32 },
    [DTYPE_F64] = { CUDNN_F64, CUDNN_F64, CUDNN_TENSOR_CORES, CUDNN_F64 },
    [DTYPE_F16] = { CUDNN_F16, CUDNN_F32, CUDNN_TENSOR_CORES, CUDNN_F16 },
    [DTYPE_BF16] = { CUDNN_BF16, CUDNN_F32, CUDNN_TENSOR_CORES, CUDNN_F16 },
    [DTYPE_TF32] = { CUDNN_F32, CUDNN_F32, CUDNN_TENSOR_CORES, CUDNN_F32 },
};

static const char *const algorithm_names[CUDNN_ALGORITHMS] = {
    [CUDNN_IMPLICIT_GEMM] = "implicit-gemm",
    [CUDNN_IMPLICIT_PRECOMPUTED_GEMM] = "implicit-precomp-gemm",
    [CUDNN_GEMM] = "gemm",
    [CUDNN_DIRECT] = "direct",
    [CUDNN_FFT] = "fft",
    [CUDNN_FFT_TILING] = "fft-tiling",
    [CUDNN_WINOGRAD] = "winograd",
    [CUDNN_WINOGRAD_NONFUSED] = "winograd-nonfused",
};

/* The algorithms that a method chooses from, from `first` to before `end`, and their layout. */
static const struct convolution_method {
    const char *name;
    enum cudnn_algorithm first, end; /* none: engines of the graph API */
    enum cudnn_layout layout;
    bool is_fast; /* its intermediate values are rounded: only f32 keeps that error small */
} methods[] = {
    { "cudnn", CUDNN_IMPLICIT_GEMM, CUDNN_FFT, CUDNN_NCHW, false },
    { "cudnn-nhwc", CUDNN_IMPLICIT_GEMM, CUDNN_FFT, CUDNN_NHWC, false },
    { "cudnn-graph", CUDNN_ALGORITHMS, CUDNN_ALGORITHMS, CUDNN_NCHW, false },
    { "cudnn-graph-nhwc", CUDNN_ALGORITHMS, CUDNN_ALGORITHMS, CUDNN_NHWC, false },
    { "cudnn-winograd", CUDNN_WINOGRAD, CUDNN_ALGORITHMS, CUDNN_NCHW, true },
    { "cudnn-fft", CUDNN_FFT, CUDNN_WINOGRAD, CUDNN_NCHW, true },
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

static bool filter_create(struct cudnn_task *task, struct error *err)
{
    const struct cudnn *cudnn = &task->cudnn;
    int n[4];
    cudnn_shape(task->problem, CONV_FILTERS, n);
    return cudnn_call(cudnn, err, filter_open, &task->filters) &&
           cudnn_call(cudnn, err, filter_set, task->filters, task->type->element, task->layout, n[0], n[1], n[2], n[3]);
}

static bool convolution_create(struct cudnn_task *task, bool is_fast, struct error *err)
{
    const struct cudnn *cudnn = &task->cudnn;
    const int pad = (int)task->problem->dim[CONV_PAD], stride = (int)task->problem->dim[CONV_STRIDE];
    return cudnn_call(cudnn, err, convolution_open, &task->convolution) &&
           cudnn_call(cudnn, err, convolution_set, task->convolution, pad, pad, stride, stride, 1, 1,
                      CUDNN_CROSS_CORRELATION, task->type->sum) &&
           cudnn_call(cudnn, err, convolution_math, task->convolution, (int)(is_fast ? CUDNN_FMA : task->type->math));
}

/* Describes the convolution, and sets the ways to compute it. */
static bool describe(struct cudnn_task *task, const struct convolution_method *method, struct error *err)
{
    for (enum cudnn_algorithm algorithm = method->first; algorithm < method->end; algorithm++) {
        struct cudnn_way *way = &task->way[task->ways++];
        way->algorithm = algorithm;
        text_copy(way->name, sizeof way->name, algorithm_names[algorithm]);
    }
    if (task->ways == 0)
        return cudnn_graph_open(task, err);
    return tensor_create(task, &task->in, task->layout, task->type->element, CONV_IN, err) &&
           filter_create(task, err) &&
           tensor_create(task, &task->out, task->layout, task->type->element, CONV_OUT, err) &&
           convolution_create(task, method->is_fast, err);
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
    if (method->is_fast && problem->dtype != DTYPE_F32 && problem->dtype != DTYPE_TF32)
        return fail(err, STATUS_UNSUPPORTED,
                    "cuDNN's fast algorithms round what they transform to %s; only in f32 is it known how far that "
                    "takes them",
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
    struct cudnn_tensor *tensors[] = { task->in, task->out, NULL, NULL, NULL, NULL, NULL, NULL };
    for (unsigned i = 0; i < CONV_OPERANDS; i++) {
        tensors[2 + 2 * i] = task->place[i].given;
        tensors[3 + 2 * i] = task->place[i].kept;
        cuda_release(task->session, task->place[i].buffer);
    }
    for (unsigned i = 0; i < sizeof tensors / sizeof *tensors; i++)
        if (tensors[i])
            CUDNN(call, tensor_close, tensors[i]);
    if (task->filters)
        CUDNN(call, filter_close, task->filters);
    if (task->convolution)
        CUDNN(call, convolution_close, task->convolution);
    cudnn_graph_close(task);
    cuda_release(task->session, task->workspace);
    cudnn_close(&task->cudnn);
}

/* Tensor cores multiply TF32 since compute capability 8.0 (CUDA C++ Programming Guide, compute capabilities). Older
 * GPUs compute it in f32, and so does every method that allows FMA only. */
static bool is_in_f32(const struct session *session, const struct problem *problem,
                      const struct convolution_method *method)
{
    return problem->dtype == DTYPE_TF32 &&
           (method->is_fast || cuda_attribute(&session->driver, session->ordinal, CUDA_CAPABILITY_MAJOR) < 8);
}

/* "cuDNN 9.19.0 gemm, faster than ..., NHWC, computed in f32". Where that is too long, the list of algorithms is cut.
 */
static void detail_write(const struct cudnn_task *task, const struct convolution_method *method, const char *algorithms,
                         char detail[DETAIL_MAX])
{
    const struct cudnn *cudnn = &task->cudnn;
    char after[100];
    snprintf(after, sizeof after, "%s%s%s%s%s", method->layout == CUDNN_NHWC ? ", NHWC" : "",
             is_in_f32(task->session, task->problem, method) ? ", computed in f32" : "",
             *cudnn->ignored_variables ? ", " : "", cudnn->ignored_variables,
             *cudnn->ignored_variables ? " ignored" : "");
    const size_t room = DETAIL_MAX - strlen(after);
    snprintf(detail, room, "%s %s", cudnn->name, algorithms);
    strcat(detail, after);
}

static bool conv_open(void *opaque, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                      struct error *err)
{
    char algorithms[120];
    struct cudnn_task *task = opaque;
    const struct convolution_method *method = methods;
    while (strcmp(method->name, job->method->name) != 0)
        method++; /* the routine was found by that name */
    cuda_operands(job, task->given);
    task->session = session;
    task->problem = job->problem;
    task->type = &types[job->problem->dtype];
    task->layout = method->layout;
    if (!conv_fits(job->problem, method, err) || !cudnn_open(&task->cudnn, session, err) ||
        !describe(task, method, err) || !conv_place(task, job, err) ||
        !cudnn_choose(task, algorithms, sizeof algorithms, err))
        return false;
    detail_write(task, method, algorithms, detail);
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

static bool conv_repack(void *opaque, unsigned queue, unsigned operand, enum repack_way way, struct error *err)
{
    struct cudnn_task *task = opaque;
    const struct cudnn_place *place = operand < CONV_OPERANDS ? &task->place[operand] : NULL;
    if (!place || !place->buffer)
        return fail(err, STATUS_FAILED, "operand %u has no second layout", operand);
    const uint64_t given = task->given[operand], kept = place->buffer->address;
    return way == REPACK_IN ? cudnn_transform(task, queue, place->given, given, place->kept, kept, err)
                            : cudnn_transform(task, queue, place->kept, kept, place->given, given, err);
}

#define CONV sizeof(struct cudnn_task), conv_open, cudnn_run, conv_close, conv_repacks, conv_repack
const struct routine cuda_cudnn[] = {
    { "conv", "cudnn", CONV },
    { "conv", "cudnn-nhwc", CONV },
    { "conv", "cudnn-graph", CONV },
    { "conv", "cudnn-graph-nhwc", CONV },
    { "conv", "cudnn-winograd", CONV },
    { "conv", "cudnn-fft", CONV },
    { 0 },
};
