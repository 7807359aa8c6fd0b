#ifndef BENCH_BACKENDS_CUDA_PORTABLE_H
#define BENCH_BACKENDS_CUDA_PORTABLE_H

/* A kernel text on a GPU, for the routine that runs all of it (cuda_portable), and for routines that have one within
 * their own. */

#include "bench/backends/common/launch_split.h"
#include "bench/backends/cuda/cuda.h"

/* Compiled and bound by cuda_portable.open. */
struct cuda_portable_work {
    struct session *session;
    struct cuda_module *module;
    struct cuda_function *kernel[PASSES_MAX];
    struct scratch_buffer *scratch[SCRATCH_MAX];
    struct problem problem;
    struct launch launch;
    struct launch_split launch_split;
    struct cuda_graph_exec *exec; /* all launches of a run as one command; NULL: one by one */
    unsigned operands, dims;
    uint64_t address[OPERANDS_MAX]; /* of each operand as a whole */
    struct operand operand[OPERANDS_MAX];
};

/* Puts one pass of a run on the queue, without a span. */
bool cuda_pass_submit(struct cuda_portable_work *work, unsigned queue, unsigned pass, struct error *err);

#endif
