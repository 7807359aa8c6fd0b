#ifndef BENCH_DOCTOR_INSTALL_H
#define BENCH_DOCTOR_INSTALL_H

/* What installs drivers and libraries on the distribution that /etc/os-release below `root` names, by the table
 * harness/machine/gpu_drivers.txt. */

#include "bench/doctor/machine_view.h"
#include "harness/machine/adapter.h"

/* The command for a package of the table, such as "openblas", or for one by the distribution's own name. Where none is
 * known it is a comment with what to look for. */
const char *install_command(const struct machine_view *view, const char *package);

/* The command that names the package of a file: "dpkg -S". */
const char *install_owner(const char *root);

/* What differs between the adapters of a vendor, "Intel", "AMD" or "NVIDIA": "module", "group". "" unknown. */
const char *install_vendor_fact(const char *vendor, const char *name);

/* The distribution's OpenCL packages; "" where it has none, or is unknown. */
struct opencl_packages {
    double intel_version; /* of the package for Intel's chips */
    char intel[32], legacy[32], mesa[32], amd[32];
};
struct opencl_packages opencl_packages_read(const char *root);

/* The package for a chip of Intel's; "" if none there serves it. */
const char *opencl_package_of(const struct opencl_packages *packages, const struct intel_chip *chip);

#endif
