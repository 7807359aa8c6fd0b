#ifndef BENCH_BACKENDS_COMMON_TASK_H
#define BENCH_BACKENDS_COMMON_TASK_H

/* Tasks of backends that run kernel texts or plain C, or call a library. A method's routine is found in tables and
 * bound to the operands of a job. The functions below are those of struct backend (backend.h). */

#include "bench/backends/backend.h"

/* As in struct backend; queue and part are 0 but for the generic routine. */
typedef bool routine_submit(void *work, unsigned queue, unsigned part, struct span *span, struct error *err);
typedef bool routine_finish(struct session *session, unsigned queue, struct error *err);
typedef unsigned routine_shapes(struct session *session, const struct problem *problem, const struct method *method,
                                char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX]);

/* One way to run a task. Each file defines what its `work` points to. */
struct routine {
    const char *workload[3], *method[3]; /* that it computes; none where it runs kernel texts or plain C */
    size_t bytes;                        /* of what `work` points to; zeroed before open */
    /* Does everything untimed and fills `detail`. False with err. */
    bool (*open)(void *work, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                 struct error *err);
    routine_submit *submit;
    void (*close)(void *work); /* also after an open that failed; NULL: nothing to do */
    /* As in struct backend. NULL: it computes on the operands themselves. */
    unsigned (*repacks)(const void *work);
    bool (*repack)(void *work, unsigned operand, enum repack_way way, struct error *err);
    routine_shapes *kernel_shapes; /* of a library with several algorithms; NULL: there is one */
};

/* A library whose methods have its name in theirs. NULL for `package` if the program was built with it. */
struct build_library {
    const char *name, *package; /* "oneDNN", "libdnnl-dev"; no name after the last */
};

/* The routines of a backend for a job. */
struct routines {
    const char *api;                       /* "CUDA", for messages */
    const struct routine *generic;         /* for methods that are a kernel text or plain C */
    const struct routine *const *others;   /* of libraries, and copies; NULL after the last */
    const struct build_library *libraries; /* NULL: it needs none to be built with */
};

/* Whether a buffer of `room` bytes has so many from an offset on. */
bool buffer_has(size_t room, size_t offset, size_t bytes, struct error *err);

/* One whole run. Nothing uses the operands after it, also where it fails. A library's routine ends its `open` with one:
 * kernels are loaded or compiled at first use, and the sizes decide which. */
bool routine_run(routine_submit *submit, void *work, routine_finish *finish, struct session *session,
                 struct error *err);

unsigned task_kernel_shapes(const struct routines *routines, struct session *session, const struct problem *problem,
                            const struct method *method, char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX]);
struct task *task_prepare(const struct routines *routines, struct session *session, const struct job *job,
                          char detail[DETAIL_MAX], struct error *err);
bool task_submit(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err);
void task_discard(struct task *task);
unsigned task_repacks(const struct task *task);
bool task_repack(struct task *task, unsigned operand, enum repack_way way, struct error *err);

#endif
