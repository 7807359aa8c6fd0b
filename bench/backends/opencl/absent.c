/* The OpenCL backend of a build without OpenCL: it has no devices and says why. */

#include "bench/backends/backend.h"

static unsigned absent_sources(struct source out[], unsigned room, struct error *err)
{
    fail(err, STATUS_UNSUPPORTED, "built without OpenCL (no ICD loader and headers when the build was set up)");
    return 0;
}

const struct backend backend_opencl = {
    .name = "opencl",
    .summary = "every device of every installed OpenCL driver (not built)",
    .sources = absent_sources,
};
