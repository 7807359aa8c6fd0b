#ifndef BENCH_BACKENDS_CPU_ONEDNN_API_H
#define BENCH_BACKENDS_CPU_ONEDNN_API_H

/* oneDNN as the program uses it: its C API through pointers, since the library is loaded when a method needs it. The
 * API of version 3 differs from that of version 2 in how layouts and primitives are described. The differences are in
 * onednn_v2.c and onednn_v3.c; the build takes the one that fits the header. For all other files a layout is an opaque
 * pointer, which both versions return. */

#include "harness/base/error.h"
#include "harness/base/last_call.h"

#include <oneapi/dnnl/dnnl.h>
#include <stdbool.h>
#include <stddef.h>

#define ONEDNN_COMMON(CALL)                                                                                            \
    CALL(version)                                                                                                      \
    CALL(get_effective_cpu_isa)                                                                                        \
    CALL(engine_create)                                                                                                \
    CALL(engine_destroy)                                                                                               \
    CALL(stream_create)                                                                                                \
    CALL(stream_destroy)                                                                                               \
    CALL(stream_wait)                                                                                                  \
    CALL(primitive_attr_create)                                                                                        \
    CALL(primitive_attr_destroy)                                                                                       \
    CALL(primitive_attr_set_scratchpad_mode)                                                                           \
    CALL(primitive_desc_destroy)                                                                                       \
    CALL(primitive_desc_query)                                                                                         \
    CALL(primitive_desc_query_md)                                                                                      \
    CALL(primitive_create)                                                                                             \
    CALL(primitive_execute)                                                                                            \
    CALL(primitive_destroy)                                                                                            \
    CALL(post_ops_create)                                                                                              \
    CALL(post_ops_destroy)                                                                                             \
    CALL(post_ops_append_eltwise)                                                                                      \
    CALL(post_ops_append_binary)                                                                                       \
    CALL(primitive_attr_set_post_ops)                                                                                  \
    CALL(memory_create)                                                                                                \
    CALL(memory_destroy)                                                                                               \
    CALL(memory_desc_equal)                                                                                            \
    CALL(memory_desc_get_size)                                                                                         \
    CALL(reorder_primitive_desc_create)                                                                                \
    CALL(sgemm)

#if DNNL_VERSION_MAJOR >= 3
#define ONEDNN_OF_VERSION(CALL)                                                                                        \
    CALL(memory_desc_create_with_tag)                                                                                  \
    CALL(memory_desc_destroy)                                                                                          \
    CALL(matmul_primitive_desc_create)                                                                                 \
    CALL(convolution_forward_primitive_desc_create)
#else
#define ONEDNN_OF_VERSION(CALL)                                                                                        \
    CALL(memory_desc_init_by_tag)                                                                                      \
    CALL(matmul_desc_init)                                                                                             \
    CALL(convolution_forward_desc_init)                                                                                \
    CALL(primitive_desc_create)
#endif

/* Before 2.6 the library had nothing but strict arithmetic, and no call to ask for it. */
#if DNNL_VERSION_MAJOR > 2 || DNNL_VERSION_MINOR >= 6
#define ONEDNN_PRECISION(CALL) CALL(primitive_attr_set_fpmath_mode)
#else
#define ONEDNN_PRECISION(CALL)
#endif

#define ONEDNN_POINTER(name) __typeof__(&dnnl_##name) name;
struct onednn_calls {
    ONEDNN_COMMON(ONEDNN_POINTER)
    ONEDNN_OF_VERSION(ONEDNN_POINTER)
    ONEDNN_PRECISION(ONEDNN_POINTER)
};

/* The library, an engine on the CPU, and a stream of it. A value; closed once. */
struct onednn {
    struct onednn_calls call;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_attr_t attributes; /* float32 means float32; the caller brings the scratchpad */
    char name[24];                    /* "oneDNN 2.6.3" */
    unsigned threads;                 /* of its OpenMP; 0: unknown */
};

/* Shared objects of the header's version; NULL-terminated. */
extern const char *const onednn_sonames[];

/* Loads the first of `sonames`. False with STATUS_UNSUPPORTED, and the package that is missing, when there is none. */
bool onednn_open(struct onednn *out, const char *const sonames[], struct error *err);
/* Makes `attributes` anew. Where fewer post-ops are set than before, version 2.6.3 keeps the rest of the former ones.
 */
bool onednn_attributes_make(struct onednn *library, struct error *err);
void onednn_close(struct onednn *library); /* fine on one that was never opened, or not completely */

/* True for success; else the status becomes a sentence about `call`, the entry point that returned it. */
bool onednn_check(const struct onednn *library, dnnl_status_t status, const char *call, struct error *err);
/* Calls a function of the library, noted before, and checks its answer: onednn_call(library, err, stream_wait, stream).
 */
#define onednn_call(library, err, function, ...)                                                                       \
    onednn_check(library, CALL("dnnl_" #function, (library)->call.function(__VA_ARGS__)), "dnnl_" #function, err)

/* A dense row-major array, as workloads state them. */
struct onednn_shape {
    int axes;
    dnnl_dims_t dim;
    dnnl_data_type_t type;
};

typedef __typeof__(dnnl_primitive_desc_query_md(NULL, dnnl_query_undef, 0)) onednn_layout;

/* Everything from here on is in onednn_v2.c and onednn_v3.c. */

/* NULL with `status`. */
onednn_layout onednn_layout_create(const struct onednn *library, const struct onednn_shape *shape,
                                   dnnl_format_tag_t tag, dnnl_status_t *status);
void onednn_layout_destroy(const struct onednn *library, onednn_layout layout);

/* Layouts of source, weights and destination. */
dnnl_status_t onednn_matmul_describe(const struct onednn *library, const onednn_layout layout[3],
                                     dnnl_primitive_desc_t *out);
dnnl_status_t onednn_conv_describe(const struct onednn *library, dnnl_alg_kind_t algorithm,
                                   const onednn_layout layout[3], const dnnl_dims_t stride, const dnnl_dims_t padding,
                                   dnnl_primitive_desc_t *out);

/* Appends alpha x, or max(x, 0), to what a primitive does to the elements of its result. */
dnnl_status_t onednn_append_eltwise(const struct onednn *library, dnnl_post_ops_t to, dnnl_alg_kind_t algorithm,
                                    float alpha);

#endif
