#include "bench/doctor/probe.h"

#include "bench/backends/common/driver_cache.h"

#include <stdlib.h>

static bool use(const struct listing *listing, const struct device *device, struct error *err)
{
    struct client *client = client_start(&listing->setup, false, -1, err);
    if (!client)
        return false;
    const struct request open = { .kind = ASK_OPEN,
                                  .device = device,
                                  .workload = "multiply",
                                  .dtype = "f32",
                                  .shape = "n=4096",
                                  .method = device->works_in_host_memory ? "native" : "portable",
                                  .kernel_shape = "",
                                  .memory = memory_names[MEMORY_PAGEABLE],
                                  .seed = 1 },
                         verify = { .kind = ASK_VERIFY, .pass = WHEN_BEFORE };
    struct reply opened, verified = reply_unknown(ASK_VERIFY);
    const bool works = client_ask(client, &open, 0, &opened, err) && client_ask(client, &verify, 0, &verified, err);
    reply_release(&opened);
    reply_release(&verified);
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
    if (!out->has_damaged_cache)
        out->outcome = why; /* which does not suspect the cache */
}
