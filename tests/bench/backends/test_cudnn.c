/* Convolution by cuDNN, on the doubles of the driver and of the library (tests/cuda_double/): which algorithm is taken,
 * what becomes of those that are refused, and that every type and layout gives the same numbers. */

#include "bench/backends/cuda/cudnn.h"
#include "bench/backends/registry.h"
#include "harness/base/element.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS = 3 };

/* One method, prepared. */
struct stand {
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

/* Small whole numbers: every sum of their products is exact in every type. */
static double input_at(unsigned operand, int64_t index)
{
    return (double)((index * 7 + (int64_t)operand * 3) % 5 - 2);
}

static void inputs_send(struct stand *stand, unsigned which)
{
    const struct operand *operand = &stand->operand[which];
    const size_t bytes = (size_t)operand->count * dtype_bytes(operand->dtype);
    stand->buffer[which] = stand->backend->alloc(stand->session, bytes, MEMORY_PAGEABLE, &stand->err);
    stand->host[which] = calloc(1, bytes);
    cr_assert(stand->buffer[which] && stand->host[which], "%s", stand->err.message);
    for (int64_t i = 0; i < operand->count; i++)
        element_put(stand->host[which], operand->dtype, i, input_at(which, i));
    cr_assert(stand->backend->upload(stand->session, 0, stand->buffer[which], 0, stand->host[which], bytes, NULL,
                                     &stand->err));
}

/* task is NULL, and err says why, where the method cannot be prepared. */
static struct stand stand_open(const char *method, enum dtype dtype, const char *shape)
{
    struct stand stand = { .backend = backend_find("cuda") };
    struct device device;
    unsigned count = 0;
    cr_assert(problem_parse(&stand.problem, workload_find("conv"), dtype, shape, &stand.err), "%s", stand.err.message);
    cr_assert(stand.backend->list("", &device, 1, &count, &stand.err) && count == 1, "%s", stand.err.message);
    stand.session = stand.backend->open(&device, 0, &stand.err);
    cr_assert(stand.session, "%s", stand.err.message);
    stand.problem.workload->operands(&stand.problem, stand.operand);
    struct job job = { .problem = &stand.problem, .method = method_find(stand.problem.workload, method) };
    cr_assert(job.method, "%s", method);
    for (unsigned i = 0; i < OPERANDS; i++) {
        inputs_send(&stand, i);
        job.operand[i].buffer = stand.buffer[i];
    }
    stand.task = stand.backend->prepare(stand.session, &job, stand.detail, &stand.err);
    return stand;
}

static void stand_close(struct stand *stand)
{
    stand->backend->discard(stand->task);
    for (unsigned i = 0; i < OPERANDS; i++) {
        stand->backend->release(stand->session, stand->buffer[i]);
        free(stand->host[i]);
    }
    stand->backend->close(stand->session);
}

static void repack(struct stand *stand, unsigned operand, enum repack_way way)
{
    if (stand->backend->repacks(stand->task) & 1u << operand)
        cr_assert(stand->backend->repack(stand->task, 0, operand, way, &stand->err), "%s", stand->err.message);
}

/* A run, its result fetched. */
static void stand_run(struct stand *stand)
{
    const struct operand *out = &stand->operand[2];
    cr_assert(stand->task, "%s", stand->err.message);
    repack(stand, 0, REPACK_IN);
    repack(stand, 1, REPACK_IN);
    cr_assert(stand->backend->submit(stand->task, 0, 0, NULL, &stand->err), "%s", stand->err.message);
    repack(stand, 2, REPACK_BACK);
    cr_assert(stand->backend->download(stand->session, 0, stand->host[2], stand->buffer[2], 0,
                                       (size_t)out->count * dtype_bytes(out->dtype), NULL, &stand->err) &&
                  stand->backend->finish(stand->session, 0, &stand->err),
              "%s", stand->err.message);
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

/* Elements of the result that are not what they should be. */
static unsigned wrong_of(struct stand *stand)
{
    const int64_t *dim = stand->problem.dim;
    const int64_t p = (dim[H] + 2 * dim[PAD] - dim[R]) / dim[STRIDE] + 1,
                  q = (dim[W] + 2 * dim[PAD] - dim[S]) / dim[STRIDE] + 1;
    unsigned wrong = 0;
    for (int64_t i = 0; i < stand->operand[2].count; i++) {
        const int64_t at[4] = { i / q / p / dim[K], i / q / p % dim[K], i / q % p, i % q };
        wrong += element_at(stand->host[2], stand->problem.dtype, i) != truth(&stand->problem, at);
    }
    return wrong;
}

static const char any_shape[] = "n=2,c=3,h=9,w=7,k=5,r=3,s=3,stride=2,pad=1";
static const char dense_shape[] = "n=2,c=3,h=9,w=7,k=5,r=3,s=3,stride=1,pad=1";

static const enum dtype dtypes[] = { DTYPE_F32, DTYPE_F64, DTYPE_F16, DTYPE_BF16, DTYPE_TF32 };
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

Test(cudnn, the_fastest_algorithm_is_taken_and_the_others_are_told)
{
    struct stand stand = stand_open("cudnn", DTYPE_F32, any_shape);
    cr_assert(stand.task, "%s", stand.err.message);
    cr_expect_str_eq(stand.detail, "cuDNN 9.2.1 implicit-precomp-gemm, faster than implicit-gemm, too large: gemm, not "
                                   "supported: direct");
    stand_close(&stand);
    setenv("CUDNN_DOUBLE_SLOW", "1", 1);
    stand = stand_open("cudnn", DTYPE_F32, any_shape);
    cr_assert(stand.task, "%s", stand.err.message);
    cr_expect_str_eq(stand.detail, "cuDNN 9.2.1 implicit-gemm, faster than implicit-precomp-gemm, too large: gemm, not "
                                   "supported: direct");
    stand_close(&stand);
}

Test(cudnn, every_type_is_computed_rightly_in_both_layouts)
{
    static const char *const methods[] = { "cudnn", "cudnn-nhwc" };
    for (unsigned i = 0; i < 2 * DTYPES; i++) {
        const char *method = methods[i % 2];
        struct stand stand = stand_open(method, dtypes[i / 2], any_shape);
        cr_assert(stand.task, "%s of %s: %s", method, dtype_name(dtypes[i / 2]), stand.err.message);
        cr_expect_eq(stand.backend->repacks(stand.task), i % 2 ? 7 : 0);
        cr_expect_eq(strstr(stand.detail, ", NHWC") != NULL, i % 2 == 1, "%s", stand.detail);
        stand_run(&stand);
        cr_expect_eq(wrong_of(&stand), 0, "%s of %s: %u elements are wrong", method, dtype_name(dtypes[i / 2]),
                     wrong_of(&stand));
        stand_close(&stand);
    }
}

Test(cudnn, a_layout_that_was_not_changed_is_noticed)
{
    setenv("CUDNN_DOUBLE_WRONG", "layout", 1);
    struct stand stand = stand_open("cudnn-nhwc", DTYPE_F32, any_shape);
    stand_run(&stand);
    cr_expect_gt(wrong_of(&stand), 0);
    stand_close(&stand);
}

/* The double rounds to TF32 wherever that is not forbidden, as the real one does: 2049 has a digit more than TF32. */
Test(cudnn, float32_is_not_rounded_to_tf32)
{
    struct stand stand = stand_open("cudnn", DTYPE_F32, "n=1,c=1,h=1,w=1,k=1,r=1,s=1,stride=1,pad=0");
    const float in = 2049, filter = 1;
    float out = 0;
    cr_assert(stand.task, "%s", stand.err.message);
    stand.backend->upload(stand.session, 0, stand.buffer[0], 0, &in, sizeof in, NULL, &stand.err);
    stand.backend->upload(stand.session, 0, stand.buffer[1], 0, &filter, sizeof filter, NULL, &stand.err);
    stand.backend->submit(stand.task, 0, 0, NULL, &stand.err);
    stand.backend->download(stand.session, 0, &out, stand.buffer[2], 0, sizeof out, NULL, &stand.err);
    cr_assert(stand.backend->finish(stand.session, 0, &stand.err), "%s", stand.err.message);
    cr_expect_eq(out, in, "%g", (double)out);
    stand_close(&stand);
}

Test(cudnn, a_variable_that_makes_float32_tf32_is_kept_from_it_and_named)
{
    setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
    struct stand stand = stand_open("cudnn", DTYPE_F32, any_shape);
    cr_assert(stand.task, "%s", stand.err.message);
    cr_expect(strstr(stand.detail, ", NVIDIA_TF32_OVERRIDE ignored"), "%s", stand.detail);
    stand_close(&stand);
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
        struct stand stand = stand_open(cases[i].method, cases[i].dtype, dense_shape);
        cr_assert(stand.task, "%s: %s", cases[i].method, stand.err.message);
        cr_expect_str_eq(stand.detail, cases[i].detail);
        stand_run(&stand);
        cr_expect_eq(wrong_of(&stand), 0);
        stand_close(&stand);
    }
}

static void expect_refusal(const char *method, enum dtype dtype, const char *shape, enum status status,
                           const char *words)
{
    struct stand stand = stand_open(method, dtype, shape);
    cr_expect_null(stand.task, "%s: %s", method, stand.detail);
    cr_expect_eq(stand.err.status, status, "%s: %s", method, status_name(stand.err.status));
    cr_expect(strstr(stand.err.message, words), "%s: '%s'", method, stand.err.message);
    stand_close(&stand);
}

Test(cudnn, what_is_refused_says_why)
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
    struct stand stand = stand_open("cudnn", DTYPE_F32, any_shape);
    cr_assert(stand.task, "%s", stand.err.message);
    cr_expect(strstr(stand.detail, ", failed: implicit-gemm"), "%s", stand.detail);
    stand_close(&stand);
}

Test(cudnn, where_all_fail_the_failure_is_told)
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

/* The library itself, where it is installed: descriptors need no driver. Skips the test where there is none. */
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
        if (glob(patterns[i], 0, NULL, &found) == 0)
            library = dlopen(found.gl_pathv[found.gl_pathc - 1], RTLD_NOW | RTLD_LOCAL);
        globfree(&found);
    }
    if (!library)
        cr_skip_test("no libcudnn.so.9 is installed");
    cr_assert(cudnn_bind(&cudnn, library, "9", &err), "%s", err.message);
    return cudnn;
}

Test(cudnn, the_real_library_takes_every_description)
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
