#include "bench/backends/cuda/library.h"

#include "bench/backends/cuda/search.h"
#include "harness/base/library.h"
#include "harness/base/loader.h"
#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The version functions of all the libraries; NULL where a library has no such function. */
struct version_calls {
    int (*nvrtc)(int *major, int *minor);
    int (*cublas_property)(int type, int *value); /* libraryPropertyType: the version's three numbers, in order */
    size_t (*cudnn_version)(void);                /* 91900 is 9.19.0 */
    size_t (*cudnn_runtime)(void);                /* the CUDA runtime in it: 13010 is 13.1 */
};
static const char *const version_symbols[] = { "nvrtcVersion", "cublasGetProperty", "cudnnGetVersion",
                                               "cudnnGetCudartVersion" };

/* Reads the version of a loaded library, and of cuDNN the CUDA that it is built for, which its name does not contain.
 */
static void version_read(enum cuda_library which, struct cuda_found *found)
{
    struct version_calls call;
    int n[3] = { 0 };
    library_bind(found->handle, cuda_library_name(which), LIBRARY_NAMES(version_symbols), &call, NULL);
    if (which == CUDA_NVRTC && call.nvrtc && call.nvrtc(&n[0], &n[1]) == 0)
        snprintf(found->version, sizeof found->version, "%d.%d", n[0], n[1]);
    if (which == CUDA_CUBLAS && call.cublas_property && call.cublas_property(0, &n[0]) == 0 &&
        call.cublas_property(1, &n[1]) == 0 && call.cublas_property(2, &n[2]) == 0)
        snprintf(found->version, sizeof found->version, "%d.%d.%d", n[0], n[1], n[2]);
    if (which == CUDA_CUDNN && call.cudnn_version && call.cudnn_runtime) {
        const unsigned number = (unsigned)call.cudnn_version();
        found->cuda = (unsigned)call.cudnn_runtime() / 1000;
        snprintf(found->version, sizeof found->version, "%u.%u.%u", number / 10000, number / 100 % 100, number % 100);
    }
}

/* NVML is part of the driver. cuDNN 9 has one file name for every CUDA. */
enum { VERSIONS_MAX = 3 };
static const struct family {
    const char *name, *stem, *source;
    const char *beside;           /* name of the library that it loads by name; NULL: none, or it finds it */
    unsigned major[VERSIONS_MAX]; /* lib<stem>.so.<major>, newest first */
    bool is_of_toolkit;           /* its major version is that of the CUDA that it is built for */
} families[CUDA_LIBRARIES] = {
    [CUDA_NVRTC] = { "NVRTC", "nvrtc", "the CUDA Toolkit", "nvrtc-builtins", { 13, 12 }, true },
    [CUDA_CUBLAS] = { "cuBLAS", "cublas", "the CUDA Toolkit", "cublasLt", { 13, 12 }, true },
    [CUDA_CUDNN] = { "cuDNN", "cudnn", "NVIDIA's cuDNN", "cudnn_graph", { 9 }, false },
    [CUDA_NVML] = { "NVML", "nvidia-ml", "the NVIDIA driver", NULL, { 1 }, false },
};

enum { FILE_TEXT = 40 };

const char *cuda_library_name(enum cuda_library which)
{
    return families[which].name;
}

/* A library that is built for one CUDA runs with drivers of that CUDA and newer ones, whatever their minor version
 * (CUDA Compatibility, minor version compatibility). CUDA 13 has dropped GPUs before Turing (release notes). */
bool cuda_library_suits(const char *file, unsigned cuda, const struct cuda_target *target, struct error *err)
{
    const int needed = 1000 * (int)cuda, least = cuda >= 13 ? 75 : 50;
    if (target->driver < needed)
        return fail(err, STATUS_UNSUPPORTED, "%s needs a driver for CUDA %u.0, this one is for %d.%d", file, cuda,
                    target->driver / 1000, target->driver % 1000 / 10);
    return cuda == 0 || target->architecture >= least ||
           fail(err, STATUS_UNSUPPORTED, "%s supports GPUs from sm_%d on, this one is sm_%d", file, least,
                target->architecture);
}

/* Loads the libraries that this one needs from its own folder: the loader searches elsewhere first, or only elsewhere.
 */
static void load_beside(const struct family *family, unsigned major, const char *path)
{
    if (family->beside)
        library_load_beside(path, text_print("lib%.20s.so.%u*", family->beside, major).text);
}

/* What is wrong with the first one that does not load goes to `message`. */
enum { LOAD_MESSAGE = 160 };
static bool file_load(const struct family *family, unsigned major, struct cuda_found *out, char message[LOAD_MESSAGE])
{
    load_beside(family, major, out->path);
    out->handle = loader_open(out->path);
    if (!out->handle && !*message)
        text_clean(message, LOAD_MESSAGE, loader_error());
    return out->handle;
}

/* A library that only the system's loader finds: the place of its file shows once it is loaded. */
static bool found_by_loader(const struct family *family, const char *file, unsigned major, struct cuda_found *out)
{
    out->handle = search_load(file);
    if (!out->handle)
        return false;
    if (!loader_path(out->handle, out->path))
        text_copy(out->path, sizeof out->path, file);
    load_beside(family, major, out->path);
    return true;
}

/* The version in the name of the file behind the links, "libcublas.so.13.1.0.3"; otherwise the major version. */
static void version_by_name(struct cuda_found *found, unsigned major)
{
    char real[PATH_MAX];
    const char *name = realpath(found->path, real) ? strrchr(real, '/') : NULL;
    const char *version = name ? strstr(name, ".so.") : NULL;
    snprintf(found->version, sizeof found->version, "%u", major);
    if (version && strncmp(version + strlen(".so."), found->version, strlen(found->version)) == 0)
        text_copy(found->version, sizeof found->version, version + strlen(".so."));
}

/* Finds, or loads, the newest version that suits; its major version goes to `major`. What is wrong with a newer one
 * that is installed goes to out->passed_over. */
static bool library_find(enum cuda_library which, const struct cuda_target *target, bool loads, struct cuda_found *out,
                         unsigned *major, struct error *err)
{
    const struct family *family = &families[which];
    char wanted[80] = "", file[FILE_TEXT], message[LOAD_MESSAGE] = "";
    *out = (struct cuda_found){ .handle = NULL };
    for (const unsigned *next = family->major; *next; next++) {
        struct error why = { .status = STATUS_OK };
        *major = *next;
        out->cuda = family->is_of_toolkit ? *next : 0;
        snprintf(file, sizeof file, "lib%.16s.so.%u", family->stem, *next); /* "libcublas.so.13" */
        if (!cuda_library_suits(file, out->cuda, target, &why)) {
            if (!*out->passed_over && search_find(file, out->path))
                text_copy(out->passed_over, sizeof out->passed_over, why.message);
            continue;
        }
        text_join(wanted, sizeof wanted, " or ", file);
        if ((search_find(file, out->path) && (!loads || file_load(family, *next, out, message))) ||
            found_by_loader(family, file, *next, out)) {
            version_by_name(out, *next);
            return true;
        }
    }
    if (!*wanted) /* what is wrong with the oldest */
        return cuda_library_suits(file, out->cuda, target, err);
    if (*message)
        return fail_in(err, "dlopen", STATUS_UNSUPPORTED, "%s is installed but does not load: %s", family->name,
                       message);
    if (*out->passed_over)
        return fail_in(err, "dlopen", STATUS_UNSUPPORTED,
                       "%s; %s is not found: BENCH_LIBRARY_PATH may name its directory", out->passed_over, wanted);
    return fail_in(err, "dlopen", STATUS_UNSUPPORTED, "needs %s of %s: not found %s", wanted, family->source,
                   search_places);
}

bool cuda_library_find(enum cuda_library which, const struct cuda_target *target, struct cuda_found *out,
                       struct error *err)
{
    unsigned major;
    return library_find(which, target, false, out, &major, err);
}

bool cuda_library_load(enum cuda_library which, const struct cuda_target *target, struct cuda_found *out,
                       struct error *err)
{
    char built[FILE_TEXT + 16];
    unsigned major;
    if (!library_find(which, target, true, out, &major, err))
        return false;
    version_read(which, out);
    snprintf(built, sizeof built, "lib%.16s.so.%u for CUDA %u", families[which].stem, major, out->cuda);
    return cuda_library_suits(built, out->cuda, target, err);
}
