#include "bench/workloads/workload.h"
#include "harness/base/element.h"
#include "harness/measure/random.h"
#include "tests/support/bytes.h"
#include "tests/support/isa.h"
#include "tests/support/one_truth.h"
#include "tests/support/shapes.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each version of a slice by itself, whichever of them the CPU backend would choose here. */

enum { SEED = 5, GUARD = 256 };

struct version {
    const char *isa;
    native_slice *slice;
};

static struct version version_of(const struct native_pass *pass, const char *isa, enum dtype dtype)
{
    return (struct version){ isa, isa_slice(pass, isa, dtype) };
}

struct truth {
    const struct problem *problem;
    const void *operand[OPERANDS_MAX + 1];
    int64_t begin; /* elements of all outputs before the first that is compared */
};

static void within(const void *context, int64_t index, double *value, double *bound)
{
    const struct truth *truth = context;
    truth->problem->workload->expect(truth->problem, method_sums(NULL, truth->problem->dtype), truth->operand,
                                     index + truth->begin, value, bound);
}

static void exact(const void *context, int64_t index, double *value, double *bound)
{
    within(context, index, value, bound);
    *bound = 0;
}

static bool is_poison(const char *element, enum dtype dtype)
{
    char poison[8];
    verify_poison(poison, dtype, 1);
    return memcmp(element, poison, dtype_bytes(dtype)) == 0;
}

/* Elements [begin, end) of those of the problem, with the operands `shift` elements off a cache line. */
static void check_slice(const struct version *version, const struct problem *problem, int64_t begin, int64_t end,
                        int64_t shift)
{
    const enum dtype dtype = problem->dtype;
    struct truth truth = { .problem = problem, .begin = begin };
    struct operand wanted[OPERANDS_MAX];
    const unsigned operands = problem->workload->operands(problem, wanted), last = operands - 1;
    const int64_t count = wanted[last].count;
    size_t size = dtype_bytes(dtype), bytes = (size_t)count * size;
    char *memory[OPERANDS_MAX];
    void *operand[OPERANDS_MAX];
    const struct integers integers = problem->workload->exact(problem);
    for (unsigned i = 0; i < operands; i++) {
        memory[i] = aligned_alloc(NATIVE_LINE, (bytes + 3 * GUARD) / NATIVE_LINE * NATIVE_LINE);
        cr_assert(memory[i]);
        truth.operand[i] = operand[i] = memory[i] + GUARD + (size_t)shift * size;
        verify_guard_write((char *)operand[i] - GUARD, GUARD, SEED);
        verify_guard_write((char *)operand[i] + bytes, GUARD / 2, SEED);
        if (i < last)
            random_fill(operand[i], dtype, 0, count, SEED, i, &integers);
        else
            verify_poison(operand[i], dtype, count);
    }

    version->slice(operand, problem->dim, begin, end);

    struct verification verdict;
    struct error err = { .status = STATUS_OK };
    char *result = operand[last];
    cr_assert(verify_all(&verdict, result + (size_t)begin * size, dtype, end - begin, exact, &truth, &err),
              "%s %s, [%lld, %lld) of %lld, %lld off a line: %s", version->isa, dtype_name(dtype), (long long)begin,
              (long long)end, (long long)count, (long long)shift, err.message);
    for (int64_t i = 0; i < count; i++)
        cr_assert((i >= begin && i < end) || is_poison(result + (size_t)i * size, dtype),
                  "%s wrote element %lld outside its slice", version->isa, (long long)i);
    for (unsigned i = 0; i < operands; i++) {
        cr_assert(verify_guard_read((char *)operand[i] - GUARD, GUARD, SEED, "before", &err), "%s", err.message);
        cr_assert(verify_guard_read((char *)operand[i] + bytes, GUARD / 2, SEED, "after", &err), "%s", err.message);
        free(memory[i]);
    }
}

/* A problem of so many elements of a workload that goes element by element; false for any other workload. */
static bool elementwise_problem(struct problem *out, const struct workload *workload, enum dtype dtype, int64_t count)
{
    const struct native *native = method_find(workload, "native")->native;
    struct operand operand[OPERANDS_MAX];
    char shape[SHAPE_MAX];
    snprintf(shape, sizeof shape, "%s=%lld", workload->dims[0].name, (long long)count);
    if (native->passes != 1 || !problem_parse(out, workload, dtype, shape, NULL) ||
        native_extent(&native->pass[0], out) != count)
        return false;
    const unsigned operands = workload->operands(out, operand);
    for (unsigned i = 0; i < operands; i++)
        if (operand[i].count != count)
            return false;
    return true;
}

/* Slices shorter than a line, and every head and tail around whole ones. */
static void check_stores(const struct workload *workload, const struct native *native, const char *isa)
{
    for (unsigned i = 0; i < DTYPE_COUNT; i++) {
        const enum dtype dtype = (enum dtype)i;
        struct problem of_1, of_10, of_400, problem;
        if (!(workload->dtypes & 1u << dtype) || !elementwise_problem(&of_400, workload, dtype, 400) ||
            !elementwise_problem(&of_10, workload, dtype, 10) || !elementwise_problem(&of_1, workload, dtype, 1))
            continue;
        struct version version = version_of(&native->pass[0], isa, dtype);
        cr_assert(version.slice, "%s says that it computes in %s, and has no %s version", workload->name,
                  dtype_name(dtype), isa);
        for (int64_t odd = 0; odd < 34; odd++) {
            cr_assert(elementwise_problem(&problem, workload, dtype, 40 + odd));
            check_slice(&version, &problem, odd, 40, odd % 8);
            check_slice(&version, &of_400, odd, 400 - odd % 5, odd % 8);
        }
        check_slice(&version, &of_10, 4, 4, 0);
        check_slice(&version, &of_1, 0, 1, 3);
    }
}

/* The workload's own plain C; NULL where it has none, or that of a workload before it. */
static const struct native *native_of(const struct workload *const *workload)
{
    const struct method *method = method_find(*workload, "native");
    for (const struct workload *const *before = workloads; method && before < workload; before++)
        if (method_find(*before, "native") && method_find(*before, "native")->native == method->native)
            return NULL;
    return method ? method->native : NULL;
}

static void check_isa(const char *isa)
{
    unsigned checked = 0;
    for (const struct workload *const *workload = workloads; *workload; workload++) {
        const struct native *native = native_of(workload);
        struct problem problem;
        if (!native || !elementwise_problem(&problem, *workload, DTYPE_F32, 400))
            continue;
        check_stores(*workload, native, isa);
        if (native->streaming)
            check_stores(*workload, native->streaming, isa);
        checked++;
    }
    cr_expect_gt(checked, 0, "multiply goes element by element");
}

/* Those that the processor runs; the baseline runs everywhere. VNNI has products of bytes alone. */
static void for_each_isa(void (*check)(const char *isa), bool has_vnni)
{
    static const char *const isas[] = { "baseline", "avx2", "avx512", "vnni" };
    for (unsigned i = 0; i < (has_vnni ? 4 : 3); i++)
        if (isa_runs(isas[i]))
            check(isas[i]);
}

Test(native, slices_are_exact_and_stay_in_their_place)
{
    for_each_isa(check_isa, false);
}

/* --- every workload that has plain C --- */

/* One array with a guard band before and after it. */
struct array {
    char *memory;
    size_t bytes;
};

static struct array array_make(size_t bytes, enum dtype dtype)
{
    struct array array = { .bytes = bytes };
    array.memory = aligned_alloc(NATIVE_LINE, (array.bytes + 3 * GUARD) / NATIVE_LINE * NATIVE_LINE);
    cr_assert(array.memory);
    verify_guard_write(array.memory, GUARD, SEED);
    verify_guard_write(array.memory + GUARD + array.bytes, GUARD, SEED);
    verify_poison(array.memory + GUARD, dtype, (int64_t)(bytes / dtype_bytes(dtype)));
    return array;
}

static void array_check(const struct array *array, const char *whose)
{
    struct error err = { .status = STATUS_OK };
    cr_expect(verify_guard_read(array->memory, GUARD, SEED, "before", &err), "%s: %s", whose, err.message);
    cr_expect(verify_guard_read(array->memory + GUARD + array->bytes, GUARD, SEED, "after", &err), "%s: %s", whose,
              err.message);
    free(array->memory);
}

/* Every pass in as many slices as there are `parts`, the last first: no slice may need another of its pass. */
static void run_passes(const struct native *native, const char *isa, const struct problem *problem,
                       void *const operand[], int64_t parts)
{
    for (unsigned i = 0; i < native->passes; i++) {
        const struct native_pass *pass = &native->pass[i];
        const struct version version = version_of(pass, isa, problem->dtype);
        const int64_t extent = native_extent(pass, problem), grains = (extent + pass->grain - 1) / pass->grain;
        for (int64_t part = parts; part-- > 0;) {
            const int64_t begin = grains * part / parts * pass->grain, end = grains * (part + 1) / parts * pass->grain;
            version.slice(operand, problem->dim, begin, end < extent ? end : extent);
        }
    }
}

static void fill_bits(void *array, size_t bytes, uint64_t stream)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)array)[i] = (unsigned char)random_bits(SEED, stream, i);
}

/* Random operands are numbers that the program has, of i8 all that there are, with most of them extreme. */
static void check_problem(const struct native *native, const char *isa, const struct problem *problem, bool is_whole,
                          int64_t parts)
{
    struct operand wanted[OPERANDS_MAX];
    const unsigned operands = problem->workload->operands(problem, wanted);
    int64_t bytes[SCRATCH_MAX] = { 0 };
    struct array array[OPERANDS_MAX + SCRATCH_MAX];
    void *data[OPERANDS_MAX + SCRATCH_MAX];
    char shape[SHAPE_MAX], name[SHAPE_MAX + 48];
    if (native->scratch)
        native->scratch(problem, bytes);
    unsigned arrays = operands;
    while (arrays - operands < SCRATCH_MAX && bytes[arrays - operands] > 0)
        arrays++;
    snprintf(name, sizeof name, "%s %s %s %s", isa, is_whole ? "whole" : "random", dtype_name(problem->dtype),
             problem_shape(problem, shape));
    struct truth truth = { .problem = problem };
    const struct integers all = problem->workload->exact(problem);
    for (unsigned i = 0; i < arrays; i++) {
        const struct integers integers = problem_integers(problem, i, &all);
        const struct operand *own = &wanted[i < operands ? i : 0];
        array[i] = i < operands ? array_make((size_t)own->count * dtype_bytes(own->dtype), own->dtype)
                                : array_make((size_t)bytes[i - operands], dtype_sums(problem->dtype));
        data[i] = array[i].memory + GUARD;
        if (i >= operands)
            continue;
        truth.operand[i] = data[i];
        if (wanted[i].role == ROLE_INPUT && is_whole)
            random_fill(data[i], problem->dtype, 0, wanted[i].count, SEED, i, &integers);
        else if (wanted[i].role == ROLE_INPUT && problem->dtype == DTYPE_I8)
            fill_extremes(data[i], wanted[i].count, SEED, i);
        else if (wanted[i].role == ROLE_INPUT)
            random_fill(data[i], problem->dtype, 0, wanted[i].count, SEED, i, NULL);
    }

    run_passes(native, isa, problem, data, parts);

    double *intermediate = malloc((size_t)problem_intermediate_bytes(problem) + 1);
    cr_assert(intermediate);
    if (problem->workload->intermediate)
        problem->workload->intermediate(problem, method_sums(NULL, problem->dtype), truth.operand, intermediate);
    truth.operand[operands] = intermediate;
    for (unsigned i = 0; i < operands; i++) {
        struct verification verdict;
        struct error err = { .status = STATUS_OK };
        if (wanted[i].role == ROLE_INPUT)
            continue;
        cr_expect(
            verify_all(&verdict, data[i], wanted[i].dtype, wanted[i].count, is_whole ? exact : within, &truth, &err),
            "%s, %s: %s", name, wanted[i].name, err.message);
        truth.begin += wanted[i].count;
    }
    free(intermediate);
    for (unsigned i = 0; i < arrays; i++)
        array_check(&array[i], name);
}

static void check_shapes(const struct workload *workload, const struct native *native, const char *isa,
                         const char *const shapes[])
{
    for (unsigned dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        if (!(workload->dtypes & 1u << dtype) || (strcmp(isa, "vnni") == 0 && dtype != DTYPE_I8))
            continue;
        cr_assert(version_of(&native->pass[0], isa, (enum dtype)dtype).slice,
                  "%s says that it computes in %s, and has no %s version", workload->name,
                  dtype_name((enum dtype)dtype), isa);
        for (const char *const *shape = shapes; *shape; shape++) {
            const struct method *method = method_find(workload, "native");
            struct problem problem;
            struct error err = { .status = STATUS_OK };
            cr_assert(problem_parse(&problem, workload, (enum dtype)dtype, *shape, &err), "%s", err.message);
            if (method->is_for && !method->is_for(&problem))
                continue;
            check_problem(native, isa, &problem, true, 3);
            check_problem(native, isa, &problem, false, 1);
        }
    }
}

/* Beside the shapes that all methods are tried at: around the tiles and blocks of the plain C, and what it sums up at
 * once. */
static const char *const products[] = {
    "m=1,n=1,k=1",       "m=8,n=48,k=16",
    "m=7,n=47,k=3",      "m=9,n=49,k=17",
    "m=1,n=300,k=5",     "m=300,n=1,k=70",
    "m=128,n=192,k=384", "m=3,n=5,k=1000",
    "m=129,n=193,k=385", "m=131,n=389,k=192",
    "m=67,n=131,k=2049", "m=25,n=24,k=1",
    "m=260,n=97,k=53",   NULL,
};

/* Lines shorter and longer than a tile, strides that skip and that leave out elements, filters as large as the image,
 * and padding without image. */
static const char *const convolutions[] = {
    "n=1,c=1,h=1,w=1,k=1,r=1,s=1",
    "n=2,c=5,h=19,w=23,k=17,r=3,s=3,stride=1,pad=1",
    "n=3,c=2,h=7,w=7,k=9,r=3,s=3,pad=1",
    "n=1,c=3,h=33,w=61,k=70,r=5,s=5,stride=2,pad=2",
    "n=2,c=3,h=16,w=31,k=8,r=1,s=1,stride=2",
    "n=1,c=4,h=10,w=100,k=65,r=1,s=1",
    "n=2,c=3,h=20,w=17,k=3,r=4,s=2,stride=3,pad=1",
    "n=1,c=2,h=9,w=230,k=5,r=2,s=7,stride=4,pad=5",
    "n=1,c=2,h=5,w=6,k=11,r=5,s=6",
    "n=2,c=1,h=2,w=1,k=2,r=2,s=3,stride=5,pad=6",
    "n=1,c=33,h=12,w=53,k=8,r=3,s=3",
    NULL,
};

static void check_all_shapes(const char *isa)
{
    for (const struct workload *const *workload = workloads; *workload; workload++) {
        const struct native *native = native_of(workload);
        if (!native)
            continue;
        check_shapes(*workload, native, isa, tried_shapes(*workload));
        if (native->streaming)
            check_shapes(*workload, native->streaming, isa, tried_shapes(*workload));
    }
    const struct workload *matmul = workload_find("matmul"), *conv = workload_find("conv");
    check_shapes(matmul, method_find(matmul, "native")->native, isa, products);
    check_shapes(conv, method_find(conv, "native")->native, isa, convolutions);
}

Test(native, passes_of_every_workload_are_exact_and_stay_in_their_place)
{
    for_each_isa(check_all_shapes, true);
}

/* --- what is written of a number that the type does not have --- */

/* By the definition: a product is taken in the type that sums are kept in, and then rounded to nearest. */
static void expect_product(void *to, enum dtype dtype, double a, double b)
{
    const enum dtype sums = dtype_sums(dtype);
    double product;
    element_put(&product, sums, 0, a * b);
    element_put(to, dtype_result(dtype), 0, element_at(&product, sums, 0));
}

/* What is no number may be any; a zero that was added to another may have lost its sign. */
static bool is_same(const void *one, const void *other, enum dtype dtype, bool has_sign)
{
    const double x = element_at(one, dtype, 0), y = element_at(other, dtype, 0);
    return (isnan(x) && isnan(y)) || (x == y && (!has_sign || !signbit(x) == !signbit(y)));
}

/* Every element of the output is the product of one of each operand, which `places` names. Operands are random bits, so
 * that a third of the products is subnormal, too large, or no number, and half of the rest is about as near to one
 * element as to the next. */
static void check_rounding(const struct native *native, const char *isa, const struct problem *problem,
                           void (*places)(const struct problem *problem, int64_t index, int64_t place[2]))
{
    const enum dtype dtype = problem->dtype, of_result = dtype_result(dtype);
    struct operand wanted[OPERANDS_MAX];
    const unsigned operands = problem->workload->operands(problem, wanted);
    int64_t bytes[SCRATCH_MAX] = { 0 }, place[2], wrong = 0;
    void *data[OPERANDS_MAX + SCRATCH_MAX];
    if (native->scratch)
        native->scratch(problem, bytes);
    for (unsigned i = 0; i < OPERANDS_MAX + SCRATCH_MAX; i++) {
        const size_t own = i < operands ? (size_t)wanted[i].count * dtype_bytes(wanted[i].dtype) : 0;
        const size_t all = i < operands ? own : i < operands + SCRATCH_MAX ? (size_t)bytes[i - operands] : 0;
        data[i] = aligned_alloc(NATIVE_LINE, (all / NATIVE_LINE + 1) * NATIVE_LINE);
        cr_assert(data[i]);
        fill_bits(data[i], own, i);
    }
    run_passes(native, isa, problem, data, 2);
    for (int64_t i = 0; i < wanted[2].count; i++) {
        double expected; /* room for an element of any type */
        const char *result = (char *)data[2] + (size_t)i * dtype_bytes(of_result);
        places(problem, i, place);
        const double a = element_at(data[0], dtype, place[0]), b = element_at(data[1], dtype, place[1]);
        expect_product(&expected, dtype, a, b);
        if (!is_same(result, &expected, of_result, !native->scratch) && wrong++ == 0)
            cr_expect(false, "%s %s %s: %a * %a is %a, not %a", isa, problem->workload->name, dtype_name(dtype), a, b,
                      element_at(&expected, of_result, 0), element_at(result, of_result, 0));
    }
    cr_expect_eq(wrong, 0, "%s %s %s: %lld of %lld wrong", isa, problem->workload->name, dtype_name(dtype),
                 (long long)wrong, (long long)wanted[2].count);
    for (unsigned i = 0; i < OPERANDS_MAX + SCRATCH_MAX; i++)
        free(data[i]);
}

static void places_multiply(const struct problem *problem, int64_t index, int64_t place[2])
{
    place[0] = place[1] = index;
}

static void places_matmul(const struct problem *problem, int64_t index, int64_t place[2])
{
    place[0] = index / problem->dim[1];
    place[1] = index % problem->dim[1];
}

/* One image of one channel, filters of one element: 12 x 13 places. */
static void places_conv(const struct problem *problem, int64_t index, int64_t place[2])
{
    place[0] = index % (12 * 13);
    place[1] = index / (12 * 13);
}

static void check_roundings(const char *isa)
{
    static const struct {
        const char *workload, *shape;
        void (*places)(const struct problem *problem, int64_t index, int64_t place[2]);
    } rows[] = { { "multiply", "n=300007", places_multiply },
                 { "matmul", "m=261,n=403,k=1", places_matmul },
                 { "conv", "n=1,c=1,h=12,w=13,k=517,r=1,s=1", places_conv } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct workload *workload = workload_find(rows[i].workload);
        const struct native *native = method_find(workload, "native")->native;
        for (unsigned dtype = 0; dtype < DTYPE_COUNT; dtype++) {
            struct problem problem;
            struct error err = { .status = STATUS_OK };
            if (!(workload->dtypes & 1u << dtype) || (strcmp(isa, "vnni") == 0 && dtype != DTYPE_I8))
                continue;
            cr_assert(problem_parse(&problem, workload, (enum dtype)dtype, rows[i].shape, &err), "%s", err.message);
            if (!version_of(&native->pass[0], isa, (enum dtype)dtype).slice)
                return; /* it was built without */
            check_rounding(native, isa, &problem, rows[i].places);
            if (native->streaming)
                check_rounding(native->streaming, isa, &problem, rows[i].places);
        }
    }
}

/* Of VNNI bytes of any bits. */
Test(native, rounds_to_nearest_and_keeps_what_is_no_number)
{
    for_each_isa(check_roundings, true);
}
