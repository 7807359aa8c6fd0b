#include "bench/backends/cuda/search.h"

#include "harness/base/text.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char search_places[] = "where the loader looks, nor in CUDA_HOME, /usr/local/cuda* and /opt/cuda*; "
                             "BENCH_LIBRARY_PATH may name its directory";

/* Folders separated by colons. */
static bool is_in_list(const char *file, const char *list, char path[PATH_MAX])
{
    for (const char *at = list; at && *at; at += *at == ':') {
        const size_t length = strcspn(at, ":");
        const int needed = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, at, file);
        if (length > 0 && needed < PATH_MAX && access(path, R_OK) == 0)
            return true;
        at += length;
    }
    return false;
}

/* The folders of the toolkit's installer and of distributions. Of several versions, the last by name comes first. */
static bool is_in_usual(const char *file, char path[PATH_MAX])
{
    const char *home = getenv("CUDA_HOME");
    const char *const roots[] = { home ? home : "/usr/local/cuda", "/usr/local/cuda", "/usr/local/cuda-*",
                                  "/usr/local/cuda-*/targets/x86_64-linux", "/opt/cuda*" };
    bool is_there = false;
    for (unsigned i = 0; i < sizeof roots / sizeof *roots && !is_there; i++) {
        char pattern[PATH_MAX];
        glob_t found = { 0 };
        snprintf(pattern, sizeof pattern, "%s/lib*/%s", roots[i], file);
        is_there = glob(pattern, 0, NULL, &found) == 0;
        if (is_there)
            text_copy(path, PATH_MAX, found.gl_pathv[found.gl_pathc - 1]);
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
    return dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}
