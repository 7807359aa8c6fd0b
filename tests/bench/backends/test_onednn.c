#include "bench/backends/cpu/onednn_work.h"
#include "bench/backends/registry.h"
#include "harness/machine/host.h"
#include "harness/measure/verify.h"
#include "tests/support/isa.h"
#include "tests/support/method_run.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the methods of oneDNN promise beyond the contract that backend_suite/ asks of every backend. Where the library
 * itself is absent, its tests are skipped with what the program says about it. */

enum { ALL = 7 };

/* method: "conv onednn". Without the library the test is skipped. */
static struct method_run run_make(const char *method, enum dtype dtype, const char *shape, bool is_whole)
{
    char workload[16];
    struct method_run run;
    const struct method_terms terms = { .dtype = dtype, .is_whole = is_whole };
    snprintf(workload, sizeof workload, "%.*s", (int)strcspn(method, " "), method);
    if (!method_run_open(&run, workload, strchr(method, ' ') + 1, shape, &terms) &&
        strcmp(run.err.where, "dlopen") == 0)
        cr_skip_test("%s", run.err.message);
    return run;
}

static struct method_run run_need(const char *method, const char *shape, bool is_whole)
{
    struct method_run run = run_make(method, DTYPE_F32, shape, is_whole);
    cr_assert(run.task, "%s %s: %s", method, shape, run.err.message);
    return run;
}

/* Runs it, bringing only `in` into its layout, and only `back` out of it; every element must be right. */
static bool run_is_right(struct method_run *run, unsigned in, unsigned back)
{
    cr_assert(method_run_repack(run, in, REPACK_IN) && method_run_once(run) &&
                  method_run_repack(run, back & 1u << run->output, REPACK_BACK),
              "%s", run->err.message);
    return method_run_is_right(run);
}

static const char *const blocked[] = { "matmul onednn m=256,n=192,k=128",
                                       "conv onednn n=2,c=16,h=14,w=14,k=32,r=3,s=3,stride=1,pad=1" };

static struct method_run run_blocked(size_t i)
{
    char method[64];
    const char *shape = strrchr(blocked[i], ' ') + 1;
    snprintf(method, sizeof method, "%.*s", (int)(shape - 1 - blocked[i]), blocked[i]);
    return run_need(method, shape, true);
}

Test(onednn, is_wrong_without_repacking_any_one_operand_that_it_says_it_repacks)
{
    for (size_t i = 0; i < sizeof blocked / sizeof *blocked; i++) {
        struct method_run run = run_blocked(i);
        unsigned repacks = run.backend->repacks(run.task);
        bool has_plain_gemm = strstr(run.detail, "gemm:jit"); /* versions before 2.6: takes matrices as they are */
        cr_expect(repacks & 1u << 1 || has_plain_gemm, "weights are blocked: %s", run.detail);
        for (unsigned k = 0; k < run.operands; k++) {
            if (!(repacks & 1u << k))
                continue;
            run.err.status = STATUS_OK;
            struct method_run fresh = run_blocked(i);
            bool is_output = fresh.operand[k].role == ROLE_OUTPUT;
            cr_expect_not(run_is_right(&fresh, is_output ? ALL : ALL & ~(1u << k), is_output ? 0 : ALL),
                          "%s: operand %u was not repacked, and no check noticed", blocked[i], k);
            cr_expect_eq(fresh.err.status, STATUS_WRONG);
            method_run_close(&fresh);
        }
        cr_expect(run_is_right(&run, ALL, ALL), "%s", run.err.message);
        method_run_close(&run);
    }
}

Test(onednn, carries_the_poison_of_an_output_into_its_own_layout)
{
    struct method_run run = run_blocked(1);
    if (!(run.backend->repacks(run.task) & 1u << 2))
        cr_skip_test("the output is as the workload states it: %s", run.detail);
    cr_assert(run_is_right(&run, ALL, ALL), "%s", run.err.message);
    float *output = run.view[2];
    verify_poison(output, DTYPE_F32, run.operand[2].count);
    cr_assert(method_run_repack(&run, 1u << 2, REPACK_IN));
    output[0] = 0;
    cr_assert(method_run_repack(&run, 1u << 2, REPACK_BACK));
    cr_expect(isnan(output[0]), "what an earlier run left would pass for an answer");
    method_run_close(&run);
}

/* Bytes that this process holds. */
static double resident(void)
{
    long total = 0, pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    cr_assert(statm && fscanf(statm, "%ld %ld", &total, &pages) == 2);
    fclose(statm);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* The second and third matmul have a thin B, which blocks would fill up with zeros. */
Test(onednn, takes_no_more_memory_than_its_workspace_says)
{
    static const struct {
        const char *method, *shape;
    } large[] = {
        { "matmul onednn", "m=1000,n=4000,k=4000" },
        { "matmul onednn", "m=8,n=300000,k=63" },
        { "matmul onednn", "m=8,n=63,k=300000" },
        { "conv onednn", "n=32,c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1" },
        { "conv onednn", "n=8,c=3,h=224,w=224,k=64,r=3,s=3,stride=1,pad=1" },
        { "conv onednn-winograd", "n=32,c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1" },
        { "conv onednn-winograd", "n=8,c=3,h=224,w=224,k=64,r=3,s=3,stride=1,pad=1" },
    };
    const double own = 16e6; /* code that is compiled, pages of the library, rounding to huge pages */
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        const char *method = large[i].method, *shape = large[i].shape;
        struct method_run first = run_make(method, DTYPE_F32, shape, true);
        bool is_there = first.task;
        method_run_close(&first);
        if (!is_there)
            continue;
        struct method_run run = run_make(method, DTYPE_F32, shape, true);
        double with = resident(), said = run.method->workspace(&run.problem);
        bool repacks = run.backend->repacks(run.task) != 0;
        run.backend->discard(run.task);
        run.task = NULL;
        double held = with - resident();
        cr_expect_leq(held, said + own, "%s %s: %g bytes, but it says %g", method, shape, held, said);
        cr_expect(!repacks || held >= said / 8, "%s %s: %g bytes, but it says %g", method, shape, held, said);
        method_run_close(&run);
    }
}

static const char *const methods[] = { "matmul onednn", "matmul onednn-gemm", "conv onednn", "conv onednn-winograd" };
static const char *const method_shapes[] = { "m=67,n=131,k=70", "m=67,n=131,k=70", "n=2,c=16,h=14,w=14,k=16,r=3,s=3",
                                             "n=2,c=16,h=14,w=14,k=16,r=3,s=3" };

Test(onednn, says_that_it_has_no_double_precision)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct method_run run = run_make(methods[i], DTYPE_F64, method_shapes[i], true);
        cr_expect_null(run.task);
        cr_expect_eq(run.err.status, STATUS_UNSUPPORTED);
        cr_expect(strstr(run.err.message, "of f64 on a CPU"), "%s", run.err.message);
        method_run_close(&run);
    }
}

Test(onednn, says_what_f16_takes_and_blames_no_size)
{
    for (size_t i = 0; i < 3; i += 2) { /* by the primitives */
        struct method_run run = run_make(methods[i], DTYPE_F16, method_shapes[i], false);
        const char *says = run.err.message;
        cr_expect(run.task || (strstr(says, "AVX512-FP16") && !strchr(says, '=')), "%s", says);
        method_run_close(&run);
    }
}

Test(onednn, has_bf16_on_processors_with_avx512)
{
    if (!isa_runs("avx512"))
        cr_skip_test("this processor does not run avx512");
    for (size_t i = 0; i < 3; i += 2) { /* by the primitives */
        struct method_run run = run_make(methods[i], DTYPE_BF16, method_shapes[i], false);
        cr_expect(run.task, "%s", run.err.message);
        cr_expect(!run.task || !strstr(run.detail, "computed in f32"), "%s", run.detail);
        method_run_close(&run);
    }
}

Test(onednn, computes_tf32_in_f32_and_says_so)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct method_run run = run_make(methods[i], DTYPE_TF32, method_shapes[i], true);
        struct method_run plain = run_make(methods[i], DTYPE_F32, method_shapes[i], true);
        cr_expect_eq(!run.task, !plain.task, "%s: %s%s", methods[i], run.err.message, plain.err.message);
        if (run.task) {
            cr_expect(strstr(run.detail, ", computed in f32, "), "%s", run.detail);
            cr_expect(!strstr(plain.detail, "computed in"), "%s", plain.detail);
            cr_expect(run_is_right(&run, ALL, ALL), "%s: %s", run.detail, run.err.message);
        }
        method_run_close(&run);
        method_run_close(&plain);
    }
}

Test(onednn, computes_i8_exactly_with_sums_of_32_bits)
{
    for (size_t i = 0; i < 3; i += 2) { /* by the primitives */
        struct method_run run = run_make(methods[i], DTYPE_I8, method_shapes[i], false);
        const bool has_it = i == 0 || host_has_vnni();
        cr_expect_eq(!run.task, !has_it, "%s: %s", methods[i], run.err.message);
        if (run.task) {
            cr_expect(strstr(run.detail, ", computed in i32, "), "%s", run.detail);
            cr_expect(run_is_right(&run, ALL, ALL), "%s: %s", run.detail, run.err.message);
        }
        method_run_close(&run);
    }
}

/* The library reads it once, in the process of this test. */
Test(onednn, refuses_an_i8_convolution_that_it_would_round)
{
    setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
    setenv("DNNL_MAX_CPU_ISA", "AVX2", 1);
    struct method_run run = run_make("conv onednn", DTYPE_I8, "n=2,c=9,h=12,w=11,k=18,r=3,s=3,pad=1", false);
    cr_expect_null(run.task, "%s", run.detail);
    cr_expect_eq(run.err.status, STATUS_UNSUPPORTED);
    cr_expect(strstr(run.err.message, "that is exact here: it needs VNNI"), "%s", run.err.message);
    method_run_close(&run);
}

Test(onednn, refuses_a_convolution_that_would_end_the_process)
{
    static const struct {
        enum dtype dtype;
        const char *shape;
        bool ends; /* version 2, where the processor has AMX */
    } rows[] = { { DTYPE_BF16, "n=1,c=5001,h=3,w=3,k=1,r=3,s=3", true },
                 { DTYPE_BF16, "n=1,c=5001,h=3,w=3,k=1,r=1,s=2", true },
                 { DTYPE_BF16, "n=1,c=5000,h=3,w=3,k=1,r=3,s=3", false },
                 { DTYPE_BF16, "n=1,c=5001,h=3,w=3,k=1,r=1,s=1", false },
                 { DTYPE_F32, "n=1,c=5001,h=3,w=3,k=1,r=3,s=3", false } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct method_run run = run_make("conv onednn", rows[i].dtype, rows[i].shape, false);
        const bool is_refused = strstr(run.err.message, "oneDNN 2 crashes on bf16 convolutions");
        cr_expect_eq(is_refused, rows[i].ends && DNNL_VERSION_MAJOR < 3, "%s: %s", rows[i].shape, run.err.message);
        method_run_close(&run);
    }
}

Test(onednn, says_what_winograd_is_for)
{
    static const char shape[] = "n=3,c=16,h=31,w=29,k=32,r=5,s=5,stride=2,pad=2";
    struct method_run run = run_make("conv onednn-winograd", DTYPE_F32, shape, true);
    cr_expect_null(run.task);
    cr_expect_eq(run.err.status, STATUS_UNSUPPORTED);
    cr_expect(strstr(run.err.message, shape) && strstr(run.err.message, "it needs 3 x 3 filters and stride 1"), "%s",
              run.err.message);
    method_run_close(&run);
}

Test(onednn, tells_version_implementation_layouts_pages_and_threads)
{
    struct method_run run = run_blocked(1);
    cr_expect(strncmp(run.detail, "oneDNN ", 7) == 0, "%s", run.detail);
    cr_expect(strstr(run.detail, ", own layout of ") && strstr(run.detail, "filters, "), "%s", run.detail);
    cr_expect(strstr(run.detail, " pages, ") && strstr(run.detail, " thread"), "%s", run.detail);
    cr_expect(strlen(run.detail) < DETAIL_MAX - 1);
    method_run_close(&run);

    struct method_run gemm = run_need("matmul onednn-gemm", "m=67,n=131,k=53", true);
    cr_expect(strstr(gemm.detail, " sgemm, ") && strstr(gemm.detail, " pages, "), "%s", gemm.detail);
    method_run_close(&gemm);
}

/* B takes less than a huge page, and in blocks of columns more. */
Test(onednn, tells_the_pages_of_the_operands_in_its_own_layout)
{
    const struct text pages = host_huge_pages("");
    if (strcmp(pages.text, "madvise") != 0 && strcmp(pages.text, "always") != 0)
        cr_skip_test("huge pages are \"%s\" here", pages.text);
    struct method_run run = run_need("matmul onednn", "m=8,n=1000,k=520", true);
    if (!strstr(run.detail, "own layout of B"))
        cr_skip_test("B is as the workload states it: %s", run.detail);
    cr_expect(strstr(run.detail, "huge pages"), "%s", run.detail);
    method_run_close(&run);
}

Test(onednn, names_the_package_that_is_missing)
{
    static const char *const nowhere[] = { "libdnnl.so.none-such", "libdnnl.so.0.none-such", NULL };
    struct onednn library;
    struct error err = { .status = STATUS_OK };
    cr_expect_not(onednn_open(&library, nowhere, &err));
    cr_expect_eq(err.status, STATUS_UNSUPPORTED);
    cr_expect(strstr(err.message, "libdnnl.so.0.none-such"), "%s", err.message);
    cr_expect(strstr(err.message, "package libdnnl"), "%s", err.message);
    onednn_close(&library);
}

Test(onednn, says_which_function_another_library_lacks)
{
    static const char *const other[] = { "libm.so.6", NULL };
    struct onednn library;
    struct error err = { .status = STATUS_OK };
    cr_expect_not(onednn_open(&library, other, &err));
    cr_expect_eq(err.status, STATUS_UNSUPPORTED);
    cr_expect(strstr(err.message, "oneDNN has no function dnnl_"), "%s", err.message);
    onednn_close(&library);
}

Test(onednn, makes_a_sentence_of_every_status)
{
    static const struct {
        dnnl_status_t status;
        enum status meaning;
        const char *part;
    } rows[] = {
        { dnnl_out_of_memory, STATUS_NO_MEMORY, "oneDNN 9 found no memory" },
        { dnnl_invalid_arguments, STATUS_FAILED, "invalid" },
        { dnnl_unimplemented, STATUS_UNSUPPORTED, "no implementation" },
        { dnnl_runtime_error, STATUS_FAILED, "failed" },
        { (dnnl_status_t)99, STATUS_FAILED, "status 99" },
    };
    const struct onednn library = { .name = "oneDNN 9" };
    cr_expect(onednn_check(&library, dnnl_success, "dnnl_call", NULL));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = { .status = STATUS_OK };
        cr_expect_not(onednn_check(&library, rows[i].status, "dnnl_call", &err));
        cr_expect_eq(err.status, rows[i].meaning);
        cr_expect_str_eq(err.where, "dnnl_call");
        cr_expect(strstr(err.message, rows[i].part), "%s", err.message);
    }
}

Test(onednn, says_how_many_threads_or_that_they_are_unknown)
{
    static const char *const names[] = { "pages, threads unknown", "pages, 1 thread", "pages, 2 threads" };
    const struct problem problem = { .dtype = DTYPE_F32 };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        char detail[DETAIL_MAX] = "";
        cpu_detail_append(detail, &(struct job){ .problem = &problem }, DTYPE_F32, i);
        cr_expect(strstr(detail, names[i]), "%s", detail);
    }
}
