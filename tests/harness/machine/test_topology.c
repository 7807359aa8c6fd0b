#include "config.h"
#include "harness/machine/host.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(topology, no_gpu_driver_is_loaded)
{
    struct host host;
    char line[512];
    cr_assert(host_read(&host, "", 0, NULL));
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps)
        cr_skip_test("/proc/self/maps cannot be read");
    while (fgets(line, sizeof line, maps))
        cr_expect(!strstr(line, "libOpenCL") && !strstr(line, "libcuda") && !strstr(line, "libnvidia"), "%s", line);
    fclose(maps);
}

Test(topology, the_environment_of_workers_is_unchanged)
{
    struct host host;
    unsetenv("HWLOC_PLUGINS_PATH");
    cr_assert(host_read(&host, "", 0, NULL));
    cr_expect(!getenv("HWLOC_PLUGINS_PATH"), "%s", getenv("HWLOC_PLUGINS_PATH"));
    setenv("HWLOC_PLUGINS_PATH", "/the/users/own", 1);
    cr_assert(host_read(&host, "", 0, NULL));
    cr_expect_str_eq(getenv("HWLOC_PLUGINS_PATH"), "/the/users/own");
}

Test(topology, two_sockets_of_a_synthetic_machine)
{
    if (!HAVE_HWLOC)
        cr_skip_test("built without hwloc, which makes up machines");
    struct host host;
    struct error err = { 0 };
    setenv("HWLOC_SYNTHETIC", "pack:2 [numa] l3:1 core:8 pu:2", 1);
    cr_assert(host_read(&host, "", 0, &err), "%s", err.message);
    cr_expect(host.packages == 2 && host.cores == 16 && host.threads == 32 && host.nodes == 2);
    cr_expect(host.allowed_cores == 16 && host.allowed_threads == 32);
    cr_expect(host.caches == 1 && host.cache[0].level == 3 && host.cache[0].instances == 2);
    if (isinf(host.quota)) {
        cr_expect(host.worker_threads == 16);
        cr_expect_str_eq(host.places, "{0}:16:2");
    }
    cr_expect(host_read(&host, "", 17, &err), "%s", err.message);
    cr_expect_str_eq(host.places, "{0}:16:2,{1}");
    unsetenv("HWLOC_SYNTHETIC");
}
