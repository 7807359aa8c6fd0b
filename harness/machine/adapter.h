#ifndef HARNESS_MACHINE_ADAPTER_H
#define HARNESS_MACHINE_ADAPTER_H

/* The graphics adapters and accelerators on the machine's PCI bus, and the GPUs of a system on a chip, whether or not a
 * driver uses them. Read from /sys below `root`, which is "" except in tests. */

#include <stdbool.h>
#include <stddef.h>

enum {
    VENDOR_INTEL = 0x8086,
    VENDOR_AMD = 0x1002,
    VENDOR_NVIDIA = 0x10de,
    VENDOR_ARM = 0x13b5,
    VENDOR_QUALCOMM = 0x17cb,
    VENDOR_BROADCOM = 0x14e4
};

/* "Intel", "AMD", "NVIDIA"; "" for others. */
const char *adapter_vendor_name(unsigned vendor);

struct adapter {
    char pci[16];                   /* its address, "0000:00:02.0"; of a system on a chip "ff9a0000.gpu" */
    bool is_soc;                    /* it is on no PCI bus, but in the device tree */
    unsigned class, vendor, device; /* numbers of PCI: 0x030000, 0x8086, 0x5917 */
    char name[128];                 /* "Intel UHD Graphics 620 [8086:5917]", as far as pci.ids knows it; never "" */
    char driver[32];                /* the kernel's, "i915"; "" if none is bound */
    char render_node[16];           /* made by its driver, "renderD128"; "" none */
};

enum { ADAPTERS_MAX = 32 };

/* Display controllers (class 0x03) and processing accelerators (0x12), ordered by address, and then the GPUs of a
 * system on a chip; returns how many. */
unsigned adapters_read(const char *root, struct adapter out[ADAPTERS_MAX]);

/* What emulates a display adapter that cannot compute, or which server management chip it is: "QEMU". NULL for any
 * other adapter. */
const char *adapter_emulation(const struct adapter *adapter);

/* Whether a driver that calls a device's vendor and the device so means the vendor of this adapter. Drivers write the
 * name of their vendor in several ways. */
bool adapter_vendor_is(const struct adapter *adapter, const char *vendor, const char *name);

/* The PCI device number of the GPU at an address such as "0000:00:02.0"; 0 if that is not a display controller of this
 * vendor. */
unsigned adapter_device_number(const char *root, const char *pci, unsigned vendor);

/* The highest clock that the kernel driver of the GPU at that address reports for the hardware, Hz, and the name of the
 * file that has it in *origin. NAN unknown. */
double adapter_clock(const char *root, const char *pci, const char **origin);

/* Intel's chips, by the table gpu_drivers.txt. It also has the packages that serve a GPU on a distribution, which
 * scripts/setup.sh and bench/doctor/install.c read. */
extern const char *const gpu_driver_lines[]; /* up to NULL */

struct intel_chip {
    char architecture[16]; /* "intel gen9", as theory_units.txt has it; "" unknown */
    double first, end; /* versions of Intel's driver, year.week: the first that serves it, the first that does not */
};

/* A chip that the table does not have is newer than it: served by any version. */
struct intel_chip intel_chip_find(unsigned device);

bool intel_chip_is_served(const struct intel_chip *chip, double version);

#endif
