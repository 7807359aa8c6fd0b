#include "bench/backends/cuda/cublaslt.h"

#include <dlfcn.h>
#include <stdio.h>

/* Matrix multiplication by cuBLASLt. cuBLAS takes the first algorithm that the heuristics name. Here each of the first
 * ones is a kernel shape, named by its rank. */

LIBRARY_DEFINE(cublaslt_names, CUBLASLT_CALLS)

enum { WORKSPACE_BYTES = 32 << 20 };

/* What the tasks of a session share. */
enum { B_TRANSPOSED, WORKSPACE };

/* A multiplication bound to its operands. A row-major C = A B is a column-major C' = B' A' of the same arrays. */
struct cublaslt_work {
    struct cublaslt_transposed b_transposed;
    struct session *session;
    const struct cublas_arithmetic *how;
    struct cublaslt call;
    struct cublaslt_handle *handle;
    struct cublaslt_operation *operation;
    struct cublaslt_layout *a, *b, *c;
    struct cublaslt_answer answer[CUDA_ALGORITHMS_MAX];
    int answers;
    const uint64_t *algorithm; /* of the answer in use */
    struct scratch_buffer *scratch[SCRATCH_MAX];
    uint64_t address[3];
};

/* The library was loaded with cuBLAS, and stays loaded with it. */
static bool library_open(struct cublaslt *out, const struct session *session, struct cuda_found *found,
                         struct error *err)
{
    char file[32];
    if (!cuda_library_load(CUDA_CUBLAS, &session->target, found, err))
        return false;
    snprintf(file, sizeof file, "libcublasLt.so.%u", found->cuda);
    void *library = dlopen(file, RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return fail_in(err, "dlopen", STATUS_UNSUPPORTED,
                       "cuBLAS was loaded without %s: install both from the same package", file);
    const bool is_bound = library_bind(library, "cuBLASLt", LIBRARY_NAMES(cublaslt_names), out, err);
    dlclose(library);
    return is_bound;
}

/* The layouts of B, k x n and row-major, for a library that counts by columns. */
static bool transposition_open(struct cublaslt_transposed *out, const struct gemm *gemm, struct error *err)
{
    const int32_t transposed = CUBLAS_TRANSPOSED;
    const struct cublaslt *call = &out->call;
    return cublaslt_call(call, err, create, &out->handle) &&
           cublaslt_call(call, err, transform_open, &out->transform, CUBLAS_FLOAT) &&
           cublaslt_call(call, err, transform_set, out->transform, CUBLASLT_TRANSPOSES, &transposed,
                         sizeof transposed) &&
           cublaslt_call(call, err, layout_open, &out->given, CUBLAS_BYTE, (uint64_t)gemm->n, (uint64_t)gemm->k,
                         gemm->n) &&
           cublaslt_call(call, err, layout_open, &out->kept, CUBLAS_BYTE, (uint64_t)gemm->k, (uint64_t)gemm->n,
                         gemm->k);
}

bool cublaslt_transposed_open(struct cublaslt_transposed *out, struct session *session, enum dtype dtype,
                              struct gemm *gemm, uint64_t *address, struct error *err)
{
    struct cuda_found found;
    *out = (struct cublaslt_transposed){ .session = session, .address = *address };
    if (dtype != DTYPE_I8)
        return true;
    if (!cublas_takes_bytes(gemm, err) || !library_open(&out->call, session, &found, err) ||
        !transposition_open(out, gemm, err))
        return false;
    out->scratch[B_TRANSPOSED] = scratch_share(&session->scratch, B_TRANSPOSED, *address,
                                               (size_t)gemm->n * (size_t)gemm->k, session, cuda_alloc, err);
    if (!out->scratch[B_TRANSPOSED])
        return false;
    *address = out->scratch[B_TRANSPOSED]->buffer->address;
    gemm->b_is_transposed = true;
    gemm->b_pitch = gemm->k;
    return true;
}

void cublaslt_transposed_close(struct cublaslt_transposed *transposed)
{
    const struct cublaslt *call = &transposed->call;
    if (transposed->given)
        CUBLASLT(call, layout_close, transposed->given);
    if (transposed->kept)
        CUBLASLT(call, layout_close, transposed->kept);
    if (transposed->transform)
        CUBLASLT(call, transform_close, transposed->transform);
    if (transposed->handle)
        CUBLASLT(call, destroy, transposed->handle);
    scratch_give(&transposed->session->scratch, transposed->scratch, transposed->session, cuda_release);
}

unsigned cublaslt_repacks(const void *work)
{
    const struct cublaslt_transposed *transposed = work;
    return transposed->scratch[B_TRANSPOSED] ? 1u << 1 : 0;
}

bool cublaslt_repack(void *work, unsigned operand, enum repack_way way, struct error *err)
{
    const struct cublaslt_transposed *transposed = work;
    static const float one = 1, zero = 0;
    const bool is_in = way == REPACK_IN;
    const uint64_t given = transposed->address, kept = transposed->scratch[B_TRANSPOSED]->buffer->address;
    struct cuda_stream *stream = cuda_queue(transposed->session, 0, err);
    return stream && cublaslt_call(&transposed->call, err, transform, transposed->handle, transposed->transform, &one,
                                   is_in ? given : kept, is_in ? transposed->given : transposed->kept, &zero, 0, NULL,
                                   is_in ? kept : given, is_in ? transposed->kept : transposed->given, stream);
}

static bool problem_describe(struct cublaslt_work *work, const struct gemm *gemm, struct error *err)
{
    const struct cublas_arithmetic *how = work->how;
    const int32_t way = gemm->b_is_transposed ? CUBLAS_TRANSPOSED : CUBLAS_AS_IT_IS;
    const uint64_t b_rows = (uint64_t)(gemm->b_is_transposed ? gemm->k : gemm->n),
                   b_columns = (uint64_t)(gemm->b_is_transposed ? gemm->n : gemm->k);
    const struct cublaslt *call = &work->call;
    return cublaslt_call(call, err, create, &work->handle) &&
           cublaslt_call(call, err, operation_open, &work->operation, (int)how->compute, how->scale) &&
           cublaslt_call(call, err, operation_set, work->operation, CUBLASLT_FIRST_IS_TRANSPOSED, &way, sizeof way) &&
           cublaslt_call(call, err, layout_open, &work->a, (int)how->type, (uint64_t)gemm->k, (uint64_t)gemm->m,
                         gemm->k) &&
           cublaslt_call(call, err, layout_open, &work->b, (int)how->type, b_rows, b_columns, gemm->b_pitch) &&
           cublaslt_call(call, err, layout_open, &work->c, cublas_result(how), (uint64_t)gemm->n, (uint64_t)gemm->m,
                         gemm->n);
}

/* Sums of parts of k are never kept in the type of the operands. */
static bool heuristics_ask(struct cublaslt_work *work, struct error *err)
{
    const struct cublaslt *call = &work->call;
    const uint64_t most = WORKSPACE_BYTES;
    const uint32_t reductions = CUBLASLT_SUMS_IN_THEIR_OWN_TYPE;
    struct cublaslt_preference *preference = NULL;
    const bool ok =
        cublaslt_call(call, err, preference_open, &preference) &&
        cublaslt_call(call, err, preference_set, preference, CUBLASLT_MOST_WORKSPACE, &most, sizeof most) &&
        cublaslt_call(call, err, preference_set, preference, CUBLASLT_REDUCTIONS, &reductions, sizeof reductions) &&
        cublaslt_call(call, err, heuristics, work->handle, work->operation, work->b, work->a, work->c, work->c,
                      preference, CUDA_ALGORITHMS_MAX, work->answer, &work->answers);
    if (preference)
        CUBLASLT(call, preference_close, preference);
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
           cublaslt_call(&work->call, err, matmul, work->handle, work->operation, one, work->address[1], work->b,
                         work->address[0], work->a, &zero, work->address[2], work->c, work->address[2], work->c,
                         work->algorithm, workspace->address, workspace->bytes, stream) &&
           cuda_span_end(work->session, queue, span, err);
}

static bool product_open(struct cublaslt_work *work, struct session *session, const struct problem *problem,
                         struct cuda_found *found, struct error *err)
{
    struct gemm gemm = gemm_of_matmul(problem);
    work->session = session;
    work->how = &cublas_arithmetics[problem->dtype];
    return library_open(&work->call, session, found, err) &&
           cublaslt_transposed_open(&work->b_transposed, session, problem->dtype, &gemm, &work->address[1], err) &&
           problem_describe(work, &gemm, err) && heuristics_ask(work, err);
}

static bool cublaslt_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                          struct error *err)
{
    struct cublaslt_work *work = context;
    struct cuda_found found;
    uint64_t operand[OPERANDS_MAX];
    cuda_operands(job, operand);
    for (unsigned i = 0; i < 3; i++)
        work->address[i] = operand[i];
    if (!product_open(work, session, job->problem, &found, err))
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
    cublas_detail(detail, "cuBLASLt", job->problem->dtype, session, &found);
    return routine_run(cublaslt_submit, work, cuda_finish, session, err);
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
    cublaslt_transposed_close(&work->b_transposed);
    scratch_give(&work->session->scratch, work->scratch, work->session, cuda_release);
}

static unsigned cublaslt_shapes(struct session *session, const struct problem *problem, const struct method *method,
                                char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX])
{
    struct cublaslt_work work = { .answers = 0 };
    struct cuda_found found;
    unsigned count = 0;
    (void)method;
    if (product_open(&work, session, problem, &found, NULL))
        for (; (int)count < work.answers && count < CUDA_ALGORITHMS_MAX; count++)
            snprintf(name[count], KERNEL_SHAPE_MAX, "algorithm %u", count + 1);
    cublaslt_close(&work);
    return count;
}

const struct routine cuda_cublaslt = { .workload = "matmul",
                                       .method = { "cublaslt" },
                                       .bytes = sizeof(struct cublaslt_work),
                                       .open = cublaslt_open,
                                       .submit = cublaslt_submit,
                                       .close = cublaslt_close,
                                       .repacks = cublaslt_repacks,
                                       .repack = cublaslt_repack,
                                       .kernel_shapes = cublaslt_shapes };
