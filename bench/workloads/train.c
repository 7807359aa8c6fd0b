#include "bench/workloads/train.h"

#include "bench/workloads/geometry.h"

#include <math.h>

static const struct dim dims[] = {
    [TRAIN_BATCH] = { "batch", 1, (int64_t)1 << 24, -1, NULL, "rows of X and Y" },
    [TRAIN_IN] = { "in", 1, (int64_t)1 << 24, 784, NULL, "columns of X, rows of W1" },
    [TRAIN_HIDDEN] = { "hidden", 1, (int64_t)1 << 24, 1024, NULL, "columns of W1, rows of W2" },
    [TRAIN_OUT] = { "out", 1, TRAIN_OUT_MOST, 10, NULL, "columns of W2 and Y" },
    { 0 },
};

/* --- operands of an exact check ---
 *
 * X, W1, W2 and Y are made of -1, 0 and 1, so all intermediate results are whole numbers. The largest that must be
 * exact are the gradients; a weight is added to each, as a multiple of TRAIN_STEP. X and Y are thinned until these sums
 * are exact. By Cauchy's inequality the absolute values that a gradient sums up over the batch are together at most
 *
 *   sqrt(sum of A1^2) sqrt(sum of dZ2^2)   for W2, of one column each
 *   sqrt(sum of X^2) sqrt(sum of dZ1^2)    for W1, and dZ1^2 is at most the sum of a row's dZ2^2, times `out`
 *
 * The means of these sums of squares follow from the variances of the operands. None exceeds its mean by more than
 * tail(), but once in 10^20. The loss is larger, and is compared by its error bound where it is not exact. */

enum { W2_ONE_IN = 2 };
static const double variance = 2.0 / 3, variance_of_w2 = 2.0 / 3 / W2_ONE_IN; /* of -1, 0 and 1 */
static const double once_in = 46;                                             /* -log(10^-20) */

/* How many times its mean a sum of squares is at most that has its weight in `directions` of its random numbers (Hsu,
 * Kakade and Zhang, A tail inequality for quadratic forms of subgaussian random vectors, Electron. Commun. Probab. 17,
 * 2012, theorem 1). */
static double tail(double directions)
{
    return 1 + 2 * sqrt(once_in / directions) + 2 * once_in / directions;
}

/* How many elements of a column of X may be other than 0, on average. All sums of squares are proportional to it, but
 * that of X itself: n elements on average are, by tail(n), at most 2 n + 3 once_in. dZ2 may have one direction; X times
 * a column of W1 has a quarter of its rows or columns at least (as random matrices have their largest singular value).
 */
static double column_most(const struct problem *problem, double rows)
{
    const double in = (double)problem->dim[TRAIN_IN], out = (double)problem->dim[TRAIN_OUT];
    const double most = ldexp(1, (int)dtype_bits(problem->dtype)) - 1 / TRAIN_STEP;
    const double dz2 = tail(1) * (1 + dims_product(problem, TRAIN_IN, TRAIN_HIDDEN) * variance / 2 * variance_of_w2);
    const double a1 = tail(fmin(rows, in) / 4) * in * variance / 2;
    const double of_w1 = (sqrt(9 * once_in * once_in + 8 * most * most / (out * out * dz2)) - 3 * once_in) / 4;
    return fmin(of_w1, most / sqrt(a1 * dz2));
}

/* The largest batch in which the gradient of an element of W1 has one term or more that is not 0, on average: for each
 * of the column's elements that are not 0, half of A1, or, where X is very thin, half of what its row has in common
 * with a column of W1. 0: none has. */
static double batch_most(const struct problem *problem)
{
    const double in = (double)problem->dim[TRAIN_IN], terms = column_most(problem, in);
    return terms < 2 ? 0 : floor(in * variance / 2 * terms * terms);
}

static struct integers train_exact(const struct problem *problem)
{
    return (struct integers){ 1, 1 };
}

static int64_t train_one_in(const struct problem *problem, unsigned operand)
{
    const double batch = (double)problem->dim[TRAIN_BATCH];
    if (operand == TRAIN_W1 || operand == TRAIN_W2)
        return operand == TRAIN_W1 ? 1 : W2_ONE_IN;
    return (int64_t)fmax(1, ceil(batch * variance / column_most(problem, batch)));
}

/* Halves are added up to the loss. */
static double train_exact_up_to(const struct problem *problem, unsigned operand)
{
    return operand == TRAIN_LOSS ? ldexp(1, (int)dtype_bits(problem->dtype) - 1) : INFINITY;
}

static bool train_accepts(const struct problem *problem, struct error *err)
{
    const long long batch = problem->dim[TRAIN_BATCH], in = problem->dim[TRAIN_IN], hidden = problem->dim[TRAIN_HIDDEN];
    return (double)batch <= batch_most(problem) ||
           fail(err, STATUS_USAGE,
                "batch=%lld,in=%lld,hidden=%lld: too large to check every weight by whole numbers of %s; the largest "
                "batch that can be checked is %.0f",
                batch, in, hidden, dtype_name(problem->dtype), batch_most(problem));
}

static unsigned train_operands(const struct problem *problem, struct operand out[OPERANDS_MAX])
{
    const enum dtype dtype = problem->dtype;
    const int64_t *dim = problem->dim;
    out[TRAIN_X] = (struct operand){ "X", ROLE_INPUT, dtype, dim[TRAIN_BATCH] * dim[TRAIN_IN] };
    out[TRAIN_Y] = (struct operand){ "Y", ROLE_INPUT, dtype, dim[TRAIN_BATCH] * dim[TRAIN_OUT] };
    out[TRAIN_W1] = (struct operand){ "W1", ROLE_INPUT, dtype, dim[TRAIN_IN] * dim[TRAIN_HIDDEN] };
    out[TRAIN_W2] = (struct operand){ "W2", ROLE_INPUT, dtype, dim[TRAIN_HIDDEN] * dim[TRAIN_OUT] };
    out[TRAIN_NEW_W1] = (struct operand){ "new W1", ROLE_OUTPUT, dtype, dim[TRAIN_IN] * dim[TRAIN_HIDDEN] };
    out[TRAIN_NEW_W2] = (struct operand){ "new W2", ROLE_OUTPUT, dtype, dim[TRAIN_HIDDEN] * dim[TRAIN_OUT] };
    out[TRAIN_LOSS] = (struct operand){ "loss", ROLE_OUTPUT, dtype, 1 };
    return TRAIN_OPERANDS;
}

/* The batch goes up and the loss comes back; weights stay. */
static unsigned train_steps(const struct problem *problem, struct step out[STEPS_MAX])
{
    out[0] = (struct step){ .kind = STEP_UPLOAD, .operand = TRAIN_X };
    out[1] = (struct step){ .kind = STEP_UPLOAD, .operand = TRAIN_Y };
    out[2] = (struct step){ .kind = STEP_COMPUTE, .operand = 0 };
    out[3] = (struct step){ .kind = STEP_DOWNLOAD, .operand = TRAIN_LOSS };
    return 4;
}

/* Of the five products; of differences, squares and their sum, for each element of Z2; and of the update. Comparing
 * with 0 is no such operation. */
static double train_flops(const struct problem *problem)
{
    const double batch = (double)problem->dim[TRAIN_BATCH], first = dims_product(problem, TRAIN_IN, TRAIN_HIDDEN),
                 second = dims_product(problem, TRAIN_HIDDEN, TRAIN_OUT);
    return 2 * batch * (2 * first + 3 * second) + 3 * dims_product(problem, TRAIN_BATCH, TRAIN_OUT) +
           2 * (first + second);
}

/* --- plain C --- */

/* Blocks of a product that has so many rows, and a column for each hidden unit. */
static int64_t blocks_by(const struct problem *problem, unsigned rows, unsigned height, unsigned width)
{
    return blocks_of(problem->dim[rows], height) * blocks_of(problem->dim[TRAIN_HIDDEN], width);
}

static int64_t w2_strips(const struct problem *problem)
{
    return 1 + blocks_of(problem->dim[TRAIN_HIDDEN], TRAIN_COLUMNS);
}

static void native_scratch(const struct problem *problem, int64_t bytes[SCRATCH_MAX])
{
    const int64_t *dim = problem->dim, real = (int64_t)dtype_bytes(problem->dtype);
    const int64_t high = blocks_of(dim[TRAIN_BATCH], NATIVE_ROWS) * NATIVE_ROWS,
                  wide = blocks_of(dim[TRAIN_HIDDEN], NATIVE_COLUMNS) * NATIVE_COLUMNS;
    bytes[0] =
        real * larger(high * dim[TRAIN_IN], blocks_of(dim[TRAIN_IN], NATIVE_ROWS) * NATIVE_ROWS * dim[TRAIN_BATCH]);
    bytes[1] = real * wide * larger(dim[TRAIN_IN], dim[TRAIN_BATCH]);
    bytes[2] = real * high * wide;
    bytes[3] = real * dim[TRAIN_OUT] * wide;
    bytes[4] = real * (dim[TRAIN_BATCH] * dim[TRAIN_OUT] + blocks_of(dim[TRAIN_BATCH], TRAIN_ROWS));
}

NATIVE_DECLARE(NATIVE_REALS, train_pack_x)
NATIVE_DECLARE(NATIVE_REALS, train_pack_w)
NATIVE_DECLARE(NATIVE_REALS, train_hidden)
NATIVE_DECLARE(NATIVE_REALS, train_outputs)
NATIVE_DECLARE(NATIVE_REALS, train_update_w2)
NATIVE_DECLARE(NATIVE_REALS, train_turn_x)
NATIVE_DECLARE(NATIVE_REALS, train_update_w1)

static const struct native native = {
    .detail = "packed panels",
    .passes = 7,
    .pass = { { NATIVE_VERSIONS(NATIVE_REALS, train_pack_x), .grain = 1, .over = { { TRAIN_BATCH, NATIVE_ROWS } } },
              { NATIVE_VERSIONS(NATIVE_REALS, train_pack_w), .grain = 1, .over = { { TRAIN_HIDDEN, NATIVE_COLUMNS } } },
              { NATIVE_VERSIONS(NATIVE_REALS, train_hidden), .grain = 1,
                .over = { { TRAIN_BATCH, MATMUL_HEIGHT }, { TRAIN_HIDDEN, MATMUL_WIDTH } } },
              { NATIVE_VERSIONS(NATIVE_REALS, train_outputs), .grain = TRAIN_ROWS, .over = { { TRAIN_BATCH, 1 } } },
              { NATIVE_VERSIONS(NATIVE_REALS, train_update_w2), .grain = 1, .extent = w2_strips },
              { NATIVE_VERSIONS(NATIVE_REALS, train_turn_x), .grain = 1, .over = { { TRAIN_IN, NATIVE_ROWS } } },
              { NATIVE_VERSIONS(NATIVE_REALS, train_update_w1), .grain = 1,
                .over = { { TRAIN_IN, MATMUL_HEIGHT }, { TRAIN_HIDDEN, MATMUL_WIDTH } } } },
    .scratch = native_scratch,
};

/* --- kernel text --- */

/* The first is used untuned. */
static const struct tiling of_floats[] = { { 256, 64, 64, 16, 4, 4, .simd = 0 },
                                           { 256, 128, 128, 8, 8, 8, .simd = 0 },
                                           { 128, 128, 64, 8, 8, 8, .simd = 0 },
                                           { 64, 32, 32, 8, 4, 4, .simd = 0 } },
                           of_doubles[] = { { 128, 64, 64, 8, 8, 4, .simd = 0 }, { 64, 32, 32, 8, 4, 4, .simd = 0 } };
static const struct packing packings[] = { { 3, 256, 384, .lanes = 0 }, { 2, 512, 256, .lanes = 0 } };
enum { TILINGS = 4, TILINGS_OF_DOUBLES = 2, PACKINGS = sizeof packings / sizeof *packings, LANES = 64 };
/* Sums that an item keeps where there are few columns, and elements that it brings into another order. */
enum { SUMS_OF_LANES = 40, SUMS_OF_CORES = 20, TURNS_OF_CORES = 256, PORTIONS_MOST = 64, DEPTH_LEAST = 64 };

static unsigned train_kernel_shapes(const struct problem *problem, const struct device *device)
{
    if (!has_lanes(device))
        return PACKINGS;
    return problem->dtype == DTYPE_F64 ? TILINGS_OF_DOUBLES : TILINGS;
}

/* The passes over tiles of `height` x `width`: both large products. */
static void add_products(const struct problem *problem, unsigned height, unsigned width, unsigned items, size_t shared,
                         struct launch *out)
{
    struct pass *hidden = &out->pass[1], *w1 = &out->pass[5];
    *hidden = pass_of("hidden_layer", blocks_by(problem, TRAIN_BATCH, height, width), items, true);
    *w1 = pass_of("update_w1", blocks_by(problem, TRAIN_IN, height, width), items, true);
    hidden->shared = w1->shared = shared;
}

static void launch_packed(const struct problem *problem, const struct device *device, const struct packing *packing,
                          struct launch *out)
{
    const int64_t *dim = problem->dim, real = (int64_t)real_bytes(problem->dtype);
    const unsigned panel = packing->vectors * VECTOR_MOST;
    const int64_t strips = blocks_of(dim[TRAIN_BATCH], STRIP_ROWS);
    unsigned height, width;
    launch_add_blocks(smaller(dim[TRAIN_BATCH], dim[TRAIN_IN]), dim[TRAIN_HIDDEN], packing, problem->dtype, device,
                      &height, &width, out);
    out->scratch[1] = real * blocks_of(dim[TRAIN_HIDDEN], panel) * panel * larger(dim[TRAIN_BATCH], dim[TRAIN_IN]);
    out->scratch[4] = real * strips * STRIP_ROWS * dim[TRAIN_IN];
    out->scratch[5] = real * blocks_of(dim[TRAIN_IN], STRIP_ROWS) * STRIP_ROWS * dim[TRAIN_BATCH];
    out->pass[0] =
        pass_of("prepare", strips + blocks_of(dim[TRAIN_IN], STRIP_ROWS) + blocks_of(dim[TRAIN_HIDDEN], TURNS_OF_CORES),
                1, false);
    add_products(problem, height, width, 1, 0, out);
}

static void launch_lanes(const struct problem *problem, const struct tiling *tiling, struct launch *out)
{
    const int64_t *dim = problem->dim, real = (int64_t)real_bytes(problem->dtype);
    const bool has_quads = dim[TRAIN_IN] % 4 == 0 && dim[TRAIN_HIDDEN] % 4 == 0;
    out->scratch[1] = real * dim[TRAIN_BATCH] * dim[TRAIN_HIDDEN];
    out->pass[0] = pass_of("prepare", blocks_of(dim[TRAIN_HIDDEN], LANES), LANES, false);
    add_products(problem, tiling->block_m, tiling->block_n, tiling->items, tiling_shared(tiling, problem->dtype), out);
    out->loop_iterations = loop_iterations_of(larger(dim[TRAIN_IN], dim[TRAIN_BATCH]), tiling->block_k);
    launch_add_tiles(tiling, tiling->mr * tiling->nr >= 64 ? 2 : tiling->block_k, has_quads, out);
}

/* The passes over what has few columns: on lanes by groups of LANES items. The batch is cut into as many portions as
 * keep all units busy. */
static void add_thin(const struct problem *problem, const struct device *device, struct launch *out)
{
    const int64_t *dim = problem->dim, real = (int64_t)real_bytes(problem->dtype), outputs = dim[TRAIN_OUT];
    const bool has_cores = !has_lanes(device), is_wide = real > (int64_t)sizeof(float);
    const unsigned items = has_cores ? 1 : LANES, turns = has_cores ? TURNS_OF_CORES : 1;
    const int64_t sums = (has_cores ? SUMS_OF_CORES : SUMS_OF_LANES) / (is_wide ? 2 : 1);
    const int64_t lines = larger(1, sums / outputs), wide = blocks_of(dim[TRAIN_HIDDEN], VECTOR_MOST) * VECTOR_MOST;
    const int64_t columns = has_cores ? VECTOR_MOST * (2 * outputs <= sums ? 2 : 1) : LANES;
    const int64_t strips = blocks_of(wide, columns), groups = blocks_of(dim[TRAIN_BATCH], lines);
    int64_t portions = 1;
    while (portions < PORTIONS_MOST && strips * portions < 8 * units_of(device) &&
           dim[TRAIN_BATCH] >= 2 * portions * DEPTH_LEAST)
        portions *= 2;
    out->passes = 6;
    out->pass[2] = pass_of("outputs", groups, items, true);
    out->pass[2].shared = (size_t)(lines * outputs * items * real);
    out->pass[3] = pass_of("sum_w2", strips * portions, items, false);
    out->pass[4] =
        pass_of("update_w2", 1 + blocks_of(dim[TRAIN_HIDDEN] * outputs, (int64_t)items * turns), items, false);
    out->scratch[0] = real * dim[TRAIN_BATCH] * wide;
    out->scratch[2] = real * outputs * wide;
    out->scratch[3] = real * (dim[TRAIN_BATCH] * outputs + groups + portions * outputs * wide);
    text_append(out->defines, sizeof out->defines,
                " -DTILES_ONLY=1 -DOUT=%d -DLINES=%d -DOUT_ITEMS=%u -DTURNS=%u -DSTRIP_COLUMNS=%d "
                "-DPORTIONS=%d -DSTEP=%.20ff",
                (int)outputs, (int)lines, items, turns, (int)columns, (int)portions, TRAIN_STEP);
}

static void train_launch(const struct problem *problem, const struct device *device, unsigned kernel_shape,
                         struct launch *out)
{
    *out = (struct launch){ 0 };
    if (has_lanes(device))
        launch_lanes(problem, &(problem->dtype == DTYPE_F64 ? of_doubles : of_floats)[kernel_shape], out);
    else
        launch_packed(problem, device, &packings[kernel_shape], out);
    add_thin(problem, device, out);
}

extern const char train_text[];

static const struct portable portable = { .source = train_text,
                                          .kernel_shapes = train_kernel_shapes,
                                          .launch = train_launch };

/* --- libraries --- */

static const struct method methods[] = {
    { METHOD_PORTABLE, .portable = &portable },
    { "onednn", "oneDNN's matmul primitives, and C for the element-wise parts", on_cpu,
      .workspace = train_copies_workspace },
    { "openblas", "OpenBLAS's gemm, and C for the element-wise parts", on_cpu, .workspace = train_workspace },
    { "clblast", "CLBlast's gemm, and our kernels for the element-wise parts", on_opencl, .is_for_gpus = true,
      .portable = &train_passes, .calls_library = true, .workspace = train_copies_workspace },
    { "cublas", "cuBLAS's gemm, and our kernels for the element-wise parts", on_cuda, .is_vendors = true,
      .portable = &train_passes, .calls_library = true, .workspace = train_workspace },
    { METHOD_NATIVE, .native = &native },
    { 0 },
};

static const struct suite_size suite_sizes[] = {
    { SUITE_STANDARD, "batch=4096" }, { SUITE_FULL, "batch=1" },     { SUITE_FULL, "batch=16" },
    { SUITE_FULL, "batch=256" },      { SUITE_FULL, "batch=16384" }, { 0 },
};

static const struct range range = { "batch={}", 1, 16384, 1, "samples" };

const struct workload workload_train = {
    .name = "train",
    .summary =
        "One step of stochastic gradient descent of a perceptron with one hidden layer: the batch is uploaded, the "
        "weights stay on the device, the loss is downloaded. A run is a sequence of dependent products; a sample "
        "is a row of the batch.",
    .aliases = "training | gradient descent | perceptron",
    .dims = dims,
    .suite_sizes = suite_sizes,
    .range = &range,
    .small = "batch=35,in=19,hidden=67,out=5",
    .dtypes = 1u << DTYPE_F32 | 1u << DTYPE_F64,
    .methods = methods,
    .accepts = train_accepts,
    .operands = train_operands,
    .steps = train_steps,
    .flops = train_flops,
    .bytes = problem_bytes_held,
    .expect = train_expect,
    .intermediate = train_intermediate,
    .intermediates = train_intermediates,
    .expect_cost = train_expect_cost,
    .exact = train_exact,
    .one_in = train_one_in,
    .exact_up_to = train_exact_up_to,
    .projection = &train_projection,
};
