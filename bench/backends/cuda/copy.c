#include "bench/backends/cuda/peer.h"
#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>

/* The driver's own commands for a copy from device to device: within one, and straight to the next one. */

struct work {
    struct session *session;
    struct peer *peer; /* NULL: within the device */
    uint64_t from, to; /* `to` is the operand's own place: on this device, wherever runs write to */
    size_t bytes;
};

static void copy_close(void *context)
{
    struct work *work = context;
    peer_close(work->peer);
    free(work);
}

static struct work *work_new(struct session *session, const struct job *job, struct error *err)
{
    uint64_t operand[OPERANDS_MAX];
    struct work *work = task_work_alloc(sizeof *work, err);
    cuda_operands(job, operand);
    if (work)
        *work = (struct work){ session, NULL, operand[0], operand[1], job->operand[0].bytes };
    return work;
}

static void *within_open(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err)
{
    text_copy(detail, DETAIL_MAX, "cuMemcpyDtoDAsync");
    return work_new(session, job, err);
}

static bool within_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    (void)part;
    struct work *work = context;
    struct session *session = work->session;
    struct cuda_stream *stream = cuda_queue(session, queue, err);
    return stream && cuda_span_begin(session, queue, span, err) &&
           cuda_check(&session->driver, session->driver.copy(work->to, work->from, work->bytes, stream),
                      "cuMemcpyDtoDAsync", err) &&
           cuda_span_end(session, queue, span, err);
}

static void *to_peer_open(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err)
{
    struct work *work = work_new(session, job, err);
    if (!work)
        return NULL;
    work->peer = peer_open(session, job, err);
    if (work->peer && peer_enable_access(work->peer, err)) {
        snprintf(detail, DETAIL_MAX, "cuMemcpyPeerAsync to %s", work->peer->name);
        return work;
    }
    copy_close(work);
    return NULL;
}

static bool to_peer_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    (void)part;
    struct work *work = context;
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
    const struct work *work = context;
    return peer_copy(work->peer, queue, work->to, way, err);
}

const struct routine cuda_copy[] = {
    { "transfer", "copy", within_open, within_submit, copy_close, NULL, NULL },
    { "transfer", "peer", to_peer_open, to_peer_submit, copy_close, to_peer_repacks, to_peer_repack },
    { 0 },
};
