#include "bench/workloads/product.h"
#include "bench/workloads/workload.h"
#include "harness/measure/random.h"
#include "tests/support/one_truth.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Truth, exact checks and error bounds of matmul and conv, against implementations written another way: by scattering
 * each input over the results that it is a part of. */

enum { SEED = 11 };

/* A problem with operands of whole numbers and its result; and what a projection needs. */
struct product {
    struct problem problem;
    struct operand operand[OPERANDS_MAX];
    double *array[3]; /* in double, whatever the dtype */
    void *typed[3];
    uint64_t *weight, *folded;
    struct weighted_lines lines;
};

static void scatter_matmul(const int64_t dim[], double *const array[])
{
    const int64_t m = dim[0], n = dim[1], k = dim[2];
    for (int64_t l = 0; l < k; l++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++)
                array[2][i * n + j] += array[0][i * k + l] * array[1][l * n + j];
}

/* Every pixel goes to each place whose filter touches it. */
static void scatter_pixel(const int64_t dim[], double *const array[], int64_t image, int64_t c, int64_t y, int64_t x)
{
    const int64_t h = dim[2], w = dim[3], r = dim[5], s = dim[6], stride = dim[7], pad = dim[8];
    const int64_t p = (h + 2 * pad - r) / stride + 1, q = (w + 2 * pad - s) / stride + 1;
    const double pixel = array[0][((image * dim[1] + c) * h + y) * w + x];
    for (int64_t k = 0; k < dim[4]; k++)
        for (int64_t tap = 0; tap < r * s; tap++) {
            const int64_t top = y + pad - tap / s, left = x + pad - tap % s;
            if (top < 0 || left < 0 || top % stride || left % stride || top / stride >= p || left / stride >= q)
                continue;
            array[2][((image * dim[4] + k) * p + top / stride) * q + left / stride] +=
                pixel * array[1][(k * dim[1] + c) * r * s + tap];
        }
}

static void scatter_conv(const int64_t dim[], double *const array[])
{
    for (int64_t image = 0; image < dim[0]; image++)
        for (int64_t c = 0; c < dim[1]; c++)
            for (int64_t y = 0; y < dim[2]; y++)
                for (int64_t x = 0; x < dim[3]; x++)
                    scatter_pixel(dim, array, image, c, y, x);
}

static void product_put(struct product *product, unsigned i)
{
    for (int64_t e = 0; e < product->operand[i].count; e++)
        element_put(product->typed[i], product->operand[i].dtype, e, product->array[i][e]);
}

/* A product of other numbers for another seed. */
static void product_compute(struct product *product, uint64_t seed, struct integers integers)
{
    for (unsigned i = 0; i < 2; i++)
        random_fill(product->array[i], DTYPE_F64, 0, product->operand[i].count, seed, i, &integers);
    memset(product->array[2], 0, (size_t)product->operand[2].count * sizeof(double));
    bool is_matmul = strcmp(product->problem.workload->name, "matmul") == 0;
    (is_matmul ? scatter_matmul : scatter_conv)(product->problem.dim, product->array);
    for (unsigned i = 0; i < 3; i++)
        product_put(product, i);
}

static struct product product_make(const char *workload, enum dtype dtype, const char *shape)
{
    struct product product = { .operand = { { .name = NULL } } };
    struct error err = { .status = STATUS_OK };
    cr_assert(problem_parse(&product.problem, workload_find(workload), dtype, shape, &err), "%s", err.message);
    cr_assert_eq(product.problem.workload->operands(&product.problem, product.operand), 3);
    for (unsigned i = 0; i < 3; i++) {
        product.array[i] = calloc((size_t)product.operand[i].count, sizeof(double));
        product.typed[i] = calloc((size_t)product.operand[i].count, dtype_bytes(product.operand[i].dtype));
        cr_assert(product.array[i] && product.typed[i]);
    }
    const struct projection *projection = product.problem.workload->projection;
    projection->axes(&product.problem, &product.lines.outer, &product.lines.length, &product.lines.inner);
    int64_t folds = product.problem.workload->sum_length(&product.problem);
    product.lines.weight = product.weight = calloc((size_t)product.lines.length, sizeof *product.weight);
    product.folded = calloc((size_t)folds, sizeof *product.folded);
    cr_assert(product.weight && product.folded);
    verify_weights(product.weight, product.lines.length, SEED);
    product_compute(&product, SEED, product.problem.workload->exact(&product.problem));
    return product;
}

static void product_release(struct product *product)
{
    for (unsigned i = 0; i < 3; i++) {
        free(product->array[i]);
        free(product->typed[i]);
    }
    free(product->weight);
    free(product->folded);
}

static void truth_of(const void *context, int64_t index, double *value, double *bound)
{
    const struct product *product = context;
    const void *operand[] = { product->typed[0], product->typed[1], product->typed[2] };
    product->problem.workload->expect(&product->problem, method_sums(NULL, product->problem.dtype), operand, index,
                                      value, bound);
}

static void exactly(const void *context, int64_t index, double *value, double *bound)
{
    truth_of(context, index, value, bound);
    *bound = 0;
}

static void truths_of(const void *context, int64_t first, int64_t count, double value[], double bound[])
{
    one_by_one(&(struct one_by_one){ truth_of, context }, first, count, value, bound);
}

static void sums_of(const void *context, int64_t begin, int64_t end, uint64_t sum[])
{
    const struct product *product = context;
    const void *operand[] = { product->typed[0], product->typed[1], product->typed[2] };
    product->problem.workload->projection->truth(&product->problem, operand, product->folded, begin, end, sum);
}

static bool by_lines(struct product *product, struct verification *verdict, struct error *err)
{
    const struct projection *projection = product->problem.workload->projection;
    const void *operand[] = { product->typed[0], product->typed[1], product->typed[2] };
    int64_t folds = product->problem.workload->sum_length(&product->problem), middle = folds / 3;
    projection->fold(&product->problem, operand, product->weight, 0, middle, product->folded);
    projection->fold(&product->problem, operand, product->weight, middle, folds, product->folded + middle);
    return verify_projection(verdict, product->typed[2], product->operand[2].dtype, &product->lines, sums_of, truths_of,
                             product, err);
}

static const struct {
    const char *workload, *shape;
} shapes[] = {
    { "matmul", "m=1,n=1,k=1" },
    { "matmul", "m=1,n=1,k=4099" },
    { "matmul", "m=1,n=101,k=7" },
    { "matmul", "m=103,n=1,k=7" },
    { "matmul", "m=67,n=131,k=53" },
    { "matmul", "m=3,n=2053,k=2" },
    { "conv", "n=1,c=1,h=1,w=1,k=1,r=1,s=1" },
    { "conv", "n=2,c=5,h=19,w=23,k=17,r=3,s=3,pad=1" },
    { "conv", "n=1,c=3,h=20,w=31,k=4,r=5,s=5,stride=2,pad=2" },
    { "conv", "n=1,c=2,h=9,w=33,k=7,r=1,s=7,pad=3" },
    { "conv", "n=1,c=2,h=33,w=9,k=7,r=7,s=2,stride=3" },
    { "conv", "n=1,c=1,h=3,w=4,k=3,r=2,s=2,stride=3,pad=5" }, /* most places touch nothing */
    { "conv", "n=2,c=1,h=2,w=2,k=2,r=5,s=4,pad=2" },          /* a filter larger than the image */
    { "conv", "n=3,c=2,h=50,w=51,k=3,r=1,s=1" },              /* more places than are summed up together */
    { "conv", "n=1,c=1,h=5,w=2100,k=2,r=3,s=3,stride=1,pad=1" },
};

Test(products, agree_with_what_scattering_gives)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (unsigned dtype = 0; dtype < DTYPE_COUNT; dtype++) {
            struct product product = product_make(shapes[i].workload, (enum dtype)dtype, shapes[i].shape);
            struct verification all, lines;
            struct error err = { .status = STATUS_OK };
            int64_t count = product.operand[2].count;
            cr_expect(verify_all(&all, product.typed[2], product.operand[2].dtype, count, exactly, &product, &err),
                      "%s by element: %s", shapes[i].shape, err.message);
            cr_expect(by_lines(&product, &lines, &err), "%s by lines: %s", shapes[i].shape, err.message);
            cr_expect(lines.checked == count && lines.of == count && !lines.weak && lines.largest_error == 0);
            cr_expect_eq(lines.smallest_error, all.smallest_error, "%s", shapes[i].shape);
            product_release(&product);
        }
    }
}

/* Each writes a wrong answer into a right one, and returns which element is the first wrong one along its line. */
static int64_t spoil_one(struct product *product, int64_t at, double value)
{
    element_put(product->typed[2], product->operand[2].dtype, at, value);
    return at;
}

static int64_t one_more(struct product *product)
{
    int64_t at = product->operand[2].count - 1;
    return spoil_one(product, at, product->array[2][at] + 1);
}

static int64_t one_less_in_front(struct product *product)
{
    return spoil_one(product, 0, product->array[2][0] - 1);
}

static int64_t a_half(struct product *product)
{
    int64_t at = product->operand[2].count / 2;
    return spoil_one(product, at, product->array[2][at] + 0.5);
}

static int64_t not_a_number(struct product *product)
{
    return spoil_one(product, product->operand[2].count / 3, NAN);
}

static int64_t infinite(struct product *product)
{
    return spoil_one(product, product->operand[2].count / 3, -INFINITY);
}

static int64_t absurd(struct product *product)
{
    return spoil_one(product, 5, 60000);
}

static int64_t unwritten(struct product *product)
{
    int64_t at = product->operand[2].count - 1;
    verify_poison((char *)product->typed[2] + (size_t)at * dtype_bytes(product->operand[2].dtype),
                  product->operand[2].dtype, 1);
    return at;
}

/* Two neighbours of one line, whose plain sum stays as it was. */
static int64_t two_that_cancel(struct product *product)
{
    int64_t at = product->lines.inner;
    spoil_one(product, at + product->lines.inner, product->array[2][at + product->lines.inner] - 1);
    return spoil_one(product, at, product->array[2][at] + 1);
}

/* Every element is there, in another place of its line: a sum of all of them would not show it. */
static int64_t reversed(struct product *product)
{
    int64_t length = product->lines.length, inner = product->lines.inner, first = -1;
    for (int64_t l = 0; l < length; l++) {
        double value = product->array[2][(length - 1 - l) * inner];
        spoil_one(product, l * inner, value);
        if (first < 0 && value != product->array[2][l * inner])
            first = l * inner;
    }
    return first;
}

static int64_t zeros(struct product *product)
{
    memset(product->typed[2], 0, (size_t)product->operand[2].count * dtype_bytes(product->operand[2].dtype));
    int64_t first = 0;
    while (product->array[2][first * product->lines.inner] == 0)
        first++;
    return first * product->lines.inner;
}

/* The result of an earlier run, on other operands. */
static int64_t stale(struct product *product)
{
    struct product other = *product;
    int64_t count = product->operand[2].count, first = 0;
    for (unsigned i = 0; i < 3; i++)
        other.array[i] = calloc((size_t)product->operand[i].count, sizeof(double));
    for (unsigned i = 0; i < 2; i++)
        random_fill(other.array[i], DTYPE_F64, 0, other.operand[i].count, SEED + 1, i, &(struct integers){ 3, 1 });
    bool is_matmul = strcmp(product->problem.workload->name, "matmul") == 0;
    (is_matmul ? scatter_matmul : scatter_conv)(product->problem.dim, other.array);
    for (int64_t i = 0; i < count; i++)
        element_put(product->typed[2], product->operand[2].dtype, i, other.array[2][i]);
    while (other.array[2][first * product->lines.inner] == product->array[2][first * product->lines.inner])
        first++;
    for (unsigned i = 0; i < 3; i++)
        free(other.array[i]);
    return first * product->lines.inner;
}

static const struct {
    const char *name;
    int64_t (*spoil)(struct product *product);
    const char *part; /* of the sentence */
    bool is_fraction; /* integers have none */
} faults[] = {
    { "one more", one_more, "should be ", false },
    { "one less", one_less_in_front, "should be ", false },
    { "a half", a_half, ".5, should be ", true },
    { "not a number", not_a_number, "is not a number, should be ", true },
    { "infinite", infinite, "is -inf, should be ", true },
    { "absurd", absurd, "should be ", false },
    { "unwritten", unwritten, "was never written, should be ", false },
    { "two that cancel", two_that_cancel, "should be ", false },
    { "reversed", reversed, "should be ", false },
    { "zeros", zeros, "is 0, should be ", false },
    { "stale", stale, "should be ", false },
};

static void check_faults(const char *workload, const char *shape, double slack, int64_t range)
{
    for (unsigned dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        struct product product = product_make(workload, (enum dtype)dtype, shape);
        product.lines.slack = slack;
        if (range)
            product_compute(&product, SEED, (struct integers){ range, 1 });
        for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
            if (faults[i].is_fraction && dtype_is_whole((enum dtype)dtype))
                continue;
            int64_t at = faults[i].spoil(&product);
            struct verification verdict;
            struct error err = { .status = STATUS_OK };
            char start[64];
            snprintf(start, sizeof start, "element %lld of %lld ", (long long)at, (long long)product.operand[2].count);
            cr_expect_not(by_lines(&product, &verdict, &err), "%s %s: %s", workload, shape, faults[i].name);
            cr_expect_eq(err.status, STATUS_WRONG, "%s: %s", faults[i].name, err.message);
            cr_expect_eq(strncmp(err.message, start, strlen(start)), 0, "%s: %s, not %s", faults[i].name, err.message,
                         start);
            cr_expect(strstr(err.message, faults[i].part), "%s: %s", faults[i].name, err.message);
            product_put(&product, 2);
        }
        product_release(&product);
    }
}

Test(products, of_matrices_with_a_fault_are_caught_and_the_element_named)
{
    check_faults("matmul", "m=61,n=127,k=33", 0, 0);
    check_faults("matmul", "m=7,n=5001,k=5", 0, 0);
}

Test(products, of_convolutions_with_a_fault_are_caught_and_the_element_named)
{
    check_faults("conv", "n=2,c=5,h=19,w=23,k=17,r=3,s=3,pad=1", 0, 0);
    check_faults("conv", "n=3,c=2,h=40,w=41,k=6,r=3,s=2,pad=0", 0, 0);
}

Test(products, of_fast_algorithms_with_a_fault_are_caught_and_the_element_named)
{
    check_faults("conv", "n=2,c=5,h=19,w=23,k=17,r=3,s=3,pad=1", 0.25, 1);
}

Test(products, transposed_is_wrong)
{
    struct product product = product_make("matmul", DTYPE_F32, "m=64,n=64,k=64");
    for (int64_t i = 0; i < 64; i++)
        for (int64_t j = 0; j < 64; j++)
            spoil_one(&product, i * 64 + j, product.array[2][j * 64 + i]);
    struct verification verdict;
    struct error err = { .status = STATUS_OK };
    cr_assert_not(by_lines(&product, &verdict, &err));
    cr_assert(strncmp(err.message, "element 1 of 4096 is ", 21) == 0, "%s", err.message);
    product_release(&product);
}

Test(products, a_row_that_belongs_elsewhere_is_wrong)
{
    struct product product = product_make("matmul", DTYPE_F32, "m=64,n=64,k=64");
    for (int64_t j = 0; j < 64; j++)
        spoil_one(&product, 17 * 64 + j, product.array[2][18 * 64 + j]);
    struct verification verdict;
    struct error err = { .status = STATUS_OK };
    cr_assert_not(by_lines(&product, &verdict, &err));
    cr_assert(strncmp(err.message, "element 1088 of 4096 is ", 24) == 0, "%s", err.message);
    product_release(&product);
}

/* Rounding forgives what is near a whole number, and says how much. */
Test(products, of_fast_algorithms_may_be_a_quarter_off_and_no_more)
{
    struct product product = product_make("conv", DTYPE_F32, "n=1,c=4,h=8,w=8,k=4,r=3,s=3,pad=1");
    product_compute(&product, SEED, (struct integers){ 1, 1 });
    product.lines.slack = 0.25;
    int64_t count = product.operand[2].count;
    struct verification verdict;
    struct error err = { .status = STATUS_OK };
    for (int64_t i = 0; i < count; i++)
        spoil_one(&product, i, product.array[2][i] + (i % 3 == 0 ? 0.25 : i % 3 == 1 ? -0.25 : 0.125));
    cr_assert(by_lines(&product, &verdict, &err), "%s", err.message);
    cr_expect(verdict.largest_error == 0.25 && !verdict.weak);
    cr_expect(verdict.smallest_error > 0.25 && verdict.smallest_error < 0.2501);
    spoil_one(&product, 7, product.array[2][7] - 0.2501);
    cr_assert_not(by_lines(&product, &verdict, &err));
    cr_assert(strncmp(err.message, "element 7 of 256 is ", 20) == 0, "%s", err.message);
    product_release(&product);
}

/* Operands rounded to ten bits, as a GPU's matrix units do by default. */
static float rounded_to_ten_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + 0x1000) & ~UINT32_C(0x1fff);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Largest error over its bound among the elements of a matmul in f32, summed up in order. */
static double error_over_bound(const char *shape, bool is_coarse)
{
    struct product product = product_make("matmul", DTYPE_F32, shape);
    const int64_t *dim = product.problem.dim, n = dim[1], k = dim[2];
    float *a = product.typed[0], *b = product.typed[1];
    random_fill(a, DTYPE_F32, 0, product.operand[0].count, SEED, 0, NULL);
    random_fill(b, DTYPE_F32, 0, product.operand[1].count, SEED, 1, NULL);
    double worst = 0;
    for (int64_t i = 0; i < product.operand[2].count; i++) {
        float sum = 0;
        for (int64_t l = 0; l < k; l++) {
            float x = a[i / n * k + l], y = b[l * n + i % n];
            sum += is_coarse ? rounded_to_ten_bits(x) * rounded_to_ten_bits(y) : x * y;
        }
        double value, bound;
        truth_of(&product, i, &value, &bound);
        worst = fmax(worst, fabs((double)sum - value) / bound);
    }
    product_release(&product);
    return worst;
}

Test(products, in_single_precision_are_within_their_bounds_and_coarser_ones_are_not)
{
    static const char *const terms[] = { "m=97,n=89,k=1",   "m=97,n=89,k=2",    "m=97,n=89,k=17",
                                         "m=97,n=89,k=100", "m=97,n=89,k=1000", "m=37,n=39,k=16000" };
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        cr_expect_lt(error_over_bound(terms[i], false), 0.7, "%s", terms[i]);
        cr_expect_gt(error_over_bound(terms[i], true), 1.5, "%s", terms[i]);
    }
}

/* The f64 operands of random checks use all their bits: a product of operands cut to f32 is seen, however exactly it is
 * summed up. */
Test(products, of_operands_cut_to_single_precision_are_no_double_ones)
{
    struct product product = product_make("matmul", DTYPE_F64, "m=31,n=29,k=1000");
    double *a = product.typed[0], *b = product.typed[1], *c = product.typed[2];
    for (unsigned i = 0; i < 2; i++)
        random_fill(product.typed[i], DTYPE_F64, 0, product.operand[i].count, SEED, i, NULL);
    for (unsigned is_cut = 0; is_cut < 2; is_cut++) {
        struct verification verdict;
        struct error err = { .status = STATUS_OK };
        for (int64_t i = 0; i < 31 * 29; i++) {
            c[i] = 0;
            for (int64_t l = 0; l < 1000; l++) {
                double x = a[i / 29 * 1000 + l], y = b[l * 29 + i % 29];
                c[i] += is_cut ? (double)(float)x * (double)(float)y : x * y;
            }
        }
        cr_expect_eq(verify_all(&verdict, c, DTYPE_F64, 31 * 29, truth_of, &product, &err), !is_cut, "%s", err.message);
    }
    product_release(&product);
}

/* What a conversion gives that leaves out the rounding: of the elements next to a value that nearer to zero. */
static void put_cut_off(void *array, enum dtype dtype, int64_t index, double value)
{
    element_put(array, dtype, index, value);
    if (fabs(element_at(array, dtype, index)) > fabs(value))
        ((uint16_t *)array)[index]--;
}

Test(products, in_half_precision_are_within_their_bounds_and_those_cut_off_are_not)
{
    static const struct {
        const char *workload, *shape;
    } rows[] = { { "matmul", "m=31,n=29,k=1" },
                 { "matmul", "m=31,n=29,k=100" },
                 { "matmul", "m=31,n=29,k=1000" },
                 { "matmul", "m=13,n=11,k=16000" },
                 { "conv", "n=1,c=16,h=14,w=14,k=8,r=3,s=3,pad=1" } };
    for (unsigned i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const enum dtype dtype = i % 2 ? DTYPE_BF16 : DTYPE_F16;
        struct product product = product_make(rows[i / 2].workload, dtype, rows[i / 2].shape);
        for (unsigned j = 0; j < 2; j++)
            random_fill(product.typed[j], dtype, 0, product.operand[j].count, SEED, j, NULL);
        for (unsigned is_cut = 0; is_cut < 2; is_cut++) {
            struct verification verdict;
            struct error err = { .status = STATUS_OK };
            for (int64_t e = 0; e < product.operand[2].count; e++) {
                double value, bound;
                truth_of(&product, e, &value, &bound);
                (is_cut ? put_cut_off : element_put)(product.typed[2], dtype, e, value);
            }
            cr_expect_eq(
                verify_all(&verdict, product.typed[2], dtype, product.operand[2].count, truth_of, &product, &err),
                !is_cut, "%s %s: %s", dtype_name(dtype), rows[i / 2].shape, err.message);
        }
        product_release(&product);
    }
}
