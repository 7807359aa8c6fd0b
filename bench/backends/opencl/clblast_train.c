#include "bench/backends/opencl/clblast.h"
#include "bench/backends/opencl/portable.h"
#include "harness/base/text.h"

#include <math.h>

/* A step of training by CLBlast's gemm, which reads transposed operands in place, and a kernel of our own after each of
 * its calls. The queue runs them in order, so nothing waits in between. */

struct train_work {
    struct clblast library;
    struct opencl_portable_work passes;
    enum dtype dtype;
    struct gemm gemm[TRAIN_PRODUCTS];
    cl_mem array[OPERANDS_MAX + SCRATCH_MAX]; /* operands, and after them the scratch of the kernels */
};

static void train_close(void *opaque)
{
    struct train_work *work = opaque;
    opencl_portable.close(&work->passes);
}

static bool products_bind(struct train_work *work, const struct job *job, struct error *err)
{
    if (!opencl_operands(work->passes.session, job, work->array, err))
        return false;
    for (unsigned i = TRAIN_OPERANDS; i < TRAIN_ARRAYS; i++)
        work->array[i] = work->passes.scratch[i - TRAIN_OPERANDS]->buffer->object;
    gemm_of_train(job->problem, work->gemm);
    for (const struct gemm *gemm = work->gemm; gemm < work->gemm + TRAIN_PRODUCTS; gemm++) {
        const double m = (double)gemm->m, n = (double)gemm->n, k = (double)gemm->k;
        if (!clblast_counts("operands", m * k + k * n + m * n, err))
            return false;
    }
    return true;
}

/* The events of CLBlast do not have its times. */
static bool train_submit(void *opaque, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    struct train_work *work = opaque;
    if (span)
        *span = (struct span){ NAN, NAN };
    for (unsigned i = 0; i < TRAIN_PRODUCTS; i++) {
        const struct train_product *product = &train_products[i];
        const cl_mem operand[] = { work->array[product->a], work->array[product->b], work->array[product->c] };
        if (!clblast_gemm(&work->library, work->passes.session, queue, work->dtype, &work->gemm[i], operand, err) ||
            !opencl_pass_submit(&work->passes, queue, i, err))
            return false;
    }
    return true;
}

/* Ends with a first run, in which CLBlast and drivers compile. */
static bool train_open(void *opaque, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                       struct error *err)
{
    struct train_work *work = opaque;
    char kernels[DETAIL_MAX];
    work->passes.session = session;
    work->dtype = job->problem->dtype;
    if (!clblast_open(&work->library, session, detail, err) ||
        !opencl_portable.open(&work->passes, session, job, kernels, err) || !products_bind(work, job, err))
        return false;
    text_append(detail, DETAIL_MAX, ", %s", kernels);
    return routine_run(train_submit, work, opencl_finish, session, err);
}

const struct routine opencl_clblast_train = { "train",    { "clblast" },          sizeof(struct train_work),
                                              train_open, .submit = train_submit, .close = train_close };
