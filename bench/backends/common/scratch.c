#include "bench/backends/common/scratch.h"

#include <stdlib.h>

struct scratch_buffer *scratch_share(struct scratch_pool *pool, unsigned number, uint64_t operand, size_t bytes,
                                     struct session *session, scratch_alloc *alloc, struct error *err)
{
    struct scratch_buffer *scratch = pool->latest[number];
    if (!scratch || scratch->bytes < bytes || scratch->operand != operand) {
        scratch = calloc(1, sizeof *scratch);
        if (!scratch)
            return fail_null(err, STATUS_NO_MEMORY, "no memory for a task");
        *scratch = (struct scratch_buffer){ alloc(session, bytes, MEMORY_PAGEABLE, err), bytes, operand, 0 };
        if (!scratch->buffer) {
            free(scratch);
            return NULL;
        }
        pool->latest[number] = scratch;
    }
    scratch->users++;
    return scratch;
}

bool scratch_take(struct scratch_pool *pool, struct scratch_buffer *out[SCRATCH_MAX], struct session *session,
                  const struct device *device, const struct job *job, const struct launch *launch, scratch_alloc *alloc,
                  struct error *err)
{
    int64_t needed[SCRATCH_MAX];
    method_scratch(job->method, job->problem, device, needed);
    for (unsigned i = 0; i < SCRATCH_MAX && launch->scratch[i] > 0; i++) {
        out[i] = scratch_share(pool, i, 0, (size_t)needed[i], session, alloc, err);
        if (!out[i])
            return false;
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
