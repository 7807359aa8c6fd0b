#ifndef BENCH_BACKENDS_COMMON_NVML_H
#define BENCH_BACKENDS_COMMON_NVML_H

/* What NVIDIA's management library knows of a GPU that its drivers do not tell. It comes with every driver, and is
 * loaded in the processes that list devices and compute on them, which have loaded the driver anyway. */

#include "bench/backends/backend.h"

/* Fills the highest clock of the device at a PCI address, what its owner has set, and its memory's clock and width
 * where they are unknown: what a driver tells of a slice of a GPU (MIG) is the slice's, and NVML's is the whole card's.
 * What cannot be had stays as it is. */
void nvml_describe(struct device *device, const char *pci);

/* Watches any NVIDIA GPU that has a place on the PCI bus, whatever API computes on it. */
extern const struct monitor nvml_monitor;

#endif
