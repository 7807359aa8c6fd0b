#include "bench/backends/cuda/library.h"

#include "bench/backends/cuda/search.h"
#include "harness/base/library.h"
#include "harness/base/text.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One major version of a library, as NVIDIA publishes it: for a CUDA of its own, and so for drivers of that CUDA and
 * newer ones, whatever their minor versions (CUDA Compatibility, minor version compatibility). Newest first. */
struct edition {
    unsigned major;  /* lib<stem>.so.<major> */
    unsigned cuda;   /* that it is built for */
    unsigned since;  /* the version that the row begins with, as the library numbers itself; 0: with the first */
    int driver;      /* the least */
    int least, most; /* architectures; 0: no bound */
};

/* A function of a library; NULL where it has none of that name. C knows no cast for this. */
static bool function_of(void *handle, const char *name, void *function)
{
    void *address = dlsym(handle, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static unsigned nvrtc_identify(struct cuda_found *found)
{
    int (*version)(int *major, int *minor), major, minor;
    if (function_of(found->handle, "nvrtcVersion", &version) && version(&major, &minor) == 0)
        snprintf(found->version, sizeof found->version, "%d.%d", major, minor);
    return 0;
}

/* The library's properties are its three version numbers, in their order (libraryPropertyType). */
static unsigned cublas_identify(struct cuda_found *found)
{
    int (*property)(int type, int *value), number[3];
    if (!function_of(found->handle, "cublasGetProperty", &property))
        return 0;
    for (int i = 0; i < 3; i++)
        if (property(i, &number[i]) != 0)
            return 0;
    snprintf(found->version, sizeof found->version, "%d.%d.%d", number[0], number[1], number[2]);
    return 0;
}

/* 91900 is 9.19.0; the CUDA runtime in it, 13010, is of 13.1. */
static unsigned cudnn_identify(struct cuda_found *found)
{
    size_t (*version)(void), (*runtime)(void);
    if (!function_of(found->handle, "cudnnGetVersion", &version) ||
        !function_of(found->handle, "cudnnGetCudartVersion", &runtime))
        return 0;
    const unsigned number = (unsigned)version();
    found->cuda = (unsigned)runtime() / 1000;
    snprintf(found->version, sizeof found->version, "%u.%u.%u", number / 10000, number / 100 % 100, number % 100);
    return number;
}

/* CUDA 13 needs a driver of the 580 series and ends support of GPUs before Turing; CUDA 12 needs the 525 series and
 * knows GPUs up to sm_121 (release notes of both). cuDNN 9 is published for either under one file name, and without
 * GPUs before Turing since 9.11 (its support matrix). NVML is a part of the driver. */
enum { EDITIONS_MAX = 4 };
static const struct family {
    const char *name, *stem, *source;
    const char *beside; /* stem of what it asks the loader for; NULL: nothing that would not be found */
    /* Asks a loaded library for its version, and for the CUDA that it is built for where its name does not tell;
     * returns the number that it gives itself, 0 if none matters. NULL: the name of its file tells. */
    unsigned (*identify)(struct cuda_found *found);
    bool is_light; /* it loads at once, what computes only later: loaded even where it is only looked for */
    struct edition edition[EDITIONS_MAX];
} families[CUDA_LIBRARIES] = {
    [CUDA_NVRTC] = { "NVRTC",
                     "nvrtc",
                     "the CUDA Toolkit",
                     "nvrtc-builtins",
                     nvrtc_identify,
                     false,
                     { { 13, 13, 0, 13000, 75, 0 }, { 12, 12, 0, 12000, 50, 121 } } },
    [CUDA_CUBLAS] = { "cuBLAS",
                      "cublas",
                      "the CUDA Toolkit",
                      "cublasLt",
                      cublas_identify,
                      false,
                      { { 13, 13, 0, 13000, 75, 0 }, { 12, 12, 0, 12000, 50, 121 } } },
    [CUDA_CUDNN] = { "cuDNN",
                     "cudnn",
                     "NVIDIA's cuDNN",
                     NULL,
                     cudnn_identify,
                     true,
                     { { 9, 13, 0, 13000, 75, 0 }, { 9, 12, 91100, 12000, 75, 121 }, { 9, 12, 0, 12000, 50, 121 } } },
    [CUDA_NVML] = { "NVML", "nvidia-ml", "the NVIDIA driver", NULL, NULL, false, { { 1, 0, 0, 0, 0, 0 } } },
};

/* A name of a file, "libcublas.so.13". */
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
        return fail(err, STATUS_UNSUPPORTED, "%s%s needs a driver of CUDA %d.%d, this one is of %d.%d", file, built,
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
        const bool is_meant = edition->major == major && (cuda == 0 || edition->cuda == cuda) &&
                              (version == 0 || version >= edition->since);
        if (is_meant && edition_suits(family, edition, target, &why))
            return true;
        if (is_meant && cuda && version)
            break; /* later rows are of versions before this one */
    }
    if (why.status == STATUS_OK)
        return fail(err, STATUS_UNSUPPORTED, "lib%s.so.%u for CUDA %u is none that is known here", family->stem, major,
                    cuda);
    return fail(err, why.status, "%s", why.message);
}

/* The first file of the name that loads, or that is there at all where it is not to be loaded. */
struct attempt {
    struct cuda_found *found;
    bool is_to_load;
    char beside[FILE_TEXT]; /* what goes before it, "" if nothing does */
    char trouble[160];      /* what the system said of the first that does not load */
};

/* A path without a folder is the loader's to find; it knows where the file was then. */
static bool attempt_visit(void *context, const char *path)
{
    struct attempt *attempt = context;
    struct cuda_found *found = attempt->found;
    struct link_map *map = NULL;
    const bool has_folder = strchr(path, '/') != NULL;
    if (attempt->is_to_load) {
        if (*attempt->beside)
            library_load_beside(path, attempt->beside);
        found->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (!found->handle && has_folder && !*attempt->trouble)
            text_clean(attempt->trouble, sizeof attempt->trouble, dlerror());
    }
    if (attempt->is_to_load ? !found->handle : !has_folder)
        return false;
    if (!has_folder && dlinfo(found->handle, RTLD_DI_LINKMAP, &map) == 0)
        path = map->l_name;
    text_copy(found->path, sizeof found->path, path);
    return true;
}

static bool attempt_find(struct attempt *attempt, const struct family *family, unsigned major)
{
    char file[FILE_TEXT];
    file_name(file, family, major);
    *attempt->beside = '\0';
    if (family->beside)
        snprintf(attempt->beside, sizeof attempt->beside, "lib%.20s.so.%u*", family->beside, major);
    return search_each(file, attempt_visit, attempt);
}

/* "libcublas.so.13.1.0.3", which such names are links to, tells the version; the name that is searched for the first
 * number of it. */
static void version_by_name(struct cuda_found *found, unsigned major)
{
    char real[PATH_MAX];
    const char *name = realpath(found->path, real) ? strrchr(real, '/') : NULL;
    const char *version = name ? strstr(name, ".so.") : NULL;
    snprintf(found->version, sizeof found->version, "%u", major);
    if (version && strncmp(version + strlen(".so."), found->version, strlen(found->version)) == 0)
        text_copy(found->version, sizeof found->version, version + strlen(".so."));
}

static bool refuse_broken(const struct attempt *attempt, const struct family *family, struct error *err)
{
    return fail_in(err, "dlopen", STATUS_UNSUPPORTED, "%s is installed and does not load: %s", family->name,
                   attempt->trouble);
}

/* Nothing that suits is installed. What is installed and does not suit explains most. */
static bool refuse(const struct family *family, enum cuda_library which, const struct cuda_target *target,
                   struct error *err)
{
    char wanted[80] = "", file[FILE_TEXT];
    struct error why = { .status = STATUS_OK };
    for (const struct edition *edition = family->edition; edition->major; edition++) {
        struct cuda_found found = { .handle = NULL };
        struct attempt attempt = { .found = &found };
        const size_t used = strlen(wanted);
        if (edition != family->edition && edition->major == edition[-1].major)
            continue;
        file_name(file, family, edition->major);
        if (cuda_library_suits(which, edition->major, 0, 0, target, NULL))
            snprintf(wanted + used, sizeof wanted - used, "%s%s", used > 0 ? " or " : "", file);
        else if (attempt_find(&attempt, family, edition->major))
            cuda_library_suits(which, edition->major, 0, 0, target, &why);
    }
    if (!*wanted) {
        const struct edition *oldest = family->edition;
        while (oldest[1].major)
            oldest++;
        return cuda_library_suits(which, oldest->major, oldest->cuda, 0, target, err);
    }
    if (why.status != STATUS_OK)
        return fail_in(err, "dlopen", STATUS_UNSUPPORTED,
                       "%s; %s is not found: BENCH_LIBRARY_PATH may name its directory", why.message, wanted);
    return fail_in(err, "dlopen", STATUS_UNSUPPORTED, "needs %s of %s: not found %s", wanted, family->source,
                   search_places);
}

/* Variables by which cuBLAS and cuDNN compute in other types than they were asked for (cuBLAS's manual). Each reads
 * them when it starts. */
static void environment_clear(char *unheeded, size_t room)
{
    static const char *const names[] = { "NVIDIA_TF32_OVERRIDE", "CUBLAS_EMULATE_SINGLE_PRECISION",
                                         "CUBLAS_EMULATE_DOUBLE_PRECISION" };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (!getenv(names[i]))
            continue;
        unsetenv(names[i]);
        text_copy(unheeded, room, *unheeded ? "NVIDIA's variables of precision" : names[i]);
    }
}

static bool take(enum cuda_library which, const struct cuda_target *target, bool is_to_load, struct cuda_found *out,
                 struct error *err)
{
    const struct family *family = &families[which];
    struct attempt attempt = { .found = out, .is_to_load = is_to_load || family->is_light };
    *out = (struct cuda_found){ .handle = NULL };
    for (const struct edition *edition = family->edition; edition->major; edition++) {
        if (!cuda_library_suits(which, edition->major, 0, 0, target, NULL) ||
            !attempt_find(&attempt, family, edition->major))
            continue;
        out->cuda = edition->major == edition->cuda ? edition->cuda : 0;
        version_by_name(out, edition->major);
        const unsigned number = out->handle && family->identify ? family->identify(out) : 0;
        return cuda_library_suits(which, edition->major, out->cuda, number, target, err);
    }
    return *attempt.trouble ? refuse_broken(&attempt, family, err) : refuse(family, which, target, err);
}

bool cuda_library_load(enum cuda_library which, const struct cuda_target *target, struct cuda_found *out,
                       struct error *err)
{
    char unheeded[sizeof out->ignored_variables] = "";
    environment_clear(unheeded, sizeof unheeded);
    const bool taken = take(which, target, true, out, err);
    text_copy(out->ignored_variables, sizeof out->ignored_variables, unheeded);
    return taken;
}

bool cuda_library_find(enum cuda_library which, const struct cuda_target *target, struct cuda_found *out,
                       struct error *err)
{
    return take(which, target, false, out, err);
}
