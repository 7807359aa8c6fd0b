#ifndef HARNESS_MACHINE_TOPOLOGY_H
#define HARNESS_MACHINE_TOPOLOGY_H

/* The processors of the machine and how they share cores, packages and caches. host_read summarises them. */

#include "harness/machine/host.h"

/* A hardware thread. Equal `core` (`package`, `kind`) means the same one; the numbers mean nothing else. */
struct processor {
    unsigned id; /* the operating system's number */
    unsigned core, package, kind;
    bool allowed; /* by this process's affinity mask */
};
enum { PROCESSORS_MAX = 4096 };
struct processors {
    unsigned count;
    bool has_cores; /* false: unknown which threads share a core, so each counts as one */
    struct processor at[PROCESSORS_MAX];
};

/* Fill the processors, and nodes and caches of the host. The first asks hwloc, and is false where that is not built in
 * or knows nothing; the second reads /proc and /sys. */
bool host_topology_hwloc(struct host *out, struct processors *processors);
bool host_topology_sys(struct host *out, const char *root, struct processors *processors);

#endif
