#include "bench/backends/cpu/cpu.h"
#include "bench/backends/cpu/openblas.h"
#include "harness/base/text.h"

#include <string.h>

/* One call of gemm or gemv. */

struct openblas_work {
    struct openblas library;
    struct gemm gemm;
    enum dtype dtype;
    const void *a, *b;
    void *c;
    bool is_gemv;
};

static bool matmul_open(void *opaque, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                        struct error *err)
{
    const struct gemm gemm = gemm_of_matmul(job->problem);
    void *array[OPERANDS_MAX];
    struct openblas library;
    if (!cpu_operands(job, array, err) || !openblas_computes(job->problem->dtype, err) ||
        !openblas_open(&library, NULL, session->blas_core, session->threads, err) ||
        !openblas_counts(&library, "m", gemm.m, err) || !openblas_counts(&library, "n", gemm.n, err) ||
        !openblas_counts(&library, "k", gemm.k, err))
        return false;
    *(struct openblas_work *)opaque = (struct openblas_work){
        .library = library,
        .gemm = gemm,
        .dtype = job->problem->dtype,
        .a = array[0],
        .b = array[1],
        .c = array[2],
        .is_gemv = strcmp(job->method->name, "openblas-gemv") == 0,
    };
    text_copy(detail, DETAIL_MAX, library.name);
    cpu_detail_append(detail, job, dtype_sums(job->problem->dtype), library.threads);
    return true;
}

static bool matmul_submit(void *opaque, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    const struct openblas_work *work = opaque;
    (work->is_gemv ? openblas_gemv : openblas_gemm)(&work->library, work->dtype, &work->gemm, work->a, work->b,
                                                    work->c);
    return true;
}

const struct routine cpu_openblas_matmul = {
    "matmul", { "openblas", "openblas-gemv" }, sizeof(struct openblas_work), matmul_open, .submit = matmul_submit
};
