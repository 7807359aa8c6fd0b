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

/* One of the files of that name: those before it are counted down. */
struct search {
    const char *file;
    unsigned before;
    char *path;
};

static bool is_it(struct search *search, const char *path)
{
    if (access(path, R_OK) != 0 || search->before-- > 0)
        return false;
    text_copy(search->path, PATH_MAX, path);
    return true;
}

/* Folders separated by colons. */
static bool is_in_list(struct search *search, const char *list)
{
    for (const char *at = list; at && *at; at += *at == ':') {
        char path[PATH_MAX];
        const size_t length = strcspn(at, ":");
        const int needed = snprintf(path, sizeof path, "%.*s/%s", (int)length, at, search->file);
        if (length > 0 && needed < PATH_MAX && is_it(search, path))
            return true;
        at += length;
    }
    return false;
}

/* The folders of the toolkit's installer and of distributions. Of several versions, the last by name comes first. */
static bool is_in_usual(struct search *search)
{
    const char *home = getenv("CUDA_HOME");
    const char *const roots[] = { home ? home : "/usr/local/cuda", "/usr/local/cuda", "/usr/local/cuda-*", TARGETS,
                                  "/opt/cuda*" };
    bool is_there = false;
    for (unsigned i = 0; i < sizeof roots / sizeof *roots && !is_there; i++) {
        char pattern[PATH_MAX];
        glob_t found = { 0 };
        snprintf(pattern, sizeof pattern, "%s/lib*/%s", roots[i], search->file);
        if (glob(pattern, 0, NULL, &found) == 0)
            for (size_t k = found.gl_pathc; k-- > 0 && !is_there;)
                is_there = is_it(search, found.gl_pathv[k]);
        globfree(&found);
    }
    return is_there;
}

bool search_find(const char *file, unsigned number, char path[PATH_MAX])
{
    struct search search = { file, number, path };
    return is_in_list(&search, getenv("BENCH_LIBRARY_PATH")) || is_in_list(&search, getenv("LD_LIBRARY_PATH")) ||
           is_in_usual(&search);
}

void *search_load(const char *file)
{
    return loader_open(file);
}
