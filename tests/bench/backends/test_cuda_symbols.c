#include "bench/backends/cuda/cublaslt.h"
#include "bench/backends/cuda/cudnn.h"
#include "bench/backends/cuda/driver.h"
#include "bench/backends/cuda/nvrtc.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <glob.h>
#include <libgen.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether NVIDIA's real libraries, where installed, have every function under the name that is called. They load
 * without a driver. */

/* The newest installed version, as a GPU supported by all of them gets it. */
static struct cuda_found open_newest(enum cuda_library which)
{
    const struct cuda_target target = { .driver = 99000, .architecture = 90 };
    struct cuda_found found;
    struct error err = { .status = STATUS_OK };
    if (!cuda_library_load(which, &target, &found, &err))
        cr_skip_test("%s: %s", cuda_library_name(which), err.message);
    return found;
}

static void expect_all(void *library, const char *name, const char *const symbols[], unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        cr_expect_not_null(dlsym(library, symbols[i]), "%s has no %s", name, symbols[i]);
}

Test(cuda_symbols, cublas_has_every_function)
{
    struct cuda_found found = open_newest(CUDA_CUBLAS);
    expect_all(found.handle, found.path, LIBRARY_NAMES(cublas_names));
    cr_expect(strchr(found.version, '.'), "it has a version: %s", found.version);
}

Test(cuda_symbols, cublaslt_is_loaded_with_cublas_and_has_every_function)
{
    struct cuda_found found = open_newest(CUDA_CUBLAS);
    char file[32];
    snprintf(file, sizeof file, "libcublasLt.so.%u", found.cuda);
    void *library = dlopen(file, RTLD_NOW | RTLD_NOLOAD);
    cr_assert_not_null(library, "%s", file);
    expect_all(library, file, LIBRARY_NAMES(cublaslt_names));
}

Test(cuda_symbols, nvrtc_has_every_function)
{
    struct cuda_found found = open_newest(CUDA_NVRTC);
    struct nvrtc nvrtc;
    struct error err = { .status = STATUS_OK };
    cr_expect(nvrtc_bind(&nvrtc, found.handle, &err), "%s", err.message);
    cr_expect(strchr(found.version, '.'), "it has a version: %s", found.version);
}

Test(cuda_symbols, cudnn_has_every_function_and_names_its_cuda)
{
    struct cuda_found found = open_newest(CUDA_CUDNN);
    struct cudnn cudnn;
    struct error err = { .status = STATUS_OK };
    cr_expect(cudnn_bind(&cudnn, found.handle, found.version, &err), "%s", err.message);
    cr_expect(strncmp(found.version, "9.", 2) == 0, "%s", found.version);
    cr_expect(found.cuda == 12 || found.cuda == 13, "%u", found.cuda);
}

static char *folder_of(void *library)
{
    struct link_map *map = NULL;
    cr_assert_eq(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
    char *path = realpath(map->l_name, NULL);
    return path ? dirname(path) : NULL;
}

/* NVRTC loads it by name only when it compiles, and the loader may not find it. LD_LIBRARY_PATH may have another
 * cuBLASLt. */
static void expect_beside(enum cuda_library which, const char *stem, bool is_minor)
{
    struct cuda_found found = open_newest(which);
    char file[64];
    size_t length = strcspn(found.version, ".");
    if (is_minor)
        length += 1 + strcspn(found.version + length + 1, ".");
    snprintf(file, sizeof file, "lib%s.so.%.*s", stem, (int)length, found.version);
    void *library = dlopen(file, RTLD_NOW | RTLD_NOLOAD);
    cr_assert_not_null(library, "%s is not loaded with %s", file, found.path);
    char *folder = folder_of(library), *wanted = folder_of(found.handle);
    cr_expect_str_eq(folder, wanted, "%s is of %s, and of %s what needs it", file, folder, wanted);
    free(folder);
    free(wanted);
}

Test(cuda_symbols, needed_libraries_come_from_the_same_folder)
{
    expect_beside(CUDA_NVRTC, "nvrtc-builtins", true);
    expect_beside(CUDA_CUBLAS, "cublasLt", false);
}

/* The toolkit has a stub of libcuda without a driver, for linking. */
Test(cuda_symbols, the_driver_has_every_function)
{
    static const char *const patterns[] = { "/usr/local/cuda*/lib64/stubs/libcuda.so",
                                            "/usr/local/cuda*/targets/*/lib/stubs/libcuda.so",
                                            "/opt/cuda*/lib64/stubs/libcuda.so" };
    void *library = NULL;
    for (unsigned i = 0; i < sizeof patterns / sizeof *patterns && !library; i++) {
        glob_t found = { 0 };
        if (glob(patterns[i], 0, NULL, &found) == 0)
            library = dlopen(found.gl_pathv[found.gl_pathc - 1], RTLD_NOW | RTLD_LOCAL);
        globfree(&found);
    }
    if (!library)
        cr_skip_test("no CUDA Toolkit is installed, which has a stub of the driver");
    expect_all(library, "the stub of the driver", LIBRARY_NAMES(cuda_names));
}

Test(cuda_symbols, this_test_notices_a_missing_function)
{
    struct cuda_found found = open_newest(CUDA_CUBLAS);
    cr_expect_null(dlsym(found.handle, "cublasGemmEx_65"));
}
