#ifndef BENCH_BACKENDS_CUDA_CUBLASLT_H
#define BENCH_BACKENDS_CUDA_CUBLASLT_H

/* The part of NVIDIA's cuBLASLt that is called. It lies beside cuBLAS and is loaded with it. The prototypes are our
 * own, after its reference manual. All calls return a cublasStatus_t. */

#include "bench/backends/cuda/cublas.h"

struct cublaslt_handle;
struct cublaslt_operation;
struct cublaslt_layout;
struct cublaslt_preference;

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

struct cublaslt {
    int (*create)(struct cublaslt_handle **handle);
    int (*destroy)(struct cublaslt_handle *handle);
    int (*operation_open)(struct cublaslt_operation **operation, int compute, int scale_type);
    int (*operation_close)(struct cublaslt_operation *operation);
    int (*layout_open)(struct cublaslt_layout **layout, int type, uint64_t rows, uint64_t columns, int64_t stride);
    int (*layout_close)(struct cublaslt_layout *layout);
    int (*preference_open)(struct cublaslt_preference **preference);
    int (*preference_set)(struct cublaslt_preference *preference, int attribute, const void *value, size_t bytes);
    int (*preference_close)(struct cublaslt_preference *preference);
    /* The most promising first. */
    int (*heuristics)(struct cublaslt_handle *handle, struct cublaslt_operation *operation, struct cublaslt_layout *a,
                      struct cublaslt_layout *b, struct cublaslt_layout *c, struct cublaslt_layout *d,
                      struct cublaslt_preference *preference, int room, struct cublaslt_answer out[], int *count);
    /* d = one a b + zero c, column-major. */
    int (*matmul)(struct cublaslt_handle *handle, struct cublaslt_operation *operation, const void *one, uint64_t a,
                  struct cublaslt_layout *a_layout, uint64_t b, struct cublaslt_layout *b_layout, const void *zero,
                  uint64_t c, struct cublaslt_layout *c_layout, uint64_t d, struct cublaslt_layout *d_layout,
                  const uint64_t algorithm[8], uint64_t workspace, size_t bytes, struct cuda_stream *stream);
};
extern const struct library_symbol cublaslt_symbols[];

#endif
