#ifndef BENCH_BACKENDS_CUDA_CUBLASLT_H
#define BENCH_BACKENDS_CUDA_CUBLASLT_H

/* The part of NVIDIA's cuBLASLt that is called. It lies beside cuBLAS and is loaded with it. The prototypes are our
 * own, after its reference manual. All calls return a cublasStatus_t. */

#include "bench/backends/cuda/cublas.h"

struct cublaslt_handle;
struct cublaslt_operation;
struct cublaslt_layout;
struct cublaslt_preference;
struct cublaslt_transform;

/* What its heuristics answer (cublasLtMatmulHeuristicResult_t): an algorithm, the bytes of workspace that it needs, and
 * whether it can compute the problem. */
struct cublaslt_answer {
    uint64_t algorithm[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
};

/* cublasLtMatmulPreferenceAttributes_t, cublasLtReductionScheme_t. */
enum { CUBLASLT_MOST_WORKSPACE = 1, CUBLASLT_REDUCTIONS = 3 };
enum { CUBLASLT_SUMS_IN_THEIR_OWN_TYPE = 2 };
/* cublasLtMatmulDescAttributes_t, cublasLtMatrixTransformDescAttributes_t: a cublasOperation_t. */
enum { CUBLASLT_FIRST_IS_TRANSPOSED = 3, CUBLASLT_TRANSPOSES = 2 };

/* heuristics: the most promising first. matmul: d = one a b + zero c, column-major. transform: c = one a' + zero b. */
#define CUBLASLT_CALLS(CALL)                                                                                           \
    CALL(create, "cublasLtCreate", struct cublaslt_handle **handle)                                                    \
    CALL(destroy, "cublasLtDestroy", struct cublaslt_handle *handle)                                                   \
    CALL(operation_open, "cublasLtMatmulDescCreate", struct cublaslt_operation **operation, int compute,               \
         int scale_type)                                                                                               \
    CALL(operation_set, "cublasLtMatmulDescSetAttribute", struct cublaslt_operation *operation, int attribute,         \
         const void *value, size_t bytes)                                                                              \
    CALL(operation_close, "cublasLtMatmulDescDestroy", struct cublaslt_operation *operation)                           \
    CALL(layout_open, "cublasLtMatrixLayoutCreate", struct cublaslt_layout **layout, int type, uint64_t rows,          \
         uint64_t columns, int64_t stride)                                                                             \
    CALL(layout_close, "cublasLtMatrixLayoutDestroy", struct cublaslt_layout *layout)                                  \
    CALL(preference_open, "cublasLtMatmulPreferenceCreate", struct cublaslt_preference **preference)                   \
    CALL(preference_set, "cublasLtMatmulPreferenceSetAttribute", struct cublaslt_preference *preference,               \
         int attribute, const void *value, size_t bytes)                                                               \
    CALL(preference_close, "cublasLtMatmulPreferenceDestroy", struct cublaslt_preference *preference)                  \
    CALL(heuristics, "cublasLtMatmulAlgoGetHeuristic", struct cublaslt_handle *handle,                                 \
         struct cublaslt_operation *operation, struct cublaslt_layout *a, struct cublaslt_layout *b,                   \
         struct cublaslt_layout *c, struct cublaslt_layout *d, struct cublaslt_preference *preference, int room,       \
         struct cublaslt_answer out[], int *count)                                                                     \
    CALL(matmul, "cublasLtMatmul", struct cublaslt_handle *handle, struct cublaslt_operation *operation,               \
         const void *one, uint64_t a, struct cublaslt_layout *a_layout, uint64_t b, struct cublaslt_layout *b_layout,  \
         const void *zero, uint64_t c, struct cublaslt_layout *c_layout, uint64_t d, struct cublaslt_layout *d_layout, \
         const uint64_t algorithm[8], uint64_t workspace, size_t bytes, struct cuda_stream *stream)                    \
    CALL(transform_open, "cublasLtMatrixTransformDescCreate", struct cublaslt_transform **transform, int scale_type)   \
    CALL(transform_set, "cublasLtMatrixTransformDescSetAttribute", struct cublaslt_transform *transform,               \
         int attribute, const void *value, size_t bytes)                                                               \
    CALL(transform_close, "cublasLtMatrixTransformDescDestroy", struct cublaslt_transform *transform)                  \
    CALL(transform, "cublasLtMatrixTransform", struct cublaslt_handle *handle, struct cublaslt_transform *transform,   \
         const void *one, uint64_t a, struct cublaslt_layout *a_layout, const void *zero, uint64_t b,                  \
         struct cublaslt_layout *b_layout, uint64_t c, struct cublaslt_layout *c_layout, struct cuda_stream *stream)

LIBRARY_DECLARE(cublaslt, cublaslt_names, CUBLASLT_CALLS)

/* As CUBLAS() and cublas_call(). */
#define CUBLASLT(lt, function, ...) CALL(cublaslt_names.function, (lt)->call.function(__VA_ARGS__))
#define cublaslt_call(lt, err, function, ...)                                                                          \
    cublas_check_answer(CUBLASLT(lt, function, __VA_ARGS__), cublaslt_names.function, err)

#endif
