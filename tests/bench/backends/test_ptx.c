#include "bench/backends/cuda/nvrtc.h"
#include "bench/backends/cuda/ptx.h"
#include "bench/backends/registry.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The PTX in the program: which GPUs and drivers can use it, that none is used for another text, and that the build
 * covers the suites. The last part is skipped in a build without PTX. */

/* --- the choice, in a made-up table --- */

static const char text[] = "a kernel", options[] = "-DITEMS=256";

/* What is found for that GPU and driver; NULL: nothing, and the reason is in err. */
static const char *found(int toolkit, const char *source, const char *with, int architecture, int driver,
                         struct error *err)
{
    const struct ptx_piece pieces[] = { { ptx_key("another", options), "first" },
                                        { ptx_key(text, options), "second" } };
    const struct ptx all = { pieces, 2, toolkit };
    *err = (struct error){ .status = STATUS_OK };
    const char *it = ptx_find(&all, source, with, architecture, driver, err);
    cr_assert_eq(err->status, it ? STATUS_OK : STATUS_UNSUPPORTED);
    return it;
}

Test(ptx, every_gpu_from_turing_on_can_use_it)
{
    static const int usable[] = { 75, 80, 86, 87, 89, 90, 100, 120, 121 };
    struct error err;
    for (unsigned i = 0; i < sizeof usable / sizeof *usable; i++)
        cr_expect_str_eq(found(12040, text, options, usable[i], 12040, &err), "second");
    cr_expect_null(found(12040, text, options, 72, 12040, &err));
    cr_expect(strstr(err.message, "for sm_75 and newer, the GPU is sm_72"), "%s", err.message);
}

Test(ptx, a_driver_takes_ptx_of_its_own_version_and_of_older_ones)
{
    struct error err;
    cr_expect(found(12040, text, options, 90, 12040, &err));
    cr_expect(found(12040, text, options, 90, 13000, &err));
    cr_expect_null(found(12040, text, options, 90, 12030, &err));
    cr_expect(strstr(err.message, "needs a driver for CUDA 12.4, the driver is for CUDA 12.3"), "%s", err.message);
    cr_expect_null(found(13000, text, options, 90, 12090, &err));
}

Test(ptx, another_text_or_other_options_are_never_found)
{
    static const char *const others[][2] = {
        { "a kernel ", "-DITEMS=256" }, { "", "-DITEMS=256" }, { "a kernel", "-DITEMS=255" },
        { "a kernel", "-DITEMS=256 " }, { "a kernel", "" },    { "a kernel\n", "-DITEMS=256" },
        { "a kernel-", "DITEMS=256" }
    };
    struct error err;
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
        cr_expect_null(found(12040, others[i][0], others[i][1], 80, 13000, &err));
        cr_expect(strstr(err.message, "none for this size"), "%s", err.message);
    }
}

Test(ptx, the_list_of_devices_says_whether_a_gpu_can_use_any)
{
    const struct ptx none = { 0 };
    struct error err;
    cr_expect(found(13000, NULL, NULL, 89, 13000, &err));
    cr_expect_null(found(13000, NULL, NULL, 89, 12080, &err));
    cr_expect_null(found(13000, NULL, NULL, 70, 13000, &err));
    err = (struct error){ .status = STATUS_OK };
    cr_expect_null(ptx_find(&none, NULL, NULL, 89, 13000, &err));
    cr_expect(strstr(err.message, "contains no PTX"), "%s", err.message);
}

/* --- the PTX of this build --- */

static void skip_without_any(void)
{
    if (ptx_built.count == 0)
        cr_skip_test("this build has no PTX: it has no NVRTC, no GPU of NVIDIA is here, or -Dptx=disabled");
}

/* Common GPUs. The number of multiprocessors decides about forms. */
static const struct gpu {
    const char *name;
    int architecture;
    unsigned units;
} gpus[] = { { "H100", 90, 132 }, { "RTX 4070", 89, 46 }, { "T4", 75, 40 }, { "T400", 75, 6 }, { "B200", 100, 148 } };

static struct device device_of(const struct gpu *gpu)
{
    struct device device = { .backend = "cuda", .platform = "NVIDIA CUDA", .class = CLASS_DGPU, .units = gpu->units };
    for (unsigned dtype = 0; dtype < DTYPE_COUNT; dtype++)
        device.computes[dtype] = true;
    return device;
}

/* Every kernel shape has PTX with its entries. Returns how many were checked. */
static unsigned check_method(const struct problem *problem, const struct method *method, const struct gpu *gpu)
{
    const struct device device = device_of(gpu);
    const struct portable *portable = method->portable;
    struct error err = { .status = STATUS_OK };
    char with[NVRTC_OPTIONS], shape[SHAPE_MAX], entry[64];
    if (!method_is_for(method, problem))
        return 0;
    if (method->suits && !method->suits(problem, &device, &err))
        return 0;
    const unsigned shapes = portable->kernel_shapes ? portable->kernel_shapes(problem, &device) : 1;
    for (unsigned k = 0; k < shapes; k++) {
        struct launch launch;
        portable->launch(problem, &device, k, &launch);
        if (!nvrtc_options(problem, portable, &launch, with, &err))
            return 0;
        const char *it = ptx_find(&ptx_built, portable->source, with, gpu->architecture, 99000, &err);
        cr_expect(it, "%s %s %s on %s: %s (%s)", problem->workload->name, dtype_name(problem->dtype),
                  problem_shape(problem, shape), gpu->name, err.message, with);
        cr_expect(!it || strstr(it, ".target sm_75\n"));
        for (unsigned i = 0; it && i < launch.passes; i++) {
            snprintf(entry, sizeof entry, ".entry %s(", launch.pass[i].entry);
            cr_expect(strstr(it, entry), "no %s", entry);
        }
    }
    return shapes;
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

Test(ptx, the_build_has_ptx_for_everything_that_the_suites_launch)
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

/* Sweeps, and peaks for problems of all sizes (bench/schedule/peaks.c). */
Test(ptx, the_build_has_ptx_for_the_sizes_of_sweeps_and_peaks)
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
