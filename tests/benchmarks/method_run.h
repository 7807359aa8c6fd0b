#ifndef TESTS_BENCHMARKS_METHOD_RUN_H
#define TESTS_BENCHMARKS_METHOD_RUN_H

/* A method_run on the CPU backend with operands of its own, as the benchmarks run it. */

#include "bench/backends/registry.h"

struct method_run {
    const struct backend *backend;
    struct session *session;
    struct problem problem;
    const struct method *method;
    struct operand operand[OPERANDS_MAX];
    struct buffer *buffer[OPERANDS_MAX];
    void *view[OPERANDS_MAX];
    unsigned operands;
    struct task *task;
    char detail[DETAIL_MAX];
};

/* Inputs are filled with numbers in [-1, 1). False with err; to be closed in either case. */
bool method_run_open(struct method_run *method_run, const char *workload, const char *method, const char *shape,
                     struct error *err);
void method_run_close(struct method_run *method_run);

bool method_run_once(struct method_run *method_run);      /* on operands in the method_run's own layout */
bool method_run_run_whole(struct method_run *method_run); /* and bringing them there and back */

#endif
