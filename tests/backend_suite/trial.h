#ifndef TESTS_BACKEND_SUITE_TRIAL_H
#define TESTS_BACKEND_SUITE_TRIAL_H

/* One computation on the device, from operands on the host to an output of which every element is checked. */

#include "tests/backend_suite/bed.h"

/* One workload, method, dtype and shape, set up on the device. */
struct trial {
    struct problem problem;
    const struct method *method;
    unsigned kernel_shape;
    enum memory memory;
    size_t margin;            /* bytes of guard on both sides of each operand */
    struct integers integers; /* operands; range 0: uniform ones */
    struct span *span;        /* of the run; NULL: not needed */
    bool plant;               /* spoil one element of the answer before it is checked */
    bool has_no_memory;       /* the device has no such memory: nothing was tried */
};

/* Runs it and checks the output, and what lies around each operand. False with err for a refusal, a failure, or a wrong
 * answer. */
bool trial_run(struct bed *bed, struct trial *trial, struct error *err);

/* The problem of a shape text. */
struct problem problem_of(const struct workload *workload, enum dtype dtype, const char *shape);

bool is_meant_for(const struct method *method, const char *backend);

/* A method of our own, which computes whatever there is; a library may be missing, and may refuse a shape. */
bool is_own(const struct method *method);

/* Notes that a method was tried; false where it refused as only a library may. */
bool was_tried(struct bed *bed, const struct trial *trial, bool ok, const struct error *err);

/* Calls `body` for every workload, method and dtype that the device computes. Skips the test with the reason if there
 * was none, or if all that was to be tried was refused. */
typedef void method_body(struct bed *bed, const struct workload *workload, const struct method *method,
                         enum dtype dtype);
void for_each_method(struct bed *bed, method_body *body);

#endif
