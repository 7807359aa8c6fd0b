#include "bench/registry.h"

#include <string.h>

extern const struct backend backend_cpu, backend_opencl, backend_cuda, backend_fake;
extern const struct workload workload_multiply, workload_matmul, workload_conv, workload_transfer, workload_launch,
    workload_overlap, workload_peak;

const struct backend *const backends[] = { &backend_cpu, &backend_opencl, &backend_cuda, &backend_fake, NULL };
const struct workload *const workloads[] = { &workload_multiply, &workload_matmul,  &workload_conv, &workload_transfer,
                                             &workload_launch,   &workload_overlap, &workload_peak, NULL };

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

const struct variant *variant_find(const struct workload *workload, const char *name)
{
    for (unsigned i = 0; workload->variants && workload->variants[i].name; i++) {
        if (strcmp(workload->variants[i].name, name) == 0)
            return &workload->variants[i];
    }
    return NULL;
}
