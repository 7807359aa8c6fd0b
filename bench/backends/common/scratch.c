#include "bench/backends/common/scratch.h"

#include <stdlib.h>

/* Bytes of one buffer that is enough for every kernel shape. */
static int64_t bytes_needed(const struct job *job, const struct device *device, const struct launch *launch, unsigned i)
{
    const unsigned count = method_kernel_shapes(job->method, job->problem, device);
    int64_t most = launch->scratch[i];
    for (unsigned shape = 0; shape < count; shape++) {
        struct launch other;
        job->method->portable->launch(job->problem, device, shape, &other);
        most = other.scratch[i] > most ? other.scratch[i] : most;
    }
    return most;
}

bool scratch_take(struct scratch_pool *pool, struct scratch *out[SCRATCH_MAX], struct session *session,
                  const struct device *device, const struct job *job, const struct launch *launch, scratch_alloc *alloc,
                  struct error *err)
{
    for (unsigned i = 0; i < SCRATCH_MAX && launch->scratch[i] > 0; i++) {
        const size_t bytes = (size_t)bytes_needed(job, device, launch, i);
        if (!pool->latest[i] || pool->latest[i]->bytes < bytes) {
            struct scratch *scratch = calloc(1, sizeof *scratch);
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

void scratch_give(struct scratch_pool *pool, struct scratch *taken[SCRATCH_MAX], struct session *session,
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
