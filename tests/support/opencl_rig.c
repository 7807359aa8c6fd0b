#define CL_TARGET_OPENCL_VERSION 120

#include "tests/support/opencl_rig.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct test_device test_device_find(void)
{
    struct test_device test_device = { .backend = backend_find("opencl") };
    struct source source[SOURCES_MAX];
    struct error err = { .status = STATUS_OK };
    unsigned sources = test_device.backend->sources(source, SOURCES_MAX, &err), chosen = 0, count = 0;
    while (chosen < sources && !strstr(source[chosen].text, "pocl"))
        chosen++;
    if (chosen == sources)
        cr_skip_test("PoCL is not installed");
    cr_assert(test_device.backend->list(source[chosen].text, &test_device.device, 1, &count, &err), "%s", err.message);
    if (count == 0)
        cr_skip_test("%s", err.message);
    memcpy(test_device.device.source, source[chosen].text, sizeof test_device.device.source);

    const char *path = getenv("OPENCL_LAYERS");
    void *layer = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (layer)
        test_device.layer = dlsym(layer, "layer_controls");
    return test_device;
}

struct test_device test_device_layered(void)
{
    struct test_device test_device = test_device_find();
    if (!test_device.layer)
        cr_skip_test("the ICD loader has not loaded the layer (OPENCL_LAYERS)");
    return test_device;
}

void test_device_slow_down(struct test_device *test_device, double flops, double launches)
{
    test_device->device.class = CLASS_IGPU;
    test_device->device.units = 0; /* so that portions are not rounded to whole waves */
    test_device->device.clock = flops / 4 / (0.2 * launches);
}

static const struct dim two_pass_dims[] = { { "n", TWO_PASS_GROUP, 1 << 24, -1, NULL, "elements" }, { 0 } };

static unsigned two_pass_operands(const struct problem *problem, struct operand out[OPERANDS_MAX])
{
    out[0] = (struct operand){ "in", ROLE_INPUT, problem->dtype, problem->dim[0] };
    out[1] = (struct operand){ "out", ROLE_OUTPUT, problem->dtype, problem->dim[0] };
    return 2;
}

static unsigned two_pass_steps(const struct problem *problem, struct step out[STEPS_MAX])
{
    out[0] = (struct step){ .kind = STEP_COMPUTE, .part = ALL_PARTS };
    return 1;
}

static double two_pass_flops(const struct problem *problem)
{
    return TWO_PASS_FLOPS * (double)problem->dim[0];
}

static double two_pass_bytes(const struct problem *problem)
{
    return 8.0 * (double)problem->dim[0];
}

static const char two_pass_text[] =
    "__kernel void gather(__global const float *in, __global float *out, __global float *scratch, long n)\n"
    "{\n"
    "    scratch[get_global_id(0)] = in[(get_global_id(0) + 1) % n];\n"
    "}\n"
    "__kernel void spread(__global const float *in, __global float *out, __global float *scratch, long n, long "
    "before)\n"
    "{\n"
    "    long group = before + get_group_id(0);\n"
    "    long i = 8 * group + get_local_id(0);\n"
    "    out[i] = scratch[i] + group;\n"
    "}\n"
    "__kernel void march(__global const float *in, __global float *out, long n, long before)\n"
    "{\n"
    "    long group = before + get_group_id(0);\n"
    "    long i = 8 * group + get_local_id(0);\n"
    "    out[i] = in[(i + 1) % n] + group;\n"
    "}\n"
    "__kernel void tell(__global const float *in, __global float *out, __global float *scratch, long n)\n"
    "{\n"
    "    out[get_global_id(0)] = (size_t)scratch % 4096;\n"
    "}\n";

static void two_pass_launch(const struct problem *problem, const struct device *device, unsigned kernel_shape,
                            struct launch *out)
{
    const size_t n = (size_t)problem->dim[0];
    *out = (struct launch){
        .detail = "two_pass",
        .scratch = { problem->dim[0] * (int64_t)sizeof(float) },
        .passes = 2,
        .pass = { { .entry = "gather", .items = n, .group = 1 },
                  { .entry = "spread", .items = n, .group = TWO_PASS_GROUP, .is_divisible = true } },
    };
}

/* The second pass alone, on the content of the scratch: a run of one pass can be split into parts. */
static void march_launch(const struct problem *problem, const struct device *device, unsigned kernel_shape,
                         struct launch *out)
{
    *out = (struct launch){
        .detail = "march",
        .passes = 1,
        .pass = { { .entry = "march",
                    .items = (size_t)problem->dim[0],
                    .group = TWO_PASS_GROUP,
                    .is_divisible = true } },
    };
}

static void alignment_launch(const struct problem *problem, const struct device *device, unsigned kernel_shape,
                             struct launch *out)
{
    *out = (struct launch){
        .scratch = { 3 * (int64_t)sizeof(float) },
        .passes = 1,
        .pass = { { .entry = "tell", .items = (size_t)problem->dim[0], .group = 1 } },
    };
}

static void hungry_launch(const struct problem *problem, const struct device *device, unsigned kernel_shape,
                          struct launch *out)
{
    two_pass_launch(problem, device, kernel_shape, out);
    out->scratch[0] = (int64_t)1 << 52;
}

static const struct portable two_pass_portable = { .source = two_pass_text, .launch = two_pass_launch };
static const struct portable alignment_portable = { .source = two_pass_text, .launch = alignment_launch };
static const struct portable hungry_portable = { .source = two_pass_text, .launch = hungry_launch };
static const struct portable march_portable = { .source = two_pass_text, .launch = march_launch };
static const char *const on_opencl[] = { "opencl", NULL };

const struct method method_two_pass = { "two_pass", "", on_opencl, .portable = &two_pass_portable };
const struct method method_march = { "march", "", on_opencl, .portable = &march_portable };
const struct method method_alignment = { "alignment", "", on_opencl, .portable = &alignment_portable };
const struct method method_hungry = { "hungry", "", on_opencl, .portable = &hungry_portable };

const struct workload workload_two_pass = {
    .name = "two_pass",
    .summary = "",
    .dims = two_pass_dims,
    .dtypes = 1u << DTYPE_F32,
    .grain = TWO_PASS_GROUP,
    .operands = two_pass_operands,
    .steps = two_pass_steps,
    .flops = two_pass_flops,
    .bytes = two_pass_bytes,
};

float two_pass_truth(const float *in, int64_t n, int64_t i)
{
    return in[(i + 1) % n] + (float)(i / TWO_PASS_GROUP);
}
