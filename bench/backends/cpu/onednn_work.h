#ifndef BENCH_BACKENDS_CPU_ONEDNN_WORK_H
#define BENCH_BACKENDS_CPU_ONEDNN_WORK_H

/* A primitive of oneDNN bound to two inputs and an output. An operand that the primitive needs in another layout is
 * there twice: in its buffer in the workload's layout, and in memory of the task in the primitive's. */

#include "bench/backends/cpu/cpu.h"
#include "bench/backends/cpu/onednn_api.h"

enum { ONEDNN_OPERANDS = 3 }; /* source, weights, destination, as in the workloads */

/* What a routine computes. */
struct onednn_plan {
    struct onednn_shape shape[ONEDNN_OPERANDS];
    bool is_open[ONEDNN_OPERANDS]; /* the library chooses the layout */
    /* Describes the primitive, given layouts that are stated or open. */
    dnnl_status_t (*describe)(const struct onednn *library, const struct onednn_plan *plan,
                              const onednn_layout layout[ONEDNN_OPERANDS], dnnl_primitive_desc_t *out);
    dnnl_alg_kind_t algorithm; /* of a convolution, and its numbers */
    dnnl_dims_t stride, padding;
    char task[DETAIL_MAX]; /* for the message that the library does not have it: "matmul" */
};

/* One operand. */
struct onednn_place {
    dnnl_memory_t stated; /* its buffer */
    struct buffer *buffer;
    dnnl_memory_t kept;        /* the operand in the primitive's layout; NULL where that is the workload's */
    dnnl_primitive_t in, back; /* from stated to kept, and for the output back */
};

struct onednn_work {
    struct onednn library;
    struct session *session;
    dnnl_primitive_desc_t description;
    dnnl_primitive_t primitive;
    struct onednn_place place[ONEDNN_OPERANDS];
    struct buffer *scratchpad;
    dnnl_exec_arg_t argument[ONEDNN_OPERANDS + 1];
    int arguments;
};

/* Everything that comes before the first run; `detail` names library, implementation, layouts, pages and threads. */
bool onednn_work_open(void *work, struct session *session, const struct job *job, const struct onednn_plan *plan,
                      char detail[DETAIL_MAX], struct error *err);

/* As in struct routine, and the members of one that computes so. */
bool onednn_work_submit(void *work, unsigned queue, unsigned part, struct span *span, struct error *err);
void onednn_work_close(void *work);
unsigned onednn_work_repacks(const void *work);
bool onednn_work_repack(void *work, unsigned operand, enum repack_way way, struct error *err);
#define ONEDNN_WORK                                                                                                    \
    .bytes = sizeof(struct onednn_work), .submit = onednn_work_submit, .close = onednn_work_close,                     \
    .repacks = onednn_work_repacks, .repack = onednn_work_repack

/* The library's type for the elements of the problem; tf32 is stored as f32. False with STATUS_UNSUPPORTED for a type
 * that it does not have; whether it computes in the others on this processor shows when a primitive is described. */
bool onednn_type(const struct problem *problem, dnnl_data_type_t *type, struct error *err);
/* And that of the results of such elements. */
dnnl_data_type_t onednn_result(dnnl_data_type_t type);

#endif
