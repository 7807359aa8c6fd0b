#include "bench/backends/cuda/library.h"

#include "bench/backends/cuda/search.h"
#include "harness/base/forked.h"
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

/* The search for one major version. It finds the first file that loads or, where none is to be loaded, that exists. */
struct library_search {
    const struct family *family;
    unsigned major;
    bool is_to_load;
    struct cuda_found *found;
    enum cuda_library which;
    const struct cuda_target *target;
    struct error unsuitable; /* why the first file of cuDNN that loads does not suit */
    char load_error[160];    /* the system's message for the first file that does not load */
};

/* Loads the libraries that this one needs from its own folder: the loader searches elsewhere first, or only elsewhere.
 */
static void load_beside(const struct library_search *search, const char *path)
{
    char pattern[FILE_TEXT];
    if (!search->family->beside)
        return;
    snprintf(pattern, sizeof pattern, "lib%.20s.so.%u*", search->family->beside, search->major);
    library_load_beside(path, pattern);
}

/* Loads a file, and what it needs beside it. The place of a name without a folder shows only then. */
static bool file_load(const struct library_search *search, const char *path, struct cuda_found *out)
{
    struct link_map *map = NULL;
    const bool has_folder = strchr(path, '/') != NULL;
    load_beside(search, path);
    out->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!out->handle)
        return false;
    if (!has_folder && dlinfo(out->handle, RTLD_DI_LINKMAP, &map) == 0)
        load_beside(search, path = map->l_name);
    text_copy(out->path, sizeof out->path, path);
    return true;
}

/* A file of cuDNN is asked in a process of its own for its version and its CUDA, which are not in its name. Parts that
 * it loads by name stay loaded, so that in this process the next file would get the parts of the first; and a cuDNN
 * that does not find its parts ends its process. */
struct cudnn_question {
    const struct library_search *search;
    const char *path;
};
struct cudnn_answer {
    struct cuda_found found;
    unsigned number; /* its version; 0: it has not said */
    char load_error[160];
};

static void cudnn_ask(const void *context, void *reply)
{
    const struct cudnn_question *question = context;
    struct cudnn_answer *answer = reply;
    if (file_load(question->search, question->path, &answer->found))
        answer->number = version_read(CUDA_CUDNN, &answer->found);
    else
        text_clean(answer->load_error, sizeof answer->load_error, dlerror());
}

/* Keeps the system's message about the first file that does not load. A name without a folder may be nowhere. */
static void load_error_keep(struct library_search *search, const char *path, const char *message)
{
    if (strchr(path, '/') && !*search->load_error)
        text_clean(search->load_error, sizeof search->load_error, message);
}

/* Whether this file of cuDNN suits. Otherwise the search goes on, and keeps the first reason. */
static bool cudnn_suits(struct library_search *search, const char *path)
{
    struct cudnn_answer answer;
    struct error *why = search->unsuitable.status == STATUS_OK ? &search->unsuitable : NULL;
    if (!forked_call(cudnn_ask, &(struct cudnn_question){ search, path }, &answer, sizeof answer))
        return true; /* it is asked when it is loaded */
    if (*answer.load_error)
        load_error_keep(search, path, answer.load_error);
    else if (answer.number == 0)
        fail(why, STATUS_UNSUPPORTED, "%s does not find the other files of cuDNN: install it again", path);
    else if (cuda_library_suits(search->which, search->major, answer.found.cuda, answer.number, search->target, why)) {
        *search->found = answer.found;
        search->found->handle = NULL;
        return true;
    }
    return false;
}

static bool file_visit(void *context, const char *path)
{
    struct library_search *search = context;
    struct cuda_found *found = search->found;
    if (search->which == CUDA_CUDNN && !cudnn_suits(search, path))
        return false;
    if (!search->is_to_load && (*found->version || strchr(path, '/'))) {
        if (!*found->path)
            text_copy(found->path, sizeof found->path, path);
        return true;
    }
    if (file_load(search, path, found))
        return true;
    load_error_keep(search, path, dlerror());
    return false;
}

static bool search_run(struct library_search *search, unsigned major)
{
    char file[FILE_TEXT];
    search->major = major;
    file_name(file, search->family, major);
    return search_each(file, file_visit, search);
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

/* No suitable version is installed. An unsuitable one that is installed explains it best. */
static bool not_found(const struct family *family, enum cuda_library which, const struct cuda_target *target,
                      struct error *err)
{
    char wanted[80] = "", file[FILE_TEXT];
    const struct edition *oldest = NULL;
    struct error why = { .status = STATUS_OK };
    for (const struct edition *edition = family->edition; edition->major; oldest = edition++) {
        struct cuda_found found = { .handle = NULL };
        struct library_search search = { .family = family, .found = &found, .which = which, .target = target };
        if (edition != family->edition && edition->major == edition[-1].major)
            continue;
        file_name(file, family, edition->major);
        if (cuda_library_suits(which, edition->major, 0, 0, target, NULL))
            text_join(wanted, sizeof wanted, " or ", file);
        else if (search_run(&search, edition->major))
            cuda_library_suits(which, edition->major, 0, 0, target, &why);
    }
    if (!*wanted)
        return cuda_library_suits(which, oldest->major, oldest->cuda, 0, target, err);
    if (why.status != STATUS_OK)
        return fail_in(err, "dlopen", STATUS_UNSUPPORTED,
                       "%s; %s is not found: BENCH_LIBRARY_PATH may name its directory", why.message, wanted);
    return fail_in(err, "dlopen", STATUS_UNSUPPORTED, "needs %s of %s: not found %s", wanted, family->source,
                   search_places);
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

static bool library_find(enum cuda_library which, const struct cuda_target *target, bool is_to_load,
                         struct cuda_found *out, struct error *err)
{
    const struct family *family = &families[which];
    struct library_search search = {
        .family = family, .is_to_load = is_to_load, .found = out, .which = which, .target = target
    };
    *out = (struct cuda_found){ .handle = NULL };
    for (const struct edition *edition = family->edition; edition->major; edition++) {
        if (!cuda_library_suits(which, edition->major, 0, 0, target, NULL) || !search_run(&search, edition->major))
            continue;
        if (*out->version)
            return true; /* it was asked, and suits */
        out->cuda = edition->major == edition->cuda ? edition->cuda : 0;
        version_by_name(out, edition->major);
        const unsigned number = out->handle ? version_read(which, out) : 0;
        return cuda_library_suits(which, edition->major, out->cuda, number, target, err);
    }
    if (search.unsuitable.status != STATUS_OK)
        return fail(err, search.unsuitable.status, "%s", search.unsuitable.message);
    if (*search.load_error)
        return fail_in(err, "dlopen", STATUS_UNSUPPORTED, "%s is installed but does not load: %s", family->name,
                       search.load_error);
    return not_found(family, which, target, err);
}

bool cuda_library_load(enum cuda_library which, const struct cuda_target *target, struct cuda_found *out,
                       struct error *err)
{
    char ignored[sizeof out->ignored_variables] = "";
    environment_clear(ignored, sizeof ignored);
    const bool found = library_find(which, target, true, out, err);
    text_copy(out->ignored_variables, sizeof out->ignored_variables, ignored);
    return found;
}

bool cuda_library_find(enum cuda_library which, const struct cuda_target *target, struct cuda_found *out,
                       struct error *err)
{
    return library_find(which, target, false, out, err);
}
