#include "bench/backends/cuda/cuda.h"
#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

/* A size that no address can hold is an invalid value to the driver, not one that memory is too short for. */
static bool check_allocated(const struct session *session, int code, size_t bytes, const char *entry, struct error *err)
{
    if (code != CUDA_INVALID_VALUE)
        return cuda_check_answer(&session->driver, code, entry, err);
    return fail_in(err, entry, STATUS_NO_MEMORY, "the driver does not allocate %s", text_bytes((double)bytes).text);
}

/* Mapped memory is host memory. Kernels access it over the bus, or directly on an integrated GPU. */
static bool alloc_mapped(struct session *session, struct buffer *buffer, struct error *err)
{
    const struct cuda_driver *driver = &session->driver;
    if (!cuda_attribute(driver, session->ordinal, CUDA_MAPS_HOST_MEMORY))
        return fail(err, STATUS_UNSUPPORTED, "%s cannot access host memory", session->device.name);
    const int code = CUDA(driver, host_alloc, &buffer->host, buffer->bytes, CUDA_HOST_MAPPED | CUDA_HOST_PORTABLE);
    if (code != CUDA_OK)
        buffer->host = NULL;
    return check_allocated(session, code, buffer->bytes, cuda_names.host_alloc, err) &&
           cuda_call(driver, err, host_address, &buffer->address, buffer->host, 0);
}

static bool alloc_own(struct session *session, struct buffer *buffer, struct error *err)
{
    const int code = CUDA(&session->driver, memory_alloc, &buffer->address, buffer->bytes);
    if (code != CUDA_OK)
        buffer->address = 0;
    return check_allocated(session, code, buffer->bytes, cuda_names.memory_alloc, err);
}

struct buffer *cuda_alloc(struct session *session, size_t bytes, enum memory memory, struct error *err)
{
    struct buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return fail_null(err, STATUS_NO_MEMORY, "no memory for a buffer");
    buffer->bytes = bytes;
    if (memory_is_mapped(memory) ? alloc_mapped(session, buffer, err) : alloc_own(session, buffer, err))
        return buffer;
    cuda_release(session, buffer);
    return NULL;
}

void cuda_release(struct session *session, struct buffer *buffer)
{
    if (!buffer)
        return;
    if (buffer->host)
        CUDA(&session->driver, host_release, buffer->host);
    else if (buffer->address)
        CUDA(&session->driver, memory_release, buffer->address);
    free(buffer);
}

/* It is host memory all the time. Only the device may still be working on it. */
void *cuda_map(struct session *session, struct buffer *buffer, enum map_mode mode, struct error *err)
{
    if (!buffer->host)
        return fail_null(err, STATUS_UNSUPPORTED, "device memory cannot be mapped");
    return cuda_finish(session, 0, err) ? buffer->host : NULL;
}

void cuda_operands(const struct job *job, uint64_t out[OPERANDS_MAX])
{
    struct operand operand[OPERANDS_MAX];
    const unsigned operands = job->problem->workload->operands(job->problem, operand);
    for (unsigned i = 0; i < OPERANDS_MAX; i++)
        out[i] = i < operands ? job->operand[i].buffer->address + job->operand[i].offset : 0;
}

bool cuda_upload(struct session *session, unsigned queue, struct buffer *to, size_t offset, const void *from,
                 size_t bytes, struct error *err)
{
    struct cuda_stream *stream = cuda_queue(session, queue, err);
    return stream && buffer_has(to->bytes, offset, bytes, err) &&
           cuda_call(&session->driver, err, upload, to->address + offset, from, bytes, stream);
}

bool cuda_download(struct session *session, unsigned queue, void *to, struct buffer *from, size_t offset, size_t bytes,
                   struct error *err)
{
    struct cuda_stream *stream = cuda_queue(session, queue, err);
    return stream && buffer_has(from->bytes, offset, bytes, err) &&
           cuda_call(&session->driver, err, download, to, from->address + offset, bytes, stream);
}
