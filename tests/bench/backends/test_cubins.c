#include "bench/backends/cuda/cubins.h"
#include "bench/backends/cuda/nvrtc.h"
#include "bench/backends/registry.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The machine code in the program: which piece is used, that none is used for another text, and that the build covers
 * the suites. The last part is skipped in a build without a CUDA Toolkit. */

/* --- the choice, in made-up tables --- */

static const char text[] = "a kernel", options[] = "-DITEMS=256";
static const unsigned char data[] = "of sm_80of sm_86of sm_75of sm_12";

/* A piece of 8 bytes. */
static struct cubin piece(int architecture, int toolkit, size_t start)
{
    return (struct cubin){ cubins_hash(text, strlen(text)), options, architecture, toolkit, start, 8,
                           cubins_hash(data + start, 8) };
}

enum { PIECES = 4 };
static void table_make(struct cubin to[PIECES], int toolkit)
{
    static const int architecture[PIECES] = { 80, 86, 75, 120 };
    for (size_t i = 0; i < PIECES; i++)
        to[i] = piece(architecture[i], toolkit, 8 * i);
}

/* The architecture of the piece found; 0: none. */
static int found(const struct cubins *in, const char *source, const char *with, int architecture, int driver,
                 struct error *err)
{
    *err = (struct error){ .status = STATUS_OK };
    const struct cubin *cubin = cubins_find(in, source, with, architecture, driver, err);
    cr_assert((cubin != NULL) == (err->status == STATUS_OK));
    return cubin ? cubin->architecture : 0;
}

Test(cubins, code_is_for_its_architecture_and_newer_ones_of_the_same_major_version)
{
    static const struct {
        int gpu, code;
    } cases[] = { { 75, 75 }, { 80, 80 },   { 86, 86 },   { 89, 86 }, { 70, 0 }, { 90, 0 },
                  { 60, 0 },  { 120, 120 }, { 121, 120 }, { 100, 0 }, { 87, 0 }, { 110, 0 } };
    struct cubin pieces[PIECES];
    const struct cubins all = { pieces, PIECES, data };
    struct error err;
    table_make(pieces, 12080);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(found(&all, text, options, cases[i].gpu, 13000, &err), cases[i].code, "sm_%d gets sm_%d",
                     cases[i].gpu, found(&all, text, options, cases[i].gpu, 13000, &err));
    found(&all, text, options, 90, 13000, &err);
    cr_expect_eq(err.status, STATUS_UNSUPPORTED);
    cr_expect(strstr(err.message, "for sm_75, sm_80, sm_86, sm_120") && strstr(err.message, "the GPU is sm_90"), "%s",
              err.message);
}

Test(cubins, code_for_tegra_is_for_tegra_only)
{
    const struct cubin pieces[] = { piece(87, 12080, 0), piece(80, 12080, 8) };
    const struct cubins all = { pieces, 2, data };
    struct error err;
    cr_expect_eq(found(&all, text, options, 87, 13000, &err), 87);
    cr_expect_eq(found(&all, text, options, 89, 13000, &err), 80);
}

Test(cubins, another_text_or_other_options_are_never_found)
{
    struct cubin pieces[PIECES];
    const struct cubins all = { pieces, PIECES, data };
    struct error err;
    table_make(pieces, 12080);
    cr_expect_eq(found(&all, "a kernel ", options, 80, 13000, &err), 0);
    cr_expect(err.status == STATUS_UNSUPPORTED && strstr(err.message, "none for this size"), "%s", err.message);
    cr_expect_eq(found(&all, "", options, 80, 13000, &err), 0);
    cr_expect_eq(found(&all, text, "-DITEMS=255", 80, 13000, &err), 0);
    cr_expect_eq(found(&all, text, "-DITEMS=256 ", 80, 13000, &err), 0);
    cr_expect_eq(found(&all, text, "", 80, 13000, &err), 0);
    const struct cubins none = { 0 };
    cr_expect_eq(found(&none, text, options, 80, 13000, &err), 0);
    cr_expect(err.status == STATUS_UNSUPPORTED && strstr(err.message, "no machine code"), "%s", err.message);
}

Test(cubins, a_driver_takes_code_of_its_own_major_version_and_of_older_ones)
{
    struct cubin pieces[PIECES];
    const struct cubins all = { pieces, PIECES, data };
    struct error err;
    table_make(pieces, 13020);
    cr_expect_eq(found(&all, text, options, 86, 13000, &err), 86);
    cr_expect_eq(found(&all, text, options, 86, 14000, &err), 86);
    cr_expect_eq(found(&all, text, options, 86, 12090, &err), 0);
    cr_expect(err.status == STATUS_UNSUPPORTED && strstr(err.message, "for CUDA 13, the driver is for CUDA 12.9"), "%s",
              err.message);
    pieces[0].toolkit = 12000; /* for sm_80: older code that the driver accepts, not the nearer architecture */
    cr_expect_eq(found(&all, text, options, 86, 12090, &err), 80);
}

Test(cubins, the_list_of_devices_says_whether_a_gpu_has_any)
{
    struct cubin pieces[PIECES];
    const struct cubins all = { pieces, PIECES, data }, none = { 0 };
    struct error err = { .status = STATUS_OK };
    table_make(pieces, 13000);
    const struct cubin *any = cubins_find(&all, NULL, NULL, 89, 13000, &err);
    cr_assert(any);
    cr_expect_eq(any->architecture, 86);
    cr_expect_null(cubins_find(&all, NULL, NULL, 89, 12080, NULL));
    cr_expect_null(cubins_find(&all, NULL, NULL, 90, 13000, NULL));
    cr_expect_null(cubins_find(&none, NULL, NULL, 89, 13000, &err));
    cr_expect(strstr(err.message, "no machine code"), "%s", err.message);
}

Test(cubins, damaged_code_is_refused)
{
    unsigned char copy[sizeof data];
    struct cubin pieces[PIECES];
    const struct cubins all = { pieces, PIECES, copy };
    struct error err;
    table_make(pieces, 12080);
    for (unsigned bit = 0; bit < 8 * 8; bit++) {
        memcpy(copy, data, sizeof copy);
        copy[8 + bit / 8] ^= (unsigned char)(1u << bit % 8);
        cr_expect(found(&all, text, options, 86, 13000, &err) == 0 && err.status == STATUS_FAILED, "bit %u", bit);
        cr_expect(strstr(err.message, "damaged"), "%s", err.message);
        cr_expect_eq(found(&all, text, options, 80, 13000, &err), 80, "the others are whole");
    }
}

Test(cubins, they_are_described_in_one_text)
{
    struct cubin pieces[PIECES];
    char to[CUBINS_TEXT];
    table_make(pieces, 12080);
    pieces[3].toolkit = 13000;
    const struct cubins all = { pieces, PIECES, data }, none = { 0 };
    cr_expect_str_eq(cubins_describe(&all, to), "sm_75, sm_80, sm_86, sm_120, by NVRTC 12.8 and 13.0");
    cr_expect_str_eq(cubins_describe(&none, to), "");
}

/* --- the code of this build --- */

static void skip_without_any(void)
{
    if (cubins_built.count == 0)
        cr_skip_test("this build has no machine code: there was no CUDA Toolkit, or -Dcubins=disabled");
}

/* Common GPUs. The number of multiprocessors decides about forms. */
static const struct gpu {
    const char *name;
    int architecture;
    unsigned units;
} gpus[] = { { "H100", 90, 132 }, { "RTX 4070", 89, 46 }, { "T4", 75, 40 }, { "A100", 80, 108 }, { "B200", 100, 148 } };

static struct device device_of(const struct gpu *gpu)
{
    struct device device = { .backend = "cuda", .platform = "NVIDIA CUDA", .class = CLASS_DGPU, .units = gpu->units };
    for (unsigned dtype = 0; dtype < DTYPE_COUNT; dtype++)
        device.computes[dtype] = true;
    return device;
}

static bool contains(const unsigned char *image, size_t bytes, const char *what)
{
    return memmem(image, bytes, what, strlen(what)) != NULL;
}

/* A cubin is an ELF file for NVIDIA's machine (190), with a section for each kernel. */
static void check_image(const struct cubin *cubin, const struct launch *launch)
{
    const unsigned char *image = cubins_built.data + cubin->start;
    char section[64];
    cr_assert(cubin->bytes > 64 && memcmp(image, "\177ELF", 4) == 0);
    cr_expect_eq(image[18] + 256 * image[19], 190);
    for (unsigned i = 0; i < launch->passes; i++) {
        snprintf(section, sizeof section, ".text.%s", launch->pass[i].entry);
        cr_expect(contains(image, cubin->bytes, section), "no %s", section);
    }
}

static unsigned check_method(const struct problem *problem, const struct method *method, const struct gpu *gpu)
{
    const struct device device = device_of(gpu);
    struct launch launch;
    struct error err = { .status = STATUS_OK };
    char with[NVRTC_OPTIONS], shape[SHAPE_MAX];
    if (method->suits && !method->suits(problem, &device, &err))
        return 0;
    method->portable->launch(problem, &device, 0, &launch);
    if (!nvrtc_options(problem, method->portable, &launch, with, &err))
        return 0;
    const struct cubin *cubin =
        cubins_find(&cubins_built, method->portable->source, with, gpu->architecture, 99000, &err);
    cr_expect(cubin, "%s %s %s on %s: %s (%s)", problem->workload->name, dtype_name(problem->dtype),
              problem_shape(problem, shape), gpu->name, err.message, with);
    if (!cubin)
        return 0;
    cr_expect_eq(cubin->architecture, gpu->architecture);
    check_image(cubin, &launch);
    return 1;
}

static unsigned check_shape(const struct workload *workload, const char *shape)
{
    unsigned checked = 0;
    for (unsigned dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        struct problem problem;
        struct error err = { .status = STATUS_OK };
        if (!(workload->dtypes & 1u << dtype))
            continue;
        cr_assert(problem_parse(&problem, workload, (enum dtype)dtype, shape, &err), "%s", err.message);
        for (const struct method *method = workload->methods; method->name; method++)
            for (unsigned i = 0; method->portable && i < sizeof gpus / sizeof *gpus; i++)
                checked += check_method(&problem, method, &gpus[i]);
    }
    return checked;
}

Test(cubins, the_build_has_code_for_everything_that_the_suites_launch)
{
    skip_without_any();
    unsigned checked = 0;
    for (unsigned i = 0; workloads[i]; i++) {
        if (!workloads[i]->methods)
            continue;
        for (unsigned k = 0; workloads[i]->suite_sizes[k].shape; k++)
            checked += check_shape(workloads[i], workloads[i]->suite_sizes[k].shape);
        if (workloads[i]->small) /* the check of guard bands */
            checked += check_shape(workloads[i], workloads[i]->small);
    }
    cr_expect_geq(checked, 100);
}

/* Sweeps, and ceilings for problems of all sizes (bench/schedule/ceilings.c). */
Test(cubins, the_build_has_code_for_the_sizes_of_sweeps_and_ceilings)
{
    skip_without_any();
    static const int64_t multiples[] = { 1, 2, 3, 7, 16, 33, 64 };
    const struct workload *matmul = workload_find("matmul"), *conv = workload_find("conv"),
                          *peak = workload_find("peak");
    char shape[SHAPE_MAX];
    for (unsigned i = 0; i < sizeof multiples / sizeof *multiples; i++) {
        const int m = (int)(16 * multiples[i]), odd = (int)(131 * multiples[i]);
        snprintf(shape, sizeof shape, "m=%d,n=%d,k=%d", m, m, m);
        cr_expect_gt(check_shape(matmul, shape), 0);
        snprintf(shape, sizeof shape, "m=%d,n=%d,k=%d", odd, odd, odd);
        cr_expect_gt(check_shape(matmul, shape), 0);
        snprintf(shape, sizeof shape, "n=%d,c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1", (int)multiples[i]);
        cr_expect_gt(check_shape(conv, shape), 0);
        snprintf(shape, sizeof shape, "kind=triad,bytes=%d", 1 << (16 + i));
        cr_expect_gt(check_shape(peak, shape), 0);
    }
}

Test(cubins, the_code_of_the_build_is_of_the_present_texts)
{
    skip_without_any();
    const struct workload *multiply = workload_find("multiply");
    const struct portable *portable = method_find(multiply, "portable")->portable;
    char *changed = malloc(strlen(portable->source) + 2);
    struct error err = { .status = STATUS_OK };
    unsigned of_text = 0;
    cr_assert(changed);
    sprintf(changed, "%s\n", portable->source);
    for (unsigned i = 0; i < cubins_built.count; i++)
        if (cubins_built.cubin[i].text == cubins_hash(portable->source, strlen(portable->source))) {
            of_text++;
            cr_expect_null(cubins_find(&cubins_built, changed, cubins_built.cubin[i].options,
                                       cubins_built.cubin[i].architecture, 99000, &err));
        }
    cr_expect_gt(of_text, 0);
    free(changed);
}
