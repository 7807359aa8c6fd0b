#include "bench/workloads/geometry.h"
#include "bench/workloads/multiply.h"

/* The cost of launches: multiply of n elements that stay on the device, cut into `count` launches with one wait at the
 * end. One element in one launch is nearly pure latency. 40 million elements in 10,000 launches show what a program of
 * many small operations pays. */

enum { N, COUNT };

static bool launch_accepts(const struct problem *problem, struct error *err)
{
    return multiply_can_be_cut(problem, problem->dim[COUNT], "count", err);
}

static unsigned launch_steps(const struct problem *problem, struct step out[STEPS_MAX])
{
    out[0] = (struct step){ .kind = STEP_COMPUTE, .part = ALL_PARTS, .parts = (unsigned)problem->dim[COUNT] };
    return 1;
}

/* The shortest possible run. */
static enum roof_kind launch_roof(const struct problem *problem)
{
    return problem->dim[N] == 1 && problem->dim[COUNT] == 1 ? ROOF_LATENCY : ROOF_NONE;
}

/* One launch shows the cost of a wait. After many launches it is the same, but hidden in their cost. */
static bool one_launch_suits(const struct problem *problem, const struct device *device, struct error *err)
{
    return problem->dim[COUNT] == 1 ||
           fail(err, STATUS_UNSUPPORTED, "the cost of a sleeping wait is measured with one launch, not with %lld",
                (long long)problem->dim[COUNT]);
}

static const struct method methods[] = {
    { METHOD_NATIVE, .native = &multiply_native },
    { METHOD_PORTABLE, .portable = &multiply_portable_parts },
    { "graph", "the same launches, recorded once and then started by one call", on_cuda,
      .portable = &multiply_portable_parts, .launch_mode = LAUNCH_GRAPH },
    { "blocking", "the same launch; the host sleeps until it is done", on_cuda, .portable = &multiply_portable_parts,
      .launch_mode = LAUNCH_SLEEP, .suits = one_launch_suits },
    { 0 },
};

static const struct dim dims[] = {
    [N] = { "n", 1, (int64_t)1 << 40, -1, NULL, "elements" },
    [COUNT] = { "count", 1, 1000000, 1, NULL, "launches that compute them" },
    { 0 },
};

static const struct suite_size suite_sizes[] = {
    { SUITE_STANDARD, "n=1,count=1" },
    { SUITE_FULL, "n=40M,count=1" },
    { SUITE_FULL, "n=40M,count=10" },
    { SUITE_FULL, "n=40M,count=100" },
    { SUITE_STANDARD, "n=40M,count=1000" },
    { SUITE_FULL, "n=40M,count=10000" },
    { 0 },
};

const struct workload workload_launch = {
    .name = "launch",
    .summary = "What starting work on a device costs: multiply on resident data, cut into many launches.",
    .aliases = "launch overhead | kernel launch | overhead",
    .dims = dims,
    .suite_sizes = suite_sizes,
    .no_range_reason = "it is multiply in parts: sweep multiply",
    .small = "n=300007,count=7", /* odd, and the last launch has less than the others */
    .dtypes = 1u << DTYPE_F32 | 1u << DTYPE_F64,
    .grain = MULTIPLY_GRAIN,
    .methods = methods,
    .roof = launch_roof,
    .most_visits = 12,
    .accepts = launch_accepts,
    .operands = multiply_operands,
    .steps = launch_steps,
    .flops = multiply_flops,
    .bytes = problem_bytes_held,
    .is_elementwise = multiply_is_elementwise,
    .expect = multiply_expect,
    .exact = multiply_exact,
};
