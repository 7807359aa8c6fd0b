#ifndef BENCH_DOCTOR_MACHINE_VIEW_H
#define BENCH_DOCTOR_MACHINE_VIEW_H

/* The machine that is diagnosed: files below a root, the environment, and the devices that were listed. In tests a
 * recorded machine. */

#include "bench/doctor/probe.h"

#include <stdbool.h>

struct machine_view {
    const char *root; /* "" but in tests: the parent of /proc, /sys, /dev, /etc and /usr */
    const struct listing *listing;
    bool (*may_use)(const char *path);   /* whether the caller may read and write this device node */
    char *(*variable)(const char *name); /* the environment; NULL for a variable that is not set */
    const struct probe *probe;           /* by the listing's device; NULL: none was used */
    const char *bundled;                 /* the folder of libraries that came with the program; "" */
    const char *limits;                  /* of a process (host_limits), in words; "" or NULL: none */
};

bool machine_view_has(const struct machine_view *view, const char *path);

/* Whether this library came with the program, or is in LD_LIBRARY_PATH or one of the usual folders. */
bool machine_view_has_library(const struct machine_view *view, const char *soname);

/* The file or variable that shows that this is a container; NULL outside. */
const char *machine_view_container(const struct machine_view *view);

#endif
