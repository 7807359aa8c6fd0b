#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Control groups, version 2 (Documentation/admin-guide/cgroup-v2.rst) and 1 (cgroup-v1/, scheduler/sched-bwc.rst),
 * which a machine may use side by side. A limit of a group binds everything below it, so the least one on the way up
 * counts. */

/* A limit that one directory of a hierarchy sets; INFINITY, or NAN, when it sets none. */
typedef double limit_read(const char *root, const char *directory);

static double number_at(const char *root, const char *directory, const char *file)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", directory, file);
    return length > 0 && (size_t)length < sizeof path ? host_number(root, path) : NAN;
}

/* A member of cpu.stat; NAN where it is none that can be true. */
static double stat_at(const char *root, const char *directory, const char *member)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/cpu.stat", directory);
    if (length < 0 || (size_t)length >= sizeof path)
        return NAN;
    double value = host_member_number(root, path, member);
    return value >= 0 && isfinite(value) ? value : NAN;
}

/* "150000 100000" or "max 100000": microseconds of processor time in each period. */
static double cpus_v2(const char *root, const char *directory)
{
    char path[PATH_MAX], line[64];
    double quota, period;
    int length = snprintf(path, sizeof path, "%s/cpu.max", directory);
    if (length < 0 || (size_t)length >= sizeof path || !host_line(root, path, line, sizeof line))
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

/* Pages of files that nobody has touched lately count as used but are given back on demand. */
static double memory_left(const char *root, const char *directory, double limit, const char *usage, const char *idle)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/memory.stat", directory);
    double used = number_at(root, directory, usage), spare = NAN;
    if (length > 0 && (size_t)length < sizeof path)
        spare = host_member_number(root, path, idle);
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

/* Whether a comma-separated list of controllers holds this one; version 2's list is empty, and so is its name here. */
static bool controls(const char *list, const char *controller)
{
    size_t length = strlen(controller);
    for (;; list++) {
        size_t name = strcspn(list, ",");
        if (name == length && memcmp(list, controller, length) == 0)
            return true;
        list += name;
        if (!*list)
            return false;
    }
}

/* Whether a path leads up and out, through a part that is ".."; "a..b" is a name like any other. */
static bool leads_out(const char *path)
{
    for (;; path++) {
        size_t length = strcspn(path, "/");
        if (length == 2 && memcmp(path, "..", 2) == 0)
            return true;
        path += length;
        if (!*path)
            return false;
    }
}

/* A quota of any group on the way up makes all below it wait. */
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
        is_found = controls(list + 1, controller);
        if (is_found) /* what lies outside of what we are shown has limits that we cannot see */
            text_copy(to, room, leads_out(path) ? "/" : path);
    }
    free(line);
    if (file)
        fclose(file);
    return is_found;
}

/* What two directories say, taken together; either may be NAN. */
typedef double combine(double one, double other);

static double sum_known(double one, double other)
{
    return isnan(one) ? other : isnan(other) ? one : one + other;
}

/* From the group up to the mount point. Inside a container the mount point itself may be the group whose path is told
 * from the outside: what is not there is passed over. */
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

struct hierarchy {
    const char *controller, *mount;
    limit_read *read;
};

/* The least of them all: fmin passes NAN over. INFINITY where nothing is limited. */
static double least_of(const char *root, const struct hierarchy hierarchies[], unsigned count)
{
    double least = INFINITY;
    for (unsigned i = 0; i < count; i++) {
        char group[PATH_MAX];
        const struct hierarchy *h = &hierarchies[i];
        if (group_find(root, h->controller, group, sizeof group))
            least = fmin(least, on_the_way_up(root, h->mount, group, h->read, fmin));
    }
    return least;
}

double host_cgroup_cpus(const char *root)
{
    static const struct hierarchy hierarchies[] = {
        { "", "/sys/fs/cgroup", cpus_v2 },
        { "", "/sys/fs/cgroup/unified", cpus_v2 },
        { "cpu", "/sys/fs/cgroup/cpu", cpus_v1 },
        { "cpu", "/sys/fs/cgroup/cpu,cpuacct", cpus_v1 },
    };
    return least_of(root, hierarchies, sizeof hierarchies / sizeof *hierarchies);
}

double host_cgroup_memory(const char *root)
{
    static const struct hierarchy hierarchies[] = {
        { "", "/sys/fs/cgroup", memory_v2 },
        { "", "/sys/fs/cgroup/unified", memory_v2 },
        { "memory", "/sys/fs/cgroup/memory", memory_v1 },
    };
    return least_of(root, hierarchies, sizeof hierarchies / sizeof *hierarchies);
}

double host_cgroup_memory_left(const char *root)
{
    static const struct hierarchy hierarchies[] = {
        { "", "/sys/fs/cgroup", memory_left_v2 },
        { "", "/sys/fs/cgroup/unified", memory_left_v2 },
        { "memory", "/sys/fs/cgroup/memory", memory_left_v1 },
    };
    return fmax(least_of(root, hierarchies, sizeof hierarchies / sizeof *hierarchies), 0);
}

/* The same group may be shown in several places, as cpu often is a link to cpu,cpuacct: it counts once. */
double host_cgroup_throttled(const char *root)
{
    static const struct hierarchy hierarchies[] = {
        { "", "/sys/fs/cgroup", throttled_v2 },
        { "", "/sys/fs/cgroup/unified", throttled_v2 },
        { "cpu", "/sys/fs/cgroup/cpu", throttled_v1 },
        { "cpu", "/sys/fs/cgroup/cpu,cpuacct", throttled_v1 },
    };
    double most = NAN;
    for (unsigned i = 0; i < sizeof hierarchies / sizeof *hierarchies; i++) {
        char group[PATH_MAX];
        const struct hierarchy *h = &hierarchies[i];
        if (group_find(root, h->controller, group, sizeof group))
            most = fmax(most, on_the_way_up(root, h->mount, group, h->read, sum_known));
    }
    return most;
}
