#include "bench/backends/opencl/opencl.h"

#include <CL/cl_ext.h>
#include <stdio.h>

/* The codes of OpenCL 1.2 (CL/cl.h) that calls of ours may return, and of the ICD loader (CL/cl_ext.h). None is
 * positive. */
#define CODE(name) [-(name)] = #name
static const char *const names[] = {
    CODE(CL_SUCCESS),
    CODE(CL_DEVICE_NOT_FOUND),
    CODE(CL_DEVICE_NOT_AVAILABLE),
    CODE(CL_COMPILER_NOT_AVAILABLE),
    CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    CODE(CL_OUT_OF_RESOURCES),
    CODE(CL_OUT_OF_HOST_MEMORY),
    CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
    CODE(CL_MEM_COPY_OVERLAP),
    CODE(CL_BUILD_PROGRAM_FAILURE),
    CODE(CL_MAP_FAILURE),
    CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    CODE(CL_INVALID_VALUE),
    CODE(CL_INVALID_DEVICE_TYPE),
    CODE(CL_INVALID_PLATFORM),
    CODE(CL_INVALID_DEVICE),
    CODE(CL_INVALID_CONTEXT),
    CODE(CL_INVALID_QUEUE_PROPERTIES),
    CODE(CL_INVALID_COMMAND_QUEUE),
    CODE(CL_INVALID_HOST_PTR),
    CODE(CL_INVALID_MEM_OBJECT),
    CODE(CL_INVALID_BINARY),
    CODE(CL_INVALID_BUILD_OPTIONS),
    CODE(CL_INVALID_PROGRAM),
    CODE(CL_INVALID_PROGRAM_EXECUTABLE),
    CODE(CL_INVALID_KERNEL_NAME),
    CODE(CL_INVALID_KERNEL_DEFINITION),
    CODE(CL_INVALID_KERNEL),
    CODE(CL_INVALID_ARG_INDEX),
    CODE(CL_INVALID_ARG_VALUE),
    CODE(CL_INVALID_ARG_SIZE),
    CODE(CL_INVALID_KERNEL_ARGS),
    CODE(CL_INVALID_WORK_DIMENSION),
    CODE(CL_INVALID_WORK_GROUP_SIZE),
    CODE(CL_INVALID_WORK_ITEM_SIZE),
    CODE(CL_INVALID_GLOBAL_OFFSET),
    CODE(CL_INVALID_EVENT_WAIT_LIST),
    CODE(CL_INVALID_EVENT),
    CODE(CL_INVALID_OPERATION),
    CODE(CL_INVALID_BUFFER_SIZE),
    CODE(CL_INVALID_GLOBAL_WORK_SIZE),
    CODE(CL_INVALID_PROPERTY),
    CODE(CL_PLATFORM_NOT_FOUND_KHR),
};

const char *opencl_code_text(char to[CODE_TEXT], cl_int code)
{
    const int count = sizeof names / sizeof *names;
    const char *name = code <= 0 && code > -count ? names[-code] : NULL;
    snprintf(to, CODE_TEXT, "%s (%d)", name ? name : "unknown error", (int)code);
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
