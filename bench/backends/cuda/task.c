#include "bench/backends/cuda/cuda.h"

void cuda_operands(const struct job *job, uint64_t out[OPERANDS_MAX])
{
    struct operand operand[OPERANDS_MAX];
    const unsigned operands = job->problem->workload->operands(job->problem, operand);
    for (unsigned i = 0; i < OPERANDS_MAX; i++)
        out[i] = i < operands ? job->operand[i].buffer->address + job->operand[i].offset : 0;
}

struct task *cuda_prepare(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err)
{
    static const struct routine *const tables[] = { cuda_cublas, cuda_cudnn, cuda_copy, cuda_copy_via_host, NULL };
    const enum launch_mode mode = job->method->launch_mode;
    const struct routines routines = { "CUDA", mode == LAUNCH_GRAPH ? &cuda_graph : &cuda_portable, tables };
    if (mode == LAUNCH_SLEEP && !cuda_sleep_in_finish(session, err))
        return NULL;
    return task_prepare(&routines, session, job, detail, err);
}
