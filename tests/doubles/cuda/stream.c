#include "double.h"

#include <stdlib.h>

struct event {
    double at; /* 0: no time was recorded */
    const struct context *context;
    unsigned flags;
};
enum { HAS_NO_TIME = 2 };

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
    (void)flags;
    *stream = calloc(1, sizeof **stream);
    if (!*stream)
        return OUT_OF_MEMORY;
    (*stream)->context = state.current;
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
    return stream->recording ? CAPTURE_UNSUPPORTED : SUCCESS;
}

int cuEventCreate(struct event **event, unsigned flags)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    *event = calloc(1, sizeof **event);
    if (!*event)
        return OUT_OF_MEMORY;
    **event = (struct event){ 0, state.current, flags };
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
    return SUCCESS;
}

/* A stream may wait for an event of any context. */
int cuStreamWaitEvent(const struct stream *stream, const struct event *event, unsigned flags)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    return stream && event && event->at > 0 && flags == 0 ? SUCCESS : INVALID_VALUE;
}

int cuEventSynchronize(struct event *event)
{
    const int planned = answer(__func__);
    if (planned != SUCCESS)
        return planned;
    return event ? SUCCESS : INVALID_VALUE;
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
