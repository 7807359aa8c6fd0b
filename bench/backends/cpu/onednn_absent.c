#include "bench/backends/cpu/cpu.h"

/* In place of the other files where oneDNN's headers were not there when the program was built. */

static bool absent_open(void *work, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                        struct error *err)
{
    (void)work, (void)session, (void)job, (void)detail;
    return fail(err, STATUS_UNSUPPORTED, "this program was built without oneDNN: install libdnnl-dev and build again");
}

const struct routine cpu_onednn_matmul[] = { { .workload = "matmul", .method = "onednn", .open = absent_open }, { 0 } };

const struct routine cpu_onednn_gemm[] = { { .workload = "matmul", .method = "onednn-gemm", .open = absent_open },
                                           { 0 } };

const struct routine cpu_onednn_conv[] = {
    { .workload = "conv", .method = "onednn", .open = absent_open },
    { .workload = "conv", .method = "onednn-winograd", .open = absent_open },
    { 0 },
};

const struct routine cpu_onednn_train[] = { { .workload = "train", .method = "onednn", .open = absent_open }, { 0 } };
