#include "bench/backends/cuda/peer.h"

#include <stdio.h>

/* Copies from device to device by the driver's own commands: within one, straight to the next one, and to the next one
 * through the host. Where no access was enabled the driver stages a copy through the host by itself (CUDA C++
 * Programming Guide, peer-to-peer memory copy). */

struct cuda_copy_work {
    struct session *session;
    struct peer *peer; /* NULL: within the device */
    uint64_t from, to; /* `to` is the operand's own address, on this device */
    size_t bytes;
};

static void copy_close(void *context)
{
    const struct cuda_copy_work *work = context;
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

static bool within_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                        struct error *err)
{
    (void)err;
    work_bind(context, session, job);
    snprintf(detail, DETAIL_MAX, "cuMemcpyDtoDAsync");
    return true;
}

static bool peer_method_open(struct cuda_copy_work *work, const struct job *job, bool is_direct,
                             char detail[DETAIL_MAX], struct error *err)
{
    work->peer = peer_open(work->session, job, err);
    if (!work->peer || (is_direct && !peer_enable_access(work->peer, err)))
        return false;
    snprintf(detail, DETAIL_MAX, "cuMemcpyPeerAsync to %s%s", work->peer->name,
             is_direct ? "" : ", staged by the driver");
    return true;
}

static bool direct_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                        struct error *err)
{
    work_bind(context, session, job);
    return peer_method_open(context, job, true, detail, err);
}

static bool staged_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                        struct error *err)
{
    work_bind(context, session, job);
    return peer_method_open(context, job, false, detail, err);
}

static bool copy_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    const struct cuda_copy_work *work = context;
    struct session *session = work->session;
    struct cuda_stream *stream = cuda_span_begin(session, queue, span, err);
    (void)part;
    return stream &&
           (work->peer ? peer_copy(work->peer, queue, work->from, REPACK_IN, err)
                       : cuda_call(&session->driver, err, copy, work->to, work->from, work->bytes, stream)) &&
           cuda_span_end(session, queue, span, err);
}

static unsigned peer_repacks(const void *context)
{
    (void)context;
    return PEER_REPACKS;
}

static bool peer_repack(void *context, unsigned queue, unsigned operand, enum repack_way way, struct error *err)
{
    const struct cuda_copy_work *work = context;
    (void)operand;
    return peer_copy(work->peer, queue, work->to, way, err);
}

enum { BYTES = sizeof(struct cuda_copy_work) };
const struct routine cuda_copy[] = {
    { "transfer", "copy", BYTES, within_open, copy_submit, copy_close, NULL, NULL },
    { "transfer", "peer", BYTES, direct_open, copy_submit, copy_close, peer_repacks, peer_repack },
    { "transfer", "through-host", BYTES, staged_open, copy_submit, copy_close, peer_repacks, peer_repack },
    { 0 },
};
