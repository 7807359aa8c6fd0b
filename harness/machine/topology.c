#include "harness/machine/topology.h"

#include "harness/machine/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* hwloc loads its plug-ins, and with them libOpenCL, before hwloc_topology_set_components can exclude one: it must not
 * find them. The component x86 would bind this thread to each processor in turn and ask for what Linux has in /sys: 8
 * ms instead of 1 ms on two cores. Devices are filtered out by default; they would take 20 ms. */
hwloc_topology_t topology_open(void)
{
    hwloc_topology_t topology;
    setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 1);
    if (hwloc_topology_init(&topology) != 0)
        return NULL;
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    if (hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) == 0 &&
        hwloc_topology_load(topology) == 0)
        return topology;
    hwloc_topology_destroy(topology);
    return NULL;
}

const char *topology_variable(char *(*variable)(const char *name))
{
    static const char *const names[] = { "HWLOC_XMLFILE",    "HWLOC_SYNTHETIC",  "HWLOC_FSROOT",
                                         "HWLOC_CPUID_PATH", "HWLOC_COMPONENTS", "HWLOC_THISSYSTEM" };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (variable(names[i]))
            return names[i];
    return NULL;
}

void topology_close(hwloc_topology_t topology)
{
    if (topology)
        hwloc_topology_destroy(topology);
}

struct text topology_version(void)
{
    const unsigned version = hwloc_get_api_version();
    return text_print("%u.%u.%u", version >> 16, version >> 8 & 0xff, version & 0xff);
}

hwloc_bitmap_t topology_allowed(hwloc_topology_t topology, const char *root)
{
    hwloc_const_bitmap_t online = hwloc_topology_get_topology_cpuset(topology);
    hwloc_bitmap_t allowed = hwloc_bitmap_dup(online);
    const struct text list = host_member(root, "/proc/self/status", "Cpus_allowed_list");
    if (allowed && *list.text)
        hwloc_bitmap_list_sscanf(allowed, list.text);
    if (allowed && hwloc_bitmap_and(allowed, allowed, online) == 0 && hwloc_bitmap_iszero(allowed))
        hwloc_bitmap_copy(allowed, online);
    return allowed;
}

static unsigned count_of(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    int count = hwloc_get_nbobjs_by_type(topology, type);
    return count > 0 ? (unsigned)count : 0;
}

/* Where it is not known which threads share a core, each counts as one. */
static hwloc_obj_type_t core_type(hwloc_topology_t topology)
{
    return count_of(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
}

/* What Intel's and Arm's kinds of core have in their descriptions. Kinds that differ by clock alone are favoured cores
 * of one kind. */
static const char *kind_of(hwloc_topology_t topology, unsigned index)
{
    unsigned count = 0;
    struct hwloc_info_s *infos = NULL;
    hwloc_cpukinds_get_info(topology, index, NULL, NULL, &count, &infos, 0);
    for (unsigned i = 0; i < count; i++)
        if (strcmp(infos[i].name, "CoreType") == 0 || strcmp(infos[i].name, "LinuxCapacity") == 0)
            return infos[i].value;
    return "";
}

static unsigned kinds_count(hwloc_topology_t topology)
{
    const int kinds = hwloc_cpukinds_get_nr(topology, 0);
    unsigned different = 0;
    for (int i = 0; i < kinds; i++) {
        bool is_first = true;
        for (int j = 0; j < i && is_first; j++)
            is_first = strcmp(kind_of(topology, (unsigned)i), kind_of(topology, (unsigned)j)) != 0;
        different += is_first;
    }
    return different > 1 ? different : 1;
}

/* Kinds of core have caches of different sizes. */
static void cache_add(struct host *out, unsigned level, double bytes)
{
    unsigned at = 0;
    while (at < out->caches && (out->cache[at].level != level || out->cache[at].bytes != bytes))
        at++;
    if (at == CACHES_MAX)
        return;
    if (at == out->caches)
        out->cache[out->caches++] = (struct cache){ level, bytes, 0 };
    out->cache[at].instances++;
}

void topology_describe(struct host *out, hwloc_topology_t topology, hwloc_const_bitmap_t allowed)
{
    hwloc_obj_t core = NULL;
    const unsigned packages = count_of(topology, HWLOC_OBJ_PACKAGE);
    out->packages = packages > 0 ? packages : 1;
    out->cores = count_of(topology, core_type(topology));
    out->threads = count_of(topology, HWLOC_OBJ_PU);
    out->nodes = count_of(topology, HWLOC_OBJ_NUMANODE);
    out->hybrid_kinds = kinds_count(topology);
    out->allowed_threads = (unsigned)hwloc_bitmap_weight(allowed);
    while ((core = hwloc_get_next_obj_by_type(topology, core_type(topology), core)))
        out->allowed_cores += hwloc_bitmap_intersects(core->cpuset, allowed) != 0;
    for (hwloc_obj_type_t type = HWLOC_OBJ_L1CACHE; type <= HWLOC_OBJ_L5CACHE; type++)
        for (hwloc_obj_t cache = NULL; (cache = hwloc_get_next_obj_by_type(topology, type, cache));)
            cache_add(out, cache->attr->cache.depth, (double)cache->attr->cache.size);
}

/* The allowed thread of a core that has so many others before it; -1: none. */
static int sibling_of(hwloc_obj_t core, hwloc_const_bitmap_t allowed, unsigned before)
{
    int id = hwloc_bitmap_first(core->cpuset);
    for (; id >= 0; id = hwloc_bitmap_next(core->cpuset, id))
        if (hwloc_bitmap_isset(allowed, (unsigned)id) && before-- == 0)
            break;
    return id;
}

unsigned topology_pick(hwloc_topology_t topology, hwloc_const_bitmap_t allowed, unsigned wanted, unsigned id[])
{
    unsigned picked = 0, before = 0;
    for (unsigned sibling = 0; picked == 0 || picked > before; sibling++) {
        hwloc_obj_t core = NULL;
        before = picked;
        while (picked < wanted && (core = hwloc_get_next_obj_by_type(topology, core_type(topology), core))) {
            int next = sibling_of(core, allowed, sibling);
            if (next >= 0)
                id[picked++] = (unsigned)next;
        }
    }
    return picked;
}

/* Nodes beside one another, such as fast memory in a processor's package, count as one. */
unsigned topology_nodes_of(hwloc_topology_t topology, const unsigned id[], unsigned count)
{
    unsigned nodes = 0;
    hwloc_obj_t node = NULL;
    while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node))) {
        bool is_used = false;
        for (unsigned i = 0; i < count && !is_used; i++)
            is_used = hwloc_bitmap_isset(node->cpuset, id[i]);
        nodes += is_used && node->sibling_rank == 0;
    }
    return nodes;
}

static hwloc_obj_t node_find(hwloc_topology_t topology, int node)
{
    return topology && node >= 0 ? hwloc_get_numanode_obj_by_os_index(topology, (unsigned)node) : NULL;
}

bool topology_prefer_node(hwloc_topology_t topology, int node)
{
    hwloc_obj_t found = node_find(topology, node);
    return found && hwloc_set_membind(topology, found->nodeset, HWLOC_MEMBIND_BIND,
                                      HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET) == 0;
}

bool topology_stay_on_node(hwloc_topology_t topology, int node)
{
    hwloc_obj_t found = node_find(topology, node);
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    bool stays = found && set && hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_THREAD) == 0 &&
                 hwloc_bitmap_and(set, set, found->cpuset) == 0 && !hwloc_bitmap_iszero(set) &&
                 hwloc_set_cpubind(topology, set, HWLOC_CPUBIND_THREAD) == 0;
    hwloc_bitmap_free(set);
    return stays;
}
