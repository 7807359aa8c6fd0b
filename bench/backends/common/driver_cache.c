#include "bench/backends/common/driver_cache.h"

#include "harness/base/file.h"
#include "harness/base/text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void driver_cache_prepare(void)
{
    const char *ignored;
    char folder[PATH_MAX];
    driver_cache_find(folder, sizeof folder);
    if (disk_takes(folder, ROOM_NEEDED))
        return;
    /* Nobody else may have made it: the driver runs what lies there. */
    if (folder_make_own(folder, sizeof folder, DRIVER_CACHE_OURS, 077, &ignored))
        setenv("POCL_CACHE_DIR", folder, 1);
}
