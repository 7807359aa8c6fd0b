/* OpenCL runs of several launches: data passed on between passes, one span for all launches, and split launches on a
 * device that may drive a display. The layer in front of PoCL returns scripted times. */

#include "bench/backends/opencl/opencl.h"
#include "tests/support/opencl_rig.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 401 * TWO_PASS_GROUP };

/* A prepared run of a method of the workload in opencl_rig.c. */
struct run {
    const struct test_device *test_device;
    struct session *session;
    struct buffer *buffer[2];
    struct task *task;
    unsigned parts;
    char detail[DETAIL_MAX];
    struct error err;
};

static float input_at(int64_t i)
{
    return (float)(i % 1000 * 7 % 1000);
}

/* The inputs are on the device; `run.task` is NULL where preparing failed. */
static struct run run_open_parts(const struct test_device *test_device, const struct method *method, unsigned parts)
{
    const struct problem problem = { .workload = &workload_two_pass, .dtype = DTYPE_F32, .dim = { N } };
    const struct backend *backend = test_device->backend;
    struct job job = { .problem = &problem, .method = method, .parts = parts };
    struct run run = { .test_device = test_device, .parts = parts, .err = { .status = STATUS_OK } };
    float in[N];
    for (int64_t i = 0; i < N; i++)
        in[i] = input_at(i);
    run.session = backend->open(&test_device->device, 0, &run.err);
    cr_assert(run.session, "%s", run.err.message);
    for (unsigned i = 0; i < 2; i++) {
        run.buffer[i] = backend->alloc(run.session, sizeof in, MEMORY_PAGEABLE, &run.err);
        cr_assert(run.buffer[i], "%s", run.err.message);
        job.operand[i] = (struct binding){ run.buffer[i], 0, sizeof in };
        cr_assert(backend->upload(run.session, 0, run.buffer[i], 0, in, sizeof in, &run.err) &&
                      backend->finish(run.session, 0, &run.err),
                  "%s", run.err.message);
    }
    run.task = backend->prepare(run.session, &job, run.detail, &run.err);
    return run;
}

static struct run run_open(const struct test_device *test_device, const struct method *method)
{
    return run_open_parts(test_device, method, 1);
}

static void run_close(struct run *run)
{
    const struct backend *backend = run->test_device->backend;
    backend->discard(run->task);
    for (unsigned i = 0; i < 2; i++)
        backend->release(run->session, run->buffer[i]);
    backend->close(run->session);
    if (run->test_device->layer)
        cr_expect_eq(run->test_device->layer->alive(), 0, "%u objects were not released",
                     run->test_device->layer->alive());
}

static struct span run_once(struct run *run)
{
    struct span span = { 1, 0 };
    cr_assert(run->task, "%s", run->err.message);
    for (unsigned part = 0; part < run->parts; part++) {
        const bool is_edge = part == 0 || part + 1 == run->parts;
        cr_assert(run->test_device->backend->submit(run->task, 0, part, is_edge ? &span : NULL, &run->err), "%s",
                  run->err.message);
    }
    cr_assert(run->test_device->backend->finish(run->session, 0, &run->err), "%s", run->err.message);
    return span;
}

static void run_fetch(struct run *run, float out[N])
{
    cr_assert(
        run->test_device->backend->download(run->session, 0, out, run->buffer[1], 0, N * sizeof *out, &run->err) &&
            run->test_device->backend->finish(run->session, 0, &run->err),
        "%s", run->err.message);
}

static void check_two_pass(struct run *run)
{
    float in[N], out[N];
    for (int64_t i = 0; i < N; i++)
        in[i] = input_at(i);
    run_once(run);
    run_fetch(run, out);
    for (int64_t i = 0; i < N; i++)
        cr_assert_eq(out[i], two_pass_truth(in, N, i), "%s: element %d is %g, should be %g", run->detail, (int)i,
                     (double)out[i], (double)two_pass_truth(in, N, i));
}

Test(task, passes_run_in_order_and_pass_their_results_on)
{
    struct test_device test_device = test_device_find();
    struct run run = run_open(&test_device, &method_two_pass);
    check_two_pass(&run);
    cr_expect_str_eq(run.detail, "two_pass");
    run_close(&run);
}

Test(task, split_launches_give_the_same_result_and_are_reported)
{
    static const struct {
        double wanted;
        unsigned launches;
    } cut[] = { { 0.9, 1 }, { 1.5, 2 }, { 3.5, 4 }, { 400.5, 401 }, { 5000, 401 } };
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        struct test_device test_device = test_device_find();
        char launches[40];
        test_device_slow_down(&test_device, TWO_PASS_FLOPS * (double)N, cut[i].wanted);
        struct run run = run_open(&test_device, &method_two_pass);
        check_two_pass(&run);
        snprintf(launches, sizeof launches, "in %u launches", cut[i].launches);
        if (cut[i].launches > 1)
            cr_expect(strstr(run.detail, launches), "\"%s\" should be %s", run.detail, launches);
        else
            cr_expect_null(strstr(run.detail, "launches"), "%s", run.detail);
        run_close(&run);
    }
}

Test(task, launches_on_a_cpu_are_not_split)
{
    struct test_device test_device = test_device_find();
    test_device_slow_down(&test_device, TWO_PASS_FLOPS * (double)N, 3.5);
    test_device.device.class = CLASS_CPU;
    struct run run = run_open(&test_device, &method_two_pass);
    cr_expect_null(strstr(run.detail, "launches"), "%s", run.detail);
    run_close(&run);
}

/* Scripted seconds from the start of one launch to the end of another. */
static double scripted(unsigned first, unsigned last)
{
    return 1e-9 * (double)(LAYER_TICK * (last - first) + LAYER_BUSY);
}

Test(task, a_span_goes_from_the_first_launch_to_the_end_of_the_last)
{
    struct test_device test_device = test_device_layered();
    test_device_slow_down(&test_device, TWO_PASS_FLOPS * (double)N, 3.5);
    struct run run = run_open(&test_device, &method_two_pass);
    test_device.layer->script_clock(0);
    struct span span = run_once(&run), next = run_once(&run);
    /* The first pass, and the second in four launches. */
    cr_expect_float_eq(span.end - span.start, scripted(1, 5), 1e-12, "%g s", span.end - span.start);
    cr_expect_float_eq(next.end - next.start, scripted(6, 10), 1e-12, "%g s", next.end - next.start);
    run_close(&run);
}

Test(task, only_the_launches_of_a_span_have_time_stamps)
{
    struct test_device test_device = test_device_layered();
    const struct backend *backend = test_device.backend;
    struct run run = run_open(&test_device, &method_two_pass);
    cr_assert(run.task, "%s", run.err.message);
    for (unsigned i = 0; i < 4; i++) {
        struct span span = { 1, 0 };
        const unsigned before = test_device.layer->stamped();
        test_device.layer->strike("clFinish", UINT_MAX, CL_SUCCESS); /* only counts */
        /* Every other run has a span, and begins while the one before is not done. */
        cr_assert(backend->submit(run.task, 0, 0, i % 2 ? &span : NULL, &run.err), "%s", run.err.message);
        cr_expect_eq(test_device.layer->stamped() - before, i % 2 ? 2 : 0, "run %u: %u of two launches", i,
                     test_device.layer->stamped() - before);
        cr_expect_eq(test_device.layer->calls(), i % 2, "run %u: two queues have no order, so one is waited for", i);
        cr_assert(i % 2 == 0 || backend->finish(run.session, 0, &run.err), "%s", run.err.message);
        cr_expect(i % 2 == 0 || span.end > span.start, "run %u", i);
    }
    check_two_pass(&run);
    run_close(&run);
}

Test(task, a_span_waits_for_the_finish_of_its_own_queue)
{
    struct test_device test_device = test_device_layered();
    const struct backend *backend = test_device.backend;
    test_device_slow_down(&test_device, TWO_PASS_FLOPS * (double)N, 3.5);
    struct run run = run_open(&test_device, &method_two_pass);
    struct buffer *other = backend->alloc(run.session, sizeof(float), MEMORY_PAGEABLE, &run.err);
    struct span span = { 1, 0 };
    const float value = 1;
    cr_assert(other && run.task, "%s", run.err.message);
    test_device.layer->script_clock(0);
    cr_assert(backend->submit(run.task, 0, 0, &span, &run.err), "%s", run.err.message);
    cr_assert(backend->upload(run.session, 1, other, 0, &value, sizeof value, &run.err), "%s", run.err.message);
    cr_assert(backend->finish(run.session, 1, &run.err), "%s", run.err.message);
    cr_expect(isnan(span.start), "another queue has finished");
    cr_assert(backend->finish(run.session, 0, &run.err), "%s", run.err.message);
    cr_expect_float_eq(span.end - span.start, scripted(1, 5), 1e-12, "%g s", span.end - span.start);
    backend->release(run.session, other);
    run_close(&run);
}

Test(task, a_launch_without_times_at_either_end_leaves_no_span)
{
    struct test_device test_device = test_device_layered();
    test_device_slow_down(&test_device, TWO_PASS_FLOPS * (double)N, 3.5);
    struct run run = run_open(&test_device, &method_two_pass);
    for (unsigned silent = 1; silent <= 5; silent++) {
        test_device.layer->script_clock(silent);
        struct span span = run_once(&run);
        bool is_edge = silent == 1 || silent == 5;
        cr_expect_eq(isnan(span.start), is_edge, "launch %u", silent);
        cr_expect_eq(isnan(span.end), is_edge, "launch %u", silent);
    }
    run_close(&run);
}

Test(task, parts_and_split_launches_are_cut_the_same_way)
{
    static const struct {
        unsigned parts;
        double wanted;
        unsigned launches;
    } cut[] = {
        { 1, 0.9, 1 }, { 4, 0.9, 4 }, { 401, 0.9, 401 }, { 1, 3.5, 4 }, { 4, 3.5, 4 }, { 3, 3.5, 6 }, { 2, 400.5, 401 },
    };
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        struct test_device test_device = test_device_layered();
        test_device_slow_down(&test_device, TWO_PASS_FLOPS * (double)N, cut[i].wanted);
        struct run run = run_open_parts(&test_device, &method_march, cut[i].parts);
        check_two_pass(&run);
        test_device.layer->strike("clEnqueueNDRangeKernel", UINT_MAX, CL_SUCCESS); /* only counts */
        run_once(&run);
        cr_expect_eq(test_device.layer->calls(), cut[i].launches, "%u parts, %g wanted: %u launches", cut[i].parts,
                     cut[i].wanted, test_device.layer->calls());
        run_close(&run);
    }
}

Test(task, runs_of_many_parts_leave_nothing_behind)
{
    struct test_device test_device = test_device_layered();
    struct run run = run_open_parts(&test_device, &method_march, N / TWO_PASS_GROUP);
    run_once(&run);
    const unsigned alive = test_device.layer->alive();
    for (unsigned i = 0; i < 25; i++) /* 10,000 launches */
        run_once(&run);
    cr_expect_eq(test_device.layer->alive(), alive, "%u objects more", test_device.layer->alive() - alive);
    check_two_pass(&run);
    run_close(&run);
}

Test(task, waiting_for_one_queue_starts_the_others)
{
    struct test_device test_device = test_device_layered();
    struct run run = run_open_parts(&test_device, &method_march, 2);
    cr_assert(run.task, "%s", run.err.message);
    for (unsigned part = 0; part < 2; part++)
        cr_assert(test_device.backend->submit(run.task, part, part, NULL, &run.err), "%s", run.err.message);
    test_device.layer->strike("clFlush", UINT_MAX, CL_SUCCESS); /* only counts */
    cr_assert(test_device.backend->finish(run.session, 0, &run.err), "%s", run.err.message);
    cr_expect_eq(test_device.layer->calls(), 1, "the other queue was flushed %u times", test_device.layer->calls());
    cr_assert(test_device.backend->finish(run.session, 1, &run.err), "%s", run.err.message);
    cr_expect_eq(test_device.layer->calls(), 1, "an empty queue was flushed");
    run_close(&run);
}

/* It was enqueued and waited for without one: only its own state tells. */
Test(task, a_last_command_that_the_driver_ends_with_an_error_fails_the_finish)
{
    static const struct {
        cl_int code;
        enum status status;
        const char *text;
    } rows[] = { { CL_COMPLETE, STATUS_OK, "" },
                 { CL_OUT_OF_RESOURCES, STATUS_FAILED, "CL_OUT_OF_RESOURCES (-5)" },
                 { CL_OUT_OF_HOST_MEMORY, STATUS_NO_MEMORY, "CL_OUT_OF_HOST_MEMORY (-6)" } };
    struct test_device test_device = test_device_layered();
    const struct backend *backend = test_device.backend;
    struct run run = run_open(&test_device, &method_two_pass);
    cr_assert(run.task, "%s", run.err.message);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = { .status = STATUS_OK };
        cr_assert(backend->submit(run.task, 0, 0, NULL, &err), "%s", err.message);
        test_device.layer->strike("event status", 1, rows[i].code);
        cr_expect_eq(backend->finish(run.session, 0, &err), rows[i].status == STATUS_OK, "row %zu", i);
        cr_expect_eq(err.status, rows[i].status, "row %zu: %s", i, err.message);
        cr_expect_str_eq(err.where, i ? "clEnqueueNDRangeKernel" : "", "row %zu", i);
        cr_expect(strstr(err.message, rows[i].text), "row %zu: %s", i, err.message);
    }
    run_close(&run);
}

Test(task, a_run_of_several_passes_and_too_many_parts_are_refused)
{
    struct test_device test_device = test_device_find();
    struct run two_pass = run_open_parts(&test_device, &method_two_pass, 2);
    cr_expect_null(two_pass.task);
    cr_expect_eq(two_pass.err.status, STATUS_UNSUPPORTED, "%s", two_pass.err.message);
    cr_expect_str_eq(two_pass.err.message, "two_pass of two_pass computes a run as a whole, not in 2 parts");
    run_close(&two_pass);
    struct run march = run_open_parts(&test_device, &method_march, N / TWO_PASS_GROUP + 1);
    cr_expect_null(march.task);
    cr_expect_eq(march.err.status, STATUS_UNSUPPORTED, "%s", march.err.message);
    cr_expect_str_eq(march.err.message, "401 groups of two_pass cannot be cut into 402 parts");
    run_close(&march);
}

Test(task, scratch_begins_at_a_cache_line)
{
    struct test_device test_device = test_device_find();
    struct run run = run_open(&test_device, &method_alignment);
    float out[N];
    run_once(&run);
    run_fetch(&run, out);
    cr_expect_eq(fmod((double)out[0], 64), 0, "%g bytes into a page", (double)out[0]);
    run_close(&run);
}

Test(task, too_much_scratch_is_refused_with_both_numbers)
{
    struct test_device test_device = test_device_find();
    struct run run = run_open(&test_device, &method_hungry);
    cr_expect_null(run.task);
    cr_expect_eq(run.err.status, STATUS_NO_MEMORY, "%s", run.err.message);
    cr_expect(strstr(run.err.message, "4503599627370496 bytes") && strstr(run.err.message, "the device allows "), "%s",
              run.err.message);
    run_close(&run);
}

Test(task, memory_is_asked_for_as_its_kind_needs)
{
    static const struct {
        enum memory memory;
        bool shares_host_memory;
        cl_mem_flags flags;
    } kinds[] = {
        { MEMORY_PAGEABLE, true, 0 },
        { MEMORY_PAGEABLE, false, 0 },
        { MEMORY_PINNED, false, 0 },
        { MEMORY_MAPPED, true, CL_MEM_USE_HOST_PTR },
        { MEMORY_MAPPED, false, CL_MEM_ALLOC_HOST_PTR },
        { MEMORY_MAPPED_COPY, true, CL_MEM_USE_HOST_PTR },
        { MEMORY_MAPPED_COPY, false, CL_MEM_ALLOC_HOST_PTR },
    };
    static const struct {
        enum map_mode mode;
        cl_map_flags flags;
    } modes[] = { { MAP_READ, CL_MAP_READ },
                  { MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION },
                  { MAP_UPDATE, CL_MAP_READ | CL_MAP_WRITE } };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct test_device test_device = test_device_layered();
        const struct backend *backend = test_device.backend;
        struct error err = { .status = STATUS_OK };
        test_device.device.shares_host_memory = kinds[i].shares_host_memory;
        struct session *session = backend->open(&test_device.device, 0, &err);
        struct buffer *buffer = session ? backend->alloc(session, 10000, kinds[i].memory, &err) : NULL;
        cr_assert(buffer, "%s", err.message);
        cr_expect_eq(test_device.layer->asked().buffer, CL_MEM_READ_WRITE | kinds[i].flags, "%zu", i);
        for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
            cr_assert(backend->map(session, buffer, modes[k].mode, &err) && backend->unmap(session, buffer, &err), "%s",
                      err.message);
            cr_expect_eq(test_device.layer->asked().map, modes[k].flags, "%zu, %zu", i, k);
        }
        struct buffer *plain = backend->alloc_plain(session, 10000, kinds[i].memory, &err);
        cr_assert(plain, "%s", err.message);
        cr_expect_eq(test_device.layer->asked().buffer, CL_MEM_READ_WRITE, "%zu: a simple program asks for no kind", i);
        backend->release(session, plain);
        backend->release(session, buffer);
        backend->close(session);
    }
}

/* Drivers have several answers for memory that is short; the others are failures. */
Test(task, memory_that_is_refused_is_short_whatever_the_driver_calls_it)
{
    static const struct {
        const char *entry;
        cl_int code;
        enum status status;
    } rows[] = { { "clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE, STATUS_NO_MEMORY },
                 { "clCreateBuffer", CL_OUT_OF_RESOURCES, STATUS_NO_MEMORY },
                 { "clCreateBuffer", CL_INVALID_VALUE, STATUS_FAILED },
                 { "clEnqueueWriteBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE, STATUS_NO_MEMORY },
                 { "clEnqueueWriteBuffer", CL_OUT_OF_RESOURCES, STATUS_NO_MEMORY },
                 { "clEnqueueWriteBuffer", CL_INVALID_VALUE, STATUS_FAILED } };
    struct test_device test_device = test_device_layered();
    const struct backend *backend = test_device.backend;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = { .status = STATUS_OK };
        struct session *session = backend->open(&test_device.device, 0, &err);
        cr_assert(session, "%s", err.message);
        test_device.layer->strike(rows[i].entry, 1, rows[i].code);
        cr_expect_null(backend->alloc(session, 10000, MEMORY_PAGEABLE, &err));
        cr_expect_eq(err.status, rows[i].status, "%s", err.message);
        cr_expect_str_eq(err.where, rows[i].entry);
        backend->close(session);
        cr_expect_eq(test_device.layer->alive(), 0, "row %zu: %u objects", i, test_device.layer->alive());
    }
}

/* The largest buffer that the device allows is allowed, and not a byte more. */
Test(task, a_buffer_is_refused_from_one_byte_beyond_the_largest_on)
{
    enum { LARGEST = 10000 };
    static const cl_ulong largest = LARGEST;
    static const struct {
        size_t bytes;
        bool is_allowed;
    } rows[] = { { LARGEST - 1, true }, { LARGEST, true }, { LARGEST + 1, false } };
    struct test_device test_device = test_device_layered();
    const struct backend *backend = test_device.backend;
    struct error err = { .status = STATUS_OK };
    test_device.layer->tell(CL_DEVICE_MAX_MEM_ALLOC_SIZE, &largest, sizeof largest);
    struct session *session = backend->open(&test_device.device, 0, &err);
    cr_assert(session, "%s", err.message);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *wanted = rows[i].is_allowed ? "" : "10001 bytes in one buffer, the device allows 10000";
        struct error of_buffer = { .status = STATUS_OK };
        struct buffer *buffer = backend->alloc(session, rows[i].bytes, MEMORY_PAGEABLE, &of_buffer);
        cr_expect(!buffer != rows[i].is_allowed, "%zu bytes", rows[i].bytes);
        cr_expect_str_eq(of_buffer.message, wanted);
        backend->release(session, buffer);
    }
    backend->close(session);
}

/* A driver gives the alignment in bits. */
Test(task, a_part_of_a_buffer_is_an_object_of_its_own_where_the_device_allows_one)
{
    static const struct {
        cl_uint bits;                  /* 0: the driver does not say; then it is that of the largest vector */
        size_t offset, bytes, refused; /* the multiple that is needed; 0: it is allowed */
    } rows[] = { { 1024, 0, 4096, 0 },   { 1024, 0, 64, 0 },   { 1024, 128, 64, 0 }, { 1024, 64, 64, 128 },
                 { 4096, 128, 64, 512 }, { 4096, 512, 64, 0 }, { 0, 64, 64, 128 },   { 0, 128, 64, 0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_device test_device = test_device_layered();
        const struct backend *backend = test_device.backend;
        struct error err = { .status = STATUS_OK };
        test_device.layer->tell(CL_DEVICE_MEM_BASE_ADDR_ALIGN, &rows[i].bits, sizeof rows[i].bits);
        struct session *session = backend->open(&test_device.device, 0, &err);
        cr_assert(session, "%s", err.message);
        struct buffer *buffer = backend->alloc(session, 4096, MEMORY_PAGEABLE, &err);
        cr_assert(buffer, "%s", err.message);
        const bool is_whole = rows[i].bytes == 4096;
        cl_mem part = opencl_sub_buffer(session, buffer, rows[i].offset, rows[i].bytes, &err);
        cr_expect_eq(part == NULL, rows[i].refused > 0, "row %zu: %s", i, err.message);
        cr_expect(!part || (part == buffer->object) == is_whole, "row %zu", i);
        cr_expect(!part || part == opencl_sub_buffer(session, buffer, rows[i].offset, rows[i].bytes, &err));
        char needed[60];
        snprintf(needed, sizeof needed, "the device needs multiples of %zu", rows[i].refused);
        cr_expect(part || (err.status == STATUS_UNSUPPORTED && strstr(err.message, needed)), "%s", err.message);
        backend->release(session, buffer);
        backend->close(session);
    }
}

/* Its memory is the host's, whatever the driver says, and it has no place on the bus. */
Test(task, a_cpu_is_listed_as_the_host)
{
    static const cl_bool apart = CL_FALSE;
    static const cl_uint pci[4] = { 0, 1, 2, 0 };
    static const char extensions[] = "cl_khr_pci_bus_info";
    struct test_device test_device = test_device_layered();
    static struct device device[4];
    struct error err = { .status = STATUS_OK };
    unsigned count = 0;
    test_device.layer->tell(CL_DEVICE_HOST_UNIFIED_MEMORY, &apart, sizeof apart);
    test_device.layer->tell(CL_DEVICE_EXTENSIONS, extensions, sizeof extensions);
    test_device.layer->tell(0x410f, pci, sizeof pci);
    cr_assert(test_device.backend->list(test_device.device.source, device, 4, &count, &err) && count > 0, "%s",
              err.message);
    cr_expect(device->class == CLASS_CPU && device->shares_host_memory);
    cr_expect_str_eq(device->silicon, "cpu");
    cr_expect_null(strstr(device->key, "0000:01:02.0"), "%s", device->key);
    cr_expect_not(device->computes[DTYPE_F64], "without an extension there is none");
}

static void long_loops_launch(const struct problem *problem, const struct device *device, unsigned kernel_shape,
                              struct launch *out)
{
    method_march.portable->launch(problem, device, kernel_shape, out);
    out->loop_iterations = 65536;
}

Test(task, loops_that_llvmpipe_would_end_early_are_refused_there)
{
    struct portable portable = *method_march.portable;
    struct method long_loops = method_march;
    portable.launch = long_loops_launch;
    long_loops.portable = &portable;
    for (unsigned is_llvmpipe = 0; is_llvmpipe < 2; is_llvmpipe++) {
        struct test_device test_device = test_device_layered();
        if (is_llvmpipe) {
            static const char name[] = "llvmpipe (LLVM 15.0.6, 256 bits)";
            test_device.layer->tell(CL_DEVICE_NAME, name, sizeof name);
            strcpy(test_device.device.name, name);
        }
        struct run run = run_open(&test_device, &long_loops);
        cr_expect_eq(run.task == NULL, is_llvmpipe, "%s", run.err.message);
        cr_expect(!is_llvmpipe || strstr(run.err.message, "llvmpipe stops silently after 65535"), "%s",
                  run.err.message);
        run_close(&run);
    }
}

/* Each in the numbers of its vendor's extension. */
Test(task, a_device_is_described_by_what_only_its_vendors_driver_tells)
{
    static const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
    static const cl_bool apart = CL_FALSE;
    static const struct {
        const char *extensions, *name;
        struct {
            cl_device_info what;
            cl_uint value[6];
            size_t bytes;
        } told[6];
        const char *architecture, *silicon;
        unsigned lanes;
    } drivers[] = {
        { "cl_nv_device_attribute_query",
          "a card",
          { { 0x4000, { 8 }, 4 },
            { 0x4001, { 9 }, 4 },
            { 0x4008, { 0x165 }, 4 },
            { 0x4009, { 0x1a }, 4 },
            { 0x400a, { 2 }, 4 } },
          "nvidia 8.9",
          "pci 0002:65:03.2",
          0 },
        { "cl_amd_device_attribute_query",
          "gfx1030:xnack-",
          { { 0x4040, { 2 }, 4 },
            { 0x4041, { 32 }, 4 },
            { 0x4042, { 5 }, 4 },
            { 0x4037, { 1, 0, 0, 0, 0, 0x01038500 }, 24 } },
          "amd gfx1030",
          "pci 0000:85:03.1",
          64 },
        { "cl_khr_pci_bus_info", "a card", { { 0x410f, { 1, 0x82, 4, 3 }, 16 } }, "", "pci 0001:82:04.3", 0 },
    };
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        struct test_device test_device = test_device_layered();
        const struct layer_controls *layer = test_device.layer;
        static struct device device[4];
        struct error err = { .status = STATUS_OK };
        unsigned count = 0;
        layer->tell(CL_DEVICE_TYPE, &gpu, sizeof gpu);
        layer->tell(CL_DEVICE_HOST_UNIFIED_MEMORY, &apart, sizeof apart);
        layer->tell(CL_DEVICE_NAME, drivers[i].name, strlen(drivers[i].name) + 1);
        layer->tell(CL_DEVICE_EXTENSIONS, drivers[i].extensions, strlen(drivers[i].extensions) + 1);
        for (size_t k = 0; drivers[i].told[k].bytes > 0; k++)
            layer->tell(drivers[i].told[k].what, drivers[i].told[k].value, drivers[i].told[k].bytes);
        cr_assert(test_device.backend->list(test_device.device.source, device, 4, &count, &err) && count > 0, "%s",
                  err.message);
        cr_expect_eq(device->class, CLASS_DGPU);
        cr_expect_str_eq(device->architecture, drivers[i].architecture);
        cr_expect_eq(device->lanes, drivers[i].lanes, "%s: %u lanes", device->name, device->lanes);
        cr_expect_str_eq(device->silicon, drivers[i].silicon);
    }
}
