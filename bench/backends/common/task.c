#include "bench/backends/common/task.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct task {
    const struct routine *routine;
    max_align_t work[]; /* the routine's */
};

bool buffer_has(size_t room, size_t offset, size_t bytes, struct error *err)
{
    return (offset <= room && bytes <= room - offset) ||
           fail(err, STATUS_FAILED, "%zu bytes at offset %zu do not fit in a buffer of %zu", bytes, offset, room);
}

bool routine_run(routine_submit *submit, void *work, routine_finish *finish, struct session *session, struct error *err)
{
    if (submit(work, 0, 0, NULL, err) && finish(session, 0, err))
        return true;
    finish(session, 0, NULL); /* the caller releases the operands next */
    return false;
}

static bool has_name(const char *const names[3], const char *name)
{
    for (unsigned i = 0; i < 3 && names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static const struct routine *routine_find(const struct routines *routines, const struct problem *problem,
                                          const struct method *method)
{
    if ((method->native || method->portable) && !method->calls_library)
        return routines->generic;
    for (const struct routine *const *routine = routines->others; *routine; routine++)
        if (has_name((*routine)->workload, problem->workload->name) && has_name((*routine)->method, method->name))
            return *routine;
    return NULL;
}

/* There is no such routine, perhaps only in this build. Always NULL. */
static struct task *fail_without_routine(const struct routines *routines, const struct job *job, struct error *err)
{
    const char *method = job->method->name;
    for (const struct build_library *library = routines->libraries; library && library->name; library++)
        if (library->package && strcasestr(method, library->name))
            return fail_null(err, STATUS_UNSUPPORTED, "this program was built without %s: install %s and build again",
                             library->name, library->package);
    return fail_null(err, STATUS_UNSUPPORTED, "%s has no %s for %s", job->problem->workload->name, method,
                     routines->api);
}

unsigned task_kernel_shapes(const struct routines *routines, struct session *session, const struct problem *problem,
                            const struct method *method, char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX])
{
    const struct routine *routine = routine_find(routines, problem, method);
    return routine && routine->kernel_shapes ? routine->kernel_shapes(session, problem, method, name) : 0;
}

struct task *task_prepare(const struct routines *routines, struct session *session, const struct job *job,
                          char detail[DETAIL_MAX], struct error *err)
{
    const struct routine *routine = routine_find(routines, job->problem, job->method);
    if (!routine)
        return fail_without_routine(routines, job, err);
    if (job->parts > 1 && !(routine == routines->generic && job->problem->workload->grain))
        return fail_null(err, STATUS_UNSUPPORTED, "%s of %s computes a run as a whole, not in %u parts",
                         job->method->name, job->problem->workload->name, job->parts);
    struct task *task = calloc(1, sizeof *task + routine->bytes);
    if (!task)
        return fail_null(err, STATUS_NO_MEMORY, "no memory for a task");
    task->routine = routine;
    if (routine->open(task->work, session, job, detail, err))
        return task;
    task_discard(task);
    return NULL;
}

bool task_submit(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    return task->routine->submit(task->work, queue, part, span, err);
}

void task_discard(struct task *task)
{
    if (task && task->routine->close)
        task->routine->close(task->work);
    free(task);
}

unsigned task_repacks(const struct task *task)
{
    return task->routine->repacks ? task->routine->repacks(task->work) : 0;
}

bool task_repack(struct task *task, unsigned operand, enum repack_way way, struct error *err)
{
    return task->routine->repack(task->work, operand, way, err);
}
