#include "bench/backends/opencl/opencl.h"

#include <math.h>

static cl_command_queue queue_open(const struct session *session, struct queue *queue,
                                   cl_command_queue_properties properties, struct error *err)
{
    if (!queue->handle) {
        cl_int code = CL_SUCCESS;
        queue->handle = CL(clCreateCommandQueue)(session->context, session->handle, properties, &code);
        if (code == CL_INVALID_QUEUE_PROPERTIES || code == CL_INVALID_VALUE) /* then its commands have no times */
            queue->handle = CL(clCreateCommandQueue)(session->context, session->handle, 0, &code);
        if (!queue->handle)
            opencl_check(code, "clCreateCommandQueue", err);
    }
    return queue->handle;
}

/* The one with time stamps is ready before any command is timed. */
cl_command_queue opencl_queue(struct session *session, unsigned number, struct error *err)
{
    return queue_open(session, &session->stamped, CL_QUEUE_PROFILING_ENABLE, err)
               ? queue_open(session, &session->queue[number], 0, err)
               : NULL;
}

/* Unless the span keeps it. */
static void latest_release(struct session *session, struct queue *queue)
{
    if (queue->latest && queue->latest != session->first && queue->latest != session->last)
        CL(clReleaseEvent)(queue->latest);
    queue->latest = NULL;
}

/* The latest command gets a successor, so its event is needed only for its times. If it fails, clFinish, a later
 * command or the results show it. So a queue of thousands of commands costs no more than one of two. */
cl_event *opencl_command(struct session *session, unsigned number, struct error *err)
{
    if (!opencl_queue(session, number, err))
        return NULL;
    latest_release(session, &session->queue[number]);
    return &session->queue[number].latest;
}

bool opencl_enqueued(struct session *session, unsigned number, const char *entry, cl_int code, struct error *err)
{
    session->queue[number].entry = entry;
    if (session->span && session->span_queue == number && !session->first)
        session->first = session->queue[number].latest;
    return opencl_check(code, entry, err);
}

/* Makes the stamped queue the one of the span, or ends that. */
static void queues_swap(struct session *session)
{
    const struct queue other = session->queue[session->span_queue];
    session->queue[session->span_queue] = session->stamped;
    session->stamped = other;
}

/* What was enqueued before is waited for: two queues have no order. */
bool opencl_span_begin(struct session *session, unsigned number, struct span *span, struct error *err)
{
    if (!span)
        return true;
    *span = (struct span){ NAN, NAN };
    if (session->queue[number].latest && !opencl_finish(session, number, err))
        return false;
    session->span = span;
    session->span_queue = number;
    queues_swap(session);
    return true;
}

void opencl_span_end(struct session *session, unsigned number, struct span *span)
{
    if (span)
        session->last = session->queue[number].latest;
}

static void span_release(struct session *session)
{
    if (session->first)
        CL(clReleaseEvent)(session->first);
    if (session->last && session->last != session->first)
        CL(clReleaseEvent)(session->last);
    session->first = session->last = NULL;
    if (session->span)
        queues_swap(session);
    session->span = NULL;
}

/* The queues first: a span that is released keeps no event of theirs. */
void opencl_events_release(struct session *session)
{
    for (unsigned i = 0; i < QUEUES_MAX; i++)
        latest_release(session, &session->queue[i]);
    span_release(session);
}

static bool time_read(cl_event event, cl_profiling_info what, cl_ulong *out)
{
    return CL(clGetEventProfilingInfo)(event, what, sizeof *out, out, NULL) == CL_SUCCESS && *out != 0;
}

/* When a command ran, if the driver has a clock. Drivers without one return 0 or equal times; rusticl of Mesa 22.3
 * returns 0, 1, 2, 3 for queued, submitted, started and ended. So a 0 anywhere makes all times invalid. */
static bool times_read(cl_event event, cl_ulong *start, cl_ulong *end)
{
    cl_ulong queued;
    return event && time_read(event, CL_PROFILING_COMMAND_QUEUED, &queued) &&
           time_read(event, CL_PROFILING_COMMAND_START, start) && time_read(event, CL_PROFILING_COMMAND_END, end) &&
           *end > *start;
}

bool opencl_finish(struct session *session, unsigned number, struct error *err)
{
    if (!session->queue[number].handle)
        return true; /* nothing was enqueued */
    struct queue *queue = &session->queue[number];
    cl_int state = CL_COMPLETE;
    bool ok = true;
    /* A driver may hold commands back until a flush: other queues would start only when this one has finished. */
    for (unsigned i = 0; i < QUEUES_MAX && ok; i++)
        ok = i == number || !session->queue[i].latest || cl_call(err, clFlush, session->queue[i].handle);
    ok &= cl_call(err, clFinish, queue->handle);
    if (queue->latest)
        ok &= cl_call(err, clGetEventInfo, queue->latest, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                      NULL) &&
              (state >= 0 || opencl_check(state, queue->entry, err));
    latest_release(session, queue);
    if (session->span && session->span_queue == number) {
        cl_ulong start, end, between; /* an invalid time at either end makes the span invalid */
        if (times_read(session->first, &start, &between) && times_read(session->last, &between, &end) && end > start)
            *session->span = (struct span){ 0, 1e-9 * (double)(end - start) };
        span_release(session);
    }
    return ok;
}
