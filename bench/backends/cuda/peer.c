#include "bench/backends/cuda/peer.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>

/* cuda_check that names the other device. */
static bool peer_check_answer(const struct peer *peer, int code, const char *entry, struct error *err)
{
    struct error why = { .status = STATUS_OK };
    return cuda_check_answer(&peer->session->driver, code, entry, &why) ||
           fail_in(err, entry, why.status, "on cuda:%u: %.180s", peer->number, why.message);
}

#define peer_check(peer, call, entry, err) peer_check_answer(peer, CALL(entry, call), entry, err)

bool peer_make_current(const struct peer *peer, struct error *err)
{
    return peer_check(peer, peer->session->driver.context_make_current(peer->context), "cuCtxSetCurrent", err);
}

bool peer_restore_context(const struct peer *peer, struct error *err)
{
    const struct session *session = peer->session;
    return cuda_check(&session->driver, session->driver.context_make_current(session->context), "cuCtxSetCurrent", err);
}

static bool find(struct peer *peer, struct error *err)
{
    const struct cuda_driver *driver = &peer->session->driver;
    char name[64] = "", clean[64], place[CUDA_PCI_ROOM];
    int count = 0;
    if (!cuda_check(driver, driver->device_count(&count), "cuDeviceGetCount", err))
        return false;
    if (count < 2)
        return fail(err, STATUS_UNSUPPORTED, "CUDA lists no second device to copy to");
    peer->number = (peer->session->device.index + 1) % (unsigned)count;
    if (!peer_check(peer, driver->device_get(&peer->ordinal, (int)peer->number), "cuDeviceGet", err))
        return false;
    CALL("cuDeviceGetName", driver->device_name(name, sizeof name, peer->ordinal));
    text_clean(clean, sizeof clean, name);
    cuda_pci_text(driver, peer->ordinal, place);
    snprintf(peer->name, sizeof peer->name, "cuda:%u (%.40s%s%s)", peer->number, clean, *place ? ", " : "", place);
    return true;
}

static bool peer_alloc(struct peer *peer, size_t bytes, struct error *err)
{
    const struct cuda_driver *driver = &peer->session->driver;
    if (!peer_check(peer, driver->context_flags(peer->ordinal, CUDA_WAIT_SPINS), "cuDevicePrimaryCtxSetFlags", err))
        return false;
    int code = CALL("cuDevicePrimaryCtxRetain", driver->context_retain(&peer->context, peer->ordinal));
    if (code != CUDA_OK)
        peer->context = NULL;
    if (!peer_check(peer, code, "cuDevicePrimaryCtxRetain", err) || !peer_make_current(peer, err))
        return false;
    code = CALL("cuMemAlloc", driver->memory_alloc(&peer->address, bytes));
    if (code != CUDA_OK)
        peer->address = 0;
    const bool ok = peer_check(peer, code, "cuMemAlloc", err);
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
        CALL("cuCtxDisablePeerAccess", driver->peer_disable(peer->context));
    if (peer->context && peer_make_current(peer, NULL)) {
        if (peer->is_accessible)
            CALL("cuCtxDisablePeerAccess", driver->peer_disable(session->context));
        if (peer->address)
            CALL("cuMemFree", driver->memory_release(peer->address));
    }
    peer_restore_context(peer, NULL);
    if (peer->context)
        CALL("cuDevicePrimaryCtxRelease", driver->context_release(peer->ordinal));
    free(peer);
}

/* Gives the current context access to the memory of another. Other code in the process may have done that already: all
 * share a primary context. */
static bool enable(const struct peer *peer, struct cuda_context *other, bool *enabled, struct error *err)
{
    int code = CALL("cuCtxEnablePeerAccess", peer->session->driver.peer_enable(other, 0));
    *enabled = code == CUDA_OK;
    if (code == CUDA_OK || code == CUDA_PEER_ENABLED_ALREADY)
        return true;
    if (code != CUDA_PEER_UNSUPPORTED)
        return peer_check(peer, code, "cuCtxEnablePeerAccess", err);
    return fail_in(err, "cuCtxEnablePeerAccess", STATUS_UNSUPPORTED,
                   "the machine gives no direct access to %s: the driver would copy through the host", peer->name);
}

bool peer_enable_access(struct peer *peer, struct error *err)
{
    const struct session *session = peer->session;
    int there = 0, back = 0;
    int code = CALL("cuDeviceCanAccessPeer", session->driver.peer_can_access(&there, session->ordinal, peer->ordinal));
    if (code == CUDA_OK)
        code = CALL("cuDeviceCanAccessPeer", session->driver.peer_can_access(&back, peer->ordinal, session->ordinal));
    if (!peer_check(peer, code, "cuDeviceCanAccessPeer", err))
        return false;
    if (!there || !back)
        return fail_in(err, "cuDeviceCanAccessPeer", STATUS_UNSUPPORTED,
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
    return cuda_check(
        driver,
        way == REPACK_IN
            ? driver->copy_peer(peer->address, peer->context, address, session->context, peer->bytes, stream)
            : driver->copy_peer(address, session->context, peer->address, peer->context, peer->bytes, stream),
        "cuMemcpyPeerAsync", err);
}
