#ifndef BENCH_BACKENDS_CUDA_CUBLAS_H
#define BENCH_BACKENDS_CUDA_CUBLAS_H

/* The part of NVIDIA's cuBLAS that is called, loaded when a method needs it. The prototypes are our own, after its
 * reference manual, with the names that the library exports. */

#include "bench/backends/common/gemm.h"
#include "bench/backends/cuda/cuda.h"
#include "harness/base/library.h"

struct cublas_handle;

/* Element types (cudaDataType_t), types of products and sums (cublasComputeType_t), and freedoms of the library
 * (cublasMath_t). */
enum cublas_type {
    CUBLAS_FLOAT = 0,
    CUBLAS_DOUBLE = 1,
    CUBLAS_HALF = 2,
    CUBLAS_BYTE = 3,
    CUBLAS_INT = 10,
    CUBLAS_BFLOAT16 = 14
};
enum cublas_compute { CUBLAS_IN_FLOAT = 68, CUBLAS_IN_DOUBLE = 70, CUBLAS_IN_INT = 72, CUBLAS_IN_TF32 = 77 };
enum { CUBLAS_DEFAULT_MATH = 0, CUBLAS_NO_REDUCED_SUMS = 16 };
enum { CUBLAS_AS_IT_IS = 0, CUBLAS_TRANSPOSED = 1 }; /* cublasOperation_t */
enum { CUBLAS_ALGORITHM_OF_ITS = -1 };               /* cublasGemmAlgo_t */

/* cublasStatus_t. */
enum { CUBLAS_OK = 0 };

/* Matrices are column-major with device addresses. `one` and `zero` are on the host, in the type of the sums. */
#define CUBLAS_CALLS(CALL)                                                                                             \
    CALL(create, "cublasCreate_v2", struct cublas_handle **handle)                                                     \
    CALL(destroy, "cublasDestroy_v2", struct cublas_handle *handle)                                                    \
    CALL(set_stream, "cublasSetStream_v2", struct cublas_handle *handle, struct cuda_stream *stream)                   \
    CALL(set_workspace, "cublasSetWorkspace_v2", struct cublas_handle *handle, uint64_t workspace, size_t bytes)       \
    CALL(set_math, "cublasSetMathMode", struct cublas_handle *handle, int mode)                                        \
    CALL(gemm, "cublasGemmEx", struct cublas_handle *handle, int a_is_transposed, int b_is_transposed, int m, int n,   \
         int k, const void *one, uint64_t a, int a_type, int a_stride, uint64_t b, int b_type, int b_stride,           \
         const void *zero, uint64_t c, int c_type, int c_stride, int compute, int algorithm)

LIBRARY_DECLARE(cublas, cublas_names, CUBLAS_CALLS)

/* How an element type is multiplied and summed. Everything else that the library might do, such as summing in the type
 * of the result, is forbidden. */
struct cublas_arithmetic {
    enum cublas_type type;
    enum cublas_compute compute;
    enum cublas_type scale; /* of `one` and `zero` */
    int math;
    int since; /* the first architecture that has it; older ones compute as `before` says */
    const char *detail, *before;
};
extern const struct cublas_arithmetic cublas_arithmetics[DTYPE_COUNT];

/* 1 in the type of the sums, and the type of the result. */
const void *cublas_one(const struct cublas_arithmetic *how);
int cublas_result(const struct cublas_arithmetic *how);

/* Writes "NAME 12.4.2, f32 accumulation": how this GPU computes products in `dtype`, and which variables of the
 * environment were removed. `name` is that of the library. */
void cublas_detail(char detail[DETAIL_MAX], const char *name, enum dtype dtype, const struct session *session,
                   const struct cuda_found *found);

/* True for success. Otherwise false with the entry point and the meaning of its cublasStatus_t. */
bool cublas_check_answer(int code, const char *entry, struct error *err);
/* Calls one of its functions, noted before, as CUDA() does; and checks its answer. */
#define CUBLAS(calls, function, ...) CALL(cublas_names.function, (calls)->function(__VA_ARGS__))
#define cublas_call(calls, err, function, ...)                                                                         \
    cublas_check_answer(CUBLAS(calls, function, __VA_ARGS__), cublas_names.function, err)

#endif
