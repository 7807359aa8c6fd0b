#include "bench/backends/cpu/cpu.h"

/* In place of the other files where OpenBLAS's header was not there when the program was built. */

static bool absent_open(void *work, struct session *session, const struct job *job, void *const array[OPERANDS_MAX],
                        char detail[DETAIL_MAX], struct error *err)
{
    (void)work, (void)session, (void)job, (void)array, (void)detail;
    return fail(err, STATUS_UNSUPPORTED,
                "this program was built without OpenBLAS: install libopenblas-openmp-dev and build again");
}

const struct routine routine_openblas_matmul = { .workload = "matmul", .method = "openblas", .open = absent_open };
const struct routine routine_im2col = { .workload = "conv", .method = "im2col-openblas", .open = absent_open };
