#ifndef BENCH_DOCTOR_INSTALL_HINT_H
#define BENCH_DOCTOR_INSTALL_HINT_H

/* What to install, by distribution. */

#include "bench/doctor/machine_view.h"

/* The command that installs something here, by the distribution that /etc/os-release names; one for Debian's name
 * where that is not known. Returns `to`. */
enum install_hint {
    HINT_INTEL_OPENCL,
    HINT_INTEL_LEGACY,
    HINT_AMD_OPENCL,
    HINT_NVIDIA_OPENCL,
    HINT_NVIDIA_DRIVER,
    HINT_INTEL_FIRMWARE,
    HINT_AMD_FIRMWARE,
    HINT_OPENBLAS,
    HINT_ONEDNN,
    HINT_CLBLAST,
    HINTS
};
enum { COMMAND_ROOM = 256 };
const char *install_hint_command(const struct machine_view *machine_view, enum install_hint install_hint,
                                 char to[COMMAND_ROOM]);

#endif
