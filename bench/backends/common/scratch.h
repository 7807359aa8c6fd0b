#ifndef BENCH_BACKENDS_COMMON_SCRATCH_H
#define BENCH_BACKENDS_COMMON_SCRATCH_H

/* Device memory that tasks need beside their operands: between the passes of a kernel text, as a library's workspace,
 * and for operands in a layout of the task's own. The tasks of a session share it, because only one has work on a queue
 * at a time: a method with ten kernel shapes needs no more memory than with one. */

#include "bench/backends/backend.h"

struct scratch_buffer {
    struct buffer *buffer;
    size_t bytes;
    uint64_t operand; /* address of the one that is kept in it; 0: its contents are lost between runs */
    unsigned users;   /* tasks */
};

/* What a session keeps: the latest of each. */
struct scratch_pool {
    struct scratch_buffer *latest[SCRATCH_MAX];
};

typedef struct buffer *scratch_alloc(struct session *session, size_t bytes, enum memory memory, struct error *err);
typedef void scratch_release(struct session *session, struct buffer *buffer);

/* The buffer of that number, of so many bytes or more. Those of two operands are never the same. NULL with err. */
struct scratch_buffer *scratch_share(struct scratch_pool *pool, unsigned number, uint64_t operand, size_t bytes,
                                     struct session *session, scratch_alloc *alloc, struct error *err);

/* Fills out[i] for each launch->scratch[i], as large as the largest that a kernel shape of the method needs; the others
 * become NULL. To be given back in either case. */
bool scratch_take(struct scratch_pool *pool, struct scratch_buffer *out[SCRATCH_MAX], struct session *session,
                  const struct device *device, const struct job *job, const struct launch *launch, scratch_alloc *alloc,
                  struct error *err);
void scratch_give(struct scratch_pool *pool, struct scratch_buffer *taken[SCRATCH_MAX], struct session *session,
                  scratch_release *release);

#endif
