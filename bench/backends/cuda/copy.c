#include "bench/backends/cuda/cuda.h"
#include "harness/base/text.h"

#include <stdio.h>
#include <string.h>

/* Copies from device to device by the driver's own commands: within one, straight to the next one in the driver's order
 * (after the last comes the first), and to that one through the host. Where no access was enabled the driver stages a
 * copy through the host by itself (CUDA C++ Programming Guide, peer-to-peer memory copy). The functions below leave the
 * session's own context current. */

struct cuda_copy_work {
    struct session *session;
    uint64_t from, to; /* the operands' addresses, on this device */
    size_t bytes;
    /* The other device, with memory there; without a context the copy is within the session's own. */
    struct cuda_context *context;
    uint64_t address;
    char name[96]; /* "cuda:1 (NVIDIA H100 80GB HBM3, pci 0000:66:00.0)" */
    int ordinal;
};

static bool peer_find(struct cuda_copy_work *work, struct error *err)
{
    const struct cuda_driver *driver = &work->session->driver;
    char name[64] = "", clean[64], place[CUDA_PCI_ROOM];
    int count = 0;
    if (!cuda_call(driver, err, device_count, &count))
        return false;
    if (count < 2)
        return fail(err, STATUS_UNSUPPORTED, "CUDA lists no second device to copy to");
    const unsigned number = (work->session->device.index + 1) % (unsigned)count;
    if (!cuda_call(driver, err, device_get, &work->ordinal, (int)number))
        return false;
    CUDA(driver, device_name, name, sizeof name, work->ordinal);
    text_clean(clean, sizeof clean, name);
    cuda_pci_text(driver, work->ordinal, place);
    snprintf(work->name, sizeof work->name, "cuda:%u (%.40s%s%s)", number, clean, *place ? ", " : "", place);
    return true;
}

/* Gives the current context direct access to the memory of another. All code in the process shares a primary context:
 * it may have the access already. It ends with the context. */
static bool enable(const struct cuda_driver *driver, struct cuda_context *other, struct error *err)
{
    const int code = CUDA(driver, peer_enable, other, 0);
    if (code == CUDA_PEER_UNSUPPORTED)
        return fail_in(err, cuda_names.peer_enable, STATUS_UNSUPPORTED,
                       "the machine gives no direct access: the driver would copy through the host");
    return code == CUDA_PEER_ENABLED_ALREADY || cuda_check_answer(driver, code, cuda_names.peer_enable, err);
}

/* Memory on the other device and, for a direct copy, access in both directions. */
static bool peer_open(struct cuda_copy_work *work, bool is_direct, struct error *err)
{
    const struct session *session = work->session;
    const struct cuda_driver *driver = &session->driver;
    struct error why = { .status = STATUS_OK };
    bool ok = cuda_call(driver, &why, context_flags, work->ordinal, CUDA_WAIT_SPINS) &&
              cuda_make(driver, &why, context_retain, &work->context, work->ordinal) &&
              cuda_call(driver, &why, context_make_current, work->context) &&
              cuda_make(driver, &why, memory_alloc, &work->address, work->bytes) &&
              (!is_direct || enable(driver, session->context, &why));
    ok = cuda_call(driver, ok ? &why : NULL, context_make_current, session->context) && ok &&
         (!is_direct || enable(driver, work->context, &why));
    return ok || fail_in(err, why.where, why.status, "to %s: %.180s", work->name, why.message);
}

static void copy_close(void *context)
{
    const struct cuda_copy_work *work = context;
    const struct cuda_driver *driver = &work->session->driver;
    if (!work->context)
        return;
    CUDA(driver, context_make_current, work->context);
    if (work->address)
        CUDA(driver, memory_release, work->address);
    CUDA(driver, context_make_current, work->session->context);
    CUDA(driver, context_release, work->ordinal);
}

static bool copy_open(void *context, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                      struct error *err)
{
    struct cuda_copy_work *work = context;
    const bool is_direct = strcmp(job->method->name, "peer") == 0;
    uint64_t operand[OPERANDS_MAX];
    cuda_operands(job, operand);
    *work = (struct cuda_copy_work){
        .session = session, .from = operand[0], .to = operand[1], .bytes = job->operand[0].bytes
    };
    snprintf(detail, DETAIL_MAX, "cuMemcpyDtoDAsync");
    if (!job->method->leaves_device)
        return true;
    if (job->operand[0].buffer->host || job->operand[1].buffer->host)
        return fail(err, STATUS_UNSUPPORTED, "the operands are in host memory, not on a device");
    if (!peer_find(work, err) || !peer_open(work, is_direct, err))
        return false;
    snprintf(detail, DETAIL_MAX, "cuMemcpyPeerAsync to %s%s", work->name, is_direct ? "" : ", staged by the driver");
    return true;
}

/* Fills the memory of the other device from an address on this one, or copies it back there. */
static bool peer_copy(const struct cuda_copy_work *work, uint64_t address, enum repack_way way, struct error *err)
{
    struct session *session = work->session;
    struct cuda_context *own = session->context, *other = work->context;
    struct cuda_stream *stream = cuda_queue(session, 0, err);
    const bool is_in = way == REPACK_IN;
    return stream && cuda_call(&session->driver, err, copy_peer, is_in ? work->address : address, is_in ? other : own,
                               is_in ? address : work->address, is_in ? own : other, work->bytes, stream);
}

static bool copy_submit(void *context, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    const struct cuda_copy_work *work = context;
    struct session *session = work->session;
    struct cuda_stream *stream = cuda_span_begin(session, queue, span, err);
    return stream &&
           (work->context ? peer_copy(work, work->from, REPACK_IN, err)
                          : cuda_call(&session->driver, err, copy, work->to, work->from, work->bytes, stream)) &&
           cuda_span_end(session, queue, span, err);
}

/* What a copy to another device keeps elsewhere: its output. */
static unsigned copy_repacks(const void *context)
{
    const struct cuda_copy_work *work = context;
    return work->context ? 1 << 1 : 0;
}

static bool copy_repack(void *context, unsigned operand, enum repack_way way, struct error *err)
{
    const struct cuda_copy_work *work = context;
    return peer_copy(work, work->to, way, err);
}

const struct routine cuda_copy = { .workload = { "transfer" },
                                   .method = { "copy", "peer", "through-host" },
                                   .bytes = sizeof(struct cuda_copy_work),
                                   .open = copy_open,
                                   .submit = copy_submit,
                                   .close = copy_close,
                                   .repacks = copy_repacks,
                                   .repack = copy_repack };
