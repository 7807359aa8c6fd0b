#include "bench/backends/cpu/cpu.h"

/* In place of the other files where oneDNN's headers were not there when the program was built. */

static void *absent_open(struct session *session, const struct job *job, void *const array[OPERANDS_MAX],
                         char detail[DETAIL_MAX], struct error *err)
{
    (void)session, (void)job, (void)array, (void)detail;
    fail(err, STATUS_UNSUPPORTED, "this program was built without oneDNN: install libdnnl-dev and build again");
    return NULL;
}

const struct routine routine_onednn_matmul = { .workload = "matmul", .method = "onednn", .open = absent_open };
const struct routine routine_onednn_gemm = { .workload = "matmul", .method = "onednn-gemm", .open = absent_open };
const struct routine routine_onednn_conv = { .workload = "conv", .method = "onednn", .open = absent_open };
const struct routine routine_onednn_winograd = {
    .workload = "conv",
    .method = "onednn-winograd",
    .open = absent_open,
};
