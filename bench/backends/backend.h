#ifndef BENCH_BACKENDS_BACKEND_H
#define BENCH_BACKENDS_BACKEND_H

/* The contract with an API. A backend is one file that ends in one `const struct backend`, and one line in registry.c.
 * It defines struct session, struct buffer and struct task for itself. All of it runs in a worker, one worker for one
 * cell, so a backend need not be thread-safe, nor survive a driver that is not. Functions return true, or false (NULL)
 * with err filled; err->where names the API's entry point, err->message says what it answered. Releasing NULL is fine.
 *
 * STATUS_UNSUPPORTED is an ordinary honest answer ("the device has no double precision"); STATUS_NO_MEMORY is what
 * every refused allocation says; anything else that goes wrong is STATUS_FAILED. */

#include "bench/workloads/workload.h"
#include "harness/base/error.h"
#include "harness/machine/device.h"
#include "harness/machine/gpu_state.h"

#include <stdbool.h>
#include <stddef.h>

struct session;
struct buffer;
struct task;

/* When a device began and ended one command, in seconds on a clock of its own; NAN when it has no clock or does not
 * tell. Only what lies between them means something: the next span may count from another moment. */
struct span {
    double start, end;
};

/* Whole buffers, or a window into one: `offset` and `bytes` matter only to the guard-band check, which places an
 * operand in the middle of a larger buffer. Offsets are multiples of GUARD_BYTES. */
struct binding {
    struct buffer *buffer;
    size_t offset, bytes;
};
enum { GUARD_BYTES = 4096 };

/* What prepare is asked for. */
struct job {
    const struct problem *problem;
    const struct method *method;
    struct binding operand[OPERANDS_MAX]; /* in the order of workload->operands */
    unsigned parts;                       /* that one run is cut into; 0 stands for 1 */
};

/* One place where a backend looks for devices, such as one ICD. Each is listed, and its devices run, in workers of
 * their own. */
struct source {
    char text[200];
};
enum { SOURCES_MAX = 32 };

/* What the host is about to do with a buffer that it maps. MAP_WRITE: write all of it anew; until then it may hold
 * anything, since fetching what is overwritten would cost a copy. MAP_READ: read it; what is written is lost. */
enum map_mode { MAP_READ, MAP_WRITE };

/* Into the layout that a task computes in, or back to the one that the workload states. */
enum repack_way { REPACK_IN, REPACK_BACK };

/* What tells the state of the silicon below a device: its maker's management library, whatever API computes on it. Each
 * call takes up to some milliseconds, so it is none for a timed stretch. What cannot be told is unknown, and so is
 * everything from the moment on at which the device is lost: none of this ever fails. */
struct watch;
struct monitor {
    /* NULL: it is not of this maker, or nothing tells. In the process that computes, once that has opened the device,
     * so that the memory of its context is found. */
    struct watch *(*open)(const struct device *device);
    void (*close)(struct watch *watch);
    void (*read_clocks)(struct watch *watch, struct gpu_state *out); /* clocks, and what holds them down */
    void (*read)(struct watch *watch, struct gpu_state *out);        /* all of it */
    /* Joules by its counter since some moment, NAN where it has none: of the whole board, idle power included. It moves
     * every 20 to 100 ms, and more often on some. */
    double (*joules)(struct watch *watch);
};

struct backend {
    const char *name, *summary;
    bool one_device;    /* its only device is called by the backend's name: "cpu", not "cpu:0" */
    bool only_if_named; /* never part of "all": for tests */

    /* Where to look, without loading a driver: runs in the parent. Writes at most `room` sources and returns how many;
     * with none, err says why in one sentence ("no OpenCL driver is installed"), or nothing if it is not worth a line.
     * NULL: exactly one source, "". */
    unsigned (*sources)(struct source out[], unsigned room, struct error *err);

    /* Lists the devices of one source in a stable order. None is no error: *count is 0 and err says why. False only
     * when the driver itself failed. Fills everything of a device but id and source. */
    bool (*list)(const char *source, struct device out[], unsigned room, unsigned *count, struct error *err);

    /* Opens what list described; `threads` is the CPU threads to use, 0 for the backend's own choice. */
    struct session *(*open)(const struct device *device, unsigned threads, struct error *err);
    void (*close)(struct session *session);

    /* Memory the device computes on. `memory` says how the host reaches it: MEMORY_MAPPED (and _COPY) buffers can be
     * mapped, others uploaded to and downloaded from. Contents are undefined. */
    struct buffer *(*alloc)(struct session *session, size_t bytes, enum memory memory, struct error *err);
    /* The same, of pages as any program gets them that does not ask for better ones, and that nobody has touched: what
     * naive timing is about. NULL: there is no difference. */
    struct buffer *(*alloc_plain)(struct session *session, size_t bytes, enum memory memory, struct error *err);
    void (*release)(struct session *session, struct buffer *buffer);

    /* Host memory to upload from and download to, of the kind asked for (mapped kinds: ordinary memory). */
    void *(*host_alloc)(struct session *session, size_t bytes, enum memory memory, struct error *err);
    void (*host_release)(struct session *session, void *host);

    /* Gives the host the whole buffer until unmap gives it back. map waits for what is on queue 0 and is complete on
     * return; unmap is one more command of queue 0, asynchronous until finish. A device that works in host memory
     * returns the memory itself; NULL functions: MEMORY_MAPPED is unsupported. */
    void *(*map)(struct session *session, struct buffer *buffer, enum map_mode mode, struct error *err);
    bool (*unmap)(struct session *session, struct buffer *buffer, struct error *err);

    /* Asynchronous until finish, which also fills the spans handed in since the last one; span may be NULL. Queues are
     * numbered from 0; commands of one queue run in order, those of two in any. `offset` is bytes into the buffer; the
     * host's pointer is where the bytes themselves are. */
    bool (*upload)(struct session *session, unsigned queue, struct buffer *to, size_t offset, const void *from,
                   size_t bytes, struct span *span, struct error *err);
    bool (*download)(struct session *session, unsigned queue, void *to, struct buffer *from, size_t offset,
                     size_t bytes, struct span *span, struct error *err);

    /* Everything untimed: compile, bind, plan; a library that compiles at its first call is called once. The text of
     * how it will run goes to `detail` ("width 16, non-temporal stores"): for a library its name and version, and the
     * layout of operands where it is not the workload's. A method that cannot be cut into job->parts is unsupported. */
    struct task *(*prepare)(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err);
    /* The timed call: puts one part of a run on the queue, part 0 of 1 being all of it. A span handed in with several
     * parts is begun by part 0 and ended by the last one, on the same queue; those in between may go without. Of a
     * method of LAUNCH_GRAPH part 0 is all of them. */
    bool (*submit)(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err);
    void (*discard)(struct task *task);

    /* Which operands the task keeps in a layout of its own, as bits 1 << operand. Such an operand's buffer holds what
     * the workload states and the host reads and writes; the task computes on arrays that it owns. NULL functions:
     * tasks work on the buffers themselves. */
    unsigned (*repacks)(const struct task *task);
    /* Brings one of them from its buffer into the task's layout, or back; asynchronous until finish. */
    bool (*repack)(struct task *task, unsigned queue, unsigned operand, enum repack_way way, struct error *err);

    /* A real wait: on return all work of the queue is done and its results are visible. Work of other queues is on its
     * way by then, at the latest. */
    bool (*finish)(struct session *session, unsigned queue, struct error *err);

    /* How finish waits, but for a prepared method of LAUNCH_SLEEP, which decides what waiting costs the host: "none"
     * (the work is done on the caller's own processors), "driver" (its choice), "spin", "block". */
    const char *wait;

    /* What tells the state of its devices; NULL: nothing does. */
    const struct monitor *monitor;

    /* The wall clock to use instead of clock_wall, for a device whose time is scripted; NULL everywhere else. */
    double (*now)(struct session *session);
};

#endif
