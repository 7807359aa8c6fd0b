#ifndef HARNESS_MACHINE_FILES_H
#define HARNESS_MACHINE_FILES_H

/* What the host_*.c files share, and nobody else needs: small files of /proc and /sys below a root, lists of
 * processors, the topology, the limits of cgroups. What cannot be read is NAN or "". */

#include "harness/machine/host.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Opens <root><path> for reading; NULL if it cannot. */
FILE *host_open(const char *root, const char *path);

/* First line of a file, cleaned; returns whether there is such a file. */
bool host_line(const char *root, const char *path, char *to, size_t room);

/* The number that a file begins with. */
double host_number(const char *root, const char *path);

/* In a file of lines such as "key: value", "key=value" or "key value": the value of the first line with that key. */
bool host_member(const char *root, const char *path, const char *key, char *to, size_t room);
double host_member_number(const char *root, const char *path, const char *key);

/* Calls `take` for each file that matches a pattern, with its path below root. */
void host_each(const char *root, const char *pattern, void (*take)(void *context, const char *root, const char *path),
               void *context);

/* Moves through a list such as "0-3,8,10-11": false at its end, or at anything that is no such list. */
bool host_list_next(const char **list, unsigned *low, unsigned *high);
bool host_list_has(const char *list, unsigned number);

/* A hardware thread. Equal `core` (`package`, `kind`) means the same one; the numbers mean nothing else. */
struct processor {
    unsigned id; /* the operating system's number */
    unsigned core, package, kind;
    bool allowed; /* by this process's affinity mask */
};
enum { PROCESSORS_MAX = 4096 };
struct processors {
    unsigned count;
    bool has_cores; /* false: nothing tells which threads share a core, so each counts as one */
    struct processor at[PROCESSORS_MAX];
};

/* Fills the processors, and nodes and caches of the host. The first asks hwloc (false where it is not built in, or does
 * not know), the second reads /proc and /sys. */
bool host_topology_hwloc(struct host *out, struct processors *processors);
bool host_topology_sys(struct host *out, const char *root, struct processors *processors);

/* CPUs, bytes, and bytes not taken yet, that the cgroups of this process allow, their parents' limits included;
 * INFINITY where nothing limits them. */
double host_cgroup_cpus(const char *root);
double host_cgroup_memory(const char *root);
double host_cgroup_memory_left(const char *root);

/* Seconds that the quotas of these cgroups have kept their tasks waiting so far; NAN where nothing counts them. */
double host_cgroup_throttled(const char *root);

/* How many NUMA nodes the processors with these numbers belong to; 0 where nothing tells. */
unsigned host_nodes_of(const char *root, const unsigned id[], unsigned count);

/* Family, model, features, and what cpufreq says of the clock. */
void host_model_read(struct host *out, const char *root);

/* Governor of the first processor. */
void host_governor(const char *root, char *to, size_t room);

#endif
