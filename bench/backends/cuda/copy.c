#include "bench/backends/cuda/peer.h"
#include "harness/base/text.h"

#include <stdio.h>

/* Copies from device to device: within one and straight to the next one by the driver's own commands, and to the next
 * one through the host. That goes in pieces: each is downloaded to pinned memory on the queue of the run and uploaded
 * on a stream of the other device. One piece is uploaded while the next is downloaded; the places in pinned memory take
 * turns. */

enum { PLACES = 4 };

/* Bytes of a piece. Starting a copy takes some ten microseconds, in which a link moves a quarter of a megabyte; above a
 * few megabytes larger pieces bring nothing. Eight pieces where the size allows: the first download and the last upload
 * do not overlap with anything. */
static const size_t least_piece = 512 << 10, most_piece = 4 << 20, pieces_at_least = 8, page = 4096;

struct cuda_copy_work {
    struct session *session;
    struct peer *peer; /* NULL: within the device */
    uint64_t from, to; /* `to` is the operand's own address, on this device */
    size_t bytes;
    /* Only for copies through the host: */
    size_t piece;
    char *host; /* memory for PLACES pieces */
    struct cuda_stream *stream;
    struct cuda_event *down[PLACES], *up[PLACES]; /* recorded when a place was filled, and when it was emptied */
};

static void copy_close(void *context)
{
    struct cuda_copy_work *work = context;
    const struct cuda_driver *driver = &work->session->driver;
    if (work->stream && peer_make_current(work->peer, NULL)) {
        /* After a failed run copies may still be under way. */
        CUDA(driver, stream_wait, work->stream);
        CUDA(driver, stream_close, work->stream);
        for (unsigned i = 0; i < PLACES; i++)
            if (work->up[i])
                CUDA(driver, event_close, work->up[i]);
        peer_restore_context(work->peer, NULL);
    }
    for (unsigned i = 0; i < PLACES; i++)
        if (work->down[i])
            CUDA(driver, event_close, work->down[i]);
    cuda_host_release(work->session, work->host);
    peer_close(work->peer);
}

static void work_bind(struct cuda_copy_work *work, struct session *session, const struct job *job)
{
    uint64_t operand[OPERANDS_MAX];
    cuda_operands(job, operand);
    *work = (struct cuda_copy_work){
        .session = session, .from = operand[0], .to = operand[1], .bytes = job->operand[0].bytes
    };
}

static bool device_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                        struct error *err)
{
    (void)err;
    work_bind(context, session, job);
    text_copy(detail, DETAIL_MAX, "cuMemcpyDtoDAsync");
    return true;
}

static bool device_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    (void)part;
    struct cuda_copy_work *work = context;
    struct session *session = work->session;
    struct cuda_stream *stream = cuda_span_begin(session, queue, span, err);
    return stream && cuda_call(&session->driver, err, copy, work->to, work->from, work->bytes, stream) &&
           cuda_span_end(session, queue, span, err);
}

static bool to_peer_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                         struct error *err)
{
    struct cuda_copy_work *work = context;
    work_bind(work, session, job);
    work->peer = peer_open(session, job, err);
    if (!work->peer || !peer_enable_access(work->peer, err))
        return false;
    snprintf(detail, DETAIL_MAX, "cuMemcpyPeerAsync to %s", work->peer->name);
    return true;
}

static bool to_peer_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    (void)part;
    struct cuda_copy_work *work = context;
    struct session *session = work->session;
    return cuda_span_begin(session, queue, span, err) && peer_copy(work->peer, queue, work->from, REPACK_IN, err) &&
           cuda_span_end(session, queue, span, err);
}

static unsigned to_peer_repacks(const void *context)
{
    (void)context;
    return PEER_REPACKS;
}

static bool to_peer_repack(void *context, unsigned queue, unsigned operand, enum repack_way way, struct error *err)
{
    (void)operand;
    const struct cuda_copy_work *work = context;
    return peer_copy(work->peer, queue, work->to, way, err);
}

static size_t piece_of(size_t bytes)
{
    size_t piece = (bytes / pieces_at_least + page) / page * page;
    return piece < least_piece ? least_piece : piece > most_piece ? most_piece : piece;
}

/* Events of the current context. */
static bool events_open(const struct cuda_copy_work *work, struct cuda_event *event[PLACES], struct error *err)
{
    for (unsigned i = 0; i < PLACES; i++) {
        if (!cuda_event_open(work->session, CUDA_EVENT_HAS_NO_TIME, &event[i], err))
            return false;
    }
    return true;
}

static bool via_host_make(struct cuda_copy_work *work, const struct job *job, struct error *err)
{
    work->peer = peer_open(work->session, job, err);
    if (!work->peer || !events_open(work, work->down, err) || !peer_make_current(work->peer, err))
        return false;
    bool ok = cuda_stream_open(work->session, &work->stream, err) && events_open(work, work->up, err);
    if (!peer_restore_context(work->peer, ok ? err : NULL) || !ok)
        return false;
    work->host = cuda_host_alloc(work->session, PLACES * work->piece, MEMORY_PINNED, err);
    return work->host != NULL;
}

static bool via_host_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                          struct error *err)
{
    char piece[TEXT_NUMBER];
    struct cuda_copy_work *work = context;
    work_bind(work, session, job);
    work->piece = piece_of(work->bytes);
    if (!via_host_make(work, job, err))
        return false;
    if (work->bytes > work->piece)
        snprintf(detail, DETAIL_MAX, "to %s in pieces of %s, two streams", work->peer->name,
                 text_binary(piece, (double)work->piece));
    else
        snprintf(detail, DETAIL_MAX, "to %s in one piece", work->peer->name);
    return true;
}

/* Downloads one piece to its place, after the upload of the piece that used the place before. */
static bool piece_down(const struct cuda_copy_work *work, struct cuda_stream *stream, size_t number, size_t bytes,
                       struct error *err)
{
    const struct cuda_driver *driver = &work->session->driver;
    const size_t place = number % PLACES;
    char *host = work->host + place * work->piece;
    return (number < PLACES || cuda_call(driver, err, stream_wait_event, stream, work->up[place], 0)) &&
           cuda_call(driver, err, download, host, work->from + number * work->piece, bytes, stream) &&
           cuda_call(driver, err, event_record, work->down[place], stream);
}

/* Uploads it after that. The other device's context must be current. */
static bool piece_up(const struct cuda_copy_work *work, size_t number, size_t bytes, struct error *err)
{
    const struct cuda_driver *driver = &work->session->driver;
    const size_t place = number % PLACES;
    const char *host = work->host + place * work->piece;
    return cuda_call(driver, err, stream_wait_event, work->stream, work->down[place], 0) &&
           cuda_call(driver, err, upload, work->peer->address + number * work->piece, host, bytes, work->stream) &&
           cuda_call(driver, err, event_record, work->up[place], work->stream);
}

/* The last command of the queue waits for the last upload: waiting for the queue then waits for all of the copy. */
static bool via_host_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    (void)part;
    const struct cuda_copy_work *work = context;
    struct session *session = work->session;
    struct cuda_stream *stream = cuda_span_begin(session, queue, span, err);
    if (!stream)
        return false;
    size_t number = 0;
    for (size_t done = 0; done < work->bytes; done += work->piece, number++) {
        const size_t left = work->bytes - done, bytes = left < work->piece ? left : work->piece;
        if (!piece_down(work, stream, number, bytes, err) || !peer_make_current(work->peer, err))
            return false;
        bool ok = piece_up(work, number, bytes, err);
        if (!peer_restore_context(work->peer, ok ? err : NULL) || !ok)
            return false;
    }
    return cuda_call(&session->driver, err, stream_wait_event, stream, work->up[(number - 1) % PLACES], 0) &&
           cuda_span_end(session, queue, span, err);
}

enum { BYTES = sizeof(struct cuda_copy_work) };
const struct routine cuda_copy[] = {
    { "transfer", "copy", BYTES, device_open, device_submit, copy_close, NULL, NULL },
    { "transfer", "peer", BYTES, to_peer_open, to_peer_submit, copy_close, to_peer_repacks, to_peer_repack },
    { "transfer", "through-host", BYTES, via_host_open, via_host_submit, copy_close, to_peer_repacks, to_peer_repack },
    { 0 },
};
