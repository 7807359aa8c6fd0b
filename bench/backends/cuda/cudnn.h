#ifndef BENCH_BACKENDS_CUDA_CUDNN_H
#define BENCH_BACKENDS_CUDA_CUDNN_H

/* cuDNN 9, as much of it as is called, loaded when a method that needs it is first prepared. The prototypes are our
 * own, after the library's reference manual.
 *
 * A convolution goes through the "legacy" functions, which name an algorithm: that is what this program wants to tell
 * apart. They take NCHW and NHWC, and all five types (bfloat16 since compute capability 8.0); the graph API, which is
 * the one that gets new engines and which PyTorch calls since 2.0, knows engines by number only. What the library
 * refuses for some type, layout or GPU it refuses by NOT_SUPPORTED, and that is what the row says. */

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
    void (*last_error)(char *text, size_t room); /* what went wrong inside, of this thread's latest failure */

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
    /* out = alpha * convolution + beta * out; alpha and beta are floats, or doubles where the type is f64. */
    int (*forward)(struct cudnn_handle *handle, const void *alpha, const struct cudnn_tensor *in_tensor, const void *in,
                   const struct cudnn_filter *filter, const void *filters, const struct cudnn_convolution *convolution,
                   int algorithm, void *workspace, size_t bytes, const void *beta,
                   const struct cudnn_tensor *out_tensor, void *out);
    /* to = alpha * from + beta * to, from one layout to another. */
    int (*transform)(struct cudnn_handle *handle, const void *alpha, const struct cudnn_tensor *from_tensor,
                     const void *from, const void *beta, const struct cudnn_tensor *to_tensor, void *to);
};

/* The library and a handle of it. */
struct cudnn {
    struct cudnn_calls call;
    char name[32];              /* "cuDNN 9.19.0" */
    char ignored_variables[64]; /* variables of the environment that were kept from it, "" where none was set */
    struct cudnn_handle *handle;
};

/* Loads it for the session's driver and makes a handle in its context. STATUS_UNSUPPORTED where there is none that this
 * driver can use. To be closed even when it fails. */
bool cudnn_open(struct cudnn *out, const struct session *session, struct error *err);
void cudnn_close(struct cudnn *cudnn);
/* The first half of that: name and functions of a library that is loaded. */
bool cudnn_bind(struct cudnn *out, void *library, const char *version, struct error *err);

/* False, with the entry point and what it answered, for any status but success: STATUS_UNSUPPORTED for what the
 * library says it does not support, STATUS_NO_MEMORY for a refused allocation. */
bool cudnn_check(const struct cudnn *cudnn, int status, const char *entry, struct error *err);

/* A convolution as it is handed to the library. */
enum { CONV_IN, CONV_FILTERS, CONV_OUT, CONV_OPERANDS };
struct cudnn_task {
    struct session *session;
    struct cudnn cudnn;
    struct cudnn_tensor *in, *out;
    struct cudnn_filter *filters;
    struct cudnn_convolution *convolution;
    uint64_t address[CONV_OPERANDS]; /* in the layout that they are computed in */
    bool is_double;                  /* what alpha and beta are */
    enum cudnn_algorithm algorithm;
    struct buffer *workspace;   /* NULL: it needs none */
    size_t most;                /* bytes that it may have */
    struct cuda_stream *stream; /* that the handle works on */
};

/* Puts one convolution by task->algorithm on a queue. */
bool cudnn_run(struct cudnn_task *task, unsigned queue, struct span *span, struct error *err);

/* Puts a copy of one tensor from one layout to another on a queue. */
bool cudnn_transform(struct cudnn_task *task, unsigned queue, const struct cudnn_tensor *from_tensor, uint64_t from,
                     const struct cudnn_tensor *to_tensor, uint64_t to, struct error *err);

/* cudnn_choice.c: makes that algorithm of a family (ended by CUDNN_ALGORITHMS) the task's which is the fastest of
 * those that take the convolution, by measuring each, and allocates its workspace. What was tried goes to `text`:
 * "implicit precomputed GEMM, faster than implicit GEMM; not supported: GEMM, direct". STATUS_UNSUPPORTED where none
 * takes it, STATUS_NO_MEMORY where only memory is missing. */
bool cudnn_choose(struct cudnn_task *task, const enum cudnn_algorithm family[], char *text, size_t room,
                  struct error *err);

#endif
