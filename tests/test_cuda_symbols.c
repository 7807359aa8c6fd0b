#include "bench/backends/cuda/cublas.h"
#include "bench/backends/cuda/cudnn.h"
#include "bench/backends/cuda/driver.h"
#include "bench/backends/cuda/nvrtc.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <glob.h>
#include <string.h>

/* Whether NVIDIA's own libraries, where they are installed, have every function by the name that we call it. They load
 * without a driver. */

/* The newest that there is, as a GPU that all of them support would get it. */
static struct cuda_found open_newest(enum cuda_library which)
{
    const struct cuda_target target = { .driver = 99000, .architecture = 90 };
    struct cuda_found found;
    struct error err = { .status = STATUS_OK };
    if (!cuda_library_load(which, &target, &found, &err))
        cr_skip_test("%s: %s", cuda_library_name(which), err.message);
    return found;
}

static void expect_all(void *library, const char *name, const struct library_symbol symbols[])
{
    for (unsigned i = 0; symbols[i].name; i++)
        cr_expect_not_null(dlsym(library, symbols[i].name), "%s has no %s", name, symbols[i].name);
}

Test(cuda_symbols, cublas_has_what_is_called)
{
    struct cuda_found found = open_newest(CUDA_CUBLAS);
    expect_all(found.handle, found.path, cublas_symbols);
    expect_all(found.handle, found.path, cublas_wide_symbols);
    cr_expect(strchr(found.version, '.'), "it tells its version: %s", found.version);
}

Test(cuda_symbols, nvrtc_has_what_is_called)
{
    struct cuda_found found = open_newest(CUDA_NVRTC);
    struct nvrtc nvrtc;
    struct error err = { .status = STATUS_OK };
    cr_expect(nvrtc_bind(&nvrtc, found.handle, &err), "%s", err.message);
    cr_expect(strchr(found.version, '.'), "it tells its version: %s", found.version);
}

Test(cuda_symbols, cudnn_has_what_is_called_and_tells_the_cuda_that_it_is_built_for)
{
    struct cuda_found found = open_newest(CUDA_CUDNN);
    struct cudnn cudnn;
    struct error err = { .status = STATUS_OK };
    cr_expect(cudnn_bind(&cudnn, found.handle, found.version, &err), "%s", err.message);
    cr_expect(strncmp(found.version, "9.", 2) == 0, "%s", found.version);
    cr_expect(found.cuda == 12 || found.cuda == 13, "%u", found.cuda);
}

/* The toolkit brings a libcuda with no driver behind it, to link programs with. */
Test(cuda_symbols, the_driver_has_what_is_called)
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
    expect_all(library, "the stub of the driver", cuda_driver_symbols);
    expect_all(library, "the stub of the driver", cuda_driver_newer_symbols);
}

Test(cuda_symbols, and_this_test_sees_one_that_is_not_there)
{
    static const struct library_symbol wrong[] = { { "cublasGemmEx_65", 0 }, { 0 } };
    struct cuda_found found = open_newest(CUDA_CUBLAS);
    cr_expect_null(dlsym(found.handle, wrong[0].name));
}
