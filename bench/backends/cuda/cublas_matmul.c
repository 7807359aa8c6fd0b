#include "bench/backends/cuda/cublaslt.h"

/* One multiplication by cuBLAS. */

struct matmul_work {
    struct cublaslt_transposed b_transposed;
    struct cublas_session cublas;
    struct gemm gemm;
    uint64_t operand[OPERANDS_MAX];
};

static bool matmul_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    struct matmul_work *work = context;
    struct session *session = work->cublas.session;
    return cuda_span_begin(session, queue, span, err) && cublas_gemm(&work->cublas, &work->gemm, work->operand, err) &&
           cuda_span_end(session, queue, span, err);
}

static void matmul_close(void *context)
{
    struct matmul_work *work = context;
    cublaslt_transposed_close(&work->b_transposed);
    cublas_close(&work->cublas);
}

static bool matmul_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                        struct error *err)
{
    struct matmul_work *work = context;
    work->gemm = gemm_of_matmul(job->problem);
    cuda_operands(job, work->operand);
    const enum dtype dtype = job->problem->dtype;
    return cublaslt_transposed_open(&work->b_transposed, session, dtype, &work->gemm, &work->operand[1], err) &&
           cublas_open(&work->cublas, session, dtype, &work->gemm, 1, detail, err) &&
           routine_run(matmul_submit, work, cuda_finish, session, err);
}

const struct routine cuda_cublas = { .workload = "matmul",
                                     .method = { "cublas" },
                                     .bytes = sizeof(struct matmul_work),
                                     .open = matmul_open,
                                     .submit = matmul_submit,
                                     .close = matmul_close,
                                     .repacks = cublaslt_repacks,
                                     .repack = cublaslt_repack };
