#include "bench/backends/cuda/cublas.h"

#include "bench/backends/cuda/portable.h"
#include "harness/base/text.h"

#include <stdio.h>

LIBRARY_DEFINE(cublas_names, CUBLAS_CALLS)

/* cublasStatus_t; some numbers are not in use. */
static const struct {
    int code;
    enum status status;
    const char *name, *meaning;
} meanings[] = {
    { 1, STATUS_FAILED, "CUBLAS_STATUS_NOT_INITIALIZED",
      "cuBLAS did not start: check its version, the driver and the GPU" },
    { 3, STATUS_NO_MEMORY, "CUBLAS_STATUS_ALLOC_FAILED", "the GPU has no memory left for cuBLAS" },
    { 7, STATUS_FAILED, "CUBLAS_STATUS_INVALID_VALUE", "cuBLAS refuses a size or a pointer" },
    { 8, STATUS_UNSUPPORTED, "CUBLAS_STATUS_ARCH_MISMATCH", "this GPU cannot compute in this type" },
    { 13, STATUS_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "a kernel of cuBLAS failed on the GPU" },
    { 14, STATUS_FAILED, "CUBLAS_STATUS_INTERNAL_ERROR", "an operation inside cuBLAS failed" },
    { 15, STATUS_UNSUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "cuBLAS does not support this on this GPU" },
};

bool cublas_check_answer(int code, const char *entry, struct error *err)
{
    if (code == CUBLAS_OK)
        return true;
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].code == code)
            return fail_in(err, entry, meanings[i].status, "%s (%d): %s", meanings[i].name, code, meanings[i].meaning);
    return fail_in(err, entry, STATUS_FAILED, "error %d, unknown to this program", code);
}

const struct cublas_arithmetic cublas_arithmetics[DTYPE_COUNT] = {
    [DTYPE_F32] = { CUBLAS_FLOAT, CUBLAS_IN_FLOAT, CUBLAS_FLOAT, CUBLAS_DEFAULT_MATH, 0, "f32 accumulation, no TF32",
                    NULL },
    [DTYPE_F64] = { CUBLAS_DOUBLE, CUBLAS_IN_DOUBLE, CUBLAS_DOUBLE, CUBLAS_DEFAULT_MATH, 0, "f64 accumulation", NULL },
    [DTYPE_F16] = { CUBLAS_HALF, CUBLAS_IN_FLOAT, CUBLAS_FLOAT, CUBLAS_NO_REDUCED_SUMS, 0, "f32 accumulation", NULL },
    [DTYPE_BF16] = { CUBLAS_BFLOAT16, CUBLAS_IN_FLOAT, CUBLAS_FLOAT, CUBLAS_NO_REDUCED_SUMS, 0, "f32 accumulation",
                     NULL },
    [DTYPE_TF32] = { CUBLAS_FLOAT, CUBLAS_IN_TF32, CUBLAS_FLOAT, CUBLAS_DEFAULT_MATH, 80,
                     "TF32 products, f32 accumulation", "computed in f32: no TF32 before sm_80" },
    [DTYPE_I8] = { CUBLAS_BYTE, CUBLAS_IN_INT, CUBLAS_INT, CUBLAS_DEFAULT_MATH, 0, "i32 accumulation, B transposed",
                   NULL },
};

void cublas_detail(char detail[DETAIL_MAX], const char *name, enum dtype dtype, const struct session *session,
                   const struct cuda_found *found)
{
    const struct cublas_arithmetic *how = &cublas_arithmetics[dtype];
    const bool is_old = session->target.architecture < how->since && how->before;
    snprintf(detail, DETAIL_MAX, "%s %s, %s%s", name, found->version, is_old ? how->before : how->detail,
             session->ignored);
}

const void *cublas_one(const struct cublas_arithmetic *how)
{
    static const float one = 1;
    static const int32_t int_one = 1;
    static const double double_one = 1;
    return how->scale == CUBLAS_DOUBLE ? (const void *)&double_one
           : how->scale == CUBLAS_INT  ? (const void *)&int_one
                                       : &one;
}

int cublas_result(const struct cublas_arithmetic *how)
{
    return how->type == CUBLAS_BYTE ? CUBLAS_INT : (int)how->type;
}

/* One product; of a step of train five, which read transposed operands in place, and a kernel of our own after each.
 * The stream runs them in order, so nothing waits in between. */
struct cublas_work {
    const struct cublas_arithmetic *arithmetic;
    struct cublas call;
    struct cublas_handle *handle;
    struct buffer *workspace;         /* serves one run at a time */
    struct cuda_portable_work passes; /* of matmul the session alone */
    bool has_passes;
    unsigned gemms;
    struct gemm gemm[TRAIN_PRODUCTS];
    uint64_t array[OPERANDS_MAX + SCRATCH_MAX];
};

/* Loads and starts the library on queue 0. */
static bool library_open(struct cublas_work *work, struct cuda_found *found, struct error *err)
{
    struct session *session = work->passes.session;
    if (!cuda_library_load(CUDA_CUBLAS, &session->target, found, err) ||
        !library_bind(found->handle, "cuBLAS", LIBRARY_NAMES(cublas_names), &work->call, err))
        return false;
    const int code = CUBLAS(&work->call, create, &work->handle);
    if (code != CUBLAS_OK)
        work->handle = NULL;
    if (!cublas_check_answer(code, cublas_names.create, err) ||
        !cublas_call(&work->call, err, set_math, work->handle, work->arithmetic->math))
        return false;
    /* The sizes that cuBLAS's manual recommends, from Hopper on and before. */
    const size_t workspace = session->target.architecture >= 90 ? 32 << 20 : 4 << 20;
    work->workspace = cuda_alloc(session, workspace, MEMORY_PAGEABLE, err);
    struct cuda_stream *stream = cuda_queue(session, 0, err);
    /* After the stream, because setting that resets it. With the library's own memory pool, the cost of a call and the
     * order of its sums would depend on earlier calls. */
    return work->workspace && stream && cublas_call(&work->call, err, set_stream, work->handle, stream) &&
           cublas_call(&work->call, err, set_workspace, work->handle, work->workspace->address, work->workspace->bytes);
}

static void cublas_close(void *context)
{
    struct cublas_work *work = context;
    cuda_portable.close(&work->passes);
    if (work->handle)
        CUBLAS(&work->call, destroy, work->handle);
    cuda_release(work->passes.session, work->workspace);
}

static int way_of(bool is_transposed)
{
    return is_transposed ? CUBLAS_TRANSPOSED : CUBLAS_AS_IT_IS;
}

/* A row-major C = A B is a column-major C' = B' A' of the same arrays. */
static bool gemm_put(const struct cublas_work *work, const struct gemm *gemm, struct error *err)
{
    static const double zero = 0; /* the same bits in each type */
    const struct cublas_arithmetic *how = work->arithmetic;
    const int a_way = way_of(gemm->a_is_transposed), b_way = way_of(gemm->b_is_transposed);
    return cublas_call(&work->call, err, gemm, work->handle, b_way, a_way, (int)gemm->n, (int)gemm->m, (int)gemm->k,
                       cublas_one(how), work->array[gemm->b], how->type, (int)gemm->b_pitch, work->array[gemm->a],
                       how->type, (int)gemm->a_pitch, &zero, work->array[gemm->c], cublas_result(how), (int)gemm->n,
                       how->compute, CUBLAS_ALGORITHM_OF_ITS);
}

static bool cublas_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    struct cublas_work *work = context;
    struct session *session = work->passes.session;
    if (!cuda_span_begin(session, queue, span, err))
        return false;
    for (unsigned i = 0; i < work->gemms; i++)
        if (!gemm_put(work, &work->gemm[i], err) ||
            (work->has_passes && !cuda_pass_submit(&work->passes, queue, i, err)))
            return false;
    return cuda_span_end(session, queue, span, err);
}

static bool cublas_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                        struct error *err)
{
    struct cublas_work *work = context;
    const enum dtype dtype = job->problem->dtype;
    char kernels[DETAIL_MAX];
    struct cuda_found found;
    work->passes.session = session;
    work->has_passes = job->method->calls_library;
    work->arithmetic = &cublas_arithmetics[dtype];
    work->gemms = gemms_of(job->problem, work->gemm);
    cuda_operands(job, work->array);
    if (dtype_is_whole(dtype))
        return fail(err, STATUS_UNSUPPORTED, "in i8 cuBLAS uses matrix units only where B is transposed: see cublaslt");
    if (!library_open(work, &found, err) ||
        (work->has_passes && !cuda_portable.open(&work->passes, session, job, kernels, err)))
        return false;
    cublas_detail(detail, "cuBLAS", dtype, session, &found);
    if (work->has_passes)
        text_append(detail, DETAIL_MAX, ", %s", kernels);
    for (unsigned i = 0; i < SCRATCH_MAX && work->passes.scratch[i]; i++)
        work->array[TRAIN_OPERANDS + i] = work->passes.scratch[i]->buffer->address;
    return routine_run(cublas_submit, work, cuda_finish, session, err);
}

const struct routine cuda_cublas = { .workload = { "matmul", "train" },
                                     .method = { "cublas" },
                                     .bytes = sizeof(struct cublas_work),
                                     .open = cublas_open,
                                     .submit = cublas_submit,
                                     .close = cublas_close };
