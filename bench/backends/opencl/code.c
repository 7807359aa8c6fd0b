#include "bench/backends/opencl/opencl.h"

#include <CL/cl_ext.h>
#include <stdio.h>

/* The codes that a driver, a device or the ICD loader causes. The others are errors of the call (CL/cl.h). None is
 * positive. */
#define CODE(name) [-(name)] = #name
static const char *const names[] = {
    CODE(CL_DEVICE_NOT_FOUND),
    CODE(CL_DEVICE_NOT_AVAILABLE),
    CODE(CL_COMPILER_NOT_AVAILABLE),
    CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    CODE(CL_OUT_OF_RESOURCES),
    CODE(CL_OUT_OF_HOST_MEMORY),
    CODE(CL_BUILD_PROGRAM_FAILURE),
    CODE(CL_MAP_FAILURE),
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    CODE(CL_INVALID_VALUE),
    CODE(CL_INVALID_DEVICE),
    CODE(CL_INVALID_CONTEXT),
    CODE(CL_INVALID_COMMAND_QUEUE),
    CODE(CL_INVALID_MEM_OBJECT),
    CODE(CL_INVALID_KERNEL_NAME),
    CODE(CL_INVALID_WORK_GROUP_SIZE),
    CODE(CL_INVALID_BUFFER_SIZE),
    CODE(CL_PLATFORM_NOT_FOUND_KHR),
};

const char *opencl_code_text(char to[CODE_TEXT], cl_int code)
{
    const int count = sizeof names / sizeof *names;
    const char *name = code <= 0 && code > -count ? names[-code] : NULL;
    snprintf(to, CODE_TEXT, "%s (%d)", name ? name : "error", (int)code);
    return to;
}

bool opencl_check(cl_int code, const char *entry, struct error *err)
{
    if (code == CL_SUCCESS)
        return true;
    /* CL_OUT_OF_RESOURCES is not among them: drivers also return it for a crashed kernel. */
    bool no_memory =
        code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE;
    char text[CODE_TEXT];
    return fail_in(err, entry, no_memory ? STATUS_NO_MEMORY : STATUS_FAILED, "%s answered %s", entry,
                   opencl_code_text(text, code));
}
