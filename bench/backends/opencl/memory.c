#include "bench/backends/opencl/opencl.h"
#include "harness/base/pages.h"
#include "harness/base/pool.h"

#include <stdlib.h>

/* Intel's rule for using our memory in place, which works for PoCL as well: whole pages, whole cache lines. */
enum { PAGE = 4096, LINE = 64, HUGE_PAGE = 2 << 20 };

/* Host memory for a device that works in it. Large blocks get huge pages: with 4 KiB pages the page tables limit the
 * speed. Not touched here: the threads that fill an operand, or the kernel, touch its pages first. */
static void *own_alloc(size_t bytes)
{
    void *own = pages_alloc(bytes, bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE);
    if (own && bytes >= HUGE_PAGE)
        pages_prefer_huge(own, bytes);
    return own;
}

/* A refused allocation names both sizes. Some drivers answer CL_OUT_OF_RESOURCES, and nothing but memory can be short
 * here. Other errors are reported as usual. */
static bool alloc_fail(const struct session *session, const char *entry, cl_int code, size_t bytes, struct error *err)
{
    char text[CODE_TEXT];
    if (code != CL_MEM_OBJECT_ALLOCATION_FAILURE && code != CL_OUT_OF_RESOURCES)
        return opencl_check(code, entry, err);
    return fail_in(err, entry, STATUS_NO_MEMORY, "%s answered %s: %zu bytes requested, the device has %.0f in all",
                   entry, opencl_code_text(text, code), bytes, session->device.memory);
}

static cl_mem object_create(struct session *session, struct buffer *buffer, struct error *err)
{
    cl_mem_flags flags = CL_MEM_READ_WRITE;
    size_t bytes = buffer->bytes;
    if (memory_is_mapped(buffer->memory) && session->device.shares_host_memory) {
        bytes = (bytes + LINE - 1) / LINE * LINE;
        buffer->own = own_alloc(bytes);
        if (!buffer->own)
            return fail_null(err, STATUS_NO_MEMORY, "no %zu bytes of host memory", bytes);
        flags |= CL_MEM_USE_HOST_PTR;
    } else if (memory_is_mapped(buffer->memory)) {
        flags |= CL_MEM_ALLOC_HOST_PTR; /* host memory on a discrete card, not the card's; page-locked while mapped */
    }
    cl_int code;
    cl_mem object = CL(clCreateBuffer)(session->context, flags, bytes, buffer->own, &code);
    if (!object)
        alloc_fail(session, "clCreateBuffer", code, bytes, err);
    return object;
}

/* Drivers allocate at first use. This use makes a refusal come now, and not during a measurement. */
static bool object_touch(struct session *session, const struct buffer *buffer, struct error *err)
{
    const char zero = 0;
    cl_command_queue queue = opencl_queue(session, 0, err);
    if (!queue)
        return false;
    cl_int code = CL(clEnqueueWriteBuffer)(queue, buffer->object, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL);
    return code == CL_SUCCESS || alloc_fail(session, "clEnqueueWriteBuffer", code, buffer->bytes, err);
}

struct buffer *opencl_alloc(struct session *session, size_t bytes, enum memory memory, struct error *err)
{
    /* The device's limit first: some drivers end the process on a buffer that they cannot create. */
    if (bytes > session->largest_buffer)
        return fail_null(err, STATUS_NO_MEMORY, "%zu bytes in one buffer, the device allows %llu", bytes,
                         (unsigned long long)session->largest_buffer);
    struct buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return fail_null(err, STATUS_NO_MEMORY, "no memory for a buffer");
    buffer->bytes = bytes;
    buffer->memory = memory;
    buffer->object = object_create(session, buffer, err);
    if (buffer->object && object_touch(session, buffer, err))
        return buffer;
    opencl_release(session, buffer);
    return NULL;
}

/* As a program gets it that asks for no kind of memory: where the driver puts it. */
struct buffer *opencl_alloc_plain(struct session *session, size_t bytes, enum memory memory, struct error *err)
{
    return opencl_alloc(session, bytes, MEMORY_PAGEABLE, err);
}

void opencl_release(struct session *session, struct buffer *buffer)
{
    if (!buffer)
        return;
    if (buffer->view)
        opencl_unmap(session, buffer, NULL);
    for (unsigned i = 0; i < buffer->sub_buffers; i++)
        CL(clReleaseMemObject)(buffer->sub_buffer[i].object);
    free(buffer->sub_buffer);
    if (buffer->own)
        opencl_finish(session, 0, NULL); /* the driver keeps its own object until it is done, but this memory is ours */
    if (buffer->object)
        CL(clReleaseMemObject)(buffer->object);
    pages_release(buffer->own);
    free(buffer);
}

/* On a device with memory of its own the flags save a copy: from the device when all is overwritten, to the device when
 * it is only read. */
void *opencl_map(struct session *session, struct buffer *buffer, enum map_mode mode, struct error *err)
{
    static const cl_map_flags flags[] = { [MAP_READ] = CL_MAP_READ,
                                          [MAP_WRITE] = CL_MAP_WRITE_INVALIDATE_REGION,
                                          [MAP_UPDATE] = CL_MAP_READ | CL_MAP_WRITE };
    if (buffer->view)
        return fail_null(err, STATUS_FAILED, "the buffer of %zu bytes is mapped already", buffer->bytes);
    cl_command_queue queue = opencl_queue(session, 0, err);
    if (!queue)
        return NULL;
    cl_int code;
    void *view =
        CL(clEnqueueMapBuffer)(queue, buffer->object, CL_TRUE, flags[mode], 0, buffer->bytes, 0, NULL, NULL, &code);
    return buffer->view = opencl_check(code, "clEnqueueMapBuffer", err) ? view : NULL;
}

bool opencl_unmap(struct session *session, struct buffer *buffer, struct error *err)
{
    void *view = buffer->view;
    if (!view)
        return fail(err, STATUS_FAILED, "the buffer of %zu bytes is not mapped", buffer->bytes);
    buffer->view = NULL;
    cl_event *event = opencl_command(session, 0, err);
    return event && cl_enqueue(session, 0, err, clEnqueueUnmapMemObject, session->queue[0].handle, buffer->object, view,
                               0, NULL, event);
}

static const struct sub_buffer *sub_buffer_find(const struct buffer *buffer, size_t offset, size_t bytes)
{
    for (unsigned i = 0; i < buffer->sub_buffers; i++)
        if (buffer->sub_buffer[i].offset == offset && buffer->sub_buffer[i].bytes == bytes)
            return &buffer->sub_buffer[i];
    return NULL;
}

cl_mem opencl_sub_buffer(struct session *session, struct buffer *buffer, size_t offset, size_t bytes, struct error *err)
{
    const struct sub_buffer *known = sub_buffer_find(buffer, offset, bytes);
    if (known || (offset == 0 && bytes == buffer->bytes))
        return known ? known->object : buffer->object;
    if (offset % session->sub_buffer_alignment != 0)
        return fail_null(err, STATUS_UNSUPPORTED, "a sub-buffer at %zu bytes, the device needs multiples of %zu",
                         offset, session->sub_buffer_alignment);
    if (!grow(&buffer->sub_buffer, buffer->sub_buffers, sizeof *buffer->sub_buffer))
        return fail_null(err, STATUS_NO_MEMORY, "no memory for %u sub-buffers", buffer->sub_buffers + 1);
    const cl_buffer_region region = { offset, bytes };
    cl_int code;
    cl_mem object =
        CL(clCreateSubBuffer)(buffer->object, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (object)
        buffer->sub_buffer[buffer->sub_buffers++] = (struct sub_buffer){ offset, bytes, object };
    else
        opencl_check(code, "clCreateSubBuffer", err);
    return object;
}

bool opencl_operands(struct session *session, const struct job *job, cl_mem out[OPERANDS_MAX], struct error *err)
{
    struct operand operand[OPERANDS_MAX];
    unsigned operands = job->problem->workload->operands(job->problem, operand);
    for (unsigned i = 0; i < OPERANDS_MAX; i++) {
        const struct binding *binding = &job->operand[i];
        out[i] =
            i < operands ? opencl_sub_buffer(session, binding->buffer, binding->offset, binding->bytes, err) : NULL;
        if (i < operands && !out[i])
            return false;
    }
    return true;
}

/* The object to enqueue a copy of those bytes on; *offset becomes the offset in it. */
static cl_mem object_for(const struct buffer *buffer, size_t *offset, size_t bytes)
{
    const struct sub_buffer *part = sub_buffer_find(buffer, *offset, bytes);
    if (!part)
        return buffer->object;
    *offset = 0;
    return part->object;
}

bool opencl_upload(struct session *session, unsigned queue, struct buffer *to, size_t offset, const void *from,
                   size_t bytes, struct error *err)
{
    cl_event *event = opencl_command(session, queue, err);
    if (!event)
        return false;
    cl_mem object = object_for(to, &offset, bytes);
    return cl_enqueue(session, queue, err, clEnqueueWriteBuffer, session->queue[queue].handle, object, CL_FALSE, offset,
                      bytes, from, 0, NULL, event);
}

bool opencl_download(struct session *session, unsigned queue, void *to, struct buffer *from, size_t offset,
                     size_t bytes, struct error *err)
{
    cl_event *event = opencl_command(session, queue, err);
    if (!event)
        return false;
    cl_mem object = object_for(from, &offset, bytes);
    return cl_enqueue(session, queue, err, clEnqueueReadBuffer, session->queue[queue].handle, object, CL_FALSE, offset,
                      bytes, to, 0, NULL, event);
}
