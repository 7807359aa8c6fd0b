#ifndef HARNESS_MACHINE_ADAPTER_H
#define HARNESS_MACHINE_ADAPTER_H

/* The graphics adapters and accelerators that are plugged into the machine, as its PCI bus tells of them, whether or
 * not any driver makes use of them. Read from /sys below `root`, which is "" but in tests. */

#include <stdbool.h>
#include <stddef.h>

enum { VENDOR_INTEL = 0x8086, VENDOR_AMD = 0x1002, VENDOR_NVIDIA = 0x10de };

struct adapter {
    char pci[16];                   /* its place, "0000:00:02.0" */
    unsigned class, vendor, device; /* numbers of PCI: 0x030000, 0x8086, 0x5917 */
    char name[128];                 /* "Intel UHD Graphics 620 [8086:5917]", as far as pci.ids is there; never "" */
    char driver[32];                /* of the kernel, "i915"; "" where none is bound */
    char render_node[16];           /* that its driver made, "renderD128"; "" none */
};

enum { ADAPTERS_MAX = 32 };

/* Display controllers (class 0x03) and processing accelerators (0x12), in the order of their places; how many. */
unsigned adapters_read(const char *root, struct adapter out[ADAPTERS_MAX]);

/* What emulates it, or manages a server by it, where it is a display adapter that computes nothing: "QEMU"; NULL for
 * any other. */
const char *adapter_emulation(const struct adapter *adapter);

/* What theory.c finds Intel's graphics by, "intel gen9", from the PCI device number; "" unknown. (The kernel's list of
 * them, include/drm/intel/pciids.h.) */
const char *adapter_intel_architecture(unsigned device);

#endif
