#include "bench/backends/cpu/openblas.h"

#include "harness/base/library.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define SYMBOL(prefix, name)                                                                                           \
    {                                                                                                                  \
#prefix #name, offsetof(struct openblas_calls, name)                                                           \
    }
static const struct library_symbol symbols[] = {
    SYMBOL(cblas_, sgemm),
    SYMBOL(cblas_, dgemm),
    SYMBOL(openblas_, get_config),
    SYMBOL(openblas_, get_corename),
    SYMBOL(openblas_, get_parallel),
    SYMBOL(openblas_, get_num_threads),
    SYMBOL(openblas_, set_num_threads),
    { 0 },
};

/* By the value of openblas_get_parallel. */
static const char *const builds[] = { "build without threads", "pthread build", "OpenMP build" };

/* Debian installs several builds side by side, each in a folder of its own beside the C library, and lets the user
 * choose which of them is libopenblas.so.0. Loading that one to find out would start its threads. */
static const char *openmp_build(char to[PATH_MAX])
{
    Dl_info info;
    const char *slash;
    void *libc = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
    if (!libc || !dladdr(libc, &info) || !(slash = strrchr(info.dli_fname, '/')))
        return "libopenblaso.so.0";
    snprintf(to, PATH_MAX, "%.*s/openblas-openmp/libopenblas.so.0", (int)(slash - info.dli_fname), info.dli_fname);
    return to;
}

bool openblas_open(struct openblas *out, const char *const sonames[], unsigned threads, struct error *err)
{
    char path[PATH_MAX];
    /* The second is what Fedora calls the OpenMP build. */
    const char *const usual[] = { openmp_build(path), "libopenblaso.so.0", "libopenblas.so.0", NULL };
    *out = (struct openblas){ .name = "OpenBLAS" };
    void *handle = library_load(sonames ? sonames : usual, "libopenblas0-openmp", err);
    if (!handle || !library_bind(handle, out->name, symbols, &out->call, err))
        return false;

    /* In the OpenMP build this sets the threads of OpenMP itself, too, to the same number. */
    out->call.set_num_threads((int)threads);
    out->threads = (unsigned)out->call.get_num_threads();

    char version[24] = "OpenBLAS";
    const int build = out->call.get_parallel();
    out->is_openmp = build == 2;
    sscanf(out->call.get_config(), "OpenBLAS %23s", version);
    snprintf(out->name, sizeof out->name, "OpenBLAS %s, %s, %.20s", version,
             build >= 0 && build < (int)(sizeof builds / sizeof *builds) ? builds[build] : "unknown build",
             out->call.get_corename());
    return true;
}

/* Some builds multiply bf16, but give the product in f32: it would have to be rounded in a pass of our own, which is
 * then no longer what the library does. */
bool openblas_computes(enum dtype dtype, struct error *err)
{
    switch (dtype) {
    case DTYPE_F32:
    case DTYPE_TF32:
    case DTYPE_F64:
        return true;
    case DTYPE_BF16:
        return fail(err, STATUS_UNSUPPORTED,
                    "OpenBLAS has no gemm of bf16 but for one, in some builds, that gives f32");
    default:
        return fail(err, STATUS_UNSUPPORTED, "OpenBLAS has no gemm of %s", dtype_name(dtype));
    }
}

bool openblas_counts(const struct openblas *library, const char *name, int64_t size, struct error *err)
{
    if ((int64_t)(blasint)size == size)
        return true;
    return fail(err, STATUS_UNSUPPORTED, "%s counts in %zu bits: %s = %" PRId64 " is too large", library->name,
                CHAR_BIT * sizeof(blasint), name, size);
}

void openblas_gemm(const struct openblas *library, enum dtype dtype, const struct openblas_product *product,
                   const void *a, const void *b, void *c)
{
    const blasint m = (blasint)product->m, n = (blasint)product->n, k = (blasint)product->k;
    const blasint b_pitch = (blasint)product->b_pitch, c_pitch = (blasint)product->c_pitch;
    if (dtype != DTYPE_F64)
        library->call.sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, b_pitch, 0, c, c_pitch);
    else
        library->call.dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, b_pitch, 0, c, c_pitch);
}
