#ifndef BENCH_DOCTOR_MACHINE_VIEW_H
#define BENCH_DOCTOR_MACHINE_VIEW_H

/* The machine that is diagnosed: files below a root, the environment, and the devices that were listed. */

#include "bench/plan/devices.h"

#include <stdbool.h>

/* The machine as it is looked at: in tests a recorded one. */
struct machine_view {
    const char *root; /* "" but in tests; /proc, /sys, /dev, /etc and /usr are looked up below it */
    const struct listing *listing;
    bool (*may_use)(const char *path);         /* whether the caller may read and write this device node */
    const char *(*variable)(const char *name); /* the environment; NULL for what is not set */
};

/* Whether a file is there, and a library where the system's loader looks for them. */
bool machine_view_has(const struct machine_view *machine_view, const char *path);
bool machine_view_has_library(const struct machine_view *machine_view, const char *soname);
/* Inside a container, which sees only what it is given: by whose file or variable; NULL outside. */
const char *machine_view_container(const struct machine_view *machine_view);

#endif
