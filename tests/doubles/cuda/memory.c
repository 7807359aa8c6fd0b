#include "double.h"

#include <string.h>
#include <sys/mman.h>

/* The data about a block of memory is in front of it. */
enum { FRONT = 4096 };
struct front {
    size_t bytes;
    struct context *context; /* the owner */
    enum held kind;
    struct front *next;
};
static struct front *fronts;

static int take(void **out, size_t bytes, enum held kind)
{
    if (!state.current)
        return INVALID_CONTEXT;
    if (bytes == 0 || bytes > (size_t)1 << 48) /* real ones answer so for a size beyond their addresses */
        return INVALID_VALUE;
    if (bytes > (size_t)number_of("CUDA_DOUBLE_MEMORY", 8L << 30) - state.current->bytes)
        return OUT_OF_MEMORY;
    char *base = mmap(NULL, bytes + FRONT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return OUT_OF_MEMORY;
    struct front *front = (struct front *)base;
    *front = (struct front){ bytes, state.current, kind, fronts };
    fronts = front;
    *out = base + FRONT;
    state.current->bytes += bytes;
    state.held[kind]++;
    return SUCCESS;
}

static int give_back(void *what, enum held kind)
{
    char *base = (char *)what - FRONT;
    const struct front front = *(struct front *)base;
    for (struct front **at = &fronts; *at; at = &(*at)->next)
        if (*at == (struct front *)base) {
            *at = front.next;
            break;
        }
    front.context->bytes -= front.bytes;
    state.held[kind]--;
    return munmap(base, front.bytes + FRONT) == 0 ? SUCCESS : INVALID_VALUE;
}

bool memory_belongs(uint64_t address, size_t bytes, const struct context *context)
{
    for (const struct front *front = fronts; front; front = front->next) {
        const uint64_t begin = (uint64_t)(uintptr_t)front + FRONT;
        if (front->kind == HELD_MEMORY && front->context == context && address >= begin &&
            address + bytes <= begin + front->bytes)
            return true;
    }
    return false;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    void *memory = NULL;
    int code = take(&memory, bytes, HELD_MEMORY);
    *address = (uint64_t)(uintptr_t)memory;
    return code;
}

int cuMemFree_v2(uint64_t address)
{
    const int planned = answer(__func__), code = give_back((void *)(uintptr_t)address, HELD_MEMORY);
    return planned != SUCCESS ? planned : code;
}

int cuMemHostAlloc(void **host, size_t bytes, unsigned flags)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    cuda_double_asked(__func__, flags);
    return take(host, bytes, HELD_HOST);
}

int cuMemFreeHost(void *host)
{
    const int planned = answer(__func__), code = give_back(host, HELD_HOST);
    return planned != SUCCESS ? planned : code;
}

int cuMemHostGetDevicePointer_v2(uint64_t *address, void *host, unsigned flags)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    *address = (uint64_t)(uintptr_t)host;
    return flags == 0 ? SUCCESS : INVALID_VALUE;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, struct stream *stream)
{
    const int planned = answer(__func__), code = stream_takes_copy(stream);
    if (planned != SUCCESS || code != SUCCESS)
        return planned != SUCCESS ? planned : code;
    const int used = stream_uses_host(stream, from, bytes, false);
    if (used != SUCCESS)
        return used;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return spoil(to, bytes);
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, struct stream *stream)
{
    const int planned = answer(__func__), code = stream_takes_copy(stream);
    if (planned != SUCCESS || code != SUCCESS)
        return planned != SUCCESS ? planned : code;
    const int used = stream_uses_host(stream, to, bytes, true);
    if (used != SUCCESS)
        return used;
    memcpy(to, (void *)(uintptr_t)from, bytes);
    return spoil((uint64_t)(uintptr_t)to, bytes);
}

/* Either end may be host memory that the device can access. */
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, const struct stream *stream)
{
    const int planned = answer(__func__), code = stream_takes_copy(stream);
    if (planned != SUCCESS || code != SUCCESS)
        return planned != SUCCESS ? planned : code;
    memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
    return spoil(to, bytes);
}
