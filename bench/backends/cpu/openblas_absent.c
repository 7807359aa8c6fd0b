#include "bench/backends/cpu/cpu.h"

/* In place of the other files where OpenBLAS's header was not there when the program was built. */

static bool absent_open(void *work, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                        struct error *err)
{
    (void)work, (void)session, (void)job, (void)detail;
    return fail(err, STATUS_UNSUPPORTED,
                "this program was built without OpenBLAS: install libopenblas-openmp-dev and build again");
}

void cpu_openblas_probe(struct device *device, const char *const sonames[])
{
    (void)device, (void)sonames;
}

const struct routine cpu_openblas_matmul[] = {
    { .workload = "matmul", .method = "openblas", .open = absent_open },
    { .workload = "matmul", .method = "openblas-auto", .open = absent_open },
    { 0 },
};

const struct routine cpu_openblas_train[] = { { .workload = "train", .method = "openblas", .open = absent_open },
                                              { 0 } };

const struct routine cpu_im2col[] = {
    { .workload = "conv", .method = "im2col-openblas", .open = absent_open },
    { .workload = "conv", .method = "im2col-openblas-auto", .open = absent_open },
    { 0 },
};
