#ifndef BENCH_DOCTOR_DRIVER_H
#define BENCH_DOCTOR_DRIVER_H

/* The OpenCL drivers that were asked for devices: those that a device came from, and those that have none. */

#include "bench/doctor/machine_view.h"

struct driver {
    const char *source; /* its .icd file, or the driver itself */
    char library[160];  /* the driver that the file names; "" none */
    const char *reason; /* why it has no device; NULL: it has one */
    bool is_faulty;     /* it failed, as one does whose library cannot be loaded */
};

enum { DRIVERS_MAX = 24 };
struct drivers {
    struct driver driver[DRIVERS_MAX];
    unsigned count;
    const char *absence; /* why there is none; NULL: there is one, or OpenCL was not asked */
    bool is_faulty;      /* OpenCL failed before any driver was found: its loader is not as it should be */
};

void drivers_read(struct drivers *out, const struct machine_view *view);

/* The first driver for the adapters of this vendor; one of rusticl, which serves Intel and AMD, only if there is no
 * other. NULL: none. */
const struct driver *drivers_find(const struct drivers *drivers, unsigned vendor);

bool driver_is_rusticl(const struct driver *driver);

#endif
