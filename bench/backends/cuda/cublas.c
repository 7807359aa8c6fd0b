#include "bench/backends/cuda/cublas.h"

#include <limits.h>
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
    const char *ignored = session->ignored_variables;
    snprintf(detail, DETAIL_MAX, "%s %s, %s%s%s%s", name, found->version, is_old ? how->before : how->detail,
             *ignored ? ", " : "", ignored, *ignored ? " ignored" : "");
}

bool cublas_open(struct cublas_session *out, struct session *session, enum dtype dtype, const struct gemm *gemm,
                 unsigned gemms, char detail[DETAIL_MAX], struct error *err)
{
    struct cuda_found found;
    *out = (struct cublas_session){ .session = session, .arithmetic = &cublas_arithmetics[dtype] };
    for (unsigned i = 0; i < gemms; i++)
        if (gemm[i].m > INT_MAX || gemm[i].n > INT_MAX || gemm[i].k > INT_MAX)
            return fail(err, STATUS_UNSUPPORTED, "a matrix has more than %d rows or columns, the limit of cublasGemmEx",
                        INT_MAX);
    if (!cuda_library_load(CUDA_CUBLAS, &session->target, &found, err) ||
        !library_bind(found.handle, "cuBLAS", LIBRARY_NAMES(cublas_names), &out->call, err))
        return false;
    const int code = CUBLAS(&out->call, create, &out->handle);
    if (code != CUBLAS_OK)
        out->handle = NULL;
    if (!cublas_check_answer(code, cublas_names.create, err) ||
        !cublas_call(&out->call, err, set_math, out->handle, out->arithmetic->math))
        return false;
    /* The sizes that cuBLAS's manual recommends, from Hopper on and before. */
    const size_t workspace = session->target.architecture >= 90 ? 32 << 20 : 4 << 20;
    out->workspace = cuda_alloc(session, workspace, MEMORY_PAGEABLE, err);
    struct cuda_stream *stream = cuda_queue(session, 0, err);
    if (!out->workspace || !stream || !cublas_call(&out->call, err, set_stream, out->handle, stream))
        return false;
    /* After the stream, because setting that resets it. With the library's own memory pool, the cost of a call and the
     * order of its sums would depend on earlier calls. */
    if (!cublas_call(&out->call, err, set_workspace, out->handle, out->workspace->address, out->workspace->bytes))
        return false;
    cublas_detail(detail, "cuBLAS", dtype, session, &found);
    return true;
}

void cublas_close(struct cublas_session *cublas)
{
    if (cublas->handle)
        CUBLAS(&cublas->call, destroy, cublas->handle);
    cuda_release(cublas->session, cublas->workspace);
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

static int way_of(bool is_transposed)
{
    return is_transposed ? CUBLAS_TRANSPOSED : CUBLAS_AS_IT_IS;
}

/* A row-major C = A B is a column-major C' = B' A' of the same arrays. */
bool cublas_gemm(const struct cublas_session *cublas, const struct gemm *gemm, const uint64_t operand[3],
                 struct error *err)
{
    static const double zero = 0; /* the same bits in each type */
    const struct cublas_arithmetic *how = cublas->arithmetic;
    const int a_way = way_of(gemm->a_is_transposed), b_way = way_of(gemm->b_is_transposed);
    return cublas_call(&cublas->call, err, gemm, cublas->handle, b_way, a_way, (int)gemm->n, (int)gemm->m, (int)gemm->k,
                       cublas_one(how), operand[1], how->type, (int)gemm->b_pitch, operand[0], how->type,
                       (int)gemm->a_pitch, &zero, operand[2], cublas_result(how), (int)gemm->n, how->compute,
                       CUBLAS_ALGORITHM_OF_ITS);
}
