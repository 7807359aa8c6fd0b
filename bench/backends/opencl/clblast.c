#include "bench/backends/common/gemm.h"
#include "bench/backends/opencl/portable.h"
#include "harness/base/library.h"
#include "harness/base/loader.h"
#include "harness/base/text.h"
#include "kernels/native.h"

#include <clblast_c.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CLBlast's gemm and convgemm, through pointers: the library is loaded when a method needs it. Of a step of training it
 * computes the products, reading transposed operands in place, and a kernel of our own follows each. The queue runs
 * them in order, so nothing waits in between. */

static const char soname[] = "libclblast.so.1";

/* By element type: f32, f64, f16. It stays loaded until the process ends. */
enum { TYPES = 3 };
struct clblast {
    __typeof__(&CLBlastSgemm) sgemm;
    __typeof__(&CLBlastDgemm) dgemm;
    __typeof__(&CLBlastHgemm) hgemm;
    __typeof__(&CLBlastSconvgemm) convgemm[TYPES];
};

/* As in struct clblast. */
static const struct {
    const char *gemm[TYPES], *convgemm[TYPES];
} symbols = { { "CLBlastSgemm", "CLBlastDgemm", "CLBlastHgemm" },
              { "CLBlastSconvgemm", "CLBlastDconvgemm", "CLBlastHconvgemm" } };

struct clblast_work {
    struct clblast library;
    struct opencl_portable_work passes; /* after the products of train; of others the session alone */
    bool has_passes;
    enum dtype dtype; /* f32 for tf32, too */
    unsigned gemms;   /* 0: a convolution */
    struct gemm gemm[TRAIN_PRODUCTS];
    size_t dim[DIMS_MAX];
    cl_mem array[OPERANDS_MAX + SCRATCH_MAX];
};

/* The library has no call for its version. The file behind the links may name it, "libclblast.so.1.5.3". */
static void library_name(void *handle, char *to, size_t room)
{
    char path[PATH_MAX], real[PATH_MAX];
    const char *version = loader_path(handle, path) && realpath(path, real) ? strstr(real, ".so.") : NULL;
    snprintf(to, room, "CLBlast %s", version ? version + strlen(".so.") : "of unknown version");
}

static bool library_open(struct clblast *out, struct session *session, char detail[DETAIL_MAX], struct error *err)
{
    static const char *const sonames[] = { soname, NULL }, *const clear[] = { "CLBlastClearCache" };
    void *handle = library_load(sonames, "libclblast1", err);
    if (!handle || !library_bind(handle, soname, LIBRARY_NAMES(symbols), out, err))
        return false;
    library_name(handle, detail, DETAIL_MAX);
    return library_bind(handle, soname, LIBRARY_NAMES(clear), &session->clear_cache, err);
}

/* Of the library's own codes (clblast_c.h) those that a device or its driver causes. */
static const struct {
    CLBlastStatusCode code;
    enum status status;
    const char *meaning;
} meanings[] = {
    { CLBlastOpenCLBuildProgramFailure, STATUS_FAILED, "the driver cannot compile CLBlast's kernels" },
    { CLBlastInvalidLocalNumDimensions, STATUS_UNSUPPORTED,
      "CLBlast's groups have more dimensions than the device allows" },
    { CLBlastInvalidLocalThreadsTotal, STATUS_UNSUPPORTED, "CLBlast's groups are larger than the device allows" },
    { CLBlastInvalidLocalThreadsDim, STATUS_UNSUPPORTED, "CLBlast's groups are longer than the device allows" },
    { CLBlastInvalidLocalMemUsage, STATUS_UNSUPPORTED, "CLBlast needs more local memory than the device has" },
    { CLBlastNotImplemented, STATUS_UNSUPPORTED, "not implemented" },
    { CLBlastInsufficientMemoryTemp, STATUS_NO_MEMORY, "CLBlast's temporary buffer is too small" },
    { CLBlastNoHalfPrecision, STATUS_UNSUPPORTED, "the device has no half precision" },
    { CLBlastNoDoublePrecision, STATUS_UNSUPPORTED, "the device has no double precision" },
    { CLBlastDatabaseError, STATUS_UNSUPPORTED, "CLBlast has no parameters for the device" },
};

static bool clblast_fail(struct error *err, const char *routine, CLBlastStatusCode code)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (meanings[i].code == code)
            return fail_in(err, routine, meanings[i].status, "%s answered %d: %s", routine, (int)code,
                           meanings[i].meaning);
    }
    return opencl_check((cl_int)code, routine, err);
}

static CLBlastStatusCode gemm_call(const struct clblast_work *work, const struct gemm *gemm, cl_command_queue *queue,
                                   cl_event *event)
{
    const CLBlastTranspose a_way = gemm->a_is_transposed ? CLBlastTransposeYes : CLBlastTransposeNo;
    const CLBlastTranspose b_way = gemm->b_is_transposed ? CLBlastTransposeYes : CLBlastTransposeNo;
    const size_t m = (size_t)gemm->m, n = (size_t)gemm->n, k = (size_t)gemm->k;
    const size_t a_pitch = (size_t)gemm->a_pitch, b_pitch = (size_t)gemm->b_pitch;
    const cl_mem a = work->array[gemm->a], b = work->array[gemm->b], c = work->array[gemm->c];
    const cl_half half_one = 0x3c00;
    if (work->dtype == DTYPE_F64)
        return work->library.dgemm(CLBlastLayoutRowMajor, a_way, b_way, m, n, k, 1, a, 0, a_pitch, b, 0, b_pitch, 0, c,
                                   0, n, queue, event);
    if (work->dtype == DTYPE_F16)
        return work->library.hgemm(CLBlastLayoutRowMajor, a_way, b_way, m, n, k, half_one, a, 0, a_pitch, b, 0, b_pitch,
                                   0, c, 0, n, queue, event);
    return work->library.sgemm(CLBlastLayoutRowMajor, a_way, b_way, m, n, k, 1, a, 0, a_pitch, b, 0, b_pitch, 0, c, 0,
                               n, queue, event);
}

static CLBlastStatusCode convgemm_call(const struct clblast_work *work, cl_command_queue *queue, cl_event *event)
{
    const size_t *dim = work->dim;
    return work->library.convgemm[work->dtype](CLBlastKernelModeCrossCorrelation, dim[CONV_C], dim[CONV_H], dim[CONV_W],
                                               dim[CONV_R], dim[CONV_S], dim[CONV_PAD], dim[CONV_PAD], dim[CONV_STRIDE],
                                               dim[CONV_STRIDE], 1, 1, dim[CONV_K], dim[CONV_N], work->array[0], 0,
                                               work->array[1], 0, work->array[2], 0, queue, event);
}

/* Puts a product on the queue; NULL: the convolution. */
static bool call_make(struct clblast_work *work, const struct gemm *gemm, unsigned queue, struct error *err)
{
    struct session *session = work->passes.session;
    const char *name = (gemm ? symbols.gemm : symbols.convgemm)[work->dtype];
    cl_event *event = opencl_command(session, queue, err);
    if (!event)
        return false;
    cl_command_queue handle = session->queue[queue].handle;
    last_call_begin(name);
    const CLBlastStatusCode code = gemm ? gemm_call(work, gemm, &handle, event) : convgemm_call(work, &handle, event);
    return code == CLBlastSuccess ? opencl_enqueued(session, queue, name, CL_SUCCESS, err)
                                  : clblast_fail(err, name, code);
}

/* CLBlast returns the event of the last of up to four kernels. It shows whether the run succeeded, not how long it
 * took. */
static bool clblast_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    struct clblast_work *work = context;
    if (span)
        *span = (struct span){ NAN, NAN };
    if (work->gemms == 0)
        return call_make(work, NULL, queue, err);
    for (unsigned i = 0; i < work->gemms; i++)
        if (!call_make(work, &work->gemm[i], queue, err) ||
            (work->has_passes && !opencl_pass_submit(&work->passes, queue, i, err)))
            return false;
    return true;
}

/* CLBlast's kernels index with `int`, and the library does not check the sizes; `what` is what the sentence calls the
 * elements. */
static bool can_count(const char *what, double elements, struct error *err)
{
    return elements <= INT_MAX ||
           fail(err, STATUS_UNSUPPORTED, "%s of %.0f elements, CLBlast's limit is %d", what, elements, INT_MAX);
}

/* Limits that the library does not check, or reports without the size. Operands are added up, since gemm may copy all
 * of them into one buffer. convgemm first copies the patches of all images into one matrix of CRS x NPQ elements. */
static bool work_fits(const struct clblast_work *work, const struct problem *problem, struct error *err)
{
    struct operand operand[OPERANDS_MAX];
    for (const struct gemm *gemm = work->gemm; gemm < work->gemm + work->gemms; gemm++) {
        const double m = (double)gemm->m, n = (double)gemm->n, k = (double)gemm->k;
        if (!can_count("operands", m * k + k * n + m * n, err))
            return false;
    }
    if (work->gemms > 0)
        return true;
    const unsigned operands = problem->workload->operands(problem, operand);
    double elements = 0;
    for (unsigned i = 0; i < operands; i++)
        elements += (double)operand[i].count;
    const double taps = (double)(work->dim[CONV_C] * work->dim[CONV_R] * work->dim[CONV_S]);
    const double patches = taps * (double)operand[2].count / (double)work->dim[CONV_K];
    const double bytes = patches * (double)dtype_bytes(work->dtype);
    const cl_ulong largest = work->passes.session->largest_buffer;
    if (bytes > (double)largest)
        return fail(err, STATUS_NO_MEMORY, "%s allocates a buffer of %.0f bytes, the device allows %llu",
                    symbols.convgemm[work->dtype], bytes, (unsigned long long)largest);
    return can_count("operands", elements, err) && can_count("a matrix of patches", patches, err);
}

static bool passes_open(struct clblast_work *work, const struct job *job, char detail[DETAIL_MAX], struct error *err)
{
    char kernels[DETAIL_MAX];
    if (!opencl_portable.open(&work->passes, work->passes.session, job, kernels, err))
        return false;
    for (unsigned i = 0; i < SCRATCH_MAX && work->passes.scratch[i]; i++)
        work->array[TRAIN_OPERANDS + i] = work->passes.scratch[i]->buffer->object;
    text_append(detail, DETAIL_MAX, ", %s", kernels);
    return true;
}

static void clblast_close(void *context)
{
    struct clblast_work *work = context;
    opencl_portable.close(&work->passes);
}

/* Ends with a first run on the operands: CLBlast compiles when it is called, drivers compile when a kernel is launched
 * with a new group size, and the sizes decide which kernels are used. The routines for f16 refuse a device without
 * cl_khr_fp16 before they compile anything. */
static bool clblast_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                         struct error *err)
{
    struct clblast_work *work = context;
    const struct problem *problem = job->problem;
    const bool is_tf32 = problem->dtype == DTYPE_TF32;
    work->passes.session = session;
    work->has_passes = job->method->calls_library;
    work->dtype = is_tf32 ? DTYPE_F32 : problem->dtype;
    if (work->dtype > DTYPE_F16)
        return fail(err, STATUS_UNSUPPORTED, "CLBlast has no %s in %s", problem->workload->name,
                    dtype_name(problem->dtype));
    for (unsigned i = 0; i < DIMS_MAX; i++)
        work->dim[i] = (size_t)problem->dim[i];
    work->gemms = strcmp(problem->workload->name, "conv") == 0 ? 0 : gemms_of(problem, work->gemm);
    if (!work_fits(work, problem, err) || !opencl_operands(session, job, work->array, err) ||
        !library_open(&work->library, session, detail, err) ||
        (work->has_passes && !passes_open(work, job, detail, err)))
        return false;
    text_append(detail, DETAIL_MAX, "%s",
                is_tf32                    ? ", computed in f32"
                : work->dtype == DTYPE_F16 ? ", sums in f16"
                                           : "");
    return routine_run(clblast_submit, work, opencl_finish, session, err);
}

const struct routine opencl_clblast = { .workload = { "matmul", "conv", "train" },
                                        .method = { "clblast" },
                                        .bytes = sizeof(struct clblast_work),
                                        .open = clblast_open,
                                        .submit = clblast_submit,
                                        .close = clblast_close };
