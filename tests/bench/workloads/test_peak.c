#include "bench/backends/registry.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"
#include "harness/measure/random.h"
#include "kernels/native.h"
#include "kernels/native_peak.h"
#include "tests/support/isa.h"
#include "tests/support/method_run.h"
#include "tests/support/one_truth.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The truth of the workload, and that a loop which computes less is caught. Right loops: test_native.c. */

enum { SEED = 11 };

static struct problem problem_of(enum dtype dtype, const char *shape)
{
    struct problem problem;
    struct error err = { .status = STATUS_OK };
    cr_assert(problem_parse(&problem, workload_find("peak"), dtype, shape, &err), "%s: %s", shape, err.message);
    return problem;
}

/* --- fills operands, runs slices, checks every element --- */

struct operands {
    struct problem problem;
    struct operand operand[OPERANDS_MAX];
    unsigned operands;
    void *array[OPERANDS_MAX];
};

static struct operands operands_make(enum dtype dtype, const char *shape, bool is_whole)
{
    struct operands set = { .problem = problem_of(dtype, shape) };
    const struct workload *workload = set.problem.workload;
    set.operands = workload->operands(&set.problem, set.operand);
    const struct integers integers = workload->exact(&set.problem);
    for (unsigned i = 0; i < set.operands; i++) {
        const struct operand *operand = &set.operand[i];
        const size_t bytes = (size_t)operand->count * dtype_bytes(dtype);
        set.array[i] = aligned_alloc(64, (bytes + 63) / 64 * 64);
        cr_assert(set.array[i]);
        if (operand->role == ROLE_OUTPUT)
            verify_poison(set.array[i], dtype, operand->count);
        else if (is_whole)
            random_fill(set.array[i], dtype, 0, operand->count, SEED, i, &integers);
        else
            random_fill(set.array[i], dtype, 0, operand->count, SEED, i, NULL);
    }
    return set;
}

static void operands_free(struct operands *set)
{
    for (unsigned i = 0; i < set->operands; i++)
        free(set->array[i]);
}

static void within(const void *context, int64_t index, double *value, double *bound)
{
    const struct operands *set = context;
    set->problem.workload->expect(&set->problem, method_sums(NULL, set->problem.dtype), (const void *const *)set->array,
                                  index, value, bound);
}

static void exactly(const void *context, int64_t index, double *value, double *bound)
{
    within(context, index, value, bound);
    *bound = 0;
}

static const struct operand *output_of(const struct operands *set)
{
    return &set->operand[set->operands - 1];
}

static bool is_right(const struct operands *set, bool is_whole, struct error *err)
{
    struct verification verdict;
    const unsigned last = set->operands - 1;
    const struct operand *output = output_of(set);
    return verify_all(&verdict, set->array[last], output->dtype, output->count, is_whole ? exactly : within, set, err);
}

static const struct native *native_of(void)
{
    return method_find(workload_find("peak"), "native")->native;
}

/* Three slices of different lengths, as three threads would have them. */
static void run_slices(const struct operands *set, native_slice *slice)
{
    const int64_t extent = native_extent(&native_of()->pass[0], &set->problem), cut = extent / 7,
                  other = extent - extent / 3;
    slice(set->array, set->problem.dim, 0, cut);
    slice(set->array, set->problem.dim, other, extent);
    slice(set->array, set->problem.dim, cut, other);
}

/* --- the truth of a chain, which is a formula, against the chain --- */

static double chain(enum dtype dtype, double x, double a, double b, int64_t turns, bool is_fused)
{
    for (int64_t i = 0; i < turns; i++) {
        if (dtype == DTYPE_F64)
            x = is_fused ? fma(x, a, b) : x * a + b;
        else
            x = is_fused ? fmaf((float)x, (float)a, (float)b) : (double)((float)x * (float)a + (float)b);
    }
    return x;
}

/* One chain by the workload's own words: a line of x, a and b each, of which the first counts. */
static void truth_of_chain(const struct problem *problem, double x, double a, double b, double *value, double *bound)
{
    double wide[3][8] = { { x }, { a }, { b } };
    float narrow[3][16] = { { (float)x }, { (float)a }, { (float)b } };
    const bool is_wide = problem->dtype == DTYPE_F64;
    const void *operand[OPERANDS_MAX] = { NULL };
    for (unsigned i = 0; i < 3; i++)
        operand[i] = is_wide ? (void *)wide[i] : (void *)narrow[i];
    problem->workload->expect(problem, method_sums(NULL, problem->dtype), operand, 0, value, bound);
}

static const double factors[] = { 1,         -1,         0,         0.5,         -0.5,      0.9,
                                  -0.9,      0.99,       -0.99,     0.999,       -0.999,    1 - 0x1p-10,
                                  -1 + 1e-4, 1 - 0x1p-8, 1 - 1e-12, 1 - 0x1p-23, -1 + 1e-7, 0x1p-20 };

static void check_chain(enum dtype dtype, double a, int64_t turns)
{
    char shape[SHAPE_MAX];
    snprintf(shape, sizeof shape, "kind=fma,bytes=1,turns=%lld", (long long)turns);
    const struct problem problem = problem_of(dtype, shape);
    if (dtype == DTYPE_F32)
        a = (float)a;
    for (unsigned i = 0; i < 20; i++) {
        const double x = random_uniform(dtype, SEED, 0, i), b = random_uniform(dtype, SEED, 1, i);
        double value, bound, largest = fabs(x) + fabs(b) / fmax(1 - fabs(a), 1.0 / (double)turns);
        truth_of_chain(&problem, x, a, b, &value, &bound);
        for (int is_fused = 0; is_fused < 2; is_fused++) {
            const double found = chain(dtype, x, a, b, turns, is_fused);
            cr_expect_leq(fabs(found - value), bound, "%s a=%.17g turns=%lld %s: %.17g, not %.17g +- %g",
                          dtype_name(dtype), a, (long long)turns, is_fused ? "fused" : "in two", found, value, bound);
        }
        cr_expect_leq(bound, (3 * (double)turns + 14) * dtype_roundoff(dtype) * largest + 1e-30,
                      "the bound proves little: %g beside %g", bound, largest);
    }
}

Test(peak, the_formula_of_a_chain_is_what_the_chain_gives)
{
    static const int64_t turns[] = { 1, 2, 3, 64, 1001, 2048 };
    for (enum dtype dtype = 0; dtype <= DTYPE_F64; dtype++)
        for (unsigned i = 0; i < sizeof factors / sizeof *factors; i++)
            for (unsigned k = 0; k < sizeof turns / sizeof *turns; k++)
                check_chain(dtype, factors[i], turns[k]);
}

/* --- planted: loops that do less --- */

/* What a whole-number pass makes of the outcome of `slice` on a problem that differs from the one that is checked. */
static bool is_caught(enum dtype dtype, const char *shape, const char *other)
{
    struct operands set = operands_make(dtype, shape, true);
    const struct problem less = problem_of(dtype, other);
    struct error err = { .status = STATUS_OK };
    isa_slice(&native_of()->pass[0], "baseline", dtype)(set.array, less.dim, 0,
                                                        native_extent(&native_of()->pass[0], &less));
    const bool caught = !is_right(&set, true, &err) && err.status == STATUS_WRONG;
    operands_free(&set);
    return caught;
}

Test(peak, a_chain_that_leaves_out_turns_is_caught)
{
    static const char shape[] = "kind=fma,bytes=20000,turns=2048";
    for (enum dtype dtype = 0; dtype <= DTYPE_F64; dtype++) {
        cr_expect_not(is_caught(dtype, shape, shape), "the right loop must pass");
        cr_expect(is_caught(dtype, shape, "kind=fma,bytes=20000,turns=1024"));
        cr_expect(is_caught(dtype, shape, "kind=fma,bytes=20000,turns=2046"));
        cr_expect(is_caught(dtype, shape, "kind=fma,bytes=20000,turns=2047"));
        cr_expect(is_caught(dtype, shape, "kind=fma,bytes=18000,turns=2048"), "a tile less");
    }
}

Test(peak, what_writes_less_than_all_is_caught)
{
    static const char *const kinds[] = { "read", "write", "copy", "triad" };
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char all[SHAPE_MAX], less[SHAPE_MAX];
        snprintf(all, sizeof all, "kind=%s,bytes=48000", kinds[i]);
        snprintf(less, sizeof less, "kind=%s,bytes=47952", kinds[i]); /* two elements of f64 in three arrays */
        cr_expect_not(is_caught(DTYPE_F64, all, all), "the right loop must pass: %s", all);
        cr_expect(is_caught(DTYPE_F64, all, less), "%s", all);
    }
}

/* Reads what the honest loop would if parts of the array were not there. */
static bool read_is_caught(enum dtype dtype, bool is_whole, int64_t from, int64_t step)
{
    struct operands set = operands_make(dtype, "kind=read,bytes=6000000", is_whole);
    const struct operand *array = &set.operand[0];
    const size_t element = dtype_bytes(dtype), bytes = (size_t)array->count * element;
    void *truth = set.array[0], *copy = aligned_alloc(64, (bytes + 63) / 64 * 64);
    struct error err = { .status = STATUS_OK };
    cr_assert(copy);
    memcpy(copy, truth, bytes);
    for (int64_t i = from; i < array->count; i += step)
        memset((char *)copy + (size_t)i * element, 0, element);
    set.array[0] = copy;
    run_slices(&set, isa_slice(&native_of()->pass[0], "baseline", dtype));
    set.array[0] = truth;
    const bool caught = !is_right(&set, is_whole, &err) && err.status == STATUS_WRONG;
    free(copy);
    operands_free(&set);
    return caught;
}

Test(peak, a_read_of_half_of_the_array_or_of_all_but_one_element_is_caught)
{
    for (enum dtype dtype = 0; dtype <= DTYPE_F64; dtype++)
        for (int is_whole = 0; is_whole < 2; is_whole++) {
            const int64_t n = 6000000 / (int64_t)dtype_bytes(dtype);
            cr_expect_not(read_is_caught(dtype, is_whole, n, 1), "a whole read must pass");
            cr_expect(read_is_caught(dtype, is_whole, n / 2, 1), "the second half");
            cr_expect(read_is_caught(dtype, is_whole, 0, 2), "every other element");
            cr_expect(read_is_caught(dtype, is_whole, n - 1, 1), "the last element");
            cr_expect(read_is_caught(dtype, is_whole, 12345, n), "one in the middle");
        }
}

/* The words of a CPU task for the problem, prepared for two threads. */
static void detail_of(const char *shape, char detail[DETAIL_MAX])
{
    struct method_run run;
    cr_assert(method_run_open(&run, "peak", "native", shape, &(struct method_terms){ .threads = 2 }), "%s",
              run.err.message);
    strcpy(detail, run.detail);
    method_run_close(&run);
}

Test(peak, streams_what_exceeds_the_caches_and_is_stored_once)
{
    char detail[DETAIL_MAX];
    if (parallel_threads() > 1) {
        detail_of("kind=triad,bytes=12Mi", detail);
        cr_expect(strstr(detail, ", 2 threads"), "%s", detail);
        detail_of("kind=triad,bytes=256Mi", detail);
        cr_expect(strstr(detail, NATIVE_STREAMING), "%s", detail);
        detail_of("kind=read,bytes=256Mi", detail);
        cr_expect(strstr(detail, "ordinary stores"), "%s", detail);
        detail_of("kind=triad,bytes=256Mi,passes=2", detail);
        cr_expect(strstr(detail, "ordinary stores"), "%s", detail);
        detail_of("kind=triad,bytes=96Ki,passes=4000", detail);
        cr_expect(strstr(detail, ", 2 threads") && strstr(detail, "ordinary stores"), "%s", detail);
    }
}

/* What is filled and checked does not grow with the bytes that a fast memory needs for a run of milliseconds. */
Test(peak, a_large_triad_is_several_rounds_over_a_gibibyte)
{
    const struct {
        const char *shape;
        double held, moved, groups;
    } cases[] = { { "kind=triad,bytes=1Gi", 1, 1, 1 },
                  { "kind=triad,bytes=8Gi", 1, 8, 8 },
                  { "kind=copy,bytes=8Gi", 8, 8, 8 } };
    const struct device gpu = { .class = CLASS_DGPU, .units = 132 };
    const struct workload *peak = workload_find("peak");
    const struct method *portable = peak->methods;
    while (!portable->portable)
        portable++;
    struct launch one;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct problem problem = problem_of(DTYPE_F32, cases[i].shape);
        struct launch launch;
        portable->portable->launch(&problem, &gpu, 0, i == 0 ? &one : &launch);
        const struct launch *made = i == 0 ? &one : &launch;
        cr_expect_float_eq(problem_bytes_held(&problem) / (1 << 30), cases[i].held, 1e-6, "%s", cases[i].shape);
        cr_expect_float_eq(peak->bytes(&problem) / (1 << 30), cases[i].moved, 1e-6, "%s", cases[i].shape);
        if (strstr(cases[i].shape, "triad"))
            cr_expect_eq(made->pass[0].items, (size_t)cases[i].groups * one.pass[0].items, "%s", cases[i].shape);
    }
}

/* --- before anything is computed: which shapes make sense, how many bytes they count, which limit they measure --- */

static void refuses(enum dtype dtype, const char *shape, const char *words)
{
    struct problem problem;
    struct error err = { .status = STATUS_OK };
    cr_assert_not(problem_parse(&problem, workload_find("peak"), dtype, shape, &err), "%s", shape);
    cr_expect_eq(err.status, STATUS_USAGE);
    cr_expect(strstr(err.message, words), "%s: %s", shape, err.message);
}

Test(peak, refuses_shapes_that_make_no_sense_and_says_why)
{
    refuses(DTYPE_F32, "bytes=1Mi", "kind=... is missing");
    refuses(DTYPE_F32, "kind=fma,bytes=1Mi", "turns=... is missing");
    refuses(DTYPE_F32, "kind=triad,bytes=1Mi,turns=8", "only kind=fma has turns");
    refuses(DTYPE_F32, "kind=sum,bytes=1Mi", "must be one of fma, read, write, copy, triad");
    refuses(DTYPE_F32, "kind=triad,bytes=8", "too small for one element of f32");
    refuses(DTYPE_F64, "kind=triad,bytes=16", "too small for one element of f64");
    refuses(DTYPE_F32, "kind=copy,bytes=1Mi,passes=0", "must be a whole number");
}

Test(peak, counts_the_bytes_that_its_loops_name_and_no_others)
{
    static const struct {
        const char *shape;
        double bytes, flops, held;
    } counts[] = {
        { "kind=read,bytes=1M", 1e6, 0, 17e6 / 16 + 256 },
        { "kind=write,bytes=1M", 1e6, 0, 1e6 + 64 },
        { "kind=copy,bytes=1M", 1e6, 0, 1e6 },
        { "kind=triad,bytes=1200K", 1200e3, 2e5, 1200e3 },
        { "kind=triad,bytes=1200K,passes=5", 6000e3, 1e6, 1200e3 },
        { "kind=fma,bytes=1664K,turns=10", 1664e3, 3.84e6, 1664e3 },
    };
    const struct workload *workload = workload_find("peak");
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        const struct problem problem = problem_of(DTYPE_F32, counts[i].shape);
        cr_expect_float_eq(workload->bytes(&problem), counts[i].bytes, 1e-6, "%s: %.0f", counts[i].shape,
                           workload->bytes(&problem));
        cr_expect_eq(workload->flops(&problem), counts[i].flops, "%s: %.0f", counts[i].shape,
                     workload->flops(&problem));
        cr_expect_leq(problem_bytes_held(&problem), counts[i].held, "%s: %.0f", counts[i].shape,
                      problem_bytes_held(&problem));
        cr_expect_geq(problem_bytes_held(&problem), counts[i].bytes / (double)problem.dim[PEAK_PASSES]);
        cr_expect_not(problem_moves(&problem));
    }
}

Test(peak, says_which_limit_it_measures)
{
    const struct workload *workload = workload_find("peak");
    struct problem problem = problem_of(DTYPE_F32, "kind=fma,bytes=1Mi,turns=8");
    cr_expect_eq(workload->roof(&problem), ROOF_FLOPS);
    problem = problem_of(DTYPE_F32, "kind=copy,bytes=1Mi");
    cr_expect_eq(workload->roof(&problem), ROOF_BANDWIDTH);
    for (enum roof_kind kind = 0; kind < ROOF_KINDS; kind++)
        cr_expect_eq(name_find(roof_names[kind], roof_names, ROOF_KINDS), kind);
    cr_expect_eq(name_find("no such thing", roof_names, ROOF_KINDS), ROOF_KINDS);
}

/* --- who does what --- */

Test(peak, only_the_cpu_itself_has_caches)
{
    const struct method *portable = method_find(workload_find("peak"), "portable");
    const struct device device = { .id = "opencl:0", .backend = "opencl" };
    struct error err = { .status = STATUS_OK };
    struct problem problem = problem_of(DTYPE_F32, "kind=copy,bytes=1Mi");
    cr_expect(portable->suits(&problem, &device, &err));
    problem = problem_of(DTYPE_F32, "kind=copy,bytes=1Mi,passes=2");
    cr_expect_not(portable->suits(&problem, &device, &err));
    cr_expect(err.status == STATUS_UNSUPPORTED && strstr(err.message, "opencl:0 takes passes=1"), "%s", err.message);
}

/* The guard-band check uses the kind of the measured problem. */
Test(peak, the_small_problem_is_of_the_same_kind)
{
    static const char *const like[] = { "kind=fma,bytes=1Mi,turns=512", "kind=read,bytes=1Mi",
                                        "kind=write,bytes=1Mi,passes=9" };
    const struct workload *workload = workload_find("peak");
    for (unsigned i = 0; i < sizeof like / sizeof *like; i++) {
        const struct problem problem = problem_of(DTYPE_F32, like[i]);
        struct problem small = problem_of(DTYPE_F32, workload->small), again;
        char shape[SHAPE_MAX];
        struct error err = { .status = STATUS_OK };
        workload->set_kind(&small, &problem);
        cr_expect_eq(small.dim[PEAK_KIND], problem.dim[PEAK_KIND]);
        cr_expect(problem_parse(&again, workload, DTYPE_F32, problem_shape(&small, shape), &err), "%s", err.message);
    }
}
