#include "bench/backends/cuda/search.h"

#include "harness/base/loader.h"
#include "harness/base/text.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char search_places[] = "by the loader, nor in CUDA_HOME, /usr/local/cuda* and /opt/cuda*; "
                             "BENCH_LIBRARY_PATH may name its directory";

/* Where toolkits for several machines have the libraries of this one: sbsa is for Arm's servers, aarch64 for Tegra. */
#if defined __aarch64__
#define TARGETS "/usr/local/cuda-*/targets/sbsa-linux", "/usr/local/cuda-*/targets/aarch64-linux"
#else
#define TARGETS "/usr/local/cuda-*/targets/x86_64-linux"
#endif

static bool is_it(const char *found, char path[PATH_MAX])
{
    if (access(found, R_OK) != 0)
        return false;
    text_copy(path, PATH_MAX, found);
    return true;
}

/* Folders separated by colons. */
static bool is_in_list(const char *file, const char *list, char path[PATH_MAX])
{
    for (const char *at = list; at && *at; at += *at == ':') {
        char found[PATH_MAX];
        const size_t length = strcspn(at, ":");
        const int needed = snprintf(found, sizeof found, "%.*s/%s", (int)length, at, file);
        if (length > 0 && needed < PATH_MAX && is_it(found, path))
            return true;
        at += length;
    }
    return false;
}

/* The folders of the toolkit's installer and of distributions. Of several versions, the last by name comes first. */
static bool is_in_usual(const char *file, char path[PATH_MAX])
{
    const char *home = getenv("CUDA_HOME");
    const char *const roots[] = { home ? home : "/usr/local/cuda", "/usr/local/cuda", "/usr/local/cuda-*", TARGETS,
                                  "/opt/cuda*" };
    bool is_there = false;
    for (unsigned i = 0; i < sizeof roots / sizeof *roots && !is_there; i++) {
        char pattern[PATH_MAX];
        glob_t found = { 0 };
        snprintf(pattern, sizeof pattern, "%s/lib*/%s", roots[i], file);
        if (glob(pattern, 0, NULL, &found) == 0)
            for (size_t k = found.gl_pathc; k-- > 0 && !is_there;)
                is_there = is_it(found.gl_pathv[k], path);
        globfree(&found);
    }
    return is_there;
}

bool search_find(const char *file, char path[PATH_MAX])
{
    return is_in_list(file, getenv("BENCH_LIBRARY_PATH"), path) || is_in_list(file, getenv("LD_LIBRARY_PATH"), path) ||
           is_in_usual(file, path);
}

void *search_load(const char *file)
{
    return loader_open(file);
}
