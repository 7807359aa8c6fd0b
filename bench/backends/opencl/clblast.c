#include "bench/backends/opencl/clblast.h"

#include "harness/base/library.h"
#include "harness/base/loader.h"
#include "harness/base/text.h"
#include "kernels/native.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char soname[] = "libclblast.so.1";

/* Each is another symbol for each element type: f32, f64, f16. */
enum function { GEMM, GEMV, CONVGEMM, FUNCTIONS };
enum { TYPES = 3 };

/* As in struct clblast. */
static const char *const symbols[FUNCTIONS][TYPES] = {
    [GEMM] = { "CLBlastSgemm", "CLBlastDgemm", "CLBlastHgemm" },
    [GEMV] = { "CLBlastSgemv", "CLBlastDgemv", "CLBlastHgemv" },
    [CONVGEMM] = { "CLBlastSconvgemm", "CLBlastDconvgemm", "CLBlastHconvgemm" },
};

/* The library has no call for its version. The file behind the links names it, "libclblast.so.1.5.3"; without such a
 * link, the version of the headers is shown, which may differ. */
static void library_name(void *handle, char *to, size_t room)
{
    char path[PATH_MAX], real[PATH_MAX];
    const char *file = NULL, *version = NULL;
    if (loader_path(handle, path) && realpath(path, real))
        file = strrchr(real, '/');
    if (file)
        version = strstr(file, ".so.");
    if (version && strchr(version + strlen(".so."), '.'))
        snprintf(to, room, "CLBlast %s", version + strlen(".so."));
    else
        snprintf(to, room, "CLBlast (headers %d.%d.%d)", CLBLAST_VERSION_MAJOR, CLBLAST_VERSION_MINOR,
                 CLBLAST_VERSION_PATCH);
}

bool clblast_open(struct clblast *out, struct session *session, char detail[DETAIL_MAX], struct error *err)
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

/* A function, and what it gets. Those of f32 are for tf32, too. The routines for f16 refuse a device without
 * cl_khr_fp16 before they compile anything. */
struct call {
    enum function function;
    enum dtype dtype;
    struct gemm gemm;      /* of gemm and gemv */
    int64_t dim[DIMS_MAX]; /* of convgemm */
    cl_mem operand[OPERANDS_MAX];
};

/* C = A B; `one` and `zero` as the element type has them. */
#define GEMM_OF(name, one, zero)                                                                                       \
    static CLBlastStatusCode name(const struct clblast *library, const struct call *call, cl_command_queue *queue,     \
                                  cl_event *event)                                                                     \
    {                                                                                                                  \
        const struct gemm *gemm = &call->gemm;                                                                         \
        return library->name(CLBlastLayoutRowMajor, gemm->a_is_transposed ? CLBlastTransposeYes : CLBlastTransposeNo,  \
                             gemm->b_is_transposed ? CLBlastTransposeYes : CLBlastTransposeNo, (size_t)gemm->m,        \
                             (size_t)gemm->n, (size_t)gemm->k, one, call->operand[0], 0, (size_t)gemm->a_pitch,        \
                             call->operand[1], 0, (size_t)gemm->b_pitch, zero, call->operand[2], 0, (size_t)gemm->n,   \
                             queue, event);                                                                            \
    }
GEMM_OF(sgemm, 1, 0)
GEMM_OF(dgemm, 1, 0)
GEMM_OF(hgemm, 0x3c00, 0)

/* The same with one column or one row: A B, or B transposed times the row. */
#define GEMV_OF(gemv, one, zero)                                                                                       \
    static CLBlastStatusCode gemv(const struct clblast *library, const struct call *call, cl_command_queue *queue,     \
                                  cl_event *event)                                                                     \
    {                                                                                                                  \
        const size_t m = (size_t)call->gemm.m, n = (size_t)call->gemm.n, k = (size_t)call->gemm.k;                     \
        const bool is_row = n > 1;                                                                                     \
        return library->gemv(CLBlastLayoutRowMajor, is_row ? CLBlastTransposeYes : CLBlastTransposeNo, is_row ? k : m, \
                             is_row ? n : k, one, call->operand[is_row], 0, is_row ? n : k, call->operand[!is_row], 0, \
                             1, zero, call->operand[2], 0, 1, queue, event);                                           \
    }
GEMV_OF(sgemv, 1, 0)
GEMV_OF(dgemv, 1, 0)
GEMV_OF(hgemv, 0x3c00, 0)

static CLBlastStatusCode convgemm(const struct clblast *library, const struct call *call, cl_command_queue *queue,
                                  cl_event *event)
{
    size_t dim[DIMS_MAX];
    for (unsigned i = 0; i < DIMS_MAX; i++)
        dim[i] = (size_t)call->dim[i];
    return library->convgemm[call->dtype](CLBlastKernelModeCrossCorrelation, dim[CONV_C], dim[CONV_H], dim[CONV_W],
                                          dim[CONV_R], dim[CONV_S], dim[CONV_PAD], dim[CONV_PAD], dim[CONV_STRIDE],
                                          dim[CONV_STRIDE], 1, 1, dim[CONV_K], dim[CONV_N], call->operand[0], 0,
                                          call->operand[1], 0, call->operand[2], 0, queue, event);
}

/* CLBlast's gemv adds to the result what was there times 0, which is no number if that was none. */
static bool result_clear(const struct call *call, cl_command_queue queue, struct error *err)
{
    const uint64_t zero = 0;
    const size_t element = dtype_bytes(call->dtype), bytes = (size_t)(call->gemm.m * call->gemm.n) * element;
    return call->function != GEMV ||
           cl_call(err, clEnqueueFillBuffer, queue, call->operand[2], &zero, element, 0, bytes, 0, NULL, NULL);
}

static bool call_make(const struct clblast *library, struct session *session, unsigned queue, const struct call *call,
                      struct error *err)
{
    static CLBlastStatusCode (*const makes[FUNCTIONS][TYPES])(
        const struct clblast *, const struct call *, cl_command_queue *,
        cl_event *) = { { sgemm, dgemm, hgemm }, { sgemv, dgemv, hgemv }, { convgemm, convgemm, convgemm } };
    const char *name = symbols[call->function][call->dtype];
    cl_event *event = opencl_command(session, queue, err);
    if (!event)
        return false;
    cl_command_queue handle = session->queue[queue].handle;
    if (!result_clear(call, handle, err))
        return false;
    const CLBlastStatusCode code = CALL(name, makes[call->function][call->dtype](library, call, &handle, event));
    return code == CLBlastSuccess ? opencl_enqueued(session, queue, name, CL_SUCCESS, err)
                                  : clblast_fail(err, name, code);
}

bool clblast_gemm(const struct clblast *library, struct session *session, unsigned queue, enum dtype dtype,
                  const struct gemm *gemm, const cl_mem operand[3], struct error *err)
{
    const struct call call = { GEMM, dtype, *gemm, .operand = { operand[0], operand[1], operand[2] } };
    return call_make(library, session, queue, &call, err);
}

bool clblast_counts(const char *what, double elements, struct error *err)
{
    if (elements <= INT_MAX)
        return true;
    return fail(err, STATUS_UNSUPPORTED, "%s of %.0f elements, CLBlast's limit is %d", what, elements, INT_MAX);
}

/* Limits that the library does not check, or reports without the size. Operands are added up, since gemm may copy all
 * of them into one buffer. */
static bool call_fits(const struct call *call, const struct session *session, const struct problem *problem,
                      struct error *err)
{
    struct operand operand[OPERANDS_MAX];
    unsigned operands = problem->workload->operands(problem, operand);
    double elements = 0;
    for (unsigned i = 0; i < operands; i++)
        elements += (double)operand[i].count;
    if (!clblast_counts("operands", elements, err))
        return false;
    if (call->function != CONVGEMM)
        return true;
    /* convgemm first copies the patches of all images into one matrix of CRS x NPQ elements. */
    const double taps = (double)(problem->dim[CONV_C] * problem->dim[CONV_R] * problem->dim[CONV_S]);
    const double patches = taps * (double)operand[2].count / (double)problem->dim[CONV_K];
    const double bytes = patches * (double)dtype_bytes(problem->dtype);
    if (bytes > (double)session->largest_buffer)
        return fail(err, STATUS_NO_MEMORY, "%s allocates a buffer of %.0f bytes, the device allows %llu",
                    symbols[CONVGEMM][call->dtype], bytes, (unsigned long long)session->largest_buffer);
    return clblast_counts("a matrix of patches", patches, err);
}

struct clblast_work {
    struct session *session;
    struct clblast library;
    struct call call;
};

/* CLBlast returns the event of the last of up to four kernels. It shows whether the run succeeded, not how long it
 * took. */
static bool call_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    struct clblast_work *work = context;
    if (span)
        *span = (struct span){ NAN, NAN };
    return call_make(&work->library, work->session, queue, &work->call, err);
}

/* Ends with a first run on the operands: CLBlast compiles when it is called, drivers compile when a kernel is launched
 * with a new group size, and the sizes decide which kernels are used. */
static bool call_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                      struct error *err)
{
    struct clblast_work *work = context;
    struct call *call = &work->call;
    const struct problem *problem = job->problem;
    const bool is_conv = strcmp(problem->workload->name, "conv") == 0, is_tf32 = problem->dtype == DTYPE_TF32;
    work->session = session;
    call->function = is_conv ? CONVGEMM : strcmp(job->method->name, "clblast-gemv") == 0 ? GEMV : GEMM;
    call->dtype = is_tf32 ? DTYPE_F32 : problem->dtype;
    if (call->dtype > DTYPE_F16)
        return fail(err, STATUS_UNSUPPORTED, "CLBlast has no %s in %s", problem->workload->name,
                    dtype_name(problem->dtype));
    memcpy(call->dim, problem->dim, sizeof call->dim);
    if (!is_conv)
        call->gemm = gemm_of_matmul(problem);
    if (!call_fits(call, session, problem, err) || !opencl_operands(session, job, call->operand, err) ||
        !clblast_open(&work->library, session, detail, err))
        return false;
    text_append(detail, DETAIL_MAX, "%s",
                is_tf32                    ? ", computed in f32"
                : call->dtype == DTYPE_F16 ? ", sums in f16"
                                           : "");
    return routine_run(call_submit, work, opencl_finish, session, err);
}

const struct routine opencl_clblast = {
    "matmul", { "clblast", "clblast-gemv" }, sizeof(struct clblast_work), call_open, .submit = call_submit
};
const struct routine opencl_clblast_conv = {
    "conv", { "clblast" }, sizeof(struct clblast_work), call_open, .submit = call_submit
};
