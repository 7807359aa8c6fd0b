#include "bench/backends/cpu/cpu.h"

#include "harness/base/pages.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A huge page where base pages have 4 KiB. With larger base pages huge ones are larger, too; smaps shows the result. */
static const size_t huge_page = (size_t)2 << 20;

/* Without this check the system would promise the memory, and kill a process once it is touched. */
static bool memory_fits(size_t bytes, struct error *err)
{
    double available = fmin(host_memory_available(""), (double)(SIZE_MAX / 2)); /* where it is NAN, the latter */
    if ((double)bytes <= available)
        return true;
    return fail_in(err, "alloc", STATUS_NO_MEMORY, "%s requested, %s available", text_bytes((double)bytes).text,
                   text_bytes(available).text);
}

/* Writes to every page, so that it lies on the memory node of the thread that will work on it. */
static void touch(void *context, int64_t begin, int64_t end)
{
    struct buffer *buffer = context;
    memset(buffer->memory + begin, 0, (size_t)(end - begin));
}

/* A new mapping for `bytes`, at a multiple of `alignment`; no page of it is resident yet. */
static struct buffer *buffer_map(size_t bytes, size_t alignment, enum memory memory, struct error *err)
{
    if (memory != MEMORY_PAGEABLE)
        return fail_null_in(err, "alloc", STATUS_UNSUPPORTED, "the CPU computes in host memory: there is nothing to %s",
                            memory == MEMORY_PINNED ? "pin" : "map");
    if (!memory_fits(bytes, err))
        return NULL;

    struct buffer *buffer = malloc(sizeof *buffer);
    if (buffer) {
        size_t mapped = (bytes + alignment - 1) / alignment * alignment;
        *buffer = (struct buffer){ .bytes = bytes, .mapped = mapped, .memory = pages_map(mapped, alignment) };
    }
    if (buffer && buffer->memory)
        return buffer;
    fail_in(err, "mmap", STATUS_NO_MEMORY, "%s asked for: %s", text_bytes((double)bytes).text, strerror(errno));
    free(buffer);
    return NULL;
}

struct buffer *cpu_alloc(struct session *session, size_t bytes, enum memory memory, struct error *err)
{
    size_t alignment = bytes < huge_page ? GUARD_BYTES : huge_page;
    struct buffer *buffer = buffer_map(bytes, alignment, memory, err);
    if (!buffer)
        return NULL;
    if (alignment == huge_page)
        pages_prefer_huge(buffer->memory, buffer->mapped); /* smaps shows later what was granted */
    parallel_slices(touch, buffer, 0, (int64_t)buffer->mapped, (int64_t)alignment, session->threads);
    return buffer;
}

struct buffer *cpu_alloc_plain(struct session *session, size_t bytes, enum memory memory, struct error *err)
{
    return buffer_map(bytes, GUARD_BYTES, memory, err);
}

void cpu_release(struct session *session, struct buffer *buffer)
{
    if (!buffer)
        return;
    pages_unmap(buffer->memory, buffer->mapped);
    free(buffer);
}

bool cpu_operands(const struct job *job, void *array[OPERANDS_MAX], struct error *err)
{
    struct operand operand[OPERANDS_MAX];
    unsigned operands = job->problem->workload->operands(job->problem, operand);
    for (unsigned i = 0; i < operands; i++) {
        const struct binding *binding = &job->operand[i];
        const size_t needed = (size_t)operand[i].count * dtype_bytes(operand[i].dtype);
        if (!buffer_has(binding->buffer->bytes, binding->offset, needed, err))
            return false;
        array[i] = binding->buffer->memory + binding->offset;
    }
    return true;
}
