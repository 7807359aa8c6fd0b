#include "bench/backends/cuda/cuda.h"
#include "harness/base/pool.h"
#include "harness/machine/host.h"

#include <math.h>
#include <stdlib.h>

/* The primary context, which waits by spinning: that has the shorter latency of the two ways, and its cost to the host
 * is measured. */
static bool context_open(struct session *session, struct error *err)
{
    const struct cuda_driver *driver = &session->driver;
    return cuda_call(driver, err, context_flags, session->ordinal, CUDA_WAIT_SPINS) &&
           cuda_call(driver, err, context_retain, &session->context, session->ordinal) &&
           cuda_call(driver, err, context_make_current, session->context);
}

bool cuda_stream_open(const struct session *session, struct cuda_stream **out, struct error *err)
{
    return cuda_make(&session->driver, err, stream_open, out, CUDA_STREAM_BY_ITSELF);
}

bool cuda_event_open(const struct session *session, unsigned flags, struct cuda_event **out, struct error *err)
{
    return cuda_make(&session->driver, err, event_open, out, flags);
}

static struct cuda_event *event_get(struct session *session, struct error *err)
{
    struct cuda_event *event = NULL;
    if (session->idle_count > 0)
        return session->idle[--session->idle_count];
    cuda_event_open(session, 0, &event, err);
    return event;
}

/* Keeps the event for later use, or closes it where there is no memory to keep it. */
static void event_put_back(struct session *session, struct cuda_event *event)
{
    if (!event)
        return;
    if (!grow(&session->idle, session->idle_count, &session->idle_room, sizeof(struct cuda_event *))) {
        CUDA(&session->driver, event_close, event);
        return;
    }
    session->idle[session->idle_count++] = event;
}

/* A GPU that was listed and that the driver no longer finds is lost. */
static bool driver_open(struct session *session, struct error *err)
{
    struct error why = { .status = STATUS_OK };
    if (cuda_driver_load(&session->driver, &why))
        return true;
    const bool is_lost = why.status == STATUS_UNSUPPORTED;
    return fail_in(err, why.where, is_lost ? STATUS_FAILED : why.status, "%s%s", is_lost ? "the GPU is lost: " : "",
                   why.message);
}

struct session *cuda_open(const struct device *device, unsigned threads, struct error *err)
{
    (void)threads;
    struct session *session = calloc(1, sizeof *session);
    if (!session)
        return fail_null(err, STATUS_NO_MEMORY, "no memory for a session");
    session->device = *device;
    if (driver_open(session, err) && cuda_find(&session->driver, device, &session->ordinal, err) &&
        context_open(session, err)) {
        session->target = cuda_target_of(&session->driver, session->ordinal);
        session->kernels_time_out = cuda_attribute(&session->driver, session->ordinal, CUDA_KERNELS_TIME_OUT) != 0;
        return session;
    }
    cuda_close(session);
    return NULL;
}

void cuda_close(struct session *session)
{
    if (!session)
        return;
    const struct cuda_driver *driver = &session->driver;
    if (session->sleep_event)
        CUDA(driver, event_close, session->sleep_event);
    for (unsigned i = 0; i < QUEUES_MAX; i++) {
        struct queue *queue = &session->queue[i];
        for (unsigned k = 0; k < queue->count; k++) {
            event_put_back(session, queue->timing[k].start);
            event_put_back(session, queue->timing[k].end);
        }
        free(queue->timing);
        if (queue->stream)
            CUDA(driver, stream_close, queue->stream);
    }
    for (unsigned i = 0; i < session->idle_count; i++)
        CUDA(driver, event_close, session->idle[i]);
    free(session->idle);
    if (session->context)
        CUDA(driver, context_release, session->ordinal);
    free(session);
}

struct cuda_stream *cuda_queue(struct session *session, unsigned number, struct error *err)
{
    if (number >= QUEUES_MAX)
        return fail_null(err, STATUS_UNSUPPORTED, "queue %u does not exist, there are %u", number,
                         (unsigned)QUEUES_MAX);
    struct queue *queue = &session->queue[number];
    if (!queue->stream)
        cuda_stream_open(session, &queue->stream, err);
    return queue->stream;
}

static struct cuda_event *event_insert(struct session *session, struct queue *queue, struct error *err)
{
    struct cuda_event *event = event_get(session, err);
    if (event && cuda_call(&session->driver, err, event_record, event, queue->stream))
        return event;
    event_put_back(session, event);
    return NULL;
}

struct cuda_stream *cuda_span_begin(struct session *session, unsigned number, struct span *span, struct error *err)
{
    struct cuda_stream *stream = cuda_queue(session, number, err);
    if (!stream || !span)
        return stream;
    struct queue *queue = &session->queue[number];
    if (!grow(&queue->timing, queue->count, &queue->room, sizeof *queue->timing))
        return fail_null(err, STATUS_NO_MEMORY, "no memory for %u time stamps", 2 * (queue->count + 1));
    *span = (struct span){ NAN, NAN };
    struct cuda_event *start = event_insert(session, queue, err);
    if (start)
        queue->timing[queue->count++] = (struct timing){ .span = span, .start = start };
    return start ? stream : NULL;
}

bool cuda_span_end(struct session *session, unsigned number, struct span *span, struct error *err)
{
    struct queue *queue = &session->queue[number];
    for (unsigned i = queue->count; span && i-- > 0;) {
        struct timing *timing = &queue->timing[i];
        if (timing->span != span || timing->end)
            continue;
        timing->end = event_insert(session, queue, err);
        return timing->end != NULL;
    }
    return true;
}

/* The driver reports only the time between two events. Counted from one common event, milliseconds in a float would
 * lose the microseconds within minutes. So each timing starts at 0. */
static bool timing_read(struct session *session, const struct timing *timing, struct error *err)
{
    float milliseconds = 0;
    if (!timing->end)
        return true;
    if (!cuda_call(&session->driver, err, event_elapsed, &milliseconds, timing->start, timing->end))
        return false;
    if (milliseconds > 0)
        *timing->span = (struct span){ 0, 1e-3 * (double)milliseconds };
    return true;
}

bool cuda_sleep_in_finish(struct session *session, struct error *err)
{
    return session->sleep_event ||
           cuda_event_open(session, CUDA_EVENT_BLOCKS | CUDA_EVENT_HAS_NO_TIME, &session->sleep_event, err);
}

static bool stream_wait(struct session *session, struct cuda_stream *stream, struct error *err)
{
    const struct cuda_driver *driver = &session->driver;
    if (!session->sleep_event)
        return cuda_call(driver, err, stream_wait, stream);
    return cuda_call(driver, err, event_record, session->sleep_event, stream) &&
           cuda_call(driver, err, event_wait, session->sleep_event);
}

bool cuda_finish(struct session *session, unsigned number, struct error *err)
{
    if (number >= QUEUES_MAX || !session->queue[number].stream)
        return true; /* nothing was enqueued */
    struct queue *queue = &session->queue[number];
    bool ok = stream_wait(session, queue->stream, err);
    for (unsigned i = 0; i < queue->count; i++) {
        ok = ok && timing_read(session, &queue->timing[i], err);
        event_put_back(session, queue->timing[i].start);
        event_put_back(session, queue->timing[i].end);
    }
    queue->count = 0;
    return ok;
}
