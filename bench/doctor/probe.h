#ifndef BENCH_DOCTOR_PROBE_H
#define BENCH_DOCTOR_PROBE_H

/* Uses a device once: a worker builds a kernel of one line, runs it and checks its result. */

#include "bench/plan/devices.h"

struct probe {
    bool is_done;
    struct error outcome;   /* STATUS_OK: it works */
    bool has_damaged_cache; /* it works without its driver's cache of kernels only */
};

void probe_run(struct probe *out, const struct listing *listing, const struct device *device);

#endif
