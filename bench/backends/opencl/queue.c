#include "bench/backends/opencl/opencl.h"
#include "harness/base/pool.h"

#include <math.h>
#include <stdlib.h>

cl_command_queue opencl_queue(struct session *session, unsigned number, struct error *err)
{
    if (number >= QUEUES_MAX)
        return fail_null(err, STATUS_UNSUPPORTED, "queue %u does not exist, there are %u", number,
                         (unsigned)QUEUES_MAX);
    struct queue *queue = &session->queue[number];
    if (!queue->handle) {
        cl_int code;
        queue->handle = CL(clCreateCommandQueue)(session->context, session->handle, CL_QUEUE_PROFILING_ENABLE, &code);
        if (!queue->handle)
            opencl_check(code, "clCreateCommandQueue", err);
    }
    return queue->handle;
}

/* The latest command gets a successor, so its event is needed only for its times. If it fails, clFinish, a later
 * command or the results show it. So a queue of thousands of commands costs no more than one of two. */
static void untimed_release(struct queue *queue)
{
    if (queue->count > 0 && !queue->pending[queue->count - 1].span)
        CL(clReleaseEvent)(queue->pending[--queue->count].event);
}

struct command *opencl_command(struct session *session, unsigned number, struct span *span, struct error *err)
{
    if (!opencl_queue(session, number, err))
        return NULL;
    struct queue *queue = &session->queue[number];
    untimed_release(queue);
    if (!grow(&queue->pending, queue->count, &queue->room, sizeof *queue->pending))
        return fail_null(err, STATUS_NO_MEMORY, "no memory for %u commands in flight", queue->count + 1);
    if (span)
        *span = (struct span){ NAN, NAN };
    queue->pending[queue->count] = (struct command){ .span = span, .begins = true, .ends = true };
    return &queue->pending[queue->count];
}

bool opencl_enqueued(struct session *session, unsigned number, const char *entry, cl_int code, struct error *err)
{
    if (!opencl_check(code, entry, err))
        return false;
    struct queue *queue = &session->queue[number];
    queue->pending[queue->count++].entry = entry;
    return true;
}

static bool time_read(const struct command *command, cl_profiling_info what, cl_ulong *out)
{
    return CL(clGetEventProfilingInfo)(command->event, what, sizeof *out, out, NULL) == CL_SUCCESS && *out != 0;
}

/* When the command ran, if the driver has a clock. Drivers without one return 0 or equal times; rusticl of Mesa 22.3
 * returns 0, 1, 2, 3 for queued, submitted, started and ended. So a 0 anywhere makes all times invalid. */
static bool times_read(const struct command *command, cl_ulong *start, cl_ulong *end)
{
    cl_ulong queued;
    return time_read(command, CL_PROFILING_COMMAND_QUEUED, &queued) &&
           time_read(command, CL_PROFILING_COMMAND_START, start) && time_read(command, CL_PROFILING_COMMAND_END, end) &&
           *end > *start;
}

static double seconds_since(cl_ulong epoch, cl_ulong time)
{
    return 1e-9 * (double)(cl_long)(time - epoch);
}

/* Sets the command's ends of its span. An invalid time makes the whole span invalid. */
static void span_read(struct session *session, const struct command *command)
{
    struct span *span = command->span;
    cl_ulong start, end;
    if (!times_read(command, &start, &end)) {
        *span = (struct span){ NAN, NAN };
        return;
    }
    if (session->epoch == 0)
        session->epoch = start;
    if (command->begins)
        span->start = seconds_since(session->epoch, start);
    if (command->ends && !isnan(span->start))
        span->end = seconds_since(session->epoch, end);
    if (span->end <= span->start)
        *span = (struct span){ NAN, NAN };
}

static bool command_complete(struct session *session, const struct command *command, struct error *err)
{
    cl_int state = CL_COMPLETE;
    const bool ok =
        cl_call(err, clGetEventInfo, command->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) &&
        (state >= 0 || opencl_check(state, command->entry, err));
    if (ok && command->span)
        span_read(session, command);
    CL(clReleaseEvent)(command->event);
    return ok;
}

/* A driver may hold commands back until a flush. Without it, other queues would start only when this one has finished.
 */
static bool others_flush(struct session *session, unsigned number, struct error *err)
{
    for (unsigned i = 0; i < QUEUES_MAX; i++)
        if (i != number && session->queue[i].count > 0 && !cl_call(err, clFlush, session->queue[i].handle))
            return false;
    return true;
}

bool opencl_finish(struct session *session, unsigned number, struct error *err)
{
    if (number >= QUEUES_MAX || !session->queue[number].handle)
        return true; /* nothing was enqueued */
    struct queue *queue = &session->queue[number];
    bool ok = others_flush(session, number, err);
    ok &= cl_call(err, clFinish, queue->handle);
    for (unsigned i = 0; i < queue->count; i++)
        ok &= command_complete(session, &queue->pending[i], err);
    queue->count = 0;
    return ok;
}
