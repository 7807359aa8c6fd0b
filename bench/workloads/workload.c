#include "bench/workloads/workload.h"

#include <string.h>

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
