#include "bench/backends/cpu/openblas.h"
#include "bench/backends/registry.h"
#include "harness/base/text.h"
#include "harness/machine/files.h"
#include "harness/machine/host.h"
#include "tests/support/method_run.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the methods of OpenBLAS promise beyond the contract that backend_suite/ asks of every backend. Where the library
 * itself is absent, its tests are skipped with what the program says about it. */

enum { THREADS = 2 };

static struct openblas openblas_need(void)
{
    struct openblas library;
    struct error err = { .status = STATUS_OK };
    if (!openblas_open(&library, NULL, "", THREADS, &err))
        cr_skip_test("%s", err.message);
    return library;
}

Test(openblas, a_missing_library_is_unsupported_and_the_package_is_named)
{
    struct openblas library;
    struct error err = { .status = STATUS_OK };
    const char *const sonames[] = { "/nowhere/openblas-openmp/libopenblas.so.0", "libnowhere-openblas.so.0", NULL };
    cr_assert_not(openblas_open(&library, sonames, "", THREADS, &err));
    cr_expect_eq(err.status, STATUS_UNSUPPORTED);
    cr_expect(strstr(err.message, "libnowhere-openblas.so.0"), "%s", err.message);
    cr_expect(strstr(err.message, "libopenblas0-openmp"), "%s", err.message);
}

Test(openblas, another_library_by_its_name_is_unsupported)
{
    struct openblas library;
    struct error err = { .status = STATUS_OK };
    const char *const sonames[] = { "libm.so.6", NULL };
    cr_assert_not(openblas_open(&library, sonames, "", THREADS, &err));
    cr_expect_eq(err.status, STATUS_UNSUPPORTED);
    cr_expect(strstr(err.message, "OpenBLAS has no function cblas_sgemm"), "%s", err.message);
}

Test(openblas, is_the_build_that_shares_the_threads_wherever_that_is_installed)
{
    struct openblas library = openblas_need();
    cr_expect_eq(library.threads, THREADS);
    cr_expect_eq(strncmp(library.name, "OpenBLAS ", 9), 0, "%s", library.name);
    cr_expect(strstr(library.name, library.call.get_corename()), "%s", library.name);
    if (!strstr(library.name, "OpenMP build"))
        cr_skip_test("no OpenMP build is installed: %s", library.name);
    cr_expect_eq(library.call.get_parallel(), 2);
}

/* A library that takes the core that the environment names; a process loads it once. */
static const char *const doubles[] = { "libopenblas_double.so", NULL };

static struct device probe(const char *core, const char *asked, const char *one)
{
    struct device device = { .backend = "cpu" };
    setenv("BLAS_DOUBLE_CORE", core, 1);
    asked ? setenv("OPENBLAS_CORETYPE", asked, 1) : unsetenv("OPENBLAS_CORETYPE");
    one ? setenv("BLAS_DOUBLE_ONE", one, 1) : unsetenv("BLAS_DOUBLE_ONE");
    cpu_openblas_probe(&device, doubles);
    return device;
}

/* What this machine has enabled, by its system's list; NULL: nothing beyond what every 64-bit processor has. */
static const char *widest_core(void)
{
    const struct text flags = host_member("", "/proc/cpuinfo", "flags");
    const char *isa = host_isa();
    return strcmp(isa, "avx512") == 0 && text_has_word(flags.text, "avx512cd") ? "SkylakeX"
           : strcmp(isa, "baseline") != 0 && text_has_word(flags.text, "bmi2") ? "Haswell"
                                                                               : NULL;
}

static const char *need_wide(void)
{
    const char *core = widest_core();
    if (!core)
        cr_skip_test("this processor has no AVX2");
    return core;
}

Test(openblas, a_lesser_core_is_replaced_by_one_that_the_machine_has_enabled)
{
    const char *wide = need_wide();
    struct device device = probe("Prescott", NULL, NULL);
    char version[sizeof device.library[0].version];
    snprintf(version, sizeof version, "0.3.99 %s", wide);
    cr_expect_str_eq(device.blas_core, "Prescott");
    cr_expect_str_eq(device.blas_better, wide);
    cr_expect_str_eq(device.blas_bound, "");
    cr_expect_str_eq(device.library[0].name, "OpenBLAS");
    cr_expect_str_eq(device.library[0].version, version);
}

Test(openblas, the_better_core_is_set_before_the_library_is_loaded_and_named)
{
    struct openblas library;
    unsetenv("OPENBLAS_CORETYPE");
    cr_assert(openblas_open(&library, doubles, "SkylakeX", THREADS, NULL));
    cr_expect_str_eq(library.name, "OpenBLAS 0.3.99, OpenMP build, SkylakeX chosen by bench");
}

Test(openblas, without_a_better_core_the_library_chooses)
{
    struct openblas library;
    unsetenv("OPENBLAS_CORETYPE");
    cr_assert(openblas_open(&library, doubles, "", THREADS, NULL));
    cr_expect_str_eq(library.name, "OpenBLAS 0.3.99, OpenMP build, Prescott");
}

Test(openblas, a_core_that_the_user_chose_stays)
{
    const char *wide = need_wide();
    struct device device = probe("Haswell", "Nehalem", NULL);
    cr_expect_str_eq(device.library[0].version, "0.3.99 Nehalem");
    cr_expect_str_eq(device.blas_core, "Nehalem");
    cr_expect_str_eq(device.blas_better, wide);
    cr_expect_str_eq(device.blas_bound, "OPENBLAS_CORETYPE");
}

Test(openblas, a_build_for_one_core_says_so)
{
    const char *wide = need_wide();
    struct openblas library;
    struct device device = probe("Prescott", "SkylakeX", "yes");
    cr_expect_str_eq(device.blas_core, "Prescott");
    cr_expect_str_eq(device.blas_better, wide);
    cr_expect_str_eq(device.blas_bound, "build");
    cr_assert(openblas_open(&library, doubles, "", THREADS, NULL));
    cr_expect_str_eq(library.name, "OpenBLAS 0.3.99, OpenMP build, Prescott");
}

Test(openblas, a_core_of_all_instruction_sets_or_an_unknown_one_is_left_alone)
{
    static const struct {
        const char *core;
        enum isa isa;
        const char *better;
    } cases[] = {
        { "Prescott", ISA_BASELINE, "" },
        { "Prescott", ISA_AVX2, "Haswell" },
        { "Prescott", ISA_AVX512, "SkylakeX" },
        { "prescott", ISA_AVX2, "Haswell" },
        { "Sandybridge", ISA_AVX2, "Haswell" },
        { "Zen", ISA_AVX2, "" },
        { "Zen", ISA_AVX512, "SkylakeX" },
        { "Haswell", ISA_AVX512, "SkylakeX" },
        { "Haswell", ISA_BASELINE, "" },
        { "SkylakeX", ISA_AVX512, "" },
        { "SkylakeX", ISA_AVX2, "" },
        { "Cooperlake", ISA_AVX512, "" },
        { "GraniteRapids", ISA_AVX512, "" },
        { "NEOVERSEN1", ISA_AVX512, "" },
        { "", ISA_AVX512, "" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_str_eq(openblas_better_core(cases[i].core, cases[i].isa), cases[i].better, "%s", cases[i].core);
}

/* The library that is installed here, told to take the kernels of the first 64-bit processors. */
Test(openblas, a_real_library_takes_the_core_that_the_variable_names)
{
    setenv("OPENBLAS_CORETYPE", "Prescott", 1);
    struct openblas library = openblas_need();
    if (strcmp(library.call.get_corename(), "Prescott") != 0)
        cr_skip_test("a build without it: %s", library.name);
    struct device device = { .backend = "cpu" };
    cpu_openblas_probe(&device, NULL);
    cr_expect_str_eq(device.blas_core, "Prescott");
    cr_expect_str_eq(device.blas_better, widest_core() ? widest_core() : "");
    cr_expect_str_eq(device.blas_bound, "OPENBLAS_CORETYPE");
}

/* Why a problem is refused, which needs no operands. */
static struct error refusal(const char *shape, enum dtype dtype)
{
    const struct backend *backend = backend_find("cpu");
    const struct device device = { .isa = "baseline", .threads = THREADS };
    struct problem problem;
    struct error err = { .status = STATUS_OK };
    char detail[DETAIL_MAX];
    cr_assert(problem_parse(&problem, workload_find("matmul"), dtype, shape, &err), "%s", err.message);
    const struct job job = { .problem = &problem, .method = method_find(problem.workload, "openblas") };
    struct session *session = backend->open(&device, THREADS, &err);
    cr_assert_null(backend->prepare(session, &job, detail, &err));
    backend->close(session);
    cr_expect_eq(err.status, STATUS_UNSUPPORTED);
    return err;
}

/* Through the backend, on whole numbers, into a poisoned output; in a process that has not loaded the library yet, as a
 * worker's. Every 64-bit processor has the core Prescott. */
Test(openblas, a_matmul_uses_the_core_that_its_device_names)
{
    struct method_run run;
    const struct device device = { .isa = "avx2", .threads = THREADS, .blas_better = "Prescott" }; /* not listed */
    const struct method_terms terms = { DTYPE_F64, &device, THREADS, true };
    char detail[DETAIL_MAX];
    unsetenv("OPENBLAS_CORETYPE");
    cr_assert(method_run_open(&run, "matmul", "openblas", "m=67,n=131,k=53", &terms) && method_run_once(&run), "%s",
              run.err.message);
    cr_expect(method_run_is_right(&run), "%s", run.err.message);
    strcpy(detail, run.detail);
    method_run_close(&run);
    if (!strstr(detail, "OpenMP build"))
        cr_skip_test("another build: %s", detail);
    cr_expect(strstr(detail, "Prescott chosen by bench"), "%s", detail);
}

/* The user has chosen, or the build has one core alone. */
Test(openblas, a_matmul_leaves_a_core_that_is_bound)
{
    struct method_run run;
    const struct device device = {
        .isa = "avx2", .threads = THREADS, .blas_better = "Prescott", .blas_bound = "build"
    };
    const struct method_terms terms = { DTYPE_F64, &device, THREADS, true };
    unsetenv("OPENBLAS_CORETYPE");
    cr_assert(method_run_open(&run, "matmul", "openblas", "m=67,n=131,k=53", &terms), "%s", run.err.message);
    cr_expect_null(strstr(run.detail, "chosen by bench"), "%s", run.detail);
    method_run_close(&run);
}

Test(openblas, says_of_which_types_it_has_no_gemm)
{
    cr_expect_str_eq(refusal("8", DTYPE_F16).message, "OpenBLAS has no gemm of f16");
    cr_expect(strstr(refusal("8", DTYPE_BF16).message, "no gemm of bf16 that gives bf16: some builds have one"));
}
