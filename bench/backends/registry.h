#ifndef BENCH_BACKENDS_REGISTRY_H
#define BENCH_BACKENDS_REGISTRY_H

/* The backends, in the order in which they are listed and run: the list of meson.build. */

#include "bench/backends/backend.h"

extern const struct backend *const backends[]; /* ends with NULL */

const struct backend *backend_find(const char *name); /* NULL if there is none */

/* Whether the times of its devices are scripted, so that the state of the machine does not change them. */
bool backend_is_scripted(const char *name);

#endif
