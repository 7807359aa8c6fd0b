#include "double.h"

#include <stdlib.h>

struct event {
    double at; /* 0: no time was recorded */
    const struct context *context;
    unsigned flags;
    struct order order; /* of what waits for it */
};
enum { HAS_NO_TIME = 2 };

/* Host memory that copies used which the host has not waited for. */
enum { USES = 64 };
static struct use {
    uintptr_t begin;
    size_t bytes; /* 0: over */
    bool writes;
    unsigned stream;
    unsigned long copy;
} uses[USES];
static unsigned long copies;
static unsigned streams; /* created so far */

static bool is_over(const struct use *use, const struct order *order)
{
    return use->copy <= order->after[use->stream];
}

/* The host has waited for all of that. */
static void end_uses(const struct order *order)
{
    for (unsigned i = 0; i < USES; i++)
        if (is_over(&uses[i], order))
            uses[i].bytes = 0;
}

int stream_uses_host(struct stream *stream, const void *host, size_t bytes, bool writes)
{
    const struct use own = { (uintptr_t)host, bytes, writes, stream->number, ++copies };
    struct use *oldest = uses;
    for (struct use *use = uses; use < uses + USES; use++) {
        bool overlaps = use->bytes > 0 && own.begin < use->begin + use->bytes && use->begin < own.begin + own.bytes;
        if (overlaps && (writes || use->writes) && use->stream != own.stream && !is_over(use, &stream->order))
            return INVALID_VALUE;
        oldest = use->bytes == 0 || (oldest->bytes > 0 && use->copy < oldest->copy) ? use : oldest;
    }
    *oldest = own;
    stream->order.after[own.stream] = own.copy;
    return SUCCESS;
}

bool stream_is_current(const struct stream *stream)
{
    return stream && stream->context == state.current;
}

int stream_takes_copy(const struct stream *stream)
{
    return !stream_is_current(stream) ? INVALID_HANDLE : stream->recording ? CAPTURE_UNSUPPORTED : SUCCESS;
}

int cuStreamCreate(struct stream **stream, unsigned flags)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    cuda_double_asked(__func__, flags);
    *stream = calloc(1, sizeof **stream);
    if (!*stream)
        return OUT_OF_MEMORY;
    (*stream)->context = state.current;
    (*stream)->number = streams++ % ORDERED_STREAMS;
    state.held[HELD_STREAMS]++;
    return SUCCESS;
}

int cuStreamDestroy_v2(struct stream *stream)
{
    free(stream);
    state.held[HELD_STREAMS]--;
    return answer(__func__);
}

int cuStreamSynchronize(struct stream *stream)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    if (!stream)
        return INVALID_VALUE;
    end_uses(&stream->order);
    return stream->recording ? CAPTURE_UNSUPPORTED : SUCCESS;
}

int cuEventCreate(struct event **event, unsigned flags)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    cuda_double_asked(__func__, flags);
    *event = calloc(1, sizeof **event);
    if (!*event)
        return OUT_OF_MEMORY;
    **event = (struct event){ .context = state.current, .flags = flags };
    state.held[HELD_EVENTS]++;
    return SUCCESS;
}

int cuEventDestroy_v2(struct event *event)
{
    free(event);
    state.held[HELD_EVENTS]--;
    return answer(__func__);
}

int cuEventRecord(struct event *event, struct stream *stream)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    if (!stream || stream->context != event->context)
        return INVALID_HANDLE;
    event->at = stream->recording ? 0 : now();
    event->order = stream->order;
    return SUCCESS;
}

int cuEventSynchronize(struct event *event)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    if (!event)
        return INVALID_VALUE;
    end_uses(&event->order);
    return SUCCESS;
}

int cuEventElapsedTime(float *milliseconds, const struct event *start, const struct event *end)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    if (start->at == 0 || end->at == 0 || (start->flags | end->flags) & HAS_NO_TIME)
        return INVALID_HANDLE;
    *milliseconds = (float)(1e3 * (end->at - start->at));
    return SUCCESS;
}
