#include "double.h"

#include <stdlib.h>
#include <string.h>

/* Which context has access to which other context's memory. */
static bool is_enabled[DEVICES][DEVICES];

static long number_of_context(const struct context *context)
{
    return context - state.context;
}

/* Two GPUs can access each other's memory, with CUDA_DOUBLE_APART=all none, with "0" GPU 0 alone cannot. */
static bool is_connected(long one, long other)
{
    const char *apart = getenv("CUDA_DOUBLE_APART");
    return one != other && !(apart && (strcmp(apart, "all") == 0 || atol(apart) == one));
}

int cuCtxEnablePeerAccess(struct context *other, unsigned flags)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    if (!state.current || !other || flags != 0)
        return INVALID_VALUE;
    const long from = number_of_context(state.current), to = number_of_context(other);
    if (!is_connected(from, to))
        return PEER_ACCESS_UNSUPPORTED;
    if (is_enabled[from][to])
        return PEER_ACCESS_ALREADY_ENABLED;
    is_enabled[from][to] = true;
    return SUCCESS;
}

/* Each end must be in the memory of its context. */
int cuMemcpyPeerAsync(uint64_t to, const struct context *to_context, uint64_t from, const struct context *from_context,
                      size_t bytes, const struct stream *stream)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    const int code = stream_takes_copy(stream);
    if (code != SUCCESS)
        return code;
    if (!memory_belongs(to, bytes, to_context) || !memory_belongs(from, bytes, from_context))
        return INVALID_VALUE;
    memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
    return spoil(to, bytes);
}
