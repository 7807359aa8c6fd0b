#include "harness/machine/host.h"

#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Control groups, version 2 (Documentation/admin-guide/cgroup-v2.rst) and 1 (cgroup-v1/, scheduler/sched-bwc.rst); a
 * machine may use both. Their files have different names, so a directory is asked for those of both. */

/* The first of two files, or members of a file, that has a number; NAN: neither has one, as "max" is none. */
static double number_of(const char *root, const char *directory, const char *file, const char *other)
{
    const double number = host_number(root, text_print("%s/%s", directory, file).text);
    return isnan(number) && other ? number_of(root, directory, other, NULL) : number;
}

static double member_of(const char *root, const char *directory, const char *file, const char *member)
{
    const double number = host_member_number(root, text_print("%s/%s", directory, file).text, member);
    return number >= 0 && isfinite(number) ? number : NAN;
}

/* "150000 100000" or "max 100000": microseconds of processor time in each period. */
static double cpus_of(const char *root, const char *directory)
{
    double quota, period;
    const struct text line = host_line(root, text_print("%s/cpu.max", directory).text);
    if (sscanf(line.text, "%lf %lf", &quota, &period) != 2) {
        quota = number_of(root, directory, "cpu.cfs_quota_us", NULL);
        period = number_of(root, directory, "cpu.cfs_period_us", NULL);
    }
    return quota > 0 && period > 0 ? quota / period : INFINITY;
}

/* In version 1 "no limit" is the largest multiple of the page size that fits 63 bits. */
static double memory_of(const char *root, const char *directory)
{
    const double limit = number_of(root, directory, "memory.max", "memory.limit_in_bytes");
    return limit < 0x1p62 ? limit : INFINITY;
}

/* Pages of files that were not touched lately count as used, but are given back on demand. */
static double memory_left_of(const char *root, const char *directory)
{
    const double used = number_of(root, directory, "memory.current", "memory.usage_in_bytes"),
                 idle = member_of(root, directory, "memory.stat", "inactive_file"),
                 of_all = member_of(root, directory, "memory.stat", "total_inactive_file"); /* version 1 has both */
    return memory_of(root, directory) - fmax(used - fmax(0, isnan(of_all) ? idle : of_all), 0);
}

static double tasks_left_of(const char *root, const char *directory)
{
    return number_of(root, directory, "pids.max", NULL) - number_of(root, directory, "pids.current", NULL);
}

/* The quota of a parent group makes tasks wait, too. */
static double throttled_of(const char *root, const char *directory)
{
    const double micro = member_of(root, directory, "cpu.stat", "throttled_usec");
    return isnan(micro) ? 1e-9 * member_of(root, directory, "cpu.stat", "throttled_time") : 1e-6 * micro;
}

/* Path of this process's group, "" if there is none, from lines such as "4:cpu,cpuacct:/a/b" and "0::/a/b". */
static struct text group_find(const char *root, const char *controller)
{
    struct text group = { "" };
    char *line = NULL;
    size_t line_room = 0;
    FILE *file = host_open(root, "/proc/self/cgroup");
    while (file && !*group.text && getline(&line, &line_room, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        if (!text_has_part(list + 1, ',', controller)) /* version 2 has no list, and "" for a name here */
            continue;
        /* The limits of groups outside of our namespace cannot be seen. */
        group = text_print("%s", text_has_part(path, '/', "..") ? "/" : path);
    }
    free(line);
    if (file)
        fclose(file);
    return group;
}

typedef double group_value(const char *root, const char *directory);
typedef double combine(double one, double other); /* either may be NAN */

static double sum_known(double one, double other)
{
    return isnan(one) ? other : isnan(other) ? one : one + other;
}

/* A group's limit applies to all groups below it: from the group up to the mount point. Inside a container the mount
 * point may be the group itself while the path is that outside: directories that do not exist are skipped. */
static double on_the_way_up(const char *root, const char *mount, const char *group, group_value *value, combine *both)
{
    struct text directory = text_print("%s%s", mount, group);
    double all = NAN;
    for (;;) {
        all = both(all, value(root, directory.text));
        char *slash = strrchr(directory.text, '/');
        if (slash < directory.text + strlen(mount))
            return all;
        *slash = '\0';
    }
}

/* Takes the values of a controller's groups together: those on the way up by `up`, those of the hierarchies by
 * `across`. The hierarchies are where they are usually mounted: version 2 by itself or beside version 1, and version 1
 * by controller. */
static double over_groups(const char *root, const char *controller, group_value *value, combine *up, combine *across)
{
    static const struct {
        const char *controller, *mount; /* "": version 2 */
    } hierarchies[] = {
        { "", "/sys/fs/cgroup" },
        { "", "/sys/fs/cgroup/unified" },
        { "cpu", "/sys/fs/cgroup/cpu" },
        { "cpu", "/sys/fs/cgroup/cpu,cpuacct" },
        { "memory", "/sys/fs/cgroup/memory" },
        { "pids", "/sys/fs/cgroup/pids" },
    };
    double all = NAN;
    for (unsigned i = 0; i < sizeof hierarchies / sizeof *hierarchies; i++) {
        const char *name = hierarchies[i].controller;
        const struct text group = group_find(root, name);
        if ((!*name || strcmp(name, controller) == 0) && *group.text)
            all = across(all, on_the_way_up(root, hierarchies[i].mount, group.text, value, up));
    }
    return all;
}

/* The least limit: fmin ignores a NAN. */
double host_cgroup_cpus(const char *root)
{
    return fmin(INFINITY, over_groups(root, "cpu", cpus_of, fmin, fmin));
}

double host_cgroup_memory(const char *root)
{
    return fmin(INFINITY, over_groups(root, "memory", memory_of, fmin, fmin));
}

double host_cgroup_memory_left(const char *root)
{
    return fmax(0, fmin(INFINITY, over_groups(root, "memory", memory_left_of, fmin, fmin)));
}

double host_cgroup_tasks_left(const char *root)
{
    return fmax(0, fmin(INFINITY, over_groups(root, "pids", tasks_left_of, fmin, fmin)));
}

/* One group may be shown in several places, as cpu is often a link to cpu,cpuacct, and counts once. */
double host_cgroup_throttled(const char *root)
{
    return over_groups(root, "cpu", throttled_of, sum_known, fmax);
}
