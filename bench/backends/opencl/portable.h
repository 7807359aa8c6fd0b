#ifndef BENCH_BACKENDS_OPENCL_PORTABLE_H
#define BENCH_BACKENDS_OPENCL_PORTABLE_H

/* A kernel text on a device, for the routine that runs all of it (opencl_portable), and for routines that have one
 * within their own. */

#include "bench/backends/common/launch_split.h"
#include "bench/backends/opencl/opencl.h"

/* Compiled and bound by opencl_portable.open. */
struct opencl_portable_work {
    struct session *session;
    cl_program program;
    cl_kernel kernel[PASSES_MAX];
    struct scratch_buffer *scratch[SCRATCH_MAX];
    struct launch launch;
    struct launch_split launch_split;
    struct job job;
    unsigned dims;     /* how many each kernel gets */
    cl_uint arguments; /* of each kernel, without the last one: the number of groups before a launch */
};

/* Puts one pass of a run on the queue, without a span. */
bool opencl_pass_submit(struct opencl_portable_work *work, unsigned queue, unsigned pass, struct error *err);

#endif
