#ifndef BENCH_BACKENDS_COMMON_NVML_H
#define BENCH_BACKENDS_COMMON_NVML_H

/* Facts about a GPU that only NVIDIA's management library (NVML) knows. It comes with every driver and is loaded in the
 * processes that list devices and compute on them: these have loaded the driver already. */

#include "bench/backends/backend.h"

/* Fills the maximum clock of the device at a PCI address and its owner's settings. Where they are unknown it fills the
 * driver's version (WSL2 has no kernel module that tells it), and the memory's clock and width: for a part of a GPU
 * (MIG) the driver reports the part's values, and those of the whole card are not filled in. Values that NVML does not
 * have stay unchanged. */
void nvml_describe(struct device *device, const char *pci);

/* Monitors any NVIDIA GPU with a PCI address, whatever API computes on it. */
extern const struct monitor nvml_monitor;

#endif
