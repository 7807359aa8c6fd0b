#include "bench/workloads/gemv.h"

#include "bench/workloads/geometry.h"
#include "harness/base/text.h"
#include "kernels/native.h"

#include <stdio.h>

enum { M = MATMUL_M, N = MATMUL_N, K = MATMUL_K };

bool is_gemv(const struct problem *problem)
{
    return !dtype_is_whole(problem->dtype) && (problem->dim[M] == 1 || problem->dim[N] == 1);
}

static bool has_few_columns(const struct problem *problem)
{
    return problem->dim[N] <= GEMV_MOST;
}

_Static_assert(VECTOR_MOST <= GEMV_MOST + 1, "columns that are not few fill a vector");

bool is_like_gemv(const struct problem *problem)
{
    if (dtype_is_whole(problem->dtype)) /* it has too few of a word's elements side by side */
        return false;
    return has_few_columns(problem) || problem->dim[M] <= GEMV_MOST;
}

/* Extents: rows of B to be turned, rows of C or columns of C; none for what the other form needs. */
static int64_t turned_rows(const struct problem *problem)
{
    return has_few_columns(problem) ? problem->dim[K] : 0;
}

static int64_t summed_rows(const struct problem *problem)
{
    return has_few_columns(problem) ? problem->dim[M] : 0;
}

static int64_t summed_columns(const struct problem *problem)
{
    return has_few_columns(problem) ? 0 : problem->dim[N];
}

static int64_t turned_bytes(const struct problem *problem)
{
    return has_few_columns(problem) ? problem->dim[K] * problem->dim[N] * (int64_t)real_bytes(problem->dtype) : 0;
}

static void native_scratch(const struct problem *problem, int64_t bytes[SCRATCH_MAX])
{
    bytes[0] = turned_bytes(problem);
}

NATIVE_DECLARE(NATIVE_FLOATS, gemv_turn)
NATIVE_DECLARE(NATIVE_FLOATS, gemv_rows)
NATIVE_DECLARE(NATIVE_FLOATS, gemv_columns)

const struct native gemv_native = {
    .detail = "matrix times vectors",
    .passes = 3,
    .pass = { { NATIVE_VERSIONS(NATIVE_FLOATS, gemv_turn), .grain = NATIVE_LINE, .extent = turned_rows },
              { NATIVE_VERSIONS(NATIVE_FLOATS, gemv_rows), .grain = 4, .extent = summed_rows },
              { NATIVE_VERSIONS(NATIVE_FLOATS, gemv_columns), .grain = NATIVE_LINE, .extent = summed_columns } },
    .scratch = native_scratch,
};

/* Work-items of a group; rows of A that a group sums up for one column; columns that an item sums up for one row. */
struct layout {
    unsigned items, rows, columns;
};
static const struct layout for_lanes[] = { { 128, 1, 1 }, { 64, 4, 2 }, { 256, 2, 4 } },
                           for_cores[] = { { 1, 4, 64 }, { 1, 8, 128 }, { 1, 2, 256 } };
enum { LAYOUTS = 3, TURNS_OF_CORES = 1024, PORTIONS_MOST = 64, DEPTH_LEAST = 64 };

/* As many as `wanted` for one line is as many lines as there are: their sums are to stay in registers. */
static unsigned shared_by(unsigned wanted, int64_t lines, unsigned grain)
{
    const unsigned each = wanted / (unsigned)lines / grain * grain;
    return each > grain ? each : grain;
}

/* Rows of A that a group sums up, or columns that an item does. */
static unsigned share_of(const struct layout *layout, const struct problem *problem, const struct device *device)
{
    if (has_few_columns(problem))
        return shared_by(layout->rows, problem->dim[N], 1);
    return shared_by(layout->columns, problem->dim[M], has_lanes(device) ? 1 : VECTOR_MOST);
}

static void launch_few_columns(const struct problem *problem, const struct device *device, const struct layout *layout,
                               unsigned turns, struct launch *out)
{
    const int64_t m = problem->dim[M], n = problem->dim[N], k = problem->dim[K];
    const unsigned rows = share_of(layout, problem, device);
    if (n > 1) {
        out->scratch[0] = turned_bytes(problem);
        out->pass[out->passes++] = pass_of("turn", blocks_of(k, (int64_t)layout->items * turns), layout->items, false);
    }
    struct pass *sums = &out->pass[out->passes++];
    *sums = pass_of("rows", blocks_of(m, rows), layout->items, true);
    sums->shared = layout->items > 1 ? (size_t)rows * (size_t)n * layout->items * real_bytes(problem->dtype) : 0;
    out->loop_iterations = loop_iterations_of(k, layout->items);
    text_append(out->defines, sizeof out->defines, " -DCOLUMNS=%d -DROWS=%u", (int)n, rows);
    snprintf(out->kernel_shape, sizeof out->kernel_shape, "%u rows by %u", layout->rows, layout->items);
}

/* k is cut into as many portions as keep all units busy. */
static void launch_few_rows(const struct problem *problem, const struct device *device, const struct layout *layout,
                            unsigned turns, struct launch *out)
{
    const int64_t m = problem->dim[M], n = problem->dim[N], k = problem->dim[K];
    const unsigned block = layout->items * share_of(layout, problem, device);
    const int64_t blocks = blocks_of(n, block), wanted = 8 * units_of(device);
    unsigned portions = 1;
    while (portions < PORTIONS_MOST && blocks * portions < wanted && k >= 2 * portions * DEPTH_LEAST)
        portions *= 2;
    out->pass[out->passes++] = pass_of("columns", blocks * portions, layout->items, true);
    out->loop_iterations = loop_iterations_of(blocks_of(k, portions), 1);
    text_append(out->defines, sizeof out->defines, " -DROWS=%d -DBLOCK=%u -DPORTIONS=%u", (int)m, block, portions);
    snprintf(out->kernel_shape, sizeof out->kernel_shape, "%u columns by %u", layout->columns, layout->items);
    if (portions == 1)
        return;
    out->scratch[0] = portions * m * n * (int64_t)real_bytes(problem->dtype);
    out->pass[out->passes++] = pass_of("add", blocks_of(m * n, (int64_t)layout->items * turns), layout->items, false);
}

static unsigned gemv_kernel_shapes(const struct problem *problem, const struct device *device)
{
    return LAYOUTS;
}

static void gemv_launch(const struct problem *problem, const struct device *device, unsigned kernel_shape,
                        struct launch *out)
{
    const bool has_cores = !has_lanes(device);
    const struct layout *layout = &(has_cores ? for_cores : for_lanes)[kernel_shape];
    const unsigned turns = has_cores ? TURNS_OF_CORES : 1;
    *out = (struct launch){ 0 };
    snprintf(out->defines, sizeof out->defines, "-DITEMS=%u -DTURNS=%u", layout->items, turns);
    if (has_cores)
        text_append(out->defines, sizeof out->defines, " -DWIDTH=%u",
                    vector_lanes(0, device) * 4 / (unsigned)real_bytes(problem->dtype));
    if (has_few_columns(problem))
        launch_few_columns(problem, device, layout, turns, out);
    else
        launch_few_rows(problem, device, layout, turns, out);
}

extern const char gemv_text[];

const struct portable gemv_portable = {
    .source = gemv_text, .kernel_shapes = gemv_kernel_shapes, .launch = gemv_launch, .knows_narrow = true
};
