#include "bench/doctor/probe.h"

#include "bench/worker/driver_log.h"
#include "bench/workloads/workload.h"
#include "harness/journal/journal.h"

#include <stdlib.h>
#include <string.h>

static bool has_name(const char *const names[], const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

void probe_run(struct probe *out, const struct listing *listing, const struct device *device, const char *workload,
               const char *shape, const char *method)
{
    const struct method *known = workload_find(workload)->methods;
    while (known->name &&
           (!has_name(known->backends, device->backend) || (*method && strcmp(known->name, method) != 0)))
        known++;
    if (!known->name)
        return;
    const int words = driver_words_open();
    struct error *err = &out->outcome;
    struct client *client = client_start(&listing->setup, false, words, err);
    json_t *verified = NULL,
           *reply = client ? client_open(client,
                                         json_pack("{s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:i}", "do", "open",
                                                   "device", device_to_json(device), "workload", workload, "dtype",
                                                   "f32", "shape", shape, "method", known->name, "kernel_shape", "",
                                                   "memory", memory_names[MEMORY_PAGEABLE], "seed", 1, "threads", 0),
                                         0, err)
                           : NULL;
    if (reply)
        verified = client_ask(client, json_pack("{s:s, s:s}", "do", "verify", "pass", "before"), 0, err);
    out->has_damaged_cache = strstr(journal_text(reply, "detail"), "cache is damaged");
    out->is_done = true;
    json_decref(verified);
    json_decref(reply);
    client_end(client, NULL);
    driver_words_quote(words, err);
}

/* Once more without PoCL's cache: if that works, the cache was the cause. */
static void suspect_cache(struct probe *probe, const struct listing *listing, const struct device *device)
{
    struct probe again = { .is_done = false };
    if (!status_is_bad(probe->outcome.status) || strcmp(device->platform, "Portable Computing Language") != 0)
        return;
    setenv("POCL_KERNEL_CACHE", "0", 1);
    probe_run(&again, listing, device, "multiply", "n=4096", "");
    unsetenv("POCL_KERNEL_CACHE");
    if (again.outcome.status == STATUS_OK)
        *probe = (struct probe){ .is_done = true, .has_damaged_cache = true };
}

void probes_run(struct probes *out, const struct listing *listing)
{
    for (unsigned i = 0; i < listing->devices; i++) {
        const struct device *device = &listing->device[i];
        probe_run(&out->device[i], listing, device, "multiply", "n=4096", "");
        suspect_cache(&out->device[i], listing, device);
        if (device->works_in_host_memory) {
            probe_run(&out->openblas, listing, device, "matmul", "m=64,n=64,k=64", "openblas");
            probe_run(&out->onednn, listing, device, "matmul", "m=64,n=64,k=64", "onednn");
        }
    }
}
