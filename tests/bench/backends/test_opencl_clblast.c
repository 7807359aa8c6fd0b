/* CLBlast as a method: right answers in sub-buffers and on poisoned results, wrong answers seen, no device time,
 * refusals in words. */

#include "tests/support/one_truth.h"
#include "tests/support/opencl_rig.h"

#include "harness/measure/random.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 11 };

/* A problem on the device. The operands are in the middle of larger buffers; results, which come after the inputs, are
 * poisoned after preparing. */
struct trial {
    struct test_device test_device;
    struct problem problem;
    struct operand operand[OPERANDS_MAX];
    unsigned inputs, operands;
    void *host[OPERANDS_MAX];
    struct buffer *buffer[OPERANDS_MAX];
    int64_t before; /* elements of the results before the one that is checked */
    struct session *session;
    struct task *task;
    struct span span;
    char detail[DETAIL_MAX];
    struct error err;
};

static size_t bytes_of(const struct trial *trial, unsigned i)
{
    return (size_t)trial->operand[i].count * dtype_bytes(trial->operand[i].dtype);
}

/* Uploads the whole buffer: the host's data between two margins of poison. */
static void trial_put(struct trial *trial, unsigned i)
{
    const struct backend *backend = trial->test_device.backend;
    const size_t bytes = bytes_of(trial, i);
    char *all = malloc(bytes + 2 * GUARD_BYTES);
    cr_assert(all);
    verify_guard_write(all, GUARD_BYTES, SEED);
    memcpy(all + GUARD_BYTES, trial->host[i], bytes);
    verify_guard_write(all + GUARD_BYTES + bytes, GUARD_BYTES, SEED);
    cr_assert(backend->upload(trial->session, 0, trial->buffer[i], 0, all, bytes + 2 * GUARD_BYTES, &trial->err) &&
                  backend->finish(trial->session, 0, &trial->err),
              "%s", trial->err.message);
    free(all);
}

/* What the truth of a workload needs to be known first comes after the operands. */
static void intermediate_make(struct trial *trial)
{
    const struct workload *workload = trial->problem.workload;
    if (!workload->intermediate)
        return;
    trial->host[trial->operands] = malloc((size_t)problem_intermediate_bytes(&trial->problem));
    cr_assert(trial->host[trial->operands]);
    workload->intermediate(&trial->problem, method_sums(NULL, trial->problem.dtype), (const void *const *)trial->host,
                           trial->host[trial->operands]);
}

/* `task` is NULL where preparing failed. The operands are integers small enough for exact sums. */
static struct trial trial_open(struct test_device test_device, const char *workload, const char *shape,
                               enum dtype dtype)
{
    struct trial trial = { .test_device = test_device, .err = { .status = STATUS_OK } };
    const struct backend *backend = test_device.backend;
    struct job job = { .problem = &trial.problem };
    cr_assert(problem_parse(&trial.problem, workload_find(workload), dtype, shape, &trial.err), "%s",
              trial.err.message);
    trial.operands = trial.problem.workload->operands(&trial.problem, trial.operand);
    while (trial.operand[trial.inputs].role == ROLE_INPUT)
        trial.inputs++;
    job.method = method_find(trial.problem.workload, "clblast");
    trial.session = backend->open(&test_device.device, 0, &trial.err);
    cr_assert(trial.session, "%s", trial.err.message);
    for (unsigned i = 0; i < trial.operands; i++) {
        const size_t bytes = bytes_of(&trial, i);
        trial.host[i] = malloc(bytes);
        trial.buffer[i] = backend->alloc(trial.session, bytes + 2 * GUARD_BYTES, MEMORY_PAGEABLE, &trial.err);
        cr_assert(trial.host[i] && trial.buffer[i], "%s", trial.err.message);
        job.operand[i] = (struct binding){ trial.buffer[i], GUARD_BYTES, bytes };
    }
    const struct integers all = trial.problem.workload->exact(&trial.problem);
    for (unsigned i = 0; i < trial.inputs; i++) {
        const struct integers integers = problem_integers(&trial.problem, i, &all);
        random_fill(trial.host[i], dtype, 0, trial.operand[i].count, SEED, i, &integers);
    }
    intermediate_make(&trial);
    trial.task = backend->prepare(trial.session, &job, trial.detail, &trial.err);
    if (!trial.task && trial.err.status == STATUS_UNSUPPORTED)
        cr_skip_test("%s", trial.err.message);
    for (unsigned i = 0; i < trial.operands; i++) {
        if (i >= trial.inputs)
            verify_poison(trial.host[i], dtype, trial.operand[i].count);
        trial_put(&trial, i);
    }
    return trial;
}

static void trial_close(struct trial *trial)
{
    const struct backend *backend = trial->test_device.backend;
    backend->discard(trial->task);
    for (unsigned i = 0; i < OPERANDS_MAX; i++) {
        backend->release(trial->session, trial->buffer[i]);
        free(trial->host[i]);
    }
    backend->close(trial->session);
}

static void truth_of(const void *context, int64_t index, double *value, double *bound)
{
    const struct trial *trial = context;
    trial->problem.workload->expect(&trial->problem, method_sums(NULL, trial->problem.dtype),
                                    (const void *const *)trial->host, trial->before + index, value, bound);
    *bound = 0;
}

/* True when a result is exactly right and nothing around it was changed. */
static bool result_is_right(struct trial *trial, unsigned i, struct error *err)
{
    const struct backend *backend = trial->test_device.backend;
    const struct operand *out = &trial->operand[i];
    const size_t bytes = bytes_of(trial, i);
    struct verification verdict;
    char *all = malloc(bytes + 2 * GUARD_BYTES);
    cr_assert(all);
    bool ok = backend->download(trial->session, 0, all, trial->buffer[i], 0, bytes + 2 * GUARD_BYTES, err) &&
              backend->finish(trial->session, 0, err) && verify_guard_read(all, GUARD_BYTES, SEED, out->name, err) &&
              verify_guard_read(all + GUARD_BYTES + bytes, GUARD_BYTES, SEED, out->name, err) &&
              verify_all(&verdict, all + GUARD_BYTES, out->dtype, out->count, truth_of, trial, err);
    free(all);
    return ok;
}

/* Runs once. */
static bool trial_run(struct trial *trial, struct error *err)
{
    const struct backend *backend = trial->test_device.backend;
    cr_assert(trial->task, "%s", trial->err.message);
    bool ok = backend->submit(trial->task, 0, 0, &trial->span, err) && backend->finish(trial->session, 0, err);
    trial->before = 0;
    for (unsigned i = trial->inputs; ok && i < trial->operands; i++) {
        ok = result_is_right(trial, i, err);
        trial->before += trial->operand[i].count;
    }
    return ok;
}

/* Larger than the matrices that the suite for all backends has. */
Test(clblast, multiplies_matrices_by_way_of_copies)
{
    struct trial trial = trial_open(test_device_find(), "matmul", "m=515,n=509,k=517", DTYPE_F32);
    struct error err = { .status = STATUS_OK };
    cr_expect(trial_run(&trial, &err), "%s", err.message);
    cr_expect_eq(strncmp(trial.detail, "CLBlast ", 8), 0, "%s", trial.detail);
    trial_close(&trial);
}

/* Each of the launches of a step, of CLBlast's kernels and of ours: what it would have left is not there, for the first
 * run, in `open`, was on other operands. */
Test(clblast, a_step_of_training_without_one_of_its_kernels_is_a_wrong_answer)
{
    struct test_device test_device = test_device_layered();
    unsigned launches = 0;
    for (unsigned lost = 0; lost == 0 || lost <= launches; lost++) {
        struct trial trial = trial_open(test_device, "train", workload_find("train")->small, DTYPE_F32);
        struct error err = { .status = STATUS_OK };
        test_device.layer->strike("lost kernel", lost ? lost : 1000, CL_SUCCESS);
        cr_expect(strstr(trial.detail, ", own kernels after each product"), "%s", trial.detail);
        cr_expect_eq(trial_run(&trial, &err), lost == 0, "launch %u: %s", lost, err.message);
        cr_expect_eq(err.status, lost ? STATUS_WRONG : STATUS_OK, "launch %u: %s", lost, err.message);
        launches = lost ? launches : test_device.layer->calls();
        trial_close(&trial);
    }
    cr_expect_geq(launches, 10, "five products and five kernels, but %u launches", launches);
}

/* On this device the event that CLBlast returns has times. They are not the times of the call. */
Test(clblast, has_no_device_time_where_a_kernel_text_has_one)
{
    struct test_device test_device = test_device_layered();
    struct trial trial = trial_open(test_device, "matmul", "m=67,n=131,k=53", DTYPE_F32);
    struct error err = { .status = STATUS_OK };
    test_device.layer->script_clock(0);
    cr_assert(trial_run(&trial, &err), "%s", err.message);
    cr_expect(isnan(trial.span.start) && isnan(trial.span.end), "from %g to %g", trial.span.start, trial.span.end);

    const struct problem problem = { .workload = &workload_two_pass, .dtype = DTYPE_F32, .dim = { TWO_PASS_GROUP } };
    struct job job = { .problem = &problem, .method = &method_two_pass };
    for (unsigned i = 0; i < 2; i++)
        job.operand[i] = (struct binding){ trial.buffer[i], 0, TWO_PASS_GROUP * sizeof(float) };
    struct task *task = test_device.backend->prepare(trial.session, &job, trial.detail, &err);
    cr_assert(task && test_device.backend->submit(task, 0, 0, &trial.span, &err) &&
                  test_device.backend->finish(trial.session, 0, &err),
              "%s", err.message);
    cr_expect_float_eq(trial.span.end - trial.span.start, 1e-9 * (LAYER_TICK + LAYER_BUSY), 1e-12);
    test_device.backend->discard(task);
    trial_close(&trial);
}

/* The refusal of a problem. Only its description is that large, not the operands. */
static struct error refusal(struct test_device test_device, const char *workload, const char *shape, enum dtype dtype)
{
    struct problem problem;
    struct error err = { .status = STATUS_OK };
    char detail[DETAIL_MAX];
    cr_assert(problem_parse(&problem, workload_find(workload), dtype, shape, &err), "%s", err.message);
    struct job job = { .problem = &problem, .method = method_find(problem.workload, "clblast") };
    struct session *session = test_device.backend->open(&test_device.device, 0, &err);
    cr_assert(session, "%s", err.message);
    struct buffer *buffer = test_device.backend->alloc(session, 4096, MEMORY_PAGEABLE, &err);
    cr_assert(buffer, "%s", err.message);
    for (unsigned i = 0; i < OPERANDS_MAX; i++)
        job.operand[i] = (struct binding){ buffer, 0, 4096 };
    struct task *task = test_device.backend->prepare(session, &job, detail, &err);
    cr_assert_null(task);
    test_device.backend->discard(task);
    test_device.backend->release(session, buffer);
    test_device.backend->close(session);
    if (strstr(err.message, "libclblast"))
        cr_skip_test("%s", err.message);
    return err;
}

Test(clblast, more_elements_than_an_int_can_count_are_refused)
{
    struct error err = refusal(test_device_find(), "matmul", "m=65536,n=1,k=32768", DTYPE_F32);
    cr_expect_eq(err.status, STATUS_UNSUPPORTED);
    cr_expect_str_eq(err.message, "operands of 2147581952 elements, CLBlast's limit is 2147483647");
}

Test(clblast, a_problem_that_fits_the_device_but_not_the_library_is_no_memory)
{
    /* 8 MB of operands and a matrix of patches of 6.2 GB. */
    setenv("POCL_MEMORY_LIMIT", "1", 1);
    struct error err = refusal(test_device_find(), "conv", "n=1,c=1,h=1024,w=1024,k=1,r=40,s=40", DTYPE_F32);
    cr_expect_eq(err.status, STATUS_NO_MEMORY, "%s", err.message);
    cr_expect(strstr(err.message, "6209440000 bytes") && strstr(err.message, "the device allows"), "%s", err.message);
}

/* PoCL 3.1 has no half precision, nor has any driver for a CPU, so more cannot be tested here. */
Test(clblast, f16_is_for_devices_that_compute_in_it)
{
    struct test_device test_device = test_device_find();
    struct error err = refusal(test_device, "matmul", "m=8,n=8,k=8", DTYPE_F16);
    cr_expect_eq(err.status, STATUS_UNSUPPORTED);
    cr_expect_str_eq(err.message, "CLBlastHgemm answered -2045: the device has no half precision");
    err = refusal(test_device, "conv", "n=1,c=1,h=4,w=4,k=1,r=3,s=3,pad=1", DTYPE_F16);
    cr_expect_eq(err.status, STATUS_UNSUPPORTED);
    cr_expect_str_eq(err.message, "CLBlastHconvgemm answered -2045: the device has no half precision");
}

Test(clblast, has_nothing_in_bfloat16)
{
    struct error err = refusal(test_device_find(), "matmul", "m=8,n=8,k=8", DTYPE_BF16);
    cr_expect_eq(err.status, STATUS_UNSUPPORTED);
    cr_expect_str_eq(err.message, "CLBlast has no matmul in bf16");
}

Test(clblast, computes_tf32_in_f32_and_says_so)
{
    struct trial trial = trial_open(test_device_find(), "matmul", "m=67,n=131,k=53", DTYPE_TF32);
    struct error err = { .status = STATUS_OK };
    cr_expect(trial_run(&trial, &err), "%s", err.message);
    cr_expect(strstr(trial.detail, "computed in f32"), "%s", trial.detail);
    trial_close(&trial);
}

Test(clblast, an_answer_that_no_device_causes_has_its_number)
{
    struct error err = refusal(test_device_find(), "matmul", "m=64,n=64,k=64", DTYPE_F32);
    cr_expect_eq(err.status, STATUS_FAILED);
    cr_expect_str_eq(err.where, "CLBlastSgemm");
    cr_expect_str_eq(err.message, "CLBlastSgemm answered error (-1011)");
}

Test(clblast, listing_devices_does_not_load_it)
{
    test_device_find();
    cr_expect_null(dlopen("libclblast.so.1", RTLD_NOW | RTLD_NOLOAD));
}
