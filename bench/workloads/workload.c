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
    out->explanation = workload->summary;
    out->aliases = workload->aliases;
    return true;
}

bool method_is_for(const struct method *method, const struct problem *problem)
{
    return !method->is_for || method->is_for(problem);
}

bool method_runs_on(const struct method *method, const struct problem *problem, const struct device *device)
{
    if (!method_is_for(method, problem))
        return false;
    for (const char *const *backend = method->backends; *backend; backend++)
        if (strcmp(*backend, device->backend) == 0)
            return true;
    return false;
}

const struct method *method_find(const struct workload *workload, const char *name)
{
    for (unsigned i = 0; workload->methods && workload->methods[i].name; i++) {
        if (strcmp(workload->methods[i].name, name) == 0)
            return &workload->methods[i];
    }
    return NULL;
}

bool method_is_library(const struct method *method)
{
    return !method->native && !method->portable;
}

unsigned method_kernel_shapes(const struct method *method, const struct problem *problem, const struct device *device)
{
    const struct portable *portable = method ? method->portable : NULL;
    return portable && portable->kernel_shapes ? portable->kernel_shapes(problem, device) : 1;
}

void method_scratch(const struct method *method, const struct problem *problem, const struct device *device,
                    int64_t bytes[SCRATCH_MAX])
{
    const unsigned shapes = method->portable ? method_kernel_shapes(method, problem, device) : 0;
    memset(bytes, 0, SCRATCH_MAX * sizeof *bytes);
    if (method->native && method->native->scratch)
        method->native->scratch(problem, bytes);
    for (unsigned shape = 0; shape < shapes; shape++) {
        struct launch launch;
        method->portable->launch(problem, device, shape, &launch);
        for (unsigned i = 0; i < SCRATCH_MAX; i++)
            bytes[i] = launch.scratch[i] > bytes[i] ? launch.scratch[i] : bytes[i];
    }
}

int64_t native_extent(const struct native_pass *pass, const struct problem *problem)
{
    int64_t extent = pass->extent ? pass->extent(problem) : 1;
    for (unsigned i = 0; i < 2 && pass->over[i].block > 0; i++)
        extent *= (problem->dim[pass->over[i].dim] + pass->over[i].block - 1) / pass->over[i].block;
    return extent;
}

double method_workspace(const struct method *method, const struct problem *problem, const struct device *device)
{
    int64_t bytes[SCRATCH_MAX];
    double sum = 0;
    if (method->workspace)
        return method->workspace(problem);
    method_scratch(method, problem, device, bytes);
    for (unsigned i = 0; i < SCRATCH_MAX; i++)
        sum += (double)bytes[i];
    return sum;
}

struct sums method_sums(const struct method *method, enum dtype dtype)
{
    const bool is_small = dtype_sums(dtype) != dtype, is_stored_as_f32 = dtype == DTYPE_TF32;
    struct sums sums = { .dtype = dtype_sums(dtype) };
    if (method && method->sums_in_own_type && !is_stored_as_f32)
        sums.dtype = dtype;
    sums.may_be_cut_off = method && method->is_vendors && is_small;
    return sums;
}
