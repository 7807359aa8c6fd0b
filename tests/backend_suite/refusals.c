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
    cr_expect_eq(err.status, STATUS_UNSUPPORTED, "%s: %s", status_names[err.status], err.message);
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
    cr_expect_eq(err.status, STATUS_UNSUPPORTED, "%s: %s", status_names[err.status], err.message);
    bed_close(&bed);
}

/* The double of CUDA's driver says of a kernel what it is asked to. */
Test(backend, refuses_a_kernel_shape_that_is_beyond_the_registers)
{
    static const struct {
        const char *variable, *value;
        unsigned kernel_shape;
        const char *why; /* NULL: it computes */
    } cases[] = {
        { "CUDA_DOUBLE_SPILLS", "64", 0, NULL }, /* the only one there is for those who do not tune */
        { "CUDA_DOUBLE_SPILLS", "64", 1, "64 bytes of each work-item of multiply do not fit in registers" },
        { "CUDA_DOUBLE_KERNEL_THREADS", "128", 0, "groups of 256 work-items, the device allows 128" },
        { "CUDA_DOUBLE_KERNEL_THREADS", "128", 3, NULL }, /* of 128 */
    };
    struct bed bed = bed_make();
    if (strcmp(bed.backend->name, "cuda") != 0 || !strstr(bed.device.name, "not a GPU"))
        cr_skip_test("%s has no kernels whose limits a test decides", bed.device.name);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct workload *multiply = workload_find("multiply");
        struct trial trial = { .method = method_find(multiply, "portable"),
                               .memory = MEMORY_PAGEABLE,
                               .kernel_shape = cases[i].kernel_shape,
                               .problem = problem_of(multiply, DTYPE_F32, "n=1000") };
        struct error err = { .status = STATUS_OK };
        setenv(cases[i].variable, cases[i].value, 1);
        const bool ok = trial_run(&bed, &trial, &err);
        unsetenv(cases[i].variable);
        cr_expect_eq(ok, !cases[i].why, "case %zu: %s", i, err.message);
        if (cases[i].why) {
            cr_expect_eq(err.status, STATUS_UNSUPPORTED, "%s: %s", status_names[err.status], err.message);
            cr_expect(strstr(err.message, cases[i].why), "%s", err.message);
        }
    }
    bed_close(&bed);
}

/* A method with ten kernel shapes needs no more memory than with one. */
Test(backend, shares_the_memory_between_passes_among_tasks)
{
    struct bed bed = bed_make();
    const struct method *method = method_find(workload_find("matmul"), "portable");
    if (!is_meant_for(method, bed.backend->name))
        cr_skip_test("%s compiles no kernel texts", bed.backend->name);
    const struct problem problem = problem_of(workload_find("matmul"), DTYPE_F32, "m=63,n=65,k=64");
    struct operand operand[OPERANDS_MAX];
    struct job job = { .problem = &problem, .method = method };
    struct task *task[2];
    char detail[DETAIL_MAX];
    const unsigned operands = problem.workload->operands(&problem, operand);
    for (unsigned i = 0; i < operands; i++) {
        const size_t bytes = (size_t)operand[i].count * sizeof(float);
        job.operand[i] = (struct binding){ .buffer = buffer_make(&bed, bytes, MEMORY_PAGEABLE), .bytes = bytes };
    }
    for (unsigned i = 0; i < 2; i++) {
        job.kernel_shape = i;
        task[i] = bed.backend->prepare(bed.session, &job, detail, &bed.err);
        cr_assert(task[i], "%s", bed.err.message);
    }
    bed.backend->discard(task[0]); /* the other still has its scratch */
    cr_expect(bed.backend->submit(task[1], 0, 0, NULL, &bed.err) && bed.backend->finish(bed.session, 0, &bed.err), "%s",
              bed.err.message);
    bed.backend->discard(task[1]);
    for (unsigned i = 0; i < operands; i++)
        bed.backend->release(bed.session, job.operand[i].buffer);
    bed_close(&bed);
}

static void launch_one(const struct problem *problem, const struct device *device, unsigned kernel_shape,
                       struct launch *out)
{
    *out = (struct launch){ .passes = 1, .pass = { { .entry = "one", .items = 1, .group = 1 } } };
}

Test(backend, says_why_a_kernel_text_does_not_compile)
{
    struct bed bed = bed_make();
    if (!method_find(workload_find("multiply"), "portable") ||
        !is_meant_for(method_find(workload_find("multiply"), "portable"), bed.backend->name))
        cr_skip_test("%s compiles no kernel texts", bed.backend->name);
    compiler_need(&bed);
    const bool is_cuda = strcmp(bed.backend->name, "cuda") == 0;
    const struct portable broken = { .source =
                                         is_cuda
                                             ? "extern \"C\" __global__ void one(float *a) { a[0] = undeclared_name; }"
                                             : "__kernel void one(__global float *a) { a[0] = undeclared_name; }",
                                     .launch = launch_one };
    const struct method method = { .name = "broken", .summary = "", .backends = nowhere, .portable = &broken };
    struct error err = prepare_refusal(&bed, workload_find("multiply"), &method, DTYPE_F32);
    cr_expect_eq(err.status, STATUS_FAILED, "%s: %s", status_names[err.status], err.message);
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
