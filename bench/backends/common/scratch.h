#ifndef BENCH_BACKENDS_COMMON_SCRATCH_H
#define BENCH_BACKENDS_COMMON_SCRATCH_H

/* Device memory between the passes of a kernel text. The tasks of a session share it, because only one has work on a
 * queue at a time: a method with ten kernel shapes needs no more memory than with one. */

#include "bench/backends/backend.h"

struct scratch_buffer {
    struct buffer *buffer;
    size_t bytes;
    unsigned users; /* tasks */
};

/* What a session keeps: the latest of each. */
struct scratch_pool {
    struct scratch_buffer *latest[SCRATCH_MAX];
};

typedef struct buffer *scratch_alloc(struct session *session, size_t bytes, enum memory memory, struct error *err);
typedef void scratch_release(struct session *session, struct buffer *buffer);

/* Fills out[i] for each launch->scratch[i], as large as the largest that a kernel shape of the method needs; the others
 * become NULL. To be given back in either case. */
bool scratch_take(struct scratch_pool *pool, struct scratch_buffer *out[SCRATCH_MAX], struct session *session,
                  const struct device *device, const struct job *job, const struct launch *launch, scratch_alloc *alloc,
                  struct error *err);
void scratch_give(struct scratch_pool *pool, struct scratch_buffer *taken[SCRATCH_MAX], struct session *session,
                  scratch_release *release);

#endif
