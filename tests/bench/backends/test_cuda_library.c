#include "bench/backends/cuda/library.h"
#include "bench/backends/cuda/search.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which version of a library is used, on made-up machines: the search below replaces the real one and finds what a test
 * says is installed. */

const char search_places[] = "anywhere";

static const char *const *installed;

bool search_find(const char *file, char path[PATH_MAX])
{
    for (const char *const *name = installed; *name; name++)
        if (strcmp(*name, file) == 0)
            return snprintf(path, PATH_MAX, "/made-up/%s", *name) > 0;
    return false;
}

static const char *known_to_the_loader; /* the name of a library that the loader finds, or NULL */

void *search_load(const char *name)
{
    return known_to_the_loader ? dlopen(known_to_the_loader, RTLD_NOW) : NULL;
}

static const char *const nothing[] = { NULL };
static const char *const only_13[] = { "libcublas.so.13", "libnvrtc.so.13", NULL };
static const char *const only_12[] = { "libcublas.so.12", "libnvrtc.so.12", NULL };
static const char *const both[] = { "libcublas.so.12", "libcublas.so.13", "libnvrtc.so.12", "libnvrtc.so.13", NULL };

/* Architectures by name. */
enum {
    KEPLER = 35,
    MAXWELL = 52,
    PASCAL = 61,
    VOLTA = 70,
    TURING = 75,
    AMPERE = 80,
    HOPPER = 90,
    THOR = 110,
    SPARK = 121,
    LATER = 130
};

static const struct {
    int driver, architecture;
    const char *const *installed;
    const char *path; /* of cuBLAS; NULL: none, for the reason */
    const char *reason;
} choices[] = {
    { 12040, PASCAL, both, "/made-up/libcublas.so.12", NULL },
    { 13000, PASCAL, both, "/made-up/libcublas.so.12", NULL },
    { 13000, VOLTA, both, "/made-up/libcublas.so.12", NULL },
    { 13000, MAXWELL, only_12, "/made-up/libcublas.so.12", NULL },
    { 13000, TURING, both, "/made-up/libcublas.so.13", NULL },
    { 13010, HOPPER, both, "/made-up/libcublas.so.13", NULL },
    { 13000, HOPPER, only_12, "/made-up/libcublas.so.12", NULL },
    { 14000, HOPPER, both, "/made-up/libcublas.so.13", NULL },
    { 12090, HOPPER, both, "/made-up/libcublas.so.12", NULL },
    { 12000, AMPERE, only_12, "/made-up/libcublas.so.12", NULL },
    { 13000, SPARK, both, "/made-up/libcublas.so.13", NULL },
    { 13000, THOR, both, "/made-up/libcublas.so.13", NULL },
    { 14000, LATER, both, "/made-up/libcublas.so.13", NULL },

    { 12040, HOPPER, only_13, NULL,
      "libcublas.so.13 needs a driver for CUDA 13.0, this one is for 12.4; libcublas.so.12 is not found: "
      "BENCH_LIBRARY_PATH may name its directory" },
    { 13000, VOLTA, only_13, NULL,
      "libcublas.so.13 supports GPUs from sm_75 on, this one is sm_70; libcublas.so.12 is not found: "
      "BENCH_LIBRARY_PATH may name its directory" },
    { 14000, LATER, only_12, "/made-up/libcublas.so.12", NULL },
    { 13000, HOPPER, nothing, NULL,
      "needs libcublas.so.13 or libcublas.so.12 of the CUDA Toolkit: not found anywhere" },
    { 12080, HOPPER, nothing, NULL, "needs libcublas.so.12 of the CUDA Toolkit: not found anywhere" },
    { 11080, HOPPER, both, NULL, "libcublas.so.12 needs a driver for CUDA 12.0, this one is for 11.8" },
    { 12040, KEPLER, both, NULL, "libcublas.so.12 supports GPUs from sm_50 on, this one is sm_35" },
};

Test(cuda_library, the_newest_version_for_the_driver_and_the_gpu_is_used)
{
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const struct cuda_target target = { choices[i].driver, choices[i].architecture };
        struct cuda_found found;
        struct error err = { .status = STATUS_OK };
        installed = choices[i].installed;
        const bool is_found = cuda_library_find(CUDA_CUBLAS, &target, &found, &err);
        cr_expect_eq(is_found, choices[i].path != NULL, "%zu: %s", i, err.message);
        if (choices[i].path) {
            cr_expect_str_eq(found.path, choices[i].path, "%zu: %s", i, found.path);
            cr_expect_null(found.handle, "it was to be looked for only");
        } else {
            cr_expect_eq(err.status, STATUS_UNSUPPORTED);
            cr_expect_str_eq(err.message, choices[i].reason, "%zu: %s", i, err.message);
        }
    }
}

Test(cuda_library, a_version_in_no_name_is_the_major_number)
{
    const struct cuda_target target = { 13000, HOPPER };
    struct cuda_found found;
    installed = both;
    cr_assert(cuda_library_find(CUDA_NVRTC, &target, &found, NULL));
    cr_expect_str_eq(found.version, "13");
    cr_expect_str_eq(found.path, "/made-up/libnvrtc.so.13");
    cr_expect_eq(found.cuda, 13);
}

Test(cuda_library, a_name_that_only_the_loader_finds_gets_the_path_of_its_file)
{
    const struct cuda_target target = { 13000, HOPPER };
    struct cuda_found found;
    installed = nothing;
    known_to_the_loader = "libm.so.6";
    cr_assert(cuda_library_find(CUDA_CUBLAS, &target, &found, NULL));
    cr_expect(*found.path == '/' && strstr(found.path, "/libm.so.6"), "%s", found.path);
}

Test(cuda_library, a_newer_one_that_does_not_suit_is_named)
{
    const struct cuda_target older = { 12040, HOPPER }, newer = { 13000, HOPPER };
    struct cuda_found found;
    installed = both;
    cr_assert(cuda_library_find(CUDA_NVRTC, &older, &found, NULL));
    cr_expect_str_eq(found.path, "/made-up/libnvrtc.so.12");
    cr_expect_str_eq(found.passed_over, "libnvrtc.so.13 needs a driver for CUDA 13.0, this one is for 12.4");
    cr_assert(cuda_library_find(CUDA_NVRTC, &newer, &found, NULL));
    cr_expect_str_eq(found.passed_over, "");
    installed = only_12;
    cr_assert(cuda_library_find(CUDA_NVRTC, &older, &found, NULL));
    cr_expect_str_eq(found.passed_over, "");
}

/* cuDNN 9 has one name for several builds. */
static const struct {
    int driver, architecture;
    unsigned cuda;
    const char *reason; /* NULL: it can be used */
} builds[] = {
    { 13000, HOPPER, 13, NULL },
    { 13000, HOPPER, 12, NULL },
    { 12040, HOPPER, 12, NULL },
    { 12040, PASCAL, 12, NULL },
    { 12000, MAXWELL, 12, NULL },
    { 12040, HOPPER, 13, "cuDNN needs a driver for CUDA 13.0, this one is for 12.4" },
    { 13000, PASCAL, 13, "cuDNN supports GPUs from sm_75 on, this one is sm_61" },
    { 11080, VOLTA, 12, "cuDNN needs a driver for CUDA 12.0, this one is for 11.8" },
    /* Before its version is known, any build is possible. */
    { 12040, PASCAL, 0, NULL },
};

Test(cuda_library, a_build_for_another_cuda_is_refused)
{
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        const struct cuda_target target = { builds[i].driver, builds[i].architecture };
        struct error err = { .status = STATUS_OK };
        const bool suits = cuda_library_suits("cuDNN", builds[i].cuda, &target, &err);
        cr_expect_eq(suits, builds[i].reason == NULL, "%zu: %s", i, err.message);
        if (builds[i].reason)
            cr_expect_str_eq(err.message, builds[i].reason, "%zu: %s", i, err.message);
    }
}

Test(cuda_library, a_file_that_does_not_load_gives_the_message_of_the_system)
{
    const struct cuda_target target = { 13000, HOPPER };
    struct cuda_found found;
    struct error err = { .status = STATUS_OK };
    installed = only_13;
    cr_expect_not(cuda_library_load(CUDA_CUBLAS, &target, &found, &err));
    cr_expect_eq(err.status, STATUS_UNSUPPORTED);
    cr_expect(strstr(err.message, "cuBLAS is installed but does not load: /made-up/libcublas.so.13"), "%s",
              err.message);
}

/* Of the name that is installed first, of an older version, or known to the loader. */
Test(cuda_library, files_that_this_process_cannot_load_are_skipped)
{
    const struct cuda_target target = { 13000, HOPPER };
    struct cuda_found known, found;
    struct error err = { .status = STATUS_OK };
    installed = nothing;
    known_to_the_loader = "libm.so.6";
    cr_assert(cuda_library_load(CUDA_CUBLAS, &target, &known, &err), "%s", err.message);
    installed = only_13;
    cr_assert(cuda_library_load(CUDA_CUBLAS, &target, &found, &err), "%s", err.message);
    cr_expect_str_eq(found.path, known.path);
    known_to_the_loader = NULL;
    cr_expect_not(cuda_library_load(CUDA_CUBLAS, &target, &found, &err));
    cr_expect(strstr(err.message, "does not load: /made-up/libcublas.so.13"), "%s", err.message);
}
