#include "bench/backends/common/launch_split.h"

#include <criterion/criterion.h>
#include <string.h>

/* How many groups a launch has on a GPU that drives a display. */

static const struct workload *find(const char *name)
{
    const struct workload *workload = workload_find(name);
    cr_assert(workload, "%s", name);
    return workload;
}

static const struct method *portable_of(const struct workload *workload)
{
    for (const struct method *method = workload->methods; method->name; method++)
        if (method->portable)
            return method;
    return NULL;
}

/* Launches of the first pass; the groups of each launch go to *each. */
static size_t launches_of(const char *workload, const char *shape, enum dtype dtype, const struct device *device,
                          bool bounded, struct pass *pass, size_t *each)
{
    struct problem problem;
    struct launch launch;
    struct launch_split split;
    struct error err = { .status = STATUS_OK };
    cr_assert(problem_parse(&problem, find(workload), dtype, shape, &err), "%s", err.message);
    const struct method *method = portable_of(problem.workload);
    method->portable->launch(&problem, device, 0, &launch);
    cr_assert(launch_split_plan(&split, &launch, &problem, method, device, 1, bounded, &err), "%s", err.message);
    unsigned main_pass = launch.passes - 1; /* those before it pack operands */
    for (unsigned i = 0; i < launch.passes; i++)
        cr_expect(launch.pass[i].is_divisible || split.items_per_launch[i] == launch.pass[i].items, "pass %u", i);
    *pass = launch.pass[main_pass];
    *each = split.items_per_launch[main_pass] / pass->group;
    const size_t groups = pass->items / pass->group;
    return (groups + *each - 1) / *each;
}

static const struct device rtx_4090 = { .backend = "cuda",
                                        .name = "NVIDIA GeForce RTX 4090",
                                        .architecture = "nvidia 8.9",
                                        .class = CLASS_DGPU,
                                        .units = 128,
                                        .clock = 2.52e9,
                                        .clock_origin = "boost",
                                        .memory_clock = 10.5e9,
                                        .memory_width = 384,
                                        .computes = { true, true } };

Test(launch_split, a_fast_gpu_computes_at_once_what_takes_it_milliseconds)
{
    struct pass pass;
    size_t each;
    cr_expect_eq(launches_of("matmul", "m=8192,n=8192,k=8192", DTYPE_F32, &rtx_4090, true, &pass, &each), 1);
    cr_expect_eq(launches_of("multiply", "n=400000000", DTYPE_F32, &rtx_4090, true, &pass, &each), 1);
}

/* 0.11 s at its peak of 82.6 TFLOP/s, of which a kernel is taken to reach an eighth: 0.85 s. */
Test(launch_split, what_may_take_longer_than_a_fifth_of_a_second_is_cut)
{
    struct pass pass;
    size_t each;
    const size_t floats = launches_of("matmul", "m=16384,n=16384,k=16384", DTYPE_F32, &rtx_4090, true, &pass, &each);
    cr_expect(floats >= 4 && floats <= 8, "%zu launches", floats);
    const size_t bytes = launches_of("matmul", "m=32768,n=32768,k=32768", DTYPE_I8, &rtx_4090, true, &pass, &each);
    cr_expect_gt(bytes, 4, "%zu launches", bytes);
}

/* In f64 a 4090 has a 64th of its f32 rate. 8192^3 take it nearly a second, and more with a slow kernel. */
Test(launch_split, portions_are_whole_waves_of_the_device)
{
    struct pass pass;
    size_t each, launches = launches_of("matmul", "m=8192,n=8192,k=8192", DTYPE_F64, &rtx_4090, true, &pass, &each);
    cr_assert_gt(launches, 5);
    /* At least 256 work-items on each multiprocessor, which is less than it can hold. */
    const size_t wave = rtx_4090.units * 256 / pass.group;
    cr_expect(each >= wave, "%zu groups, %zu in a wave", each, wave);
    cr_expect_eq(each % wave, 0, "%zu groups: the last of its waves of %zu has %zu", each, wave, each % wave);
}

Test(launch_split, a_gpu_of_which_nothing_is_known_gets_short_launches)
{
    struct device slow = {
        .backend = "opencl", .name = "a GPU", .class = CLASS_IGPU, .units = 8, .computes = { true }
    };
    struct pass pass;
    size_t each, launches = launches_of("matmul", "m=4096,n=4096,k=4096", DTYPE_F32, &slow, true, &pass, &each);
    /* 1.37e11 operations at 8 x 0.5e9 x 4 a second in 0.2 s each */
    cr_expect(launches >= 32, "%zu launches", launches);
    slow.units = 0; /* 8 times as many, but not a launch for each row of tiles */
    const size_t more = launches_of("matmul", "m=4096,n=4096,k=4096", DTYPE_F32, &slow, true, &pass, &each);
    cr_expect(more >= 32 && each > 1, "%zu launches of %zu groups", more, each);
    cr_expect_eq(launches_of("matmul", "m=4096,n=4096,k=4096", DTYPE_F32, &slow, false, &pass, &each), 1);
}

/* The launches of a run of these passes and parts, in their order. */
enum { SUBS_MAX = 16 };
struct seen {
    struct sub_launch sub[SUBS_MAX];
    unsigned count;
};

static bool see(void *context, const struct sub_launch *sub, struct error *err)
{
    struct seen *seen = context;
    cr_assert_lt(seen->count, SUBS_MAX);
    seen->sub[seen->count++] = *sub;
    return true;
}

/* The device's clock is read at the beginning of the first launch and at the end of the last. */
Test(launch_split, the_first_and_the_last_launch_of_a_run_are_marked)
{
    static const struct {
        unsigned passes, parts, launches;
    } runs[] = { { 1, 1, 2 }, { 2, 1, 4 }, { 1, 4, 4 } };
    const struct pass pass = { .items = 64, .group = 8, .is_divisible = true };
    const struct launch launch = { .passes = 2, .pass = { pass, pass } };
    for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct launch own = launch;
        struct launch_split split = { .parts = runs[i].parts, .items_per_launch = { 32, 32 } };
        struct seen seen = { .count = 0 };
        struct error err = { .status = STATUS_OK };
        own.passes = runs[i].passes;
        for (unsigned part = 0; part < split.parts; part++)
            cr_assert(launch_split_submit(&split, &own, 0, own.passes, part, see, &seen, &err), "%s", err.message);
        cr_expect_eq(seen.count, runs[i].launches, "run %u has %u launches", i, seen.count);
        for (unsigned k = 0; k < seen.count; k++) {
            cr_expect_eq(seen.sub[k].is_first, k == 0, "run %u, launch %u", i, k);
            cr_expect_eq(seen.sub[k].is_last, k + 1 == seen.count, "run %u, launch %u", i, k);
            cr_expect(seen.sub[k].is_cut);
            cr_expect_eq(seen.sub[k].start, k * 64 / seen.count * runs[i].passes % 64, "run %u, launch %u", i, k);
        }
        cr_expect_not(launch_split_submit(&split, &own, 0, own.passes, split.parts, see, &seen, &err));
    }
}
