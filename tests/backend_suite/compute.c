#include "tests/backend_suite/trial.h"

#include "harness/clock.h"

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
    cr_expect(ok, "%s %s %s %s in %s memory: %s", trial.problem.workload->name, trial.variant->name,
              dtype_name(trial.problem.dtype), problem_shape(&trial.problem, shape), memory_name(trial.memory),
              err.message);
}

/* Around the vector widths, the groups and what one group owns; and one that threads share. */
static const int64_t sizes[] = { 1, 2, 7, 15, 16, 17, 63, 65, 1023, 1025, 8191, 16385, 300007, 70001 };
enum { SIZES = sizeof sizes / sizeof *sizes };

static void check_exact(struct bed *bed, const struct workload *workload, const struct variant *variant,
                        enum dtype dtype)
{
    for (unsigned i = 0; i < SIZES; i++) {
        struct trial trial = { .variant = variant, .memory = MEMORY_PAGEABLE };
        if (!problem_make(&trial.problem, workload, dtype, sizes[i]))
            continue;
        trial.range = workload->exact_range(&trial.problem);
        check_trial(bed, trial);
    }
}

Test(backend, computes_whole_numbers_exactly)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_exact);
    bed_close(&bed);
}

static void check_uniform(struct bed *bed, const struct workload *workload, const struct variant *variant,
                          enum dtype dtype)
{
    for (unsigned i = 0; i < SIZES; i++) {
        struct trial trial = { .variant = variant, .memory = (enum memory)(i % MEMORY_COUNT) };
        if (problem_make(&trial.problem, workload, dtype, sizes[i]))
            check_trial(bed, trial);
    }
}

Test(backend, computes_random_operands_within_the_bound_in_every_kind_of_memory)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_uniform);
    bed_close(&bed);
}

static void check_window(struct bed *bed, const struct workload *workload, const struct variant *variant,
                         enum dtype dtype)
{
    for (unsigned i = 0; i < SIZES; i++) {
        struct trial trial = { .variant = variant, .memory = (enum memory)(i % MEMORY_COUNT), .margin = GUARD_BYTES };
        if (problem_make(&trial.problem, workload, dtype, sizes[i]))
            check_trial(bed, trial);
    }
}

Test(backend, leaves_what_lies_around_its_operands_alone)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_window);
    bed_close(&bed);
}

static void check_plant(struct bed *bed, const struct workload *workload, const struct variant *variant,
                        enum dtype dtype)
{
    struct trial trial = { .variant = variant, .memory = MEMORY_PAGEABLE, .plant = true };
    struct error err = { .status = STATUS_OK };
    cr_assert(problem_make(&trial.problem, workload, dtype, 1025));
    cr_expect_not(trial_run(bed, &trial, &err), "one wrong element went unseen");
    cr_expect_eq(err.status, STATUS_WRONG, "%s", err.message);
}

Test(backend, and_this_suite_sees_a_wrong_answer)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_plant);
    bed_close(&bed);
}

static void check_span(struct bed *bed, const struct workload *workload, const struct variant *variant,
                       enum dtype dtype)
{
    struct span span = { 1, 0 };
    struct trial trial = { .variant = variant, .memory = MEMORY_PAGEABLE, .span = &span };
    struct error err = { .status = STATUS_OK };
    cr_assert(problem_make(&trial.problem, workload, dtype, 70001));
    double start = clock_wall();
    cr_assert(trial_run(bed, &trial, &err), "%s", err.message);
    span_check(bed, span, clock_wall() - start);
    const char *known = getenv("SUITE_EVENT_CLOCK");
    if (known)
        cr_expect_eq(!isnan(span.start), strcmp(known, "yes") == 0, "the device is known to tell times: %s", known);
}

Test(backend, tells_believable_times_or_none)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_span);
    bed_close(&bed);
}
