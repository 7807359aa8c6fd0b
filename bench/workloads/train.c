#include "bench/workloads/train.h"

#include "bench/workloads/geometry.h"

#include <math.h>
#include <stdio.h>

static const struct dim dims[] = {
    [TRAIN_BATCH] = { "batch", 1, (int64_t)1 << 24, -1, NULL, "rows of X and Y" },
    [TRAIN_IN] = { "in", 1, (int64_t)1 << 24, 784, NULL, "columns of X, rows of W1" },
    [TRAIN_HIDDEN] = { "hidden", 1, (int64_t)1 << 24, 1024, NULL, "columns of W1, rows of W2" },
    [TRAIN_OUT] = { "out", 1, TRAIN_OUT_MOST, 10, NULL, "columns of W2 and Y" },
    { 0 },
};

static double product(const struct problem *problem, unsigned a, unsigned b)
{
    return (double)problem->dim[a] * (double)problem->dim[b];
}

/* --- operands of an exact check ---
 *
 * X, W1, W2 and Y are made of -1, 0 and 1. All intermediate results are whole numbers, of which those below 2^24 are
 * exact in f32; the loss is a multiple of 1/2, so it must stay below 2^23. Cauchy's inequality then keeps the
 * gradients, which are sums of products with dZ2, far below 2^24. The mean of the loss follows from the variances of
 * the operands. It is kept below its limit by a factor that a sum of squares of `out` normal numbers exceeds about once
 * in 10^20 (Laurent and Massart, Adaptive estimation of a quadratic functional by model selection, Ann. Statist. 28,
 * 2000, lemma 1), for which X and W1 are thinned, and Y where the batch is very large. */

enum { W2_ONE_IN = 2 };
static const double variance = 2.0 / 3; /* of -1, 0 and 1 */

static double loss_most(const struct problem *problem)
{
    const double once_in = 46 /* -log(10^-20) */, out = (double)problem->dim[TRAIN_OUT];
    return ldexp(1, (int)dtype_bits(problem->dtype) - 1) / (1 + 2 * sqrt(once_in / out) + 2 * once_in / out);
}

/* One quarter of the loss may come from Y. */
static int64_t y_one_in(const struct problem *problem)
{
    return (int64_t)fmax(1, ceil(product(problem, TRAIN_BATCH, TRAIN_OUT) * variance / 2 / (loss_most(problem) / 4)));
}

/* The rest comes from Z2, whose elements have a variance of hidden * in * p^2 / 2 * variance / W2_ONE_IN, where p is
 * that of the elements of X and W1; half of Z1 is negative. */
static int64_t x_one_in(const struct problem *problem)
{
    const double z2 = product(problem, TRAIN_HIDDEN, TRAIN_IN) / 2 * variance / W2_ONE_IN;
    const double most = loss_most(problem) * 3 / 4 / (product(problem, TRAIN_BATCH, TRAIN_OUT) / 2 * z2);
    return (int64_t)fmax(1, ceil(variance / sqrt(most)));
}

/* How many terms that are not 0 the gradient of an element of W1 has on average, at most. */
static double gradient_terms(const struct problem *problem)
{
    const double p = variance / (double)x_one_in(problem);
    return (double)problem->dim[TRAIN_BATCH] * p * fmin(0.5, (double)problem->dim[TRAIN_IN] * p * p / 2);
}

/* Whether thinning leaves the exact check something to see. */
static bool is_seen(const struct problem *problem)
{
    return x_one_in(problem) == 1 || gradient_terms(problem) >= 1;
}

/* The largest batch up to that of the problem that is checked exactly; 0: none. */
static int64_t batch_checked(const struct problem *problem)
{
    struct problem other = *problem;
    int64_t least = 0, most = problem->dim[TRAIN_BATCH];
    while (least < most) {
        other.dim[TRAIN_BATCH] = least + (most - least + 1) / 2;
        if (is_seen(&other))
            least = other.dim[TRAIN_BATCH];
        else
            most = other.dim[TRAIN_BATCH] - 1;
    }
    return least;
}

static struct integers train_exact(const struct problem *problem)
{
    (void)problem;
    return (struct integers){ 1, 1 };
}

static int64_t train_one_in(const struct problem *problem, unsigned operand)
{
    if (operand == TRAIN_W2)
        return W2_ONE_IN;
    return operand == TRAIN_Y ? y_one_in(problem) : x_one_in(problem);
}

static bool train_accepts(const struct problem *problem, struct error *err)
{
    const double most = (double)((int64_t)1 << 40);
    const long long batch = problem->dim[TRAIN_BATCH], in = problem->dim[TRAIN_IN], hidden = problem->dim[TRAIN_HIDDEN];
    if (product(problem, TRAIN_BATCH, TRAIN_IN) > most || product(problem, TRAIN_BATCH, TRAIN_HIDDEN) > most ||
        product(problem, TRAIN_IN, TRAIN_HIDDEN) > most)
        return fail(err, STATUS_USAGE, "batch=%lld,in=%lld,hidden=%lld: a matrix of more than 2^40 elements", batch, in,
                    hidden);
    if (is_seen(problem))
        return true;
    return fail(err, STATUS_USAGE,
                "batch=%lld,in=%lld,hidden=%lld: too large to check every weight by whole numbers of %s; the largest "
                "such batch is %lld",
                batch, in, hidden, dtype_name(problem->dtype), (long long)batch_checked(problem));
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
    (void)problem;
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
    const double batch = (double)problem->dim[TRAIN_BATCH], first = product(problem, TRAIN_IN, TRAIN_HIDDEN),
                 second = product(problem, TRAIN_HIDDEN, TRAIN_OUT);
    return 2 * batch * (2 * first + 3 * second) + 3 * product(problem, TRAIN_BATCH, TRAIN_OUT) + 2 * (first + second);
}

static double train_bytes(const struct problem *problem)
{
    return problem_bytes_held(problem);
}

/* --- plain C --- */

static int64_t batch_blocks(const struct problem *problem)
{
    return blocks_of(problem->dim[TRAIN_BATCH], NATIVE_ROWS);
}

static int64_t in_blocks(const struct problem *problem)
{
    return blocks_of(problem->dim[TRAIN_IN], NATIVE_ROWS);
}

static int64_t hidden_blocks(const struct problem *problem)
{
    return blocks_of(problem->dim[TRAIN_HIDDEN], NATIVE_COLUMNS);
}

static int64_t hidden_tiles(const struct problem *problem)
{
    return blocks_of(problem->dim[TRAIN_BATCH], MATMUL_HEIGHT) * blocks_of(problem->dim[TRAIN_HIDDEN], MATMUL_WIDTH);
}

static int64_t output_rows(const struct problem *problem)
{
    return problem->dim[TRAIN_BATCH];
}

static int64_t w2_strips(const struct problem *problem)
{
    return 1 + blocks_of(problem->dim[TRAIN_HIDDEN], TRAIN_COLUMNS);
}

static int64_t w1_tiles(const struct problem *problem)
{
    return blocks_of(problem->dim[TRAIN_IN], MATMUL_HEIGHT) * blocks_of(problem->dim[TRAIN_HIDDEN], MATMUL_WIDTH);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void native_scratch(const struct problem *problem, int64_t bytes[SCRATCH_MAX])
{
    const int64_t *dim = problem->dim, real = (int64_t)dtype_bytes(problem->dtype);
    const int64_t high = batch_blocks(problem) * NATIVE_ROWS, wide = hidden_blocks(problem) * NATIVE_COLUMNS;
    bytes[0] = real * larger(high * dim[TRAIN_IN], in_blocks(problem) * NATIVE_ROWS * dim[TRAIN_BATCH]);
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
    .pass = { { NATIVE_VERSIONS(NATIVE_REALS, train_pack_x), .grain = 1, .extent = batch_blocks },
              { NATIVE_VERSIONS(NATIVE_REALS, train_pack_w), .grain = 1, .extent = hidden_blocks },
              { NATIVE_VERSIONS(NATIVE_REALS, train_hidden), .grain = 1, .extent = hidden_tiles },
              { NATIVE_VERSIONS(NATIVE_REALS, train_outputs), .grain = TRAIN_ROWS, .extent = output_rows },
              { NATIVE_VERSIONS(NATIVE_REALS, train_update_w2), .grain = 1, .extent = w2_strips },
              { NATIVE_VERSIONS(NATIVE_REALS, train_turn_x), .grain = 1, .extent = in_blocks },
              { NATIVE_VERSIONS(NATIVE_REALS, train_update_w1), .grain = 1, .extent = w1_tiles } },
    .scratch = native_scratch,
};

/* --- libraries --- */

/* A1, dZ1, dZ2 and the losses of TRAIN_ROWS rows each. */
static double train_workspace(const struct problem *problem)
{
    const double row = 2 * (double)problem->dim[TRAIN_HIDDEN] + (double)problem->dim[TRAIN_OUT] + 1;
    return row * (double)problem->dim[TRAIN_BATCH] * (double)dtype_bytes(problem->dtype);
}

/* oneDNN packs the operands of a product. */
static double train_onednn_workspace(const struct problem *problem)
{
    return 2 * train_workspace(problem) + problem_bytes_held(problem);
}

static const struct method methods[] = {
    { .name = "onednn",
      .summary = "oneDNN's matmul primitives, and C for what goes element by element",
      .backends = on_cpu,
      .workspace = train_onednn_workspace },
    { .name = "openblas",
      .summary = "OpenBLAS's gemm, and C for what goes element by element",
      .backends = on_cpu,
      .workspace = train_workspace },
    { METHOD_NATIVE, .native = &native },
    { 0 },
};

static const struct suite_size suite_sizes[] = {
    { SUITE_STANDARD, "batch=4096" }, { SUITE_FULL, "batch=1" },     { SUITE_FULL, "batch=16" },
    { SUITE_FULL, "batch=256" },      { SUITE_FULL, "batch=16384" }, { 0 },
};

static const struct range range = { "batch={}", 1, 16384, 1, "samples" };

/* Ones, primes, sizes around those of tiles, panels and strips, and more outputs than are summed up at once. */
static const char *const shapes[] = {
    "batch=67,in=53,hidden=131,out=10",
    "batch=1,in=1,hidden=1,out=1",
    "batch=2,in=3,hidden=5,out=2",
    "batch=5,in=7,hidden=3,out=1",
    "batch=1,in=401,hidden=31,out=3",
    "batch=33,in=1,hidden=17,out=5",
    "batch=16,in=64,hidden=48,out=16",
    "batch=17,in=65,hidden=49,out=17",
    "batch=129,in=127,hidden=193,out=10",
    "batch=128,in=128,hidden=64,out=8",
    "batch=1021,in=3,hidden=19,out=9",
    "batch=3,in=20,hidden=1021,out=64",
    NULL,
};

const struct workload workload_train = {
    .name = "train",
    .summary = "one step of training a perceptron with one hidden layer",
    .explanation =
        "One step of stochastic gradient descent: the batch goes up, the weights stay on the device, the loss "
        "comes back. A run is a row of dependent products; a sample is a row of the batch.",
    .aliases = "training | gradient descent | perceptron",
    .dims = dims,
    .suite_sizes = suite_sizes,
    .shapes = shapes,
    .range = &range,
    .small = "batch=35,in=19,hidden=67,out=5",
    .dtypes = 1u << DTYPE_F32 | 1u << DTYPE_F64,
    .methods = methods,
    .accepts = train_accepts,
    .operands = train_operands,
    .steps = train_steps,
    .flops = train_flops,
    .bytes = train_bytes,
    .expect = train_expect,
    .intermediate = train_intermediate,
    .intermediates = train_intermediates,
    .expect_cost = train_expect_cost,
    .exact = train_exact,
    .one_in = train_one_in,
    .projection = &train_projection,
};
