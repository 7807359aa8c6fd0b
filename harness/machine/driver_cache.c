#include "harness/machine/driver_cache.h"

#include "harness/base/text.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const char variable[] = "POCL_CACHE_DIR";
enum { ROOM_NEEDED = 1 << 20 }; /* bytes: what the kernels of a run take */

bool driver_cache_is_of(const char *library)
{
    return strcasestr(library, "pocl");
}

static const char *set(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

void driver_cache_find(char *to, size_t room)
{
    const char *chosen = set(variable), *cache = set("XDG_CACHE_HOME"), *home = set("HOME");
    *to = '\0';
    if (chosen)
        text_copy(to, room, chosen);
    else if (cache || home)
        snprintf(to, room, "%s%s/pocl/kcache", cache ? cache : home, cache ? "" : "/.cache");
}

static void private_folder(char *to, size_t room)
{
    const char *temporary = set("TMPDIR");
    snprintf(to, room, "%s/bench-kernels-%u", temporary ? temporary : "/tmp", (unsigned)getuid());
}

bool driver_cache_is_private(void)
{
    char folder[PATH_MAX], mine[PATH_MAX];
    driver_cache_find(folder, sizeof folder);
    private_folder(mine, sizeof mine);
    return strcmp(folder, mine) == 0;
}

/* Tried in the nearest folder that exists: the driver makes those below it. */
static bool has_room(const char *folder)
{
    char path[PATH_MAX];
    struct stat about;
    text_copy(path, sizeof path - sizeof "/bench-XXXXXX", folder);
    for (char *end = path + strlen(path); stat(path, &about) != 0; *end = '\0')
        if (!(end = strrchr(path, '/')) || end == path)
            return false;
    text_append(path, sizeof path, "/bench-XXXXXX");
    const int file = mkostemp(path, O_CLOEXEC);
    if (file < 0)
        return false;
    unlink(path);
    const bool fits = posix_fallocate(file, 0, ROOM_NEEDED) == 0;
    close(file);
    return fits;
}

void driver_cache_prepare(void)
{
    char folder[PATH_MAX];
    struct stat about;
    driver_cache_find(folder, sizeof folder);
    if (*folder && has_room(folder))
        return;
    private_folder(folder, sizeof folder);
    mkdir(folder, 0700);
    /* Nobody else may have made it: the driver runs what lies there. */
    if (lstat(folder, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == getuid() && !(about.st_mode & 077))
        setenv(variable, folder, 1);
}
