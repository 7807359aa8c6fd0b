#include "bench/backends/common/kernel.h"
#include "bench/backends/common/nvml.h"
#include "bench/backends/common/sysfs_monitor.h"
#include "bench/backends/opencl/opencl.h"
#include "config.h"
#include "harness/base/text.h"

/* Adds where the method runs to how it runs. */
static void detail_complete(const struct session *session, const struct job *job, char detail[DETAIL_MAX])
{
    const struct buffer *first = job->operand[0].buffer;
    if (first->own)
        text_append(detail, DETAIL_MAX, ", host memory in place");
    else if (memory_is_mapped(first->memory))
        text_append(detail, DETAIL_MAX, ", memory of the driver's choice");
    if (session->limit > 0)
        text_append(detail, DETAIL_MAX, ", limited to %u unit%s", session->limit, session->limit > 1 ? "s" : "");
}

static const struct routine *const others[] = {
#if HAVE_CLBLAST
    &opencl_clblast, &opencl_clblast_conv, &opencl_clblast_train,
#endif
    &opencl_copy, NULL
};
static const struct build_library libraries[] = { { "CLBlast", HAVE_CLBLAST ? NULL : "libclblast-dev" }, { 0 } };

static struct task *prepare(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err)
{
    const struct method *method = job->method;
    const bool is_generic = method->portable && !method->calls_library;
    const struct routines routines = { "OpenCL", is_generic ? &opencl_portable : NULL, others, libraries };
    if (!session->device.computes[job->problem->dtype])
        return fail_null(err, STATUS_UNSUPPORTED, "%s does not compute in %s", session->device.name,
                         dtype_name(job->problem->dtype));
    struct task *task = task_prepare(&routines, session, job, detail, err);
    if (task)
        detail_complete(session, job, detail);
    return task;
}

static unsigned shapes(struct session *session, const struct problem *problem, const struct method *method,
                       char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX])
{
    return kernel_shape_names(problem, method, &session->device, name);
}

static const struct monitor *const monitors[] = { &nvml_monitor, &sysfs_monitor, NULL };

const struct backend backend_opencl = {
    .name = "opencl",
    .summary = "every device of every installed OpenCL driver",
    .sources = opencl_sources,
    .list = opencl_list,
    .open = opencl_open,
    .close = opencl_close,
    .alloc = opencl_alloc,
    .alloc_plain = opencl_alloc_plain,
    .release = opencl_release,
    .pinned_alloc = opencl_pinned_alloc,
    .pinned_release = opencl_pinned_release,
    .map = opencl_map,
    .unmap = opencl_unmap,
    .upload = opencl_upload,
    .download = opencl_download,
    .kernel_shapes = shapes,
    .prepare = prepare,
    .submit = task_submit,
    .discard = task_discard,
    .finish = opencl_finish,
    .wait = "driver",
    .monitors = monitors,
};
