#include "bench/backends/opencl/opencl.h"

#include <stdlib.h>

/* A size_t or a cl_ulong. A driver that does not answer has no known limit: it refuses what is beyond it. */
static cl_ulong limit_read(const struct session *session, cl_device_info what)
{
    cl_ulong limit = 0;
    _Static_assert(sizeof(size_t) == sizeof limit, "both are read alike");
    return CL(clGetDeviceInfo)(session->handle, what, sizeof limit, &limit, NULL) == CL_SUCCESS && limit > 0
               ? limit
               : UINT64_MAX;
}

struct session *opencl_open(const struct device *device, unsigned threads, struct error *err)
{
    struct session *session = calloc(1, sizeof *session);
    if (!session)
        return fail_null(err, STATUS_NO_MEMORY, "no memory for a session");
    session->device = *device;
    if (!opencl_find(device, &session->handle, err))
        goto out;
    if (device->class == CLASS_CPU && threads > 0 && (threads < device->units || device->units == 0)) {
        fail(err, STATUS_UNSUPPORTED, "an OpenCL driver uses all cores, and not %u thread%s: leave out --threads",
             threads, threads > 1 ? "s" : "");
        goto out;
    }

    cl_int code;
    cl_uint bits = 0;
    session->context = CL(clCreateContext)(NULL, 1, &session->handle, NULL, NULL, &code);
    if (!session->context) {
        opencl_check(code, "clCreateContext", err);
        goto out;
    }
    CL(clGetDeviceInfo)(session->handle, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL);
    session->sub_buffer_alignment = bits >= 8 ? bits / 8 : sizeof(cl_long16);
    session->largest_buffer = limit_read(session, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    session->group_items = (size_t)limit_read(session, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    session->local_memory = limit_read(session, CL_DEVICE_LOCAL_MEM_SIZE);
    return session;
out:
    opencl_close(session);
    return NULL;
}

void opencl_close(struct session *session)
{
    if (!session)
        return;
    opencl_events_release(session);
    for (unsigned i = 0; i < QUEUES_MAX; i++)
        if (session->queue[i].handle)
            CL(clReleaseCommandQueue)(session->queue[i].handle);
    if (session->stamped.handle)
        CL(clReleaseCommandQueue)(session->stamped.handle);
    if (session->clear_cache)
        CALL("CLBlastClearCache", session->clear_cache());
    if (session->context)
        CL(clReleaseContext)(session->context);
    free(session);
}
