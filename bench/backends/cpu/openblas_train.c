#include "bench/backends/cpu/cpu.h"
#include "bench/backends/cpu/openblas.h"
#include "harness/base/text.h"

/* A step of training by gemm, which reads transposed operands in place, and passes of plain C between its calls. */

struct train_work {
    struct openblas library;
    struct passes passes;
    struct gemm gemm[TRAIN_PRODUCTS];
};

static void train_close(void *opaque)
{
    struct train_work *work = opaque;
    cpu_passes_close(&work->passes);
}

static bool counts(const struct openblas *library, const struct problem *problem, struct error *err)
{
    for (const struct dim *dim = problem->workload->dims; dim->name; dim++)
        if (!openblas_counts(library, dim->name, problem->dim[dim - problem->workload->dims], err))
            return false;
    return true;
}

static bool train_open(void *opaque, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                       struct error *err)
{
    struct train_work *work = opaque;
    const struct problem *problem = job->problem;
    if (!openblas_computes(problem->dtype, err) ||
        !openblas_open(&work->library, NULL, session->blas_core, session->threads, err) ||
        !counts(&work->library, problem, err) || !cpu_passes_open(&work->passes, session, job, &cpu_train_passes, err))
        return false;
    gemm_of_train(problem, work->gemm);
    text_copy(detail, DETAIL_MAX, work->library.name);
    cpu_detail_append(detail, job, problem->dtype, work->library.threads);
    return true;
}

static bool train_submit(void *opaque, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    const struct train_work *work = opaque;
    void *const *array = work->passes.array;
    for (unsigned i = 0; i < TRAIN_PRODUCTS; i++) {
        const struct train_product *product = &train_products[i];
        openblas_gemm(&work->library, work->passes.problem.dtype, &work->gemm[i], array[product->a], array[product->b],
                      array[product->c]);
        cpu_passes_run(&work->passes, i);
    }
    return true;
}

const struct routine cpu_openblas_train = { "train",    { "openblas" },         sizeof(struct train_work),
                                            train_open, .submit = train_submit, .close = train_close };
