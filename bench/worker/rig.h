#ifndef BENCH_WORKER_RIG_H
#define BENCH_WORKER_RIG_H

/* A problem set up on a device: session, buffers, the host's side of each operand, and the prepared task. It moves
 * operands through the cell's kind of memory and runs the workload's steps, timed by phase or as a whole. */

#include "bench/backends/backend.h"
#include "bench/worker/flush.h"
#include "harness/measure/fingerprint.h"

#include <stdint.h>

/* A task as the backend prepared it. */
struct prepared {
    struct task *task; /* NULL: not yet */
    char detail[DETAIL_MAX];
};

/* What fills an operand: poison, whole numbers of a range, or uniform numbers in [-1, 1) if the range is 0. */
struct content {
    bool is_poison;
    uint64_t seed;
    struct integers integers;
};

/* State of the operands that truth.c and check.c keep; rig.c only resets it. */
struct known {
    struct content content[OPERANDS_MAX];    /* that the host wrote last, other than poison */
    struct fingerprint result[OPERANDS_MAX]; /* of the latest right result for these contents, output by output */
    unsigned result_shape;                   /* the kernel shape that computed it */
    double compare_seconds[OPERANDS_MAX];    /* to compare one element with its truth, the latest value; 0: unknown */
    /* Inputs to check by, which no method can write to, and the intermediate results behind them; NULL: none yet. They
     * are kept, as allocating the memory takes longer than computing the numbers. */
    void *input[OPERANDS_MAX + 1];
    uint64_t input_seed[OPERANDS_MAX]; /* of what they hold, which follows from it */
    bool has_operands; /* the operands that are timed are on the device, and no failed run may have changed them */
};

struct rig {
    const struct backend *backend;
    struct device device;
    struct session *session;
    struct problem problem;
    const struct method *method; /* NULL for a workload that only moves data */
    enum memory memory;
    uint64_t seed; /* of all contents */
    size_t margin; /* bytes of guard band on each side of an operand; 0 outside the guard-band check */
    bool is_naive; /* naive timing: buffers by alloc_plain, results without a host array */

    struct operand operand[OPERANDS_MAX];
    unsigned operands;
    struct known known;
    struct step step[STEPS_MAX + OPERANDS_MAX]; /* those of the workload that the device needs, and repacking */
    unsigned steps;
    unsigned parts;   /* of a run */
    unsigned queues;  /* used by the steps, from 0 on */
    unsigned repacks; /* operands in a layout of the task's own, as bits 1 << operand */
    unsigned moves;   /* operands that a run uploads or downloads where the device has its own memory, as such bits */

    struct buffer *buffer[OPERANDS_MAX];
    void *host[OPERANDS_MAX];            /* margin, elements, margin; NULL if the buffer is host memory */
    struct buffer *pinned[OPERANDS_MAX]; /* whose memory `host` is; NULL: ordinary memory */
    void *view[OPERANDS_MAX];            /* the buffer's memory while it is mapped */
    /* The kernel shapes of the method, of which each is prepared when it is first used; a method without a choice has
     * one, named "". */
    char kernel_shapes[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX];
    unsigned kernel_shape_count;
    struct prepared prepared[KERNEL_SHAPES_MAX];
    unsigned kernel_shape; /* the current one */
    struct task *task;     /* its own */
    double clock_seen;     /* the latest clock reading of a slice */
    struct {
        double seconds, cpu; /* by the rig's clock, and of the processors */
    } renewing;              /* the inputs before copied runs, so far */
    struct flush *flush;     /* before each run, untimed; NULL: runs are warm */
    bool is_without_events;  /* runs take no time stamps of the device, which cost some microseconds of each */
    bool keeps_inputs;       /* copied runs find their inputs as the run before left them */
};

/* Wall seconds of one run. NAN: phases that the workload does not have, and event without a reliable device clock. */
struct run_times {
    double whole;
    double phase[STEP_KINDS];
    double event;   /* device seconds of the compute steps */
    double enqueue; /* until the calls that start the compute steps return, before the wait */
};

/* Allocates buffers and host arrays for the rig's problem. The caller has set the members above `operand`.
 * Contents are undefined. */
bool rig_alloc(struct rig *rig, struct error *err);

/* The same in two steps, so that a clock can start between them. */
bool rig_alloc_inputs(struct rig *rig, struct error *err);
bool rig_alloc_results(struct rig *rig, struct error *err);

/* The untimed part of a method: compiles and binds the kernel shape of that name, before the operands have contents. ""
 * stands for the first one, of a library for the first that it does not refuse. Fails with STATUS_UNSUPPORTED for a
 * name that the method does not have. Does nothing for a transfer. */
bool rig_prepare(struct rig *rig, const char *kernel_shape, struct error *err);

/* Makes another kernel shape the current one, and prepares it if it is new. The operands stay, but what a task keeps in
 * a layout of its own has to be written again. After a failure the former one is still the current one. */
bool rig_use_kernel_shape(struct rig *rig, const char *name, struct error *err);

/* Releases everything but the session. */
void rig_release(struct rig *rig);

/* rig_read_operand copies the device's contents to the host's side of an operand, margins included, and returns that
 * side. rig_write_operand copies the other way. Both include the layout of the task, are complete on return, and are
 * never timed. */
void *rig_read_operand(struct rig *rig, unsigned operand, struct error *err);
bool rig_write_operand(struct rig *rig, unsigned operand, struct error *err);
/* The host's side without a copy. MAP_WRITE: contents undefined; ends with rig_write_operand, or with the upload of a
 * copied run. MAP_READ: the output of the last timed copied run; ends with rig_end_access. MAP_UPDATE: the contents
 * stay and may be changed; ends as MAP_WRITE. */
void *rig_host_side(struct rig *rig, unsigned operand, enum map_mode mode, struct error *err);
/* Ends reading after rig_read_operand or rig_host_side; the device's contents stay as they are. If the device works in
 * host memory it also ends writing: the timed steps bring the contents into the layout of the task. */
bool rig_end_access(struct rig *rig, unsigned operand, struct error *err);

/* Seconds to map and unmap one page in the rig's kind of memory: the cost of handing over a buffer without a copy. NAN
 * for memory that is not mapped, and if the device works in host memory. */
bool rig_map_page(const struct rig *rig, double *seconds, struct error *err);

size_t rig_bytes(const struct rig *rig, unsigned operand); /* without margins */
bool rig_computes(const struct rig *rig);                  /* it has a compute step */

/* Wall clock of this rig, seconds. */
double rig_now(const struct rig *rig);

/* Runs the compute steps `repeat` times, then waits. 1: resident latency; more: throughput. Times are of all runs. */
bool rig_run_resident(struct rig *rig, unsigned repeat, struct run_times *out, struct error *err);

/* Starts one run without a wait, repacking included: what a simple program does. */
bool rig_run_unwaited(struct rig *rig, struct error *err);

/* Copies `bytes` of an operand at `offset` to the host and waits, for the runs before too. */
bool rig_fetch(struct rig *rig, unsigned operand, size_t offset, size_t bytes, void *to, struct error *err);

/* Runs every step. by_phase: all uploads, then all compute steps, then all downloads, whatever their order, with a wait
 * after each phase; both repackings are added up. Otherwise with one wait at the end. In mapped memory, mapping a
 * buffer waits too, unmapping does not. Before the clock starts, all threads of the host write the inputs anew, on
 * every device in the same way, unless keeps_inputs. */
bool rig_run_copied(struct rig *rig, bool by_phase, struct run_times *out, struct error *err);

#endif
