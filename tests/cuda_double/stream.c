#include "double.h"

#include <stdlib.h>

struct event {
    double at;
};
struct stream {
    int unused;
};

int cuStreamCreate(struct stream **stream, unsigned flags)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    (void)flags;
    *stream = calloc(1, sizeof **stream);
    state.held[HELD_STREAMS]++;
    return *stream ? SUCCESS : OUT_OF_MEMORY;
}

int cuStreamDestroy_v2(struct stream *stream)
{
    free(stream);
    state.held[HELD_STREAMS]--;
    return answer(__func__);
}

int cuStreamSynchronize(struct stream *stream)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    return stream ? SUCCESS : INVALID_VALUE;
}

int cuEventCreate(struct event **event, unsigned flags)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    (void)flags;
    *event = calloc(1, sizeof **event);
    state.held[HELD_EVENTS]++;
    return *event ? SUCCESS : OUT_OF_MEMORY;
}

int cuEventDestroy_v2(struct event *event)
{
    free(event);
    state.held[HELD_EVENTS]--;
    return answer(__func__);
}

int cuEventRecord(struct event *event, struct stream *stream)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    event->at = now();
    return stream ? SUCCESS : INVALID_VALUE;
}

int cuEventElapsedTime(float *milliseconds, const struct event *start, const struct event *end)
{
    const int told = answer(__func__);
    if (told != SUCCESS)
        return told;
    *milliseconds = (float)(1e3 * (end->at - start->at));
    return SUCCESS;
}
