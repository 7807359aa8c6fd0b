#ifndef TESTS_BENCHMARKS_METHOD_H
#define TESTS_BENCHMARKS_METHOD_H

/* A method on the CPU backend with operands of its own, as the benchmarks run it. */

#include "bench/backends/registry.h"

struct method {
    const struct backend *backend;
    struct session *session;
    struct problem problem;
    const struct variant *variant;
    struct operand operand[OPERANDS_MAX];
    struct buffer *buffer[OPERANDS_MAX];
    void *view[OPERANDS_MAX];
    unsigned operands;
    struct task *task;
    char detail[DETAIL_MAX];
};

/* Inputs are filled with numbers in [-1, 1). False with err; to be closed in either case. */
bool method_open(struct method *method, const char *workload, const char *variant, const char *shape,
                 struct error *err);
void method_close(struct method *method);

bool method_run(struct method *method);       /* on operands in the method's own layout */
bool method_run_whole(struct method *method); /* and bringing them there and back */

#endif
