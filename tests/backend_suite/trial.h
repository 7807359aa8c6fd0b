#ifndef TESTS_BACKEND_SUITE_TRIAL_H
#define TESTS_BACKEND_SUITE_TRIAL_H

/* One computation on the device, from operands on the host to an output of which every element is checked. */

#include "tests/backend_suite/bed.h"

/* One workload, variant, dtype and shape, set up on the device. */
struct trial {
    struct problem problem;
    const struct variant *variant;
    enum memory memory;
    size_t margin;      /* bytes of guard on both sides of each operand */
    int64_t range;      /* of integer operands; 0: uniform ones */
    struct span *span;  /* of the run; NULL if nobody asks */
    bool plant;         /* spoil one element of the answer before it is checked */
    bool has_no_memory; /* the device has no such memory: nothing was tried */
};

/* Runs it and checks the output, and what lies around each operand. False with err for a refusal, a failure, or a wrong
 * answer. */
bool trial_run(struct bed *bed, struct trial *trial, struct error *err);

/* Every dimension near `size`, as far as the workload allows; uneven where there are several. False if it makes no
 * sense to the workload, or is more than SUITE_LARGEST. */
bool problem_make(struct problem *out, const struct workload *workload, enum dtype dtype, int64_t size);

bool is_meant_for(const struct variant *variant, const char *backend);

/* Calls `body` for every workload, variant and dtype that the device computes; skips the test if there was none. */
typedef void method_body(struct bed *bed, const struct workload *workload, const struct variant *variant,
                         enum dtype dtype);
void for_each_method(struct bed *bed, method_body *body);

#endif
