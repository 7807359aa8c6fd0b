#include "bench/backends/cuda/cuda.h"
#include "harness/machine/host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

/* Removes the variables that make cuBLAS and cuDNN compute in other types than asked for (cuBLAS's manual). The
 * libraries read them when they start. */
static void environment_clear(struct session *session)
{
    static const char *const names[] = { "NVIDIA_TF32_OVERRIDE", "CUBLAS_EMULATE_SINGLE_PRECISION",
                                         "CUBLAS_EMULATE_DOUBLE_PRECISION" };
    const char *ignored = NULL;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (getenv(names[i]))
            ignored = ignored ? "NVIDIA's variables of precision" : names[i];
        unsetenv(names[i]);
    }
    if (ignored)
        snprintf(session->ignored, sizeof session->ignored, ", %s ignored", ignored);
}

struct session *cuda_open(const struct device *device, unsigned threads, struct error *err)
{
    struct session *session = calloc(1, sizeof *session);
    if (!session)
        return fail_null(err, STATUS_NO_MEMORY, "no memory for a session");
    session->device = *device;
    environment_clear(session);
    /* The primary context, which waits by spinning: that has the shorter latency of the two ways, and its cost to the
     * host is measured. */
    const struct cuda_driver *driver = &session->driver;
    if (driver_open(session, err) && cuda_find(driver, device, &session->ordinal, err) &&
        cuda_call(driver, err, context_flags, session->ordinal, CUDA_WAIT_SPINS) &&
        cuda_call(driver, err, context_retain, &session->context, session->ordinal) &&
        cuda_call(driver, err, context_make_current, session->context)) {
        session->target = cuda_target_of(driver, session->ordinal);
        session->kernels_time_out = cuda_attribute(driver, session->ordinal, CUDA_KERNELS_TIME_OUT) != 0;
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
    for (unsigned i = 0; i < CUDA_LIBRARIES; i++) {
        if (session->shared[i].library)
            session->shared[i].close(session->shared[i].library);
        free(session->shared[i].library);
    }
    struct cuda_event *const event[] = { session->sleep_event, session->start, session->end };
    for (unsigned i = 0; i < sizeof event / sizeof *event; i++)
        if (event[i])
            CUDA(driver, event_close, event[i]);
    for (unsigned i = 0; i < QUEUES_MAX; i++)
        if (session->stream[i])
            CUDA(driver, stream_close, session->stream[i]);
    if (session->context)
        CUDA(driver, context_release, session->ordinal);
    free(session);
}

void *cuda_share(struct session *session, enum cuda_library which, size_t bytes,
                 bool (*open)(void *library, struct session *session, struct error *err), void (*close)(void *library),
                 struct error *err)
{
    struct cuda_shared *shared = &session->shared[which];
    if (shared->library)
        return shared->library;
    void *library = calloc(1, bytes);
    if (!library)
        return fail_null(err, STATUS_NO_MEMORY, "no memory for %s", cuda_library_name(which));
    if (!open(library, session, err)) {
        close(library);
        free(library);
        return NULL;
    }
    *shared = (struct cuda_shared){ library, close };
    return library;
}

struct cuda_stream *cuda_queue(struct session *session, unsigned number, struct error *err)
{
    struct cuda_stream **stream = &session->stream[number];
    if (!*stream && !cuda_make(&session->driver, err, stream_open, stream, CUDA_STREAM_BY_ITSELF))
        return NULL;
    return *stream;
}

static bool event_open(const struct session *session, struct cuda_event **event, struct error *err)
{
    return *event || cuda_make(&session->driver, err, event_open, event, 0);
}

struct cuda_stream *cuda_span_begin(struct session *session, unsigned number, struct span *span, struct error *err)
{
    struct cuda_stream *stream = cuda_queue(session, number, err);
    if (!stream || !span)
        return stream;
    *span = (struct span){ NAN, NAN };
    if (!event_open(session, &session->start, err) || !event_open(session, &session->end, err) ||
        !cuda_call(&session->driver, err, event_record, session->start, stream))
        return NULL;
    return stream;
}

bool cuda_span_end(struct session *session, unsigned number, struct span *span, struct error *err)
{
    if (!span)
        return true;
    session->span = span;
    session->span_queue = number;
    return cuda_call(&session->driver, err, event_record, session->end, session->stream[number]);
}

/* The driver reports only the time between two events. */
static bool span_read(struct session *session, struct error *err)
{
    float milliseconds = 0;
    if (!cuda_call(&session->driver, err, event_elapsed, &milliseconds, session->start, session->end))
        return false;
    if (milliseconds > 0)
        *session->span = (struct span){ 0, 1e-3 * (double)milliseconds };
    return true;
}

bool cuda_sleep_in_finish(struct session *session, struct error *err)
{
    return session->sleep_event || cuda_make(&session->driver, err, event_open, &session->sleep_event,
                                             CUDA_EVENT_BLOCKS | CUDA_EVENT_HAS_NO_TIME);
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
    if (!session->stream[number])
        return true; /* nothing was enqueued */
    bool ok = stream_wait(session, session->stream[number], err);
    if (session->span && session->span_queue == number) {
        ok = ok && span_read(session, err);
        session->span = NULL;
    }
    return ok;
}
