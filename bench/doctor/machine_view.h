#ifndef BENCH_DOCTOR_MACHINE_VIEW_H
#define BENCH_DOCTOR_MACHINE_VIEW_H

/* The machine that is diagnosed: files below a root, the environment, and the devices that were listed. In tests a
 * recorded machine. */

#include "bench/plan/devices.h"

#include <stdbool.h>

/* What using a device once has shown. */
struct probe {
    bool is_done;
    struct error outcome;   /* STATUS_OK: it works */
    bool has_damaged_cache; /* it works without its driver's cache of kernels only */
};

struct machine_view {
    const char *root; /* "" but in tests: the parent of /proc, /sys, /dev, /etc and /usr */
    const struct listing *listing;
    bool (*may_use)(const char *path);   /* whether the caller may read and write this device node */
    char *(*variable)(const char *name); /* the environment; NULL for a variable that is not set */
    const struct probe *probe;           /* by the listing's device; NULL: none was used */
    const char *bundled;                 /* the folder of libraries that came with the program; "" */
    const char *limits;                  /* of a process (host_limits), in words; "" or NULL: none */
    struct pool *pool;                   /* owns the texts of a diagnosis */
};

#endif
