#ifndef HARNESS_MACHINE_GPU_DRIVER_H
#define HARNESS_MACHINE_GPU_DRIVER_H

/* Intel's chips, and the OpenCL package that serves one on a distribution: the table gpu_drivers.txt, which
 * scripts/setup.sh reads, too. */

#include <stdbool.h>

struct intel_chip {
    char architecture[16]; /* "intel gen9", as theory_units.c has it; "" unknown */
    double first, end; /* versions of Intel's driver, year.week: the first that serves it, the first that does not */
};

/* A chip that the table does not have is newer than it: served by any version. */
struct intel_chip intel_chip_find(unsigned device);

/* What the distribution of /etc/os-release below `root` packages; "" where it has none, or is unknown. */
struct opencl_packages {
    double intel_version; /* of the package for Intel's chips */
    char intel[32], legacy[32], mesa[32], amd[32];
};
struct opencl_packages opencl_packages_read(const char *root);

bool intel_chip_is_served(const struct intel_chip *chip, double version);

/* The package for a chip of Intel's; "" if none there serves it. */
const char *opencl_package_of(const struct opencl_packages *packages, const struct intel_chip *chip);

#endif
