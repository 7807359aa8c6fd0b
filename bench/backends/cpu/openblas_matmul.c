#include "bench/backends/cpu/cpu.h"
#include "bench/backends/cpu/openblas.h"
#include "harness/base/text.h"

#include <stdlib.h>

/* One call of gemm. */

enum { M, N, K }; /* as the workload has them */

struct work {
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

static void *matmul_open(struct session *session, const struct job *job, void *const array[OPERANDS_MAX],
                         char detail[DETAIL_MAX], struct error *err)
{
    const int64_t *dim = job->problem->dim;
    struct openblas library;
    if (!openblas_computes(job->problem->dtype, err) || !openblas_open(&library, NULL, session->threads, err) ||
        !counts(&library, dim, err))
        return NULL;
    struct work *work = malloc(sizeof *work);
    if (!work) {
        fail(err, STATUS_NO_MEMORY, "no memory for a task");
        return NULL;
    }
    *work = (struct work){
        .library = library,
        .product = { .m = dim[M], .n = dim[N], .k = dim[K], .b_pitch = dim[N], .c_pitch = dim[N] },
        .dtype = job->problem->dtype,
        .a = array[0],
        .b = array[1],
        .c = array[2],
    };
    text_copy(detail, DETAIL_MAX, library.name);
    cpu_detail_append(detail, job, dtype_sums(job->problem->dtype), library.threads);
    return work;
}

static bool matmul_run(void *opaque, struct error *err)
{
    const struct work *work = opaque;
    (void)err;
    openblas_gemm(&work->library, work->dtype, &work->product, work->a, work->b, work->c);
    return true;
}

const struct routine routine_openblas_matmul = {
    .workload = "matmul",
    .method = "openblas",
    .open = matmul_open,
    .run = matmul_run,
    .close = free,
};
