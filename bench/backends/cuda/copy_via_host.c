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

struct relay {
    struct session *session;
    struct neighbour *neighbour;
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

static void relay_close(void *context)
{
    struct relay *relay = context;
    const struct cuda_driver *driver = &relay->session->driver;
    if (relay->neighbour && neighbour_enter(relay->neighbour, NULL)) {
        if (relay->stream) {
            driver->stream_wait(relay->stream); /* after a run that failed something may be on its way */
            driver->stream_close(relay->stream);
        }
        for (unsigned i = 0; i < PLACES; i++)
            if (relay->up[i])
                driver->event_close(relay->up[i]);
        neighbour_leave(relay->neighbour, NULL);
    }
    for (unsigned i = 0; i < PLACES; i++)
        if (relay->down[i])
            driver->event_close(relay->down[i]);
    cuda_host_release(relay->session, relay->host);
    neighbour_close(relay->neighbour);
    free(relay);
}

/* Events of the context that is current. */
static bool events_open(const struct relay *relay, struct cuda_event *event[PLACES], struct error *err)
{
    for (unsigned i = 0; i < PLACES; i++) {
        int code = relay->session->driver.event_open(&event[i], CUDA_EVENT_HAS_NO_TIME);
        if (code != CUDA_OK) {
            event[i] = NULL;
            return cuda_refuse(&relay->session->driver, err, "cuEventCreate", code);
        }
    }
    return true;
}

static bool stream_open(struct relay *relay, struct error *err)
{
    int code = relay->session->driver.stream_open(&relay->stream, CUDA_STREAM_BY_ITSELF);
    if (code == CUDA_OK)
        return true;
    relay->stream = NULL;
    return cuda_refuse(&relay->session->driver, err, "cuStreamCreate", code);
}

static bool relay_make(struct relay *relay, const struct job *job, struct error *err)
{
    relay->neighbour = neighbour_open(relay->session, job, err);
    if (!relay->neighbour || !events_open(relay, relay->down, err) || !neighbour_enter(relay->neighbour, err))
        return false;
    bool ok = stream_open(relay, err) && events_open(relay, relay->up, err);
    if (!neighbour_leave(relay->neighbour, ok ? err : NULL) || !ok)
        return false;
    relay->host = cuda_host_alloc(relay->session, PLACES * relay->piece, MEMORY_PINNED, err);
    return relay->host != NULL;
}

static void *relay_open(struct session *session, const struct job *job, const uint64_t operand[OPERANDS_MAX],
                        char detail[DETAIL_MAX], struct error *err)
{
    char piece[TEXT_NUMBER];
    struct relay *relay = calloc(1, sizeof *relay);
    if (!relay) {
        fail(err, STATUS_NO_MEMORY, "no memory for a task");
        return NULL;
    }
    *relay = (struct relay){ .session = session, .from = operand[0], .to = operand[1], .bytes = job->operand[0].bytes };
    relay->piece = piece_of(relay->bytes);
    if (relay_make(relay, job, err)) {
        if (relay->bytes > relay->piece)
            snprintf(detail, DETAIL_MAX, "to %s in pieces of %s, two streams", relay->neighbour->name,
                     text_binary(piece, (double)relay->piece));
        else
            snprintf(detail, DETAIL_MAX, "to %s in one piece", relay->neighbour->name);
        return relay;
    }
    relay_close(relay);
    return NULL;
}

/* One piece down into its place, once what was there before has gone up. */
static bool piece_down(const struct relay *relay, struct cuda_stream *stream, size_t number, size_t bytes,
                       struct error *err)
{
    const struct cuda_driver *driver = &relay->session->driver;
    const size_t place = number % PLACES;
    int code = number < PLACES ? CUDA_OK : driver->stream_wait_event(stream, relay->up[place], 0);
    if (code != CUDA_OK)
        return cuda_refuse(driver, err, "cuStreamWaitEvent", code);
    code = driver->download(relay->host + place * relay->piece, relay->from + number * relay->piece, bytes, stream);
    if (code != CUDA_OK)
        return cuda_refuse(driver, err, "cuMemcpyDtoHAsync", code);
    code = driver->event_record(relay->down[place], stream);
    return code == CUDA_OK || cuda_refuse(driver, err, "cuEventRecord", code);
}

/* ... and up, once it is there. The other device's context is current. */
static bool piece_up(const struct relay *relay, size_t number, size_t bytes, struct error *err)
{
    const struct cuda_driver *driver = &relay->session->driver;
    const size_t place = number % PLACES;
    int code = driver->stream_wait_event(relay->stream, relay->down[place], 0);
    if (code != CUDA_OK)
        return cuda_refuse(driver, err, "cuStreamWaitEvent", code);
    code = driver->upload(relay->neighbour->address + number * relay->piece, relay->host + place * relay->piece, bytes,
                          relay->stream);
    if (code != CUDA_OK)
        return cuda_refuse(driver, err, "cuMemcpyHtoDAsync", code);
    code = driver->event_record(relay->up[place], relay->stream);
    return code == CUDA_OK || cuda_refuse(driver, err, "cuEventRecord", code);
}

/* The queue ends with waiting for the last piece, so that who waits for the queue waits for all of them. */
static bool relay_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    (void)part;
    const struct relay *relay = context;
    struct session *session = relay->session;
    struct cuda_stream *stream = cuda_queue(session, queue, err);
    if (!stream || !cuda_span_begin(session, queue, span, err))
        return false;
    size_t number = 0;
    for (size_t done = 0; done < relay->bytes; done += relay->piece, number++) {
        const size_t left = relay->bytes - done, bytes = left < relay->piece ? left : relay->piece;
        if (!piece_down(relay, stream, number, bytes, err) || !neighbour_enter(relay->neighbour, err))
            return false;
        bool ok = piece_up(relay, number, bytes, err);
        if (!neighbour_leave(relay->neighbour, ok ? err : NULL) || !ok)
            return false;
    }
    int code = session->driver.stream_wait_event(stream, relay->up[(number - 1) % PLACES], 0);
    if (code != CUDA_OK)
        return cuda_refuse(&session->driver, err, "cuStreamWaitEvent", code);
    return cuda_span_end(session, queue, span, err);
}

static unsigned relay_repacks(const void *context)
{
    (void)context;
    return NEIGHBOUR_KEEPS;
}

static bool relay_repack(void *context, unsigned queue, unsigned operand, enum repack_way way, struct error *err)
{
    (void)operand;
    const struct relay *relay = context;
    return way == REPACK_IN ? neighbour_send(relay->neighbour, queue, relay->to, err)
                            : neighbour_fetch(relay->neighbour, queue, relay->to, err);
}

const struct routine cuda_relay[] = {
    { "transfer", "through-host", relay_open, relay_submit, relay_close, relay_repacks, relay_repack },
    { 0 },
};
