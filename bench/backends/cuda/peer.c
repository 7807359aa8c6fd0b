#include "bench/backends/cuda/peer.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>

/* What a call answered, said of the device that it was made for. */
static bool refuse(const struct neighbour *neighbour, const char *entry, int code, struct error *err)
{
    struct error why = { .status = STATUS_OK };
    cuda_refuse(&neighbour->session->driver, &why, entry, code);
    return fail_in(err, entry, why.status, "on cuda:%u: %.180s", neighbour->number, why.message);
}

bool neighbour_enter(const struct neighbour *neighbour, struct error *err)
{
    int code = neighbour->session->driver.context_make_current(neighbour->context);
    return code == CUDA_OK || refuse(neighbour, "cuCtxSetCurrent", code, err);
}

bool neighbour_leave(const struct neighbour *neighbour, struct error *err)
{
    const struct session *session = neighbour->session;
    int code = session->driver.context_make_current(session->context);
    return code == CUDA_OK || cuda_refuse(&session->driver, err, "cuCtxSetCurrent", code);
}

static bool find(struct neighbour *neighbour, struct error *err)
{
    const struct cuda_driver *driver = &neighbour->session->driver;
    char name[64] = "", clean[64], place[CUDA_PLACE_ROOM];
    int count = 0, code = driver->device_count(&count);
    if (code != CUDA_OK)
        return cuda_refuse(driver, err, "cuDeviceGetCount", code);
    if (count < 2)
        return fail(err, STATUS_UNSUPPORTED, "CUDA shows no other device to copy to");
    neighbour->number = (neighbour->session->device.index + 1) % (unsigned)count;
    code = driver->device_get(&neighbour->ordinal, (int)neighbour->number);
    if (code != CUDA_OK)
        return refuse(neighbour, "cuDeviceGet", code, err);
    driver->device_name(name, sizeof name, neighbour->ordinal);
    text_clean(clean, sizeof clean, name);
    cuda_place(driver, neighbour->ordinal, place);
    snprintf(neighbour->name, sizeof neighbour->name, "cuda:%u (%.40s%s%s)", neighbour->number, clean,
             *place ? ", " : "", place);
    return true;
}

static bool settle(struct neighbour *neighbour, size_t bytes, struct error *err)
{
    const struct cuda_driver *driver = &neighbour->session->driver;
    int code = driver->context_flags(neighbour->ordinal, CUDA_WAIT_SPINS);
    if (code != CUDA_OK)
        return refuse(neighbour, "cuDevicePrimaryCtxSetFlags", code, err);
    code = driver->context_retain(&neighbour->context, neighbour->ordinal);
    if (code != CUDA_OK) {
        neighbour->context = NULL;
        return refuse(neighbour, "cuDevicePrimaryCtxRetain", code, err);
    }
    if (!neighbour_enter(neighbour, err))
        return false;
    code = driver->memory_alloc(&neighbour->address, bytes);
    if (code != CUDA_OK) {
        neighbour->address = 0;
        refuse(neighbour, "cuMemAlloc", code, err);
    }
    neighbour->bytes = bytes;
    return neighbour_leave(neighbour, code == CUDA_OK ? err : NULL) && code == CUDA_OK;
}

struct neighbour *neighbour_open(struct session *session, const struct job *job, struct error *err)
{
    if (job->operand[0].buffer->host || job->operand[1].buffer->host) {
        fail(err, STATUS_UNSUPPORTED, "the operands are in the host's memory, which is on no device");
        return NULL;
    }
    struct neighbour *neighbour = calloc(1, sizeof *neighbour);
    if (!neighbour) {
        fail(err, STATUS_NO_MEMORY, "no memory for what is known of another device");
        return NULL;
    }
    neighbour->session = session;
    if (find(neighbour, err) && settle(neighbour, job->operand[0].bytes, err))
        return neighbour;
    neighbour_close(neighbour);
    return NULL;
}

void neighbour_close(struct neighbour *neighbour)
{
    if (!neighbour)
        return;
    const struct session *session = neighbour->session;
    const struct cuda_driver *driver = &session->driver;
    if (neighbour->reaches)
        driver->peer_disable(neighbour->context);
    if (neighbour->context && neighbour_enter(neighbour, NULL)) {
        if (neighbour->is_reached)
            driver->peer_disable(session->context);
        if (neighbour->address)
            driver->memory_release(neighbour->address);
    }
    neighbour_leave(neighbour, NULL);
    if (neighbour->context)
        driver->context_release(neighbour->ordinal);
    free(neighbour);
}

/* The current context gets access to the memory of another. Somebody else may have given it already: a primary context
 * is everybody's in the process. */
static bool enable(const struct neighbour *neighbour, struct cuda_context *other, bool *enabled, struct error *err)
{
    int code = neighbour->session->driver.peer_enable(other, 0);
    *enabled = code == CUDA_OK;
    if (code == CUDA_OK || code == CUDA_PEER_ENABLED_ALREADY)
        return true;
    if (code != CUDA_PEER_UNSUPPORTED)
        return refuse(neighbour, "cuCtxEnablePeerAccess", code, err);
    return fail_in(err, "cuCtxEnablePeerAccess", STATUS_UNSUPPORTED,
                   "the machine gives no direct access to %s: the driver would copy through the host", neighbour->name);
}

bool neighbour_reach(struct neighbour *neighbour, struct error *err)
{
    const struct session *session = neighbour->session;
    int there = 0, back = 0;
    int code = session->driver.peer_can_access(&there, session->ordinal, neighbour->ordinal);
    if (code == CUDA_OK)
        code = session->driver.peer_can_access(&back, neighbour->ordinal, session->ordinal);
    if (code != CUDA_OK)
        return refuse(neighbour, "cuDeviceCanAccessPeer", code, err);
    if (!there || !back)
        return fail_in(err, "cuDeviceCanAccessPeer", STATUS_UNSUPPORTED,
                       "the machine gives no direct access %s %s: the driver would copy through the host",
                       there ? "from" : "to", neighbour->name);
    if (!enable(neighbour, neighbour->context, &neighbour->reaches, err) || !neighbour_enter(neighbour, err))
        return false;
    bool ok = enable(neighbour, session->context, &neighbour->is_reached, err);
    return neighbour_leave(neighbour, ok ? err : NULL) && ok;
}

bool neighbour_send(struct neighbour *neighbour, unsigned queue, uint64_t from, struct error *err)
{
    struct session *session = neighbour->session;
    struct cuda_stream *stream = cuda_queue(session, queue, err);
    if (!stream)
        return false;
    int code = session->driver.copy_peer(neighbour->address, neighbour->context, from, session->context,
                                         neighbour->bytes, stream);
    return code == CUDA_OK || cuda_refuse(&session->driver, err, "cuMemcpyPeerAsync", code);
}

bool neighbour_fetch(struct neighbour *neighbour, unsigned queue, uint64_t to, struct error *err)
{
    struct session *session = neighbour->session;
    struct cuda_stream *stream = cuda_queue(session, queue, err);
    if (!stream)
        return false;
    int code = session->driver.copy_peer(to, session->context, neighbour->address, neighbour->context, neighbour->bytes,
                                         stream);
    return code == CUDA_OK || cuda_refuse(&session->driver, err, "cuMemcpyPeerAsync", code);
}
