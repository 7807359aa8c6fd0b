/* The OpenCL backend when a driver refuses: each entry point in turn, at each of its calls in one session from open to
 * close. The error must name the entry point and its answer, and no object may be left. */

#define CL_TARGET_OPENCL_VERSION 120

#include "tests/support/opencl_rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a session computes. */
struct route {
    const struct problem *problem;
    const struct method *method;
    unsigned kernel_shape;
};

/* The objects of one session. */
struct journey {
    struct session *session;
    unsigned operands;
    struct buffer *buffer[OPERANDS_MAX];
    struct buffer *pinned;
    void *staging; /* its memory */
    struct task *task;
    struct span span;
};

static bool journey_go(const struct test_device *test_device, const struct route *route, struct journey *journey,
                       struct error *err)
{
    static const enum memory memory[OPERANDS_MAX] = { MEMORY_PAGEABLE, MEMORY_MAPPED, MEMORY_PAGEABLE };
    const struct backend *backend = test_device->backend;
    struct job job = { .problem = route->problem, .method = route->method, .kernel_shape = route->kernel_shape };
    struct operand operand[OPERANDS_MAX];
    unsigned operands = route->problem->workload->operands(route->problem, operand), last = operands - 1;
    size_t bytes = 0;
    char detail[DETAIL_MAX];

    struct session *session = journey->session = backend->open(&test_device->device, 0, err);
    if (!session)
        return false;
    for (journey->operands = 0; journey->operands < operands; journey->operands++) {
        unsigned i = journey->operands;
        bytes = (size_t)operand[i].count * dtype_bytes(operand[i].dtype);
        journey->buffer[i] = backend->alloc(session, bytes + 2 * GUARD_BYTES, memory[i], err);
        if (!journey->buffer[i])
            return false;
        job.operand[i] = (struct binding){ journey->buffer[i], GUARD_BYTES, bytes };
    }
    journey->pinned = backend->alloc(session, bytes, MEMORY_MAPPED, err);
    journey->staging = journey->pinned ? backend->map(session, journey->pinned, MAP_UPDATE, err) : NULL;
    if (!journey->staging)
        return false;
    memset(journey->staging, 0, bytes);
    if (!backend->upload(session, 1, journey->buffer[last], 0, journey->staging, bytes, err) ||
        !backend->finish(session, 0, err) || !backend->finish(session, 1, err) ||
        !backend->map(session, journey->buffer[1], MAP_WRITE, err) || !backend->unmap(session, journey->buffer[1], err))
        return false;
    journey->task = backend->prepare(session, &job, detail, err);
    return journey->task && backend->submit(journey->task, 0, 0, &journey->span, err) &&
           backend->finish(session, 0, err) &&
           backend->download(session, 0, journey->staging, journey->buffer[last], 0, bytes, err) &&
           backend->finish(session, 0, err) && backend->map(session, journey->buffer[1], MAP_READ, err);
}

static void journey_end(const struct test_device *test_device, struct journey *journey)
{
    if (!journey->session)
        return;
    for (unsigned queue = 0; queue < 2; queue++) /* commands may use what is released below */
        test_device->backend->finish(journey->session, queue, NULL);
    test_device->backend->discard(journey->task);
    for (unsigned i = 0; i < journey->operands; i++)
        test_device->backend->release(journey->session, journey->buffer[i]);
    test_device->backend->release(journey->session, journey->pinned);
    test_device->backend->close(journey->session);
}

/* Whether the error names the entry point that was refused, or the routine of CLBlast that got the refusal. */
static bool is_named(const char *where, const char *entry, const struct route *route)
{
    if (strcmp(route->method->name, "clblast") == 0 && strncmp(where, "CLBlast", 7) == 0)
        return true;
    return strncmp(entry, "cl", 2) == 0 ? strcmp(where, entry) == 0 : strncmp(where, "cl", 2) == 0;
}

/* Returns at how many calls of the entry point a session was tried. */
static unsigned check_strike(const struct test_device *test_device, const struct route *route, const char *entry,
                             cl_int code, enum status status)
{
    unsigned nth = 0, met;
    do {
        struct journey journey = { 0 };
        struct error err = { .status = STATUS_OK };
        test_device->layer->strike(entry, ++nth, code);
        bool arrived = journey_go(test_device, route, &journey, &err);
        met = test_device->layer->calls(); /* calls during the clean-up come later */
        journey_end(test_device, &journey);
        cr_expect_eq(test_device->layer->alive(), 0, "%u objects left when call %u of %s was refused",
                     test_device->layer->alive(), nth, entry);
        cr_assert_eq(arrived, met < nth, "call %u of %s: %s", nth, entry, err.message);
        if (arrived)
            break;
        char number[16];
        snprintf(number, sizeof number, "%d", (int)code);
        cr_expect_eq(err.status, status, "call %u of %s: %s", nth, entry, err.message);
        cr_expect(is_named(err.where, entry, route), "call %u of %s: %s", nth, entry, err.where);
        cr_expect(strstr(err.message, number), "call %u of %s: %s", nth, entry, err.message);
    } while (nth < 300);
    cr_expect_gt(nth, 1, "%s was never called: the layer is not where it should be", entry);
    return nth - 1;
}

/* One launch, as most tests need. */
static struct route route_make(void)
{
    static struct problem problem = { .dtype = DTYPE_F32, .dim = { 1025 } };
    problem.workload = workload_find("multiply");
    return (struct route){ &problem, method_find(problem.workload, "portable"), 0 };
}

/* Two passes, the second in three launches. */
static struct route route_with_passes(struct test_device *test_device)
{
    static const struct problem problem = { .workload = &workload_two_pass,
                                            .dtype = DTYPE_F32,
                                            .dim = { 300 * TWO_PASS_GROUP } };
    test_device_slow_down(test_device, TWO_PASS_FLOPS * (double)problem.dim[0], 2.5);
    return (struct route){ &problem, &method_two_pass, 0 };
}

/* Skips the test where the library is absent. */
static struct route route_through_clblast(const struct test_device *test_device, const char *name, const char *shape,
                                          const char *method)
{
    static struct problem problem = { .dtype = DTYPE_F32 };
    struct error err = { .status = STATUS_OK };
    const struct workload *workload = workload_find(name);
    cr_assert(problem_parse(&problem, workload, DTYPE_F32, shape, &err), "%s", err.message);
    struct route route = { &problem, method_find(workload, method), 0 };
    struct journey journey = { 0 };
    bool arrived = journey_go(test_device, &route, &journey, &err);
    journey_end(test_device, &journey);
    if (!arrived && err.status == STATUS_UNSUPPORTED)
        cr_skip_test("%s", err.message);
    cr_assert(arrived, "%s: %s", err.where, err.message);
    cr_expect_eq(test_device->layer->alive(), 0, "%u objects left", test_device->layer->alive());
    return route;
}

Test(faults, every_refusal_is_named_and_leaves_nothing_behind)
{
    static const char *const entries[] = {
        "clGetDeviceIDs",    "clCreateContext",           "clCreateCommandQueue",    "clCreateBuffer",
        "clCreateSubBuffer", "clCreateProgramWithSource", "clBuildProgram",          "clCreateKernel",
        "clSetKernelArg",    "clEnqueueWriteBuffer",      "clEnqueueReadBuffer",     "clEnqueueMapBuffer",
        "clFinish",          "clEnqueueNDRangeKernel",    "clEnqueueUnmapMemObject", "clGetEventInfo",
    };
    struct test_device test_device = test_device_layered();
    struct route route = route_make();
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        check_strike(&test_device, &route, entries[i], CL_OUT_OF_HOST_MEMORY, STATUS_NO_MEMORY);
}

Test(faults, a_refused_allocation_is_no_memory_and_anything_else_is_failed)
{
    struct test_device test_device = test_device_layered();
    struct route route = route_make();
    check_strike(&test_device, &route, "clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE, STATUS_NO_MEMORY);
    check_strike(&test_device, &route, "clCreateBuffer", CL_INVALID_BUFFER_SIZE, STATUS_NO_MEMORY);
    check_strike(&test_device, &route, "clCreateBuffer", CL_OUT_OF_RESOURCES, STATUS_NO_MEMORY);
    check_strike(&test_device, &route, "clCreateBuffer", CL_INVALID_VALUE, STATUS_FAILED);
    check_strike(&test_device, &route, "clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES, STATUS_FAILED);
    check_strike(&test_device, &route, "clCreateContext", -6666, STATUS_FAILED);
}

/* What a run can do without: times of the device, limits that a driver enforces anyway. */
Test(faults, a_service_that_is_optional_costs_no_row)
{
    static const struct {
        const char *entry;
        cl_int code;
        bool has_times;
    } cases[] = {
        { "clCreateCommandQueue", CL_INVALID_QUEUE_PROPERTIES, false },
        { "clGetEventProfilingInfo", CL_PROFILING_INFO_NOT_AVAILABLE, false },
        { "limits", CL_INVALID_VALUE, true },
        { "clGetKernelWorkGroupInfo", CL_INVALID_VALUE, true },
        { "nothing", CL_INVALID_VALUE, true },
    };
    struct test_device test_device = test_device_layered();
    struct route route = route_make();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct journey journey = { 0 };
        struct error err = { .status = STATUS_OK };
        test_device.layer->strike(cases[i].entry, 0, cases[i].code);
        cr_expect(journey_go(&test_device, &route, &journey, &err), "%s: %s", cases[i].entry, err.message);
        cr_expect_eq(test_device.layer->calls() > 0, strcmp(cases[i].entry, "nothing") != 0, "%s", cases[i].entry);
        cr_expect_eq(!isnan(journey.span.end - journey.span.start), cases[i].has_times, "%s", cases[i].entry);
        journey_end(&test_device, &journey);
        cr_expect_eq(test_device.layer->alive(), 0, "%u objects left", test_device.layer->alive());
    }
}

/* Some drivers are out of memory in these words. */
Test(faults, a_refused_first_use_of_a_buffer_quotes_the_driver)
{
    struct test_device test_device = test_device_layered();
    struct route route = route_make();
    struct journey journey = { 0 };
    struct error err = { .status = STATUS_OK };
    test_device.layer->strike("clEnqueueWriteBuffer", 1, CL_OUT_OF_RESOURCES);
    cr_expect_not(journey_go(&test_device, &route, &journey, &err));
    journey_end(&test_device, &journey);
    cr_expect_eq(err.status, STATUS_NO_MEMORY);
    cr_expect(strstr(err.message, "clEnqueueWriteBuffer answered CL_OUT_OF_RESOURCES (-5): "), "%s", err.message);
}

Test(faults, a_command_that_fails_is_noticed_in_finish)
{
    struct test_device test_device = test_device_layered();
    struct route route = route_make();
    check_strike(&test_device, &route, "event status", CL_OUT_OF_RESOURCES, STATUS_FAILED);
}

Test(faults, a_run_of_several_launches_may_be_refused_at_each_of_them)
{
    static const char *const entries[] = { "clCreateBuffer", "clCreateKernel", "clSetKernelArg", "clFlush" };
    struct test_device test_device = test_device_layered();
    struct route route = route_with_passes(&test_device);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        check_strike(&test_device, &route, entries[i], CL_OUT_OF_HOST_MEMORY, STATUS_NO_MEMORY);
    cr_expect_eq(check_strike(&test_device, &route, "clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES, STATUS_FAILED), 4);
    check_strike(&test_device, &route, "event status", CL_OUT_OF_RESOURCES, STATUS_FAILED);
}

Test(faults, a_refusal_inside_clblast_is_reported_and_leaves_nothing_behind)
{
    static const char *const entries[] = {
        "clCreateBuffer",
        "clBuildProgram",
        "clEnqueueNDRangeKernel",
    };
    struct test_device test_device = test_device_layered();
    struct route route = route_through_clblast(&test_device, "conv", "n=1,c=1,h=3,w=3,k=1,r=1,s=1", "clblast");
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        check_strike(&test_device, &route, entries[i], CL_OUT_OF_HOST_MEMORY, STATUS_NO_MEMORY);
    check_strike(&test_device, &route, "event status", CL_OUT_OF_RESOURCES, STATUS_FAILED);
}

/* The kernels of a GPU on a device with a lower limit. */
static void check_limit(cl_device_info limit, cl_ulong most, const char *message)
{
    static struct problem problem;
    struct test_device test_device = test_device_layered();
    struct error err = { .status = STATUS_OK };
    struct journey journey = { 0 };
    const struct workload *matmul = workload_find("matmul");
    cr_assert(problem_parse(&problem, matmul, DTYPE_F32, "m=65,n=66,k=67", &err), "%s", err.message);
    const struct route route = { &problem, method_find(matmul, "portable"), 0 };
    test_device.device.class = CLASS_DGPU;
    test_device.layer->lower(limit, most);
    cr_expect_not(journey_go(&test_device, &route, &journey, &err));
    journey_end(&test_device, &journey);
    cr_expect_eq(err.status, STATUS_UNSUPPORTED, "%s", err.message);
    cr_expect(strstr(err.message, message), "%s", err.message);
    cr_expect_eq(test_device.layer->alive(), 0, "%u objects left", test_device.layer->alive());
}

Test(faults, groups_that_are_too_large_for_the_device_are_refused_with_both_numbers)
{
    check_limit(CL_DEVICE_MAX_WORK_GROUP_SIZE, 255, "groups of 256 work-items, the device allows 255");
}

Test(faults, more_local_memory_than_the_device_has_is_refused_with_both_numbers)
{
    check_limit(CL_DEVICE_LOCAL_MEM_SIZE, 4096, "groups that share 16896 bytes of local memory, the device has 4096");
}

/* Returns how many kernel shapes of the workload run on a device with that limit; the others must be refused before
 * they are launched: the layer refuses such launches itself, in another way. */
static unsigned shapes_that_run(const char *workload, const char *shape, cl_ulong most)
{
    static struct problem problem;
    struct test_device test_device = test_device_layered();
    struct error err = { .status = STATUS_OK };
    char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX], both[64];
    cr_assert(problem_parse(&problem, workload_find(workload), DTYPE_F32, shape, &err), "%s", err.message);
    struct route route = { &problem, method_find(problem.workload, "portable"), 0 };
    test_device.device.class = CLASS_IGPU;
    strcpy(test_device.device.architecture, "intel gen9"); /* whose shapes name their lanes */
    test_device.layer->lower(CL_DEVICE_MAX_WORK_GROUP_SIZE, most);
    struct session *session = test_device.backend->open(&test_device.device, 0, &err);
    cr_assert(session, "%s", err.message);
    const unsigned shapes = test_device.backend->kernel_shapes(session, &problem, route.method, name);
    test_device.backend->close(session);
    snprintf(both, sizeof both, "work-items, the device allows %u", (unsigned)most);
    unsigned run = 0;
    for (; route.kernel_shape < shapes; route.kernel_shape++) {
        struct journey journey = { 0 };
        err = (struct error){ .status = STATUS_OK };
        bool arrived = journey_go(&test_device, &route, &journey, &err);
        journey_end(&test_device, &journey);
        run += arrived;
        cr_expect(arrived || (err.status == STATUS_UNSUPPORTED && strstr(err.message, both)), "%s %s, groups of %u: %s",
                  workload, name[route.kernel_shape], (unsigned)most, err.message);
    }
    cr_expect_eq(test_device.layer->alive(), 0, "%u objects left", test_device.layer->alive());
    return run;
}

Test(faults, no_kernel_shape_is_launched_beyond_the_limit_of_groups_and_some_fit_each)
{
    static const cl_ulong limits[] = { 64, 128, 192 };
    static const char *const problems[][2] = { { "multiply", "n=1025" },
                                               { "matmul", "m=65,n=66,k=67" },
                                               { "conv", "n=1,c=3,h=9,w=9,k=5,r=3,s=3" } };
    for (unsigned i = 0; i < sizeof problems / sizeof *problems; i++) {
        unsigned before = 0;
        for (unsigned k = 0; k < sizeof limits / sizeof *limits; k++) {
            unsigned run = shapes_that_run(problems[i][0], problems[i][1], limits[k]);
            cr_expect(run > 0 && run >= before, "%s: %u shapes run in groups of %u", problems[i][0], run,
                      (unsigned)limits[k]);
            before = run;
        }
    }
}
