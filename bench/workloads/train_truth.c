#include "bench/workloads/product.h"
#include "bench/workloads/train.h"
#include "harness/base/parallel.h"

#include <math.h>

/* Errors of one product become errors of the operands of the next. Bounds are of first order: products of two errors
 * are left out, but where one may be as large as its value. */

enum { BATCH = TRAIN_BATCH, IN = TRAIN_IN, HIDDEN = TRAIN_HIDDEN, OUT = TRAIN_OUT };

/* What every element of the result depends on, in one array. */
struct forward {
    double *z1;     /* batch x hidden: X W1 */
    double *dz2;    /* batch x out */
    double *error2; /* how far a correct dZ2 may be from that */
    double *norm_x; /* Euclidean norms of the rows of X */
    double *norm_w; /* and of the columns of W1 */
    double *w1;     /* as numbers */
};

/* Rows of X that a row of W1 is read for. */
enum { ROWS = 4 };

int64_t train_intermediates(const struct problem *problem)
{
    const int64_t batch = problem->dim[BATCH], hidden = problem->dim[HIDDEN], out = problem->dim[OUT];
    return batch * hidden + 2 * batch * out + batch + hidden + problem->dim[IN] * hidden;
}

static struct forward forward_in(const struct problem *problem, double *array)
{
    const int64_t batch = problem->dim[BATCH], hidden = problem->dim[HIDDEN], out = problem->dim[OUT];
    struct forward forward = { .z1 = array };
    forward.dz2 = forward.z1 + batch * hidden;
    forward.error2 = forward.dz2 + batch * out;
    forward.norm_x = forward.error2 + batch * out;
    forward.norm_w = forward.norm_x + batch;
    forward.w1 = forward.norm_w + hidden;
    return forward;
}

/* Error bounds of a sum of `terms` products, as multiples of the sum of their absolute values. Terms are as often
 * negative as positive: */
static double balanced_unit(const struct problem *problem, struct sums sums, int64_t terms)
{
    return product_bound(problem->dtype, sums, terms, 0, 1);
}

/* or mostly of one sign, for which the bound of sums that may be truncated holds, too. */
static double uneven_unit(const struct problem *problem, struct sums sums, int64_t terms)
{
    sums.may_be_cut_off = true;
    return product_bound(problem->dtype, sums, terms, 0, 1);
}

/* A sum of errors that are independent of each other: the sum of their bounds, and of the squares of these. */
struct spread {
    double worst, squares;
};

static void spread_add(struct spread *spread, double bound)
{
    spread->worst += bound;
    spread->squares += bound * bound;
}

static double spread_bound(const struct spread *spread)
{
    return product_spread(spread->worst, spread->squares);
}

/* Of an element of Z1. By Cauchy's inequality the norms bound the sum of absolute values. */
static double error1(const struct forward *forward, double unit, int64_t row, int64_t column)
{
    return unit * forward->norm_x[row] * forward->norm_w[column];
}

/* --- forward --- */

struct propagation {
    const struct problem *problem;
    struct sums sums;
    const void *const *operand;
    struct forward to;
};

/* Columns of W1. */
static void read_columns(void *context, int64_t begin, int64_t end)
{
    const struct propagation *run = context;
    const int64_t in = run->problem->dim[IN], hidden = run->problem->dim[HIDDEN];
    double *norm = run->to.norm_w;
    for (int64_t column = begin; column < end; column++)
        norm[column] = 0;
    for (int64_t i = 0; i < in; i++)
        for (int64_t column = begin; column < end; column++) {
            const double w = element_at(run->operand[TRAIN_W1], run->problem->dtype, i * hidden + column);
            run->to.w1[i * hidden + column] = w;
            norm[column] += w * w;
        }
    for (int64_t column = begin; column < end; column++)
        norm[column] = sqrt(norm[column]);
}

/* Z1 in some rows. Most terms of X are 0 in an exact check. */
static void z1_rows(const struct propagation *run, int64_t row, int64_t rows)
{
    const int64_t in = run->problem->dim[IN], hidden = run->problem->dim[HIDDEN];
    double *z1 = run->to.z1 + row * hidden, squares[ROWS] = { 0 };
    for (int64_t i = 0; i < rows * hidden; i++)
        z1[i] = 0;
    for (int64_t i = 0; i < in; i++)
        for (int64_t r = 0; r < rows; r++) {
            const double x = element_at(run->operand[TRAIN_X], run->problem->dtype, (row + r) * in + i);
            const double *w = run->to.w1 + i * hidden;
            squares[r] += x * x;
            for (int64_t h = 0; h < hidden && x != 0; h++)
                z1[r * hidden + h] += x * w[h];
        }
    for (int64_t r = 0; r < rows; r++)
        run->to.norm_x[row + r] = sqrt(squares[r]);
}

/* One row of dZ2, and its error bounds. The difference is rounded once. */
static void dz2_row(const struct propagation *run, int64_t row)
{
    const struct problem *problem = run->problem;
    const struct forward *to = &run->to;
    const enum dtype dtype = problem->dtype;
    const int64_t hidden = problem->dim[HIDDEN], out = problem->dim[OUT];
    const double unit1 = balanced_unit(problem, run->sums, problem->dim[IN]);
    const double unit2 = balanced_unit(problem, run->sums, hidden);
    for (int64_t o = 0; o < out; o++) {
        struct spread spread = { 0, 0 };
        double sum = 0, size = 0;
        for (int64_t h = 0; h < hidden; h++) {
            const double z1 = to->z1[row * hidden + h], w2 = element_at(run->operand[TRAIN_W2], dtype, h * out + o);
            const double term = z1 > 0 ? z1 * w2 : 0;
            sum += term;
            size += fabs(term);
            spread_add(&spread, error1(to, unit1, row, h) * fabs(w2));
        }
        const double dz2 = sum - element_at(run->operand[TRAIN_Y], dtype, row * out + o);
        const double rounding = (dtype_roundoff(dtype) + dtype_roundoff(DTYPE_F64)) * fabs(dz2);
        to->dz2[row * out + o] = dz2;
        to->error2[row * out + o] = unit2 * size + spread_bound(&spread) + rounding;
    }
}

/* Groups of ROWS rows of the batch. */
static void propagate(void *context, int64_t begin, int64_t end)
{
    const struct propagation *run = context;
    const int64_t batch = run->problem->dim[BATCH];
    for (int64_t row = begin * ROWS; row < end * ROWS && row < batch; row += ROWS) {
        const int64_t rows = batch - row < ROWS ? batch - row : ROWS;
        z1_rows(run, row, rows);
        for (int64_t r = 0; r < rows; r++)
            dz2_row(run, row + r);
    }
}

void train_intermediate(const struct problem *problem, struct sums sums, const void *const operand[], double *to)
{
    struct propagation run = { problem, sums, operand, forward_in(problem, to) };
    parallel_slices(read_columns, &run, 0, problem->dim[HIDDEN], NATIVE_LINE, 0);
    parallel_slices(propagate, &run, 0, (problem->dim[BATCH] + ROWS - 1) / ROWS, 1, 0);
}

/* --- backward --- */

/* An element of dZ2 W2', which is that of dZ1 where Z1 is positive. */
struct delta {
    double value, error;
    bool is_on;     /* Z1 is positive */
    bool is_either; /* Z1 is so near 0 that a correct computation may see it on the other side */
};

static struct delta delta_at(const struct problem *problem, struct sums sums, const void *const operand[],
                             const struct forward *forward, int64_t row, int64_t column)
{
    const int64_t hidden = problem->dim[HIDDEN], out = problem->dim[OUT];
    const double z1 = forward->z1[row * hidden + column];
    const double near = error1(forward, balanced_unit(problem, sums, problem->dim[IN]), row, column);
    struct delta delta = { .is_on = z1 > 0, .is_either = fabs(z1) <= near };
    double size = 0;
    for (int64_t o = 0; o < out; o++) {
        const double w2 = element_at(operand[TRAIN_W2], problem->dtype, column * out + o);
        const double term = forward->dz2[row * out + o] * w2;
        delta.value += term;
        delta.error += forward->error2[row * out + o] * fabs(w2);
        size += fabs(term);
    }
    delta.error += balanced_unit(problem, sums, out) * size;
    return delta;
}

/* The result of an update: a product with a power of 2, which is exact, and a difference, which is rounded once. */
static void update(const struct problem *problem, double before, double gradient, double error, double *value,
                   double *bound)
{
    const double roundoff = dtype_roundoff(problem->dtype) + dtype_roundoff(DTYPE_F64);
    *value = before - TRAIN_STEP * gradient;
    *bound = TRAIN_STEP * error + 2 * roundoff * (fabs(before) + TRAIN_STEP * fabs(gradient)) +
             2 * dtype_tiny(problem->dtype);
}

static void expect_w1(const struct problem *problem, struct sums sums, const void *const operand[],
                      const struct forward *forward, int64_t index, double *value, double *bound)
{
    const int64_t batch = problem->dim[BATCH], in = problem->dim[IN], hidden = problem->dim[HIDDEN];
    double sum = 0, size = 0, either = 0;
    struct spread spread = { 0, 0 };
    for (int64_t row = 0; row < batch; row++) {
        const double x = element_at(operand[TRAIN_X], problem->dtype, row * in + index / hidden);
        if (x == 0)
            continue;
        const struct delta delta = delta_at(problem, sums, operand, forward, row, index % hidden);
        if (delta.is_on) {
            sum += x * delta.value;
            size += fabs(x * delta.value);
        }
        if (delta.is_either)
            either += fabs(x) * (fabs(delta.value) + delta.error);
        else if (delta.is_on)
            spread_add(&spread, fabs(x) * delta.error);
    }
    const double error = balanced_unit(problem, sums, batch) * size + spread_bound(&spread) + either;
    update(problem, element_at(operand[TRAIN_W1], problem->dtype, index), sum, error, value, bound);
}

static void expect_w2(const struct problem *problem, struct sums sums, const void *const operand[],
                      const struct forward *forward, int64_t index, double *value, double *bound)
{
    const int64_t batch = problem->dim[BATCH], hidden = problem->dim[HIDDEN], out = problem->dim[OUT];
    const double unit = balanced_unit(problem, sums, problem->dim[IN]);
    double sum = 0, size = 0;
    struct spread spread = { 0, 0 };
    for (int64_t row = 0; row < batch; row++) {
        const double z1 = forward->z1[row * hidden + index / out], a1 = z1 > 0 ? z1 : 0;
        const double dz2 = forward->dz2[row * out + index % out], error2 = forward->error2[row * out + index % out];
        const double near = error1(forward, unit, row, index / out);
        sum += a1 * dz2;
        size += fabs(a1 * dz2);
        spread_add(&spread, near * (fabs(dz2) + error2) + a1 * error2);
    }
    const double error = uneven_unit(problem, sums, batch) * size + spread_bound(&spread);
    update(problem, element_at(operand[TRAIN_W2], problem->dtype, index), sum, error, value, bound);
}

static void expect_loss(const struct problem *problem, struct sums sums, const struct forward *forward, double *value,
                        double *bound)
{
    const int64_t count = problem->dim[BATCH] * problem->dim[OUT];
    double sum = 0;
    struct spread spread = { 0, 0 };
    for (int64_t i = 0; i < count; i++) {
        sum += forward->dz2[i] * forward->dz2[i] / 2;
        spread_add(&spread, (fabs(forward->dz2[i]) + forward->error2[i] / 2) * forward->error2[i]);
    }
    *value = sum;
    *bound = uneven_unit(problem, sums, count) * sum + spread_bound(&spread);
}

/* operand[TRAIN_OPERANDS]: what train_intermediate returned. */
static struct forward forward_of(const struct problem *problem, const void *const operand[])
{
    return forward_in(problem, (double *)(uintptr_t)operand[TRAIN_OPERANDS]);
}

void train_expect(const struct problem *problem, struct sums sums, const void *const operand[], int64_t index,
                  double *value, double *bound)
{
    const struct forward forward = forward_of(problem, operand);
    const int64_t w1 = problem->dim[IN] * problem->dim[HIDDEN], w2 = problem->dim[HIDDEN] * problem->dim[OUT];
    if (index < w1)
        expect_w1(problem, sums, operand, &forward, index, value, bound);
    else if (index < w1 + w2)
        expect_w2(problem, sums, operand, &forward, index - w1, value, bound);
    else
        expect_loss(problem, sums, &forward, value, bound);
}

double train_expect_cost(const struct problem *problem)
{
    return (double)problem->dim[BATCH] * (double)(problem->dim[OUT] + 8);
}

/* --- all elements of the new W1, as multiples of TRAIN_STEP --- */

static void train_axes(const struct problem *problem, int64_t *outer, int64_t *length, int64_t *inner)
{
    *outer = problem->dim[IN];
    *length = problem->dim[HIDDEN];
    *inner = 1;
}

static int64_t train_folds(const struct problem *problem)
{
    return problem->dim[BATCH] + problem->dim[IN];
}

/* dZ1 x, and after it W1 x. */
static void train_fold(const struct problem *problem, const void *const operand[], const uint64_t weight[],
                       int64_t begin, int64_t end, uint64_t out[])
{
    const struct forward forward = forward_of(problem, operand);
    const int64_t batch = problem->dim[BATCH], hidden = problem->dim[HIDDEN], outputs = problem->dim[OUT];
    for (int64_t i = begin; i < end; i++) {
        uint64_t sum = 0;
        for (int64_t h = 0; i < batch && h < hidden; h++) {
            double delta = 0;
            for (int64_t o = 0; forward.z1[i * hidden + h] > 0 && o < outputs; o++)
                delta += forward.dz2[i * outputs + o] * element_at(operand[TRAIN_W2], problem->dtype, h * outputs + o);
            sum += weight[h] * (uint64_t)(int64_t)delta;
        }
        out[i - begin] =
            i < batch ? sum : product_dot(operand[TRAIN_W1], problem->dtype, (i - batch) * hidden, hidden, weight);
    }
}

/* W1 x / TRAIN_STEP - X' (dZ1 x) */
static void train_truth(const struct problem *problem, const void *const operand[], const uint64_t folded[],
                        int64_t begin, int64_t end, uint64_t out[])
{
    const int64_t batch = problem->dim[BATCH], in = problem->dim[IN];
    for (int64_t i = begin; i < end; i++) {
        uint64_t sum = folded[batch + i] * (uint64_t)(1 / TRAIN_STEP);
        for (int64_t row = 0; row < batch; row++)
            sum -= whole_at(operand[TRAIN_X], problem->dtype, row * in + i) * folded[row];
        out[i - begin] = sum;
    }
}

const struct projection train_projection = {
    .scale = 1 / TRAIN_STEP,
    .axes = train_axes,
    .folds = train_folds,
    .fold = train_fold,
    .truth = train_truth,
};
