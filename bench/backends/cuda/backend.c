#include "bench/backends/common/nvml.h"
#include "bench/backends/cuda/cuda.h"

const struct backend backend_cuda = {
    .name = "cuda",
    .summary = "every NVIDIA GPU, through CUDA's driver API",
    .list = cuda_list,
    .open = cuda_open,
    .close = cuda_close,
    .alloc = cuda_alloc,
    .release = cuda_release,
    .host_alloc = cuda_host_alloc,
    .host_release = cuda_host_release,
    .map = cuda_map,
    .unmap = cuda_unmap,
    .upload = cuda_upload,
    .download = cuda_download,
    .prepare = cuda_prepare,
    .submit = task_submit,
    .discard = task_discard,
    .repacks = task_repacks,
    .repack = task_repack,
    .finish = cuda_finish,
    .wait = "spin",
    .monitor = &nvml_monitor,
};
