#include "bench/backends/cuda/cublas.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

const struct library_symbol cublas_symbols[] = {
    { "cublasCreate_v2", offsetof(struct cublas, create) },
    { "cublasDestroy_v2", offsetof(struct cublas, destroy) },
    { "cublasSetStream_v2", offsetof(struct cublas, set_stream) },
    { "cublasSetWorkspace_v2", offsetof(struct cublas, set_workspace) },
    { "cublasSetMathMode", offsetof(struct cublas, set_math) },
    { "cublasGemmEx", offsetof(struct cublas, gemm) },
    { 0 },
};
const struct library_symbol cublas_wide_symbols[] = {
    { "cublasGemmEx_64", offsetof(struct cublas, wide_gemm) },
    { 0 },
};

static bool cublas_load(struct cublas *out, const struct session *session, struct cuda_found *found, struct error *err)
{
    if (!cuda_library_load(CUDA_CUBLAS, &session->target, found, err) ||
        !library_bind(found->handle, "cuBLAS", cublas_symbols, out, err))
        return false;
    library_bind_newer(found->handle, cublas_wide_symbols, out);
    return true;
}

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
    { 11, STATUS_FAILED, "CUBLAS_STATUS_MAPPING_ERROR", "cuBLAS cannot access the GPU's memory" },
    { 13, STATUS_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "a kernel of cuBLAS failed on the GPU" },
    { 14, STATUS_FAILED, "CUBLAS_STATUS_INTERNAL_ERROR", "an operation inside cuBLAS failed" },
    { 15, STATUS_UNSUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "cuBLAS does not support this on this GPU" },
    { 16, STATUS_UNSUPPORTED, "CUBLAS_STATUS_LICENSE_ERROR", "cuBLAS's licence does not allow this" },
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
    [DTYPE_F32] = { CUBLAS_FLOAT, CUBLAS_IN_FLOAT, CUBLAS_DEFAULT_MATH, 0, "f32 accumulation, no TF32", NULL },
    [DTYPE_F64] = { CUBLAS_DOUBLE, CUBLAS_IN_DOUBLE, CUBLAS_DEFAULT_MATH, 0, "f64 accumulation", NULL },
    [DTYPE_F16] = { CUBLAS_HALF, CUBLAS_IN_FLOAT, CUBLAS_NO_REDUCED_SUMS, 0, "f32 accumulation", NULL },
    [DTYPE_BF16] = { CUBLAS_BFLOAT16, CUBLAS_IN_FLOAT, CUBLAS_NO_REDUCED_SUMS, 0, "f32 accumulation", NULL },
    [DTYPE_TF32] = { CUBLAS_FLOAT, CUBLAS_IN_TF32, CUBLAS_DEFAULT_MATH, 80, "TF32 products, f32 accumulation",
                     "computed in f32: no TF32 before sm_80" },
    [DTYPE_I8] = { CUBLAS_BYTE, CUBLAS_IN_INT, CUBLAS_DEFAULT_MATH, 0, "i32 accumulation", NULL },
};

void cublas_detail(char detail[DETAIL_MAX], const char *name, enum dtype dtype, const struct session *session,
                   const struct cuda_found *found)
{
    const struct cublas_arithmetic *how = &cublas_arithmetics[dtype];
    const bool is_old = session->target.architecture < how->since && how->before;
    snprintf(detail, DETAIL_MAX, "%s %s, %s%s%s%s", name, found->version, is_old ? how->before : how->detail,
             *found->ignored_variables ? ", " : "", found->ignored_variables,
             *found->ignored_variables ? " ignored" : "");
}

/* A multiplication bound to its operands. */
struct cublas_work {
    struct session *session;
    const struct cublas_arithmetic *arithmetic;
    struct cublas cublas;
    bool is_wide;
    struct cublas_handle *handle;
    struct buffer *workspace;
    unsigned queue; /* the one that the handle uses */
    int64_t m, n, k;
    uint64_t a, b, c;
};

enum { M, N, K }; /* the dims of the workload */

/* The workspace sizes that cuBLAS's manual recommends: 32 MiB from Hopper on, 4 MiB before. */
static size_t workspace_bytes(const struct session *session)
{
    return (size_t)(session->target.architecture >= 90 ? 32 : 4) << 20;
}

/* Set after the stream, because setting the stream resets it. With the library's own memory pool, the cost of a call
 * and the order of its sums would depend on earlier calls. */
static bool queue_bind(struct cublas_work *work, unsigned queue, struct error *err)
{
    struct cuda_stream *stream = cuda_queue(work->session, queue, err);
    if (!stream)
        return false;
    work->queue = queue;
    return cublas_check(work->cublas.set_stream(work->handle, stream), "cublasSetStream", err) &&
           cublas_check(work->cublas.set_workspace(work->handle, work->workspace->address, work->workspace->bytes),
                        "cublasSetWorkspace", err);
}

/* A row-major C = A B is a column-major C' = B' A' of the same arrays, so nothing is transposed. */
static int gemm(const struct cublas_work *work)
{
    static const float one = 1, zero = 0;
    static const double double_one = 1, double_zero = 0;
    static const int32_t int_one = 1, int_zero = 0;
    const struct cublas_arithmetic *how = work->arithmetic;
    const bool is_double = how->compute == CUBLAS_IN_DOUBLE, is_int = how->compute == CUBLAS_IN_INT;
    const void *alpha = is_double ? (const void *)&double_one
                        : is_int  ? (const void *)&int_one
                                  : &one,
               *beta = is_double ? (const void *)&double_zero
                       : is_int  ? (const void *)&int_zero
                                 : &zero;
    const int result = is_int ? CUBLAS_INT : (int)how->type;
    const int64_t m = work->m, n = work->n, k = work->k;
    if (work->is_wide)
        return work->cublas.wide_gemm(work->handle, CUBLAS_AS_IT_IS, CUBLAS_AS_IT_IS, n, m, k, alpha, work->b,
                                      how->type, n, work->a, how->type, k, beta, work->c, result, n, how->compute,
                                      CUBLAS_ALGORITHM_OF_ITS);
    return work->cublas.gemm(work->handle, CUBLAS_AS_IT_IS, CUBLAS_AS_IT_IS, (int)n, (int)m, (int)k, alpha, work->b,
                             how->type, (int)n, work->a, how->type, (int)k, beta, work->c, result, (int)n, how->compute,
                             CUBLAS_ALGORITHM_OF_ITS);
}

static bool matmul_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    (void)part;
    struct cublas_work *work = context;
    /* One workspace serves one run at a time. */
    if (queue != work->queue && (!cuda_finish(work->session, work->queue, err) || !queue_bind(work, queue, err)))
        return false;
    return cuda_span_begin(work->session, queue, span, err) &&
           cublas_check(gemm(work), work->is_wide ? "cublasGemmEx_64" : "cublasGemmEx", err) &&
           cuda_span_end(work->session, queue, span, err);
}

static void matmul_close(void *context)
{
    struct cublas_work *work = context;
    if (work->handle)
        CALL("cublasDestroy", work->cublas.destroy(work->handle));
    cuda_release(work->session, work->workspace);
}

/* The ordinary call takes sizes of 32 bits, and bytes by fours: rows are that long, and aligned. */
static bool sizes_fit(struct cublas_work *work, const struct cuda_found *found, struct error *err)
{
    if (work->arithmetic->compute == CUBLAS_IN_INT && (work->n % 4 != 0 || work->k % 4 != 0))
        return fail(err, STATUS_UNSUPPORTED, "cuBLAS multiplies i8 only where n and k are multiples of 4");
    work->is_wide = work->m > INT_MAX || work->n > INT_MAX || work->k > INT_MAX;
    return !work->is_wide || work->cublas.wide_gemm ||
           fail(err, STATUS_UNSUPPORTED, "a matrix has more than %d rows or columns, the limit of cuBLAS %s", INT_MAX,
                found->version);
}

static bool handle_open(struct cublas_work *work, struct error *err)
{
    const int code = CALL("cublasCreate", work->cublas.create(&work->handle));
    if (code != CUBLAS_OK)
        work->handle = NULL;
    return cublas_check_answer(code, "cublasCreate", err) &&
           cublas_check(work->cublas.set_math(work->handle, work->arithmetic->math), "cublasSetMathMode", err);
}

/* Ends with a first run on the operands: kernels are loaded at first use, and the sizes decide which. */
static bool matmul_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                        struct error *err)
{
    const struct problem *problem = job->problem;
    struct cublas_work *work = context;
    struct cuda_found found;
    uint64_t operand[OPERANDS_MAX];
    cuda_operands(job, operand);
    *work = (struct cublas_work){ .session = session,
                                  .arithmetic = &cublas_arithmetics[problem->dtype],
                                  .m = problem->dim[M],
                                  .n = problem->dim[N],
                                  .k = problem->dim[K],
                                  .a = operand[0],
                                  .b = operand[1],
                                  .c = operand[2] };
    if (!work->arithmetic->detail)
        return fail(err, STATUS_UNSUPPORTED, "cuBLAS has no gemm in %s", dtype_name(problem->dtype));
    if (!cublas_load(&work->cublas, session, &found, err) || !sizes_fit(work, &found, err) || !handle_open(work, err))
        return false;
    work->workspace = cuda_alloc(session, workspace_bytes(session), MEMORY_PAGEABLE, err);
    if (!work->workspace || !queue_bind(work, 0, err))
        return false;
    cublas_detail(detail, "cuBLAS", problem->dtype, session, &found);
    if (matmul_submit(work, 0, 0, NULL, err) && cuda_finish(session, 0, err))
        return true;
    cuda_finish(session, 0, NULL); /* the caller releases the operands next */
    return false;
}

const struct routine cuda_cublas[] = {
    { "matmul", "cublas", sizeof(struct cublas_work), matmul_open, matmul_submit, matmul_close, NULL, NULL },
    { 0 },
};
