#include "harness/machine/topology.h"

#include "config.h"
#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if HAVE_HWLOC
#include <hwloc.h>

/* hwloc's components for GPUs load vendor libraries, which must never happen in this process. Plug-ins load them on
 * discovery, so topology_load prevents their discovery (unless the user has set the variable); built-in components are
 * excluded by name. HWLOC_COMPONENTS would do that too, but it also disables HWLOC_SYNTHETIC. */
static void keep_drivers_out(hwloc_topology_t topology)
{
    static const char *const names[] = { "opencl", "cuda", "nvml", "rsmi", "levelzero", "gl" };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, names[i]);
}

/* Plug-ins are discovered on initialising. The variable is removed again: workers inherit our environment, and drivers
 * such as PoCL use hwloc too. */
static int initialise_without_plugins(hwloc_topology_t *topology)
{
    bool was_set = getenv("HWLOC_PLUGINS_PATH") != NULL;
    setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 0);
    int code = hwloc_topology_init(topology);
    if (!was_set)
        unsetenv("HWLOC_PLUGINS_PATH");
    return code;
}

static hwloc_topology_t topology_load(void)
{
    hwloc_topology_t topology;
    if (initialise_without_plugins(&topology) != 0)
        return NULL;
    keep_drivers_out(topology);
    if (hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) == 0 &&
        hwloc_topology_load(topology) == 0)
        return topology;
    hwloc_topology_destroy(topology);
    return NULL;
}

static unsigned objects(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    int count = hwloc_get_nbobjs_by_type(topology, type);
    return count > 0 ? (unsigned)count : 0;
}

static void caches_from_hwloc(struct host *out, hwloc_topology_t topology)
{
    static const hwloc_obj_type_t levels[] = { HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                                               HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE };
    for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++) {
        hwloc_obj_t first = hwloc_get_obj_by_type(topology, levels[i], 0);
        if (first && first->attr->cache.size > 0)
            out->cache[out->caches++] =
                (struct cache){ i + 1, (double)first->attr->cache.size, objects(topology, levels[i]) };
    }
}

static unsigned place_of(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t thread, unsigned otherwise)
{
    hwloc_obj_t above = hwloc_get_ancestor_obj_by_type(topology, type, thread);
    return above ? above->logical_index : otherwise;
}

bool host_topology_hwloc(struct host *out, struct processors *processors)
{
    hwloc_topology_t topology = topology_load();
    if (!topology)
        return false;
    hwloc_bitmap_t mask = hwloc_bitmap_alloc();
    /* Our affinity mask does not apply to a synthetic machine. */
    bool masked =
        hwloc_topology_is_thissystem(topology) && mask && hwloc_get_cpubind(topology, mask, HWLOC_CPUBIND_THREAD) == 0;
    unsigned threads = objects(topology, HWLOC_OBJ_PU);
    processors->has_cores = objects(topology, HWLOC_OBJ_CORE) > 0;
    processors->count = threads < PROCESSORS_MAX ? threads : PROCESSORS_MAX;
    for (unsigned i = 0; i < processors->count; i++) {
        hwloc_obj_t thread = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, i);
        int kind = hwloc_cpukinds_get_by_cpuset(topology, thread->cpuset, 0);
        processors->at[i] = (struct processor){
            .id = thread->os_index,
            .core = place_of(topology, HWLOC_OBJ_CORE, thread, i),
            .package = place_of(topology, HWLOC_OBJ_PACKAGE, thread, 0),
            .kind = kind > 0 ? (unsigned)kind : 0,
            .allowed = !masked || hwloc_bitmap_isset(mask, thread->os_index),
        };
    }
    out->nodes = objects(topology, HWLOC_OBJ_NUMANODE);
    caches_from_hwloc(out, topology);
    hwloc_bitmap_free(mask);
    hwloc_topology_destroy(topology);
    return processors->count > 0;
}
#else
bool host_topology_hwloc(struct host *out, struct processors *processors)
{
    (void)out;
    (void)processors;
    return false;
}
#endif

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

bool host_topology_sys(struct host *out, const char *root, struct processors *processors)
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
