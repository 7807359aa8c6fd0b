#include "bench/backends/cuda/search.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char search_places[] = "where the loader looks, nor in CUDA_HOME, /usr/local/cuda* and /opt/cuda*; "
                             "BENCH_LIBRARY_PATH may name its directory";

/* A search on its way. */
struct search {
    const char *file;
    search_visit *visit;
    void *context;
};

/* A shared library of the kind that this process is made of: a directory may hold one for another machine under the
 * same name. */
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

static bool visit_path(const struct search *search, const char *path)
{
    return is_loadable(path) && search->visit(search->context, path);
}

static bool visit_in(const struct search *search, const char *directory, size_t length, const char *below)
{
    char path[PATH_MAX];
    int needed = snprintf(path, sizeof path, "%.*s%s/%s", (int)length, directory, below, search->file);
    return length > 0 && needed > 0 && (size_t)needed < sizeof path && visit_path(search, path);
}

/* A list of directories with colons between, as PATH is. */
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

/* The directories that the loader itself goes through: LD_LIBRARY_PATH, what was built into the program, the system's.
 */
static bool visit_loader(const struct search *search)
{
    bool found = false;
    Dl_serinfo size, *info = NULL;
    void *program = dlopen(NULL, RTLD_LAZY);
    if (program && dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0)
        info = malloc(size.dls_size);
    if (info && dlinfo(program, RTLD_DI_SERINFOSIZE, info) == 0 && dlinfo(program, RTLD_DI_SERINFO, info) == 0)
        for (unsigned i = 0; i < info->dls_cnt && !found; i++)
            found = visit_in(search, info->dls_serpath[i].dls_name, strlen(info->dls_serpath[i].dls_name), "");
    free(info);
    if (program)
        dlclose(program);
    return found;
}

/* What ldconfig notes of the directories in /etc/ld.so.conf, in the format that glibc has written since 2.32 and, after
 * an older part, before: a head, entries, and texts at offsets from the head. */
struct cache_head {
    char magic[20];
    uint32_t entries, text_bytes, unused[5];
};
struct cache_entry {
    uint32_t flags, name, path, system;
    uint64_t capabilities;
};
_Static_assert(sizeof(struct cache_head) == 48 && sizeof(struct cache_entry) == 24, "as ldconfig writes them");

static bool visit_entries(const struct search *search, const char *head, size_t bytes)
{
    struct cache_head about;
    memcpy(&about, head, sizeof about);
    if (about.entries > (bytes - sizeof about) / sizeof(struct cache_entry))
        return false;
    for (uint32_t i = 0; i < about.entries; i++) {
        struct cache_entry entry;
        memcpy(&entry, head + sizeof about + i * sizeof entry, sizeof entry);
        if (entry.name >= bytes || entry.path >= bytes || !memchr(head + entry.name, 0, bytes - entry.name) ||
            !memchr(head + entry.path, 0, bytes - entry.path))
            continue;
        if (strcmp(head + entry.name, search->file) == 0 && visit_path(search, head + entry.path))
            return true;
    }
    return false;
}

static bool visit_cache(const struct search *search)
{
    static const char magic[] = "glibc-ld.so.cache1.1";
    struct stat about;
    bool found = false;
    int file = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
    void *text = MAP_FAILED;
    if (file >= 0 && fstat(file, &about) == 0 && about.st_size > 0)
        text = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0)
        close(file);
    if (text == MAP_FAILED)
        return false;
    const size_t bytes = (size_t)about.st_size;
    const char *head = memmem(text, bytes, magic, sizeof magic - 1);
    const size_t rest = head ? bytes - (size_t)(head - (const char *)text) : 0;
    if (rest >= sizeof(struct cache_head))
        found = visit_entries(search, head, rest);
    munmap(text, bytes);
    return found;
}

/* Where the toolkit's own installer puts it, and distributions that repack it; of several versions the last by name. */
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
    return visit_list(&search, getenv("BENCH_LIBRARY_PATH")) || visit_loader(&search) || visit_cache(&search) ||
           (home &&
            (visit_in(&search, home, strlen(home), "/lib64") || visit_in(&search, home, strlen(home), "/lib"))) ||
           visit_usual(&search) || visit(context, file);
}
