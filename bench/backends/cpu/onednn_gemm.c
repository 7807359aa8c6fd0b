#include "bench/backends/common/gemm.h"
#include "bench/backends/cpu/cpu.h"
#include "bench/backends/cpu/onednn_api.h"
#include "bench/backends/cpu/onednn_work.h"

#include <stdio.h>

/* oneDNN's sgemm, a function of its own that takes matrices in rows as they are. Neither it nor the matmul primitive is
 * always the faster: version 2.6.3 on two cores with AVX-512 was 1.4 times as fast by sgemm at 512 cubed, 0.93 times at
 * 1024 and 0.9 to 1.1 times at 2048. */

struct sgemm {
    struct onednn library;
    struct gemm gemm;
    const float *a, *b;
    float *c;
};

static bool gemm_run(const struct sgemm *work, struct error *err)
{
    const struct gemm *gemm = &work->gemm;
    return onednn_call(&work->library, err, sgemm, 'N', 'N', gemm->m, gemm->n, gemm->k, 1, work->a, gemm->a_pitch,
                       work->b, gemm->b_pitch, 0, work->c, gemm->n);
}

/* The first call compiles: let that be one of small matrices, with the output left as it is. */
static bool gemm_compile(const struct sgemm *work, struct error *err)
{
    enum { SIZE = 64 };
    static const float zeros[SIZE * SIZE];
    float result[SIZE * SIZE];
    struct sgemm small = *work;
    small.a = small.b = zeros;
    small.c = result;
    small.gemm = gemm_make(SIZE, SIZE, SIZE, false, false);
    return gemm_run(&small, err);
}

static void gemm_close(void *opaque)
{
    struct sgemm *work = opaque;
    onednn_close(&work->library);
}

static bool gemm_submit(void *opaque, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    return gemm_run(opaque, err);
}

static bool gemm_open(void *opaque, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                      struct error *err)
{
    void *array[OPERANDS_MAX];
    dnnl_data_type_t type;
    if (!cpu_operands(job, array, err) || !onednn_type(job->problem, &type, err))
        return false;
    if (type != dnnl_f32)
        return fail(err, STATUS_UNSUPPORTED, "oneDNN's sgemm is for f32, not for %s", dtype_name(job->problem->dtype));
    struct sgemm *work = opaque;
    *work = (struct sgemm){ .gemm = gemm_of_matmul(job->problem), .a = array[0], .b = array[1], .c = array[2] };
    if (!onednn_open(&work->library, onednn_sonames, err) || !gemm_compile(work, err))
        return false;
    snprintf(detail, DETAIL_MAX, "%s sgemm", work->library.name);
    cpu_detail_append(detail, job, DTYPE_F32, work->library.threads);
    return true;
}

const struct routine cpu_onednn_gemm = { "matmul",  { "onednn-gemm" },     sizeof(struct sgemm),
                                         gemm_open, .submit = gemm_submit, .close = gemm_close };
