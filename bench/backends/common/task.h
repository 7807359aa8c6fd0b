#ifndef BENCH_BACKENDS_COMMON_TASK_H
#define BENCH_BACKENDS_COMMON_TASK_H

/* Tasks of backends that launch kernels or call a library. A method's routine is found in tables and bound to the
 * operands of a job. The functions below are those of struct backend (backend.h). */

#include "bench/backends/backend.h"

/* One way to run a task. `open` returns its own data, which the others get. */
struct routine {
    const char *workload, *method; /* the key; NULL for the routine that runs kernel texts */
    /* Does everything untimed and fills `detail`. NULL with err. */
    void *(*open)(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err);
    bool (*submit)(void *work, unsigned queue, unsigned part, struct span *span, struct error *err);
    void (*close)(void *work);
    /* As in struct backend. NULL: it computes on the operands themselves. */
    unsigned (*repacks)(const void *work);
    bool (*repack)(void *work, unsigned queue, unsigned operand, enum repack_way way, struct error *err);
};

/* The routines of a backend. */
struct routines {
    const char *api;                     /* "CUDA", for messages */
    const struct routine *portable;      /* runs kernel texts; the only one that can run in parts */
    const struct routine *const *tables; /* NULL after the last; each table ends with a NULL workload */
};

struct task *task_prepare(const struct routines *routines, struct session *session, const struct job *job,
                          char detail[DETAIL_MAX], struct error *err);
bool task_submit(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err);
void task_discard(struct task *task);
unsigned task_repacks(const struct task *task);
bool task_repack(struct task *task, unsigned queue, unsigned operand, enum repack_way way, struct error *err);

/* Zeroed memory for the data that `open` returns, to be freed. NULL with err. */
void *task_work_alloc(size_t bytes, struct error *err);

#endif
