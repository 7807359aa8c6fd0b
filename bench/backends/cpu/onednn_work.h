#ifndef BENCH_BACKENDS_CPU_ONEDNN_WORK_H
#define BENCH_BACKENDS_CPU_ONEDNN_WORK_H

/* A primitive of oneDNN bound to two inputs and an output. An operand that the primitive needs in another layout is
 * there twice: in its buffer in the workload's layout, and in memory of the task in the primitive's. */

#include "bench/backends/cpu/cpu.h"
#include "bench/backends/cpu/onednn_api.h"

/* Source, weights, destination, as in the workloads; and arguments of a primitive at most. */
enum { ONEDNN_OPERANDS = 3, ONEDNN_ARGUMENTS = 5 };

/* What a routine computes. */
struct onednn_plan {
    struct onednn_shape shape[ONEDNN_OPERANDS];
    bool is_open[ONEDNN_OPERANDS]; /* the library chooses the layout */
    dnnl_alg_kind_t algorithm;     /* of a convolution, and its numbers; dnnl_alg_kind_undef: a product of matrices */
    dnnl_dims_t stride, padding;
    char task[DETAIL_MAX]; /* for the message that the library does not have it: "matmul" */
};

/* A primitive and what it computes on. The last argument is the scratchpad, where it needs one: no run allocates. */
struct onednn_step {
    dnnl_primitive_desc_t description;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t argument[ONEDNN_ARGUMENTS];
    int arguments;
};
bool onednn_argument_add(const struct onednn *library, struct onednn_step *step, int name, onednn_layout layout,
                         void *at, struct error *err);
/* Once all are described: one scratchpad for all of them, and the primitives. */
bool onednn_steps_make(const struct onednn *library, struct onednn_step step[], unsigned steps, struct session *session,
                       struct buffer **scratchpad, struct error *err);
/* Is complete on return. */
bool onednn_step_run(const struct onednn *library, const struct onednn_step *step, struct error *err);
void onednn_step_close(const struct onednn *library, struct onednn_step *step);

/* An operand that is there twice. */
struct onednn_place {
    dnnl_memory_t stated;      /* in the workload's layout; NULL where the primitive computes on that */
    struct buffer *buffer;     /* in the primitive's */
    dnnl_primitive_t in, back; /* from stated to that, and for the output back */
};

struct onednn_work {
    struct onednn library;
    struct session *session;
    struct onednn_step step;
    struct onednn_place place[ONEDNN_OPERANDS];
    struct buffer *scratchpad;
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
