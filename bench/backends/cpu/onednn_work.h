#ifndef BENCH_BACKENDS_CPU_ONEDNN_WORK_H
#define BENCH_BACKENDS_CPU_ONEDNN_WORK_H

/* Primitives of oneDNN bound to arrays. */

#include "bench/backends/cpu/cpu.h"
#include "bench/backends/cpu/onednn_api.h"

/* Source, weights, destination, as in the workloads; and arguments of a primitive at most. */
enum { ONEDNN_OPERANDS = 3, ONEDNN_ARGUMENTS = 5 };

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

/* The library's type for the elements of the problem; tf32 is stored as f32. False with STATUS_UNSUPPORTED for a type
 * that it does not have; whether it computes in the others on this processor shows when a primitive is described. */
bool onednn_type(const struct problem *problem, dnnl_data_type_t *type, struct error *err);

#endif
