#include "bench/backends/cuda/search.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char search_places[] = "where the loader looks, nor in CUDA_HOME, /usr/local/cuda* and /opt/cuda*; "
                             "BENCH_LIBRARY_PATH may name its directory";

struct search {
    const char *file;
    search_visit *visit;
    void *context;
};

/* Whether the file is a shared library for this process: the folder may be for another kind of machine. */
static bool is_loadable(const char *path)
{
    unsigned char head[EI_NIDENT] = { 0 };
    int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool is_read = file >= 0 && read(file, head, sizeof head) == (ssize_t)sizeof head;
    if (file >= 0)
        close(file);
    return is_read && memcmp(head, ELFMAG, SELFMAG) == 0 &&
           head[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
}

static bool visit_in(const struct search *search, const char *folder, size_t length, const char *below)
{
    char path[PATH_MAX];
    int needed = snprintf(path, sizeof path, "%.*s%s/%s", (int)length, folder, below, search->file);
    return length > 0 && needed > 0 && (size_t)needed < sizeof path && is_loadable(path) &&
           search->visit(search->context, path);
}

/* Folders separated by colons. */
static bool visit_list(const struct search *search, const char *list)
{
    for (const char *at = list; at && *at; at += *at == ':') {
        const size_t length = strcspn(at, ":");
        if (visit_in(search, at, length, ""))
            return true;
        at += length;
    }
    return false;
}

/* Packages of a distribution install them in the driver's folder. */
static bool visit_beside_driver(const struct search *search)
{
    struct link_map *map = NULL;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    const char *end = driver && dlinfo(driver, RTLD_DI_LINKMAP, &map) == 0 ? strrchr(map->l_name, '/') : NULL;
    const bool stopped = end && visit_in(search, map->l_name, (size_t)(end - map->l_name), "");
    if (driver)
        dlclose(driver);
    return stopped;
}

/* The folders of the toolkit's installer and of distributions. Of several versions, the last by name comes first. */
static bool visit_usual(const struct search *search)
{
    static const char *const patterns[] = { "/usr/local/cuda/lib*", "/usr/local/cuda-*/lib*",
                                            "/usr/local/cuda-*/targets/*/lib", "/opt/cuda*/lib*" };
    bool stopped = false;
    for (unsigned i = 0; i < sizeof patterns / sizeof *patterns && !stopped; i++) {
        glob_t found = { 0 };
        if (glob(patterns[i], 0, NULL, &found) == 0)
            for (size_t k = found.gl_pathc; k-- > 0 && !stopped;)
                stopped = visit_in(search, found.gl_pathv[k], strlen(found.gl_pathv[k]), "");
        globfree(&found);
    }
    return stopped;
}

bool search_each(const char *file, search_visit *visit, void *context)
{
    const struct search search = { file, visit, context };
    const char *home = getenv("CUDA_HOME");
    return visit_list(&search, getenv("BENCH_LIBRARY_PATH")) || visit_list(&search, getenv("LD_LIBRARY_PATH")) ||
           visit_beside_driver(&search) ||
           (home &&
            (visit_in(&search, home, strlen(home), "/lib64") || visit_in(&search, home, strlen(home), "/lib"))) ||
           visit_usual(&search) || visit(context, file);
}
