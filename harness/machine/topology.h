#ifndef HARNESS_MACHINE_TOPOLOGY_H
#define HARNESS_MACHINE_TOPOLOGY_H

/* How the machine's processors share cores, packages, caches and memory: hwloc's topology, and what host_read needs of
 * it. Loading it takes milliseconds, so a run loads it once, and a worker only if it binds itself to a node. */

#include "harness/base/text.h"
#include "harness/machine/host.h"

#include <hwloc.h>

/* The topology of this machine, or of the one that HWLOC_XMLFILE or HWLOC_SYNTHETIC describes. No plug-in of hwloc is
 * loaded: some load drivers of GPUs. NULL: hwloc fails; then there is nothing to close. */
hwloc_topology_t topology_open(void);
void topology_close(hwloc_topology_t topology);

/* The first variable that is set of those by which hwloc describes another machine, or less of this one; NULL: none.
 * `variable` reads the environment. */
const char *topology_variable(char *(*variable)(const char *name));

/* The version of hwloc's interface, "2.8.0": a release may be a little newer. */
struct text topology_version(void);

/* The processors that this process may use, by the affinity mask in /proc below `root`; all where none of the mask's is
 * known. A new bitmap; NULL: no memory. */
hwloc_bitmap_t topology_allowed(hwloc_topology_t topology, const char *root);

/* Fills the counts of packages, cores, threads, nodes and kinds of core, and the caches. */
void topology_describe(struct host *out, hwloc_topology_t topology, hwloc_const_bitmap_t allowed);

/* The operating system's numbers of allowed threads: first one of each core, then their siblings. Returns how many
 * there are. */
unsigned topology_pick(hwloc_topology_t topology, hwloc_const_bitmap_t allowed, unsigned wanted, unsigned id[]);

/* The number of NUMA nodes that these processors belong to. */
unsigned topology_nodes_of(hwloc_topology_t topology, const unsigned id[], unsigned count);

/* Prefers that node for memory of the calling thread and of threads that it starts, including the driver's. If the node
 * is full, another one's memory is used. False if the system refuses, or there is no such node. */
bool topology_prefer_node(hwloc_topology_t topology, int node);

/* Restricts the calling thread to that node's processors for good. NVIDIA's kernel module takes some page-locked memory
 * from the node on which the thread runs, whatever the process prefers (kernel-open/nvidia/nv-vm.c, 2025). False, with
 * nothing changed, if there is no such node or none of its processors is allowed. */
bool topology_stay_on_node(hwloc_topology_t topology, int node);

#endif
