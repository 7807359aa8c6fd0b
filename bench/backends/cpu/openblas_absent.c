#include "bench/backends/cpu/cpu.h"

/* In place of the other files where OpenBLAS's header was not there when the program was built. */

static void *absent_open(struct session *session, const struct job *job, void *const array[OPERANDS_MAX],
                         char detail[DETAIL_MAX], struct error *err)
{
    (void)session, (void)job, (void)array, (void)detail;
    fail(err, STATUS_UNSUPPORTED,
         "this program was built without OpenBLAS: install libopenblas-openmp-dev and build again");
    return NULL;
}

const struct routine routine_openblas_matmul = { .workload = "matmul", .method = "openblas", .open = absent_open };
const struct routine routine_im2col = { .workload = "conv", .method = "im2col-openblas", .open = absent_open };
