#ifndef TESTS_SUPPORT_METHOD_RUN_H
#define TESTS_SUPPORT_METHOD_RUN_H

/* A method on the CPU backend with operands of its own, for its tests and for benchmarks. */

#include "bench/backends/registry.h"

struct method_run {
    const struct backend *backend;
    struct session *session;
    struct problem problem;
    const struct method *method;
    struct operand operand[OPERANDS_MAX];
    struct buffer *buffer[OPERANDS_MAX];
    void *view[OPERANDS_MAX];
    unsigned operands, output; /* output: the last */
    bool is_whole;
    struct task *task; /* NULL: refused */
    char detail[DETAIL_MAX];
    struct error err; /* why */
};

/* How it is run, where not in f32 on the device that is listed, with a thread for each core. */
struct method_terms {
    enum dtype dtype;
    const struct device *device; /* NULL: as listed */
    unsigned threads;
    bool is_whole; /* inputs are whole numbers, for which every result is exact; else numbers in [-1, 1) */
};

/* Outputs are poisoned. False with err; to be closed in either case. */
bool method_run_open(struct method_run *method_run, const char *workload, const char *method, const char *shape,
                     const struct method_terms *terms);
void method_run_close(struct method_run *method_run);

bool method_run_once(struct method_run *method_run);  /* on operands in the method's own layout */
bool method_run_whole(struct method_run *method_run); /* and bringing them there and back */

/* Brings those of `operands`, a bit each, that the method repacks into its layout, or back. */
bool method_run_repack(struct method_run *method_run, unsigned operands, enum repack_way way);

/* Whether every element of the output is right. False with err. */
bool method_run_is_right(struct method_run *method_run);

#endif
