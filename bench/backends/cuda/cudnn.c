#include "bench/backends/cuda/cudnn.h"

#include "bench/backends/cuda/library.h"
#include "harness/base/library.h"
#include "kernels/native_conv.h"

#include <stdio.h>

const struct cudnn_names cudnn_names = { CUDNN_CALLS(LIBRARY_NAMED).error_text = "cudnnGetErrorString",
                                         .last_error = "cudnnGetLastErrorString" };

/* cudnnStatus_t; the thousands are the kind of error. An engine whose code does not compile counts as not supported.
 * On an H200 cuDNN 9.19 has only such an engine for one channel and one filter in 16 bits. */
enum { SUCCESS = 0, NOT_SUPPORTED = 3000, NOT_COMPILED = 4001, HOST_MEMORY = 4003, DEVICE_MEMORY = 4004 };

bool cudnn_check_answer(const struct cudnn *cudnn, int status, const char *entry, struct error *err)
{
    char inside[160] = "";
    if (status == SUCCESS)
        return true;
    CUDNN(&cudnn->call, last_error, inside, sizeof inside);
    inside[sizeof inside - 1] = '\0';
    const enum status kind = status / 1000 * 1000 == NOT_SUPPORTED || status == NOT_COMPILED ? STATUS_UNSUPPORTED
                             : status == HOST_MEMORY || status == DEVICE_MEMORY              ? STATUS_NO_MEMORY
                                                                                             : STATUS_FAILED;
    return fail_in(err, entry, kind, "%s (%d)%s%.120s", CUDNN(&cudnn->call, error_text, status), status,
                   *inside ? ": " : "", inside);
}

/* cuDNN loads its parts by name at first use. The loader searches LD_LIBRARY_PATH before cuDNN's own folder, and parts
 * of another version there would be refused. Parts that are loaded already are used wherever they are, so these load
 * after "graph", in the order of their dependencies. cuDNN reports one that is missing. */
static const char *const parts[] = { "libcudnn_ops.so.9", "libcudnn_cnn.so.9", "libcudnn_heuristic.so.9",
                                     "libcudnn_engines_precompiled.so.9", "libcudnn_engines_runtime_compiled.so.9" };

/* Some engines compile by NVRTC or call cuBLASLt, of the CUDA that cuDNN is built for. With pip or CUDA_HOME these are
 * in folders that only our search knows. Without them cuDNN has fewer engines. */
static void helpers_load(const struct cuda_target *target, unsigned cuda)
{
    const int newest = (int)cuda * 1000 + 999;
    const struct cuda_target same = { target->driver < newest ? target->driver : newest, target->architecture };
    struct cuda_found found;
    char file[32];
    cuda_library_load(CUDA_NVRTC, &same, &found, NULL);
    snprintf(file, sizeof file, "libcublasLt.so.%u", cuda);
    if (cuda_library_find(CUDA_CUBLAS, &same, &found, NULL))
        library_load_beside(found.path, file);
}

bool cudnn_bind(struct cudnn *out, void *library, const char *version, struct error *err)
{
    snprintf(out->name, sizeof out->name, "cuDNN %.20s", version);
    return library_bind(library, out->name, LIBRARY_NAMES(cudnn_names), &out->call, err);
}

static bool cudnn_open(void *library, struct session *session, struct error *err)
{
    struct cudnn *cudnn = library;
    struct cuda_found found;
    if (!cuda_library_load(CUDA_CUDNN, &session->target, &found, err) ||
        !cudnn_bind(cudnn, found.handle, found.version, err))
        return false;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        library_load_beside(found.path, parts[i]);
    helpers_load(&session->target, found.cuda);
    const int status = CUDNN(&cudnn->call, open, &cudnn->handle);
    if (status != SUCCESS)
        cudnn->handle = NULL;
    struct cuda_stream *stream =
        cudnn_check_answer(cudnn, status, cudnn_names.open, err) ? cuda_queue(session, 0, err) : NULL;
    return stream && cudnn_call(cudnn, err, use_stream, cudnn->handle, stream);
}

static void cudnn_close(void *library)
{
    const struct cudnn *cudnn = library;
    if (cudnn->handle)
        CUDNN(&cudnn->call, close, cudnn->handle);
}

const struct cudnn *cudnn_of(struct session *session, struct error *err)
{
    return cuda_share(session, CUDA_CUDNN, sizeof(struct cudnn), cudnn_open, cudnn_close, err);
}

void cudnn_shape(const struct problem *problem, unsigned which, int shape[4])
{
    const int64_t *dim = problem->dim, n = dim[CONV_N], c = dim[CONV_C], k = dim[CONV_K];
    const struct conv_plan plan = conv_plan_make(dim);
    const int64_t shapes[CONV_OPERANDS][4] = { [CONV_IN] = { n, c, dim[CONV_H], dim[CONV_W] },
                                               [CONV_FILTERS] = { k, c, dim[CONV_R], dim[CONV_S] },
                                               [CONV_OUT] = { n, k, plan.p, plan.q } };
    for (unsigned i = 0; i < 4; i++)
        shape[i] = (int)shapes[which][i];
}

const double cudnn_zero = 0;

const void *cudnn_one(const struct cudnn_task *task)
{
    static const float one_f32 = 1;
    static const double one_f64 = 1;
    return task->type->sum == CUDNN_F64 ? (const void *)&one_f64 : &one_f32;
}

void *cudnn_pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

bool cudnn_run(void *opaque, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    struct cudnn_task *task = opaque;
    const struct cudnn *cudnn = task->cudnn;
    return cuda_span_begin(task->session, queue, span, err) &&
           cudnn_call(cudnn, err, execute, cudnn->handle, task->described[CUDNN_PLAN], task->described[CUDNN_PACK]) &&
           cuda_span_end(task->session, queue, span, err);
}
