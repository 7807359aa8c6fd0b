#include "bench/backends/common/driver_cache.h"

#include "harness/base/atomic_file.h"
#include "harness/base/text.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { ROOM_NEEDED = 1 << 20 }; /* bytes: what the kernels of a run take */

bool driver_cache_is_of(const char *driver)
{
    return strcasestr(driver, "pocl") || strcmp(driver, "Portable Computing Language") == 0;
}

void driver_cache_find(char *to, size_t room)
{
    const char *chosen = getenv("POCL_CACHE_DIR"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (chosen && *chosen)
        text_copy(to, room, chosen);
    else if (cache && *cache)
        snprintf(to, room, "%s/pocl/kcache", cache);
    else
        snprintf(to, room, "%s%s/pocl/kcache", home ? home : "/tmp", home ? "/.cache" : "");
}

/* Tried in the nearest folder that exists: the driver makes those below it. */
static bool has_room(const char *folder)
{
    char path[PATH_MAX], *end = path;
    text_copy(path, sizeof path - sizeof "/bench-XXXXXX", folder);
    while (access(path, F_OK) != 0 && (end = strrchr(path, '/')))
        *end = '\0';
    text_append(path, sizeof path, "/bench-XXXXXX");
    const int file = mkostemp(path, O_CLOEXEC);
    const bool fits = file >= 0 && posix_fallocate(file, 0, ROOM_NEEDED) == 0;
    if (file >= 0)
        unlink(path);
    close(file);
    return fits;
}

void driver_cache_prepare(void)
{
    const char *ignored;
    char folder[PATH_MAX];
    driver_cache_find(folder, sizeof folder);
    if (has_room(folder))
        return;
    /* Nobody else may have made it: the driver runs what lies there. */
    if (folder_make_own(folder, sizeof folder, DRIVER_CACHE_OURS, 077, &ignored))
        setenv("POCL_CACHE_DIR", folder, 1);
}
