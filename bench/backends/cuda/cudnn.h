#ifndef BENCH_BACKENDS_CUDA_CUDNN_H
#define BENCH_BACKENDS_CUDA_CUDNN_H

/* The part of cuDNN 9 that is called, loaded when a method needs it. The prototypes are our own, after the library's
 * reference manual.
 *
 * Convolutions are computed by the graph API, which knows its engines by number. They support NCHW and NHWC and all
 * five types (bfloat16 since compute capability 8.0). Where the library refuses a type, layout or GPU (NOT_SUPPORTED),
 * the row says so. */

#include "bench/backends/cuda/cuda.h"
#include "kernels/native.h"

struct cudnn_handle;
struct cudnn_tensor;
struct cudnn_descriptor;

/* cudnnDataType_t, cudnnTensorFormat_t and cudnnConvolutionMode_t. */
enum cudnn_type { CUDNN_F32 = 0, CUDNN_F64 = 1, CUDNN_F16 = 2, CUDNN_BF16 = 9 };
enum cudnn_layout { CUDNN_NCHW = 0, CUDNN_NHWC = 1 };
enum { CUDNN_CROSS_CORRELATION = 1 };

/* The descriptor_... functions and execute are the graph API (cudnn_graph.c). transform: to = alpha * from + beta * to,
 * between two layouts. alpha and beta are doubles where the type is f64, otherwise floats. */
#define CUDNN_CALLS(CALL)                                                                                              \
    CALL(open, "cudnnCreate", struct cudnn_handle **handle)                                                            \
    CALL(close, "cudnnDestroy", struct cudnn_handle *handle)                                                           \
    CALL(use_stream, "cudnnSetStream", struct cudnn_handle *handle, struct cuda_stream *stream)                        \
    CALL(tensor_open, "cudnnCreateTensorDescriptor", struct cudnn_tensor **tensor)                                     \
    CALL(tensor_set, "cudnnSetTensor4dDescriptor", struct cudnn_tensor *tensor, int layout, int type, int n, int c,    \
         int h, int w)                                                                                                 \
    CALL(tensor_close, "cudnnDestroyTensorDescriptor", struct cudnn_tensor *tensor)                                    \
    CALL(descriptor_open, "cudnnBackendCreateDescriptor", int kind, struct cudnn_descriptor **descriptor)              \
    CALL(descriptor_set, "cudnnBackendSetAttribute", struct cudnn_descriptor *descriptor, int attribute, int type,     \
         int64_t count, const void *values)                                                                            \
    CALL(descriptor_finalize, "cudnnBackendFinalize", struct cudnn_descriptor *descriptor)                             \
    CALL(descriptor_get, "cudnnBackendGetAttribute", const struct cudnn_descriptor *descriptor, int attribute,         \
         int type, int64_t room, int64_t *count, void *values)                                                         \
    CALL(descriptor_close, "cudnnBackendDestroyDescriptor", struct cudnn_descriptor *descriptor)                       \
    CALL(execute, "cudnnBackendExecute", struct cudnn_handle *handle, struct cudnn_descriptor *plan,                   \
         struct cudnn_descriptor *pack)                                                                                \
    CALL(transform, "cudnnTransformTensor", struct cudnn_handle *handle, const void *alpha,                            \
         const struct cudnn_tensor *from_tensor, const void *from, const void *beta,                                   \
         const struct cudnn_tensor *to_tensor, void *to)

struct cudnn_calls {
    CUDNN_CALLS(LIBRARY_MEMBER)
    const char *(*error_text)(int status);
    void (*last_error)(char *text, size_t room); /* the cause of this thread's latest failure */
};

struct cudnn_names {
    CUDNN_CALLS(LIBRARY_NAME)
    const char *error_text, *last_error;
};
extern const struct cudnn_names cudnn_names;

/* The library and its handle. */
struct cudnn {
    struct cudnn_calls call;
    char name[32]; /* "cuDNN 9.19.0" */
    struct cudnn_handle *handle;
};

/* That of the session, which all its tasks share: loaded at first use for the session's driver, with a handle for its
 * queue 0. NULL with err, STATUS_UNSUPPORTED where there is none for this driver. */
const struct cudnn *cudnn_of(struct session *session, struct error *err);
/* Name and functions of a loaded library. */
bool cudnn_bind(struct cudnn *out, void *library, const char *version, struct error *err);

/* True for success. Otherwise false with the entry point and its answer: STATUS_UNSUPPORTED for what the library does
 * not support, STATUS_NO_MEMORY for a refused allocation. */
bool cudnn_check_answer(const struct cudnn *cudnn, int status, const char *entry, struct error *err);
/* Calls one of its functions, noted before, as CUDA() does; and checks its answer. */
#define CUDNN(calls, function, ...) CALL(cudnn_names.function, (calls)->function(__VA_ARGS__))
#define cudnn_call(cudnn, err, function, ...)                                                                          \
    cudnn_check_answer(cudnn, CUDNN(&(cudnn)->call, function, __VA_ARGS__), cudnn_names.function, err)

/* The library's types of elements and sums. `copied_as` is the element type in layout copies. */
struct cudnn_arithmetic {
    enum cudnn_type element, sum, copied_as;
    bool has_tensor_cores; /* they compute it as precisely as its definition says */
};

/* The operands of the workload, in order. */
enum { CONV_IN, CONV_FILTERS, CONV_OUT, CONV_OPERANDS };

/* The layouts of an operand that is also kept in NHWC, for copies between them. */
struct cudnn_layouts {
    struct cudnn_tensor *given, *kept;
};

/* One way to compute a convolution: an engine with its settings. */
struct cudnn_way {
    char name[KERNEL_SHAPE_MAX]; /* "engine 38", and for its second settings "engine 38 settings 2" */
    int64_t engine;
    struct cudnn_descriptor *config;
};

/* The graph API's descriptors: first one for each operand. */
enum { CUDNN_CONVOLUTION = CONV_OPERANDS, CUDNN_OPERATION, CUDNN_GRAPH, CUDNN_PLAN, CUDNN_PACK, CUDNN_DESCRIBED };

/* A convolution as the library gets it. */
struct cudnn_task {
    struct session *session;
    const struct cudnn *cudnn;
    const struct problem *problem;
    const struct cudnn_arithmetic *type;
    enum cudnn_layout layout;
    bool is_winograd; /* its engines are those for Winograd's algorithm */
    struct cudnn_descriptor *described[CUDNN_DESCRIBED];
    uint64_t given[OPERANDS_MAX];    /* the operands' addresses */
    uint64_t address[CONV_OPERANDS]; /* in the layout for computing */
    struct cudnn_layouts layouts[CONV_OPERANDS];
    struct cudnn_way way[CUDA_ALGORITHMS_MAX];
    unsigned ways;
    struct scratch_buffer *scratch[SCRATCH_MAX]; /* each operand that is kept in NHWC, then the workspace */
    struct buffer *workspace;                    /* NULL: none is needed */
    size_t most;                                 /* the largest workspace allowed, bytes */
};

/* The four lengths of an operand, channels second. */
void cudnn_shape(const struct problem *problem, unsigned which, int shape[4]);

/* 1 and 0 in the type that the library wants for alpha and beta; 0 has the same bits in both. */
const void *cudnn_one(const struct cudnn_task *task);
extern const double cudnn_zero;
void *cudnn_pointer(uint64_t address);

/* Enqueues one convolution by the plan and the pack that are open. */
bool cudnn_run(void *task, unsigned queue, unsigned part, struct span *span, struct error *err);

/* cudnn_graph.c: describes the convolution and sets the task's ways to the first engines that the heuristics name and
 * that compute by the definition, or by Winograd's algorithm. To be closed even after a failure, with the plan and the
 * pack. */
bool cudnn_graph_open(struct cudnn_task *task, struct error *err);
void cudnn_graph_close(struct cudnn_task *task);
/* Makes a plan of a way, which needs a workspace of that many bytes, and when the task has it, the pack of addresses.
 */
bool cudnn_plan_open(struct cudnn_task *task, const struct cudnn_way *way, size_t *workspace, struct error *err);
bool cudnn_pack_open(struct cudnn_task *task, struct error *err);

#endif
