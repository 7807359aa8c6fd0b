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

/* Fills the processors, and nodes and caches of the host, from /proc and /sys below `root`. False where they say
 * nothing of processors. */
bool host_topology_read(struct host *out, const char *root, struct processors *processors);

#endif
