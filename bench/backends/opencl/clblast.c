#include "bench/backends/opencl/clblast.h"

#include "harness/base/library.h"
#include "harness/base/text.h"
#include "kernels/conv_dims.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char soname[] = "libclblast.so.1";

static const struct library_symbol symbols[] = {
    { "CLBlastSgemm", offsetof(struct clblast, sgemm) },
    { "CLBlastDgemm", offsetof(struct clblast, dgemm) },
    { "CLBlastHgemm", offsetof(struct clblast, hgemm) },
    { "CLBlastSgemv", offsetof(struct clblast, sgemv) },
    { "CLBlastDgemv", offsetof(struct clblast, dgemv) },
    { "CLBlastHgemv", offsetof(struct clblast, hgemv) },
    { "CLBlastSconvgemm", offsetof(struct clblast, convgemm[DTYPE_F32]) },
    { "CLBlastDconvgemm", offsetof(struct clblast, convgemm[DTYPE_F64]) },
    { "CLBlastHconvgemm", offsetof(struct clblast, convgemm[DTYPE_F16]) },
    { 0 },
};

/* The library has no call for its version. The file behind the links names it, "libclblast.so.1.5.3"; without such a
 * link, the version of the headers is shown, which may differ. */
static void library_name(void *handle, char *to, size_t room)
{
    struct link_map *map = NULL;
    char real[PATH_MAX];
    const char *file = NULL, *version = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && realpath(map->l_name, real))
        file = strrchr(real, '/');
    if (file)
        version = strstr(file, ".so.");
    if (version && strchr(version + strlen(".so."), '.'))
        snprintf(to, room, "CLBlast %s", version + strlen(".so."));
    else
        snprintf(to, room, "CLBlast (headers %d.%d.%d)", CLBLAST_VERSION_MAJOR, CLBLAST_VERSION_MINOR,
                 CLBLAST_VERSION_PATCH);
}

static void clblast_clear_cache(void)
{
    void *handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!handle)
        return;
    __typeof__(&CLBlastClearCache) clear_cache;
    void *address = dlsym(handle, "CLBlastClearCache");
    memcpy(&clear_cache, &address, sizeof address);
    if (clear_cache)
        CALL("CLBlastClearCache", clear_cache());
    dlclose(handle); /* the reference that dlopen has just taken */
}

bool clblast_open(struct clblast *out, struct session *session, char detail[DETAIL_MAX], struct error *err)
{
    static const char *const sonames[] = { soname, NULL };
    void *handle = library_load(sonames, "libclblast1", err);
    if (!handle || !library_bind(handle, soname, symbols, out, err))
        return false;
    library_name(handle, detail, DETAIL_MAX);
    session->clear_cache = clblast_clear_cache;
    return true;
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

/* Records the answer of a call of CLBlast. False with the meaning of its code. */
static bool call_enqueued(struct session *session, unsigned queue, const char *routine, CLBlastStatusCode code,
                          struct error *err)
{
    return code == CLBlastSuccess ? opencl_enqueued(session, queue, routine, CL_SUCCESS, err)
                                  : clblast_fail(err, routine, code);
}

/* A routine of CLBlast bound to its operands. */
struct clblast_work {
    struct session *session;
    const struct call *call;
    struct clblast library;
    struct problem problem;
    cl_mem operand[OPERANDS_MAX];
};

/* A routine for a workload, a method and an element type. */
struct call {
    const char *workload, *method;
    enum dtype dtype;
    const char *name;
    CLBlastStatusCode (*make)(const struct clblast_work *work, cl_command_queue *queue, cl_event *event);
    /* Elements of the matrix of patches that it allocates; NULL: it allocates none. */
    double (*patches)(const struct problem *problem);
};

static size_t dim(const struct clblast_work *work, unsigned place)
{
    return (size_t)work->problem.dim[place];
}

/* C = A B; `one` and `zero` as the element type has them. */
#define GEMM(name, one, zero)                                                                                          \
    static CLBlastStatusCode name(const struct clblast *library, const struct gemm *gemm, const cl_mem operand[3],     \
                                  cl_command_queue *queue, cl_event *event)                                            \
    {                                                                                                                  \
        return library->name(CLBlastLayoutRowMajor, gemm->a_is_transposed ? CLBlastTransposeYes : CLBlastTransposeNo,  \
                             gemm->b_is_transposed ? CLBlastTransposeYes : CLBlastTransposeNo, (size_t)gemm->m,        \
                             (size_t)gemm->n, (size_t)gemm->k, one, operand[0], 0, (size_t)gemm->a_pitch, operand[1],  \
                             0, (size_t)gemm->b_pitch, zero, operand[2], 0, (size_t)gemm->c_pitch, queue, event);      \
    }
GEMM(sgemm, 1, 0)
GEMM(dgemm, 1, 0)
GEMM(hgemm, 0x3c00, 0)

/* Of a type. */
static const struct {
    const char *name;
    CLBlastStatusCode (*make)(const struct clblast *library, const struct gemm *gemm, const cl_mem operand[3],
                              cl_command_queue *queue, cl_event *event);
} gemms[DTYPE_COUNT] = {
    [DTYPE_F32] = { "CLBlastSgemm", sgemm },
    [DTYPE_F64] = { "CLBlastDgemm", dgemm },
    [DTYPE_F16] = { "CLBlastHgemm", hgemm },
};

bool clblast_gemm(const struct clblast *library, struct session *session, unsigned queue, enum dtype dtype,
                  const struct gemm *gemm, const cl_mem operand[3], struct error *err)
{
    cl_event *event = opencl_command(session, queue, err);
    if (!event)
        return false;
    cl_command_queue handle = session->queue[queue].handle;
    const CLBlastStatusCode code = CALL(gemms[dtype].name, gemms[dtype].make(library, gemm, operand, &handle, event));
    return call_enqueued(session, queue, gemms[dtype].name, code, err);
}

static CLBlastStatusCode matmul(const struct clblast_work *work, cl_command_queue *queue, cl_event *event)
{
    const struct gemm gemm = gemm_of_matmul(&work->problem);
    return gemms[work->call->dtype].make(&work->library, &gemm, work->operand, queue, event);
}

/* CLBlast's gemv adds to the result what was there times 0, which is no number if that was none. */
static bool result_clear(const struct clblast_work *work, cl_command_queue queue, struct error *err)
{
    const uint64_t zero = 0;
    const struct gemm gemm = gemm_of_matmul(&work->problem);
    const size_t element = dtype_bytes(work->call->dtype), bytes = (size_t)(gemm.m * gemm.n) * element;
    if (strcmp(work->call->method, "clblast-gemv") != 0)
        return true;
    return cl_call(err, clEnqueueFillBuffer, queue, work->operand[2], &zero, element, 0, bytes, 0, NULL, NULL);
}

/* The same with one column or one row: A B, or B transposed times the row. */
#define GEMV(gemv, one, zero)                                                                                          \
    static CLBlastStatusCode gemv(const struct clblast_work *work, cl_command_queue *queue, cl_event *event)           \
    {                                                                                                                  \
        const struct gemm gemm = gemm_of_matmul(&work->problem);                                                       \
        const size_t m = (size_t)gemm.m, n = (size_t)gemm.n, k = (size_t)gemm.k;                                       \
        const bool is_row = n > 1;                                                                                     \
        return work->library.gemv(CLBlastLayoutRowMajor, is_row ? CLBlastTransposeYes : CLBlastTransposeNo,            \
                                  is_row ? k : m, is_row ? n : k, one, work->operand[is_row], 0, is_row ? n : k,       \
                                  work->operand[!is_row], 0, 1, zero, work->operand[2], 0, 1, queue, event);           \
    }
GEMV(sgemv, 1, 0)
GEMV(dgemv, 1, 0)
GEMV(hgemv, 0x3c00, 0)

static CLBlastStatusCode convgemm(const struct clblast_work *work, cl_command_queue *queue, cl_event *event)
{
    const size_t pad = dim(work, CONV_PAD), stride = dim(work, CONV_STRIDE);
    return work->library.convgemm[work->call->dtype](
        CLBlastKernelModeCrossCorrelation, dim(work, CONV_C), dim(work, CONV_H), dim(work, CONV_W), dim(work, CONV_R),
        dim(work, CONV_S), pad, pad, stride, stride, 1, 1, dim(work, CONV_K), dim(work, CONV_N), work->operand[0], 0,
        work->operand[1], 0, work->operand[2], 0, queue, event);
}

/* convgemm first copies the patches of all images into one matrix of CRS x NPQ elements. */
static double conv_patches(const struct problem *problem)
{
    struct operand operand[OPERANDS_MAX];
    problem->workload->operands(problem, operand);
    const double taps = (double)(problem->dim[CONV_C] * problem->dim[CONV_R] * problem->dim[CONV_S]);
    return taps * (double)operand[2].count / (double)problem->dim[CONV_K];
}

/* Those of f32 are for tf32, too. The routines for f16 refuse a device without cl_khr_fp16 before they compile
 * anything. */
static const struct call calls[] = {
    { "matmul", "clblast", DTYPE_F32, "CLBlastSgemm", matmul, NULL },
    { "matmul", "clblast", DTYPE_F64, "CLBlastDgemm", matmul, NULL },
    { "matmul", "clblast", DTYPE_F16, "CLBlastHgemm", matmul, NULL },
    { "matmul", "clblast-gemv", DTYPE_F32, "CLBlastSgemv", sgemv, NULL },
    { "matmul", "clblast-gemv", DTYPE_F64, "CLBlastDgemv", dgemv, NULL },
    { "matmul", "clblast-gemv", DTYPE_F16, "CLBlastHgemv", hgemv, NULL },
    { "conv", "clblast", DTYPE_F32, "CLBlastSconvgemm", convgemm, conv_patches },
    { "conv", "clblast", DTYPE_F64, "CLBlastDconvgemm", convgemm, conv_patches },
    { "conv", "clblast", DTYPE_F16, "CLBlastHconvgemm", convgemm, conv_patches },
};

static const struct call *call_find(const struct problem *problem, const char *method)
{
    const enum dtype dtype = problem->dtype == DTYPE_TF32 ? DTYPE_F32 : problem->dtype;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].workload, problem->workload->name) == 0 && strcmp(calls[i].method, method) == 0 &&
            calls[i].dtype == dtype)
            return &calls[i];
    return NULL;
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
    if (!call->patches)
        return true;
    double patches = call->patches(problem), bytes = patches * (double)dtype_bytes(problem->dtype);
    if (bytes > (double)session->largest_buffer)
        return fail(err, STATUS_NO_MEMORY, "%s allocates a buffer of %.0f bytes, the device allows %llu", call->name,
                    bytes, (unsigned long long)session->largest_buffer);
    return clblast_counts("a matrix of patches", patches, err);
}

/* CLBlast returns the event of the last of up to four kernels. It shows whether the run succeeded, not how long it
 * took. */
static bool call_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    struct clblast_work *work = context;
    if (span)
        *span = (struct span){ NAN, NAN };
    cl_event *event = opencl_command(work->session, queue, err);
    if (!event)
        return false;
    cl_command_queue handle = work->session->queue[queue].handle;
    if (!result_clear(work, handle, err))
        return false;
    CLBlastStatusCode code = CALL(work->call->name, work->call->make(work, &handle, event));
    return call_enqueued(work->session, queue, work->call->name, code, err);
}

/* Ends with a first run on the operands: CLBlast compiles when it is called, drivers compile when a kernel is launched
 * with a new group size, and the sizes decide which kernels are used. */
static bool call_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                      struct error *err)
{
    struct clblast_work *work = context;
    const struct call *call = call_find(job->problem, job->method->name);
    if (!call)
        return fail(err, STATUS_UNSUPPORTED, "CLBlast has no %s in %s", job->problem->workload->name,
                    dtype_name(job->problem->dtype));
    work->session = session;
    work->call = call;
    work->problem = *job->problem;
    if (!call_fits(call, session, job->problem, err) || !opencl_operands(session, job, work->operand, err) ||
        !clblast_open(&work->library, session, detail, err))
        return false;
    if (job->problem->dtype == DTYPE_TF32)
        text_append(detail, DETAIL_MAX, ", computed in f32");
    else if (job->problem->dtype == DTYPE_F16)
        text_append(detail, DETAIL_MAX, ", sums in f16");
    return routine_run(call_submit, work, opencl_finish, session, err);
}

const struct routine opencl_clblast = {
    "matmul", { "clblast", "clblast-gemv" }, sizeof(struct clblast_work), call_open, call_submit, NULL, NULL, NULL
};
const struct routine opencl_clblast_conv = { "conv",    { "clblast" }, sizeof(struct clblast_work),
                                             call_open, call_submit,   NULL,
                                             NULL,      NULL };
