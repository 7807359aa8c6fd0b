#ifndef BENCH_BACKENDS_COMMON_NVML_H
#define BENCH_BACKENDS_COMMON_NVML_H

/* What NVIDIA's management library knows of a GPU that its drivers do not tell. It comes with every driver, and
 * is loaded in the process that lists devices, which has loaded the driver anyway. */

#include "harness/device.h"

/* Fills the highest clock, and the memory's clock and width, of the device at a PCI address; leaves unknown what cannot
 * be had. */
void nvml_describe(struct device *device, const char *pci);

#endif
