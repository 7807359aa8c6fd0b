#ifndef BENCH_WORKER_RIG_H
#define BENCH_WORKER_RIG_H

/* A problem set up on a device: session, buffers, the host's side of each operand, and the prepared task. It moves
 * operands by the memory kind that the cell names, and runs the workload's steps, timed by phase or as a whole. */

#include "bench/backends/backend.h"
#include "bench/worker/flush.h"

#include <stdint.h>

struct rig {
    const struct backend *backend;
    struct device device;
    struct session *session;
    struct problem problem;
    const struct method *method; /* NULL for a workload that only moves data */
    enum memory memory;
    size_t margin; /* bytes of guard band around each operand; 0 but in the guard-band check */
    bool is_plain; /* its buffers are what any program gets (alloc_plain) */

    struct operand operand[OPERANDS_MAX];
    unsigned operands;
    struct step step[STEPS_MAX + OPERANDS_MAX]; /* the workload's that the device needs, and the repackings */
    unsigned steps;
    unsigned parts;   /* that the task computes a run in */
    unsigned queues;  /* that the steps use, from 0 on */
    unsigned repacks; /* operands that the task keeps in a layout of its own, as bits 1 << operand */

    struct buffer *buffer[OPERANDS_MAX];
    void *host[OPERANDS_MAX]; /* margin, elements, margin; NULL where the buffer itself is host memory */
    void *view[OPERANDS_MAX]; /* the buffer's own memory while it is mapped */
    struct task *task;
    double latest;       /* what the clock said last in a slice: it only goes on */
    struct flush *flush; /* of the caches, before each run and untimed; NULL: runs are warm */
    char detail[DETAIL_MAX];
};

/* What one run took, wall seconds; phases that the workload does not have are NAN, and so is event without a
 * trustworthy device clock. */
struct run_times {
    double whole;
    double phase[STEP_KINDS];
    double event;   /* device seconds of the compute steps */
    double enqueue; /* until the calls that start the compute steps had returned, before the wait */
};

/* Buffers and host arrays for the rig's problem, which the caller has filled in together with session, device, memory
 * and margin. Contents are undefined. */
bool rig_alloc(struct rig *rig, struct error *err);

/* The same in two steps, for a clock to be started between them: all that inputs need, and after that the buffers of
 * the results, which have no array of the host's own beside them then. */
bool rig_alloc_inputs(struct rig *rig, struct error *err);
bool rig_alloc_results(struct rig *rig, struct error *err);

/* The untimed part of a method: compile and bind, before there is anything in the operands. Nothing to do for a
 * workload that only moves data. */
bool rig_prepare(struct rig *rig, struct error *err);

/* Gives back everything but the session. */
void rig_release(struct rig *rig);

/* The host's side of an operand, margins included, for reading and writing between the calls below. rig_take brings the
 * device's contents to it, rig_put the reverse; both are complete on return and neither is part of a timed run. They
 * reach as far as the task computes: into the layout that it keeps an operand in, and back from there. */
void *rig_take(struct rig *rig, unsigned operand, struct error *err);
bool rig_put(struct rig *rig, unsigned operand, struct error *err);
/* The host's side, for writing it anew: contents undefined. Ends with rig_put. */
void *rig_write(struct rig *rig, unsigned operand, struct error *err);
/* The host's side of an output as timed runs have left it, with what the last offload brought there; ends with
 * rig_leave. rig_take would bring it once more. */
void *rig_read_host(struct rig *rig, unsigned operand, struct error *err);
bool rig_brings(const struct rig *rig, unsigned operand); /* offload ends with bringing it there */
/* Ends reading what rig_take gave, leaving the device's contents as they are. Where the device works in host memory it
 * also ends writing, for the timed steps to bring what was written into the layout of the task. */
bool rig_leave(struct rig *rig, unsigned operand, struct error *err);

/* Seconds that mapping and giving back a page takes, in the rig's kind of memory: what handing over a buffer costs
 * where nothing is copied. NAN in kinds that are not mapped in place, and where memory itself is the operand. */
bool rig_map_page(const struct rig *rig, double *seconds, struct error *err);

size_t rig_bytes(const struct rig *rig, unsigned operand);      /* without margins */
size_t rig_bytes_held(const struct rig *rig, unsigned operand); /* with them */
bool rig_computes(const struct rig *rig);                       /* the workload has a compute step */

/* Wall clock of this rig, seconds. */
double rig_now(const struct rig *rig);

/* One run of the compute steps and a wait: resident latency. `repeat` runs before the one wait: throughput; times are
 * of all of them together. */
bool rig_compute(struct rig *rig, unsigned repeat, struct run_times *out, struct error *err);

/* The same run without a wait, from the layout that the workload states and back to it: what a program starts that
 * thinks no further. */
bool rig_start(struct rig *rig, struct error *err);

/* Brings `bytes` of an operand from `offset` on to the host, and waits for that, and so for all that was started. */
bool rig_fetch(struct rig *rig, unsigned operand, size_t offset, size_t bytes, void *to, struct error *err);

/* One run of every step, with a wait after each phase (by_phase: all uploads, then all that computes, then all
 * downloads, whatever the order of the steps is; a phase that comes twice, such as repacking there and back, is the sum
 * of both), or with one wait at the end. Mapping a buffer is a wait of its own, which no run in a
 * mapped kind can do without; giving it back is not. Where data is born in mapped memory, the host writes it anew
 * before the clock starts. */
bool rig_offload(struct rig *rig, bool by_phase, struct run_times *out, struct error *err);

#endif
