/* In a build without CLBlast its methods are unsupported. */

#include "bench/backends/opencl/opencl.h"

static bool absent_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                        struct error *err)
{
    (void)context, (void)session, (void)job, (void)detail;
    return fail(err, STATUS_UNSUPPORTED,
                "built without CLBlast (no clblast_c.h when the build was set up; in Debian's "
                "package libclblast-dev)");
}

const struct routine opencl_clblast[] = {
    { .workload = "matmul", .method = "clblast", .open = absent_open },
    { .workload = "conv", .method = "clblast", .open = absent_open },
    { 0 },
};

const struct routine opencl_clblast_train[] = {
    { .workload = "train", .method = "clblast", .open = absent_open },
    { 0 },
};
