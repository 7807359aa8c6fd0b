#include "bench/backends/registry.h"
#include "harness/base/parallel.h"
#include "harness/machine/cpu_limit.h"
#include "harness/machine/host.h"
#include "kernels/native.h"
#include "tests/support/method_run.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

/* The instruction set of this processor, or, where it is not NULL, that one. */
static const char *isa;
const char *__real_host_isa(void);
const char *__wrap_host_isa(void);
const char *__wrap_host_isa(void)
{
    return isa ? isa : __real_host_isa();
}

/* A limit of the memory, as a container has one, in place of that of this process; 0: the latter. */
static double memory_limit;
bool __real_host_read(struct host *out, const char *root, unsigned threads, struct error *err);
bool __wrap_host_read(struct host *out, const char *root, unsigned threads, struct error *err);
bool __wrap_host_read(struct host *out, const char *root, unsigned threads, struct error *err)
{
    const bool ok = __real_host_read(out, root, threads, err);
    out->memory_limit = memory_limit > 0 ? memory_limit : out->memory_limit;
    return ok;
}

/* What the CPU backend promises beyond the contract that backend_suite/ asks of every backend. */

static struct device device_list(void)
{
    static struct device device;
    unsigned count = 0;
    struct error err = { .status = STATUS_OK };
    cr_assert(backend_find("cpu")->list("", &device, 1, &count, &err), "%s", err.message);
    cr_assert_eq(count, 1);
    return device;
}

/* A multiply of n elements. */
static struct method_run run_make_of(enum dtype dtype, const struct device *device, unsigned threads, int64_t n)
{
    char shape[32];
    struct method_run run;
    snprintf(shape, sizeof shape, "n=%lld", (long long)n);
    const struct method_terms terms = { .dtype = dtype, .device = device, .threads = threads };
    cr_assert(method_run_open(&run, "multiply", "native", shape, &terms), "%s", run.err.message);
    return run;
}

static struct method_run run_make(const struct device *device, unsigned threads, int64_t n)
{
    return run_make_of(DTYPE_F32, device, threads, n);
}

static const void *run_result(struct method_run *run)
{
    cr_assert(method_run_once(run), "%s", run->err.message);
    return run->view[2];
}

Test(cpu, tells_what_it_is)
{
    struct device device = device_list();
    cr_expect(device.works_in_host_memory && device.shares_host_memory);
    cr_expect_eq(device.class, CLASS_CPU);
    cr_expect_str_eq(device.silicon, "cpu");
    cr_expect(device.computes[DTYPE_F64]);
    cr_expect_geq(device.threads, 1);
    cr_expect(device.clock > 1e8 && device.clock < 1e11, "%g Hz", device.clock);
}

Test(cpu, has_as_much_memory_as_its_limit_allows)
{
    memory_limit = 1e6;
    struct device device = device_list();
    cr_expect(device.memory == 1e6 && device.largest_buffer == 1e6, "%g, %g", device.memory, device.largest_buffer);
    memory_limit = INFINITY;
    device = device_list();
    cr_expect(device.memory > 1e6 && device.largest_buffer == device.memory, "%g", device.memory);
}

Test(cpu, tells_how_it_will_run)
{
    struct device device = device_list();
    struct method_run run = run_make(&device, 0, 4000000);
    char threads[32];
    snprintf(threads, sizeof threads, ", %u thread%s", device.threads, device.threads == 1 ? "" : "s");
    cr_expect(strncmp(run.detail, device.isa, strlen(device.isa)) == 0, "%s", run.detail);
    cr_expect(strstr(run.detail, " stores"), "%s", run.detail);
    cr_expect(strstr(run.detail, "pages"), "%s", run.detail);
    cr_expect(strstr(run.detail, threads), "%s", run.detail);
    method_run_close(&run);
}

/* By what one thread goes through, and a core has for itself; where that is not known, or little, by one MiB. */
Test(cpu, stores_stream_where_a_cores_own_caches_are_outgrown)
{
    static const struct {
        double core_cache;
        int64_t n; /* the largest whose three arrays fit */
        unsigned threads;
    } rows[] = { { 4 << 20, 349525, 1 }, { 2 << 20, 174762, 1 }, { 1 << 20, 87381, 1 },
                 { 1 << 18, 87381, 1 },  { 0, 87381, 1 },        { 4 << 20, 699050, 2 } };
    struct device device = device_list();
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        device.core_cache = rows[i].core_cache;
        struct method_run within = run_make(&device, rows[i].threads, rows[i].n),
                          beyond = run_make(&device, rows[i].threads, rows[i].n + 1);
        cr_expect(strstr(within.detail, ", ordinary stores,"), "%g bytes: %s", rows[i].core_cache, within.detail);
        cr_expect(strstr(beyond.detail, ", " NATIVE_STREAMING ","), "%g bytes: %s", rows[i].core_cache, beyond.detail);
        method_run_close(&within);
        method_run_close(&beyond);
    }
}

Test(cpu, tells_which_pages_it_was_really_given)
{
    struct device device = device_list();
    struct host host;
    cr_assert(host_read(&host, "", 0, NULL));
    if (strcmp(host.huge_pages, "madvise") != 0 && strcmp(host.huge_pages, "always") != 0)
        cr_skip_test("huge pages are \"%s\" here", host.huge_pages);
    struct method_run huge = run_make(&device, 0, 4000000);
    cr_expect(strstr(huge.detail, "huge pages"), "%s", huge.detail); /* all, or a share where memory is fragmented */
    method_run_close(&huge);

    cr_assert_eq(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
    struct method_run base = run_make(&device, 0, 4000000);
    cr_expect(strstr(base.detail, "KiB pages") && !strstr(base.detail, "huge"), "%s", base.detail);
    method_run_close(&base);
}

Test(cpu, says_how_many_threads_share_a_run)
{
    static const struct {
        unsigned threads;
        const char *workload, *shape, *expected;
    } rows[] = {
        { 1, "multiply", "n=4000000", ", 1 thread" },
        { 2, "multiply", "n=4000000", ", 2 threads" },
        { 3, "multiply", "n=4000000", ", 3 threads" },
        { 3, "multiply", "n=50000", ", 2 threads" }, /* 600 KB, at least 256 KiB each */
        { 2, "multiply", "n=1000", ", 1 thread" },
        { 2, "matmul", "192", ", 2 threads" }, /* 442 KB, and 14 MFLOP, of which 16 count as a byte */
        { 2, "matmul", "64", ", 1 thread" },
    };
    struct device device = device_list();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct method_run run;
        const struct method_terms terms = { .dtype = DTYPE_F32, .device = &device, .threads = rows[i].threads };
        cr_assert(method_run_open(&run, rows[i].workload, "native", rows[i].shape, &terms), "%s", run.err.message);
        const char *last_part = strrchr(run.detail, ',');
        cr_expect(last_part && strcmp(last_part, rows[i].expected) == 0, "%s, but expected \"%s\"", run.detail,
                  rows[i].expected);
        method_run_close(&run);
    }
}

Test(cpu, gives_the_same_bits_with_every_instruction_set_and_number_of_threads)
{
    enum { N = 500009 };
    static const char *const isas[] = { "baseline", "avx2", "avx512", "of a processor to come", "" };
    static const enum dtype dtypes[] = { DTYPE_F32, DTYPE_F64, DTYPE_F16 };
    struct device device = device_list();
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
        struct method_run plain = run_make_of(dtypes[k], &device, 1, N);
        const void *expected = run_result(&plain);
        for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
            for (unsigned threads = 1; threads < 5; threads++) {
                snprintf(device.isa, sizeof device.isa, "%s", isas[i]);
                struct method_run run = run_make_of(dtypes[k], &device, threads, N);
                cr_expect_eq(memcmp(run_result(&run), expected, N * dtype_bytes(dtypes[k])), 0, "%s", run.detail);
                cr_expect(i > 0 || strncmp(run.detail, "baseline, ", 10) == 0, "%s", run.detail);
                method_run_close(&run);
            }
        method_run_close(&plain);
    }
}

Test(cpu, says_where_it_computes_in_another_type)
{
    struct device device = device_list();
    struct method_run half = run_make_of(DTYPE_F16, &device, 1, 100), plain = run_make(&device, 1, 100);
    cr_expect(strstr(half.detail, " stores, computed in f32, "), "%s", half.detail);
    cr_expect_not(strstr(plain.detail, "computed in"), "%s", plain.detail);
    method_run_close(&half);
    method_run_close(&plain);
}

Test(cpu, refuses_more_memory_than_there_is_with_both_numbers)
{
    struct device device = device_list();
    const struct backend *backend = backend_find("cpu");
    struct error err = { .status = STATUS_OK };
    struct session *session = backend->open(&device, 0, &err);
    double available = host_memory_available("");
    if (!isfinite(available))
        cr_skip_test("the memory available here is unknown");

    cr_expect_null(backend->alloc(session, (size_t)(2 * available), MEMORY_PAGEABLE, &err));
    cr_expect_eq(err.status, STATUS_NO_MEMORY);
    cr_expect(strstr(err.message, "B requested, ") && strstr(err.message, "B available"), "%s", err.message);
    err.status = STATUS_OK;
    cr_expect_null(backend->alloc(session, SIZE_MAX, MEMORY_PAGEABLE, &err));
    cr_expect_eq(err.status, STATUS_NO_MEMORY);
    backend->close(session);
}

Test(cpu, has_nothing_to_pin_or_map)
{
    struct device device = device_list();
    const struct backend *backend = backend_find("cpu");
    struct session *session = backend->open(&device, 0, NULL);
    for (enum memory memory = MEMORY_PINNED; memory < MEMORY_COUNT; memory++) {
        struct error err = { .status = STATUS_OK };
        cr_expect_null(backend->alloc(session, 4096, memory, &err));
        cr_expect_eq(err.status, STATUS_UNSUPPORTED);
        cr_expect(strstr(err.message, memory == MEMORY_PINNED ? "nothing to pin" : "nothing to map"), "%s",
                  err.message);
    }
    backend->close(session);
}

Test(cpu, refuses_what_does_not_fit_a_buffer)
{
    struct device device = device_list();
    const struct backend *backend = backend_find("cpu");
    struct error err = { .status = STATUS_OK };
    struct session *session = backend->open(&device, 0, &err);
    const struct workload *workload = workload_find("multiply");
    struct problem problem = { .workload = workload, .dtype = DTYPE_F32, .dim = { 25 } };
    struct job job = { .problem = &problem, .method = method_find(workload, "native") };
    for (size_t bytes = 100; bytes < 4096 + 100; bytes += 4000) {
        struct buffer *buffer = backend->alloc(session, bytes, MEMORY_PAGEABLE, &err);
        for (unsigned i = 0; i < 3; i++)
            job.operand[i] = (struct binding){ buffer, i == 2 ? 4096 : 0, 100 };
        char detail[DETAIL_MAX];
        cr_expect_null(backend->prepare(session, &job, detail, &err), "a buffer of %zu bytes", bytes);
        cr_expect(strstr(err.message, "do not fit in a buffer of"), "%s", err.message);
        backend->release(session, buffer);
    }
    backend->close(session);
}

Test(cpu, variables_that_hold_it_back_are_found)
{
    static const char *const levels[] = { "baseline", "avx2", "avx512" };
    static const struct {
        const char *variable, *value;
        unsigned threads;
        const char *least; /* instruction set of a machine that it holds back; NULL: of none */
        const char *effect;
    } cases[] = {
        { "ONEDNN_MAX_CPU_ISA", "avx2", 4, "avx512",
          "ONEDNN_MAX_CPU_ISA=avx2 keeps oneDNN from wider instruction sets" },
        { "ONEDNN_MAX_CPU_ISA", "AVX2_VNNI_2", 4, "avx512",
          "ONEDNN_MAX_CPU_ISA=AVX2_VNNI_2 keeps oneDNN from wider instruction sets" },
        { "ONEDNN_MAX_CPU_ISA", "AVX", 4, "avx2", "ONEDNN_MAX_CPU_ISA=AVX keeps oneDNN from wider instruction sets" },
        { "DNNL_MAX_CPU_ISA", "SSE41", 4, "avx2", "DNNL_MAX_CPU_ISA=SSE41 keeps oneDNN from wider instruction sets" },
        { "ONEDNN_MAX_CPU_ISA", "ALL", 4, NULL, NULL },
        { "ONEDNN_MAX_CPU_ISA", "nonsense", 4, NULL, NULL },
        { "DNNL_CPU_ISA_HINTS", "PREFER_YMM", 4, "avx512",
          "DNNL_CPU_ISA_HINTS=PREFER_YMM keeps oneDNN from 512-bit vectors" },
        { "DNNL_CPU_ISA_HINTS", "NO_HINTS", 4, NULL, NULL },
        { "ONEDNN_CPU_ISA_HINTS", "AVX2", 4, NULL, NULL },
        { "ONEDNN_MAX_CPU_ISA", "PREFER_YMM", 4, NULL, NULL },
        { "OMP_THREAD_LIMIT", "3", 4, "baseline", "OMP_THREAD_LIMIT=3 leaves cores unused" },
        { "OMP_THREAD_LIMIT", "4", 4, NULL, NULL },
        { "OMP_THREAD_LIMIT", "many", 4, NULL, NULL },
        { "OMP_DYNAMIC", "TRUE", 4, NULL, NULL },
        { "OMP_NUM_THREADS", "1", 4, NULL, NULL },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cpu_limit limit[CPU_LIMITS_MAX];
        setenv(cases[i].variable, cases[i].value, 1);
        for (unsigned here = 0; here < 3; here++) {
            const bool wanted = cases[i].least && here >= name_find(cases[i].least, levels, 3);
            isa = levels[here];
            unsigned limits = cpu_limits(limit, getenv, cases[i].threads);
            cr_expect_eq(limits, wanted, "%s=%s on %s: %u", cases[i].variable, cases[i].value, isa, limits);
            cr_expect(!wanted || strcmp(limit[0].effect, cases[i].effect) == 0, "%s", limit[0].effect);
        }
        unsetenv(cases[i].variable);
    }
}
