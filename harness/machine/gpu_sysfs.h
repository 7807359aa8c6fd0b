#ifndef HARNESS_MACHINE_GPU_SYSFS_H
#define HARNESS_MACHINE_GPU_SYSFS_H

/* The state of an Intel or AMD GPU by the files of its kernel driver below /sys, which every user may read: i915
 * (Documentation/ABI/testing/sysfs-driver-intel-i915-hwmon, gt/intel_gt_sysfs_pm.c), xe (sysfs-driver-intel-xe-hwmon,
 * xe_gt_freq.c, xe_gt_throttle.c), amdgpu (pm/amdgpu_pm.c). A GPU within a processor has no sensors of its own. Of a
 * discrete one of Intel's there is an energy counter; its power is the counter's. */

#include "harness/machine/gpu_state.h"

#include <stdbool.h>

struct gpu_sysfs {
    char device[64];     /* "/sys/bus/pci/devices/0000:00:02.0" */
    double idle_at_last; /* seconds that an Intel GPU was idle since the driver was loaded, by the reading before */
    double last;         /* when that was, seconds */
};

/* silicon: "pci 0000:00:02.0". False if there is no such device below `root`, or no driver that is known here. */
bool gpu_sysfs_open(struct gpu_sysfs *out, const char *root, const char *silicon);

/* now: seconds of a monotonic clock. Clocks, reasons and the busy share alone take about 0.2 ms; everything includes
 * sensors and memory. Of Intel's GPUs the busy share is that since the reading before, of AMD's the driver's own. */
void gpu_sysfs_read(struct gpu_sysfs *sysfs, const char *root, double now, bool everything, struct gpu_state *out);

/* Joules of the card's energy counter; NAN: none. */
double gpu_sysfs_joules(const struct gpu_sysfs *sysfs, const char *root);

#endif
