#ifndef TESTS_BENCHMARKS_BARE_H
#define TESTS_BENCHMARKS_BARE_H

/* A library called by hand, as its own examples do it: what a method of the CPU backend is measured against. Operands
 * are preallocated, filled with numbers, and in the layout that the library likes best. */

#include "bench/workloads/workload.h"

struct bare {
    const char *workload, *method; /* the method that it is the measure of */
    /* Everything that comes before the first run. NULL with err. */
    void *(*open)(const struct problem *problem, struct error *err);
    /* One run, complete on return. */
    bool (*run)(void *state);
    void (*close)(void *state);
};

/* Memory for one operand, to be freed, with numbers in [-1, 1) in all of it; NULL when there is none. */
float *bare_operand(size_t bytes);

/* The same for each array that the products of a training step work on; NULL before. False with err. */
bool bare_products(const struct problem *problem, float *array[], struct error *err);

extern const struct bare bare_onednn_train, bare_openblas_train;
extern const struct bare bare_onednn_matmul, bare_onednn_gemm, bare_onednn_conv,
    bare_onednn_winograd;                      /* bare_onednn.c */
extern const struct bare bare_openblas_matmul; /* bare_openblas.c */

#endif
