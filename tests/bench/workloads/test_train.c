#include "bench/workloads/train.h"
#include "harness/base/element.h"
#include "harness/measure/random.h"
#include "tests/support/one_truth.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The truth of a training step beside the step itself, computed in double as it is defined; and steps that are wrong in
 * one place. */

enum { SEED = 11 };

/* What is wrong with a step. */
enum fault {
    NONE,
    SIGN_OF_W1,
    SIGN_OF_W2,
    NO_UPDATE_OF_W1,
    NO_UPDATE_OF_W2,
    NO_UPDATE_OF_ONE_ELEMENT,
    ONE_ELEMENT_OF_W1,
    ONE_ELEMENT_OF_W2,
    TRANSPOSED_W2,
    TRANSPOSED_W1,
    NO_MASK,
    DERIVATIVE_AT_0,
    NO_Y,
    LAST_ROW_MISSING,
    BACK_THROUGH_NEW_W2,
    LOSS_WITHOUT_HALF,
    LOSS_OF_ALL_BUT_ONE,
    STEP_TWICE_AS_LONG,
    FAULTS
};

static const char *const fault_names[FAULTS] = { "none",
                                                 "the sign of dW1",
                                                 "the sign of dW2",
                                                 "no update of W1",
                                                 "no update of W2",
                                                 "no update of one element",
                                                 "one element of W1",
                                                 "one element of W2",
                                                 "W2 not transposed",
                                                 "dW1 transposed",
                                                 "no mask",
                                                 "the derivative at 0",
                                                 "no Y",
                                                 "the last row is missing",
                                                 "back through the new W2",
                                                 "a loss without the half",
                                                 "a loss of all but one",
                                                 "a step twice as long" };

struct step_run {
    struct problem problem;
    struct operand operand[OPERANDS_MAX];
    float *array[TRAIN_OPERANDS];
    double *z1, *dz2, *dz1;
    double *intermediate;
    int64_t before; /* elements of the outputs before the one that is compared */
    bool is_whole;
};

static void *room(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count, size);
    cr_assert(memory);
    return memory;
}

static const void *const *operands_of(const struct step_run *run, const void *to[OPERANDS_MAX])
{
    for (unsigned i = 0; i < TRAIN_OPERANDS; i++)
        to[i] = run->array[i];
    to[TRAIN_OPERANDS] = run->intermediate;
    return to;
}

static struct step_run run_make(const char *shape, uint64_t seed, bool is_whole)
{
    struct step_run run = { .is_whole = is_whole };
    struct error err = { .status = STATUS_OK };
    const void *operand[OPERANDS_MAX] = { NULL };
    cr_assert(problem_parse(&run.problem, workload_find("train"), DTYPE_F32, shape, &err), "%s", err.message);
    const struct integers all = run.problem.workload->exact(&run.problem);
    cr_assert_eq(run.problem.workload->operands(&run.problem, run.operand), TRAIN_OPERANDS);
    for (unsigned i = 0; i < TRAIN_OPERANDS; i++) {
        const struct integers integers = problem_integers(&run.problem, i, &all);
        run.array[i] = room(run.operand[i].count, sizeof(float));
        if (run.operand[i].role == ROLE_INPUT && is_whole)
            random_fill(run.array[i], DTYPE_F32, 0, run.operand[i].count, seed, i, &integers);
        else if (run.operand[i].role == ROLE_INPUT)
            random_fill(run.array[i], DTYPE_F32, 0, run.operand[i].count, seed, i, NULL);
    }
    const int64_t *dim = run.problem.dim;
    run.z1 = room(dim[TRAIN_BATCH] * dim[TRAIN_HIDDEN], sizeof(double));
    run.dz1 = room(dim[TRAIN_BATCH] * dim[TRAIN_HIDDEN], sizeof(double));
    run.dz2 = room(dim[TRAIN_BATCH] * dim[TRAIN_OUT], sizeof(double));
    run.intermediate = room(train_intermediates(&run.problem), sizeof(double));
    train_intermediate(&run.problem, method_sums(NULL, DTYPE_F32), operands_of(&run, operand), run.intermediate);
    return run;
}

static void run_release(struct step_run *run)
{
    for (unsigned i = 0; i < TRAIN_OPERANDS; i++)
        free(run->array[i]);
    free(run->z1);
    free(run->dz1);
    free(run->dz2);
    free(run->intermediate);
}

static double relu(double z)
{
    return z > 0 ? z : 0;
}

/* Z1, dZ2 and dZ1. */
static void propagate(struct step_run *run, enum fault fault)
{
    const int64_t *dim = run->problem.dim, in = dim[TRAIN_IN], hidden = dim[TRAIN_HIDDEN], out = dim[TRAIN_OUT];
    const float *w2 = run->array[TRAIN_W2], *new_w2 = run->array[TRAIN_NEW_W2];
    for (int64_t b = 0; b < dim[TRAIN_BATCH]; b++) {
        double *z1 = run->z1 + b * hidden, *dz2 = run->dz2 + b * out;
        memset(z1, 0, (size_t)hidden * sizeof *z1);
        for (int64_t i = 0; i < in; i++) {
            const double x = run->array[TRAIN_X][b * in + i];
            for (int64_t h = 0; x != 0 && h < hidden; h++)
                z1[h] += x * run->array[TRAIN_W1][i * hidden + h];
        }
        for (int64_t o = 0; o < out; o++) {
            dz2[o] = fault == NO_Y ? 0 : -(double)run->array[TRAIN_Y][b * out + o];
            for (int64_t h = 0; h < hidden; h++)
                dz2[o] += relu(z1[h]) * w2[h * out + o];
        }
        for (int64_t h = 0; h < hidden; h++) {
            const bool is_on = fault == NO_MASK || (fault == DERIVATIVE_AT_0 ? z1[h] >= 0 : z1[h] > 0);
            double sum = 0;
            for (int64_t o = 0; is_on && o < out; o++) {
                const int64_t place = fault == TRANSPOSED_W2 ? o * hidden + h : h * out + o;
                sum += dz2[o] * (fault == BACK_THROUGH_NEW_W2 ? new_w2[place] : w2[place]);
            }
            run->dz1[b * hidden + h] = sum;
        }
    }
}

/* to = from - TRAIN_STEP * factor * (left' right), of `batch` rows. */
static void descend(float *to, const float *from, const double *left, const double *right, const int64_t size[2],
                    int64_t batch, double factor)
{
    double *sum = room(size[0] * size[1], sizeof *sum);
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < size[0]; i++)
            for (int64_t j = 0; left[b * size[0] + i] != 0 && j < size[1]; j++)
                sum[i * size[1] + j] += left[b * size[0] + i] * right[b * size[1] + j];
    for (int64_t place = 0; place < size[0] * size[1]; place++)
        to[place] = (float)(from[place] - TRAIN_STEP * factor * sum[place]);
    free(sum);
}

static void update_w2(struct step_run *run, enum fault fault)
{
    const int64_t *dim = run->problem.dim, size[2] = { dim[TRAIN_HIDDEN], dim[TRAIN_OUT] };
    const int64_t count = dim[TRAIN_BATCH] * dim[TRAIN_HIDDEN];
    double *a1 = room(count, sizeof *a1);
    for (int64_t i = 0; i < count; i++)
        a1[i] = relu(run->z1[i]);
    descend(run->array[TRAIN_NEW_W2], run->array[TRAIN_W2], a1, run->dz2, size, dim[TRAIN_BATCH],
            fault == SIGN_OF_W2        ? -1
            : fault == NO_UPDATE_OF_W2 ? 0
                                       : 1);
    free(a1);
}

static void update_w1(struct step_run *run, enum fault fault)
{
    const int64_t *dim = run->problem.dim, size[2] = { dim[TRAIN_IN], dim[TRAIN_HIDDEN] };
    const int64_t count = dim[TRAIN_BATCH] * dim[TRAIN_IN];
    double *x = room(count, sizeof *x);
    for (int64_t i = 0; i < count; i++)
        x[i] = run->array[TRAIN_X][i];
    float *w1 = run->array[TRAIN_W1], *to = run->array[TRAIN_NEW_W1];
    descend(to, w1, x, run->dz1, size, dim[TRAIN_BATCH] - (fault == LAST_ROW_MISSING),
            fault == SIGN_OF_W1           ? -1
            : fault == NO_UPDATE_OF_W1    ? 0
            : fault == STEP_TWICE_AS_LONG ? 2
                                          : 1);
    free(x);
}

/* Spoils single elements, at places that have a gradient. */
static void spoil(struct step_run *run, enum fault fault)
{
    float *w1 = run->array[TRAIN_NEW_W1], *w2 = run->array[TRAIN_NEW_W2], *loss = run->array[TRAIN_LOSS];
    const int64_t last = run->operand[TRAIN_W1].count - 1, out = run->problem.dim[TRAIN_OUT];
    const int64_t hidden = run->problem.dim[TRAIN_HIDDEN];
    if (fault == NO_UPDATE_OF_ONE_ELEMENT)
        for (int64_t i = last / 2; i <= last; i++)
            if (w1[i] != run->array[TRAIN_W1][i]) {
                w1[i] = run->array[TRAIN_W1][i];
                break;
            }
    if (fault == ONE_ELEMENT_OF_W1)
        w1[last] += (float)TRAIN_STEP;
    if (fault == ONE_ELEMENT_OF_W2)
        w2[hidden * out - 1] += (float)TRAIN_STEP;
    if (fault == TRANSPOSED_W1)
        for (int64_t i = 0; i < run->problem.dim[TRAIN_IN] && i < hidden; i++)
            for (int64_t j = 0; j < i; j++) {
                const float one = w1[i * hidden + j];
                w1[i * hidden + j] = w1[j * hidden + i];
                w1[j * hidden + i] = one;
            }
    if (fault == LOSS_WITHOUT_HALF)
        *loss *= 2;
    if (fault == LOSS_OF_ALL_BUT_ONE)
        *loss -= (float)(run->dz2[0] * run->dz2[0] / 2);
}

static void compute(struct step_run *run, enum fault fault)
{
    const int64_t count = run->problem.dim[TRAIN_BATCH] * run->problem.dim[TRAIN_OUT];
    double loss = 0;
    propagate(run, fault == BACK_THROUGH_NEW_W2 ? NONE : fault);
    update_w2(run, fault);
    if (fault == BACK_THROUGH_NEW_W2)
        propagate(run, fault);
    update_w1(run, fault);
    for (int64_t i = 0; i < count; i++)
        loss += run->dz2[i] * run->dz2[i] / 2;
    *run->array[TRAIN_LOSS] = (float)loss;
    spoil(run, fault);
}

static void truth_of(const void *context, int64_t index, double *value, double *bound)
{
    const struct step_run *run = context;
    const void *operand[OPERANDS_MAX];
    train_expect(&run->problem, method_sums(NULL, DTYPE_F32), operands_of(run, operand), run->before + index, value,
                 bound);
    if (run->is_whole)
        *bound = 0;
}

/* What the worker compares: of whole numbers and of random ones, every element of every output. */
static bool is_right(struct step_run *run, struct error *err)
{
    bool right = true;
    run->before = 0;
    for (unsigned i = TRAIN_NEW_W1; right && i < TRAIN_OPERANDS; i++) {
        struct verification verdict;
        right = verify_all(&verdict, run->array[i], DTYPE_F32, run->operand[i].count, truth_of, run, err);
        run->before += run->operand[i].count;
    }
    return right;
}

/* The sums of the projection. */
struct folded {
    const struct step_run *run;
    const uint64_t *folded;
};

static void sums_of(const void *context, int64_t begin, int64_t end, uint64_t sum[])
{
    const struct folded *folded = context;
    const void *operand[OPERANDS_MAX];
    train_projection.truth(&folded->run->problem, operands_of(folded->run, operand), folded->folded, begin, end, sum);
}

static void truths_of_folded(const void *context, int64_t first, int64_t count, double value[], double bound[])
{
    const struct folded *folded = context;
    one_by_one(&(struct one_by_one){ truth_of, folded->run }, first, count, value, bound);
}

static bool lines_are_right(struct step_run *run, struct error *err)
{
    struct weighted_lines lines = { .scale = train_projection.scale };
    const void *operand[OPERANDS_MAX];
    train_projection.axes(&run->problem, &lines.outer, &lines.length, &lines.inner);
    const int64_t folds = train_projection.folds(&run->problem);
    uint64_t *weight = room(lines.length, sizeof *weight), *folded = room(folds, sizeof *folded);
    verify_weights(weight, lines.length, SEED);
    lines.weight = weight;
    train_projection.fold(&run->problem, operands_of(run, operand), weight, 0, folds / 3, folded);
    train_projection.fold(&run->problem, operands_of(run, operand), weight, folds / 3, folds, folded + folds / 3);
    struct verification verdict;
    run->before = 0;
    const struct folded context = { run, folded };
    const bool right = verify_projection(&verdict, run->array[TRAIN_NEW_W1], DTYPE_F32, &lines, sums_of,
                                         truths_of_folded, &context, err);
    free(weight);
    free(folded);
    return right;
}

static const char *const shapes[] = { "batch=37,in=29,hidden=41,out=10", "batch=5,in=31,hidden=17,out=3",
                                      "batch=64,in=16,hidden=8,out=1" };

Test(train, truth_agrees_with_a_step_as_it_is_defined)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (unsigned is_whole = 0; is_whole < 2; is_whole++) {
            struct step_run run = run_make(shapes[i], SEED + i, is_whole);
            struct error err = { .status = STATUS_OK };
            compute(&run, NONE);
            cr_expect(is_right(&run, &err), "%s: %s", shapes[i], err.message);
            cr_expect(!is_whole || lines_are_right(&run, &err), "%s: %s", shapes[i], err.message);
            run_release(&run);
        }
}

/* Faults of W1 have to be seen by the weighted sums as well. With random operands an element may be off by less than a
 * rounding, and Z1 is never exactly 0. */
Test(train, a_wrong_step_is_never_right)
{
    for (size_t i = 0; i < 2; i++)
        for (enum fault fault = NONE + 1; fault < FAULTS; fault++) {
            struct step_run whole = run_make(shapes[i], SEED + i, true), uniform = run_make(shapes[i], SEED + i, false);
            struct error err = { .status = STATUS_OK };
            compute(&whole, fault);
            compute(&uniform, fault);
            cr_expect_not(is_right(&whole, &err), "%s: %s", shapes[i], fault_names[fault]);
            cr_expect_eq(err.status, STATUS_WRONG, "%s: %s", shapes[i], err.message);
            cr_expect(fault == DERIVATIVE_AT_0 || !is_right(&uniform, &err), "%s, random: %s", shapes[i],
                      fault_names[fault]);
            const bool is_of_others = fault == SIGN_OF_W2 || fault == NO_UPDATE_OF_W2 || fault == ONE_ELEMENT_OF_W2 ||
                                      fault == LOSS_WITHOUT_HALF || fault == LOSS_OF_ALL_BUT_ONE;
            cr_expect_eq(lines_are_right(&whole, &err), is_of_others, "%s, by lines: %s", shapes[i],
                         fault_names[fault]);
            run_release(&whole);
            run_release(&uniform);
        }
}

/* The sums of absolute values, which no partial sum exceeds in any order, whatever the signs are. */
static double largest_sum(const struct step_run *run)
{
    const int64_t *dim = run->problem.dim, in = dim[TRAIN_IN], hidden = dim[TRAIN_HIDDEN], out = dim[TRAIN_OUT];
    double *w1 = room(in * hidden, sizeof *w1), *w2 = room(hidden * out, sizeof *w2);
    double largest = 0;
    for (int64_t b = 0; b < dim[TRAIN_BATCH]; b++) {
        const double *z1 = run->z1 + b * hidden, *dz2 = run->dz2 + b * out;
        for (int64_t o = 0; o < out; o++) {
            double sum = fabs((double)run->array[TRAIN_Y][b * out + o]);
            for (int64_t h = 0; h < hidden; h++) {
                sum += relu(z1[h]) * fabs((double)run->array[TRAIN_W2][h * out + o]);
                w2[h * out + o] += relu(z1[h]) * fabs(dz2[o]);
            }
            largest = fmax(largest, sum);
        }
        for (int64_t i = 0; i < in; i++)
            for (int64_t h = 0; run->array[TRAIN_X][b * in + i] != 0 && h < hidden; h++)
                w1[i * hidden + h] += fabs(run->dz1[b * hidden + h]);
    }
    for (int64_t i = 0; i < in * hidden; i++)
        largest = fmax(largest, w1[i] + 1 / TRAIN_STEP);
    for (int64_t i = 0; i < hidden * out; i++)
        largest = fmax(largest, w2[i] + 1 / TRAIN_STEP);
    free(w1);
    free(w2);
    return largest;
}

/* Share of the elements of W1 that change. */
static double changed_share(const struct step_run *run)
{
    const int64_t count = run->operand[TRAIN_W1].count;
    int64_t changed = 0;
    for (int64_t i = 0; i < count; i++)
        changed += run->array[TRAIN_NEW_W1][i] != run->array[TRAIN_W1][i];
    return (double)changed / (double)count;
}

Test(train, whole_operands_keep_every_sum_exact_and_most_weights_changing)
{
    static const char *const sizes[] = { "batch=1",
                                         "batch=16",
                                         "batch=256",
                                         "batch=4096",
                                         "batch=16384,hidden=128",
                                         "batch=256,in=300,hidden=4096",
                                         "batch=2000,in=100,hidden=100,out=1",
                                         "batch=64,in=3,hidden=2000,out=32",
                                         "batch=100000,in=2,hidden=3,out=32",
                                         "batch=100000,in=1,hidden=2,out=8" };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct step_run run = run_make(sizes[i], SEED, true);
        compute(&run, NONE);
        cr_expect_lt(largest_sum(&run), 0x1p24, "%s: %g", sizes[i], largest_sum(&run));
        cr_expect_gt(changed_share(&run), 0.1, "%s: %g of W1 changes", sizes[i], changed_share(&run));
        run_release(&run);
    }
}

static bool accepts(enum dtype dtype, const char *others, int64_t batch)
{
    struct problem problem;
    struct error err;
    char shape[SHAPE_MAX];
    snprintf(shape, sizeof shape, "batch=%lld%s", (long long)batch, others);
    return problem_parse(&problem, workload_find("train"), dtype, shape, &err);
}

/* A network that is larger than those of the suites too, and of a large batch no more than of a smaller one. */
Test(train, all_batches_up_to_the_largest_are_accepted)
{
    static const struct {
        const char *others;
        int64_t least; /* that must be accepted */
    } networks[] = { { "", 1 << 20 },
                     { ",in=784,hidden=4096", 1 << 20 },
                     { ",in=3000,hidden=3000", 1 << 20 },
                     { ",in=8192,hidden=8192", 1 << 16 },
                     { ",in=2,hidden=2,out=32", 1 << 16 },
                     { ",in=1,hidden=1,out=1", 1 << 20 } };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        bool was_accepted = true;
        for (double batch = 1; batch < 0x1p24; batch = ceil(batch * 1.003)) {
            const bool is_accepted = accepts(DTYPE_F32, networks[i].others, (int64_t)batch);
            cr_expect(was_accepted || !is_accepted, "%s: batch %.0f and not one below", networks[i].others, batch);
            cr_expect(is_accepted || batch > (double)networks[i].least, "%s: batch %.0f", networks[i].others, batch);
            was_accepted = is_accepted;
        }
    }
}

Test(train, a_batch_that_is_too_large_to_check_is_refused_with_the_largest)
{
    struct problem problem;
    struct error err = { .status = STATUS_OK };
    cr_assert_not(problem_parse(&problem, workload_find("train"), DTYPE_F32, "batch=16M", &err));
    cr_assert_eq(err.status, STATUS_USAGE);
    const char *most = strstr(err.message, "the largest batch that can be checked is ");
    cr_assert(most, "%s", err.message);
    const long long batch = atoll(most + strlen("the largest batch that can be checked is "));
    cr_expect(accepts(DTYPE_F32, "", batch) && !accepts(DTYPE_F32, "", batch + 1), "%lld", batch);
    cr_expect(accepts(DTYPE_F64, "", 16000000));
}

/* By hand: 2 (3 * 5 * 7 * 2 + 3 * 7 * 2 * 3) products and sums, 3 for each of the 3 x 2 outputs, and 2 for each of the
 * 35 + 14 weights. */
