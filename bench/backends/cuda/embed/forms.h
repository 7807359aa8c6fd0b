#ifndef BENCH_BACKENDS_CUDA_EMBED_FORMS_H
#define BENCH_BACKENDS_CUDA_EMBED_FORMS_H

/* The forms of kernel texts on a GPU: text and compiler options for a problem size on a device size. There are many
 * sizes and few forms: a handful for most workloads. */

#include "bench/backends/cuda/nvrtc.h"

struct form {
    const char *source;
    char options[NVRTC_OPTIONS];
    char what[32]; /* "matmul f32" */
};

struct forms {
    struct form *form; /* without duplicates */
    unsigned count;
};

/* The forms of all suites, of the program's own problems (checks, ceilings) and of common sizes, in every element type;
 * for the workload `only`, or for all where it is NULL. False when memory is short. */
bool forms_collect(struct forms *out, const char *only);
void forms_release(struct forms *forms);

#endif
