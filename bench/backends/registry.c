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

const struct workload *workload_find(const char *name)
{
    for (unsigned i = 0; workloads[i]; i++) {
        if (strcmp(workloads[i]->name, name) == 0)
            return workloads[i];
    }
    return NULL;
}

const struct method *method_find(const struct workload *workload, const char *name)
{
    for (unsigned i = 0; workload->methods && workload->methods[i].name; i++) {
        if (strcmp(workload->methods[i].name, name) == 0)
            return &workload->methods[i];
    }
    return NULL;
}
