#ifndef BENCH_DOCTOR_MACHINE_VIEW_H
#define BENCH_DOCTOR_MACHINE_VIEW_H

/* The machine that is diagnosed: files below a root, the environment, and the devices that were listed. In tests a
 * recorded machine. */

#include "bench/plan/devices.h"

#include <stdbool.h>

struct machine_view {
    const char *root; /* "" but in tests: the parent of /proc, /sys, /dev, /etc and /usr */
    const struct listing *listing;
    bool (*may_use)(const char *path);         /* whether the caller may read and write this device node */
    const char *(*variable)(const char *name); /* the environment; NULL for a variable that is not set */
};

bool machine_view_has(const struct machine_view *view, const char *path);

/* Whether the system's loader would find this library: by an absolute path, or in the folders that it searches. */
bool machine_view_has_library(const struct machine_view *view, const char *soname);

/* The file or variable that shows that this is a container; NULL outside. */
const char *machine_view_container(const struct machine_view *view);

/* Why a source, such as a driver file, listed no device; NULL if it listed one, or was not asked. */
const char *machine_view_absence(const struct machine_view *view, const char *source);

/* The reason for which a source's driver failed, as one does whose library cannot be loaded; NULL if it did not. */
const char *machine_view_failure(const struct machine_view *view, const char *source);

#endif
