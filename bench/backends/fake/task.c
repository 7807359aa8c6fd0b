/* Runs of the scripted device: they compute for real, on one thread, and go wrong where the script says so. */

#include "bench/backends/fake/fake.h"

#include "harness/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct task {
    struct session *session;
    struct job job;
};

struct task *fake_prepare(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err)
{
    if (!fake_pass(session, CALL_PREPARE, err))
        return NULL;
    const struct native *native = job->variant->native;
    if (!native || !native->pass[0].baseline[job->problem->dtype]) {
        fail(err, STATUS_UNSUPPORTED, "%s has no plain C form", job->variant->name);
        return NULL;
    }
    if (job->problem->dtype == DTYPE_F64 && json_is_false(json_object_get(session->device, "f64"))) {
        fail(err, STATUS_UNSUPPORTED, "the script says that this device does not compute f64");
        return NULL;
    }
    struct task *task = malloc(sizeof *task);
    if (!task) {
        fail(err, STATUS_NO_MEMORY, "no memory for a task");
        return NULL;
    }
    *task = (struct task){ .session = session, .job = *job };
    text_copy(detail, DETAIL_MAX, "scripted");
    session->now += fake_number(session->device, "compile", 0.2);
    return task;
}

/* Wrong in the way that the script asks for: the last operand is the output. */
static void spoil(const struct task *task, const char *kind, char *output, size_t bytes)
{
    size_t element = dtype_bytes(task->job.problem->dtype);
    if (strcmp(kind, "wrong") == 0)
        output[bytes / element / 2 * element + element - 1] ^= 0x10;
    if (strcmp(kind, "zeros") == 0)
        memset(output, 0, bytes);
    if (strcmp(kind, "nan") == 0)
        memset(output, 0xff, element);
    if (strcmp(kind, "beyond") == 0)
        output[bytes] ^= 1;
}

/* Every pass from beginning to end, in one thread. False where there is no memory for what they hand on. */
static bool run_passes(const struct native *native, const struct problem *problem, void *data[], unsigned operands)
{
    int64_t elements[SCRATCH_MAX] = { 0 };
    bool ok = true;
    if (native->scratch)
        native->scratch(problem, elements);
    for (unsigned i = 0; i < SCRATCH_MAX && elements[i] > 0; i++) {
        data[operands + i] = malloc((size_t)elements[i] * dtype_bytes(problem->dtype));
        ok = ok && data[operands + i];
    }
    for (unsigned i = 0; ok && i < native->passes; i++) {
        const struct native_pass *pass = &native->pass[i];
        pass->baseline[problem->dtype](data, problem->dim, 0, pass->extent(problem));
    }
    for (unsigned i = 0; i < SCRATCH_MAX; i++)
        free(data[operands + i]);
    return ok;
}

static void compute(const struct task *task, const char *kind)
{
    const struct problem *problem = task->job.problem;
    const struct native *native = task->job.variant->native;
    struct operand operand[OPERANDS_MAX];
    unsigned count = problem->workload->operands(problem, operand);
    void *data[OPERANDS_MAX + SCRATCH_MAX] = { NULL };
    for (unsigned i = 0; i < count; i++)
        data[i] = task->job.operand[i].buffer->data + task->job.operand[i].offset;
    if (strcmp(kind, "stale") == 0 || !run_passes(native, problem, data, count))
        return;
    /* Beyond the output there is something to hit only in the middle of a larger buffer. */
    if (strcmp(kind, "beyond") != 0 || task->job.operand[count - 1].offset > 0)
        spoil(task, kind, data[count - 1], task->job.operand[count - 1].bytes);
}

bool fake_submit(struct task *task, unsigned queue, struct span *span, struct error *err)
{
    (void)queue;
    struct session *session = task->session;
    if (!fake_pass(session, CALL_SUBMIT, err))
        return false;
    const char *kind = fake_fault(session, CALL_SUBMIT);
    const json_t *times = json_object_get(session->device, "run");
    size_t count = json_array_size(times);
    double seconds = count ? json_number_value(json_array_get(times, session->runs++ % count)) : 0.01;
    compute(task, kind);
    session->pending += seconds;
    session->span = span;
    session->span_seconds = seconds * fake_number(session->device, "event", 0);
    return true;
}

void fake_discard(struct task *task)
{
    free(task);
}
