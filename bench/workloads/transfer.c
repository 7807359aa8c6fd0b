#include "bench/workloads/geometry.h"
#include "bench/workloads/product.h"
#include "harness/base/element.h"
#include "kernels/native.h"

/* Copies of one array: between the host and a device (up, down), within a device, or from a device to the next one of
 * its API (after the last, the first), directly (peer) or by the host's memory (through-host). For the rest of the
 * program a copy within or between devices is a computation: it has an input, an output, and methods. */

enum { BYTES, DIRECTION };
enum { UP, DOWN, WITHIN, PEER, THROUGH_HOST };

static bool stays_on_devices(const struct problem *problem)
{
    return problem->dim[DIRECTION] >= WITHIN;
}

static bool transfer_accepts(const struct problem *problem, struct error *err)
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
    enum role role = problem->dim[DIRECTION] == DOWN ? ROLE_OUTPUT : ROLE_INPUT;
    out[0] = (struct operand){ "data", role, problem->dtype, count };
    out[1] = (struct operand){ "copy", ROLE_OUTPUT, problem->dtype, count };
    return stays_on_devices(problem) ? 2 : 1;
}

static unsigned transfer_steps(const struct problem *problem, struct step out[STEPS_MAX])
{
    enum step_kind kind = problem->dim[DIRECTION] == DOWN ? STEP_DOWNLOAD : STEP_UPLOAD;
    out[0] = (struct step){ .kind = stays_on_devices(problem) ? STEP_COMPUTE : kind };
    return 1;
}

static double transfer_flops(const struct problem *problem)
{
    return 0;
}

/* Bytes over a link count once. A copy within a memory reads and writes, and both count, as in every other workload. */
static double transfer_bytes(const struct problem *problem)
{
    return (problem->dim[DIRECTION] == WITHIN ? 2 : 1) * (double)problem->dim[BYTES];
}

static void transfer_expect(const struct problem *problem, struct sums sums, const void *const operand[], int64_t index,
                            double *value, double *bound)
{
    *value = element_at(operand[0], problem->dtype, index);
    *bound = 0;
}

static struct integers transfer_exact(const struct problem *problem)
{
    return (struct integers){ ((int64_t)1 << dtype_bits(problem->dtype)) - 1, 1 };
}

static void transfer_set_kind(struct problem *small, const struct problem *other)
{
    small->dim[DIRECTION] = other->dim[DIRECTION];
}

/* --- methods --- */

static bool is_within(const struct problem *problem)
{
    return problem->dim[DIRECTION] == WITHIN;
}

static bool is_through_host(const struct problem *problem)
{
    return problem->dim[DIRECTION] == THROUGH_HOST;
}

static bool is_peer(const struct problem *problem)
{
    return problem->dim[DIRECTION] == PEER;
}

static bool has_next(const struct problem *problem, const struct device *device, struct error *err)
{
    return device->peers > 1 ||
           fail(err, STATUS_UNSUPPORTED, "%s lists no second device to copy to", device_api(device).text);
}

NATIVE_DECLARE(NATIVE_BYTES, copy)
NATIVE_DECLARE(NATIVE_BYTES, copy_streaming)

static const struct native streaming = {
    .detail = NATIVE_STREAMING,
    .passes = 1,
    .pass = { { NATIVE_VERSIONS(NATIVE_BYTES, copy_streaming), .grain = NATIVE_LINE, .over = { { BYTES, 1 } } } },
};

static const struct native native = {
    .detail = "memcpy",
    .passes = 1,
    .pass = { { NATIVE_VERSIONS(NATIVE_BYTES, copy), .grain = NATIVE_LINE, .over = { { BYTES, 1 } } } },
    .streaming = &streaming,
};

static const char *const on_devices[] = { "opencl", "cuda", NULL };
static const char *const on_several[] = { "cuda", "fake", NULL };

static const struct method methods[] = {
    { METHOD_NATIVE, .native = &native, .is_for = is_within },
    { "copy", "the driver's own command, within a device", on_devices, .is_for = is_within },
    { "peer", "the driver's own command, directly from one device to another", on_several, .is_for = is_peer,
      .suits = has_next, .leaves_device = true },
    { "through-host", "the driver's own command without direct access, through the host's memory", on_several,
      .is_for = is_through_host, .suits = has_next, .leaves_device = true },
    { 0 },
};

static const char *const directions[] = {
    [UP] = "up", [DOWN] = "down", [WITHIN] = "within", [PEER] = "peer", [THROUGH_HOST] = "through-host", NULL
};

static const struct dim dims[] = {
    [BYTES] = { "bytes", 1, (int64_t)1 << 42, -1, NULL, "bytes moved" },
    [DIRECTION] = { "direction", UP, THROUGH_HOST, -1, directions, "which way" },
    { 0 },
};

static const struct suite_size suite_sizes[] = {
    { SUITE_STANDARD, "bytes=64Mi,direction=up" },
    { SUITE_STANDARD, "bytes=64Mi,direction=down" },
    { SUITE_STANDARD, "bytes=256Mi,direction=within" }, /* two arrays, beyond the caches of all GPUs (256 MiB) */
    { SUITE_STANDARD, "bytes=64Mi,direction=peer" },
    { SUITE_STANDARD, "bytes=64Mi,direction=through-host" },
    { SUITE_FULL, "bytes=1Ki,direction=up" },
    { SUITE_FULL, "bytes=1Ki,direction=down" },
    { SUITE_FULL, "bytes=1Ki,direction=peer" },
    { SUITE_FULL, "bytes=1Ki,direction=through-host" },
    { SUITE_FULL, "bytes=1Mi,direction=up" },
    { SUITE_FULL, "bytes=1Mi,direction=down" },
    { SUITE_FULL, "bytes=1Mi,direction=peer" },
    { SUITE_FULL, "bytes=1Mi,direction=through-host" },
    { SUITE_FULL, "bytes=256Mi,direction=up" },
    { SUITE_FULL, "bytes=256Mi,direction=down" },
    { SUITE_FULL, "bytes=256Mi,direction=peer" },
    { SUITE_FULL, "bytes=256Mi,direction=through-host" },
    { 0 },
};

const struct workload workload_transfer = {
    .name = "transfer",
    .summary = "Copies from host to device (direction=up) and back (down), within a device, and from one to the next "
               "(peer, through-host).",
    .aliases = "direction | within | pcie",
    .dims = dims,
    .suite_sizes = suite_sizes,
    .no_range_reason = "it only moves data, so there is nothing to compare",
    /* Whole doubles, not whole lines, and enough for streaming stores in several threads. */
    .small = "bytes=4000008,direction=within",
    .set_kind = transfer_set_kind,
    .dtypes = 1u << DTYPE_F32 | 1u << DTYPE_F64,
    .is_untyped = true,
    .most_visits = 12,
    .methods = methods,
    .accepts = transfer_accepts,
    .operands = transfer_operands,
    .steps = transfer_steps,
    .flops = transfer_flops,
    .bytes = transfer_bytes,
    .expect = transfer_expect,
    .exact = transfer_exact,
};
