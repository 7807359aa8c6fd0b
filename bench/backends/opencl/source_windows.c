#include "bench/backends/opencl/opencl.h"
#include "harness/base/loader.h"
#include "harness/base/text.h"

/* The loader reads from the registry which drivers there are, and loads all of them in each process. So there is one
 * source, and a driver that crashes or hangs while it is loaded takes the devices of the others along. */
unsigned opencl_sources(struct source out[], unsigned room, struct error *err)
{
    if (!loader_open("OpenCL.dll")) {
        fail(err, STATUS_UNSUPPORTED, "no OpenCL driver is installed: OpenCL.dll, which comes with them, is missing");
        return 0;
    }
    text_copy(out->text, room > 0 ? sizeof out->text : 0, "OpenCL.dll");
    return room > 0;
}

bool opencl_source_select(const char *source, struct error *err)
{
    return true;
}

void opencl_source_error(const char *source, char *to, size_t room)
{
    *to = '\0';
}
