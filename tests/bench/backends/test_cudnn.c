/* Convolution by cuDNN on the doubles of the driver and the library (tests/doubles/cuda): which engines are kernel
 * shapes, how refusals are reported, and that every type and layout gives the same numbers. */

#include "bench/backends/cuda/cudnn.h"
#include "bench/backends/registry.h"
#include "bench/worker/rig.h"
#include "harness/base/element.h"
#include "harness/base/library.h"
#include "harness/base/text.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS = 3 };

/* One method, prepared. */
struct conv_run {
    const struct backend *backend;
    struct session *session;
    struct problem problem;
    const struct method *method;
    char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX];
    unsigned shapes, shape; /* how many, and the prepared one */
    struct operand operand[OPERANDS_MAX];
    struct buffer *buffer[OPERANDS];
    void *host[OPERANDS];
    struct task *task;
    char detail[DETAIL_MAX];
    struct error err;
};

/* Small integers: every sum of their products is exact in every type. */
static double input_at(unsigned operand, int64_t index)
{
    return (double)((index * 7 + (int64_t)operand * 3) % 5 - 2);
}

static void inputs_send(struct conv_run *run, unsigned which)
{
    const struct operand *operand = &run->operand[which];
    const size_t bytes = (size_t)operand->count * dtype_bytes(operand->dtype);
    run->buffer[which] = run->backend->alloc(run->session, bytes, MEMORY_PAGEABLE, &run->err);
    run->host[which] = calloc(1, bytes);
    cr_assert(run->buffer[which] && run->host[which], "%s", run->err.message);
    for (int64_t i = 0; i < operand->count; i++)
        element_put(run->host[which], operand->dtype, i, input_at(which, i));
    cr_assert(run->backend->upload(run->session, 0, run->buffer[which], 0, run->host[which], bytes, &run->err));
}

static void conv_run_prepare(struct conv_run *run)
{
    struct job job = { .problem = &run->problem, .method = run->method, .kernel_shape = run->shape };
    for (unsigned i = 0; i < OPERANDS; i++)
        job.operand[i].buffer = run->buffer[i];
    run->task = run->backend->prepare(run->session, &job, run->detail, &run->err);
}

/* With the first engine. task is NULL with the reason in err where the method cannot be prepared. */
static struct conv_run conv_run_open(const char *method, enum dtype dtype, const char *shape)
{
    struct conv_run run = { .backend = backend_find("cuda") };
    struct device device;
    unsigned count = 0;
    cr_assert(problem_parse(&run.problem, workload_find("conv"), dtype, shape, &run.err), "%s", run.err.message);
    cr_assert(run.backend->list("", &device, 1, &count, &run.err) && count == 1, "%s", run.err.message);
    run.session = run.backend->open(&device, 0, &run.err);
    cr_assert(run.session, "%s", run.err.message);
    run.problem.workload->operands(&run.problem, run.operand);
    run.method = method_find(run.problem.workload, method);
    cr_assert(run.method, "%s", method);
    for (unsigned i = 0; i < OPERANDS; i++)
        inputs_send(&run, i);
    run.shapes = run.backend->kernel_shapes(run.session, &run.problem, run.method, run.name);
    conv_run_prepare(&run);
    return run;
}

static void conv_run_close(struct conv_run *run)
{
    run->backend->discard(run->task);
    for (unsigned i = 0; i < OPERANDS; i++) {
        run->backend->release(run->session, run->buffer[i]);
        free(run->host[i]);
    }
    run->backend->close(run->session);
}

static void repack(struct conv_run *run, unsigned operand, enum repack_way way)
{
    if (run->backend->repacks(run->task) & 1u << operand)
        cr_assert(run->backend->repack(run->task, operand, way, &run->err), "%s", run->err.message);
}

static void result_fetch(struct conv_run *run)
{
    const struct operand *out = &run->operand[2];
    repack(run, 2, REPACK_BACK);
    cr_assert(run->backend->download(run->session, 0, run->host[2], run->buffer[2], 0,
                                     (size_t)out->count * dtype_bytes(out->dtype), &run->err) &&
                  run->backend->finish(run->session, 0, &run->err),
              "%s", run->err.message);
}

/* One run; downloads its result. */
static void conv_run_run(struct conv_run *run)
{
    cr_assert(run->task, "%s", run->err.message);
    repack(run, 0, REPACK_IN);
    repack(run, 1, REPACK_IN);
    cr_assert(run->backend->submit(run->task, 0, 0, NULL, &run->err), "%s", run->err.message);
    result_fetch(run);
}

enum { N, C, H, W, K, R, S, STRIDE, PAD };

static double truth(const struct problem *problem, const int64_t at[4])
{
    const int64_t *dim = problem->dim;
    double sum = 0;
    for (int64_t c = 0; c < dim[C]; c++)
        for (int64_t r = 0; r < dim[R]; r++)
            for (int64_t s = 0; s < dim[S]; s++) {
                const int64_t y = at[2] * dim[STRIDE] - dim[PAD] + r, x = at[3] * dim[STRIDE] - dim[PAD] + s;
                if (y >= 0 && y < dim[H] && x >= 0 && x < dim[W])
                    sum += input_at(0, ((at[0] * dim[C] + c) * dim[H] + y) * dim[W] + x) *
                           input_at(1, ((at[1] * dim[C] + c) * dim[R] + r) * dim[S] + s);
            }
    return sum;
}

/* How many elements of the result are wrong. */
static unsigned wrong_of(struct conv_run *run)
{
    const int64_t *dim = run->problem.dim;
    const int64_t p = (dim[H] + 2 * dim[PAD] - dim[R]) / dim[STRIDE] + 1,
                  q = (dim[W] + 2 * dim[PAD] - dim[S]) / dim[STRIDE] + 1;
    unsigned wrong = 0;
    for (int64_t i = 0; i < run->operand[2].count; i++) {
        const int64_t at[4] = { i / q / p / dim[K], i / q / p % dim[K], i / q % p, i % q };
        wrong += element_at(run->host[2], run->problem.dtype, i) != truth(&run->problem, at);
    }
    return wrong;
}

static const char any_shape[] = "n=2,c=3,h=9,w=7,k=5,r=3,s=3,stride=2,pad=1";
static const char dense_shape[] = "n=2,c=3,h=9,w=7,k=5,r=3,s=3,stride=1,pad=1";

static const enum dtype dtypes[] = { DTYPE_F32, DTYPE_F64, DTYPE_F16, DTYPE_BF16, DTYPE_TF32 };
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

Test(cudnn, every_type_is_right_in_both_layouts)
{
    static const char *const methods[] = { "cudnn", "cudnn-nhwc" };
    for (unsigned i = 0; i < 2 * DTYPES; i++) {
        const char *method = methods[i % 2];
        struct conv_run run = conv_run_open(method, dtypes[i / 2], any_shape);
        cr_assert(run.task, "%s of %s: %s", method, dtype_name(dtypes[i / 2]), run.err.message);
        cr_expect_eq(run.backend->repacks(run.task), i % 2 ? 7 : 0);
        cr_expect_eq(strstr(run.detail, ", NHWC") != NULL, i % 2 == 1, "%s", run.detail);
        conv_run_run(&run);
        cr_expect_eq(wrong_of(&run), 0, "%s of %s: %u elements are wrong", method, dtype_name(dtypes[i / 2]),
                     wrong_of(&run));
        conv_run_close(&run);
    }
}

Test(cudnn, a_missing_layout_conversion_is_noticed)
{
    setenv("CUDNN_DOUBLE_WRONG", "layout", 1);
    struct conv_run run = conv_run_open("cudnn-nhwc", DTYPE_F32, any_shape);
    conv_run_run(&run);
    cr_expect_gt(wrong_of(&run), 0);
    conv_run_close(&run);
}

/* The double rounds to TF32 unless that is forbidden, as the real library does: 2049 needs one bit more than TF32 has.
 */
Test(cudnn, float32_is_not_rounded_to_tf32)
{
    struct conv_run run = conv_run_open("cudnn", DTYPE_F32, "n=1,c=1,h=1,w=1,k=1,r=1,s=1,stride=1,pad=0");
    const float in = 2049, filter = 1;
    float out = 0;
    cr_assert(run.task, "%s", run.err.message);
    run.backend->upload(run.session, 0, run.buffer[0], 0, &in, sizeof in, &run.err);
    run.backend->upload(run.session, 0, run.buffer[1], 0, &filter, sizeof filter, &run.err);
    run.backend->submit(run.task, 0, 0, NULL, &run.err);
    run.backend->download(run.session, 0, &out, run.buffer[2], 0, sizeof out, &run.err);
    cr_assert(run.backend->finish(run.session, 0, &run.err), "%s", run.err.message);
    cr_expect_eq(out, in, "%g", (double)out);
    conv_run_close(&run);
}

/* The engines that compute by the method's algorithm and round no more than the type does, in the order of the
 * heuristics, and the detail of each that can be prepared. No engine for Fourier transforms, with narrow sums or
 * inputs, is among them. */
static const struct {
    const char *method;
    enum dtype dtype;
    const char *shape, *engines, *details;
} offers[] = {
    { "cudnn", DTYPE_F32, dense_shape, "engine 70, engine 67, engine 46, engine 48, engine 28, engine 0",
      "cuDNN 9.2.1 engine 70; refused; refused; failed; cuDNN 9.2.1 engine 28; cuDNN 9.2.1 engine 0" },
    { "cudnn", DTYPE_TF32, any_shape, "engine 38, engine 70, engine 67, engine 46, engine 48, engine 28, engine 0",
      "cuDNN 9.2.1 engine 38; cuDNN 9.2.1 engine 70; refused; refused; failed; cuDNN 9.2.1 engine 28; "
      "cuDNN 9.2.1 engine 0" },
    { "cudnn-nhwc", DTYPE_BF16, any_shape, "engine 38, engine 70, engine 67, engine 46, engine 48, engine 28, engine 0",
      "cuDNN 9.2.1 engine 38, NHWC; cuDNN 9.2.1 engine 70, NHWC; refused; refused; failed; "
      "cuDNN 9.2.1 engine 28, NHWC; cuDNN 9.2.1 engine 0, NHWC" },
    { "cudnn-winograd", DTYPE_F32, dense_shape, "engine 45", "cuDNN 9.2.1 engine 45" },
    { "cudnn-winograd", DTYPE_TF32, dense_shape, "engine 45", "cuDNN 9.2.1 engine 45, computed in f32" },
};

Test(cudnn, engines_that_compute_are_kernel_shapes_and_right)
{
    for (unsigned i = 0; i < sizeof offers / sizeof *offers; i++) {
        struct conv_run run = conv_run_open(offers[i].method, offers[i].dtype, offers[i].shape);
        char engines[200] = "", details[400] = "";
        for (unsigned k = 0; k < run.shapes; k++) {
            run.backend->discard(run.task);
            run.err.status = STATUS_OK;
            run.shape = k;
            conv_run_prepare(&run);
            text_join(engines, sizeof engines, ", ", run.name[k]);
            text_join(details, sizeof details, "; ",
                      run.task                          ? run.detail
                      : run.err.status == STATUS_FAILED ? "failed"
                                                        : "refused");
            if (!run.task)
                continue;
            conv_run_run(&run);
            cr_expect_eq(wrong_of(&run), 0, "%s", run.detail);
        }
        cr_expect_str_eq(engines, offers[i].engines);
        cr_expect_str_eq(details, offers[i].details);
        conv_run_close(&run);
    }
}

Test(cudnn, where_the_heuristics_know_nothing_the_fallback_is_an_engine)
{
    setenv("CUDNN_DOUBLE_ENGINES", "0", 1);
    struct conv_run run = conv_run_open("cudnn", DTYPE_F32, any_shape);
    cr_expect(run.shapes == 1 && strcmp(run.name[0], "engine 0") == 0, "%u, %s", run.shapes, run.name[0]);
    conv_run_close(&run);
}

/* All tasks of a session share the library's handle, which takes long to create, and the memory for operands in NHWC:
 * another engine computes on what is there. */
Test(cudnn, engines_share_the_handle_and_the_operands_in_their_layout)
{
    setenv("CUDA_DOUBLE_FAULT", "cudnnCreate 2 1001", 1);
    struct conv_run run = conv_run_open("cudnn-nhwc", DTYPE_F16, any_shape);
    struct task *first = run.task;
    conv_run_run(&run);
    run.shape = 1;
    conv_run_prepare(&run);
    cr_assert(run.task, "%s", run.err.message);
    cr_assert(run.backend->submit(run.task, 0, 0, NULL, &run.err), "%s", run.err.message);
    result_fetch(&run);
    cr_expect_eq(wrong_of(&run), 0);
    run.backend->discard(first);
    conv_run_close(&run);
}

/* On a GPU with room for what the plan counts, the engine with a workspace of its own is prepared. */
Test(cudnn, takes_no_more_memory_than_its_method_declares)
{
    static const char *const names[] = { "cudnn", "cudnn-nhwc" };
    for (unsigned i = 0; i < 2; i++) {
        struct problem problem;
        const struct workload *conv = workload_find("conv");
        cr_assert(problem_parse(&problem, conv, DTYPE_F32, dense_shape, NULL));
        const double counted = problem_bytes_held(&problem) + method_find(conv, names[i])->workspace(&problem);
        setenv("CUDA_DOUBLE_MEMORY", text_print("%.0f", counted).text, 1);
        struct conv_run run = conv_run_open(names[i], DTYPE_F32, dense_shape);
        run.backend->discard(run.task);
        while (run.shape < run.shapes && strcmp(run.name[run.shape], "engine 28") != 0)
            run.shape++;
        conv_run_prepare(&run);
        cr_expect(run.task, "%s: %s", names[i], run.err.message);
        conv_run_close(&run);
    }
}

Test(cudnn, a_variable_that_enables_tf32_for_f32_is_removed_and_named)
{
    setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
    struct conv_run run = conv_run_open("cudnn", DTYPE_F32, any_shape);
    cr_assert(run.task, "%s", run.err.message);
    cr_expect(strstr(run.detail, ", NVIDIA_TF32_OVERRIDE ignored"), "%s", run.detail);
    conv_run_close(&run);
}

static void expect_refusal(const char *method, enum dtype dtype, const char *shape, enum status status,
                           const char *words)
{
    struct conv_run run = conv_run_open(method, dtype, shape);
    cr_expect_null(run.task, "%s: %s", method, run.detail);
    cr_expect_eq(run.err.status, status, "%s: %s", method, status_names[run.err.status]);
    cr_expect(strstr(run.err.message, words), "%s: '%s'", method, run.err.message);
    conv_run_close(&run);
}

Test(cudnn, a_refusal_gives_its_reason)
{
    expect_refusal("cudnn-winograd", DTYPE_BF16, dense_shape, STATUS_UNSUPPORTED, "rounds transformed values to bf16");
    expect_refusal("cudnn-winograd", DTYPE_F32, any_shape, STATUS_UNSUPPORTED,
                   "no engine of cuDNN computes this convolution in f32 by Winograd's algorithm");
}

Test(cudnn, a_library_for_a_newer_driver_is_refused)
{
    setenv("CUDNN_DOUBLE_RUNTIME", "13010", 1);
    expect_refusal("cudnn", DTYPE_F32, any_shape, STATUS_UNSUPPORTED,
                   "libcudnn.so.9 for CUDA 13 needs a driver for CUDA 13.0, this one is for 12.4");
}

/* A resumed run asks for the engine of its journal. Without the library there is no list of engines. */
Test(cudnn, an_engine_that_is_asked_for_says_why_there_is_none)
{
    setenv("CUDNN_DOUBLE_RUNTIME", "13010", 1);
    struct conv_run run = conv_run_open("cudnn", DTYPE_F32, any_shape);
    struct rig rig = { .backend = run.backend, .session = run.session, .problem = run.problem, .method = run.method };
    struct error err = { .status = STATUS_OK };
    cr_assert(rig_alloc(&rig, &err), "%s", err.message);
    cr_expect_not(rig_prepare(&rig, "engine 28", &err));
    cr_expect(strstr(err.message, "needs a driver for CUDA 13.0"), "%s", err.message);
    rig_release(&rig);
    conv_run_close(&run);
}

/* The real library: descriptors need no driver. Skips the test where it is not installed. `version` gets 91900 for
 * 9.19.0. */
static struct cudnn installed_open(size_t *version)
{
    size_t (*version_get)(void) = NULL;
    static const char *const patterns[] = { "/usr/local/cuda*/lib*/libcudnn.so.9",
                                            "/usr/lib/x86_64-linux-gnu/libcudnn.so.9",
                                            "/opt/cuda*/lib*/libcudnn.so.9" };
    struct cudnn cudnn = { .handle = NULL };
    struct error err = { .status = STATUS_OK };
    void *library = NULL;
    for (unsigned i = 0; i < sizeof patterns / sizeof *patterns && !library; i++) {
        glob_t found = { 0 };
        if (glob(patterns[i], 0, NULL, &found) == 0) {
            const char *path = found.gl_pathv[found.gl_pathc - 1];
            library_load_beside(path, "libcudnn_graph.so.9"); /* not that of the doubles */
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        }
        globfree(&found);
    }
    if (!library)
        cr_skip_test("no libcudnn.so.9 is installed");
    cr_assert(cudnn_bind(&cudnn, library, "9", &err), "%s", err.message);
    void *symbol = dlsym(library, "cudnnGetVersion");
    memcpy(&version_get, &symbol, sizeof symbol);
    *version = version_get();
    return cudnn;
}

Test(cudnn, the_real_library_accepts_every_tensor)
{
    static const int elements[] = { CUDNN_F32, CUDNN_F64, CUDNN_F16, CUDNN_BF16 };
    size_t version;
    const struct cudnn cudnn = installed_open(&version);
    struct cudnn_tensor *tensor = NULL;
    cr_assert_eq(cudnn.call.tensor_open(&tensor), 0);
    for (int i = 0; i < 8; i++)
        cr_expect_eq(cudnn.call.tensor_set(tensor, i % 2 ? CUDNN_NHWC : CUDNN_NCHW, elements[i / 2], 2, 3, 9, 7), 0);
    struct error err = { .status = STATUS_OK };
    const int status = cudnn.call.tensor_set(tensor, CUDNN_NCHW, CUDNN_F32, 1 << 20, 1 << 10, 4, 4);
    cr_expect_not(cudnn_check_answer(&cudnn, status, "cudnnSetTensor4dDescriptor", &err));
    cr_expect_eq(err.status, STATUS_UNSUPPORTED, "%s: %s", status_names[err.status], err.message);
    cr_expect_eq(cudnn.call.tensor_close(tensor), 0);
}

/* The real library's heuristics and plans need the description of a GPU, and no GPU. The program gives them the handle
 * of one instead; here the calls that would get it give them this description. */
static struct cudnn_calls real;
static struct cudnn_descriptor *described_gpu;

static int set_without_handle(struct cudnn_descriptor *descriptor, int attribute, int type, int64_t count,
                              const void *values)
{
    enum { HEURISTICS_MODE = 200, HEURISTICS_GPU = 204, PLAN_HANDLE = 400, PLAN_GPU = 407, GRAPH_HANDLE = 800 };
    enum { A_DESCRIPTOR = 15 };
    if (attribute == GRAPH_HANDLE)
        return 0;
    if (attribute == PLAN_HANDLE)
        return real.descriptor_set(descriptor, PLAN_GPU, A_DESCRIPTOR, 1, &described_gpu);
    const int status = real.descriptor_set(descriptor, attribute, type, count, values);
    return status == 0 && attribute == HEURISTICS_MODE
               ? real.descriptor_set(descriptor, HEURISTICS_GPU, A_DESCRIPTOR, 1, &described_gpu)
               : status;
}

struct gpu {
    const char *name;
    int capability, multiprocessors, shared_bytes;
};

/* Skips the test where this cuDNN cannot be given a description, before 9.8. */
static void gpu_describe(const struct cudnn *cudnn, size_t version, const struct gpu *gpu)
{
    enum { GPU = 38, GPU_TEXT = 2702, A_CHARACTER = 24 };
    char text[1024];
    const int length =
        snprintf(text, sizeof text,
                 "{\"cudnnVersion\":%zu,\"schemaVersion\":1,\"cudaDeviceId\":0,\"deviceName\":\"%s\",\"deviceVer\":%d,"
                 "\"driverVer\":13000,\"isTccDriver\":0,\"l2CacheSize\":41943040,\"maxCtasPerSM\":32,"
                 "\"maxRegistersPerSM\":65536,\"maxSharedMemoryPerBlock\":49152,\"maxSharedMemoryPerBlockOptin\":%d,"
                 "\"maxThreadsPerBlock\":1024,\"maxThreadsPerSM\":2048,\"memClockRateKHz\":1500000,"
                 "\"multiProcessorCount\":%d,\"pciDeviceId\":9008,\"regsPerBlock\":65536,"
                 "\"reservedSharedMemoryPerBlock\":1024,\"smClockRateKHz\":1500000,\"supportCoopLaunch\":1,"
                 "\"totalGlobalMem\":16000000000,\"warpSize\":32,\"maxBlockSize\":[1024,1024,64],"
                 "\"maxGridSize\":[2147483647,65535,65535]}",
                 version, gpu->name, gpu->capability, gpu->shared_bytes, gpu->multiprocessors);
    if (cudnn->call.descriptor_open(GPU, &described_gpu) != 0)
        cr_skip_test("cuDNN %zu knows no description of a GPU", version);
    cr_assert_eq(cudnn->call.descriptor_set(described_gpu, GPU_TEXT, A_CHARACTER, length + 1, text), 0);
    const int status = cudnn->call.descriptor_finalize(described_gpu);
    if (status != 0)
        cr_skip_test("cuDNN %zu describes GPUs otherwise: %s", version, cudnn->call.error_text(status));
}

/* Every engine that is named becomes a plan, with a workspace that fits and a pack of addresses. `first` gets the name
 * of the first. */
static void expect_plans(struct cudnn_task *task, const char *what, char first[KERNEL_SHAPE_MAX])
{
    struct buffer workspace = { .address = 0x70000000 };
    struct error err = { .status = STATUS_OK };
    cr_expect(cudnn_graph_open(task, &err), "%s: %s: %s", what, err.where, err.message);
    cr_expect_gt(task->ways, 0, "%s", what);
    text_copy(first, KERNEL_SHAPE_MAX, task->way[0].name);
    for (unsigned i = 0; i < task->ways; i++) {
        size_t bytes = SIZE_MAX;
        cr_expect(cudnn_plan_open(task, &task->way[i], &bytes, &err), "%s: %s: %s", what, task->way[i].name,
                  err.message);
        cr_expect_lt(bytes, (size_t)1 << 30, "%s: %s", what, task->way[i].name);
        task->workspace = i % 2 ? &workspace : NULL;
        cr_expect(cudnn_pack_open(task, &err), "%s: %s", what, err.message);
        for (unsigned k = CUDNN_PLAN; k <= CUDNN_PACK; k++) {
            task->cudnn->call.descriptor_close(task->described[k]);
            task->described[k] = NULL;
        }
        err.status = STATUS_OK;
    }
    cudnn_graph_close(task);
}

Test(cudnn, the_real_library_plans_the_convolutions_for_gpus_that_are_described, .timeout = 120)
{
    static const struct gpu gpus[] = { { "NVIDIA H100 80GB HBM3", 900, 132, 232448 },
                                       { "NVIDIA A100-SXM4-80GB", 800, 108, 166912 },
                                       { "NVIDIA T4", 750, 40, 65536 } };
    static const struct cudnn_arithmetic types[] = { { CUDNN_F32, CUDNN_F32, CUDNN_F32, false },
                                                     { CUDNN_F64, CUDNN_F64, CUDNN_F64, true },
                                                     { CUDNN_F16, CUDNN_F32, CUDNN_F16, true },
                                                     { CUDNN_BF16, CUDNN_F32, CUDNN_F16, true },
                                                     { CUDNN_F32, CUDNN_F32, CUDNN_F32, true } };
    size_t version;
    struct cudnn cudnn = installed_open(&version);
    struct problem problem;
    char what[80], first[2][DTYPES][KERNEL_SHAPE_MAX]; /* by layout and type, of the latest GPU */
    cr_assert(problem_parse(&problem, workload_find("conv"), DTYPE_F32,
                            "n=32,c=64,h=56,w=56,k=64,r=3,s=3,stride=2,pad=1", NULL));
    real = cudnn.call;
    cudnn.call.descriptor_set = set_without_handle;
    for (unsigned i = 0; i < 3 * DTYPES * 2; i++) {
        const struct gpu *gpu = &gpus[i / 2 / DTYPES];
        const unsigned type = i / 2 % DTYPES;
        if (gpu->capability < 800 && dtypes[type] == DTYPE_BF16)
            continue;
        struct cudnn_task task = { .cudnn = &cudnn, .problem = &problem, .type = &types[type], .layout = i % 2 };
        for (unsigned k = 0; k < CONV_OPERANDS; k++)
            task.address[k] = 0x10000000 * (k + 1);
        gpu_describe(&cudnn, version, gpu);
        snprintf(what, sizeof what, "%s, %s, %s", gpu->name, dtype_name(dtypes[type]), i % 2 ? "NHWC" : "NCHW");
        expect_plans(&task, what, first[i % 2][type]);
        if (gpu->capability >= 800 && dtypes[type] == DTYPE_TF32)
            cr_expect_str_neq(first[i % 2][0], first[i % 2][type], "%s: f32 by the engine of TF32", what);
        cudnn.call.descriptor_close(described_gpu);
    }
}
