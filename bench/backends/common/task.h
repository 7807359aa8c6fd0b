#ifndef BENCH_BACKENDS_COMMON_TASK_H
#define BENCH_BACKENDS_COMMON_TASK_H

/* Tasks of backends that launch kernels or call a library: a method's routine, looked up in tables and bound to the
 * operands of a job. The functions below are those of struct backend (backend.h). */

#include "bench/backends/backend.h"

/* One way in which a task runs. What `open` returns is its own, and is passed to the others. */
struct routine {
    const char *workload, *method; /* what it is looked up by; NULL for the routine that takes all kernel texts */
    /* Everything untimed. Fills `detail`. NULL with err. */
    void *(*open)(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err);
    bool (*submit)(void *work, unsigned queue, unsigned part, struct span *span, struct error *err);
    void (*close)(void *work);
    /* As in struct backend; NULL: it computes on the operands themselves. */
    unsigned (*repacks)(const void *work);
    bool (*repack)(void *work, unsigned queue, unsigned operand, enum repack_way way, struct error *err);
};

/* Where a backend's routines are. */
struct routines {
    const char *api;                     /* "CUDA", for messages */
    const struct routine *portable;      /* runs kernel texts, and only it runs in parts */
    const struct routine *const *tables; /* NULL after the last; each table ends with a NULL workload */
};

struct task *task_prepare(const struct routines *routines, struct session *session, const struct job *job,
                          char detail[DETAIL_MAX], struct error *err);
bool task_submit(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err);
void task_discard(struct task *task);
unsigned task_repacks(const struct task *task);
bool task_repack(struct task *task, unsigned queue, unsigned operand, enum repack_way way, struct error *err);

/* Memory of zeros for what a routine's `open` returns, to be freed; NULL with err. */
void *task_work_alloc(size_t bytes, struct error *err);

#endif
