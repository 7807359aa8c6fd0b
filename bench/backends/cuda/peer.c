#include "bench/backends/cuda/peer.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>

/* cuda_check_answer, cuda_call and cuda_make that name the other device. */
static bool peer_check_answer(const struct peer *peer, int code, const char *entry, struct error *err)
{
    struct error why = { .status = STATUS_OK };
    return cuda_check_answer(&peer->session->driver, code, entry, &why) ||
           fail_in(err, entry, why.status, "on cuda:%u: %.180s", peer->number, why.message);
}

#define peer_call(peer, err, function, ...)                                                                            \
    peer_check_answer(peer, CUDA(&(peer)->session->driver, function, __VA_ARGS__), cuda_names.function, err)
#define peer_make(peer, err, function, out, ...)                                                                       \
    (peer_call(peer, err, function, out, __VA_ARGS__) || (*(out) = 0, false))

static bool peer_make_current(const struct peer *peer, struct error *err)
{
    return peer_call(peer, err, context_make_current, peer->context);
}

static bool peer_restore_context(const struct peer *peer, struct error *err)
{
    const struct session *session = peer->session;
    return cuda_call(&session->driver, err, context_make_current, session->context);
}

static bool find(struct peer *peer, struct error *err)
{
    const struct cuda_driver *driver = &peer->session->driver;
    char name[64] = "", clean[64], place[CUDA_PCI_ROOM];
    int count = 0;
    if (!cuda_call(driver, err, device_count, &count))
        return false;
    if (count < 2)
        return fail(err, STATUS_UNSUPPORTED, "CUDA lists no second device to copy to");
    peer->number = (peer->session->device.index + 1) % (unsigned)count;
    if (!peer_call(peer, err, device_get, &peer->ordinal, (int)peer->number))
        return false;
    CUDA(driver, device_name, name, sizeof name, peer->ordinal);
    text_clean(clean, sizeof clean, name);
    cuda_pci_text(driver, peer->ordinal, place);
    snprintf(peer->name, sizeof peer->name, "cuda:%u (%.40s%s%s)", peer->number, clean, *place ? ", " : "", place);
    return true;
}

static bool peer_alloc(struct peer *peer, size_t bytes, struct error *err)
{
    if (!peer_call(peer, err, context_flags, peer->ordinal, CUDA_WAIT_SPINS) ||
        !peer_make(peer, err, context_retain, &peer->context, peer->ordinal) || !peer_make_current(peer, err))
        return false;
    const bool ok = peer_make(peer, err, memory_alloc, &peer->address, bytes);
    peer->bytes = bytes;
    return peer_restore_context(peer, ok ? err : NULL) && ok;
}

struct peer *peer_open(struct session *session, const struct job *job, struct error *err)
{
    if (job->operand[0].buffer->host || job->operand[1].buffer->host)
        return fail_null(err, STATUS_UNSUPPORTED, "the operands are in host memory, not on a device");
    struct peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return fail_null(err, STATUS_NO_MEMORY, "no memory to open another device");
    peer->session = session;
    if (find(peer, err) && peer_alloc(peer, job->operand[0].bytes, err))
        return peer;
    peer_close(peer);
    return NULL;
}

void peer_close(struct peer *peer)
{
    if (!peer)
        return;
    const struct session *session = peer->session;
    const struct cuda_driver *driver = &session->driver;
    if (peer->has_access)
        CUDA(driver, peer_disable, peer->context);
    if (peer->context && peer_make_current(peer, NULL)) {
        if (peer->is_accessible)
            CUDA(driver, peer_disable, session->context);
        if (peer->address)
            CUDA(driver, memory_release, peer->address);
    }
    peer_restore_context(peer, NULL);
    if (peer->context)
        CUDA(driver, context_release, peer->ordinal);
    free(peer);
}

/* Gives the current context access to the memory of another. Other code in the process may have done that already: all
 * share a primary context. */
static bool enable(const struct peer *peer, struct cuda_context *other, bool *enabled, struct error *err)
{
    int code = CUDA(&peer->session->driver, peer_enable, other, 0);
    *enabled = code == CUDA_OK;
    if (code == CUDA_OK || code == CUDA_PEER_ENABLED_ALREADY)
        return true;
    if (code != CUDA_PEER_UNSUPPORTED)
        return peer_check_answer(peer, code, cuda_names.peer_enable, err);
    return fail_in(err, cuda_names.peer_enable, STATUS_UNSUPPORTED,
                   "the machine gives no direct access to %s: the driver would copy through the host", peer->name);
}

bool peer_enable_access(struct peer *peer, struct error *err)
{
    const struct session *session = peer->session;
    int there = 0, back = 0;
    if (!peer_call(peer, err, peer_can_access, &there, session->ordinal, peer->ordinal) ||
        !peer_call(peer, err, peer_can_access, &back, peer->ordinal, session->ordinal))
        return false;
    if (!there || !back)
        return fail_in(err, cuda_names.peer_can_access, STATUS_UNSUPPORTED,
                       "the machine gives no direct access %s %s: the driver would copy through the host",
                       there ? "from" : "to", peer->name);
    if (!enable(peer, peer->context, &peer->has_access, err) || !peer_make_current(peer, err))
        return false;
    bool ok = enable(peer, session->context, &peer->is_accessible, err);
    return peer_restore_context(peer, ok ? err : NULL) && ok;
}

bool peer_copy(struct peer *peer, unsigned queue, uint64_t address, enum repack_way way, struct error *err)
{
    struct session *session = peer->session;
    const struct cuda_driver *driver = &session->driver;
    struct cuda_stream *stream = cuda_queue(session, queue, err);
    if (!stream)
        return false;
    if (way == REPACK_IN)
        return cuda_call(driver, err, copy_peer, peer->address, peer->context, address, session->context, peer->bytes,
                         stream);
    return cuda_call(driver, err, copy_peer, address, session->context, peer->address, peer->context, peer->bytes,
                     stream);
}
