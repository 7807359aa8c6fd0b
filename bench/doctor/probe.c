#include "bench/doctor/probe.h"

#include "bench/backends/common/driver_cache.h"

#include <stdlib.h>

static bool use(const struct listing *listing, const struct device *device, struct error *err)
{
    struct client *client = client_start(&listing->setup, false, -1, err);
    if (!client)
        return false;
    json_t *request = json_pack("{s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:i}", "do", "open", "device",
                                device_to_json(device), "workload", "multiply", "dtype", "f32", "shape", "n=4096",
                                "method", device->works_in_host_memory ? "native" : "portable", "kernel_shape", "",
                                "memory", memory_names[MEMORY_PAGEABLE], "seed", 1, "threads", 0);
    json_t *opened = client_open(client, request, 0, err);
    json_t *verified =
        opened ? client_ask(client, json_pack("{s:s, s:s}", "do", "verify", "pass", "before"), 0, err) : NULL;
    const bool works = verified != NULL;
    json_decref(opened);
    json_decref(verified);
    client_end(client, NULL);
    return works;
}

void probe_run(struct probe *out, const struct listing *listing, const struct device *device)
{
    struct error why = { .status = STATUS_OK };
    *out = (struct probe){ .is_done = true };
    if (use(listing, device, &out->outcome) || !driver_cache_is_of(device->platform))
        return;
    setenv("POCL_KERNEL_CACHE", "0", 1); /* once more without it */
    out->has_damaged_cache = use(listing, device, &why);
    unsetenv("POCL_KERNEL_CACHE");
}
