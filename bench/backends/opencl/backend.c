#include "bench/backends/common/kernel.h"
#include "bench/backends/common/nvml.h"
#include "bench/backends/common/sysfs_monitor.h"
#include "bench/backends/opencl/opencl.h"
#include "config.h"
#include "harness/base/text.h"

/* Adds where the method runs to how it runs. */
static void detail_complete(const struct job *job, char detail[DETAIL_MAX])
{
    const struct buffer *first = job->operand[0].buffer;
    if (first->own)
        text_join(detail, DETAIL_MAX, ", ", "host memory in place");
    else if (memory_is_mapped(first->memory))
        text_join(detail, DETAIL_MAX, ", ", "memory of the driver's choice");
}

static const struct routine *const others[] = {
#if HAVE_CLBLAST
    &opencl_clblast,
#endif
    &opencl_copy, NULL
};
static const struct build_library libraries[] = { { "CLBlast", HAVE_CLBLAST ? NULL : "libclblast-dev" }, { 0 } };

static struct task *prepare(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err)
{
    static const struct routines routines = { "OpenCL", &opencl_portable, others, libraries };
    if (!session->device.computes[job->problem->dtype])
        return fail_null(err, STATUS_UNSUPPORTED, "%s does not compute in %s", session->device.name,
                         dtype_name(job->problem->dtype));
    struct task *task = task_prepare(&routines, session, job, detail, err);
    if (task)
        detail_complete(job, detail);
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
