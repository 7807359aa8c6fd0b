#include "bench/workloads/multiply.h"

#include "bench/workloads/elementwise.h"
#include "bench/workloads/geometry.h"
#include "bench/workloads/product.h"

#include <math.h>

/* c = a * b, element by element: one FLOP for every three elements moved, so memory is the limit. */

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

/* One rounding: fl(a*b) = a*b*(1 + d), |d| <= u (Higham, Accuracy and Stability, 2.2), or a subnormal result. The
 * product of two f64 here is rounded once, as on a correct device; products of smaller types are exact in double. */
void multiply_expect(const struct problem *problem, struct sums sums, const void *const operand[], int64_t index,
                     double *value, double *bound)
{
    *value = element_at(operand[0], problem->dtype, index) * element_at(operand[1], problem->dtype, index);
    *bound = dtype_roundoff(problem->dtype) * fabs(*value) + dtype_tiny(problem->dtype);
}

/* Products of two integers of half the significand's bits are exact. */
struct integers multiply_exact(const struct problem *problem)
{
    return (struct integers){ ((int64_t)1 << dtype_bits(problem->dtype) / 2) - 1, 1 };
}

bool multiply_is_elementwise(const struct problem *problem)
{
    return true;
}

static void multiply_launch(const struct problem *problem, const struct device *device, unsigned kernel_shape,
                            struct launch *out)
{
    elementwise_launch(problem, device, "multiply", 0, kernel_shape, out);
}

static void parts_launch(const struct problem *problem, const struct device *device, unsigned kernel_shape,
                         struct launch *out)
{
    elementwise_launch(problem, device, "multiply", MULTIPLY_GRAIN, kernel_shape, out);
    *out->kernel_shape = '\0'; /* the grain decides */
}

NATIVE_DECLARE(NATIVE_FACTORS, multiply)
NATIVE_DECLARE(NATIVE_FACTORS, multiply_streaming)

static const struct native multiply_streaming = {
    .detail = NATIVE_STREAMING,
    .passes = 1,
    .pass = { { NATIVE_VERSIONS(NATIVE_FACTORS, multiply_streaming), .grain = ELEMENTWISE_GRAIN,
                .over = { { 0, 1 } } } },
};

const struct native multiply_native = {
    .detail = "ordinary stores",
    .passes = 1,
    .pass = { { NATIVE_VERSIONS(NATIVE_FACTORS, multiply), .grain = ELEMENTWISE_GRAIN, .over = { { 0, 1 } } } },
    .streaming = &multiply_streaming,
};

extern const char multiply_text[];

static const struct portable multiply_portable = {
    .source = multiply_text, .kernel_shapes = elementwise_kernel_shapes, .launch = multiply_launch, .knows_narrow = true
};
const struct portable multiply_portable_parts = {
    .source = multiply_text, .launch = parts_launch, .dims = 1, .knows_narrow = true
};

static const struct dim dims[] = { { "n", 1, (int64_t)1 << 40, -1, NULL, "elements" }, { 0 } };

static const struct method methods[] = {
    { METHOD_NATIVE, .native = &multiply_native },
    { METHOD_PORTABLE, .portable = &multiply_portable },
    { 0 },
};

const struct method multiply_in_parts[] = {
    { METHOD_NATIVE, .native = &multiply_native },
    { METHOD_PORTABLE, .portable = &multiply_portable_parts },
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
    { SUITE_STANDARD, "n=80M" },
    { SUITE_UHD620, "n=40M" },
    { SUITE_UHD620, "n=80Mx2" },
    { 0 },
};

static const struct range range = { "n={}", 1000, 40000000, 1, NULL };

const struct workload workload_multiply = {
    .name = "multiply",
    .summary = "c = a * b, element by element: limited by memory.",
    .aliases = "elementwise",
    .dims = dims,
    .suite_sizes = suite_sizes,
    .range = &range,
    .small = "n=300007", /* odd, yet enough for streaming stores in several threads */
    .dtypes = 1u << DTYPE_F32 | 1u << DTYPE_F64 | 1u << DTYPE_F16,
    .methods = methods,
    .operands = multiply_operands,
    .steps = product_steps,
    .flops = multiply_flops,
    .bytes = problem_bytes_held,
    .is_elementwise = multiply_is_elementwise,
    .expect = multiply_expect,
    .exact = multiply_exact,
};
