#ifndef BENCH_DOCTOR_PROBE_H
#define BENCH_DOCTOR_PROBE_H

/* Uses a device, or a library, once: a worker builds and runs one method of a small problem and checks its result. */

#include "bench/plan/devices.h"

struct probe {
    bool is_done;
    struct error outcome;   /* STATUS_OK: it works */
    bool has_damaged_cache; /* it works without its driver's cache of kernels */
};

/* method "": the first of the workload for that device. What no worker can be asked for stays undone. */
void probe_run(struct probe *out, const struct listing *listing, const struct device *device, const char *workload,
               const char *shape, const char *method);

/* What the doctor tried; all undone where it only looked. */
struct probes {
    struct probe device[DEVICES_MAX]; /* by the device of the listing */
    struct probe openblas, onednn;
};
void probes_run(struct probes *out, const struct listing *listing);

#endif
