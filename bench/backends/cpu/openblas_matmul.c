#include "bench/backends/cpu/cpu.h"
#include "bench/backends/cpu/openblas.h"
#include "harness/base/text.h"

/* One call of gemm. */

enum { M, N, K }; /* as the workload has them */

struct openblas_work {
    struct openblas library;
    struct openblas_product product;
    enum dtype dtype;
    const void *a, *b;
    void *c;
};

static bool counts(const struct openblas *library, const int64_t dim[], struct error *err)
{
    return openblas_counts(library, "m", dim[M], err) && openblas_counts(library, "n", dim[N], err) &&
           openblas_counts(library, "k", dim[K], err);
}

static bool matmul_open(void *opaque, struct session *session, const struct job *job, void *const array[OPERANDS_MAX],
                        char detail[DETAIL_MAX], struct error *err)
{
    const int64_t *dim = job->problem->dim;
    struct openblas library;
    if (!openblas_computes(job->problem->dtype, err) ||
        !openblas_open(&library, NULL, openblas_core(session, job), session->threads, err) ||
        !counts(&library, dim, err))
        return false;
    *(struct openblas_work *)opaque = (struct openblas_work){
        .library = library,
        .product = { .m = dim[M], .n = dim[N], .k = dim[K], .b_pitch = dim[N], .c_pitch = dim[N] },
        .dtype = job->problem->dtype,
        .a = array[0],
        .b = array[1],
        .c = array[2],
    };
    text_copy(detail, DETAIL_MAX, library.name);
    cpu_detail_append(detail, job, dtype_sums(job->problem->dtype), library.threads);
    return true;
}

static bool matmul_run(void *opaque, struct error *err)
{
    const struct openblas_work *work = opaque;
    (void)err;
    openblas_gemm(&work->library, work->dtype, &work->product, work->a, work->b, work->c);
    return true;
}

const struct routine routine_openblas_matmul = {
    .workload = "matmul",
    .method = "openblas",
    .bytes = sizeof(struct openblas_work),
    .open = matmul_open,
    .run = matmul_run,
};

const struct routine routine_openblas_auto_matmul = {
    .workload = "matmul",
    .method = "openblas-auto",
    .bytes = sizeof(struct openblas_work),
    .open = matmul_open,
    .run = matmul_run,
};
