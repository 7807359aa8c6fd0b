#include "bench/backends/common/driver_cache.h"

#include "harness/base/file.h"
#include "harness/base/text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_NEEDED = 1 << 20 }; /* bytes: what the kernels of a run take */

static const char refused[] = "BENCH_REFUSED_CACHE"; /* for the note on the device */

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
    setenv(refused, folder, 1);
    if (folder_make_own(folder, sizeof folder, "bench-kernels", 077, &ignored))
        setenv("POCL_CACHE_DIR", folder, 1);
}

const char *driver_cache_refused(void)
{
    return getenv(refused);
}

const char *driver_cache_changed_by(char *(*variable)(const char *name))
{
    static const char *const known[] = { "POCL_EXTRA_BUILD_FLAGS", "POCL_WORK_GROUP_METHOD", NULL };
    const char *const *name = known;
    while (*name && !variable(*name))
        name++;
    return *name;
}

void driver_cache_suspect(const char *driver, char *to, size_t room)
{
    char folder[128];
    const char *variable = driver_cache_changed_by(getenv), *is_used = getenv("POCL_KERNEL_CACHE");
    driver_cache_find(folder, sizeof folder);
    if (!driver_cache_is_of(driver))
        return;
    if (variable)
        text_append(to, room, "; %s is \"%.100s\": unset it", variable, getenv(variable));
    else if (!is_used || strcmp(is_used, "0") != 0)
        text_append(to, room, "; its cache %s may be damaged: see 'bench doctor'", folder);
}
