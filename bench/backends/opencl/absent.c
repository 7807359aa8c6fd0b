/* The OpenCL backend of a build without OpenCL: it has no devices and says why. */

#include "bench/backends/backend.h"

static bool absent_list(const char *source, struct device out[], unsigned room, unsigned *count, struct error *err)
{
    *count = 0;
    fail(err, STATUS_UNSUPPORTED, "built without OpenCL (no ICD loader and headers when the build was set up)");
    return true;
}

const struct backend backend_opencl = {
    .name = "opencl",
    .summary = "every device of every installed OpenCL driver (not built)",
    .list = absent_list,
};
