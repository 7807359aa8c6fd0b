#include "bench/backends/opencl/opencl.h"
#include "harness/base/text.h"

#include <stdlib.h>

/* The driver's own command for a copy within a device: what others should be measured against. */
struct work {
    struct session *session;
    cl_mem from, to;
    size_t bytes;
};

static void *copy_open(struct session *session, const struct job *job, const cl_mem operand[OPERANDS_MAX],
                       char detail[DETAIL_MAX], struct error *err)
{
    struct work *work = calloc(1, sizeof *work);
    if (!work) {
        fail(err, STATUS_NO_MEMORY, "no memory for a task");
        return NULL;
    }
    *work = (struct work){ session, operand[0], operand[1], job->operand[0].bytes };
    text_copy(detail, DETAIL_MAX, "clEnqueueCopyBuffer");
    return work;
}

static bool copy_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    (void)part;
    struct work *work = context;
    struct command *command = opencl_command(work->session, queue, span, err);
    if (!command)
        return false;
    cl_int code = clEnqueueCopyBuffer(work->session->queue[queue].handle, work->from, work->to, 0, 0, work->bytes, 0,
                                      NULL, &command->event);
    return opencl_enqueued(work->session, queue, "clEnqueueCopyBuffer", code, err);
}

static void copy_close(void *context)
{
    free(context);
}

const struct routine opencl_copy[] = {
    { "transfer", "copy", copy_open, copy_submit, copy_close },
    { 0 },
};
