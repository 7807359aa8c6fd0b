#include "bench/backends/cuda/peer.h"
#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>

/* From a GPU to the next one by way of the host: in pieces, each of which goes down into pinned memory on the queue of
 * the run and up again on a stream of the other device. One goes up while the next comes down, in places that take
 * turns. */

enum { PLACES = 4 };

/* Bytes of a piece. Starting a copy takes some ten microseconds, in which a link moves a quarter of a megabyte; beyond
 * a few megabytes there is nothing to be gained. An eighth of the whole between them, for the first piece down and the
 * last one up are alone on their way. */
static const size_t least_piece = 512 << 10, most_piece = 4 << 20, pieces_wanted = 8, page = 4096;

struct via_host {
    struct session *session;
    struct peer *peer;
    uint64_t from, to; /* `to` is the operand's own place, on this device */
    size_t bytes, piece;
    char *host; /* PLACES pieces */
    struct cuda_stream *stream;
    struct cuda_event *down[PLACES], *up[PLACES]; /* when a place was filled last, and emptied */
};

static size_t piece_of(size_t bytes)
{
    size_t piece = (bytes / pieces_wanted + page) / page * page;
    return piece < least_piece ? least_piece : piece > most_piece ? most_piece : piece;
}

static void via_host_close(void *context)
{
    struct via_host *copy = context;
    const struct cuda_driver *driver = &copy->session->driver;
    if (copy->peer && peer_make_current(copy->peer, NULL)) {
        if (copy->stream) {
            driver->stream_wait(copy->stream); /* after a run that failed something may be on its way */
            driver->stream_close(copy->stream);
        }
        for (unsigned i = 0; i < PLACES; i++)
            if (copy->up[i])
                driver->event_close(copy->up[i]);
        peer_restore_context(copy->peer, NULL);
    }
    for (unsigned i = 0; i < PLACES; i++)
        if (copy->down[i])
            driver->event_close(copy->down[i]);
    cuda_host_release(copy->session, copy->host);
    peer_close(copy->peer);
    free(copy);
}

/* Events of the context that is current. */
static bool events_open(const struct via_host *copy, struct cuda_event *event[PLACES], struct error *err)
{
    for (unsigned i = 0; i < PLACES; i++) {
        if (!cuda_event_open(copy->session, CUDA_EVENT_HAS_NO_TIME, &event[i], err))
            return false;
    }
    return true;
}

static bool via_host_make(struct via_host *copy, const struct job *job, struct error *err)
{
    copy->peer = peer_open(copy->session, job, err);
    if (!copy->peer || !events_open(copy, copy->down, err) || !peer_make_current(copy->peer, err))
        return false;
    bool ok = cuda_stream_open(copy->session, &copy->stream, err) && events_open(copy, copy->up, err);
    if (!peer_restore_context(copy->peer, ok ? err : NULL) || !ok)
        return false;
    copy->host = cuda_host_alloc(copy->session, PLACES * copy->piece, MEMORY_PINNED, err);
    return copy->host != NULL;
}

static void *via_host_open(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err)
{
    char piece[TEXT_NUMBER];
    uint64_t operand[OPERANDS_MAX];
    struct via_host *copy = task_work_alloc(sizeof *copy, err);
    if (!copy)
        return NULL;
    cuda_operands(job, operand);
    *copy =
        (struct via_host){ .session = session, .from = operand[0], .to = operand[1], .bytes = job->operand[0].bytes };
    copy->piece = piece_of(copy->bytes);
    if (via_host_make(copy, job, err)) {
        if (copy->bytes > copy->piece)
            snprintf(detail, DETAIL_MAX, "to %s in pieces of %s, two streams", copy->peer->name,
                     text_binary(piece, (double)copy->piece));
        else
            snprintf(detail, DETAIL_MAX, "to %s in one piece", copy->peer->name);
        return copy;
    }
    via_host_close(copy);
    return NULL;
}

/* One piece down into its place, once what was there before has gone up. */
static bool piece_down(const struct via_host *copy, struct cuda_stream *stream, size_t number, size_t bytes,
                       struct error *err)
{
    const struct cuda_driver *driver = &copy->session->driver;
    const size_t place = number % PLACES;
    char *host = copy->host + place * copy->piece;
    return (number < PLACES ||
            cuda_check(driver, driver->stream_wait_event(stream, copy->up[place], 0), "cuStreamWaitEvent", err)) &&
           cuda_check(driver, driver->download(host, copy->from + number * copy->piece, bytes, stream),
                      "cuMemcpyDtoHAsync", err) &&
           cuda_check(driver, driver->event_record(copy->down[place], stream), "cuEventRecord", err);
}

/* ... and up, once it is there. The other device's context is current. */
static bool piece_up(const struct via_host *copy, size_t number, size_t bytes, struct error *err)
{
    const struct cuda_driver *driver = &copy->session->driver;
    const size_t place = number % PLACES;
    const char *host = copy->host + place * copy->piece;
    return cuda_check(driver, driver->stream_wait_event(copy->stream, copy->down[place], 0), "cuStreamWaitEvent",
                      err) &&
           cuda_check(driver, driver->upload(copy->peer->address + number * copy->piece, host, bytes, copy->stream),
                      "cuMemcpyHtoDAsync", err) &&
           cuda_check(driver, driver->event_record(copy->up[place], copy->stream), "cuEventRecord", err);
}

/* The queue ends with waiting for the last piece, so that who waits for the queue waits for all of them. */
static bool via_host_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    (void)part;
    const struct via_host *copy = context;
    struct session *session = copy->session;
    struct cuda_stream *stream = cuda_queue(session, queue, err);
    if (!stream || !cuda_span_begin(session, queue, span, err))
        return false;
    size_t number = 0;
    for (size_t done = 0; done < copy->bytes; done += copy->piece, number++) {
        const size_t left = copy->bytes - done, bytes = left < copy->piece ? left : copy->piece;
        if (!piece_down(copy, stream, number, bytes, err) || !peer_make_current(copy->peer, err))
            return false;
        bool ok = piece_up(copy, number, bytes, err);
        if (!peer_restore_context(copy->peer, ok ? err : NULL) || !ok)
            return false;
    }
    return cuda_check(&session->driver, session->driver.stream_wait_event(stream, copy->up[(number - 1) % PLACES], 0),
                      "cuStreamWaitEvent", err) &&
           cuda_span_end(session, queue, span, err);
}

static unsigned via_host_repacks(const void *context)
{
    (void)context;
    return PEER_REPACKS;
}

static bool via_host_repack(void *context, unsigned queue, unsigned operand, enum repack_way way, struct error *err)
{
    (void)operand;
    const struct via_host *copy = context;
    return peer_copy(copy->peer, queue, copy->to, way, err);
}

const struct routine cuda_copy_via_host[] = {
    { "transfer", "through-host", via_host_open, via_host_submit, via_host_close, via_host_repacks, via_host_repack },
    { 0 },
};
