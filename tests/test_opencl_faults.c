/* What the OpenCL backend does when a driver refuses: each entry point in turn, at each call it gets in one whole
 * journey from open to close. It must say which one it was and what it answered, and leave no object behind. */

#define CL_TARGET_OPENCL_VERSION 120

#include "bench/registry.h"
#include "tests/opencl_layer.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1025, BYTES = COUNT * sizeof(float) };

/* The device under test, and the layer before it. */
struct stand {
    const struct backend *backend;
    struct device device;
    const struct layer_controls *layer;
};

static struct stand stand_make(void)
{
    struct stand stand = { .backend = backend_find("opencl") };
    struct source source[SOURCES_MAX];
    struct error err = { .status = STATUS_OK };
    unsigned sources = stand.backend->sources(source, SOURCES_MAX, &err), chosen = 0, count = 0;
    while (chosen < sources && !strstr(source[chosen].text, "pocl"))
        chosen++;
    if (chosen == sources)
        cr_skip_test("PoCL is not installed");
    cr_assert(stand.backend->list(source[chosen].text, &stand.device, 1, &count, &err), "%s", err.message);
    if (count == 0)
        cr_skip_test("%s", err.message);
    memcpy(stand.device.source, source[chosen].text, sizeof stand.device.source);

    void *layer = dlopen(getenv("OPENCL_LAYERS"), RTLD_NOW | RTLD_NOLOAD);
    if (!layer)
        cr_skip_test("the ICD loader has not loaded the layer (OPENCL_LAYERS)");
    stand.layer = dlsym(layer, "layer_controls");
    cr_assert(stand.layer);
    return stand;
}

/* What one journey holds. */
struct journey {
    struct session *session;
    struct buffer *buffer[3];
    void *staging;
    struct task *task;
};

static bool journey_go(const struct stand *stand, struct journey *journey, struct error *err)
{
    static const enum memory memory[3] = { MEMORY_PAGEABLE, MEMORY_MAPPED, MEMORY_PAGEABLE };
    const struct backend *backend = stand->backend;
    const struct workload *workload = workload_find("multiply");
    const struct problem problem = { .workload = workload, .dtype = DTYPE_F32, .dim = { COUNT } };
    struct job job = { .problem = &problem, .variant = variant_find(workload, "portable") };
    char detail[DETAIL_MAX];

    struct session *session = journey->session = backend->open(&stand->device, 0, err);
    if (!session)
        return false;
    for (unsigned i = 0; i < 3; i++) {
        journey->buffer[i] = backend->alloc(session, BYTES + 2 * GUARD_BYTES, memory[i], err);
        if (!journey->buffer[i])
            return false;
        job.operand[i] = (struct binding){ journey->buffer[i], GUARD_BYTES, BYTES };
    }
    journey->staging = backend->host_alloc(session, BYTES, MEMORY_PINNED, err);
    if (!journey->staging)
        return false;
    memset(journey->staging, 0, BYTES);
    if (!backend->upload(session, 0, journey->buffer[0], journey->staging, BYTES, NULL, err) ||
        !backend->upload(session, 1, journey->buffer[2], journey->staging, BYTES, NULL, err) ||
        !backend->finish(session, 0, err) || !backend->finish(session, 1, err) ||
        !backend->map(session, journey->buffer[1], MAP_WRITE, err) || !backend->unmap(session, journey->buffer[1], err))
        return false;
    journey->task = backend->prepare(session, &job, detail, err);
    struct span span;
    return journey->task && backend->submit(journey->task, 0, &span, err) && backend->finish(session, 0, err) &&
           backend->download(session, 0, journey->staging, journey->buffer[2], BYTES, NULL, err) &&
           backend->finish(session, 0, err) && backend->map(session, journey->buffer[1], MAP_READ, err);
}

static void journey_end(const struct stand *stand, struct journey *journey)
{
    if (!journey->session)
        return;
    stand->backend->discard(journey->task);
    for (unsigned i = 0; i < 3; i++)
        stand->backend->release(journey->session, journey->buffer[i]);
    stand->backend->host_release(journey->session, journey->staging);
    stand->backend->close(journey->session);
}

static void check_strike(const struct stand *stand, const char *entry, cl_int code, enum status status)
{
    unsigned nth = 0, met;
    do {
        struct journey journey = { 0 };
        struct error err = { .status = STATUS_OK };
        stand->layer->strike(entry, ++nth, code);
        bool arrived = journey_go(stand, &journey, &err);
        met = stand->layer->calls(); /* those of the way home come after */
        journey_end(stand, &journey);
        cr_expect_eq(stand->layer->alive(), 0, "%u objects left when call %u of %s was refused", stand->layer->alive(),
                     nth, entry);
        cr_assert_eq(arrived, met < nth, "call %u of %s: %s", nth, entry, err.message);
        if (arrived)
            break;
        char number[16];
        snprintf(number, sizeof number, "(%d)", (int)code);
        cr_expect_eq(err.status, status, "call %u of %s: %s", nth, entry, err.message);
        cr_expect(strncmp(err.where, "cl", 2) == 0 && strstr(err.message, number), "%s: %s", err.where, err.message);
        if (strncmp(entry, "cl", 2) == 0)
            cr_expect_str_eq(err.where, entry);
    } while (nth < 100);
    cr_expect_gt(nth, 1, "%s was never called: the layer is not where it should be", entry);
}

Test(faults, every_refusal_is_told_by_name_and_leaves_nothing_behind)
{
    static const char *const entries[] = {
        "clGetDeviceIDs",    "clCreateContext",           "clCreateCommandQueue",    "clCreateBuffer",
        "clCreateSubBuffer", "clCreateProgramWithSource", "clBuildProgram",          "clCreateKernel",
        "clSetKernelArg",    "clEnqueueWriteBuffer",      "clEnqueueReadBuffer",     "clEnqueueMapBuffer",
        "clFinish",          "clEnqueueNDRangeKernel",    "clEnqueueUnmapMemObject", "clGetEventInfo",
    };
    struct stand stand = stand_make();
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        check_strike(&stand, entries[i], CL_OUT_OF_HOST_MEMORY, STATUS_NO_MEMORY);
}

Test(faults, a_refused_allocation_is_no_memory_and_anything_else_is_failed)
{
    struct stand stand = stand_make();
    check_strike(&stand, "clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE, STATUS_NO_MEMORY);
    check_strike(&stand, "clCreateBuffer", CL_INVALID_BUFFER_SIZE, STATUS_NO_MEMORY);
    check_strike(&stand, "clCreateBuffer", CL_INVALID_VALUE, STATUS_FAILED);
    check_strike(&stand, "clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES, STATUS_FAILED);
    check_strike(&stand, "clCreateContext", -6666, STATUS_FAILED);
}

Test(faults, a_command_that_ends_badly_is_noticed_when_it_is_waited_for)
{
    struct stand stand = stand_make();
    check_strike(&stand, "event status", CL_OUT_OF_RESOURCES, STATUS_FAILED);
}
