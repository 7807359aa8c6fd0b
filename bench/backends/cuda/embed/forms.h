#ifndef BENCH_BACKENDS_CUDA_EMBED_FORMS_H
#define BENCH_BACKENDS_CUDA_EMBED_FORMS_H

/* The forms that kernel texts take on a GPU: what a compiler is given for a problem of some size on a device of some
 * size. Sizes are without end, and forms are few: of most workloads a handful does for all sizes. */

#include "bench/backends/cuda/nvrtc.h"

struct form {
    const char *source;
    char options[NVRTC_OPTIONS];
    char what[32]; /* "matmul f32" */
};

struct forms {
    struct form *form; /* no two alike */
    unsigned count;
};

/* Those of all suites, of what the program itself adds to them (small problems for checks, ceilings), and of sizes that
 * people ask for, in every element type; of the workload `only`, NULL: of all. False where there is no memory. */
bool forms_collect(struct forms *out, const char *only);
void forms_release(struct forms *forms);

#endif
