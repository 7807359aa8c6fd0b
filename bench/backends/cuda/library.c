#include "bench/backends/cuda/library.h"

#include "bench/backends/cuda/search.h"
#include "harness/base/library.h"
#include "harness/base/text.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One major version of a library. It is built for one CUDA, and runs with drivers of that CUDA and newer ones, whatever
 * their minor version (CUDA Compatibility, minor version compatibility). Newest first. */
struct edition {
    unsigned major;  /* lib<stem>.so.<major> */
    unsigned cuda;   /* the CUDA that it is built for */
    unsigned since;  /* the library's own version from which on the row holds; 0: all */
    int driver;      /* the oldest */
    int least, most; /* architectures; 0: no bound */
};

/* The version functions of all the libraries; NULL where a library has no such function. */
struct version_calls {
    int (*nvrtc)(int *major, int *minor);
    int (*cublas_property)(int type, int *value); /* libraryPropertyType: the version's three numbers, in order */
    size_t (*cudnn_version)(void);                /* 91900 is 9.19.0 */
    size_t (*cudnn_runtime)(void);                /* the CUDA runtime in it: 13010 is 13.1 */
};
static const struct library_symbol version_symbols[] = {
    { "nvrtcVersion", offsetof(struct version_calls, nvrtc) },
    { "cublasGetProperty", offsetof(struct version_calls, cublas_property) },
    { "cudnnGetVersion", offsetof(struct version_calls, cudnn_version) },
    { "cudnnGetCudartVersion", offsetof(struct version_calls, cudnn_runtime) },
    { 0 },
};

/* Reads the version of a loaded library, and of cuDNN the CUDA that it is built for, which its name does not contain.
 * Returns cuDNN's version number, 0 for others. */
static unsigned version_read(enum cuda_library which, struct cuda_found *found)
{
    struct version_calls call;
    int n[3] = { 0 };
    unsigned number = 0;
    library_bind_newer(found->handle, version_symbols, &call);
    if (which == CUDA_NVRTC && call.nvrtc && call.nvrtc(&n[0], &n[1]) == 0)
        snprintf(found->version, sizeof found->version, "%d.%d", n[0], n[1]);
    if (which == CUDA_CUBLAS && call.cublas_property && call.cublas_property(0, &n[0]) == 0 &&
        call.cublas_property(1, &n[1]) == 0 && call.cublas_property(2, &n[2]) == 0)
        snprintf(found->version, sizeof found->version, "%d.%d.%d", n[0], n[1], n[2]);
    if (which == CUDA_CUDNN && call.cudnn_version && call.cudnn_runtime) {
        number = (unsigned)call.cudnn_version();
        found->cuda = (unsigned)call.cudnn_runtime() / 1000;
        snprintf(found->version, sizeof found->version, "%u.%u.%u", number / 10000, number / 100 % 100, number % 100);
    }
    return number;
}

/* CUDA 13 needs a driver of the 580 series and dropped GPUs before Turing; CUDA 12 needs the 525 series and supports
 * GPUs up to sm_121 (release notes of both). cuDNN 9 for both has one file name, and has dropped GPUs before Turing
 * since 9.11 (its support matrix). NVML is part of the driver. */
enum { EDITIONS_MAX = 4 };
static const struct family {
    const char *name, *stem, *source;
    const char *beside; /* name of the library that it loads by name; NULL: none, or it finds it */
    struct edition edition[EDITIONS_MAX];
} families[CUDA_LIBRARIES] = {
    [CUDA_NVRTC] = { "NVRTC",
                     "nvrtc",
                     "the CUDA Toolkit",
                     "nvrtc-builtins",
                     { { 13, 13, 0, 13000, 75, 0 }, { 12, 12, 0, 12000, 50, 121 } } },
    [CUDA_CUBLAS] = { "cuBLAS",
                      "cublas",
                      "the CUDA Toolkit",
                      "cublasLt",
                      { { 13, 13, 0, 13000, 75, 0 }, { 12, 12, 0, 12000, 50, 121 } } },
    [CUDA_CUDNN] = { "cuDNN",
                     "cudnn",
                     "NVIDIA's cuDNN",
                     "cudnn_graph",
                     { { 9, 13, 0, 13000, 75, 0 }, { 9, 12, 91100, 12000, 75, 121 }, { 9, 12, 0, 12000, 50, 121 } } },
    [CUDA_NVML] = { "NVML", "nvidia-ml", "the NVIDIA driver", NULL, { { 1, 0, 0, 0, 0, 0 } } },
};

/* "libcublas.so.13". */
enum { FILE_TEXT = 40 };
static void file_name(char to[FILE_TEXT], const struct family *family, unsigned major)
{
    snprintf(to, FILE_TEXT, "lib%.16s.so.%u", family->stem, major);
}

const char *cuda_library_name(enum cuda_library which)
{
    return families[which].name;
}

static bool edition_suits(const struct family *family, const struct edition *edition, const struct cuda_target *target,
                          struct error *err)
{
    char file[FILE_TEXT], built[24] = "";
    file_name(file, family, edition->major);
    if (edition->major != edition->cuda && edition->cuda)
        snprintf(built, sizeof built, " for CUDA %u", edition->cuda);
    if (target->driver < edition->driver)
        return fail(err, STATUS_UNSUPPORTED, "%s%s needs a driver for CUDA %d.%d, this one is for %d.%d", file, built,
                    edition->driver / 1000, edition->driver % 1000 / 10, target->driver / 1000,
                    target->driver % 1000 / 10);
    if (target->architecture < edition->least)
        return fail(err, STATUS_UNSUPPORTED, "%s%s supports GPUs from sm_%d on, this one is sm_%d", file, built,
                    edition->least, target->architecture);
    if (edition->most && target->architecture > edition->most)
        return fail(err, STATUS_UNSUPPORTED, "%s%s supports GPUs up to sm_%d, this one is sm_%d", file, built,
                    edition->most, target->architecture);
    return true;
}

bool cuda_library_suits(enum cuda_library which, unsigned major, unsigned cuda, unsigned version,
                        const struct cuda_target *target, struct error *err)
{
    const struct family *family = &families[which];
    struct error why = { .status = STATUS_OK };
    for (const struct edition *edition = family->edition; edition->major; edition++) {
        const bool applies = edition->major == major && (cuda == 0 || edition->cuda == cuda) &&
                             (version == 0 || version >= edition->since);
        if (applies && edition_suits(family, edition, target, &why))
            return true;
        if (applies && cuda && version)
            break; /* later rows are of older versions */
    }
    if (why.status == STATUS_OK)
        return fail(err, STATUS_UNSUPPORTED, "lib%s.so.%u for CUDA %u is unknown to this program", family->stem, major,
                    cuda);
    return fail(err, why.status, "%s", why.message);
}

/* Loads the libraries that this one needs from its own folder: the loader searches elsewhere first, or only elsewhere.
 */
static void load_beside(const struct family *family, unsigned major, const char *path)
{
    char pattern[FILE_TEXT];
    snprintf(pattern, sizeof pattern, "lib%.20s.so.%u*", family->beside ? family->beside : "", major);
    if (family->beside)
        library_load_beside(path, pattern);
}

static bool file_load(const struct family *family, unsigned major, struct cuda_found *out, struct error *err)
{
    char message[160];
    load_beside(family, major, out->path);
    out->handle = dlopen(out->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (out->handle)
        return true;
    text_clean(message, sizeof message, dlerror());
    return fail_in(err, "dlopen", STATUS_UNSUPPORTED, "%s is installed but does not load: %s", family->name, message);
}

/* A library that only the system's loader finds: the place of its file shows once it is loaded. */
static bool found_by_loader(const struct family *family, const char *file, unsigned major, struct cuda_found *out)
{
    struct link_map *map = NULL;
    out->handle = search_load(file);
    if (!out->handle)
        return false;
    text_copy(out->path, sizeof out->path, dlinfo(out->handle, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : file);
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

/* Removes the variables that make cuBLAS and cuDNN compute in other types than asked for (cuBLAS's manual). The
 * libraries read them when they start. */
static void environment_clear(char *ignored, size_t room)
{
    static const char *const names[] = { "NVIDIA_TF32_OVERRIDE", "CUBLAS_EMULATE_SINGLE_PRECISION",
                                         "CUBLAS_EMULATE_DOUBLE_PRECISION" };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (!getenv(names[i]))
            continue;
        unsetenv(names[i]);
        text_copy(ignored, room, *ignored ? "NVIDIA's variables of precision" : names[i]);
    }
}

/* Finds the newest edition that suits; its major version goes to `major`. What is wrong with a newer one that is
 * installed goes to out->passed_over. */
static bool library_find(enum cuda_library which, const struct cuda_target *target, struct cuda_found *out,
                         unsigned *major, struct error *err)
{
    const struct family *family = &families[which];
    const struct edition *edition = family->edition, *oldest = edition;
    char wanted[80] = "", file[FILE_TEXT];
    *out = (struct cuda_found){ .handle = NULL };
    for (*major = 0; edition->major; oldest = edition++) {
        struct error why = { .status = STATUS_OK };
        if (edition->major == *major)
            continue;
        *major = edition->major;
        file_name(file, family, *major);
        if (!cuda_library_suits(which, *major, 0, 0, target, &why)) {
            if (!*out->passed_over && search_find(file, out->path))
                text_copy(out->passed_over, sizeof out->passed_over, why.message);
            continue;
        }
        text_join(wanted, sizeof wanted, " or ", file);
        if (search_find(file, out->path) || found_by_loader(family, file, *major, out)) {
            out->cuda = *major == edition->cuda ? edition->cuda : 0;
            version_by_name(out, *major);
            return true;
        }
    }
    if (!*wanted)
        return cuda_library_suits(which, oldest->major, oldest->cuda, 0, target, err);
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
    return library_find(which, target, out, &major, err);
}

bool cuda_library_load(enum cuda_library which, const struct cuda_target *target, struct cuda_found *out,
                       struct error *err)
{
    char ignored[sizeof out->ignored_variables] = "";
    unsigned major;
    environment_clear(ignored, sizeof ignored);
    const bool is_loaded =
        library_find(which, target, out, &major, err) && (out->handle || file_load(&families[which], major, out, err));
    text_copy(out->ignored_variables, sizeof out->ignored_variables, ignored);
    const unsigned number = is_loaded ? version_read(which, out) : 0;
    return is_loaded && cuda_library_suits(which, major, out->cuda, number, target, err);
}
