#include "bench/backends/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

/* A method bound to its operands. */
struct task {
    struct session *session;
    const struct routine *routine;
    void *work;
    unsigned parts;                /* of a run */
    struct cuda_graph_exec *graph; /* all of them as one command; NULL: each is submitted by itself */
};

/* What is not kernel text: tables of routines, each of which ends with a NULL workload. */
static const struct routine *const tables[] = { cuda_cublas, cuda_cudnn, cuda_copy, cuda_copy_via_host };

static const struct routine *routine_find(const struct job *job)
{
    if (job->method->portable)
        return &cuda_portable;
    for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct routine *routine = tables[i]; routine->workload; routine++)
            if (strcmp(routine->workload, job->problem->workload->name) == 0 &&
                strcmp(routine->method, job->method->name) == 0)
                return routine;
    return NULL;
}

static bool parts_put(void *context, struct error *err)
{
    const struct task *task = context;
    for (unsigned part = 0; part < task->parts; part++)
        if (!task->routine->submit(task->work, 0, part, NULL, err))
            return false;
    return true;
}

/* Binds the method, and makes it ask the device, and wait for it, in the way that the method is about. */
static bool task_open(struct task *task, const struct job *job, char detail[DETAIL_MAX], struct error *err)
{
    struct operand operand[OPERANDS_MAX];
    uint64_t address[OPERANDS_MAX] = { 0 };
    const struct problem *problem = job->problem;
    const unsigned operands = problem->workload->operands(problem, operand);
    for (unsigned i = 0; i < operands; i++)
        address[i] = job->operand[i].buffer->address + job->operand[i].offset;
    task->work = task->routine->open(task->session, job, address, detail, err);
    if (!task->work || (job->method->launch_mode == LAUNCH_SLEEP && !cuda_sleep_in_finish(task->session, err)))
        return false;
    if (job->method->launch_mode != LAUNCH_GRAPH)
        return true;
    task->graph = cuda_graph_record(task->session, parts_put, task, err);
    return task->graph != NULL;
}

struct task *cuda_prepare(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err)
{
    const struct problem *problem = job->problem;
    const struct routine *routine = routine_find(job);
    if (!routine) {
        fail(err, STATUS_UNSUPPORTED, "%s has no %s for CUDA", problem->workload->name, job->method->name);
        return NULL;
    }
    if (job->parts > 1 && routine != &cuda_portable) {
        fail(err, STATUS_UNSUPPORTED, "%s computes a run in one call, not in %u parts", job->method->name, job->parts);
        return NULL;
    }
    struct task *task = calloc(1, sizeof *task);
    if (!task) {
        fail(err, STATUS_NO_MEMORY, "no memory for a task");
        return NULL;
    }
    *task = (struct task){ .session = session, .routine = routine, .parts = job->parts > 1 ? job->parts : 1 };
    if (task_open(task, job, detail, err))
        return task;
    cuda_discard(task);
    return NULL;
}

bool cuda_submit(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    if (task->graph)
        return cuda_graph_submit(task->session, task->graph, queue, span, err);
    return task->routine->submit(task->work, queue, part, span, err);
}

void cuda_discard(struct task *task)
{
    if (!task)
        return;
    cuda_graph_close(task->session, task->graph);
    if (task->work)
        task->routine->close(task->work);
    free(task);
}

unsigned cuda_repacks(const struct task *task)
{
    return task->routine->repacks ? task->routine->repacks(task->work) : 0;
}

bool cuda_repack(struct task *task, unsigned queue, unsigned operand, enum repack_way way, struct error *err)
{
    return task->routine->repack(task->work, queue, operand, way, err);
}
