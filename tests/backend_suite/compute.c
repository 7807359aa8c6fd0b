#include "tests/backend_suite/trial.h"

#include "harness/base/clock.h"
#include "tests/support/shapes.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the memory asked for, or in pageable memory where the device has no such. */
static void check_trial(struct bed *bed, struct trial trial)
{
    struct error err = { .status = STATUS_OK };
    char shape[SHAPE_MAX];
    bool ok = trial_run(bed, &trial, &err);
    if (trial.has_no_memory) {
        trial.memory = MEMORY_PAGEABLE;
        ok = trial_run(bed, &trial, &err) && !trial.has_no_memory;
    }
    if (!ok && trial.kernel_shape > 0 && err.status == STATUS_UNSUPPORTED)
        return; /* it may be beyond the device; the first may not */
    if (was_tried(bed, &trial, ok, &err))
        cr_expect(ok, "%s %s %s %s in %s memory, kernel shape %u: %s", trial.problem.workload->name, trial.method->name,
                  dtype_name(trial.problem.dtype), problem_shape(&trial.problem, shape), memory_names[trial.memory],
                  trial.kernel_shape, err.message);
}

/* What is asked of every shape: the operands, and the memory that they are in. */
struct demand {
    bool is_exact, in_every_memory;
    size_t margin;
};

/* To a kernel text a tf32 is an f32, so that one shape does; and f64 needs few. */
static const char *shape_for(const struct workload *workload, const struct method *method, enum dtype dtype, unsigned i)
{
    const struct tried *row = tried_row(workload);
    if (!method->portable || dtype == DTYPE_F32)
        return row->shape[i];
    if (dtype == DTYPE_TF32)
        return i == 0 ? row->shape[0] : NULL;
    return (row->few[0] ? row->few : row->shape)[i];
}

/* Whether it has no more operations than SUITE_LARGEST. A copy counts as the operations that its bytes allow. */
static bool is_small_enough(const struct problem *problem)
{
    const char *largest = getenv("SUITE_LARGEST");
    const struct workload *workload = problem->workload;
    return !largest || fmax(workload->flops(problem), workload->bytes(problem) / 12) <= strtod(largest, NULL);
}

/* Whether SUITE_SCRATCH excludes the method, at least for this problem. */
static bool is_excluded(const struct bed *bed, const struct method *method, const struct problem *problem)
{
    struct launch launch;
    if (!getenv("SUITE_SCRATCH") || !method->portable)
        return false;
    method->portable->launch(problem, &bed->device, 0, &launch);
    return launch.scratch[0] > 0;
}

static void check_shapes(struct bed *bed, const struct workload *workload, const struct method *method,
                         enum dtype dtype, const struct demand *demand)
{
    const char *shape;
    unsigned too_large = 0, small_enough = 0;
    for (unsigned i = 0; (shape = shape_for(workload, method, dtype, i)); i++) {
        struct trial trial = { .problem = problem_of(workload, dtype, shape),
                               .method = method,
                               .memory = demand->in_every_memory ? (enum memory)(i % MEMORY_COUNT) : MEMORY_PAGEABLE,
                               .margin = demand->margin };
        if (demand->is_exact)
            trial.integers = workload->exact(&trial.problem);
        if (demand->is_exact && method->is_fast)
            trial.integers.range = 1;
        if (!method_is_for(method, &trial.problem) || is_excluded(bed, method, &trial.problem))
            continue;
        if (!is_small_enough(&trial.problem)) {
            too_large++;
            continue;
        }
        small_enough++;
        if (!method->suits || method->suits(&trial.problem, &bed->device, NULL))
            check_trial(bed, trial);
    }
    cr_expect(too_large == 0 || small_enough > 0 || dtype == DTYPE_TF32,
              "%s %s %s is not tested here: all of its shapes have more than %s operations; add a smaller one",
              workload->name, method->name, dtype_name(dtype), getenv("SUITE_LARGEST"));
}

static void check_exact(struct bed *bed, const struct workload *workload, const struct method *method, enum dtype dtype)
{
    check_shapes(bed, workload, method, dtype, &(struct demand){ .is_exact = true });
}

Test(backend, computes_whole_numbers_exactly)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_exact);
    bed_close(&bed);
}

/* Of the kernel shapes after the first: each is compiled anew for a problem, which takes long. So they get the last
 * two problems that are small enough in f32, and one in f64, f16 and i8. In a simulator one in f32, f16 and i8. */
static void check_kernel_shapes(struct bed *bed, const struct workload *workload, const struct method *method,
                                enum dtype dtype)
{
    char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX];
    const bool is_simulated = getenv("SUITE_LARGEST") != NULL;
    const bool has_one = dtype == DTYPE_F16 || dtype == DTYPE_I8 || (dtype == DTYPE_F64 && !is_simulated);
    unsigned problems = dtype == DTYPE_F32 ? (is_simulated ? 1 : 2) : has_one, count = 0;
    while (method->portable && problems > 0 && shape_for(workload, method, dtype, count))
        count++;
    while (count-- > 0 && problems > 0) {
        struct trial trial = { .problem = problem_of(workload, dtype, shape_for(workload, method, dtype, count)),
                               .method = method,
                               .memory = MEMORY_PAGEABLE };
        const struct problem *problem = &trial.problem;
        trial.integers = workload->exact(problem);
        if (!method_is_for(method, problem) || !is_small_enough(problem) || is_excluded(bed, method, problem) ||
            (method->suits && !method->suits(problem, &bed->device, NULL)))
            continue;
        const unsigned shapes =
            bed->backend->kernel_shapes ? bed->backend->kernel_shapes(bed->session, problem, method, name) : 0;
        problems--;
        for (trial.kernel_shape = 1; trial.kernel_shape < shapes; trial.kernel_shape++)
            check_trial(bed, trial);
    }
}

Test(backend, computes_with_every_kernel_shape)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_kernel_shapes);
    bed_close(&bed);
}

static unsigned times_in(char names[][KERNEL_SHAPE_MAX], unsigned count, const char *name)
{
    unsigned times = 0;
    for (unsigned i = 0; i < count; i++)
        times += strcmp(names[i], name) == 0;
    return times;
}

/* Which shapes there are, and which is the first, depends on the size; but the small problem, at which each is checked
 * for what lies around its operands, has all of them, and none is there twice. */
static void check_names(struct bed *bed, const struct workload *workload, const struct method *method, enum dtype dtype)
{
    char all[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX], some[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX];
    const char *const *shapes = tried_shapes(workload);
    bed->tried++;
    if (!bed->backend->kernel_shapes || !workload->small)
        return;
    for (unsigned i = 0; shapes[i]; i++) {
        const struct problem problem = problem_of(workload, dtype, shapes[i]);
        struct problem small = problem_of(workload, dtype, workload->small);
        if (workload->set_kind)
            workload->set_kind(&small, &problem);
        if (!method_is_for(method, &problem))
            continue;
        const unsigned count = bed->backend->kernel_shapes(bed->session, &small, method, all);
        const unsigned here = bed->backend->kernel_shapes(bed->session, &problem, method, some);
        cr_assert_leq(count, KERNEL_SHAPES_MAX);
        cr_assert(here <= count && (here > 0) == (count > 0), "%s %s", workload->name, shapes[i]);
        for (unsigned k = 0; k < here; k++) {
            cr_expect_lt(strlen(some[k]), KERNEL_SHAPE_MAX - 1, "%s is cut off, perhaps", some[k]);
            cr_expect_eq(times_in(all, count, some[k]), 1, "%s %s has '%s', the small problem has it %u times",
                         workload->name, shapes[i], some[k], times_in(all, count, some[k]));
            cr_expect_eq(times_in(some, here, some[k]), 1, "%s %s: '%s' is there more than once", workload->name,
                         shapes[i], some[k]);
        }
    }
}

Test(backend, has_every_kernel_shape_for_the_small_problem)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_names);
    bed_close(&bed);
}

static void check_uniform(struct bed *bed, const struct workload *workload, const struct method *method,
                          enum dtype dtype)
{
    check_shapes(bed, workload, method, dtype, &(struct demand){ .in_every_memory = true });
}

Test(backend, computes_random_operands_within_the_bound_in_every_kind_of_memory)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_uniform);
    bed_close(&bed);
}

/* A sum may be too long for a device, which then refuses it, as llvmpipe must: it leaves long loops early. */
static void check_long(struct bed *bed, const struct workload *workload, const struct method *method, enum dtype dtype)
{
    static const struct {
        const char *workload, *shape;
        bool may_be_refused;
    } sums[] = {
        { "matmul", "m=2,n=3,k=40001", false },
        { "matmul", "m=2,n=3,k=49999", true },
        { "matmul", "m=3,n=2,k=65540", true },
        { "matmul", "m=3,n=1,k=65540", true },
        { "matmul", "m=1,n=16,k=65540", true },
        { "conv", "n=1,c=40001,h=2,w=1,k=3,r=1,s=1", false },
        { "conv", "n=1,c=6553,h=3,w=3,k=2,r=3,s=3,pad=1", true },
        { "conv", "n=1,c=65540,h=2,w=1,k=3,r=1,s=1", true },
    };
    const bool is_as_f32 = method->portable && dtype_sums(dtype) != dtype; /* the same loops */
    for (size_t i = 0; i < sizeof sums / sizeof *sums && !is_as_f32; i++) {
        if (strcmp(sums[i].workload, workload->name) != 0)
            continue;
        struct error err = { .status = STATUS_OK };
        struct trial trial = { .problem = problem_of(workload, dtype, sums[i].shape),
                               .method = method,
                               .memory = MEMORY_PAGEABLE };
        if (!method_is_for(method, &trial.problem))
            continue;
        trial.integers = workload->exact(&trial.problem);
        bool ok = trial_run(bed, &trial, &err);
        if (was_tried(bed, &trial, ok, &err))
            cr_expect(ok || (sums[i].may_be_refused && err.status == STATUS_UNSUPPORTED), "%s %s %s: %s", method->name,
                      dtype_name(dtype), sums[i].shape, err.message);
    }
}

Test(backend, computes_long_sums_or_refuses_them)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_long);
    bed_close(&bed);
}

static void check_window(struct bed *bed, const struct workload *workload, const struct method *method,
                         enum dtype dtype)
{
    check_shapes(bed, workload, method, dtype, &(struct demand){ .in_every_memory = true, .margin = GUARD_BYTES });
}

Test(backend, leaves_what_lies_around_its_operands_alone)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_window);
    bed_close(&bed);
}

/* The problem of that shape, or of the first one that the method is for. */
static struct problem problem_for(const struct workload *workload, const struct method *method, enum dtype dtype,
                                  const char *shape)
{
    struct problem problem = problem_of(workload, dtype, shape);
    for (unsigned i = 0; !method_is_for(method, &problem) && (shape = tried_shapes(workload)[i]); i++)
        problem = problem_of(workload, dtype, shape);
    return problem;
}

static void check_plant(struct bed *bed, const struct workload *workload, const struct method *method, enum dtype dtype)
{
    struct trial trial = { .method = method, .memory = MEMORY_PAGEABLE, .plant = true };
    struct error err = { .status = STATUS_OK };
    trial.problem = problem_for(workload, method, dtype, workload->small);
    bool ok = trial_run(bed, &trial, &err);
    if (was_tried(bed, &trial, ok, &err)) {
        cr_expect_not(ok, "one wrong element went unseen");
        cr_expect_eq(err.status, STATUS_WRONG, "%s", err.message);
    }
}

Test(backend, and_this_suite_sees_a_wrong_answer)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_plant);
    bed_close(&bed);
}

static void check_span(struct bed *bed, const struct workload *workload, const struct method *method, enum dtype dtype)
{
    struct span span = { 1, 0 };
    struct trial trial = { .method = method, .memory = MEMORY_PAGEABLE, .span = &span };
    struct error err = { .status = STATUS_OK };
    trial.problem = problem_for(workload, method, dtype, tried_shapes(workload)[0]);
    double start = clock_wall();
    bool ok = trial_run(bed, &trial, &err);
    if (!was_tried(bed, &trial, ok, &err))
        return;
    cr_assert(ok, "%s", err.message);
    span_check(bed, span, clock_wall() - start);
    const char *known = getenv("SUITE_EVENT_CLOCK");
    if (known && is_own(method)) /* the events of a library may leave out a part of what it did */
        cr_expect_eq(!isnan(span.start), strcmp(known, "yes") == 0, "the device is known to have event times: %s",
                     known);
}

Test(backend, tells_believable_times_or_none)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_span);
    bed_close(&bed);
}
