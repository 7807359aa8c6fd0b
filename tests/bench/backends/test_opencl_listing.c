/* Equal OpenCL devices, and parts of a device. */

#include "bench/backends/opencl/opencl.h"
#include "bench/backends/registry.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

extern const struct backend backend_opencl;

static struct error err;
static struct device device[DEVICES_MAX];

/* Lists the devices of the source whose path contains `name`. Skips the test where there is none. */
static unsigned devices_list(const char *name)
{
    struct source source[SOURCES_MAX];
    unsigned sources = opencl_sources(source, SOURCES_MAX, &err), chosen = 0, count = 0;
    while (chosen < sources && !strstr(source[chosen].text, name))
        chosen++;
    if (chosen == sources)
        cr_skip_test("%s is not installed", name);
    cr_assert(opencl_list(source[chosen].text, device, DEVICES_MAX, &count, &err), "%s", err.message);
    if (count == 0)
        cr_skip_test("%s", err.message);
    for (unsigned i = 0; i < count; i++)
        memcpy(device[i].source, source[chosen].text, sizeof device[i].source);
    return count;
}

Test(devices, equal_devices_have_different_keys)
{
    setenv("POCL_DEVICES", "pthread pthread pthread", 1);
    unsigned count = devices_list("pocl");
    cr_assert_eq(count, 3);
    for (unsigned i = 1; i < count; i++) {
        char wanted[sizeof device->key + 16];
        snprintf(wanted, sizeof wanted, "%s/%u", device[0].key, i + 1);
        cr_expect_str_eq(device[i].name, device[0].name);
        cr_expect_str_eq(device[i].key, wanted);
    }
}

Test(devices, each_of_two_equal_devices_is_opened_as_itself)
{
    setenv("POCL_DEVICES", "pthread pthread", 1);
    cr_assert_eq(devices_list("pocl"), 2);
    cl_device_id handle[2] = { NULL, NULL };
    for (unsigned i = 0; i < 2; i++) {
        strcpy(device[i].key, "renamed");
        cr_assert(opencl_find(&device[i], &handle[i], &err), "%s", err.message);
    }
    cr_expect_neq(handle[0], handle[1]);
}

Test(devices, a_device_that_was_replaced_is_not_opened)
{
    unsigned count = devices_list("pocl");
    cl_device_id handle = NULL;
    struct device gone = device[0], renamed = device[0];
    gone.index = count;
    strcpy(renamed.name, "Another");
    cr_expect_not(opencl_find(&gone, &handle, &err));
    cr_expect(strstr(err.message, gone.name), "%s", err.message);
    err = (struct error){ .status = STATUS_OK };
    cr_expect_not(opencl_find(&renamed, &handle, &err));
    cr_expect(strstr(err.message, "Another"), "%s", err.message);
    cr_expect_null(handle);
}

/* The detail text of a small multiply on the first device with that many threads. */
static void detail_read(unsigned threads, char detail[DETAIL_MAX])
{
    enum { COUNT = 1000 };
    const struct workload *workload = workload_find("multiply");
    const struct problem problem = { .workload = workload, .dtype = DTYPE_F32, .dim = { COUNT } };
    struct job job = { .problem = &problem, .method = method_find(workload, "portable") };
    struct session *session = opencl_open(&device[0], threads, &err);
    cr_assert(session, "%s", err.message);
    for (unsigned i = 0; i < 3; i++) {
        job.operand[i] = (struct binding){ .bytes = COUNT * sizeof(float) };
        job.operand[i].buffer = opencl_alloc(session, job.operand[i].bytes, MEMORY_MAPPED, &err);
        cr_assert(job.operand[i].buffer, "%s", err.message);
    }
    struct task *task = backend_opencl.prepare(session, &job, detail, &err);
    cr_assert(task, "%s", err.message);
    cr_expect(task_submit(task, 0, 0, NULL, &err) && opencl_finish(session, 0, &err), "%s", err.message);
    task_discard(task);
    for (unsigned i = 0; i < 3; i++)
        opencl_release(session, job.operand[i].buffer);
    opencl_close(session);
}

Test(devices, a_part_of_a_device_says_how_large_it_is)
{
    char detail[DETAIL_MAX];
    devices_list("pocl");
    if (device[0].units < 2)
        cr_skip_test("%s has one unit", device[0].name);
    detail_read(1, detail);
    cr_expect(strstr(detail, "limited to 1 unit"), "%s", detail);
    detail_read(0, detail);
    cr_expect_null(strstr(detail, "limited"), "%s", detail);
    detail_read(device[0].units, detail);
    cr_expect_null(strstr(detail, "limited"), "%s", detail);
}

Test(devices, a_device_that_cannot_be_limited_says_so)
{
    char detail[DETAIL_MAX];
    setenv("RUSTICL_ENABLE", "llvmpipe", 1);
    devices_list("rusticl");
    cr_expect_null(opencl_open(&device[0], 1, &err));
    cr_expect_eq(err.status, STATUS_UNSUPPORTED, "%s", err.message);
    cr_expect(strstr(err.message, "limited to 1 thread:"), "%s", err.message);
    err = (struct error){ .status = STATUS_OK };
    detail_read(0, detail);
}
