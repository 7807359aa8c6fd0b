#ifndef BENCH_BACKENDS_COMMON_SYSFS_MONITOR_H
#define BENCH_BACKENDS_COMMON_SYSFS_MONITOR_H

/* Monitors an Intel or AMD GPU with a PCI address by the kernel's files (gpu_sysfs.h). */

#include "bench/backends/backend.h"

extern const struct monitor sysfs_monitor;

#endif
