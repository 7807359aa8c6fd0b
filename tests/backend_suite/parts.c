#include "tests/backend_suite/bed.h"

#include "harness/base/clock.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run in parts, by a computation that shows how often each element was computed: it adds to what is there. An odd
 * number of elements, so that the last part has less than the others. */
enum { N = 10007, GRAIN = 256, GRAINS = (N + GRAIN - 1) / GRAIN, PARTS = 7 };

static const struct dim tally_dims[] = { { "n", 1, 1 << 24, -1, NULL, "elements" }, { 0 } };

static unsigned tally_operands(const struct problem *problem, struct operand out[OPERANDS_MAX])
{
    out[0] = (struct operand){ "add", ROLE_INPUT, problem->dtype, problem->dim[0] };
    out[1] = (struct operand){ "sum", ROLE_OUTPUT, problem->dtype, problem->dim[0] };
    return 2;
}

/* Where operands move part by part. */
static unsigned tally_steps(const struct problem *problem, struct step out[STEPS_MAX])
{
    out[0] = (struct step){ .kind = STEP_UPLOAD, .parts = PARTS };
    out[1] = (struct step){ .kind = STEP_COMPUTE, .part = ALL_PARTS, .parts = PARTS };
    return 2;
}

static unsigned tally_only_computes(const struct problem *problem, struct step out[STEPS_MAX])
{
    out[0] = (struct step){ .kind = STEP_COMPUTE, .part = ALL_PARTS, .parts = PARTS };
    return 1;
}

static double tally_work(const struct problem *problem)
{
    return (double)problem->dim[0];
}

static void tally_slice(void *const array[], const int64_t dim[], int64_t begin, int64_t end)
{
    const float *add = array[0];
    float *sum = array[1];
    for (int64_t i = begin; i < end; i++)
        sum[i] += add[i];
}

static int64_t tally_extent(const struct problem *problem)
{
    return problem->dim[0];
}

static const struct native tally_native = {
    .detail = "tally",
    .passes = 1,
    .pass = { { .baseline = { [DTYPE_F32] = tally_slice }, .grain = 16, .extent = tally_extent } },
};

static const char tally_text[] = "__kernel void tally(__global const float *add, __global float *sum, long n, long "
                                 "before)\n"
                                 "{\n"
                                 "    long first = 256 * (before + (long)get_group_id(0));\n"
                                 "    for (long i = first; i < first + 256 && i < n; i++)\n"
                                 "        sum[i] += add[i];\n"
                                 "}\n";

static const char tally_cuda_text[] =
    "extern \"C\" __global__ void tally(const float *add, float *sum, long long n, long long before)\n"
    "{\n"
    "    long long first = 256 * (before + blockIdx.x);\n"
    "    for (long long i = first; i < first + 256 && i < n; i++)\n"
    "        sum[i] += add[i];\n"
    "}\n";

static void tally_launch(const struct problem *problem, const struct device *device, unsigned kernel_shape,
                         struct launch *out)
{
    const size_t groups = (size_t)((problem->dim[0] + GRAIN - 1) / GRAIN);
    *out = (struct launch){
        .passes = 1,
        .pass = { { .entry = "tally", .items = groups, .group = 1, .is_divisible = true } },
    };
}

static const struct portable tally_portable = { .source = tally_text, .launch = tally_launch };
static const struct portable tally_cuda = { .source = tally_cuda_text, .launch = tally_launch };
static const char *const everywhere[] = { "cpu", "opencl", "cuda", "fake", NULL };
static const struct method by_slices = { "slices", "", everywhere, .native = &tally_native };
static const struct method by_groups = { "groups", "", everywhere, .portable = &tally_portable };
static const struct method by_blocks = { "blocks", "", everywhere, .portable = &tally_cuda };

/* On operands that stay, and on operands that move part by part, which a backend may keep apart for that. */
enum kind { STAYING, MOVING, KINDS };
static const struct workload tally_workload[KINDS] = {
    [STAYING] = {
        .name = "tally",
        .summary = "",
        .dims = tally_dims,
        .dtypes = 1u << DTYPE_F32,
        .grain = GRAIN,
        .operands = tally_operands,
        .steps = tally_only_computes,
        .flops = tally_work,
        .bytes = tally_work,
    },
    [MOVING] = {
        .name = "moving tally",
        .summary = "",
        .dims = tally_dims,
        .dtypes = 1u << DTYPE_F32,
        .grain = GRAIN,
        .operands = tally_operands,
        .steps = tally_steps,
        .flops = tally_work,
        .bytes = tally_work,
    },
};

/* One prepared tally on the device. */
struct tally {
    struct bed bed;
    struct problem problem;
    struct buffer *buffer[2];
    struct task *task;
    float add[N], sum[N];
};

static const struct method *method_for(const struct backend *backend)
{
    if (strcmp(backend->name, "cuda") == 0)
        return &by_blocks;
    return strcmp(backend->name, "opencl") == 0 ? &by_groups : &by_slices;
}

/* `task` is NULL with bed.err where the device cannot cut a run into so many parts. */
static struct tally *tally_open(enum kind kind, unsigned parts)
{
    struct tally *tally = calloc(1, sizeof *tally);
    cr_assert(tally);
    tally->bed = bed_make();
    compiler_need(&tally->bed);
    tally->problem = (struct problem){ .workload = &tally_workload[kind], .dtype = DTYPE_F32, .dim = { N } };
    struct job job = { .problem = &tally->problem, .method = method_for(tally->bed.backend), .parts = parts };
    char detail[DETAIL_MAX] = "";
    for (unsigned i = 0; i < 2; i++) {
        tally->buffer[i] = buffer_need(&tally->bed, sizeof tally->add, MEMORY_PAGEABLE);
        job.operand[i] = (struct binding){ tally->buffer[i], 0, sizeof tally->add };
    }
    for (int64_t i = 0; i < N; i++)
        tally->add[i] = (float)(1 + i % 1000);
    buffer_put(&tally->bed, tally->buffer[0], tally->add, sizeof tally->add, MEMORY_PAGEABLE);
    tally->task = tally->bed.backend->prepare(tally->bed.session, &job, detail, &tally->bed.err);
    if (tally->task && tally->bed.backend->repacks && tally->bed.backend->repacks(tally->task))
        cr_skip_test("%s computes on arrays of its own", tally->bed.device.name);
    return tally;
}

static void tally_close(struct tally *tally)
{
    tally->bed.backend->discard(tally->task);
    for (unsigned i = 0; i < 2; i++)
        tally->bed.backend->release(tally->bed.session, tally->buffer[i]);
    bed_close(&tally->bed);
    free(tally);
}

static void tally_clear(struct tally *tally)
{
    memset(tally->sum, 0, sizeof tally->sum);
    buffer_put(&tally->bed, tally->buffer[1], tally->sum, sizeof tally->sum, MEMORY_PAGEABLE);
}

static void tally_submit(struct tally *tally, unsigned part, struct span *span)
{
    const struct backend *backend = tally->bed.backend;
    cr_assert(tally->task, "%s", tally->bed.err.message);
    cr_assert(backend->submit(tally->task, 0, part, span, &tally->bed.err), "%s", tally->bed.err.message);
}

static void tally_fetch(struct tally *tally)
{
    cr_assert(tally->bed.backend->finish(tally->bed.session, 0, &tally->bed.err), "%s", tally->bed.err.message);
    buffer_get(&tally->bed, tally->sum, tally->buffer[1], sizeof tally->sum, MEMORY_PAGEABLE);
}

/* How many of the elements [begin, end) were not computed so often. */
static unsigned wrong_of(const struct tally *tally, int64_t begin, int64_t end, float times)
{
    unsigned wrong = 0;
    for (int64_t i = begin; i < end; i++)
        wrong += tally->sum[i] != times * tally->add[i];
    return wrong;
}

Test(backend, computes_every_part_of_a_run_once)
{
    static const unsigned parts[] = { 1, 2, 3, PARTS, GRAINS - 1, GRAINS };
    const size_t cuts = sizeof parts / sizeof *parts;
    for (size_t i = 0; i < KINDS * cuts; i++) {
        const size_t k = i % cuts;
        struct tally *tally = tally_open(i < cuts ? STAYING : MOVING, parts[k]);
        for (unsigned run = 0; run < 2; run++) {
            tally_clear(tally);
            for (unsigned part = 0; part < parts[k]; part++)
                tally_submit(tally, part, NULL);
            tally_fetch(tally);
            cr_expect_eq(wrong_of(tally, 0, N, 1), 0, "%u elements, in %u parts", wrong_of(tally, 0, N, 1), parts[k]);
        }
        tally_close(tally);
    }
}

static void check_reach(enum kind kind)
{
    struct tally *tally = tally_open(kind, PARTS);
    for (unsigned part = 0; part < PARTS; part++) {
        int64_t begin, end;
        problem_part(&tally->problem, N, part, PARTS, &begin, &end);
        tally_clear(tally);
        tally_submit(tally, part, NULL);
        tally_fetch(tally);
        cr_expect_eq(wrong_of(tally, 0, begin, 0), 0, "part %u reaches before element %d", part, (int)begin);
        cr_expect_eq(wrong_of(tally, begin, end, 1), 0, "part %u is not all of [%d, %d)", part, (int)begin, (int)end);
        cr_expect_eq(wrong_of(tally, end, N, 0), 0, "part %u reaches past element %d", part, (int)end);
    }
    tally_close(tally);
}

Test(backend, computes_with_a_part_what_is_moved_with_it_and_nothing_else)
{
    check_reach(STAYING);
    check_reach(MOVING);
}

Test(backend, and_this_suite_sees_a_part_left_out_or_computed_twice)
{
    struct tally *tally = tally_open(STAYING, PARTS);
    for (unsigned other = 0; other <= 1; other++) {
        tally_clear(tally);
        for (unsigned part = 0; part < PARTS; part++)
            if (part != 3 || other == 1)
                tally_submit(tally, part, NULL);
        if (other == 1)
            tally_submit(tally, 3, NULL);
        tally_fetch(tally);
        cr_expect_gt(wrong_of(tally, 0, N, 1), 0, "part 3 computed %u times went unseen", 2 * other);
    }
    tally_close(tally);
}

Test(backend, refuses_a_part_that_there_is_not)
{
    struct tally *tally = tally_open(STAYING, PARTS);
    cr_assert(tally->task, "%s", tally->bed.err.message);
    cr_expect_not(tally->bed.backend->submit(tally->task, 0, PARTS, NULL, &tally->bed.err));
    cr_expect_eq(tally->bed.err.status, STATUS_FAILED);
    cr_expect_str_eq(tally->bed.err.message, "part 7 of 7");
    tally_close(tally);
}

Test(backend, says_that_a_run_cannot_be_cut)
{
    struct bed bed = bed_make();
    struct problem problem = { .workload = workload_find("multiply"), .dtype = DTYPE_F32, .dim = { N } };
    struct job job = { .problem = &problem, .parts = 2 };
    char detail[DETAIL_MAX] = "";
    job.method = method_find(problem.workload, method_for(bed.backend) == &by_slices ? "native" : "portable");
    for (unsigned i = 0; i < 3; i++)
        job.operand[i] =
            (struct binding){ buffer_need(&bed, N * sizeof(float), MEMORY_PAGEABLE), 0, N * sizeof(float) };
    cr_expect_null(bed.backend->prepare(bed.session, &job, detail, &bed.err));
    cr_expect_eq(bed.err.status, STATUS_UNSUPPORTED, "%s", bed.err.message);
    cr_expect(strstr(bed.err.message, "not in 2 parts"), "%s", bed.err.message);
    for (unsigned i = 0; i < 3; i++)
        bed.backend->release(bed.session, job.operand[i].buffer);
    bed_close(&bed);
}

Test(backend, tells_one_time_for_all_parts_of_a_run)
{
    struct tally *tally = tally_open(STAYING, PARTS);
    struct span span = { 1, 0 };
    tally_clear(tally);
    double start = clock_wall();
    for (unsigned part = 0; part < PARTS; part++)
        tally_submit(tally, part, part == 0 || part + 1 == PARTS ? &span : NULL);
    cr_assert(tally->bed.backend->finish(tally->bed.session, 0, &tally->bed.err), "%s", tally->bed.err.message);
    span_check(&tally->bed, span, clock_wall() - start);
    const char *known = getenv("SUITE_EVENT_CLOCK");
    if (known)
        cr_expect_eq(!isnan(span.start), strcmp(known, "yes") == 0, "the device is known to have event times: %s",
                     known);
    tally_close(tally);
}

/* What was put on the queues before is over first: it reads and writes our arrays. */
static void skip_refused(struct tally *tally, unsigned queues)
{
    const char *why = tally->bed.err.message;
    for (unsigned queue = 0; queue < queues; queue++)
        tally->bed.backend->finish(tally->bed.session, queue, NULL);
    cr_skip_test("%s", why);
}

/* Nothing but the chunk itself brings its elements to the device, so one that is computed before it is there, or
 * brought back before it is computed, is wrong. */
static void check_chunks(unsigned queues)
{
    struct tally *tally = tally_open(MOVING, PARTS);
    struct bed *bed = &tally->bed;
    const struct backend *backend = bed->backend;
    if (bed->device.works_in_host_memory)
        cr_skip_test("%s has nothing to upload", bed->device.name);
    static float zero[N], nowhere[N];
    memset(nowhere, 0xff, sizeof nowhere);
    for (unsigned run = 0; run < 3; run++) {
        for (unsigned i = 0; i < 2; i++)
            buffer_put(bed, tally->buffer[i], nowhere, sizeof nowhere, MEMORY_PAGEABLE);
        memset(tally->sum, 0xff, sizeof tally->sum);
        for (unsigned part = 0; part < PARTS; part++) {
            int64_t begin, end;
            problem_part(&tally->problem, N, part, PARTS, &begin, &end);
            const size_t at = (size_t)begin * sizeof(float), bytes = (size_t)(end - begin) * sizeof(float);
            const unsigned queue = part % queues;
            const bool ok =
                backend->upload(bed->session, queue, tally->buffer[0], at, tally->add + begin, bytes, &bed->err) &&
                backend->upload(bed->session, queue, tally->buffer[1], at, zero + begin, bytes, &bed->err) &&
                backend->submit(tally->task, queue, part, NULL, &bed->err) &&
                backend->download(bed->session, queue, tally->sum + begin, tally->buffer[1], at, bytes, &bed->err);
            if (!ok && queue > 0 && bed->err.status == STATUS_UNSUPPORTED)
                skip_refused(tally, queues);
            cr_assert(ok, "%s", bed->err.message);
        }
        for (unsigned queue = 0; queue < queues; queue++)
            cr_assert(backend->finish(bed->session, queue, &bed->err), "%s", bed->err.message);
        cr_expect_eq(wrong_of(tally, 0, N, 1), 0, "%u elements", wrong_of(tally, 0, N, 1));
    }
    tally_close(tally);
}

Test(backend, moves_and_computes_chunks_on_one_queue)
{
    check_chunks(1);
}

Test(backend, moves_and_computes_chunks_on_two_queues)
{
    check_chunks(2);
}
