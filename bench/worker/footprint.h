#ifndef BENCH_WORKER_FOOTPRINT_H
#define BENCH_WORKER_FOOTPRINT_H

/* What a cell takes beside its time: memory of the device and of the host, and where that memory lies. */

#include "bench/worker/rig.h"

#include <jansson.h>

/* Lets memory lie near a device that has a place of its own on the machine's bus, before anything is allocated for it.
 * The NUMA node; -1 where there is only one, or nothing tells. */
int footprint_settle(const struct device *device);

/* The journal's `memory_cost` of a rig that stands ready. `context` is what this process grew by when the session was
 * opened, bytes. */
json_t *footprint_to_json(const struct rig *rig, double context);

#endif
