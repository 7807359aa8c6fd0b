/* How near the CPU's own loops come to what its cores can do:
 *
 *   - chains of multiply-adds beside a chain of additions, which tells the clock: FLOP a cycle of one core, in each
 *     instruction set, all cores at once. The two take turns on the same core within a millisecond, since a core may
 *     change its clock when wide vectors begin.
 *   - copying, beside every way to copy that we know, in turn.
 *   - a = b + 3 c in each level of cache and beyond.
 *
 * It prints, and asserts nothing but that the answers are right: speed on a shared machine is no matter for a test. */

#include "bench/backends/registry.h"
#include "harness/base/clock.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"
#include "harness/measure/random.h"
#include "harness/measure/stats.h"
#include "harness/measure/verify.h"
#include "tests/support/isa.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined __x86_64__
#include <immintrin.h>
#endif

enum { SEED = 1, CORES_MAX = 64, ROUNDS = 60, STRETCHES = 2000 };

/* One problem with memory of its own, which stays until the process ends. */
struct setup {
    struct problem problem;
    struct operand operand[OPERANDS_MAX];
    unsigned operands;
    void *array[OPERANDS_MAX];
    native_slice *slice;
    int64_t extent;
};

static void *huge_alloc(size_t bytes)
{
    const size_t huge = (size_t)2 << 20, room = (bytes + huge - 1) / huge * huge;
    char *start = mmap(NULL, room + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    start += (huge - (uintptr_t)start % huge) % huge;
    madvise(start, room, MADV_HUGEPAGE);
    return start;
}

static bool setup_make(struct setup *setup, enum dtype dtype, const char *shape, const char *isa, struct error *err)
{
    const struct workload *peak = workload_find("peak");
    const struct native_pass *pass = &method_find(peak, "native")->native->streaming->pass[0];
    if (!problem_parse(&setup->problem, peak, dtype, shape, err))
        return false;
    setup->slice = isa_slice(pass, isa, dtype);
    setup->extent = native_extent(pass, &setup->problem);
    setup->operands = peak->operands(&setup->problem, setup->operand);
    for (unsigned i = 0; i < setup->operands; i++) {
        const struct operand *operand = &setup->operand[i];
        setup->array[i] = huge_alloc((size_t)operand->count * dtype_bytes(dtype));
        if (!setup->array[i])
            return fail(err, STATUS_NO_MEMORY, "no memory for %s", shape);
        random_fill_uniform(setup->array[i], dtype, 0, operand->count, SEED, i); /* by who will work on it */
    }
    return true;
}

static void truth(const void *context, int64_t index, double *value, double *bound)
{
    const struct setup *setup = context;
    setup->problem.workload->expect(&setup->problem, method_sums(NULL, setup->problem.dtype),
                                    (const void *const *)setup->array, index, value, bound);
}

static bool setup_check(const struct setup *setup, struct error *err)
{
    struct verification verdict;
    const unsigned last = setup->operands - 1;
    return verify_sample(&verdict, setup->array[last], setup->problem.dtype, setup->operand[last].count, NULL, 4096,
                         SEED, truth, setup, err);
}

/* --- multiply-adds a cycle --- */

struct cores {
    const struct setup *setup;
    unsigned count;
    double (*rate)[CORES_MAX]; /* FLOP a cycle, by round and core */
    double (*clock)[CORES_MAX];
};

/* Hz over some 20 microseconds. A core that has run wide vectors keeps the lower clock that they want for about half a
 * millisecond: a chain of additions as long as host_sample_clock's would read the higher clock that comes after it. */
#if defined __x86_64__
static double clock_glance(void)
{
    enum { TURNS = 1000 };
    unsigned long sum = 0, one = 1;
    const double start = clock_wall();
    for (int i = 0; i < TURNS; i++)
        __asm__ volatile(".rept 64\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(one) : "cc");
    return 64 * TURNS / (clock_wall() - start);
}
#else
static double clock_glance(void)
{
    return host_sample_clock(0);
}
#endif

/* One core: the clock, chains for some 30 microseconds, and the clock again. The chains run once unmeasured before: a
 * core that was doing something else takes some 2 microseconds to have its widest unit at hand again. */
static void core_run(void *context, int64_t begin, int64_t end)
{
    const struct cores *cores = context;
    const struct setup *setup = cores->setup;
    const double flops = setup->problem.workload->flops(&setup->problem) / (double)setup->extent;
    for (int64_t core = begin; core < end; core++) {
        const int64_t share = setup->extent / cores->count, first = core * share;
        for (unsigned round = 0; round < STRETCHES; round++) {
            const double before = clock_glance();
            setup->slice(setup->array, setup->problem.dim, first, first + share);
            const double start = clock_wall();
            setup->slice(setup->array, setup->problem.dim, first, first + share);
            const double took = clock_wall() - start, clock = (before + clock_glance()) / 2;
            cores->clock[round][core] = clock;
            cores->rate[round][core] = flops * (double)share / took / clock;
        }
    }
}

/* Lanes x 2 FLOP x 2 units: the instruction sets of x86 on every core that has two. Without multiply-adds a core may
 * have three units for products and sums together. */
static double wanted_of(const char *isa, enum dtype dtype)
{
    const double bytes = strcmp(isa, "avx512") == 0 ? 64 : strcmp(isa, "avx2") == 0 ? 32 : 16;
    const double fused = strcmp(isa, "baseline") == 0 ? 1 : 2; /* a product and a sum share the two units */
    return bytes / (double)dtype_bytes(dtype) * fused * 2;
}

static bool chains_measure(const char *isa, enum dtype dtype, unsigned threads, struct error *err)
{
    static double rate[STRETCHES][CORES_MAX], clock[STRETCHES][CORES_MAX], rates[STRETCHES * CORES_MAX],
        clocks[STRETCHES * CORES_MAX];
    struct setup setup;
    struct cores cores = { &setup, threads, rate, clock };
    char shape[SHAPE_MAX];
    unsigned count = 0;
    const unsigned tiles = strcmp(isa, "avx512") == 0 ? 8 : strcmp(isa, "avx2") == 0 ? 4 : 1;
    snprintf(shape, sizeof shape, "kind=fma,bytes=%u,turns=2048", tiles * 1664 * threads);
    if (!setup_make(&setup, dtype, shape, isa, err))
        return false;
    if (!setup.slice)
        return true;
    parallel_slices(core_run, &cores, 0, threads, 1, threads);
    for (unsigned round = 0; round < STRETCHES; round++)
        for (unsigned core = 0; core < threads; core++, count++) {
            rates[count] = rate[round][core];
            clocks[count] = clock[round][core];
        }
    const double wanted = wanted_of(isa, dtype), median = stats_median(rates, count) / wanted;
    printf("%-9s %s  %.3f of %g FLOP a cycle and core (quarters %.3f to %.3f), wanted: at least 0.97; clock %.2f GHz\n",
           isa, dtype_name(dtype), median, wanted, stats_quantile(rates, count, 0.25) / wanted,
           stats_quantile(rates, count, 0.75) / wanted, stats_median(clocks, count) / 1e9);
    return setup_check(&setup, err);
}

/* --- ways to copy --- */

typedef void copy_loop(char *restrict to, const char *restrict from, int64_t bytes);

static void copy_plain(char *restrict to, const char *restrict from, int64_t bytes)
{
    const float *b = (const void *)from;
    float *c = (void *)to;
    for (int64_t i = 0; i < bytes / 4; i++)
        c[i] = b[i];
}

static void copy_memcpy(char *restrict to, const char *restrict from, int64_t bytes)
{
    memcpy(to, from, (size_t)bytes);
}

#if defined __x86_64__
#define STREAM_LINE(to, from) _mm512_stream_si512((void *)(to), _mm512_load_si512((const void *)(from)))
#define TARGET                __attribute__((target("avx512f")))

TARGET static void copy_streaming(char *restrict to, const char *restrict from, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i += 64)
        STREAM_LINE(to + i, from + i);
    _mm_sfence();
}

TARGET static void copy_fetched(char *restrict to, const char *restrict from, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i += 64) {
        _mm_prefetch(from + i + 2048, _MM_HINT_T0);
        STREAM_LINE(to + i, from + i);
    }
    _mm_sfence();
}

/* So many stretches of the arrays side by side, for as many streams that the processor sees coming. */
TARGET static inline void copy_streams(char *restrict to, const char *restrict from, int64_t bytes, int64_t streams)
{
    const int64_t part = bytes / streams / 64 * 64;
    for (int64_t i = 0; i < part; i += 64)
        for (int64_t k = 0; k < streams; k++)
            STREAM_LINE(to + k * part + i, from + k * part + i);
    memcpy(to + streams * part, from + streams * part, (size_t)(bytes - streams * part));
    _mm_sfence();
}

TARGET static void copy_two(char *restrict to, const char *restrict from, int64_t bytes)
{
    copy_streams(to, from, bytes, 2);
}

TARGET static void copy_four(char *restrict to, const char *restrict from, int64_t bytes)
{
    copy_streams(to, from, bytes, 4);
}

static bool has_rivals(void)
{
    return __builtin_cpu_supports("avx512f");
}
#else
#define copy_streaming copy_memcpy
#define copy_fetched   copy_memcpy
#define copy_two       copy_memcpy
#define copy_four      copy_memcpy

static bool has_rivals(void)
{
    return false;
}
#endif

static const struct rival {
    const char *name;
    copy_loop *loop;
    bool streams;
} rivals[] = {
    { "plain loop, as this compiler vectorises it", copy_plain, false },
    { "memcpy, a part for each thread", copy_memcpy, false },
    { "streaming stores", copy_streaming, true },
    { "streaming stores, prefetching 2 KiB ahead", copy_fetched, true },
    { "streaming stores, 2 stretches side by side", copy_two, true },
    { "streaming stores, 4 stretches side by side", copy_four, true },
};
enum { RIVALS = sizeof rivals / sizeof *rivals };

struct copying {
    const struct setup *setup;
    copy_loop *loop; /* NULL: our own */
};

static void copy_slice(void *context, int64_t begin, int64_t end)
{
    const struct copying *copying = context;
    const struct setup *setup = copying->setup;
    if (copying->loop)
        copying->loop((char *)setup->array[1] + begin * 64, (const char *)setup->array[0] + begin * 64,
                      (end - begin) * 64);
    else
        setup->slice(setup->array, setup->problem.dim, begin, end);
}

/* The second of two runs, seconds. */
static double copy_run(const struct setup *setup, copy_loop *loop, unsigned threads)
{
    struct copying copying = { setup, loop };
    parallel_slices(copy_slice, &copying, 0, setup->extent, 1, threads);
    const double start = clock_wall();
    parallel_slices(copy_slice, &copying, 0, setup->extent, 1, threads);
    return clock_wall() - start;
}

static bool copies_measure(const char *isa, unsigned threads, struct error *err)
{
    static double own[ROUNDS], seconds[RIVALS][ROUNDS], ratio[RIVALS][ROUNDS];
    struct setup setup;
    if (!setup_make(&setup, DTYPE_F32, "kind=copy,bytes=512Mi", isa, err))
        return false;
    const double bytes = setup.problem.workload->bytes(&setup.problem);
    for (unsigned round = 0; round < ROUNDS; round++) {
        double before = copy_run(&setup, NULL, threads), first = before;
        for (unsigned i = 0; i < RIVALS; i++) {
            if (rivals[i].streams && !has_rivals())
                continue;
            seconds[i][round] = copy_run(&setup, rivals[i].loop, threads);
            const double after = copy_run(&setup, NULL, threads);
            /* Beside one run, not the mean of two, the median of which is above that of one where times are skewed. */
            ratio[i][round] = seconds[i][round] / (round % 2 ? before : after);
            before = after;
        }
        own[round] = (first + before) / 2;
    }
    printf("copy, %.0f MB, ours: %.1f GB/s\n", bytes / 1e6, bytes / stats_median(own, ROUNDS) / 1e9);
    for (unsigned i = 0; i < RIVALS; i++) {
        if (rivals[i].streams && !has_rivals())
            continue;
        const struct estimate estimate = stats_estimate(ratio[i], ROUNDS);
        printf("  %-45s %.1f GB/s; ours is %.3f [%.3f, %.3f] times as fast, wanted: at least 0.97\n", rivals[i].name,
               bytes / stats_median(seconds[i], ROUNDS) / 1e9, estimate.value, estimate.low, estimate.high);
    }
    return setup_check(&setup, err);
}

/* --- levels --- */

static void level_slice(void *context, int64_t begin, int64_t end)
{
    const struct setup *setup = context;
    setup->slice(setup->array, setup->problem.dim, begin, end);
}

static bool level_measure(const char *shape, const char *isa, unsigned threads, struct error *err)
{
    static double seconds[ROUNDS];
    struct setup setup;
    if (!setup_make(&setup, DTYPE_F32, shape, isa, err))
        return false;
    for (unsigned round = 0; round < ROUNDS / 2; round++) {
        const double start = clock_wall();
        parallel_slices(level_slice, &setup, 0, setup.extent, 1, threads);
        seconds[round] = clock_wall() - start;
    }
    printf("%-45s %7.1f GB/s\n", shape,
           setup.problem.workload->bytes(&setup.problem) / stats_median(seconds, ROUNDS / 2) / 1e9);
    return setup_check(&setup, err);
}

static bool levels_measure(const struct host *host, const char *isa, unsigned threads, struct error *err)
{
    char shape[32][SHAPE_MAX];
    const unsigned count = workload_find("peak")->sizes(host, SUITE_FULL, shape, 32);
    for (unsigned i = 0; i < count; i++)
        if (!level_measure(shape[i], isa, threads, err))
            return false;
    return level_measure("kind=triad,bytes=512Mi", isa, threads, err);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* it takes a minute */
    static const char *const isas[] = { "baseline", "avx2", "avx512" };
    struct error err = { .status = STATUS_OK };
    struct host host;
    bool ok = host_read(&host, "", 0, &err);
    const unsigned threads = ok && host.worker_threads < CORES_MAX ? host.worker_threads : 1;
    for (unsigned i = 0; ok && i < sizeof isas / sizeof *isas; i++) {
        for (enum dtype dtype = 0; ok && dtype <= DTYPE_F64; dtype++)
            ok = chains_measure(isas[i], dtype, threads, &err);
        if (strcmp(isas[i], host.isa) == 0)
            break; /* the widest that runs here */
    }
    ok = ok && copies_measure(host.isa, threads, &err) && levels_measure(&host, host.isa, threads, &err);
    if (!ok)
        fprintf(stderr, "bench_peak: %s: %s\n", err.where, err.message);
    return !ok;
}
