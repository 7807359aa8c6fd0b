#include "bench/backends/cuda/cublas.h"

/* One multiplication by cuBLAS. */

struct matmul_work {
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
    cublas_close(&work->cublas);
}

static bool matmul_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                        struct error *err)
{
    struct matmul_work *work = context;
    work->gemm = gemm_of_matmul(job->problem);
    cuda_operands(job, work->operand);
    if (dtype_is_whole(job->problem->dtype))
        return fail(err, STATUS_UNSUPPORTED, "in i8 cuBLAS uses matrix units only where B is transposed: see cublaslt");
    return cublas_open(&work->cublas, session, job->problem->dtype, &work->gemm, 1, detail, err) &&
           routine_run(matmul_submit, work, cuda_finish, session, err);
}

const struct routine cuda_cublas = {
    "matmul", { "cublas" }, sizeof(struct matmul_work), matmul_open, .submit = matmul_submit, .close = matmul_close
};
