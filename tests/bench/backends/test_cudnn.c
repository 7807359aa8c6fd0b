/* Convolution by cuDNN on the doubles of the driver and the library (tests/doubles/cuda): which algorithm is chosen,
 * how refusals are reported, and that every type and layout gives the same numbers. */

#include "bench/backends/cuda/cudnn.h"
#include "bench/backends/registry.h"
#include "harness/base/element.h"
#include "harness/base/library.h"

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
    cr_assert(run->backend->upload(run->session, 0, run->buffer[which], 0, run->host[which], bytes, NULL, &run->err));
}

/* task is NULL with the reason in err where the method cannot be prepared. */
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
    struct job job = { .problem = &run.problem, .method = method_find(run.problem.workload, method) };
    cr_assert(job.method, "%s", method);
    for (unsigned i = 0; i < OPERANDS; i++) {
        inputs_send(&run, i);
        job.operand[i].buffer = run.buffer[i];
    }
    run.task = run.backend->prepare(run.session, &job, run.detail, &run.err);
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
        cr_assert(run->backend->repack(run->task, 0, operand, way, &run->err), "%s", run->err.message);
}

/* One run; downloads its result. */
static void conv_run_run(struct conv_run *run)
{
    const struct operand *out = &run->operand[2];
    cr_assert(run->task, "%s", run->err.message);
    repack(run, 0, REPACK_IN);
    repack(run, 1, REPACK_IN);
    cr_assert(run->backend->submit(run->task, 0, 0, NULL, &run->err), "%s", run->err.message);
    repack(run, 2, REPACK_BACK);
    cr_assert(run->backend->download(run->session, 0, run->host[2], run->buffer[2], 0,
                                     (size_t)out->count * dtype_bytes(out->dtype), NULL, &run->err) &&
                  run->backend->finish(run->session, 0, &run->err),
              "%s", run->err.message);
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

Test(cudnn, the_fastest_algorithm_is_used_and_the_others_are_listed)
{
    struct conv_run run = conv_run_open("cudnn", DTYPE_F32, any_shape);
    cr_assert(run.task, "%s", run.err.message);
    cr_expect_str_eq(run.detail, "cuDNN 9.2.1 implicit-precomp-gemm, faster than implicit-gemm, too large: gemm, not "
                                 "supported: direct");
    conv_run_close(&run);
    setenv("CUDNN_DOUBLE_SLOW", "1", 1);
    run = conv_run_open("cudnn", DTYPE_F32, any_shape);
    cr_assert(run.task, "%s", run.err.message);
    cr_expect_str_eq(run.detail, "cuDNN 9.2.1 implicit-gemm, faster than implicit-precomp-gemm, too large: gemm, not "
                                 "supported: direct");
    conv_run_close(&run);
}

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
    run.backend->upload(run.session, 0, run.buffer[0], 0, &in, sizeof in, NULL, &run.err);
    run.backend->upload(run.session, 0, run.buffer[1], 0, &filter, sizeof filter, NULL, &run.err);
    run.backend->submit(run.task, 0, 0, NULL, &run.err);
    run.backend->download(run.session, 0, &out, run.buffer[2], 0, sizeof out, NULL, &run.err);
    cr_assert(run.backend->finish(run.session, 0, &run.err), "%s", run.err.message);
    cr_expect_eq(out, in, "%g", (double)out);
    conv_run_close(&run);
}

Test(cudnn, a_variable_that_enables_tf32_for_f32_is_removed_and_named)
{
    setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
    struct conv_run run = conv_run_open("cudnn", DTYPE_F32, any_shape);
    cr_assert(run.task, "%s", run.err.message);
    cr_expect(strstr(run.detail, ", NVIDIA_TF32_OVERRIDE ignored"), "%s", run.detail);
    conv_run_close(&run);
}

Test(cudnn, fast_algorithms_have_methods_of_their_own)
{
    static const struct {
        const char *method;
        enum dtype dtype;
        const char *detail;
    } cases[] = {
        { "cudnn-winograd", DTYPE_F32, "cuDNN 9.2.1 winograd, failed: winograd-nonfused" },
        { "cudnn-winograd", DTYPE_TF32, "cuDNN 9.2.1 winograd, failed: winograd-nonfused, computed in f32" },
        { "cudnn-fft", DTYPE_F32, "cuDNN 9.2.1 fft, too large: fft-tiling" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct conv_run run = conv_run_open(cases[i].method, cases[i].dtype, dense_shape);
        cr_assert(run.task, "%s: %s", cases[i].method, run.err.message);
        cr_expect_str_eq(run.detail, cases[i].detail);
        conv_run_run(&run);
        cr_expect_eq(wrong_of(&run), 0);
        conv_run_close(&run);
    }
}

static void expect_refusal(const char *method, enum dtype dtype, const char *shape, enum status status,
                           const char *words)
{
    struct conv_run run = conv_run_open(method, dtype, shape);
    cr_expect_null(run.task, "%s: %s", method, run.detail);
    cr_expect_eq(run.err.status, status, "%s: %s", method, status_name(run.err.status));
    cr_expect(strstr(run.err.message, words), "%s: '%s'", method, run.err.message);
    conv_run_close(&run);
}

Test(cudnn, a_refusal_gives_its_reason)
{
    expect_refusal("cudnn-fft", DTYPE_F16, dense_shape, STATUS_UNSUPPORTED, "round what they transform to f16");
    expect_refusal("cudnn-winograd", DTYPE_BF16, dense_shape, STATUS_UNSUPPORTED, "round what they transform to bf16");
    expect_refusal("cudnn-fft", DTYPE_F32, any_shape, STATUS_UNSUPPORTED, "CUDNN_STATUS_NOT_SUPPORTED (3000)");
}

Test(cudnn, a_workspace_that_is_too_large_is_refused_with_its_size)
{
    setenv("CUDNN_DOUBLE_LARGE", "4", 1);
    expect_refusal("cudnn-fft", DTYPE_F32, dense_shape, STATUS_NO_MEMORY,
                   "cuDNN's fft needs a workspace of 1099511627776 bytes");
}

Test(cudnn, an_algorithm_that_fails_costs_only_itself)
{
    setenv("CUDA_DOUBLE_FAULT", "cudnnConvolutionForward 1 5000", 1);
    struct conv_run run = conv_run_open("cudnn", DTYPE_F32, any_shape);
    cr_assert(run.task, "%s", run.err.message);
    cr_expect(strstr(run.detail, ", failed: implicit-gemm"), "%s", run.detail);
    conv_run_close(&run);
}

Test(cudnn, when_all_algorithms_fail_the_failure_is_reported)
{
    setenv("CUDA_DOUBLE_FAULT", "cudnnConvolutionForward 0 5000", 1);
    expect_refusal("cudnn", DTYPE_F32, any_shape, STATUS_FAILED, "CUDNN_STATUS_EXECUTION_FAILED (5000)");
}

Test(cudnn, a_library_for_a_newer_driver_is_refused)
{
    setenv("CUDNN_DOUBLE_RUNTIME", "13010", 1);
    expect_refusal("cudnn", DTYPE_F32, any_shape, STATUS_UNSUPPORTED,
                   "libcudnn.so.9 for CUDA 13 needs a driver for CUDA 13.0, this one is for 12.4");
}

/* The real library: descriptors need no driver. Skips the test where it is not installed. */
static struct cudnn installed_open(void)
{
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
    return cudnn;
}

Test(cudnn, the_real_library_accepts_every_descriptor)
{
    static const int elements[] = { CUDNN_F32, CUDNN_F64, CUDNN_F16, CUDNN_BF16 };
    const struct cudnn cudnn = installed_open();
    struct cudnn_tensor *tensor = NULL;
    struct cudnn_filter *filter = NULL;
    struct cudnn_convolution *convolution = NULL;
    cr_assert_eq(cudnn.call.tensor_open(&tensor), 0);
    cr_assert_eq(cudnn.call.filter_open(&filter), 0);
    cr_assert_eq(cudnn.call.convolution_open(&convolution), 0);
    for (int i = 0; i < 8; i++) {
        const int element = elements[i / 2], layout = i % 2 ? CUDNN_NHWC : CUDNN_NCHW;
        const int sum = element == CUDNN_F64 ? CUDNN_F64 : CUDNN_F32;
        cr_expect_eq(cudnn.call.tensor_set(tensor, layout, element, 2, 3, 9, 7), 0);
        cr_expect_eq(cudnn.call.filter_set(filter, element, layout, 5, 3, 3, 3), 0);
        cr_expect_eq(cudnn.call.convolution_set(convolution, 1, 1, 2, 2, 1, 1, CUDNN_CROSS_CORRELATION, sum), 0);
        cr_expect_eq(cudnn.call.convolution_math(convolution, i % 2 ? CUDNN_FMA : CUDNN_TENSOR_CORES), 0);
    }
    struct error err = { .status = STATUS_OK };
    const int status = cudnn.call.tensor_set(tensor, CUDNN_NCHW, CUDNN_F32, 1 << 20, 1 << 10, 4, 4);
    cr_expect_not(cudnn_check(&cudnn, status, "cudnnSetTensor4dDescriptor", &err));
    cr_expect_eq(err.status, STATUS_UNSUPPORTED, "%s: %s", status_name(err.status), err.message);
    cr_expect_eq(cudnn.call.tensor_close(tensor), 0);
    cr_expect_eq(cudnn.call.filter_close(filter), 0);
    cr_expect_eq(cudnn.call.convolution_close(convolution), 0);
}
