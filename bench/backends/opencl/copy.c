#include "bench/backends/opencl/opencl.h"
#include "harness/base/text.h"

/* The driver's own command for a copy within a device: the reference for other copies. */
struct opencl_copy_work {
    struct session *session;
    cl_mem from, to;
    size_t bytes;
};

static bool copy_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                      struct error *err)
{
    cl_mem operand[OPERANDS_MAX];
    if (!opencl_operands(session, job, operand, err))
        return false;
    *(struct opencl_copy_work *)context =
        (struct opencl_copy_work){ session, operand[0], operand[1], job->operand[0].bytes };
    text_copy(detail, DETAIL_MAX, "clEnqueueCopyBuffer");
    return true;
}

static bool copy_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    struct opencl_copy_work *work = context;
    struct session *session = work->session;
    cl_event *event = opencl_span_begin(session, queue, span, err) ? opencl_command(session, queue, err) : NULL;
    if (!event || !cl_enqueue(session, queue, err, clEnqueueCopyBuffer, session->queue[queue].handle, work->from,
                              work->to, 0, 0, work->bytes, 0, NULL, event))
        return false;
    opencl_span_end(session, queue, span);
    return true;
}

const struct routine opencl_copy = {
    { "transfer" }, { "copy" }, sizeof(struct opencl_copy_work), copy_open, .submit = copy_submit
};
