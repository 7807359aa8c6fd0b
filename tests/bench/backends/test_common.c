/* What the backends share: scratch memory, the texts of compilers, the limits of groups and buffers, routines by name,
 * and the cache of a driver. */

#include "bench/backends/common/driver_cache.h"
#include "bench/backends/common/kernel.h"
#include "bench/backends/common/scratch.h"
#include "bench/backends/common/task.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A session that counts its buffers. */
struct session {
    unsigned allocated, released;
};

static struct buffer *alloc(struct session *session, size_t bytes, enum memory memory, struct error *err)
{
    session->allocated++;
    return malloc(bytes);
}

static void release(struct session *session, struct buffer *buffer)
{
    session->released++;
    free(buffer);
}

/* Each asks after the one before, and all give back what they have at the end, in the order of `gives`. */
Test(scratch, is_shared_by_tasks_where_it_is_large_enough_and_keeps_no_other_operand)
{
    enum { TASKS = 3 };
    static const struct {
        struct {
            size_t bytes;
            uint64_t operand;
        } task[TASKS];
        unsigned allocated;
    } rows[] = {
        { { { 100, 0 }, { 100, 0 }, { 50, 0 } }, 1 },  { { { 50, 0 }, { 100, 0 }, { 100, 0 } }, 2 },
        { { { 50, 0 }, { 100, 0 }, { 150, 0 } }, 3 },  { { { 100, 7 }, { 100, 7 }, { 100, 7 } }, 1 },
        { { { 100, 7 }, { 100, 8 }, { 100, 8 } }, 2 }, { { { 100, 7 }, { 100, 0 }, { 100, 7 } }, 3 },
    };
    static const unsigned gives[][TASKS] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 0, 2 } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned k = 0; k < sizeof gives / sizeof *gives; k++) {
            struct session session = { 0 };
            struct scratch_pool pool = { { NULL } };
            struct scratch_buffer *taken[TASKS][SCRATCH_MAX] = { { NULL } };
            struct error err = { .status = STATUS_OK };
            for (unsigned task = 0; task < TASKS; task++) {
                taken[task][1] = scratch_share(&pool, 1, rows[i].task[task].operand, rows[i].task[task].bytes, &session,
                                               alloc, &err);
                cr_assert(taken[task][1] && taken[task][1]->bytes >= rows[i].task[task].bytes, "%s", err.message);
                cr_expect_eq(taken[task][1]->operand, rows[i].task[task].operand);
            }
            cr_expect_eq(session.allocated, rows[i].allocated, "row %u: %u", i, session.allocated);
            for (unsigned give = 0; give < TASKS; give++) {
                cr_expect_eq(pool.latest[1], give == 0 || pool.latest[1] ? taken[TASKS - 1][1] : NULL);
                scratch_give(&pool, taken[gives[k][give]], &session, release);
            }
            cr_expect_eq(session.released, session.allocated, "row %u: %u", i, session.released);
            cr_expect_null(pool.latest[1]);
        }
}

/* What is given back is not the latest: that is still there for the next task. */
Test(scratch, that_is_the_latest_stays_when_an_older_one_goes)
{
    struct session session = { 0 };
    struct scratch_pool pool = { { NULL } };
    struct error err = { .status = STATUS_OK };
    struct scratch_buffer *older[SCRATCH_MAX] = { scratch_share(&pool, 0, 0, 50, &session, alloc, &err) };
    struct scratch_buffer *latest[SCRATCH_MAX] = { scratch_share(&pool, 0, 0, 100, &session, alloc, &err) };
    scratch_give(&pool, older, &session, release);
    struct scratch_buffer *next[SCRATCH_MAX] = { scratch_share(&pool, 0, 0, 80, &session, alloc, &err) };
    cr_expect_eq(next[0], latest[0]);
    scratch_give(&pool, latest, &session, release);
    scratch_give(&pool, next, &session, release);
    cr_expect(session.allocated == 2 && session.released == 2);
}

Test(kernels, that_do_not_compile_are_reported_from_the_first_error_on)
{
    static const struct {
        const char *log, *message;
    } rows[] = { { "x.cl:3:1: error: no semicolon", "the kernel does not compile: x.cl:3:1: error: no semicolon" },
                 { "x.cl:1: warning: unused\nx.cl:3: error: first\nx.cl:4: error: second",
                   "the kernel does not compile: x.cl:3: error: first x.cl:4: error: second" },
                 { "the driver gave up", "no kernel was built: the driver gave up" } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = { .status = STATUS_OK };
        cr_expect_not(kernel_build_fail(&err, "clBuildProgram", rows[i].log));
        cr_expect_str_eq(err.message, rows[i].message, "%s", err.message);
        cr_expect(err.status == STATUS_FAILED && strcmp(err.where, "clBuildProgram") == 0);
    }
}

Test(kernels, with_groups_beyond_the_limits_of_a_device_are_refused)
{
    static const struct {
        size_t group, shared;
        const char *refusal;
    } rows[] = { { 64, 1000, NULL },
                 { 65, 1000, "groups of 65 work-items, the device allows 64" },
                 { 64, 1001, "groups that share 1001 bytes of local memory, the device has 1000" } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = { .status = STATUS_OK };
        const struct launch launch = { .passes = 2, .pass = { { .group = 1 }, { .group = rows[i].group } } };
        struct launch own = launch;
        own.pass[1].shared = rows[i].shared;
        cr_expect_eq(kernel_groups_fit(&own, 64, 1000, &err), !rows[i].refusal);
        cr_expect(!rows[i].refusal || strcmp(err.message, rows[i].refusal) == 0, "%s", err.message);
    }
}

Test(buffers, have_bytes_up_to_their_end)
{
    static const struct {
        size_t room, offset, bytes;
        bool has;
    } rows[] = { { 100, 0, 100, true },  { 100, 40, 60, true },  { 100, 100, 0, true },      { 100, 0, 101, false },
                 { 100, 40, 61, false }, { 100, 101, 0, false }, { 100, 1, SIZE_MAX, false } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(buffer_has(rows[i].room, rows[i].offset, rows[i].bytes, NULL), rows[i].has, "row %u", i);
}

static bool open_nothing(void *work, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                         struct error *err)
{
    return true;
}

static const struct routine generic = { .open = open_nothing }, library = { .workload = { "matmul" },
                                                                            .method = { "onednn", "onednn-gemm" },
                                                                            .open = open_nothing };

Test(routines, are_found_by_workload_and_method)
{
    static const struct routine *const others[] = { &library, NULL };
    static const struct build_library lacking[] = { { "oneDNN", NULL }, { "OpenBLAS", "libopenblas-dev" }, { 0 } };
    static const struct {
        const char *workload, *shape, *method;
        unsigned parts;
        const char *refusal;
    } rows[] = {
        { "matmul", "8", "onednn", 1, NULL },
        { "matmul", "8", "onednn-gemm", 1, NULL },
        { "matmul", "8", "openblas", 1,
          "this program was built without OpenBLAS: install libopenblas-dev and build again" },
        { "matmul", "8", "clblast", 1, "matmul has no clblast for the CPU" },
        { "train", "8", "onednn", 1, "train has no onednn for the CPU" },
        { "matmul", "8", "onednn", 2, "onednn of matmul computes a run as a whole, not in 2 parts" },
        { "matmul", "8", "native", 2, "native of matmul computes a run as a whole, not in 2 parts" },
        { "overlap", "n=10000,chunks=2", "native", 2, NULL },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = { .status = STATUS_OK };
        struct problem problem;
        char detail[DETAIL_MAX];
        cr_assert(problem_parse(&problem, workload_find(rows[i].workload), DTYPE_F32, rows[i].shape, &err), "%s",
                  err.message);
        const struct job job = { .problem = &problem,
                                 .method = method_find(problem.workload, rows[i].method),
                                 .parts = rows[i].parts };
        const struct routines routines = { "the CPU", &generic, others, lacking };
        struct task *task = task_prepare(&routines, NULL, &job, detail, &err);
        cr_expect_eq(task == NULL, rows[i].refusal != NULL, "row %u: %s", i, err.message);
        cr_expect(task || (err.status == STATUS_UNSUPPORTED && strcmp(err.message, rows[i].refusal) == 0), "%s",
                  err.message);
        task_discard(task);
    }
}

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

Test(driver_cache, is_where_pocl_looks_for_it)
{
    static const struct {
        const char *chosen, *cache, *home, *folder;
    } rows[] = { { "/a", "/b", "/c", "/a" },
                 { "", "/b", "/c", "/b/pocl/kcache" },
                 { NULL, "/b", "/c", "/b/pocl/kcache" },
                 { NULL, "", "/c", "/c/.cache/pocl/kcache" },
                 { NULL, NULL, NULL, "/tmp/pocl/kcache" } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char folder[128];
        set("POCL_CACHE_DIR", rows[i].chosen);
        set("XDG_CACHE_HOME", rows[i].cache);
        set("HOME", rows[i].home);
        driver_cache_find(folder, sizeof folder);
        cr_expect_str_eq(folder, rows[i].folder, "row %u: %s", i, folder);
    }
}

Test(driver_cache, is_suspected_of_pocl_alone_and_only_if_it_is_used)
{
    static const struct {
        const char *driver, *is_used, *flags, *suspicion;
    } rows[] = {
        { "Portable Computing Language", NULL, NULL, "; its cache /a may be damaged: see 'bench doctor'" },
        { "/usr/lib/libpocl.so.2", "1", NULL, "; its cache /a may be damaged: see 'bench doctor'" },
        { "Portable Computing Language", "0", NULL, "" },
        { "Portable Computing Language", "0", "-O0", "; POCL_EXTRA_BUILD_FLAGS is \"-O0\": unset it" },
        { "Portable Computing Language", NULL, "-O0", "; POCL_EXTRA_BUILD_FLAGS is \"-O0\": unset it" },
        { "NVIDIA CUDA", NULL, "-O0", "" },
    };
    set("POCL_CACHE_DIR", "/a");
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200] = "";
        set("POCL_KERNEL_CACHE", rows[i].is_used);
        set("POCL_EXTRA_BUILD_FLAGS", rows[i].flags);
        driver_cache_suspect(rows[i].driver, text, sizeof text);
        cr_expect_str_eq(text, rows[i].suspicion, "row %u: %s", i, text);
    }
}
