#include "harness/machine/topology.h"

#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file of one processor: "/sys/devices/system/cpu/cpu7/topology/core_id". */
static bool cpu_line(const char *root, unsigned cpu, const char *file, char *to, size_t room)
{
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/%s", cpu, file);
    return host_line(root, path, to, room);
}

static unsigned list_first(const char *list, unsigned otherwise)
{
    unsigned low, high;
    return host_list_next(&list, &low, &high) ? low : otherwise;
}

/* Threads of a core list each other: the first of them represents it. core_cpus_list is the newer name. */
static bool core_of(const char *root, unsigned cpu, unsigned *core)
{
    char list[256];
    *core = cpu;
    if (!cpu_line(root, cpu, "topology/core_cpus_list", list, sizeof list) &&
        !cpu_line(root, cpu, "topology/thread_siblings_list", list, sizeof list))
        return false;
    *core = list_first(list, cpu);
    return true;
}

/* Intel's hybrid processors list their efficient cores; Arm's state the capacity of each core. */
static unsigned kind_of(const char *root, unsigned cpu, const char *efficient)
{
    char capacity[32];
    if (*efficient)
        return host_list_has(efficient, cpu);
    return cpu_line(root, cpu, "cpu_capacity", capacity, sizeof capacity) ? (unsigned)strtoul(capacity, NULL, 10) : 0;
}

/* "32K", "8M" */
static double cache_bytes(const char *text)
{
    char *unit;
    double number = strtod(text, &unit);
    return number * (*unit == 'K' ? 0x1p10 : *unit == 'M' ? 0x1p20 : *unit == 'G' ? 0x1p30 : 1);
}

static void cache_add(struct host *out, unsigned level, double bytes)
{
    unsigned i = 0;
    while (i < out->caches && out->cache[i].level != level)
        i++;
    if (i == CACHES_MAX)
        return;
    if (i == out->caches)
        out->cache[out->caches++] = (struct cache){ level, bytes, 0 };
    out->cache[i].instances++;
}

/* A cache is counted at the first processor that shares it. */
static void caches_of(struct host *out, const char *root, unsigned cpu)
{
    for (unsigned index = 0; index < CACHES_MAX; index++) {
        char file[64], text[4][256];
        static const char *const names[] = { "level", "type", "size", "shared_cpu_list" };
        for (unsigned i = 0; i < 4; i++) {
            snprintf(file, sizeof file, "cache/index%u/%s", index, names[i]);
            if (!cpu_line(root, cpu, file, text[i], sizeof text[i]))
                return;
        }
        if (strcmp(text[1], "Instruction") != 0 && list_first(text[3], cpu) == cpu)
            cache_add(out, (unsigned)strtoul(text[0], NULL, 10), cache_bytes(text[2]));
    }
}

/* "0-3,8": from /sys, or as many as in /proc/cpuinfo, or by the C library. */
static void online_list(const char *root, char *to, size_t room)
{
    if (host_line(root, "/sys/devices/system/cpu/online", to, room) && *to)
        return;
    long count = 0;
    char *line = NULL;
    size_t line_room = 0;
    FILE *file = host_open(root, "/proc/cpuinfo");
    while (file && getline(&line, &line_room, file) > 0)
        count += strncmp(line, "processor", 9) == 0;
    free(line);
    if (file)
        fclose(file);
    if (count == 0 && !*root)
        count = sysconf(_SC_NPROCESSORS_ONLN);
    if (count > 0)
        snprintf(to, room, "0-%ld", count - 1);
}

static unsigned list_count(const char *list)
{
    unsigned low, high, count = 0;
    while (host_list_next(&list, &low, &high))
        count += high - low + 1;
    return count;
}

bool host_topology_read(struct host *out, const char *root, struct processors *processors)
{
    char online[4096], allowed[4096], efficient[4096], package[32], nodes[256];
    online_list(root, online, sizeof online);
    bool masked = host_member(root, "/proc/self/status", "Cpus_allowed_list", allowed, sizeof allowed);
    host_line(root, "/sys/devices/cpu_atom/cpus", efficient, sizeof efficient);
    processors->has_cores = true;
    processors->count = 0;
    const char *rest = online;
    for (unsigned cpu, last; host_list_next(&rest, &cpu, &last);) {
        for (; cpu <= last && processors->count < PROCESSORS_MAX; cpu++) {
            struct processor *p = &processors->at[processors->count++];
            *p = (struct processor){ .id = cpu, .kind = kind_of(root, cpu, efficient) };
            p->allowed = !masked || host_list_has(allowed, cpu);
            if (!core_of(root, cpu, &p->core))
                processors->has_cores = false;
            if (cpu_line(root, cpu, "topology/physical_package_id", package, sizeof package))
                p->package = (unsigned)strtol(package, NULL, 10); /* -1 on some: one package all the same */
            caches_of(out, root, cpu);
        }
    }
    host_line(root, "/sys/devices/system/node/online", nodes, sizeof nodes);
    out->nodes = list_count(nodes);
    return processors->count > 0;
}
