#ifndef BENCH_DOCTOR_INSTALL_HINT_H
#define BENCH_DOCTOR_INSTALL_HINT_H

/* The commands that install drivers and libraries, by distribution. */

#include "bench/doctor/finding.h"
#include "bench/doctor/machine_view.h"

enum install_hint {
    HINT_NVIDIA_OPENCL,
    HINT_NVIDIA_DRIVER,
    HINT_INTEL_FIRMWARE,
    HINT_AMD_FIRMWARE,
    HINT_OPENBLAS,
    HINT_ONEDNN,
    HINT_CLBLAST,
    HINTS
};

/* The command for the distribution that /etc/os-release names; for any other a comment with the name of Debian's
 * package. */
struct command install_hint(const struct machine_view *view, enum install_hint hint);

/* The command for a package of gpu_driver.h; for "" a comment with where Intel has its own. */
struct command install_opencl(const struct machine_view *view, const char *package);

/* The command that names the package of a file, which is then to be installed again. */
struct command install_owner(const struct machine_view *view, const char *path);

#endif
