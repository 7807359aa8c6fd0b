#include "bench/workload.h"

#include <stdio.h>

/* Moving one array to the device or from it, and nothing else: what every use of a device that has memory of its own
 * pays before and after it computes. What arrives must be what was sent. */

enum { BYTES, DIRECTION };
enum { UP, DOWN };

static bool transfer_check(const struct problem *problem, struct error *err)
{
    int64_t bytes = problem->dim[BYTES], element = (int64_t)dtype_bytes(problem->dtype);
    if (bytes % element == 0)
        return true;
    return fail(err, STATUS_USAGE, "bytes=%lld is not a whole number of %s elements of %lld bytes", (long long)bytes,
                dtype_name(problem->dtype), (long long)element);
}

static unsigned transfer_operands(const struct problem *problem, struct operand out[OPERANDS_MAX])
{
    int64_t count = problem->dim[BYTES] / (int64_t)dtype_bytes(problem->dtype);
    enum role role = problem->dim[DIRECTION] == UP ? ROLE_INPUT : ROLE_OUTPUT;
    out[0] = (struct operand){ "data", role, problem->dtype, count };
    return 1;
}

static unsigned transfer_steps(const struct problem *problem, struct step out[STEPS_MAX])
{
    out[0] = (struct step){ .kind = problem->dim[DIRECTION] == UP ? STEP_UPLOAD : STEP_DOWNLOAD };
    return 1;
}

static double transfer_flops(const struct problem *problem)
{
    (void)problem;
    return 0;
}

static double transfer_bytes(const struct problem *problem)
{
    return (double)problem->dim[BYTES];
}

static const char *const directions[] = { [UP] = "up", [DOWN] = "down", NULL };

static const struct dim dims[] = {
    [BYTES] = { "bytes", 1, (int64_t)1 << 42, -1, NULL, "bytes moved" },
    [DIRECTION] = { "direction", UP, DOWN, -1, directions, "which way" },
    { 0 },
};

static const struct fixture fixtures[] = {
    { SUITE_STANDARD, "bytes=64Mi,direction=up" },
    { SUITE_STANDARD, "bytes=64Mi,direction=down" },
    { SUITE_FULL, "bytes=1Ki,direction=up" },
    { SUITE_FULL, "bytes=1Ki,direction=down" },
    { SUITE_FULL, "bytes=1Mi,direction=up" },
    { SUITE_FULL, "bytes=1Mi,direction=down" },
    { SUITE_FULL, "bytes=256Mi,direction=up" },
    { SUITE_FULL, "bytes=256Mi,direction=down" },
    { 0 },
};

const struct workload workload_transfer = {
    .name = "transfer",
    .summary = "host to device (direction=up) and back (direction=down)",
    .dims = dims,
    .fixtures = fixtures,
    .rangeless = "it only moves data, so there is nothing to compare",
    .dtypes = 1u << DTYPE_F32 | 1u << DTYPE_F64,
    .check = transfer_check,
    .operands = transfer_operands,
    .steps = transfer_steps,
    .flops = transfer_flops,
    .bytes = transfer_bytes,
};
