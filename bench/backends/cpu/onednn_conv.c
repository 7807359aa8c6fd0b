#include "bench/backends/cpu/onednn_work.h"
#include "kernels/native_conv.h"

#include <stdio.h>

/* The convolution primitive, each algorithm a method. The library chooses the layouts: it is several times slower in
 * those that the workload states. */

/* On processors with AMX version 2.6.3 ends the process where a filter larger than 1 x 1 goes over more channels than
 * somewhere between 5093 and 5125 (3 x 3) or 5118 and 5140 (5 x 5); up to 5000 it was never seen to. */
static bool survives(const struct problem *problem, struct error *err)
{
    const int64_t *dim = problem->dim, most = 5000;
    const bool is_safe = DNNL_VERSION_MAJOR >= 3 || problem->dtype != DTYPE_BF16 || dim[CONV_C] <= most ||
                         (dim[CONV_R] == 1 && dim[CONV_S] == 1);
    return is_safe ||
           fail(err, STATUS_UNSUPPORTED, "oneDNN 2 crashes on bf16 convolutions over more than some 5000 channels");
}

static bool conv_open(void *work, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                      struct error *err)
{
    const bool is_winograd = job->method->is_fast;
    dnnl_data_type_t type;
    if (!onednn_type(job->problem, &type, err) || !survives(job->problem, err))
        return false;
    const int64_t *dim = job->problem->dim, stride = dim[CONV_STRIDE], pad = dim[CONV_PAD];
    const struct conv_plan places = conv_plan_make(dim);
    struct onednn_plan plan = {
        .shape = { { 4, { dim[CONV_N], dim[CONV_C], dim[CONV_H], dim[CONV_W] }, type },
                   { 4, { dim[CONV_K], dim[CONV_C], dim[CONV_R], dim[CONV_S] }, type },
                   { 4, { dim[CONV_N], dim[CONV_K], places.p, places.q }, onednn_result(type) } },
        .is_open = { true, true, true },
        .algorithm = is_winograd ? dnnl_convolution_winograd : dnnl_convolution_direct,
        .stride = { stride, stride },
        .padding = { pad, pad },
    };
    char shape[SHAPE_MAX];
    const bool is_simple = dim[CONV_R] == 3 && dim[CONV_S] == 3 && stride == 1;
    snprintf(plan.task, sizeof plan.task, "%s convolution in %s of %s%s", is_winograd ? "Winograd" : "direct",
             dtype_name(job->problem->dtype), problem_shape(job->problem, shape),
             is_winograd && !is_simple ? ": it needs 3 x 3 filters and stride 1"
             : type == dnnl_s8         ? " that is exact here: it needs VNNI (with oneDNN 2 that of AVX-512)"
                                       : " on this processor");
    return onednn_work_open(work, session, job, &plan, detail, err);
}

const struct routine cpu_onednn_conv = {
    .workload = "conv", .method = { "onednn", "onednn-winograd" }, .open = conv_open, ONEDNN_WORK
};
