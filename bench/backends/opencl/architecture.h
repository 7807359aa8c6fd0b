#ifndef BENCH_BACKENDS_OPENCL_ARCHITECTURE_H
#define BENCH_BACKENDS_OPENCL_ARCHITECTURE_H

/* Which hardware a driver speaks of, as theory.c knows it, and how high its clock may go. Each vendor tells it in a way
 * of its own. */

#include "bench/backends/opencl/opencl.h"

/* What a driver was asked for this. Numbers are 0 where it does not know the question. */
struct opencl_properties {
    const char *extensions;
    unsigned capability_major, capability_minor; /* cl_nv_device_attribute_query */
    unsigned simds, simd_width;                  /* cl_amd_device_attribute_query: of a compute unit */
    unsigned ip_version, device_id;              /* cl_intel_device_attribute_query */
    double cache;                                /* bytes of the "global memory cache", whatever that is there */
    char pci[24];                                /* "0000:00:02.0"; "" unknown */
};

/* Fills architecture, lanes, highest clock and cache of a device that is described otherwise; /sys is read below
 * `root`. What the driver does not tell stays unknown. */
void opencl_architecture(struct device *device, const struct opencl_properties *properties, const char *root);

#endif
