#ifndef BENCH_BACKENDS_CUDA_CUDNN_H
#define BENCH_BACKENDS_CUDA_CUDNN_H

/* The part of cuDNN 9 that is called, loaded when a method needs it. The prototypes are our own, after the library's
 * reference manual.
 *
 * Convolutions use the "legacy" functions, which name an algorithm: this program compares algorithms. They support NCHW
 * and NHWC and all five types (bfloat16 since compute capability 8.0). The graph API gets the new engines, and PyTorch
 * has used it since 2.0, but it knows engines by number only. Where the library refuses a type, layout or GPU
 * (NOT_SUPPORTED), the row says so. */

#include "bench/backends/cuda/cuda.h"

struct cudnn_handle;
struct cudnn_tensor;
struct cudnn_filter;
struct cudnn_convolution;

/* cudnnDataType_t, cudnnTensorFormat_t, cudnnMathType_t and cudnnConvolutionMode_t. */
enum cudnn_type { CUDNN_F32 = 0, CUDNN_F64 = 1, CUDNN_F16 = 2, CUDNN_BF16 = 9 };
enum cudnn_layout { CUDNN_NCHW = 0, CUDNN_NHWC = 1 };
enum cudnn_math { CUDNN_TENSOR_CORES = 1, CUDNN_FMA = 3 };
enum { CUDNN_CROSS_CORRELATION = 1 };

/* cudnnConvolutionFwdAlgo_t */
enum cudnn_algorithm {
    CUDNN_IMPLICIT_GEMM,
    CUDNN_IMPLICIT_PRECOMPUTED_GEMM,
    CUDNN_GEMM,
    CUDNN_DIRECT,
    CUDNN_FFT,
    CUDNN_FFT_TILING,
    CUDNN_WINOGRAD,
    CUDNN_WINOGRAD_NONFUSED,
    CUDNN_ALGORITHMS
};

struct cudnn_calls {
    const char *(*error_text)(int status);
    void (*last_error)(char *text, size_t room); /* the cause of this thread's latest failure */

    int (*open)(struct cudnn_handle **handle);
    int (*close)(struct cudnn_handle *handle);
    int (*use_stream)(struct cudnn_handle *handle, struct cuda_stream *stream);

    int (*tensor_open)(struct cudnn_tensor **tensor);
    int (*tensor_set)(struct cudnn_tensor *tensor, int layout, int type, int n, int c, int h, int w);
    int (*tensor_close)(struct cudnn_tensor *tensor);
    int (*filter_open)(struct cudnn_filter **filter);
    int (*filter_set)(struct cudnn_filter *filter, int type, int layout, int k, int c, int h, int w);
    int (*filter_close)(struct cudnn_filter *filter);
    int (*convolution_open)(struct cudnn_convolution **convolution);
    int (*convolution_set)(struct cudnn_convolution *convolution, int pad_h, int pad_w, int stride_h, int stride_w,
                           int dilation_h, int dilation_w, int mode, int type);
    int (*convolution_math)(struct cudnn_convolution *convolution, int math);
    int (*convolution_close)(struct cudnn_convolution *convolution);

    int (*workspace)(struct cudnn_handle *handle, const struct cudnn_tensor *in, const struct cudnn_filter *filters,
                     const struct cudnn_convolution *convolution, const struct cudnn_tensor *out, int algorithm,
                     size_t *bytes);
    /* out = alpha * convolution + beta * out. alpha and beta are doubles where the type is f64, otherwise floats. */
    int (*forward)(struct cudnn_handle *handle, const void *alpha, const struct cudnn_tensor *in_tensor, const void *in,
                   const struct cudnn_filter *filter, const void *filters, const struct cudnn_convolution *convolution,
                   int algorithm, void *workspace, size_t bytes, const void *beta,
                   const struct cudnn_tensor *out_tensor, void *out);
    /* to = alpha * from + beta * to, between two layouts. */
    int (*transform)(struct cudnn_handle *handle, const void *alpha, const struct cudnn_tensor *from_tensor,
                     const void *from, const void *beta, const struct cudnn_tensor *to_tensor, void *to);
};

/* The library and its handle. */
struct cudnn {
    struct cudnn_calls call;
    char name[32];              /* "cuDNN 9.19.0" */
    char ignored_variables[64]; /* environment variables that were removed for it; "" where none was set */
    struct cudnn_handle *handle;
};

/* Loads it for the session's driver and creates a handle in its context. STATUS_UNSUPPORTED where there is none for
 * this driver. To be closed even after a failure. */
bool cudnn_open(struct cudnn *out, const struct session *session, struct error *err);
void cudnn_close(struct cudnn *cudnn);
/* The first half of cudnn_open: name and functions of a loaded library. */
bool cudnn_bind(struct cudnn *out, void *library, const char *version, struct error *err);

/* True for success. Otherwise false with the entry point and its answer: STATUS_UNSUPPORTED for what the library does
 * not support, STATUS_NO_MEMORY for a refused allocation. */
bool cudnn_check_answer(const struct cudnn *cudnn, int status, const char *entry, struct error *err);
/* The same for a call of `entry`, which is noted before it begins. */
#define cudnn_check(cudnn, call, entry, err) cudnn_check_answer(cudnn, CALL(entry, call), entry, err)

/* A convolution as the library gets it. */
enum { CONV_IN, CONV_FILTERS, CONV_OUT, CONV_OPERANDS };
struct cudnn_task {
    struct session *session;
    struct cudnn cudnn;
    struct cudnn_tensor *in, *out;
    struct cudnn_filter *filters;
    struct cudnn_convolution *convolution;
    uint64_t address[CONV_OPERANDS]; /* in the layout for computing */
    bool is_double;                  /* the type of alpha and beta */
    enum cudnn_algorithm algorithm;
    struct buffer *workspace;   /* NULL: none is needed */
    size_t most;                /* the largest workspace allowed, bytes */
    struct cuda_stream *stream; /* the one that the handle uses */
};

/* Enqueues one convolution by task->algorithm. */
bool cudnn_run(struct cudnn_task *task, unsigned queue, struct span *span, struct error *err);

/* Enqueues a copy of a tensor from one layout to another. */
bool cudnn_transform(struct cudnn_task *task, unsigned queue, const struct cudnn_tensor *from_tensor, uint64_t from,
                     const struct cudnn_tensor *to_tensor, uint64_t to, struct error *err);

/* cudnn_choice.c: measures the algorithms of a family (CUDNN_ALGORITHMS after the last), sets the task's algorithm to
 * the fastest that can compute the convolution, and allocates its workspace. `text` gets the result:
 * "implicit-precomp-gemm, faster than implicit-gemm, not supported: gemm direct". STATUS_UNSUPPORTED where none can;
 * STATUS_NO_MEMORY where only memory is missing. */
bool cudnn_choose(struct cudnn_task *task, const enum cudnn_algorithm family[], char *text, size_t room,
                  struct error *err);

#endif
