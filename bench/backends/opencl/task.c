#include "bench/backends/opencl/opencl.h"
#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A method bound to its operands. */
struct task {
    const struct routine *routine;
    void *work;
};

static bool task_bind(struct task *task, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                      struct error *err)
{
    struct operand operand[OPERANDS_MAX];
    cl_mem object[OPERANDS_MAX] = { NULL };
    unsigned operands = job->problem->workload->operands(job->problem, operand);
    for (unsigned i = 0; i < operands; i++) {
        const struct binding *binding = &job->operand[i];
        object[i] = opencl_sub_buffer(session, binding->buffer, binding->offset, binding->bytes, err);
        if (!object[i])
            return false;
    }
    task->work = task->routine->open(session, job, object, detail, err);
    return task->work != NULL;
}

/* Whose memory a mapped operand turned out to be. */
static const char *memory_detail(const struct job *job)
{
    const struct buffer *first = job->operand[0].buffer;
    for (unsigned i = 0; i < OPERANDS_MAX && job->operand[i].buffer; i++) {
        if (job->operand[i].buffer->is_copied)
            return ", mapped through a copy";
    }
    if (first->own)
        return ", host memory in place";
    return memory_is_mapped(first->memory) ? ", memory of the driver's choice" : "";
}

/* Adds to how the method will run where it does; that is never cut off by a long beginning. */
static void detail_complete(const struct session *session, const struct job *job, char detail[DETAIL_MAX])
{
    const char *where = memory_detail(job);
    char limited[40] = "", method[DETAIL_MAX];
    if (session->limit > 0)
        snprintf(limited, sizeof limited, ", limited to %u unit%s", session->limit, session->limit > 1 ? "s" : "");
    text_copy(method, sizeof method, detail);
    text_copy(detail, DETAIL_MAX - strlen(where) - strlen(limited), method);
    strcat(detail, where);
    strcat(detail, limited);
}

static const struct routine *routine_find(const struct job *job)
{
    static const struct routine *const tables[] = { opencl_clblast, opencl_copy };
    if (job->method->portable)
        return &opencl_portable;
    for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct routine *routine = tables[i]; routine->workload; routine++)
            if (strcmp(routine->workload, job->problem->workload->name) == 0 &&
                strcmp(routine->method, job->method->name) == 0)
                return routine;
    return NULL;
}

struct task *opencl_prepare(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err)
{
    const struct problem *problem = job->problem;
    const struct routine *routine = routine_find(job);
    if (!routine) {
        fail(err, STATUS_UNSUPPORTED, "%s has no %s for OpenCL", problem->workload->name, job->method->name);
        return NULL;
    }
    if (!session->device.computes[problem->dtype]) {
        fail(err, STATUS_UNSUPPORTED, "%s does not compute in %s", session->device.name, dtype_name(problem->dtype));
        return NULL;
    }
    if (job->parts > 1 && routine != &opencl_portable) {
        fail(err, STATUS_UNSUPPORTED, "%s computes a run in one call, not in %u parts", job->method->name, job->parts);
        return NULL;
    }
    struct task *task = calloc(1, sizeof *task);
    if (!task) {
        fail(err, STATUS_NO_MEMORY, "no memory for a task");
        return NULL;
    }
    task->routine = routine;
    if (!task_bind(task, session, job, detail, err)) {
        opencl_discard(task);
        return NULL;
    }
    detail_complete(session, job, detail);
    return task;
}

bool opencl_submit(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    return task->routine->submit(task->work, queue, part, span, err);
}

void opencl_discard(struct task *task)
{
    if (!task)
        return;
    if (task->work)
        task->routine->close(task->work);
    free(task);
}
