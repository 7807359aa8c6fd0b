#include "bench/backends/common/nvml.h"
#include "bench/backends/opencl/opencl.h"

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
    .host_alloc = opencl_host_alloc,
    .host_release = opencl_host_release,
    .map = opencl_map,
    .unmap = opencl_unmap,
    .upload = opencl_upload,
    .download = opencl_download,
    .prepare = opencl_prepare,
    .submit = task_submit,
    .discard = task_discard,
    .finish = opencl_finish,
    .wait = "driver",
    .monitor = &nvml_monitor,
};
