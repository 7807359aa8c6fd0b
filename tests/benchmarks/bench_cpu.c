/* How fast is the CPU's own multiply, next to what one would write by hand, and to other devices on the same processor?
 *
 *   bench_cpu [BACKEND[:PART OF A SOURCE]...]     (opencl:pocl)
 *
 * c = a * b over 40M floats, everybody in this one process with memory of his own. The CPU backend is the reference: a
 * slice of it comes before and after each slice of another program, and a ratio compares the latter with the mean of
 * its two neighbours, so that what the machine does meanwhile happens to both. It prints, and asserts nothing but that
 * the answers are right: speed on a shared machine is no matter for a test. */

#include "bench/backends/registry.h"
#include "harness/base/clock.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/measure/random.h"
#include "harness/measure/sampler.h"
#include "harness/measure/stats.h"
#include "harness/measure/verify.h"

#include "config.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined __x86_64__
#include <immintrin.h>
#endif

#define PARALLEL_FOR _Pragma("omp parallel for schedule(static)")

enum { N = 40000000, ROUNDS_MAX = 400, RUNS_MAX = 1000, CONTENDERS_MAX = 8, SEED = 1 };
static const size_t bytes = N * sizeof(float);
static const double slice_seconds = 0.075;
static const struct rule rule = { .target = 0.01, .budget = 15 };

struct cell_run {
    char name[64], detail[DETAIL_MAX];
    double wanted; /* least ratio that the project has set itself: see `ratio` */
    bool (*run)(struct cell_run *cell_run, struct error *err); /* complete on return */

    float *loop[3]; /* of a loop: a, b, c */
    void (*slice)(const float *a, const float *b, float *c, int64_t begin, int64_t end);

    const struct backend *backend; /* of a device */
    struct device device;
    struct session *session;
    struct buffer *buffer[3];
    struct task *task;

    unsigned rounds;
    double spent;               /* seconds in slices of its own */
    double seconds[ROUNDS_MAX]; /* of one run, per slice */
    double ratio[ROUNDS_MAX];   /* speed of a device to the reference's, and of the reference to a loop's */
};

/* --- loops written by hand --- */

static bool plain_run(struct cell_run *cell_run, struct error *err)
{
    (void)err;
    const float *a = cell_run->loop[0], *b = cell_run->loop[1];
    float *c = cell_run->loop[2];
    PARALLEL_FOR
    for (int64_t i = 0; i < N; i++)
        c[i] = a[i] * b[i];
    return true;
}

static void slice_portable(const float *a, const float *b, float *c, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++)
        c[i] = a[i] * b[i];
}

#if defined __x86_64__
__attribute__((target("avx512f"))) static void slice_avx512(const float *a, const float *b, float *c, int64_t begin,
                                                            int64_t end)
{
    for (int64_t i = begin; i < end; i += 16)
        _mm512_stream_ps(c + i, _mm512_mul_ps(_mm512_load_ps(a + i), _mm512_load_ps(b + i)));
    _mm_sfence();
}

__attribute__((target("avx"))) static void slice_avx(const float *a, const float *b, float *c, int64_t begin,
                                                     int64_t end)
{
    for (int64_t i = begin; i < end; i += 8)
        _mm256_stream_ps(c + i, _mm256_mul_ps(_mm256_load_ps(a + i), _mm256_load_ps(b + i)));
    _mm_sfence();
}

static void slice_choose(struct cell_run *cell_run)
{
    bool has_avx512 = __builtin_cpu_supports("avx512f"), has_avx = __builtin_cpu_supports("avx");
    cell_run->slice = has_avx512 ? slice_avx512 : has_avx ? slice_avx : slice_portable;
}
#else
static void slice_choose(struct cell_run *cell_run)
{
    cell_run->slice = slice_portable;
}
#endif

static bool tuned_run(struct cell_run *cell_run, struct error *err)
{
    enum { BLOCK = 4096 }; /* elements; small enough that the threads get equal shares of N */
    (void)err;
    PARALLEL_FOR
    for (int64_t block = 0; block < N / BLOCK; block++)
        cell_run->slice(cell_run->loop[0], cell_run->loop[1], cell_run->loop[2], block * BLOCK, (block + 1) * BLOCK);
    slice_portable(cell_run->loop[0], cell_run->loop[1], cell_run->loop[2], N / BLOCK * BLOCK, N);
    return true;
}

static float *huge_alloc(void)
{
    const size_t huge = (size_t)2 << 20, room = bytes / huge * huge + huge;
    char *start = mmap(NULL, room + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    start += (huge - (uintptr_t)start % huge) % huge;
    madvise(start, room, MADV_HUGEPAGE);
    return (float *)(void *)start;
}

/* What malloc does for so large a block when it is not set to use huge pages. */
static float *plain_alloc(void)
{
    void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

/* Memory stays until the process ends. */
static bool loop_open(struct cell_run *cell_run, float *(*alloc)(void), struct error *err)
{
    slice_choose(cell_run);
    for (unsigned i = 0; i < 3; i++) {
        cell_run->loop[i] = alloc();
        if (!cell_run->loop[i])
            return fail(err, STATUS_NO_MEMORY, "no memory for %s", cell_run->name);
        random_fill_uniform(cell_run->loop[i], DTYPE_F32, 0, N, SEED, i); /* and touched first by who works on it */
    }
    return true;
}

/* --- devices --- */

static bool device_run(struct cell_run *cell_run, struct error *err)
{
    return cell_run->backend->submit(cell_run->task, 0, 0, NULL, err) &&
           cell_run->backend->finish(cell_run->session, 0, err);
}

static const struct method *method_for(const char *backend)
{
    for (const struct method *method = workload_find("multiply")->methods; method->name; method++) {
        for (const char *const *name = method->backends; *name; name++) {
            if (strcmp(*name, backend) == 0)
                return method;
        }
    }
    return NULL;
}

/* The first device of the first source whose text holds `part`; a process can look at one source only. */
static bool device_find(const struct backend *backend, const char *part, struct device *out, struct error *err)
{
    struct source source[SOURCES_MAX] = { { "" } };
    struct error why = { .status = STATUS_OK };
    unsigned sources = backend->sources ? backend->sources(source, SOURCES_MAX, &why) : 1, chosen = 0, count = 0;
    while (chosen < sources && !strstr(source[chosen].text, part))
        chosen++;
    if (chosen == sources)
        return fail(err, STATUS_UNSUPPORTED, "none of %u sources holds \"%s\" %s", sources, part, why.message);
    if (!backend->list(source[chosen].text, out, 1, &count, err))
        return false;
    text_copy(out->source, sizeof out->source, source[chosen].text);
    return count > 0 || fail(err, STATUS_UNSUPPORTED, "%s has no device", out->source);
}

static bool operands_fill(struct cell_run *cell_run, enum memory memory, struct error *err)
{
    const struct backend *backend = cell_run->backend;
    for (unsigned i = 0; i < 3; i++) {
        cell_run->buffer[i] = backend->alloc(cell_run->session, bytes, memory, err);
        void *view = cell_run->buffer[i] ? backend->map(cell_run->session, cell_run->buffer[i], MAP_WRITE, err) : NULL;
        if (!view)
            return false;
        random_fill_uniform(view, DTYPE_F32, 0, N, SEED, i);
    }
    return true;
}

/* OpenMP has bound this thread to one place, and threads that a driver starts would inherit that: lets it run anywhere,
 * and returns where it was. */
static cpu_set_t unbind(void)
{
    cpu_set_t before, all;
    sched_getaffinity(0, sizeof before, &before);
    memset(&all, 0xff, sizeof all); /* the system leaves out what this process may not use */
    sched_setaffinity(0, sizeof all, &all);
    return before;
}

static void bind_again(const cpu_set_t *before)
{
    sched_setaffinity(0, sizeof *before, before);
}

/* wanted: "opencl:pocl" */
static bool device_open(struct cell_run *cell_run, const char *wanted, struct error *err)
{
    char name[16];
    size_t length = strcspn(wanted, ":");
    snprintf(name, sizeof name, "%.*s", (int)length, wanted);
    const struct backend *backend = cell_run->backend = backend_find(name);
    struct device *device = &cell_run->device;
    struct problem problem = { .workload = workload_find("multiply"), .dtype = DTYPE_F32, .dim = { N } };
    struct job job = { .problem = &problem, .method = backend ? method_for(name) : NULL };
    if (!job.method)
        return fail(err, STATUS_UNSUPPORTED, "there is no multiply for \"%s\" in this build", name);
    if (!device_find(backend, wanted + length + (wanted[length] == ':'), device, err))
        return false;

    snprintf(cell_run->name, sizeof cell_run->name, "%.15s (%.40s)", name, device->name);
    /* As the program does: our own team for the CPU, a driver's own threads elsewhere. */
    cell_run->session = backend->open(device, device->works_in_host_memory ? parallel_threads() : 0, err);
    if (!cell_run->session ||
        !operands_fill(cell_run, device->works_in_host_memory ? MEMORY_PAGEABLE : MEMORY_MAPPED, err))
        return false;
    for (unsigned i = 0; i < 3; i++)
        job.operand[i] = (struct binding){ cell_run->buffer[i], 0, bytes };
    cell_run->task = backend->prepare(cell_run->session, &job, cell_run->detail, err);
    return cell_run->task != NULL;
}

/* --- right, then fast --- */

static void product(const void *context, int64_t index, double *value, double *bound)
{
    (void)context;
    *value = (float)random_uniform(DTYPE_F32, SEED, 0, (uint64_t)index) *
             (float)random_uniform(DTYPE_F32, SEED, 1, (uint64_t)index);
    *bound = dtype_roundoff(DTYPE_F32) * fabs(*value) + 0x1p-126; /* one rounding, or flushed to zero */
}

static bool check(struct cell_run *cell_run, struct error *err)
{
    struct verification verdict;
    if (!cell_run->run(cell_run, err))
        return false;
    const struct backend *backend = cell_run->backend;
    const void *c = backend ? backend->map(cell_run->session, cell_run->buffer[2], MAP_READ, err) : cell_run->loop[2];
    return c && verify_all(&verdict, c, DTYPE_F32, N, product, NULL, err);
}

/* Median run of a slice that begins with two runs that do not count. */
static double slice_measure(struct cell_run *cell_run, struct error *err)
{
    static double run[RUNS_MAX];
    unsigned runs = 0;
    double begin = clock_wall();
    bool ok = cell_run->run(cell_run, err) && cell_run->run(cell_run, err);
    double start = clock_wall(), last = start;
    while (ok && last - start < slice_seconds && runs < RUNS_MAX) {
        ok = cell_run->run(cell_run, err);
        double now = clock_wall();
        run[runs++] = now - last;
        last = now;
    }
    cell_run->spent += last - begin;
    return ok ? stats_median(run, runs) : NAN;
}

static bool is_done(const struct cell_run *cell_run)
{
    double last = cell_run->rounds ? cell_run->spent / cell_run->rounds : 0;
    return cell_run->rounds == ROUNDS_MAX ||
           sampler_decide(&rule, 0, cell_run->ratio, cell_run->rounds, cell_run->spent, last) != STOP_NOT_YET;
}

/* One more slice of a contender, between two of the reference, the first of which is there already. */
static double round_measure(struct cell_run *reference, struct cell_run *cell_run, double before, struct error *err)
{
    double seconds = slice_measure(cell_run, err), after = slice_measure(reference, err);
    double mean = (before + after) / 2;
    cell_run->seconds[cell_run->rounds] = seconds;
    cell_run->ratio[cell_run->rounds++] = cell_run->backend ? mean / seconds : seconds / mean;
    reference->seconds[reference->rounds++ % ROUNDS_MAX] = after;
    return after;
}

/* contender[0] is the reference. */
static bool measure(struct cell_run cell_run[], unsigned count, struct error *err)
{
    double before = slice_measure(&cell_run[0], err);
    for (bool more = true; more && err->status == STATUS_OK;) {
        more = false;
        for (unsigned i = 1; i < count; i++) {
            if (is_done(&cell_run[i]))
                continue;
            before = round_measure(&cell_run[0], &cell_run[i], before, err);
            more = true;
        }
    }
    return err->status == STATUS_OK;
}

static void print(const struct cell_run *cell_run)
{
    char seconds[TEXT_NUMBER];
    unsigned rounds = cell_run->rounds < ROUNDS_MAX ? cell_run->rounds : ROUNDS_MAX;
    double median = stats_median(cell_run->seconds, rounds);
    printf("%-56s %9s %6.1f GB/s   %s\n", cell_run->name, text_seconds(seconds, median),
           3 * (double)bytes / median * 1e-9, cell_run->detail);
    if (isnan(cell_run->wanted))
        return;
    struct estimate ratio = stats_estimate(cell_run->ratio, rounds);
    printf("    %s %.3f [%.3f, %.3f] in %u rounds, wanted: at least %g\n",
           cell_run->backend ? "speed over that of the CPU backend:" : "speed of the CPU backend over this:",
           ratio.value, ratio.low, ratio.high, rounds, cell_run->wanted);
}

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "not set";
}

int main(int argc, char *argv[])
{
    static struct cell_run cell_run[CONTENDERS_MAX] = {
        { .run = device_run, .wanted = NAN },
        { .name = "best loop by hand", .detail = "streaming stores, huge pages", .run = tuned_run, .wanted = 0.97 },
        { .name = "plain loop", .detail = "ordinary stores, ordinary pages", .run = plain_run, .wanted = 1.2 },
    };
    static const char *const usual[] = { "opencl:pocl", NULL };
    const char *const *others = argc > 1 ? (const char *const *)argv + 1 : usual;
    struct error err = { .status = STATUS_OK };
    unsigned count = 3;
    bool ok = device_open(&cell_run[0], "cpu", &err) && loop_open(&cell_run[1], huge_alloc, &err) &&
              loop_open(&cell_run[2], plain_alloc, &err);

    for (; ok && *others && count < CONTENDERS_MAX; others++) {
        struct error why = { .status = STATUS_OK };
        cpu_set_t before = unbind();
        cell_run[count] = (struct cell_run){ .run = device_run, .wanted = 0.95 };
        if (device_open(&cell_run[count], *others, &why))
            count++;
        else
            printf("%s is left out: %s\n", *others, why.message);
        bind_again(&before);
    }
    for (unsigned i = 0; ok && i < count; i++)
        ok = check(&cell_run[i], &err);
    if (!ok || !measure(cell_run, count, &err)) {
        fprintf(stderr, "bench_cpu: %s: %s\n", err.where, err.message);
        return 1;
    }
    printf("multiply n=%d f32, slices of %g ms; OMP_PLACES %s, OMP_PROC_BIND %s, GLIBC_TUNABLES %s\n", N,
           1e3 * slice_seconds, setting("OMP_PLACES"), setting("OMP_PROC_BIND"), setting("GLIBC_TUNABLES"));
    for (unsigned i = 0; i < count; i++)
        print(&cell_run[i]);
    return 0;
}
