/* A libcublas for tests, and with cublaslt.c a libcublasLt, on the memory of the driver's double. It multiplies
 * matrices of every type, with exactly the precision that the call asks for. Omissions of the caller have consequences:
 * without a workspace of its own there is no result, sums of narrow types are rounded unless that is forbidden, and
 * NVIDIA_TF32_OVERRIDE=1 makes f32 into TF32. CUDA_DOUBLE_FAULT works as in the driver. */

#include "cublas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NO_REDUCED_SUMS = 16 };

struct handle {
    struct stream *stream;
    void *workspace; /* NULL: from the library's own pool */
    size_t workspace_bytes;
    int math;
    bool is_tf32_forced;
};

int planned_for(const char *name)
{
    const int planned = cuda_double_answer(name);
    return planned >= 100 ? EXECUTION_FAILED : planned;
}

int cublasGetProperty(int type, int *value)
{
    static const int numbers[] = { CUBLAS_MAJOR, 4, 2 };
    if (type < 0 || type > 2)
        return BAD_VALUE;
    *value = numbers[type];
    return SUCCESS;
}

int cublasCreate_v2(struct handle **handle)
{
    const int planned = planned_for(__func__);
    if (planned != SUCCESS)
        return planned;
    const char *forced = getenv("NVIDIA_TF32_OVERRIDE");
    *handle = calloc(1, sizeof **handle);
    if (!*handle)
        return ALLOC_FAILED;
    (*handle)->is_tf32_forced = forced && strcmp(forced, "1") == 0;
    cuda_double_hold(1);
    return SUCCESS;
}

int cublasDestroy_v2(struct handle *handle)
{
    free(handle);
    cuda_double_hold(-1);
    return planned_for(__func__);
}

/* Resets the workspace, as the real library does. */
int cublasSetStream_v2(struct handle *handle, struct stream *stream)
{
    const int planned = planned_for(__func__);
    if (planned != SUCCESS)
        return planned;
    handle->stream = stream;
    handle->workspace = NULL;
    return SUCCESS;
}

int cublasSetWorkspace_v2(struct handle *handle, void *workspace, size_t bytes)
{
    const int planned = planned_for(__func__);
    if (planned != SUCCESS)
        return planned;
    cuda_double_asked(__func__, bytes);
    if ((uintptr_t)workspace % 256 != 0)
        return BAD_VALUE;
    handle->workspace = workspace;
    handle->workspace_bytes = bytes;
    return SUCCESS;
}

int cublasSetMathMode(struct handle *handle, int mode)
{
    const int planned = planned_for(__func__);
    if (planned != SUCCESS)
        return planned;
    handle->math = mode;
    return SUCCESS;
}

enum dtype dtype_of(int type)
{
    return type == DOUBLE  ? DTYPE_F64
           : type == FLOAT ? DTYPE_F32
           : type == HALF  ? DTYPE_F16
           : type == BYTE  ? DTYPE_I8
           : type == INT   ? DTYPE_I32
                           : DTYPE_BF16;
}

/* With the 10 fraction bits of TF32, to nearest, ties to even. */
static double as_tf32(double value)
{
    const uint32_t bits = float_bits((float)value);
    return isfinite(value) ? (double)float_from_bits((bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffU) : value;
}

bool takes_bytes(int64_t m, int64_t k, const void *a, int64_t a_stride, const void *b, int64_t b_stride)
{
    return (m | k | a_stride | b_stride) % 4 == 0 && ((uintptr_t)a | (uintptr_t)b) % 4 == 0;
}

double sum_up(const struct sum *sum, int64_t row, int64_t column)
{
    double total = 0;
    for (int64_t i = 0; i < sum->k; i++) {
        const int64_t at_a = sum->a_is_transposed ? i + row * sum->a_stride : row + i * sum->a_stride;
        const int64_t at_b = sum->b_is_transposed ? column + i * sum->b_stride : i + column * sum->b_stride;
        double a = element_at(sum->a, sum->dtype, at_a), b = element_at(sum->b, sum->dtype, at_b), rounded;
        if (sum->compute == IN_TF32) {
            a = as_tf32(a);
            b = as_tf32(b);
        }
        total += a * b;
        if (sum->compute != IN_DOUBLE && sum->compute != IN_INT)
            total = (double)(float)total;
        if (sum->is_reduced) {
            element_put(&rounded, sum->dtype, 0, total);
            total = element_at(&rounded, sum->dtype, 0);
        }
    }
    return total;
}

int cublasGemmEx_64(struct handle *handle, int a_way, int b_way, int64_t m, int64_t n, int64_t k, const void *alpha,
                    const void *a, int a_type, int64_t a_stride, const void *b, int b_type, int64_t b_stride,
                    const void *beta, void *c, int c_type, int64_t c_stride, int compute, int algorithm)
{
    const bool is_double = compute == IN_DOUBLE, is_small = a_type == HALF || a_type == BFLOAT16;
    const int planned = planned_for(__func__);
    if (planned != SUCCESS)
        return planned;
    if (!handle)
        return NOT_INITIALIZED;
    if (!handle->stream || !handle->workspace || handle->workspace_bytes < 4 << 20)
        return INTERNAL_ERROR;
    if (m <= 0 || n <= 0 || k <= 0 || a_stride < (a_way ? k : m) || b_stride < (b_way ? n : k) || c_stride < m ||
        ((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) % dtype_bytes(dtype_of(a_type)) != 0)
        return BAD_VALUE;
    const bool is_int = compute == IN_INT;
    const double one = element_at(alpha, is_double ? DTYPE_F64 : is_int ? DTYPE_I32 : DTYPE_F32, 0);
    const double zero = element_at(beta, is_double ? DTYPE_F64 : is_int ? DTYPE_I32 : DTYPE_F32, 0);
    if (is_int && (a_way != 1 || b_way != 0 || !takes_bytes(m, k, a, a_stride, b, b_stride)))
        return NOT_SUPPORTED;
    if ((unsigned)a_way > 1 || (unsigned)b_way > 1 || a_type != b_type || c_type != (is_int ? INT : a_type) ||
        is_int != (a_type == BYTE) || is_double != (a_type == DOUBLE) || (compute == IN_TF32 && a_type != FLOAT) ||
        algorithm != -1 || one != 1 || zero != 0)
        return NOT_SUPPORTED;
    const struct sum sum = { dtype_of(a_type),
                             handle->is_tf32_forced && a_type == FLOAT ? IN_TF32 : compute,
                             a,
                             b,
                             a_stride,
                             b_stride,
                             k,
                             is_small && !(handle->math & NO_REDUCED_SUMS),
                             a_way == 1,
                             b_way == 1 };
    for (int64_t column = 0; column < n; column++)
        for (int64_t row = 0; row < m; row++)
            element_put(c, dtype_of(c_type), row + column * c_stride, sum_up(&sum, row, column));
    return SUCCESS;
}

int cublasGemmEx(struct handle *handle, int a_way, int b_way, int m, int n, int k, const void *alpha, const void *a,
                 int a_type, int a_stride, const void *b, int b_type, int b_stride, const void *beta, void *c,
                 int c_type, int c_stride, int compute, int algorithm)
{
    const int planned = planned_for(__func__);
    if (planned != SUCCESS)
        return planned;
    return cublasGemmEx_64(handle, a_way, b_way, m, n, k, alpha, a, a_type, a_stride, b, b_type, b_stride, beta, c,
                           c_type, c_stride, compute, algorithm);
}
