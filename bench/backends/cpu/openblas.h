#ifndef BENCH_BACKENDS_CPU_OPENBLAS_H
#define BENCH_BACKENDS_CPU_OPENBLAS_H

/* OpenBLAS as the program uses it: gemm through pointers, since the library is loaded when a method needs it. */

#include "bench/backends/cpu/cpu.h"
#include "harness/base/error.h"
#include "harness/machine/device.h"

#include <cblas.h>
#include <stdbool.h>
#include <stdint.h>

#define OPENBLAS(CALL)                                                                                                 \
    CALL(cblas_, sgemm)                                                                                                \
    CALL(cblas_, dgemm)                                                                                                \
    CALL(cblas_, sgemv)                                                                                                \
    CALL(cblas_, dgemv)                                                                                                \
    CALL(openblas_, get_config)                                                                                        \
    CALL(openblas_, get_corename)                                                                                      \
    CALL(openblas_, get_parallel)                                                                                      \
    CALL(openblas_, get_num_threads)                                                                                   \
    CALL(openblas_, set_num_threads)

#define OPENBLAS_MEMBER(prefix, name) __typeof__(&prefix##name) name;
struct openblas_calls {
    OPENBLAS(OPENBLAS_MEMBER)
};

struct openblas {
    struct openblas_calls call;
    char name[112]; /* "OpenBLAS 0.3.21, OpenMP build, SkylakeX chosen by bench" */
    unsigned threads;
};

/* Loads the first of `sonames`, or with NULL the build that shares OpenMP's threads where there is one, else whatever
 * is installed, and sets its threads. `core`: the processor core whose kernels it must use, "": its own choice. If the
 * process has loaded it before, the earlier choice stays; the name has it. It stays loaded until the process ends.
 * False with STATUS_UNSUPPORTED, and the missing package, if there is none. */
bool openblas_open(struct openblas *out, const char *const sonames[], const char *core, unsigned threads,
                   struct error *err);

/* A core that uses all of `isa`, if `core` uses less; "" if it does not, or nothing is known of it. */
const char *openblas_better_core(const char *core, enum isa isa);

#endif
