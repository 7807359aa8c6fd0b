#ifndef HARNESS_MACHINE_CGROUP_H
#define HARNESS_MACHINE_CGROUP_H

/* Limits that the control groups of this process set, those of parent groups included. */

/* CPUs, bytes, and bytes still free; INFINITY where there is no limit. */
double host_cgroup_cpus(const char *root);
double host_cgroup_memory(const char *root);
double host_cgroup_memory_left(const char *root);

/* Seconds that CPU quotas have made tasks of these groups wait so far; NAN unknown. */
double host_cgroup_throttled(const char *root);

#endif
