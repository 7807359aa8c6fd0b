#include "bench/workloads/workload.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"
#include "kernels/native_peak.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* What peak asks, before anything is computed: which shapes make sense, how many bytes they count, which limit they
 * measure, and on what. */

static struct problem problem_of(enum dtype dtype, const char *shape)
{
    struct problem problem;
    struct error err = { .status = STATUS_OK };
    cr_assert(problem_parse(&problem, workload_find("peak"), dtype, shape, &err), "%s: %s", shape, err.message);
    return problem;
}

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
    refuses(DTYPE_F32, "kind=copy,bytes=1Mi,threads=2", "must be one of all, one");
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
    struct roof roof;
    struct problem problem = problem_of(DTYPE_F32, "kind=fma,bytes=1Mi,turns=8");
    cr_assert(workload->roof(&problem, &roof));
    cr_expect(roof.kind == ROOF_FLOPS && !roof.is_serial);
    problem = problem_of(DTYPE_F32, "kind=copy,bytes=1Mi,threads=one");
    cr_assert(workload->roof(&problem, &roof));
    cr_expect(roof.kind == ROOF_BANDWIDTH && roof.is_serial);
    for (enum roof_kind kind = 0; kind < ROOF_KINDS; kind++)
        cr_expect_eq(roof_parse(roof_names[kind]), kind);
    cr_expect_eq(roof_parse("no such thing"), ROOF_NONE);
}

/* --- sizes that depend on the machine --- */

static unsigned sizes_of(const struct host *host, enum suite suite, struct problem out[], unsigned room)
{
    static char text[64][SHAPE_MAX];
    unsigned count = workload_find("peak")->sizes(host, suite, text, room);
    cr_assert_leq(count, room);
    for (unsigned i = 0; i < count; i++)
        out[i] = problem_of(DTYPE_F64, text[i]);
    return count;
}

static void has_level(const struct problem at[], double bytes)
{
    for (unsigned i = 0; i < 4; i++) {
        cr_expect_eq(at[i].dim[PEAK_KIND], PEAK_READ + i);
        cr_expect_eq((double)at[i].dim[PEAK_BYTES], bytes, "%lld bytes, not %.0f", (long long)at[i].dim[PEAK_BYTES],
                     bytes);
        cr_expect_geq(at[i].dim[PEAK_PASSES], 2, "one pass is what memory gets");
        cr_expect_geq((double)(at[i].dim[PEAK_BYTES] * at[i].dim[PEAK_PASSES]), 256e6, "a run too short to time");
    }
}

Test(peak, has_a_working_set_for_each_level_of_cache)
{
    static struct problem sizes[64];
    const double kib = 1024, mib = 1024 * kib;
    struct host host = { .cores = 2,
                         .allowed_cores = 2,
                         .worker_threads = 2,
                         .cache = { { 1, 48 * kib, 2 }, { 2, 2 * mib, 2 }, { 3, 480 * mib, 1 } },
                         .caches = 3 };
    cr_expect_eq(sizes_of(&host, SUITE_QUICK, sizes, 64), 0);
    cr_assert_eq(sizes_of(&host, SUITE_FULL, sizes, 64), 12);
    has_level(sizes, 48 * kib);
    has_level(sizes + 4, 2 * mib);
    has_level(sizes + 8, 240 * mib);

    cr_expect_eq(sizes_of(&host, SUITE_FULL, sizes, 5), 5, "no more than there is room for");

    /* Four threads of a server with 64 cores, in clusters of eight that share a last level: one of them is theirs. */
    host = (struct host){ .cores = 64,
                          .allowed_cores = 64,
                          .worker_threads = 4,
                          .cache = { { 1, 32 * kib, 64 }, { 2, 1 * mib, 64 }, { 3, 32 * mib, 8 } },
                          .caches = 3 };
    cr_assert_eq(sizes_of(&host, SUITE_FULL, sizes, 64), 12);
    has_level(sizes, 64 * kib);
    has_level(sizes + 4, 2 * mib);
    has_level(sizes + 8, 16 * mib);

    host = (struct host){ .cores = 2, .worker_threads = 2, .cache = { { 1, 0, 2 } }, .caches = 1 };
    cr_expect_eq(sizes_of(&host, SUITE_FULL, sizes, 64), 0, "of a cache of unknown size nothing is said");
    host.caches = 0;
    cr_expect_eq(sizes_of(&host, SUITE_FULL, sizes, 64), 0);
}

/* --- who does what --- */

Test(peak, only_the_cpu_itself_has_caches_and_single_threads)
{
    const struct method *portable = method_find(workload_find("peak"), "portable");
    const struct device device = { .id = "opencl:0", .backend = "opencl" };
    struct error err = { .status = STATUS_OK };
    struct problem problem = problem_of(DTYPE_F32, "kind=copy,bytes=1Mi");
    cr_expect(portable->suits(&problem, &device, &err));
    problem = problem_of(DTYPE_F32, "kind=copy,bytes=1Mi,passes=2");
    cr_expect_not(portable->suits(&problem, &device, &err));
    cr_expect(err.status == STATUS_UNSUPPORTED && strstr(err.message, "opencl:0 takes passes=1"), "%s", err.message);
    err = (struct error){ .status = STATUS_OK };
    problem = problem_of(DTYPE_F32, "kind=copy,bytes=1Mi,threads=one");
    cr_expect_not(portable->suits(&problem, &device, &err));
    cr_expect(err.status == STATUS_UNSUPPORTED && strstr(err.message, "opencl:0 takes threads=all"), "%s", err.message);
}

/* The guard-band check uses the kind of the measured problem. */
Test(peak, the_small_problem_is_of_the_same_kind)
{
    static const char *const like[] = { "kind=fma,bytes=1Mi,turns=512", "kind=read,bytes=1Mi",
                                        "kind=write,bytes=1Mi,passes=9", "kind=copy,bytes=1Mi,threads=one" };
    const struct workload *workload = workload_find("peak");
    for (unsigned i = 0; i < sizeof like / sizeof *like; i++) {
        const struct problem problem = problem_of(DTYPE_F32, like[i]);
        struct problem small = problem_of(DTYPE_F32, workload->small), again;
        char shape[SHAPE_MAX];
        struct error err = { .status = STATUS_OK };
        workload->set_kind(&small, &problem);
        cr_expect_eq(small.dim[PEAK_KIND], problem.dim[PEAK_KIND]);
        cr_expect_eq(small.dim[PEAK_THREADS], problem.dim[PEAK_THREADS]);
        cr_expect(problem_parse(&again, workload, DTYPE_F32, problem_shape(&small, shape), &err), "%s", err.message);
    }
}
