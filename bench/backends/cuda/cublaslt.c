#include "bench/backends/cuda/cublaslt.h"

#include "bench/backends/cuda/choice.h"

#include <dlfcn.h>
#include <stdio.h>

/* Matrix multiplication by cuBLASLt in the types of tensor cores. cuBLAS takes the first algorithm that the heuristics
 * name. Here each of the first eight is measured, and the fastest is used; the first stays where none is clearly
 * faster. */

LIBRARY_DEFINE(cublaslt_names, CUBLASLT_CALLS)

enum { WORKSPACE = 32 << 20 };

/* A multiplication bound to its operands. A row-major C = A B is a column-major C' = B' A' of the same arrays. */
struct cublaslt_work {
    struct session *session;
    struct cublaslt call;
    struct cublaslt_handle *handle;
    struct cublaslt_operation *operation;
    struct cublaslt_layout *a, *b, *c;
    struct cublaslt_answer answer[CHOICE_MAX];
    int chosen; /* the answer in use */
    struct buffer *workspace;
    uint64_t address[3];
};

/* The library was loaded with cuBLAS, and stays loaded with it. */
static bool library_open(struct cublaslt_work *work, struct cuda_found *found, struct error *err)
{
    char file[32];
    if (!cuda_library_load(CUDA_CUBLAS, &work->session->target, found, err))
        return false;
    snprintf(file, sizeof file, "libcublasLt.so.%u", found->cuda);
    void *library = dlopen(file, RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return fail_in(err, "dlopen", STATUS_UNSUPPORTED,
                       "cuBLAS was loaded without %s: install both from the same package", file);
    const bool is_bound = library_bind(library, "cuBLASLt", LIBRARY_NAMES(cublaslt_names), &work->call, err);
    dlclose(library);
    return is_bound;
}

static bool problem_open(struct cublaslt_work *work, const struct problem *problem, struct error *err)
{
    const struct cublas_arithmetic *how = &cublas_arithmetics[problem->dtype];
    const struct gemm gemm = gemm_of_matmul(problem);
    const struct cublaslt *call = &work->call;
    return cublaslt_call(call, err, create, &work->handle) &&
           cublaslt_call(call, err, operation_open, &work->operation, (int)how->compute, CUBLAS_FLOAT) &&
           cublaslt_call(call, err, layout_open, &work->a, (int)how->type, (uint64_t)gemm.k, (uint64_t)gemm.m,
                         gemm.k) &&
           cublaslt_call(call, err, layout_open, &work->b, (int)how->type, (uint64_t)gemm.n, (uint64_t)gemm.k,
                         gemm.n) &&
           cublaslt_call(call, err, layout_open, &work->c, (int)how->type, (uint64_t)gemm.n, (uint64_t)gemm.m, gemm.n);
}

/* Sums of parts of k are never kept in the type of the operands. */
static bool heuristics_ask(struct cublaslt_work *work, int *count, struct error *err)
{
    const struct cublaslt *call = &work->call;
    const uint64_t most = WORKSPACE;
    const uint32_t reductions = CUBLASLT_SUMS_IN_THEIR_OWN_TYPE;
    struct cublaslt_preference *preference = NULL;
    const bool ok =
        cublaslt_call(call, err, preference_open, &preference) &&
        cublaslt_call(call, err, preference_set, preference, CUBLASLT_MOST_WORKSPACE, &most, sizeof most) &&
        cublaslt_call(call, err, preference_set, preference, CUBLASLT_REDUCTIONS, &reductions, sizeof reductions) &&
        cublaslt_call(call, err, heuristics, work->handle, work->operation, work->b, work->a, work->c, work->c,
                      preference, CHOICE_MAX, work->answer, count);
    if (preference)
        CUBLASLT(call, preference_close, preference);
    return ok;
}

static bool cublaslt_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    static const float one = 1, zero = 0;
    struct cublaslt_work *work = context;
    struct cuda_stream *stream = cuda_span_begin(work->session, queue, span, err);
    return stream &&
           cublaslt_call(&work->call, err, matmul, work->handle, work->operation, &one, work->address[1], work->b,
                         work->address[0], work->a, &zero, work->address[2], work->c, work->address[2], work->c,
                         work->answer[work->chosen].algorithm, work->workspace->address, work->workspace->bytes,
                         stream) &&
           cuda_span_end(work->session, queue, span, err);
}

static bool answer_try(void *context, unsigned number, double *seconds, struct error *err)
{
    struct cublaslt_work *work = context;
    const int state = work->answer[number].state;
    work->chosen = (int)number;
    return cublas_check_answer(state, cublaslt_names.heuristics, err) &&
           choice_measure(work->session, cublaslt_submit, work, seconds, err);
}

static bool answer_choose(struct cublaslt_work *work, const struct job *job, struct error *err)
{
    struct choice choice = { .attempt = answer_try, .work = work };
    int count = 0;
    if (!heuristics_ask(work, &count, err))
        return false;
    if (count <= 0)
        return fail(err, STATUS_UNSUPPORTED, "the heuristics of cuBLASLt name no algorithm for this size and type");
    for (; choice.count < (unsigned)count && choice.count < CHOICE_MAX; choice.count++)
        snprintf(choice.name[choice.count], KERNEL_SHAPE_MAX, "algorithm %u", choice.count + 1);
    work->chosen = choice_make(&choice, job, err);
    return work->chosen >= 0;
}

static bool cublaslt_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                          struct error *err)
{
    struct cublaslt_work *work = context;
    struct cuda_found found;
    uint64_t operand[OPERANDS_MAX];
    work->session = session;
    cuda_operands(job, operand);
    for (unsigned i = 0; i < 3; i++)
        work->address[i] = operand[i];
    if (!library_open(work, &found, err) || !problem_open(work, job->problem, err))
        return false;
    work->workspace = cuda_alloc(session, WORKSPACE, MEMORY_PAGEABLE, err);
    if (!work->workspace || !answer_choose(work, job, err))
        return false;
    cublas_detail(detail, "cuBLASLt", job->problem->dtype, session, &found);
    return true;
}

static void cublaslt_close(void *context)
{
    struct cublaslt_work *work = context;
    struct cublaslt_layout *const layout[] = { work->a, work->b, work->c };
    for (unsigned i = 0; i < 3; i++)
        if (layout[i])
            CUBLASLT(&work->call, layout_close, layout[i]);
    if (work->operation)
        CUBLASLT(&work->call, operation_close, work->operation);
    if (work->handle)
        CUBLASLT(&work->call, destroy, work->handle);
    cuda_release(work->session, work->workspace);
}

const struct routine cuda_cublaslt = {
    "matmul", { "cublaslt" }, sizeof(struct cublaslt_work), cublaslt_open, cublaslt_submit, cublaslt_close, NULL, NULL
};
