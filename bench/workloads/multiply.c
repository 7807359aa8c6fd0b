#include "bench/workloads/multiply.h"

#include "bench/workloads/geometry.h"
#include "bench/workloads/product.h"
#include "kernels/native.h"
#include "kernels/texts.h"

#include <math.h>
#include <stdio.h>

/* c = a * b, element by element: one FLOP for every three elements moved, so memory decides and nothing else. */

unsigned multiply_operands(const struct problem *problem, struct operand out[OPERANDS_MAX])
{
    const int64_t n = problem->dim[0];
    out[0] = (struct operand){ "a", ROLE_INPUT, problem->dtype, n };
    out[1] = (struct operand){ "b", ROLE_INPUT, problem->dtype, n };
    out[2] = (struct operand){ "c", ROLE_OUTPUT, problem->dtype, n };
    return 3;
}

double multiply_flops(const struct problem *problem)
{
    return (double)problem->dim[0];
}

double multiply_bytes(const struct problem *problem)
{
    return 3.0 * (double)problem->dim[0] * (double)dtype_bytes(problem->dtype);
}

/* One rounding: fl(a*b) = a*b*(1 + d), |d| <= u (Higham, Accuracy and Stability, 2.2), or a result below the normal
 * numbers. The product of two f64 is what a correct device gives, rounded once; smaller ones are exact in double. */
void multiply_expect(const struct problem *problem, struct sums sums, const void *const operand[], int64_t index,
                     double *value, double *bound)
{
    (void)sums; /* nothing is summed up */
    *value = element_at(operand[0], problem->dtype, index) * element_at(operand[1], problem->dtype, index);
    *bound = dtype_roundoff(problem->dtype) * fabs(*value) + dtype_tiny(problem->dtype);
}

/* Products of two integers of half the significand's bits are exact. */
struct integers multiply_exact(const struct problem *problem)
{
    return (struct integers){ ((int64_t)1 << dtype_bits(problem->dtype) / 2) - 1, 1 };
}

/* Vectors that one group of a CPU walks through: long walks, but enough of them to keep every unit busy to the end. */
static unsigned multiply_walk(int64_t vectors, unsigned units)
{
    const int64_t groups_wanted = 16 * (int64_t)(units ? units : 1);
    unsigned steps = 1024;
    while (steps > 16 && vectors / steps < groups_wanted)
        steps /= 2;
    return steps;
}

/* How a group goes about its elements: `local` work-items, each with `steps` vectors. */
struct shape {
    unsigned width, local, steps;
};

static void lay_out(const struct problem *problem, const struct shape *shape, struct launch *out)
{
    const int64_t per_group = (int64_t)shape->width * shape->local * shape->steps;
    const size_t groups = (size_t)blocks_of(problem->dim[0], per_group);
    *out = (struct launch){ .passes = 1 };
    out->pass[0] = (struct pass){ .entry = "multiply",
                                  .dims = 1,
                                  .global = { groups * shape->local },
                                  .local = { shape->local },
                                  .is_divisible = true };
    snprintf(out->defines, sizeof out->defines, "-DWIDTH=%u -DLOCAL=%u -DSTEPS=%u", shape->width, shape->local,
             shape->steps);
    const unsigned each = shape->width * shape->steps;
    if (shape->local == 1 && shape->width > 1)
        snprintf(out->detail, sizeof out->detail, "width %u, streaming stores", shape->width);
    else
        snprintf(out->detail, sizeof out->detail, "groups of %u, %u element%s each", shape->local, each,
                 each == 1 ? "" : "s");
}

/* Geometry by class. Vectors of 64 bytes of arithmetic on a CPU, where a group is one work-item; a GPU has lanes
 * instead, each of which moves one element at a time, or 16 bytes of narrow ones, for fewer would need more requests
 * than a GPU has under way at once. */
static struct shape shape_for(const struct problem *problem, const struct device *device)
{
    const bool has_narrow = is_narrow(problem->dtype);
    if (has_lanes(device) && has_narrow)
        return (struct shape){ .width = (unsigned)(16 / dtype_bytes(problem->dtype)), .local = 128, .steps = 2 };
    if (has_lanes(device))
        return (struct shape){ .width = 1, .local = 256, .steps = 4 };
    return (struct shape){ .width = (unsigned)(64 / real_bytes(problem->dtype)), .local = 1 };
}

static void multiply_launch(const struct problem *problem, const struct device *device, struct launch *out)
{
    struct shape shape = shape_for(problem, device);
    if (!has_lanes(device))
        shape.steps = multiply_walk(problem->dim[0] / shape.width, device->units);
    lay_out(problem, &shape, out);
}

/* A group for each grain; a single element is the work of a single work-item, the smallest launch that there is. */
static void parts_launch(const struct problem *problem, const struct device *device, struct launch *out)
{
    struct shape shape = shape_for(problem, device);
    shape.steps = MULTIPLY_GRAIN / (shape.width * shape.local);
    if (problem->dim[0] == 1)
        shape.local = shape.steps = 1;
    lay_out(problem, &shape, out);
}

static int64_t multiply_extent(const struct problem *problem)
{
    return problem->dim[0];
}

enum { NATIVE_GRAIN = NATIVE_LINE / 2 }; /* a line of the narrowest type, two of floats, four of doubles */

static const struct native multiply_streaming = {
    .detail = NATIVE_STREAMING,
    .passes = 1,
    .pass = { { NATIVE_VERSIONS(NATIVE_FACTORS, multiply_streaming), .grain = NATIVE_GRAIN,
                .extent = multiply_extent } },
};

const struct native multiply_native = {
    .detail = "ordinary stores",
    .passes = 1,
    .pass = { { NATIVE_VERSIONS(NATIVE_FACTORS, multiply), .grain = NATIVE_GRAIN, .extent = multiply_extent } },
    .streaming = &multiply_streaming,
};

static const struct portable multiply_portable = { .source = multiply_text,
                                                   .launch = multiply_launch,
                                                   .knows_narrow = true };
const struct portable multiply_portable_parts = {
    .source = multiply_text, .launch = parts_launch, .dims = 1, .knows_narrow = true
};

static const struct dim dims[] = { { "n", 1, (int64_t)1 << 40, -1, NULL, "elements" }, { 0 } };

static const char *const on_cpu[] = { "cpu", "fake", NULL };

static const struct method methods[] = {
    { "native", "C, compiled for each instruction set", on_cpu, .native = &multiply_native },
    { "portable", "kernel text, compiled by the device's driver", with_compiler, .portable = &multiply_portable },
    { 0 },
};

const struct method multiply_in_parts[] = {
    { "native", "C, compiled for each instruction set", on_cpu, .native = &multiply_native },
    { "portable", "kernel text, compiled by the device's driver", with_compiler, .portable = &multiply_portable_parts },
    { 0 },
};

bool multiply_can_be_cut(const struct problem *problem, int64_t parts, const char *name, struct error *err)
{
    const int64_t n = problem->dim[0], grains = blocks_of(n, MULTIPLY_GRAIN);
    if (parts <= grains)
        return true;
    return fail(err, STATUS_USAGE, "n=%lld is %lld group%s of %d elements, which cannot be cut into %s=%lld",
                (long long)n, (long long)grains, grains == 1 ? "" : "s", MULTIPLY_GRAIN, name, (long long)parts);
}

static const struct suite_size suite_sizes[] = {
    { SUITE_QUICK, "n=40M" },
    { SUITE_STANDARD, "n=80Mx2" },
    { SUITE_UHD620, "n=40M" },
    { SUITE_UHD620, "n=80Mx2" },
    { 0 },
};

static const struct range range = { "n={}", 1000, 40000000, 1 };

const struct workload workload_multiply = {
    .name = "multiply",
    .summary = "c = a * b, element by element",
    .dims = dims,
    .suite_sizes = suite_sizes,
    .range = &range,
    .small = "n=300007", /* odd, yet enough for streaming stores in several threads */
    .dtypes = 1u << DTYPE_F32 | 1u << DTYPE_F64 | 1u << DTYPE_F16,
    .methods = methods,
    .operands = multiply_operands,
    .steps = product_steps,
    .flops = multiply_flops,
    .bytes = multiply_bytes,
    .expect = multiply_expect,
    .exact = multiply_exact,
};
