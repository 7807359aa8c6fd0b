#include "bench/workloads/workload.h"

#include "harness/report/glossary/glossary.h"

#include <string.h>

const struct workload *workload_find(const char *name)
{
    for (unsigned i = 0; workloads[i]; i++) {
        if (strcmp(workloads[i]->name, name) == 0)
            return workloads[i];
    }
    return NULL;
}

bool workload_term(unsigned number, struct term *out)
{
    const struct workload *workload = workloads[number];
    if (!workload)
        return false;
    out->name = workload->name;
    out->explanation = workload->explanation;
    out->aliases = workload->aliases;
    return true;
}

const struct method *method_find(const struct workload *workload, const char *name)
{
    for (unsigned i = 0; workload->methods && workload->methods[i].name; i++) {
        if (strcmp(workload->methods[i].name, name) == 0)
            return &workload->methods[i];
    }
    return NULL;
}

unsigned method_kernel_shapes(const struct method *method, const struct problem *problem, const struct device *device)
{
    const struct portable *portable = method ? method->portable : NULL;
    return portable && portable->kernel_shapes ? portable->kernel_shapes(problem, device) : 1;
}
