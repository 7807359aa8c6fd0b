#include "tests/backend_suite/trial.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct error prepare_refusal(struct bed *bed, const struct workload *workload, const struct method *method,
                                    enum dtype dtype)
{
    struct trial trial = { .method = method, .memory = MEMORY_PAGEABLE };
    struct error err = { .status = STATUS_OK };
    trial.problem = problem_of(workload, dtype, "n=17");
    cr_expect_not(trial_run(bed, &trial, &err));
    cr_expect_neq(*err.message, '\0');
    return err;
}

static const char *const nowhere[] = { NULL };

Test(backend, says_that_it_does_not_know_a_method)
{
    struct bed bed = bed_make();
    const struct method unknown = { .name = "no-such-library", .summary = "", .backends = nowhere };
    struct error err = prepare_refusal(&bed, workload_find("multiply"), &unknown, DTYPE_F32);
    cr_expect_eq(err.status, STATUS_UNSUPPORTED, "%s: %s", status_name(err.status), err.message);
    bed_close(&bed);
}

Test(backend, says_that_it_does_not_compute_a_dtype)
{
    struct bed bed = bed_make();
    const struct method *method = workload_find("multiply")->methods;
    while (method->name && !is_meant_for(method, bed.backend->name))
        method++;
    if (!method->name)
        cr_skip_test("multiply has no method for %s", bed.device.name);
    if (bed.device.computes[DTYPE_F64])
        cr_skip_test("%s computes in every dtype there is", bed.device.name);
    struct error err = prepare_refusal(&bed, workload_find("multiply"), method, DTYPE_F64);
    cr_expect_eq(err.status, STATUS_UNSUPPORTED, "%s: %s", status_name(err.status), err.message);
    bed_close(&bed);
}

static void launch_one(const struct problem *problem, const struct device *device, unsigned kernel_shape,
                       struct launch *out)
{
    (void)problem, (void)device, (void)kernel_shape;
    *out = (struct launch){ .passes = 1, .pass = { { .entry = "one", .dims = 1, .global = { 1 }, .local = { 1 } } } };
}

Test(backend, says_why_a_kernel_text_does_not_compile)
{
    struct bed bed = bed_make();
    if (!method_find(workload_find("multiply"), "portable") ||
        !is_meant_for(method_find(workload_find("multiply"), "portable"), bed.backend->name))
        cr_skip_test("%s compiles no kernel texts", bed.backend->name);
    const bool is_cuda = strcmp(bed.backend->name, "cuda") == 0;
    const struct portable broken = { .source =
                                         is_cuda
                                             ? "extern \"C\" __global__ void one(float *a) { a[0] = undeclared_name; }"
                                             : "__kernel void one(__global float *a) { a[0] = undeclared_name; }",
                                     .launch = launch_one };
    const struct method method = { .name = "broken", .summary = "", .backends = nowhere, .portable = &broken };
    struct error err = prepare_refusal(&bed, workload_find("multiply"), &method, DTYPE_F32);
    cr_expect_eq(err.status, STATUS_FAILED, "%s: %s", status_name(err.status), err.message);
    cr_expect(strstr(err.message, "undeclared_name"), "the message leaves out what is wrong: %s", err.message);
    bed_close(&bed);
}

Test(planted, writes_past_the_end_of_its_output)
{
    if (!getenv("SUITE_PLANT"))
        cr_skip_test("a wrong kernel, for a checker of kernels to find; SUITE_PLANT is not set");
    struct bed bed = bed_make();
    const struct portable past = {
        .source = "__kernel void one(__global float *a, __global float *b, __global float *c, long n)"
                  "{ c[n] = a[0] * b[0]; }",
        .launch = launch_one
    };
    const struct method method = { .name = "past", .summary = "", .backends = nowhere, .portable = &past };
    prepare_refusal(&bed, workload_find("multiply"), &method, DTYPE_F32);
    bed_close(&bed);
}
