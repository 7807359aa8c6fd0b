#include "bench/backends/cpu/cpu.h"

/* In place of the other files where OpenBLAS's header was not there when the program was built. */

static bool absent_open(void *work, struct session *session, const struct job *job, void *const array[OPERANDS_MAX],
                        char detail[DETAIL_MAX], struct error *err)
{
    (void)work, (void)session, (void)job, (void)array, (void)detail;
    return fail(err, STATUS_UNSUPPORTED,
                "this program was built without OpenBLAS: install libopenblas-openmp-dev and build again");
}

void cpu_openblas_probe(struct device *device, const char *const sonames[])
{
    (void)device, (void)sonames;
}

const struct routine routine_openblas_matmul = { .workload = "matmul", .method = "openblas", .open = absent_open };
const struct routine routine_openblas_auto_matmul = { .workload = "matmul",
                                                      .method = "openblas-auto",
                                                      .open = absent_open };
const struct routine routine_im2col = { .workload = "conv", .method = "im2col-openblas", .open = absent_open };
const struct routine routine_im2col_auto = { .workload = "conv",
                                             .method = "im2col-openblas-auto",
                                             .open = absent_open };
