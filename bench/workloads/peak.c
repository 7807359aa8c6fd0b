#include "bench/workloads/geometry.h"
#include "bench/workloads/product.h"
#include "kernels/native.h"
#include "kernels/native_peak.h"

#include <math.h>
#include <stdio.h>

/* The peaks of a device, which other rows are compared with: arithmetic by chains of multiply-adds, memory by
 * reading, writing, copying, and a = b + 3 c. A run goes many times over a set that fits a cache. Bytes are those that
 * the loop loads and stores: the read of a line that a store replaces does not count, here as in the whole program. */

static struct peak_plan peak_plan_of(const struct problem *problem)
{
    return peak_plan_make(problem->dim, (int64_t)dtype_bytes(problem->dtype));
}

static bool peak_accepts(const struct problem *problem, struct error *err)
{
    const int64_t *dim = problem->dim;
    const char *kind = problem->workload->dims[PEAK_KIND].words[dim[PEAK_KIND]];
    if (dim[PEAK_KIND] == PEAK_FMA && dim[PEAK_TURNS] == 0)
        return fail(err, STATUS_USAGE, "kind=fma: turns=... is missing, such as turns=2048");
    if (dim[PEAK_KIND] != PEAK_FMA && dim[PEAK_TURNS] > 0)
        return fail(err, STATUS_USAGE, "kind=%s,turns=%lld: only kind=fma has turns", kind, (long long)dim[PEAK_TURNS]);
    if (peak_plan_of(problem).n > 0)
        return true;
    return fail(err, STATUS_USAGE, "kind=%s,bytes=%lld: too small for one element of %s in each array", kind,
                (long long)dim[PEAK_BYTES], dtype_name(problem->dtype));
}

/* Nothing is moved: these are limits of the device alone. */
static unsigned peak_steps(const struct problem *problem, struct step out[STEPS_MAX])
{
    out[0] = (struct step){ .kind = STEP_COMPUTE };
    return 1;
}

/* 1 + r + ... + r^(terms - 1), which is (1 - r^terms) / (1 - r), to within a few roundings for any r in [-1, 1]: where
 * the power is near 1, 1 - r^terms comes from expm1. */
static double geometric(double r, double terms)
{
    if (r == 1)
        return terms;
    const double exponent = terms * log1p(fabs(r) - 1); /* of |r|^terms; |r| - 1 is exact or harmless */
    const bool is_negative = r < 0 && fmod(terms, 2) == 1;
    return (is_negative ? 1 + exp(exponent) : -expm1(exponent)) / (1 - r);
}

/* T times x <- x a + b is x a^T + b (1 + a + ... + a^(T-1)). Each turn rounds twice at most, the product and the sum,
 * neither of which is larger than `most`: |x| + |b| (1 + |a| + ...) where a is positive; where it is negative two terms
 * cancel each other but for the last. What a turn loses is multiplied by |a| in each later one (Higham, Accuracy and
 * Stability, 5.1, on Horner's rule). */
static void chain_expect(const struct problem *problem, const void *const operand[], int64_t index, double *value,
                         double *bound)
{
    const enum dtype dtype = problem->dtype;
    const struct peak_plan plan = peak_plan_of(problem);
    const int64_t shared = index / (PEAK_CHAINS * plan.line) * plan.line + index % plan.line;
    const double x = element_at(operand[0], dtype, index), a = element_at(operand[1], dtype, shared),
                 b = element_at(operand[2], dtype, shared), turns = (double)problem->dim[PEAK_TURNS];
    const double magnitude = pow(fabs(a), turns), power = a < 0 && fmod(turns, 2) == 1 ? -magnitude : magnitude;
    const double most = fabs(x) + fabs(b) * (a > 0 ? geometric(a, turns) : 1);
    const double u = dtype_roundoff(dtype), v = dtype_roundoff(DTYPE_F64);

    *value = x * power + b * geometric(a, turns);
    /* 2 u T is at most 1/128, and the truth is made of a dozen roundings of its own. */
    *bound = 1.01 * geometric(fabs(a), turns) * (2 * u * most + dtype_tiny(dtype)) + 12 * v * most;
}

/* One column of one block. */
static void sum_expect(const struct problem *problem, const void *const operand[], int64_t index, double *value,
                       double *bound)
{
    const struct peak_plan plan = peak_plan_of(problem);
    const int64_t first = index / plan.row * plan.row * plan.rows + index % plan.row;
    double sum = 0, size = 0;
    for (int64_t row = 0, i = first; row < plan.rows && i < plan.n; row++, i += plan.row) {
        const double a = element_at(operand[0], problem->dtype, i);
        sum += a;
        size += fabs(a);
    }
    *value = sum;
    *bound = product_bound(problem->dtype, (struct sums){ .dtype = dtype_sums(problem->dtype) }, plan.rows, sum, size);
}

/* The product may be rounded before the sum is. */
static void triad_expect(const struct problem *problem, const void *const operand[], int64_t index, double *value,
                         double *bound)
{
    const enum dtype dtype = problem->dtype;
    const double b = element_at(operand[0], dtype, index), product = PEAK_FACTOR * element_at(operand[1], dtype, index);
    *value = b + product;
    *bound = 2 * (dtype_roundoff(dtype) + dtype_roundoff(DTYPE_F64)) * (fabs(b) + fabs(product)) + dtype_tiny(dtype);
}

/* The element of b, or of the same line everywhere. */
static void moved_expect(const struct problem *problem, const void *const operand[], int64_t index, double *value,
                         double *bound)
{
    const int64_t place = problem->dim[PEAK_KIND] == PEAK_WRITE ? index % peak_plan_of(problem).line : index;
    *value = element_at(operand[0], problem->dtype, place);
    *bound = 0;
}

/* The operands of each kind, the output last. */
enum extent { EACH, LINE, LINE_OF_TILE, SUMS, EXTENTS };
static const struct array {
    const char *name;
    enum role role;
    enum extent extent;
} arrays[PEAK_KINDS][OPERANDS_MAX] = {
    [PEAK_FMA] = { { "x", ROLE_INPUT, EACH },
                   { "a", ROLE_INPUT, LINE_OF_TILE },
                   { "b", ROLE_INPUT, LINE_OF_TILE },
                   { "c", ROLE_OUTPUT, EACH } },
    [PEAK_READ] = { { "a", ROLE_INPUT, EACH }, { "sums", ROLE_OUTPUT, SUMS } },
    [PEAK_WRITE] = { { "s", ROLE_INPUT, LINE }, { "c", ROLE_OUTPUT, EACH } },
    [PEAK_COPY] = { { "b", ROLE_INPUT, EACH }, { "c", ROLE_OUTPUT, EACH } },
    [PEAK_TRIAD] = { { "b", ROLE_INPUT, EACH }, { "c", ROLE_INPUT, EACH }, { "a", ROLE_OUTPUT, EACH } },
};

static const struct kind {
    double bytes; /* arrays of n elements that are loaded and stored */
    double flops; /* of each element and turn; the additions of `read` are only there to use the data */
    void (*expect)(const struct problem *problem, const void *const operand[], int64_t index, double *value,
                   double *bound);
    const char *entry;       /* of the kernel */
    unsigned items, steps;   /* of a group on a GPU, and of an item */
    unsigned steps_of_cores; /* at most */
} kinds[PEAK_KINDS] = {
    [PEAK_FMA] = { 2 + 2.0 / PEAK_CHAINS, 2, chain_expect, "chains", PEAK_GROUP, 1, 8 },
    [PEAK_READ] = { 1, 0, sum_expect, "sums", 256, 1, 16 },
    [PEAK_WRITE] = { 1, 0, moved_expect, "fill", 256, 4, 1024 },
    [PEAK_COPY] = { 2, 0, moved_expect, "copy", 256, 4, 1024 },
    [PEAK_TRIAD] = { 3, 2, triad_expect, "triad", 256, 4, 1024 },
};

static const struct kind *kind_of(const struct problem *problem)
{
    return &kinds[problem->dim[PEAK_KIND]];
}

static unsigned peak_operands(const struct problem *problem, struct operand out[OPERANDS_MAX])
{
    const struct peak_plan plan = peak_plan_of(problem);
    const int64_t count[EXTENTS] = { plan.n, plan.line, plan.lines * plan.line, plan.lines * plan.row };
    const struct array *array = arrays[problem->dim[PEAK_KIND]];
    unsigned operands = 0;
    for (; operands < OPERANDS_MAX && array->name; operands++, array++)
        out[operands] = (struct operand){ array->name, array->role, problem->dtype, count[array->extent] };
    return operands;
}

static double peak_flops(const struct problem *problem)
{
    const struct peak_plan plan = peak_plan_of(problem);
    return kind_of(problem)->flops * (double)(plan.n * plan.rounds) * (double)problem->dim[PEAK_PASSES] *
           fmax(1, (double)problem->dim[PEAK_TURNS]);
}

static double peak_bytes(const struct problem *problem)
{
    const struct peak_plan plan = peak_plan_of(problem);
    return kind_of(problem)->bytes * (double)(plan.n * plan.rounds) * (double)dtype_bytes(problem->dtype) *
           (double)problem->dim[PEAK_PASSES];
}

/* Sums are always of the operands' own type. */
static void peak_expect(const struct problem *problem, struct sums sums, const void *const operand[], int64_t index,
                        double *value, double *bound)
{
    kind_of(problem)->expect(problem, operand, index, value, bound);
}

/* Chains of a, b and x in -1, 0, 1 never leave the whole numbers, and where a and b are 1 they count their own turns.
 */
static struct integers peak_exact(const struct problem *problem)
{
    const int64_t most = (int64_t)1 << dtype_bits(problem->dtype), kind = problem->dim[PEAK_KIND];
    const int64_t terms = kind == PEAK_READ ? peak_plan_of(problem).rows : 1 + PEAK_FACTOR;
    return (struct integers){ kind == PEAK_FMA ? 1 : most / terms, 1 };
}

static bool peak_is_elementwise(const struct problem *problem)
{
    return problem->dim[PEAK_KIND] == PEAK_COPY || problem->dim[PEAK_KIND] == PEAK_TRIAD;
}

/* Of a chain: three powers. */
static double peak_expect_cost(const struct problem *problem)
{
    const int64_t kind = problem->dim[PEAK_KIND];
    return kind == PEAK_FMA ? 64 : kind == PEAK_READ ? (double)peak_plan_of(problem).rows : 1;
}

static enum roof_kind peak_roof(const struct problem *problem)
{
    return problem->dim[PEAK_KIND] == PEAK_FMA ? ROOF_FLOPS : ROOF_BANDWIDTH;
}

/* The bytes of the small problem, with the other problem's kind. */
static void peak_set_kind(struct problem *small, const struct problem *other)
{
    small->dim[PEAK_KIND] = other->dim[PEAK_KIND];
    small->dim[PEAK_TURNS] = other->dim[PEAK_KIND] == PEAK_FMA ? 37 : 0;
    small->dim[PEAK_PASSES] = other->dim[PEAK_PASSES] > 1 ? 2 : 1;
}

/* --- plain C --- */

NATIVE_DECLARE(NATIVE_REALS, peak)
NATIVE_DECLARE(NATIVE_REALS, peak_streaming)

static int64_t peak_extent(const struct problem *problem)
{
    return peak_plan_of(problem).lines;
}

static const char *streaming_describe(const struct problem *problem)
{
    const bool streams = problem->dim[PEAK_KIND] >= PEAK_WRITE && problem->dim[PEAK_PASSES] == 1;
    return streams ? NATIVE_STREAMING : "ordinary stores";
}

static const struct native streaming = {
    .describe = streaming_describe,
    .passes = 1,
    .pass = { { NATIVE_VERSIONS(NATIVE_REALS, peak_streaming), .grain = 1, .extent = peak_extent } },
};

static const struct native native = {
    .detail = "ordinary stores",
    .passes = 1,
    .pass = { { NATIVE_VERSIONS(NATIVE_REALS, peak), .grain = 1, .extent = peak_extent } },
    .streaming = &streaming,
};

/* --- kernel text --- */

/* On a CPU a group is one work-item, whose vectors are lines. Tiles are short, and blocks too: a GPU has one for each
 * of its items. */
static void portable_launch(const struct problem *problem, const struct device *device, unsigned kernel_shape,
                            struct launch *out)
{
    const bool is_cpu = !has_lanes(device);
    const struct kind *kind = kind_of(problem);
    const struct peak_plan plan = peak_plan_of(problem);
    const int64_t wide = problem->dim[PEAK_KIND] == PEAK_READ ? plan.row : plan.line; /* what items share on a GPU */
    const unsigned width = is_cpu ? (unsigned)plan.line : 1, local = is_cpu ? 1 : kind->items;
    const unsigned steps = is_cpu ? walk_steps(plan.lines, 1, kind->steps_of_cores, device) : kind->steps;
    const int64_t groups = blocks_of(plan.lines, is_cpu ? steps : local / wide * steps) * plan.rounds;
    const int span = is_cpu ? (int)(plan.row / plan.line) : 1; /* vectors of a row that one work-item has */

    *out = (struct launch){ .passes = 1, .loop_iterations = (double)steps };
    out->pass[0] = pass_of(kind->entry, groups, local, true);
    snprintf(out->defines, sizeof out->defines,
             "-DWIDTH=%u -DLOCAL=%u -DSTEPS=%u -DCHAINS=%d -DROWS=%d -DSPAN=%d "
             "-DSTRETCHES=%d -DHELD=%d",
             width, local, steps, PEAK_CHAINS, (int)plan.rows, span, is_cpu && steps % 4 == 0 ? 4 : 1, PEAK_HELD);
    if (problem->dim[PEAK_KIND] == PEAK_FMA)
        out->loop_iterations *= (double)problem->dim[PEAK_TURNS] + 4;
    if (problem->dim[PEAK_KIND] == PEAK_READ)
        out->loop_iterations *= (double)plan.rows + 4;
}

extern const char peak_text[];

static const struct portable portable = { .source = peak_text, .launch = portable_launch };

static bool portable_suits(const struct problem *problem, const struct device *device, struct error *err)
{
    return problem->dim[PEAK_PASSES] == 1 ||
           fail(err, STATUS_UNSUPPORTED, "passes=%lld: only the CPU's own loops stay in a cache; %s takes passes=1",
                (long long)problem->dim[PEAK_PASSES], device->id);
}

static const struct method methods[] = {
    { METHOD_NATIVE, .native = &native },
    { METHOD_PORTABLE, .portable = &portable, .suits = portable_suits },
    { 0 },
};

/* --- the workload --- */

static const char *const words[] = {
    [PEAK_FMA] = "fma", [PEAK_READ] = "read", [PEAK_WRITE] = "write", [PEAK_COPY] = "copy", [PEAK_TRIAD] = "triad", NULL
};

static const struct dim dims[] = {
    [PEAK_KIND] = { "kind", 0, PEAK_KINDS - 1, -1, words, "multiply-adds, or what is done to memory" },
    [PEAK_BYTES] = { "bytes", 1, (int64_t)1 << 42, -1, NULL, "all arrays together; of a triad, at most 1 GiB" },
    [PEAK_PASSES] = { "passes", 1, 1 << 24, 1, NULL, "times that a run goes over them" },
    [PEAK_TURNS] = { "turns", 0, 1 << 16, 0, NULL, "multiply-adds on each element, kind=fma" },
    { 0 },
};

static const struct suite_size suite_sizes[] = {
    { SUITE_FULL, "kind=fma,bytes=16Mi,turns=2048" }, { SUITE_FULL, "kind=read,bytes=512Mi" },
    { SUITE_FULL, "kind=write,bytes=512Mi" },         { SUITE_FULL, "kind=copy,bytes=512Mi" },
    { SUITE_FULL, "kind=triad,bytes=512Mi" },         { 0 },
};

const struct workload workload_peak = {
    .name = "peak",
    .summary = "The peak rates of a device: multiply-adds, and memory read, written, copied, a = b + 3 c; see 'bench "
               "explain measured peak'.",
    .aliases = "turns",
    .dims = dims,
    .suite_sizes = suite_sizes,
    .no_range_reason = "it measures the limits of a device, not work that a GPU may speed up",
    /* Odd; enough for streaming stores in one thread, and for blocks that are not whole. */
    .small = "kind=triad,bytes=4000020",
    .dtypes = 1u << DTYPE_F32 | 1u << DTYPE_F64,
    .methods = methods,
    .set_kind = peak_set_kind,
    .roof = peak_roof,
    .accepts = peak_accepts,
    .operands = peak_operands,
    .steps = peak_steps,
    .flops = peak_flops,
    .bytes = peak_bytes,
    .is_elementwise = peak_is_elementwise,
    .expect = peak_expect,
    .exact = peak_exact,
    .expect_cost = peak_expect_cost,
};
