#include "bench/backends/registry.h"

#include <string.h>

extern const struct backend backend_cpu, backend_opencl, backend_cuda, backend_fake;

const struct backend *const backends[] = { &backend_cpu, &backend_opencl, &backend_cuda, &backend_fake, NULL };

const struct backend *backend_find(const char *name)
{
    for (unsigned i = 0; backends[i]; i++) {
        if (strcmp(backends[i]->name, name) == 0)
            return backends[i];
    }
    return NULL;
}
