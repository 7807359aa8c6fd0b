/* Equal OpenCL devices, and devices with few threads. */

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

/* With 0 and with all units it is opened. */
Test(devices, a_cpu_is_not_limited_to_fewer_threads)
{
    devices_list("pocl");
    if (device[0].units < 2)
        cr_skip_test("%s has one unit", device[0].name);
    cr_expect_null(opencl_open(&device[0], 1, &err));
    cr_expect_eq(err.status, STATUS_UNSUPPORTED);
    cr_expect_str_eq(err.message, "an OpenCL driver uses all cores, and not 1 thread: leave out --threads");
    for (unsigned threads = 0; threads <= device[0].units; threads += device[0].units) {
        struct session *session = opencl_open(&device[0], threads, &err);
        cr_expect_not_null(session);
        opencl_close(session);
    }
}
