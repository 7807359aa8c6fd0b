/* Built in place of the OpenCL backend where there is no OpenCL to build against: it says so, and has no devices. */

#include "bench/backends/backend.h"

static unsigned absent_sources(struct source out[], unsigned room, struct error *err)
{
    (void)out, (void)room;
    fail(err, STATUS_UNSUPPORTED, "built without OpenCL (no ICD loader and headers when the build was set up)");
    return 0;
}

static bool absent_list(const char *source, struct device out[], unsigned room, unsigned *count, struct error *err)
{
    (void)source;
    *count = absent_sources(NULL, room, err);
    (void)out;
    return true;
}

const struct backend backend_opencl = {
    .name = "opencl",
    .summary = "every device of every installed OpenCL driver (not built)",
    .sources = absent_sources,
    .list = absent_list,
};
