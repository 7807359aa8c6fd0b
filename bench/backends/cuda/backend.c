#include "bench/backends/common/kernel.h"
#include "bench/backends/common/nvml.h"
#include "bench/backends/cuda/cuda.h"

static const struct routine *const others[] = { &cuda_cublas, &cuda_cublaslt, &cuda_cudnn, &cuda_copy, NULL };
static const struct routines routines = { "CUDA", &cuda_portable, others, NULL };

static struct task *prepare(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err)
{
    if (job->method->launch_mode == LAUNCH_SLEEP && !cuda_sleep_in_finish(session, err))
        return NULL;
    return task_prepare(&routines, session, job, detail, err);
}

static unsigned shapes(struct session *session, const struct problem *problem, const struct method *method,
                       char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX])
{
    return method->portable ? kernel_shape_names(problem, method, &session->device, name)
                            : task_kernel_shapes(&routines, session, problem, method, name);
}

static const struct monitor *const monitors[] = { &nvml_monitor, NULL };

const struct backend backend_cuda = {
    .name = "cuda",
    .summary = "every NVIDIA GPU, through CUDA's driver API",
    .stays_after_listing = true,
    .is_mapped_uncached = true,
    .instead_of = "opencl",
    .compiler = "NVRTC",
    .list = cuda_list,
    .open = cuda_open,
    .close = cuda_close,
    .alloc = cuda_alloc,
    .release = cuda_release,
    .map = cuda_map,
    .upload = cuda_upload,
    .download = cuda_download,
    .kernel_shapes = shapes,
    .prepare = prepare,
    .submit = task_submit,
    .discard = task_discard,
    .repacks = task_repacks,
    .repack = task_repack,
    .finish = cuda_finish,
    .wait = "spin",
    .monitors = monitors,
};
