#include "bench/backends/cpu/cpu.h"
#include "bench/backends/cpu/onednn_api.h"
#include "bench/backends/cpu/onednn_work.h"

#include <stdio.h>

/* oneDNN's sgemm, a function of its own that takes matrices in rows as they are. Neither it nor the matmul primitive is
 * always the faster: version 2.6.3 on two cores with AVX-512 was 1.4 times as fast by sgemm at 512 cubed, 0.93 times at
 * 1024 and 0.9 to 1.1 times at 2048. */

enum { M, N, K }; /* as the workload has them */

struct gemm {
    struct onednn library;
    int64_t dim[3];
    const float *a, *b;
    float *c;
};

static bool gemm_run(const struct gemm *gemm, struct error *err)
{
    const int64_t *dim = gemm->dim;
    return onednn_check(&gemm->library,
                        gemm->library.call.sgemm('N', 'N', dim[M], dim[N], dim[K], 1, gemm->a, dim[K], gemm->b, dim[N],
                                                 0, gemm->c, dim[N]),
                        "dnnl_sgemm", err);
}

/* The first call compiles: let that be one of small matrices, with the output left as it is. */
static bool gemm_compile(const struct gemm *gemm, struct error *err)
{
    enum { SIZE = 64 };
    static const float zeros[SIZE * SIZE];
    float result[SIZE * SIZE];
    struct gemm small = *gemm;
    small.a = small.b = zeros;
    small.c = result;
    small.dim[M] = small.dim[N] = small.dim[K] = SIZE;
    return gemm_run(&small, err);
}

static void gemm_close(void *opaque)
{
    struct gemm *gemm = opaque;
    onednn_close(&gemm->library);
}

static bool gemm_submit(void *opaque, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    (void)queue, (void)part, (void)span;
    return gemm_run(opaque, err);
}

static bool gemm_open(void *opaque, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                      struct error *err)
{
    (void)session;
    const int64_t *dim = job->problem->dim;
    void *array[OPERANDS_MAX];
    dnnl_data_type_t type;
    if (!cpu_operands(job, array, err) || !onednn_type(job->problem, &type, err))
        return false;
    if (type != dnnl_f32)
        return fail(err, STATUS_UNSUPPORTED, "oneDNN's sgemm is for f32, not for %s", dtype_name(job->problem->dtype));
    struct gemm *gemm = opaque;
    *gemm = (struct gemm){ .dim = { dim[M], dim[N], dim[K] }, .a = array[0], .b = array[1], .c = array[2] };
    if (!onednn_open(&gemm->library, onednn_sonames, err) || !gemm_compile(gemm, err))
        return false;
    snprintf(detail, DETAIL_MAX, "%s sgemm", gemm->library.name);
    cpu_detail_append(detail, job, DTYPE_F32, gemm->library.threads);
    return true;
}

const struct routine cpu_onednn_gemm[] = {
    { "matmul", "onednn-gemm", sizeof(struct gemm), gemm_open, gemm_submit, gemm_close, NULL, NULL },
    { 0 },
};
