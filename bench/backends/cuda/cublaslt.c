#include "bench/backends/cuda/cublaslt.h"

#include "harness/base/loader.h"

#include <stdio.h>

/* Matrix multiplication by cuBLASLt. cuBLAS takes the first algorithm that the heuristics name. Here each of the first
 * ones is a kernel shape, named by its rank. */

LIBRARY_DEFINE(cublaslt_names, CUBLASLT_CALLS)

enum { WORKSPACE_BYTES = 32 << 20 };

/* What the tasks of a session share. */
enum { B_TRANSPOSED, WORKSPACE };

struct cublaslt_session {
    struct cublaslt call;
    struct cuda_found found; /* cuBLAS, which it was loaded with */
    struct cublaslt_handle *handle;
};

/* A multiplication bound to its operands. A row-major C = A B is a column-major C' = B' A' of the same arrays. */
struct cublaslt_work {
    struct session *session;
    const struct cublas_arithmetic *how;
    const struct cublaslt_session *lt;
    struct cublaslt_operation *operation;
    struct cublaslt_layout *a, *b, *c;
    /* Of i8 the library has kernels on matrix units only where B is transposed. The layout of B as it is given, and its
     * address; NULL in other types. */
    struct cublaslt_transform *transform;
    struct cublaslt_layout *given;
    uint64_t given_address;
    struct cublaslt_answer answer[CUDA_ALGORITHMS_MAX];
    int answers;
    const uint64_t *algorithm; /* of the answer in use */
    struct scratch_buffer *scratch[SCRATCH_MAX];
    uint64_t address[OPERANDS_MAX]; /* of what it multiplies */
};

/* The library was loaded with cuBLAS, and stays loaded with it. */
static bool library_open(void *library, struct session *session, struct error *err)
{
    struct cublaslt_session *lt = library;
    char file[32];
    if (!cuda_library_load(CUDA_CUBLAS, &session->target, &lt->found, err))
        return false;
    snprintf(file, sizeof file, "libcublasLt.so.%u", lt->found.cuda);
    void *handle = loader_find(file);
    if (!handle)
        return fail_in(err, "dlopen", STATUS_UNSUPPORTED,
                       "cuBLAS was loaded without %s: install both from the same package", file);
    const bool is_bound = library_bind(handle, "cuBLASLt", LIBRARY_NAMES(cublaslt_names), &lt->call, err);
    loader_close(handle);
    return is_bound && cublaslt_call(lt, err, create, &lt->handle);
}

static void library_close(void *library)
{
    const struct cublaslt_session *lt = library;
    if (lt->handle)
        CUBLASLT(lt, destroy, lt->handle);
}

/* That of the session, loaded and started at first use. NULL with err. */
static const struct cublaslt_session *cublaslt_session_of(struct session *session, struct error *err)
{
    return cuda_share(session, CUDA_CUBLAS, sizeof(struct cublaslt_session), library_open, library_close, err);
}

/* B, k x n and row-major, for a library that counts by columns. */
static bool transposed_open(struct cublaslt_work *work, struct gemm *gemm, struct error *err)
{
    const int32_t transposed = CUBLAS_TRANSPOSED;
    const struct cublaslt_session *lt = work->lt;
    struct scratch_pool *pool = &work->session->scratch;
    if (gemm->n % 4 != 0 || gemm->k % 4 != 0)
        return fail(err, STATUS_UNSUPPORTED, "cuBLAS multiplies i8 only where n and k are multiples of 4");
    if (!cublaslt_call(lt, err, transform_open, &work->transform, CUBLAS_FLOAT) ||
        !cublaslt_call(lt, err, transform_set, work->transform, CUBLASLT_TRANSPOSES, &transposed, sizeof transposed) ||
        !cublaslt_call(lt, err, layout_open, &work->given, CUBLAS_BYTE, (uint64_t)gemm->n, (uint64_t)gemm->k, gemm->n))
        return false;
    work->given_address = work->address[1];
    work->scratch[B_TRANSPOSED] = scratch_share(pool, B_TRANSPOSED, work->given_address,
                                                (size_t)gemm->n * (size_t)gemm->k, work->session, cuda_alloc, err);
    if (!work->scratch[B_TRANSPOSED])
        return false;
    work->address[1] = work->scratch[B_TRANSPOSED]->buffer->address;
    *gemm = gemm_make(gemm->m, gemm->n, gemm->k, false, true);
    return true;
}

static unsigned cublaslt_repacks(const void *context)
{
    const struct cublaslt_work *work = context;
    return work->scratch[B_TRANSPOSED] ? 1u << 1 : 0;
}

static bool cublaslt_repack(void *context, unsigned operand, enum repack_way way, struct error *err)
{
    static const float one = 1, zero = 0;
    const struct cublaslt_work *work = context;
    const bool is_in = way == REPACK_IN;
    const uint64_t given = work->given_address, kept = work->address[1];
    struct cuda_stream *stream = cuda_queue(work->session, 0, err);
    return stream && cublaslt_call(work->lt, err, transform, work->lt->handle, work->transform, &one,
                                   is_in ? given : kept, is_in ? work->given : work->b, &zero, 0, NULL,
                                   is_in ? kept : given, is_in ? work->b : work->given, stream);
}

static bool problem_describe(struct cublaslt_work *work, const struct gemm *gemm, struct error *err)
{
    const struct cublas_arithmetic *how = work->how;
    const int32_t way = gemm->b_is_transposed ? CUBLAS_TRANSPOSED : CUBLAS_AS_IT_IS;
    const uint64_t b_rows = (uint64_t)(gemm->b_is_transposed ? gemm->k : gemm->n),
                   b_columns = (uint64_t)(gemm->b_is_transposed ? gemm->n : gemm->k);
    const struct cublaslt_session *lt = work->lt;
    return cublaslt_call(lt, err, operation_open, &work->operation, (int)how->compute, how->scale) &&
           cublaslt_call(lt, err, operation_set, work->operation, CUBLASLT_FIRST_IS_TRANSPOSED, &way, sizeof way) &&
           cublaslt_call(lt, err, layout_open, &work->a, (int)how->type, (uint64_t)gemm->k, (uint64_t)gemm->m,
                         gemm->k) &&
           cublaslt_call(lt, err, layout_open, &work->b, (int)how->type, b_rows, b_columns, gemm->b_pitch) &&
           cublaslt_call(lt, err, layout_open, &work->c, cublas_result(how), (uint64_t)gemm->n, (uint64_t)gemm->m,
                         gemm->n);
}

/* Sums of parts of k are never kept in the type of the operands. */
static bool heuristics_ask(struct cublaslt_work *work, struct error *err)
{
    const struct cublaslt_session *lt = work->lt;
    const uint64_t most = WORKSPACE_BYTES;
    const uint32_t reductions = CUBLASLT_SUMS_IN_THEIR_OWN_TYPE;
    struct cublaslt_preference *preference = NULL;
    const bool ok =
        cublaslt_call(lt, err, preference_open, &preference) &&
        cublaslt_call(lt, err, preference_set, preference, CUBLASLT_MOST_WORKSPACE, &most, sizeof most) &&
        cublaslt_call(lt, err, preference_set, preference, CUBLASLT_REDUCTIONS, &reductions, sizeof reductions) &&
        cublaslt_call(lt, err, heuristics, lt->handle, work->operation, work->b, work->a, work->c, work->c, preference,
                      CUDA_ALGORITHMS_MAX, work->answer, &work->answers);
    if (preference)
        CUBLASLT(lt, preference_close, preference);
    return ok;
}

static bool cublaslt_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    static const double zero = 0; /* the same bits in each type */
    struct cublaslt_work *work = context;
    const void *one = cublas_one(work->how);
    const struct buffer *workspace = work->scratch[WORKSPACE]->buffer;
    struct cuda_stream *stream = cuda_span_begin(work->session, queue, span, err);
    return stream &&
           cublaslt_call(work->lt, err, matmul, work->lt->handle, work->operation, one, work->address[1], work->b,
                         work->address[0], work->a, &zero, work->address[2], work->c, work->address[2], work->c,
                         work->algorithm, workspace->address, workspace->bytes, stream) &&
           cuda_span_end(work->session, queue, span, err);
}

static bool product_open(struct cublaslt_work *work, struct session *session, const struct problem *problem,
                         struct error *err)
{
    struct gemm gemm = gemm_of_matmul(problem);
    work->session = session;
    work->how = &cublas_arithmetics[problem->dtype];
    work->lt = cublaslt_session_of(session, err);
    return work->lt && (problem->dtype != DTYPE_I8 || transposed_open(work, &gemm, err)) &&
           problem_describe(work, &gemm, err) && heuristics_ask(work, err);
}

static bool cublaslt_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                          struct error *err)
{
    struct cublaslt_work *work = context;
    cuda_operands(job, work->address);
    if (!product_open(work, session, job->problem, err))
        return false;
    if ((int)job->kernel_shape >= work->answers)
        return fail(err, STATUS_UNSUPPORTED, "the heuristics of cuBLASLt name no algorithm for this size and type");
    work->algorithm = work->answer[job->kernel_shape].algorithm;
    if (!cublas_check_answer(work->answer[job->kernel_shape].state, cublaslt_names.heuristics, err))
        return false;
    work->scratch[WORKSPACE] =
        scratch_share(&session->scratch, WORKSPACE, 0, WORKSPACE_BYTES, session, cuda_alloc, err);
    if (!work->scratch[WORKSPACE])
        return false;
    cublas_detail(detail, "cuBLASLt", job->problem->dtype, session, &work->lt->found);
    return routine_run(cublaslt_submit, work, cuda_finish, session, err);
}

static void cublaslt_close(void *context)
{
    struct cublaslt_work *work = context;
    struct cublaslt_layout *const layout[] = { work->a, work->b, work->c, work->given };
    for (unsigned i = 0; i < sizeof layout / sizeof *layout; i++)
        if (layout[i])
            CUBLASLT(work->lt, layout_close, layout[i]);
    if (work->operation)
        CUBLASLT(work->lt, operation_close, work->operation);
    if (work->transform)
        CUBLASLT(work->lt, transform_close, work->transform);
    scratch_give(&work->session->scratch, work->scratch, work->session, cuda_release);
}

static unsigned cublaslt_shapes(struct session *session, const struct problem *problem, const struct method *method,
                                char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX])
{
    struct cublaslt_work work = { .answers = 0 };
    unsigned count = 0;
    (void)method;
    if (product_open(&work, session, problem, NULL))
        for (; (int)count < work.answers && count < CUDA_ALGORITHMS_MAX; count++)
            snprintf(name[count], KERNEL_SHAPE_MAX, "algorithm %u", count + 1);
    cublaslt_close(&work);
    return count;
}

const struct routine cuda_cublaslt = { .workload = { "matmul" },
                                       .method = { "cublaslt" },
                                       .bytes = sizeof(struct cublaslt_work),
                                       .open = cublaslt_open,
                                       .submit = cublaslt_submit,
                                       .close = cublaslt_close,
                                       .repacks = cublaslt_repacks,
                                       .repack = cublaslt_repack,
                                       .kernel_shapes = cublaslt_shapes };
