#include "bench/backends/cuda/cublas.h"
#include "bench/backends/cuda/portable.h"
#include "harness/base/text.h"

/* A step of training by cuBLAS's gemm, which reads transposed operands in place, and a kernel of our own after each of
 * its calls. The stream runs them in order, so nothing waits in between. */

struct train_work {
    struct cublas_session cublas;
    struct cuda_portable_work passes;
    struct gemm gemm[TRAIN_PRODUCTS];
};

static void train_close(void *context)
{
    struct train_work *work = context;
    cuda_portable.close(&work->passes);
    cublas_close(&work->cublas);
}

/* Of the operands, and after them the scratch of the kernels. */
static uint64_t array_of(const struct train_work *work, unsigned array)
{
    const struct cuda_portable_work *passes = &work->passes;
    return array < TRAIN_OPERANDS ? passes->address[array] : passes->scratch[array - TRAIN_OPERANDS]->buffer->address;
}

static bool train_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    struct train_work *work = context;
    struct session *session = work->passes.session;
    if (!cuda_span_begin(session, queue, span, err))
        return false;
    for (unsigned i = 0; i < TRAIN_PRODUCTS; i++) {
        const struct train_product *product = &train_products[i];
        const uint64_t operand[] = { array_of(work, product->a), array_of(work, product->b),
                                     array_of(work, product->c) };
        if (!cublas_gemm(&work->cublas, &work->gemm[i], operand, err) ||
            !cuda_pass_submit(&work->passes, queue, i, err))
            return false;
    }
    return cuda_span_end(session, queue, span, err);
}

static bool train_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                       struct error *err)
{
    struct train_work *work = context;
    char kernels[DETAIL_MAX];
    work->cublas.session = work->passes.session = session;
    gemm_of_train(job->problem, work->gemm);
    if (!cublas_open(&work->cublas, session, job->problem->dtype, work->gemm, TRAIN_PRODUCTS, detail, err) ||
        !cuda_portable.open(&work->passes, session, job, kernels, err))
        return false;
    text_append(detail, DETAIL_MAX, ", %s", kernels);
    return routine_run(train_submit, work, cuda_finish, session, err);
}

const struct routine cuda_cublas_train = { "train",    { "cublas" },           sizeof(struct train_work),
                                           train_open, .submit = train_submit, .close = train_close };
