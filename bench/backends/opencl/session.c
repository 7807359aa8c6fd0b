#include "bench/backends/opencl/opencl.h"

#include <stdlib.h>

/* Must be asked first: rusticl of Mesa 22.3 cannot, and crashes in clCreateSubDevices. */
static bool can_be_split(const struct session *session)
{
    enum { PROPERTIES_MAX = 16 };
    cl_device_partition_property property[PROPERTIES_MAX];
    size_t bytes = 0;
    if (CL(clGetDeviceInfo)(session->handle, CL_DEVICE_PARTITION_PROPERTIES, sizeof property, property, &bytes) !=
        CL_SUCCESS)
        return false;
    for (size_t i = 0; i < bytes / sizeof *property; i++) {
        if (property[i] == CL_DEVICE_PARTITION_BY_COUNTS)
            return true;
    }
    return false;
}

/* Takes a part of a CPU, so that a run with few threads uses few on every device. Fails where the driver cannot; with
 * threads 0 the driver decides by itself. */
static bool part_create(struct session *session, unsigned threads, struct error *err)
{
    const cl_device_partition_property by_count[] = { CL_DEVICE_PARTITION_BY_COUNTS,
                                                      (cl_device_partition_property)threads,
                                                      CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0 };
    cl_device_id part = NULL;
    if (!can_be_split(session))
        return fail(err, STATUS_UNSUPPORTED, "%s cannot be limited to %u thread%s: its driver cannot split it",
                    session->device.name, threads, threads > 1 ? "s" : "");
    cl_int code = CL(clCreateSubDevices)(session->handle, by_count, 1, &part, NULL);
    if (code != CL_SUCCESS) {
        char text[CODE_TEXT];
        return fail_in(err, "clCreateSubDevices", STATUS_UNSUPPORTED, "%s cannot be limited to %u thread%s: %s",
                       session->device.name, threads, threads > 1 ? "s" : "", opencl_code_text(text, code));
    }
    session->handle = part;
    session->limit = threads;
    return true;
}

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
    bool is_part = device->class == CLASS_CPU && threads > 0 && (threads < device->units || device->units == 0);
    if (is_part && !part_create(session, threads, err))
        goto out;

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
    while (session->pinned)
        opencl_pinned_release(session, session->pinned->view);
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
    if (session->handle)
        CL(clReleaseDevice)(session->handle); /* has an effect on a part of a device only */
    free(session);
}
