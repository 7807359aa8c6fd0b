#include "bench/backends/cuda/search.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char search_places[] = "where the loader looks, nor in CUDA_HOME, /usr/local/cuda* and /opt/cuda*; "
                             "BENCH_LIBRARY_PATH may name its directory";

/* Where a file is looked for, and the path of the one that was found. */
struct search {
    const char *file;
    char *path;
};

/* The kind of machine that a file's code is for; false if it is no code. */
static bool machine_of(const char *path, unsigned char head[20])
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool is_read = file >= 0 && read(file, head, 20) == 20;
    if (file >= 0)
        close(file);
    return is_read && memcmp(head, ELFMAG, SELFMAG) == 0;
}

/* Whether the file is a shared library for this process: the folder may be for another kind of machine. */
static bool is_loadable(const char *path)
{
    unsigned char head[20], own[20];
    return machine_of(path, head) && machine_of("/proc/self/exe", own) && head[EI_CLASS] == own[EI_CLASS] &&
           memcmp(head + offsetof(Elf64_Ehdr, e_machine), own + offsetof(Elf64_Ehdr, e_machine), 2) == 0;
}

static bool is_in(const struct search *search, const char *folder, size_t length, const char *below)
{
    const int needed = snprintf(search->path, PATH_MAX, "%.*s%s/%s", (int)length, folder, below, search->file);
    return length > 0 && needed > 0 && needed < PATH_MAX && is_loadable(search->path);
}

/* Folders separated by colons. */
static bool is_in_list(const struct search *search, const char *list)
{
    for (const char *at = list; at && *at; at += *at == ':') {
        const size_t length = strcspn(at, ":");
        if (is_in(search, at, length, ""))
            return true;
        at += length;
    }
    return false;
}

/* Packages of a distribution install them in the driver's folder. */
static bool is_beside_driver(const struct search *search)
{
    struct link_map *map = NULL;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    const char *end = driver && dlinfo(driver, RTLD_DI_LINKMAP, &map) == 0 ? strrchr(map->l_name, '/') : NULL;
    const bool is_there = end && is_in(search, map->l_name, (size_t)(end - map->l_name), "");
    if (driver)
        dlclose(driver);
    return is_there;
}

/* The folders of the toolkit's installer and of distributions. Of several versions, the last by name comes first. */
static bool is_in_usual(const struct search *search)
{
    static const char *const patterns[] = { "/usr/local/cuda/lib*", "/usr/local/cuda-*/lib*",
                                            "/usr/local/cuda-*/targets/*/lib", "/opt/cuda*/lib*" };
    bool is_there = false;
    for (unsigned i = 0; i < sizeof patterns / sizeof *patterns && !is_there; i++) {
        glob_t found = { 0 };
        if (glob(patterns[i], 0, NULL, &found) == 0)
            for (size_t k = found.gl_pathc; k-- > 0 && !is_there;)
                is_there = is_in(search, found.gl_pathv[k], strlen(found.gl_pathv[k]), "");
        globfree(&found);
    }
    return is_there;
}

bool search_find(const char *file, char path[PATH_MAX])
{
    const struct search search = { file, path };
    const char *home = getenv("CUDA_HOME");
    const size_t length = home ? strlen(home) : 0;
    return is_in_list(&search, getenv("BENCH_LIBRARY_PATH")) || is_in_list(&search, getenv("LD_LIBRARY_PATH")) ||
           is_beside_driver(&search) || is_in(&search, home ? home : "", length, "/lib64") ||
           is_in(&search, home ? home : "", length, "/lib") || is_in_usual(&search);
}

void *search_load(const char *file)
{
    return dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}
