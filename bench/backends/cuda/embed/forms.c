#include "bench/backends/cuda/embed/forms.h"

#include "bench/backends/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes with other forms than those of the suites, the checks and the ends of sweeps. */
static const struct {
    const char *workload, *shape;
} ordinary[] = {
    { "matmul", "m=8192,n=8192,k=8192" }, /* large blocks on the largest GPU; row lengths that are multiples of four,
                                             and others */
    { "matmul", "m=8191,n=8191,k=8191" },
    { "matmul", "m=64,n=64,k=64" },
    { "matmul", "m=65,n=65,k=65" },
    { "peak", "kind=read,bytes=1Mi" }, /* few rows, and many */
    { "peak", "kind=fma,bytes=1Mi" },
    { "peak", "kind=triad,bytes=1Mi" },
    { "conv", "n=32,c=64,h=56,w=56,k=256,r=1,s=1" }, /* ResNet-50 */
    { "conv", "n=32,c=128,h=28,w=28,k=128,r=3,s=3,pad=1" },
    { "conv", "n=32,c=256,h=14,w=14,k=256,r=3,s=3,pad=1" },
    { "conv", "n=32,c=512,h=7,w=7,k=512,r=3,s=3,pad=1" },
    { "conv", "n=32,c=3,h=224,w=224,k=64,r=7,s=7,stride=2,pad=3" },
};

/* Numbers of multiprocessors; a form may depend on it. */
static const unsigned units[] = { 1, 8, 16, 24, 40, 46, 72, 84, 108, 132, 148, 170, 188 };

static bool is_new(const struct forms *forms, const struct form *form)
{
    for (unsigned i = 0; i < forms->count; i++)
        if (forms->form[i].source == form->source && strcmp(forms->form[i].options, form->options) == 0)
            return false;
    return true;
}

static bool add_form(struct forms *out, const struct problem *problem, const struct portable *portable,
                     const struct device *device)
{
    struct error why = { .status = STATUS_OK };
    struct launch launch;
    struct form form = { .source = portable->source };
    portable->launch(problem, device, 0, &launch); /* the driver may compile the other kernel shapes */
    if (!nvrtc_options(problem, portable, &launch, form.options, &why))
        return true; /* no kernel has this type */
    snprintf(form.what, sizeof form.what, "%s %s", problem->workload->name, dtype_name(problem->dtype));
    if (!is_new(out, &form))
        return true;
    struct form *grown = realloc(out->form, (out->count + 1) * sizeof form);
    if (!grown)
        return false;
    out->form = grown;
    out->form[out->count++] = form;
    return true;
}

static struct device gpu_of(unsigned multiprocessors)
{
    struct device device = {
        .backend = "cuda", .platform = "NVIDIA CUDA", .class = CLASS_DGPU, .units = multiprocessors
    };
    for (unsigned dtype = 0; dtype < DTYPE_COUNT; dtype++)
        device.computes[dtype] = true;
    return device;
}

static bool add_problem(struct forms *out, const struct problem *problem)
{
    for (const struct method *method = problem->workload->methods; method->name; method++)
        for (unsigned i = 0; method->portable && i < sizeof units / sizeof *units; i++) {
            const struct device device = gpu_of(units[i]);
            struct error why = { .status = STATUS_OK };
            if ((!method->suits || method->suits(problem, &device, &why)) &&
                !add_form(out, problem, method->portable, &device))
                return false;
        }
    return true;
}

static bool add_shape(struct forms *out, const struct workload *workload, const char *shape)
{
    for (unsigned dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        struct problem problem;
        struct error why = { .status = STATUS_OK };
        if (workload->dtypes & 1u << dtype && problem_parse(&problem, workload, (enum dtype)dtype, shape, &why) &&
            !add_problem(out, &problem))
            return false;
    }
    return true;
}

static bool add_workload(struct forms *out, const struct workload *workload)
{
    for (unsigned i = 0; workload->suite_sizes[i].shape; i++)
        if (!add_shape(out, workload, workload->suite_sizes[i].shape))
            return false;
    for (unsigned i = 0; i < sizeof ordinary / sizeof *ordinary; i++)
        if (strcmp(ordinary[i].workload, workload->name) == 0 && !add_shape(out, workload, ordinary[i].shape))
            return false;
    return !workload->small || add_shape(out, workload, workload->small);
}

bool forms_collect(struct forms *out, const char *only)
{
    *out = (struct forms){ 0 };
    for (unsigned i = 0; workloads[i]; i++)
        if (workloads[i]->methods && (!only || strcmp(workloads[i]->name, only) == 0) &&
            !add_workload(out, workloads[i]))
            return false;
    return true;
}

void forms_release(struct forms *forms)
{
    free(forms->form);
    *forms = (struct forms){ 0 };
}
