#include "bench/backends/common/scratch.h"

#include <stdlib.h>

bool scratch_take(struct scratch_pool *pool, struct scratch_buffer *out[SCRATCH_MAX], struct session *session,
                  const struct device *device, const struct job *job, const struct launch *launch, scratch_alloc *alloc,
                  struct error *err)
{
    int64_t needed[SCRATCH_MAX];
    method_scratch(job->method, job->problem, device, needed);
    for (unsigned i = 0; i < SCRATCH_MAX && launch->scratch[i] > 0; i++) {
        const size_t bytes = (size_t)needed[i];
        if (!pool->latest[i] || pool->latest[i]->bytes < bytes) {
            struct scratch_buffer *scratch = calloc(1, sizeof *scratch);
            if (!scratch)
                return fail(err, STATUS_NO_MEMORY, "no memory for a task");
            scratch->bytes = bytes;
            scratch->buffer = alloc(session, bytes, MEMORY_PAGEABLE, err);
            if (!scratch->buffer) {
                free(scratch);
                return false;
            }
            pool->latest[i] = scratch;
        }
        out[i] = pool->latest[i];
        out[i]->users++;
    }
    return true;
}

void scratch_give(struct scratch_pool *pool, struct scratch_buffer *taken[SCRATCH_MAX], struct session *session,
                  scratch_release *release)
{
    for (unsigned i = 0; i < SCRATCH_MAX; i++) {
        if (!taken[i] || --taken[i]->users > 0)
            continue;
        if (pool->latest[i] == taken[i])
            pool->latest[i] = NULL;
        release(session, taken[i]->buffer);
        free(taken[i]);
    }
}
