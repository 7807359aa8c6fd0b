#ifndef BENCH_BACKENDS_REGISTRY_H
#define BENCH_BACKENDS_REGISTRY_H

/* Everything that can be plugged in, in the order in which it is listed and run: backends, and workloads (workload.h).
 */

#include "bench/backends/backend.h"
#include "bench/workloads/workload.h"

extern const struct backend *const backends[]; /* ends with NULL */

const struct backend *backend_find(const char *name);   /* NULL if there is none */
const struct workload *workload_find(const char *name); /* NULL if there is none */
const struct method *method_find(const struct workload *workload, const char *name);

#endif
