#include "bench/backends/cuda/library.h"

#include "harness/text.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *load(const char *path)
{
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static void *load_from(const char *directory, size_t length, const char *below, const char *file)
{
    char path[PATH_MAX];
    int needed = snprintf(path, sizeof path, "%.*s%s/%s", (int)length, directory, below, file);
    return length > 0 && needed > 0 && (size_t)needed < sizeof path ? load(path) : NULL;
}

/* A list of directories with colons between, as PATH is. */
static void *load_from_each(const char *list, const char *file)
{
    void *library = NULL;
    for (const char *at = list; at && *at && !library; at += *at == ':') {
        size_t length = strcspn(at, ":");
        library = load_from(at, length, "", file);
        at += length;
    }
    return library;
}

/* Where the toolkit's own installer puts it, and distributions that repack it; of several versions the last by name. */
static void *load_from_usual(const char *file)
{
    static const char *const patterns[] = { "/usr/local/cuda/lib*", "/usr/local/cuda-*/lib*",
                                            "/usr/local/cuda-*/targets/*/lib", "/opt/cuda*/lib*" };
    void *library = NULL;
    for (unsigned i = 0; i < sizeof patterns / sizeof *patterns && !library; i++) {
        glob_t found = { 0 };
        if (glob(patterns[i], 0, NULL, &found) == 0)
            for (size_t k = found.gl_pathc; k-- > 0 && !library;)
                library = load_from(found.gl_pathv[k], strlen(found.gl_pathv[k]), "", file);
        globfree(&found);
    }
    return library;
}

static void *load_anywhere(const char *file)
{
    const char *home = getenv("CUDA_HOME");
    void *library = load_from_each(getenv("BENCH_LIBRARY_PATH"), file);
    if (!library)
        library = load(file);
    if (!library && home)
        library = load_from(home, strlen(home), "/lib64", file);
    return library ? library : load_from_usual(file);
}

void *cuda_library_load(const char *stem, const unsigned majors[], unsigned *major, struct error *err)
{
    char wanted[80] = "";
    for (unsigned i = 0; majors[i]; i++) {
        char file[48];
        size_t used = strlen(wanted);
        snprintf(file, sizeof file, "lib%.24s.so.%u", stem, majors[i]);
        snprintf(wanted + used, sizeof wanted - used, "%s%s", i > 0 ? " or " : "", file);
        *major = majors[i];
        void *library = load_anywhere(file);
        if (library)
            return library;
    }
    fail_in(err, "dlopen", STATUS_UNSUPPORTED,
            "needs %s of the CUDA Toolkit: not found where the loader looks, nor in CUDA_HOME, /usr/local/cuda* and "
            "/opt/cuda*; BENCH_LIBRARY_PATH may name its directory",
            wanted);
    return NULL;
}
