#ifndef BENCH_BACKENDS_OPENCL_ARCHITECTURE_H
#define BENCH_BACKENDS_OPENCL_ARCHITECTURE_H

/* The hardware below a driver, by the names of theory.c, and its maximum clock. Each vendor reports them in a different
 * way. */

#include "bench/backends/opencl/opencl.h"

/* The driver's answers. Numbers are 0 where it does not have the property. */
struct opencl_properties {
    const char *extensions;
    unsigned capability_major, capability_minor; /* cl_nv_device_attribute_query */
    unsigned simds, simd_width;                  /* cl_amd_device_attribute_query: of a compute unit */
    unsigned device_id;                          /* cl_intel_device_attribute_query */
    double cache; /* bytes of the "global memory cache": which level that is depends on the vendor */
    char pci[24]; /* "0000:00:02.0"; "" where unknown */
};

/* Fills silicon, architecture, lanes, maximum clock, power limit and cache of a GPU whose other members are filled, and
 * the PCI address where the driver has none. Reads /sys below `root`. What is not known there stays unknown. */
void opencl_architecture(struct device *device, struct opencl_properties *properties, const char *root);

#endif
