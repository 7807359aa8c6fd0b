#ifndef BENCH_DOCTOR_INSTALL_H
#define BENCH_DOCTOR_INSTALL_H

/* The commands that install drivers and libraries, by the distribution that /etc/os-release names. */

#include "bench/doctor/machine_view.h"

/* Appends the command for a package of the table in install.c, such as "openblas", or for one of gpu_driver.h by the
 * distribution's own name. Where none is known it is a comment with what to look for. */
void install_command(char *to, size_t room, const struct machine_view *view, const char *package);

/* The command that names the package of a file: "dpkg -S". */
const char *install_owner(const struct machine_view *view);

#endif
