#include "harness/machine/cgroup.h"

#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Control groups, version 2 (Documentation/admin-guide/cgroup-v2.rst) and 1 (cgroup-v1/, scheduler/sched-bwc.rst); a
 * machine may use both. A group's limit applies to all groups below it, so the least one on the way up counts. */

/* A limit that one directory of a hierarchy sets; INFINITY, or NAN, when it sets none. */
typedef double limit_read(const char *root, const char *directory);

/* "<directory>/<file>"; "" where it is too long. */
static const char *join(char to[PATH_MAX], const char *directory, const char *file)
{
    int length = snprintf(to, PATH_MAX, "%s/%s", directory, file);
    if (length < 0 || length >= PATH_MAX)
        *to = '\0';
    return to;
}

static double number_at(const char *root, const char *directory, const char *file)
{
    char path[PATH_MAX];
    return host_number(root, join(path, directory, file));
}

/* A member of cpu.stat; NAN if it is not a plausible number. */
static double stat_at(const char *root, const char *directory, const char *member)
{
    char path[PATH_MAX];
    double value = host_member_number(root, join(path, directory, "cpu.stat"), member);
    return value >= 0 && isfinite(value) ? value : NAN;
}

/* "150000 100000" or "max 100000": microseconds of processor time in each period. */
static double cpus_v2(const char *root, const char *directory)
{
    char path[PATH_MAX], line[64];
    double quota, period;
    if (!host_line(root, join(path, directory, "cpu.max"), line, sizeof line))
        return INFINITY;
    return sscanf(line, "%lf %lf", &quota, &period) == 2 && quota > 0 && period > 0 ? quota / period : INFINITY;
}

static double cpus_v1(const char *root, const char *directory)
{
    double quota = number_at(root, directory, "cpu.cfs_quota_us");
    double period = number_at(root, directory, "cpu.cfs_period_us");
    return quota > 0 && period > 0 ? quota / period : INFINITY;
}

/* "max" is no number, and stays NAN. */
static double memory_v2(const char *root, const char *directory)
{
    return number_at(root, directory, "memory.max");
}

/* "No limit" is the largest multiple of the page size that fits 63 bits. */
static double memory_v1(const char *root, const char *directory)
{
    double limit = number_at(root, directory, "memory.limit_in_bytes");
    return limit < 0x1p62 ? limit : INFINITY;
}

/* Pages of files that were not touched lately count as used, but are given back on demand. */
static double memory_left(const char *root, const char *directory, double limit, const char *usage, const char *idle)
{
    char path[PATH_MAX];
    double used = number_at(root, directory, usage);
    double spare = host_member_number(root, join(path, directory, "memory.stat"), idle);
    return limit - fmax(used - (isnan(spare) ? 0 : spare), 0);
}

static double memory_left_v2(const char *root, const char *directory)
{
    return memory_left(root, directory, memory_v2(root, directory), "memory.current", "inactive_file");
}

static double memory_left_v1(const char *root, const char *directory)
{
    return memory_left(root, directory, memory_v1(root, directory), "memory.usage_in_bytes", "total_inactive_file");
}

/* Whether a list has this part, between separators. */
static bool has_part(const char *list, char separator, const char *part)
{
    const size_t length = strlen(part);
    for (;; list++) {
        const char *end = strchrnul(list, separator);
        if ((size_t)(end - list) == length && memcmp(list, part, length) == 0)
            return true;
        if (!*end)
            return false;
        list = end;
    }
}

/* The quota of a parent group makes tasks wait, too. */
static double throttled_v2(const char *root, const char *directory)
{
    return 1e-6 * stat_at(root, directory, "throttled_usec");
}

static double throttled_v1(const char *root, const char *directory)
{
    return 1e-9 * stat_at(root, directory, "throttled_time");
}

/* Path of this process's group, from lines such as "4:cpu,cpuacct:/a/b" and "0::/a/b". */
static bool group_find(const char *root, const char *controller, char *to, size_t room)
{
    bool is_found = false;
    char *line = NULL;
    size_t line_room = 0;
    FILE *file = host_open(root, "/proc/self/cgroup");
    while (file && !is_found && getline(&line, &line_room, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        is_found = has_part(list + 1, ',', controller); /* version 2 has no list, and "" for a name here */
        if (is_found) /* the limits of groups outside of our namespace cannot be seen */
            text_copy(to, room, has_part(path, '/', "..") ? "/" : path);
    }
    free(line);
    if (file)
        fclose(file);
    return is_found;
}

/* One value of two; either may be NAN. */
typedef double combine(double one, double other);

static double sum_known(double one, double other)
{
    return isnan(one) ? other : isnan(other) ? one : one + other;
}

/* From the group up to the mount point. Inside a container the mount point may be the group itself while the path is
 * that outside: directories that do not exist are skipped. */
static double on_the_way_up(const char *root, const char *mount, const char *group, limit_read *read, combine *both)
{
    char directory[2 * PATH_MAX];
    double all = NAN;
    snprintf(directory, sizeof directory, "%s%s", mount, group);
    for (;;) {
        all = both(all, read(root, directory));
        char *slash = strrchr(directory, '/');
        if (slash < directory + strlen(mount))
            return all;
        *slash = '\0';
    }
}

/* Where the hierarchies are mounted: version 2 by itself or beside version 1, and version 1 by controller. */
static const struct hierarchy {
    const char *controller, *mount; /* "": version 2 */
} hierarchies[] = {
    { "", "/sys/fs/cgroup" },
    { "", "/sys/fs/cgroup/unified" },
    { "cpu", "/sys/fs/cgroup/cpu" },
    { "cpu", "/sys/fs/cgroup/cpu,cpuacct" },
    { "memory", "/sys/fs/cgroup/memory" },
};

/* Takes all values of the controller's groups together: those on the way up by `up`, and those of the hierarchies by
 * `across`, starting with `start`. */
static double over_groups(const char *root, const char *controller, limit_read *v2, limit_read *v1, combine *up,
                          combine *across, double start)
{
    double all = start;
    for (unsigned i = 0; i < sizeof hierarchies / sizeof *hierarchies; i++) {
        char group[PATH_MAX];
        const struct hierarchy *h = &hierarchies[i];
        const bool is_v2 = !*h->controller;
        if ((is_v2 || strcmp(h->controller, controller) == 0) && group_find(root, h->controller, group, sizeof group))
            all = across(all, on_the_way_up(root, h->mount, group, is_v2 ? v2 : v1, up));
    }
    return all;
}

/* The least limit: fmin ignores a NAN. */
double host_cgroup_cpus(const char *root)
{
    return over_groups(root, "cpu", cpus_v2, cpus_v1, fmin, fmin, INFINITY);
}

double host_cgroup_memory(const char *root)
{
    return over_groups(root, "memory", memory_v2, memory_v1, fmin, fmin, INFINITY);
}

double host_cgroup_memory_left(const char *root)
{
    return fmax(over_groups(root, "memory", memory_left_v2, memory_left_v1, fmin, fmin, INFINITY), 0);
}

/* One group may be shown in several places, as cpu is often a link to cpu,cpuacct, and counts once. */
double host_cgroup_throttled(const char *root)
{
    return over_groups(root, "cpu", throttled_v2, throttled_v1, sum_known, fmax, NAN);
}
