#ifndef HARNESS_MACHINE_GPU_DRIVER_H
#define HARNESS_MACHINE_GPU_DRIVER_H

/* Intel's chips, by the table gpu_drivers.txt. It also has the packages that serve a GPU on a distribution, which
 * scripts/setup.sh and bench/doctor/install.c read. */

#include <stdbool.h>

extern const char *const gpu_driver_lines[]; /* up to NULL */

struct intel_chip {
    char architecture[16]; /* "intel gen9", as theory_units.txt has it; "" unknown */
    double first, end; /* versions of Intel's driver, year.week: the first that serves it, the first that does not */
};

/* A chip that the table does not have is newer than it: served by any version. */
struct intel_chip intel_chip_find(unsigned device);

bool intel_chip_is_served(const struct intel_chip *chip, double version);

#endif
