#include "bench/backends/cuda/cudnn.h"
#include "harness/base/text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The dims of the workload, in order. */
enum { N, C, H, W, K, R, S, STRIDE, PAD };

/* An operand that is also kept in NHWC, with both layouts for copies between them. */
struct place {
    struct cudnn_tensor *given, *kept;
    struct buffer *buffer; /* NULL: used in the workload's layout */
};

struct conv {
    struct cudnn_task task;
    uint64_t given[OPERANDS_MAX]; /* the operands' addresses */
    struct place place[CONV_OPERANDS];
};

/* The library's types of elements and sums, and how it multiplies. Only FMA keeps f32 from being rounded to TF32: the
 * default rounds wherever tensor cores can. `copied_as` is the element type in layout copies: the manual does not say
 * whether these support bfloat16. As float16 the same bits are multiplied by 1 and unchanged below 2^121. */
static const struct type {
    enum cudnn_type element, sum;
    enum cudnn_math math;
    enum cudnn_type copied_as;
} types[DTYPE_COUNT] = {
    [DTYPE_F32] = { CUDNN_F32, CUDNN_F32, CUDNN_FMA, CUDNN_F32 },
    [DTYPE_F64] = { CUDNN_F64, CUDNN_F64, CUDNN_TENSOR_CORES, CUDNN_F64 },
    [DTYPE_F16] = { CUDNN_F16, CUDNN_F32, CUDNN_TENSOR_CORES, CUDNN_F16 },
    [DTYPE_BF16] = { CUDNN_BF16, CUDNN_F32, CUDNN_TENSOR_CORES, CUDNN_F16 },
    [DTYPE_TF32] = { CUDNN_F32, CUDNN_F32, CUDNN_TENSOR_CORES, CUDNN_F32 },
};

/* The algorithms that a method chooses from, and their layout. */
static const struct convolution_method {
    const char *name;
    enum cudnn_algorithm family[CUDNN_ALGORITHMS];
    enum cudnn_layout layout;
    bool is_fast; /* its intermediate values are rounded: only f32 keeps that error small */
} methods[] = {
    { "cudnn",
      { CUDNN_IMPLICIT_GEMM, CUDNN_IMPLICIT_PRECOMPUTED_GEMM, CUDNN_GEMM, CUDNN_DIRECT, CUDNN_ALGORITHMS },
      CUDNN_NCHW,
      false },
    { "cudnn-nhwc",
      { CUDNN_IMPLICIT_GEMM, CUDNN_IMPLICIT_PRECOMPUTED_GEMM, CUDNN_GEMM, CUDNN_DIRECT, CUDNN_ALGORITHMS },
      CUDNN_NHWC,
      false },
    { "cudnn-winograd", { CUDNN_WINOGRAD, CUDNN_WINOGRAD_NONFUSED, CUDNN_ALGORITHMS }, CUDNN_NCHW, true },
    { "cudnn-fft", { CUDNN_FFT, CUDNN_FFT_TILING, CUDNN_ALGORITHMS }, CUDNN_NCHW, true },
};

/* The four lengths of an operand, channels second. */
static void shape_of(const struct problem *problem, unsigned which, int shape[4])
{
    const int64_t *dim = problem->dim;
    const int64_t p = (dim[H] + 2 * dim[PAD] - dim[R]) / dim[STRIDE] + 1,
                  q = (dim[W] + 2 * dim[PAD] - dim[S]) / dim[STRIDE] + 1;
    const int64_t shapes[CONV_OPERANDS][4] = { [CONV_IN] = { dim[N], dim[C], dim[H], dim[W] },
                                               [CONV_FILTERS] = { dim[K], dim[C], dim[R], dim[S] },
                                               [CONV_OUT] = { dim[N], dim[K], p, q } };
    for (unsigned i = 0; i < 4; i++)
        shape[i] = (int)shapes[which][i];
}

static bool tensor_create(const struct cudnn *cudnn, struct cudnn_tensor **out, enum cudnn_layout layout,
                          enum cudnn_type type, const struct problem *problem, unsigned which, struct error *err)
{
    int n[4];
    shape_of(problem, which, n);
    return cudnn_check(cudnn, cudnn->call.tensor_open(out), "cudnnCreateTensorDescriptor", err) &&
           cudnn_check(cudnn, cudnn->call.tensor_set(*out, layout, type, n[0], n[1], n[2], n[3]),
                       "cudnnSetTensor4dDescriptor", err);
}

static bool filter_create(const struct cudnn *cudnn, struct cudnn_filter **out, enum cudnn_layout layout,
                          enum cudnn_type type, const struct problem *problem, struct error *err)
{
    int n[4];
    shape_of(problem, CONV_FILTERS, n);
    return cudnn_check(cudnn, cudnn->call.filter_open(out), "cudnnCreateFilterDescriptor", err) &&
           cudnn_check(cudnn, cudnn->call.filter_set(*out, type, layout, n[0], n[1], n[2], n[3]),
                       "cudnnSetFilter4dDescriptor", err);
}

static bool convolution_create(struct cudnn_task *task, const struct problem *problem,
                               const struct convolution_method *method, struct error *err)
{
    const struct cudnn *cudnn = &task->cudnn;
    const struct type *type = &types[problem->dtype];
    const int pad = (int)problem->dim[PAD], stride = (int)problem->dim[STRIDE];
    return cudnn_check(cudnn, cudnn->call.convolution_open(&task->convolution), "cudnnCreateConvolutionDescriptor",
                       err) &&
           cudnn_check(cudnn,
                       cudnn->call.convolution_set(task->convolution, pad, pad, stride, stride, 1, 1,
                                                   CUDNN_CROSS_CORRELATION, type->sum),
                       "cudnnSetConvolution2dDescriptor", err) &&
           cudnn_check(cudnn,
                       cudnn->call.convolution_math(task->convolution, (int)(method->is_fast ? CUDNN_FMA : type->math)),
                       "cudnnSetConvolutionMathType", err);
}

static bool describe(struct cudnn_task *task, const struct problem *problem, const struct convolution_method *method,
                     struct error *err)
{
    const enum cudnn_type type = types[problem->dtype].element;
    return tensor_create(&task->cudnn, &task->in, method->layout, type, problem, CONV_IN, err) &&
           filter_create(&task->cudnn, &task->filters, method->layout, type, problem, err) &&
           tensor_create(&task->cudnn, &task->out, method->layout, type, problem, CONV_OUT, err) &&
           convolution_create(task, problem, method, err);
}

/* Allocates memory for one operand in the method's layout, and describes both layouts. */
static bool place_create(struct conv *conv, const struct problem *problem, unsigned which, size_t bytes,
                         enum cudnn_layout layout, struct error *err)
{
    struct place *place = &conv->place[which];
    const enum cudnn_type type = types[problem->dtype].copied_as;
    place->buffer = cuda_alloc(conv->task.session, bytes, MEMORY_PAGEABLE, err);
    if (!place->buffer)
        return false;
    conv->task.address[which] = place->buffer->address;
    return tensor_create(&conv->task.cudnn, &place->given, CUDNN_NCHW, type, problem, which, err) &&
           tensor_create(&conv->task.cudnn, &place->kept, layout, type, problem, which, err);
}

/* The workspace may use what the method declared, less the operands in its own layout. */
static bool conv_place(struct conv *conv, const struct job *job, const struct convolution_method *method,
                       struct error *err)
{
    struct operand operand[OPERANDS_MAX];
    double most = job->method->workspace(job->problem);
    job->problem->workload->operands(job->problem, operand);
    for (unsigned i = 0; i < CONV_OPERANDS; i++) {
        const size_t bytes = (size_t)operand[i].count * dtype_bytes(operand[i].dtype);
        conv->task.address[i] = conv->given[i];
        if (method->layout == CUDNN_NCHW)
            continue;
        most -= (double)bytes;
        if (!place_create(conv, job->problem, i, bytes, method->layout, err))
            return false;
    }
    conv->task.most = most > 0 ? (size_t)most : 0;
    return true;
}

static bool conv_fits(const struct problem *problem, const struct convolution_method *method, struct error *err)
{
    struct operand operand[OPERANDS_MAX];
    problem->workload->operands(problem, operand);
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
    struct conv *conv = opaque;
    struct cudnn_task *task = &conv->task;
    const struct cudnn_calls *call = &task->cudnn.call;
    struct cudnn_tensor *tensors[] = { task->in, task->out, NULL, NULL, NULL, NULL, NULL, NULL };
    for (unsigned i = 0; i < CONV_OPERANDS; i++) {
        tensors[2 + 2 * i] = conv->place[i].given;
        tensors[3 + 2 * i] = conv->place[i].kept;
        cuda_release(task->session, conv->place[i].buffer);
    }
    for (unsigned i = 0; i < sizeof tensors / sizeof *tensors; i++)
        if (tensors[i])
            CALL("cudnnDestroyTensorDescriptor", call->tensor_close(tensors[i]));
    if (task->filters)
        CALL("cudnnDestroyFilterDescriptor", call->filter_close(task->filters));
    if (task->convolution)
        CALL("cudnnDestroyConvolutionDescriptor", call->convolution_close(task->convolution));
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
static void detail_write(const struct conv *conv, const struct problem *problem,
                         const struct convolution_method *method, const char *algorithms, char detail[DETAIL_MAX])
{
    const struct cudnn *cudnn = &conv->task.cudnn;
    char after[100];
    snprintf(after, sizeof after, "%s%s%s%s%s", method->layout == CUDNN_NHWC ? ", NHWC" : "",
             is_in_f32(conv->task.session, problem, method) ? ", computed in f32" : "",
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
    struct conv *conv = opaque;
    struct cudnn_task *task = &conv->task;
    const struct convolution_method *method = methods;
    while (strcmp(method->name, job->method->name) != 0)
        method++; /* the routine was found by that name */
    cuda_operands(job, conv->given);
    task->session = session;
    task->is_double = types[job->problem->dtype].sum == CUDNN_F64;
    if (!conv_fits(job->problem, method, err) || !cudnn_open(&task->cudnn, session, err) ||
        !describe(task, job->problem, method, err) || !conv_place(conv, job, method, err) ||
        !cudnn_choose(task, method->family, algorithms, sizeof algorithms, err))
        return false;
    detail_write(conv, job->problem, method, algorithms, detail);
    return true;
}

static bool conv_submit(void *opaque, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    struct conv *conv = opaque;
    (void)part;
    return cudnn_run(&conv->task, queue, span, err);
}

static unsigned conv_repacks(const void *opaque)
{
    const struct conv *conv = opaque;
    unsigned bits = 0;
    for (unsigned i = 0; i < CONV_OPERANDS; i++)
        if (conv->place[i].buffer)
            bits |= 1u << i;
    return bits;
}

static bool conv_repack(void *opaque, unsigned queue, unsigned operand, enum repack_way way, struct error *err)
{
    struct conv *conv = opaque;
    struct cudnn_task *task = &conv->task;
    const struct place *place = operand < CONV_OPERANDS ? &conv->place[operand] : NULL;
    if (!place || !place->buffer)
        return fail(err, STATUS_FAILED, "operand %u has no second layout", operand);
    const uint64_t given = conv->given[operand], kept = place->buffer->address;
    return way == REPACK_IN ? cudnn_transform(task, queue, place->given, given, place->kept, kept, err)
                            : cudnn_transform(task, queue, place->kept, kept, place->given, given, err);
}

#define CONV sizeof(struct conv), conv_open, conv_submit, conv_close, conv_repacks, conv_repack
const struct routine cuda_cudnn[] = {
    { "conv", "cudnn", CONV },
    { "conv", "cudnn-nhwc", CONV },
    { "conv", "cudnn-winograd", CONV },
    { "conv", "cudnn-fft", CONV },
    { 0 },
};
