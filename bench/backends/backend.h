#ifndef BENCH_BACKENDS_BACKEND_H
#define BENCH_BACKENDS_BACKEND_H

/* What a backend must define for an API. A backend is a folder that ends in one `const struct backend`, and one word in
 * the list of meson.build. It defines its own struct session, struct buffer and struct task. It runs in a worker
 * process, one for each cell, so it need not be thread-safe, nor survive a driver that crashes. Functions return true,
 * or false (NULL) with err filled: err->where is the API's function, err->message its answer. Releasing NULL is fine.
 *
 * STATUS_UNSUPPORTED is an ordinary answer ("the device has no double precision"). A refused allocation is
 * STATUS_NO_MEMORY, everything else that goes wrong STATUS_FAILED. */

#include "bench/workloads/workload.h"
#include "harness/base/error.h"
#include "harness/machine/device.h"
#include "harness/machine/gpu_state.h"

#include <stdbool.h>
#include <stddef.h>

struct session;
struct buffer;
struct task;

/* Start and end of a run on the device's own clock, seconds; NAN when it has none. Only the difference has a meaning:
 * the next span may count from another moment. */
struct span {
    double start, end;
};

/* A buffer, or a window into one: the check of guard bands places an operand in the middle of a larger buffer. Offsets
 * are multiples of GUARD_BYTES. */
struct binding {
    struct buffer *buffer;
    size_t offset, bytes;
};
enum { GUARD_BYTES = 4096 };

/* What `prepare` prepares. */
struct job {
    const struct problem *problem;
    const struct method *method;
    struct binding operand[OPERANDS_MAX]; /* in the order of workload->operands */
    unsigned parts;                       /* of one run; 0 means 1 */
    unsigned kernel_shape;                /* number of the kernel shape */
};

/* One place where a backend looks for devices, such as one OpenCL driver. Listing it and running its devices happen in
 * workers of its own. */
struct source {
    char text[DEVICE_SOURCE];
};
enum { SOURCES_MAX = 32 };

/* What the host does with a buffer that it maps. MAP_WRITE: it writes all of it; the old contents are undefined, which
 * saves a copy. MAP_READ: it only reads; what it writes is lost. MAP_UPDATE: it reads and writes. */
enum map_mode { MAP_READ, MAP_WRITE, MAP_UPDATE };

/* From the workload's layout into the task's, or back. */
enum repack_way { REPACK_IN, REPACK_BACK };

/* Reads the state of the hardware below a device by its vendor's management library or the kernel's files, whatever API
 * computes on it. Each call takes up to some milliseconds, so never call it in a timed section. No call fails: what
 * cannot be read is unknown, and after the device is lost everything is. */
struct watch;
struct monitor {
    /* NULL: another vendor's device, or no library or files. Call it in the process that computes, after that has
     * opened the device, so that it finds the memory of the context. */
    struct watch *(*open)(const struct device *device);
    void (*close)(struct watch *watch);
    /* Everything, or only the clocks and what limits them. */
    void (*read)(struct watch *watch, bool everything, struct gpu_state *out);
    /* Bytes of the device that this process holds; NAN unknown. NULL: never known. */
    double (*own_memory)(struct watch *watch);
    /* Seconds in which a reason held the clock down, since some moment, by reason; NAN where they are not counted.
     * NULL: none is. */
    void (*held)(struct watch *watch, struct held *out);
    /* The energy counter of the whole board, idle power included, joules since some moment; NAN where there is none. It
     * advances every 20 to 100 ms, on some boards more often. */
    double (*joules)(struct watch *watch);
};

struct backend {
    const char *name, *summary;
    bool one_device;    /* the name of its only device is that of the backend: "cpu", not "cpu:0" */
    bool only_if_named; /* "all" does not include it: for tests */
    /* The worker that lists devices stays until the run ends: without another client the driver initialises a device
     * anew for each worker, for seconds. */
    bool stays_after_listing;
    /* A GPU within the chip does not cache mapped memory: rows in memory of its own are measured beside those in mapped
     * memory, in every suite. */
    bool is_mapped_uncached;
    /* A GPU that this backend lists as well as that one is measured by this one alone, where it has this library,
     * unless the user wants both. NULL: no other. */
    const char *instead_of, *compiler;

    /* Where to look for devices. Runs in the parent, so it loads no driver. Writes at most `room` sources and returns
     * how many; if none, err may say why ("no OpenCL driver was found"). NULL: one source, "". Where none of them
     * has a device, "" is listed too: what the API's own loader finds. */
    unsigned (*sources)(struct source out[], unsigned room, struct error *err);

    /* Lists the devices of one source in a stable order, with all members but id and source. If there are none, *count
     * is 0 and err says why. False only if the driver failed. */
    bool (*list)(const char *source, struct device out[], unsigned room, unsigned *count, struct error *err);

    /* Opens a device that `list` described, for so many CPU threads; 0: the backend chooses. */
    struct session *(*open)(const struct device *device, unsigned threads, struct error *err);
    void (*close)(struct session *session);

    /* Memory that the device computes on. MEMORY_MAPPED and MEMORY_MAPPED_COPY buffers can be mapped; others are
     * uploaded to and downloaded from. Contents are undefined. */
    struct buffer *(*alloc)(struct session *session, size_t bytes, enum memory memory, struct error *err);
    /* The same for naive timing: ordinary pages that nothing has touched. NULL: there is no difference. */
    struct buffer *(*alloc_plain)(struct session *session, size_t bytes, enum memory memory, struct error *err);
    /* Call finish first for each queue on which a command uses it: after a failure, too. It may still be mapped. */
    void (*release)(struct session *session, struct buffer *buffer);

    /* Gives the host the whole buffer until unmap. map waits for queue 0 and is complete on return; unmap is a command
     * of queue 0, asynchronous until finish; NULL where there is nothing to do, as the memory is the host's all the
     * time. Without map MEMORY_MAPPED is unsupported. A MEMORY_MAPPED buffer that stays mapped is page-locked host
     * memory to upload from and download to (MEMORY_PINNED). */
    void *(*map)(struct session *session, struct buffer *buffer, enum map_mode mode, struct error *err);
    bool (*unmap)(struct session *session, struct buffer *buffer, struct error *err);

    /* Asynchronous until finish. Queues are numbered from 0; commands of one queue run in order, those of two in any
     * order. `offset` is in bytes of the buffer; the host's pointer is to the bytes themselves. Both are NULL where all
     * devices work in host memory. */
    bool (*upload)(struct session *session, unsigned queue, struct buffer *to, size_t offset, const void *from,
                   size_t bytes, struct error *err);
    bool (*download)(struct session *session, unsigned queue, void *to, struct buffer *from, size_t offset,
                     size_t bytes, struct error *err);

    /* Writes the names of the method's kernel shapes for the problem, best guess first, and returns how many there are;
     * 0: the method has no choice. NULL: no method has. Those of a library are the algorithms that it offers. */
    unsigned (*kernel_shapes)(struct session *session, const struct problem *problem, const struct method *method,
                              char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX]);

    /* Everything that is not timed: compile, bind, plan; a library that compiles at its first call is called once.
     * `detail` gets how the method will run ("width 16, streaming stores"); of a library its name and version, and
     * which operands it keeps in a layout of its own. A method that cannot be cut into job->parts is unsupported, and
     * so is a kernel shape beyond the registers, local memory or group size of the device. A session may have several
     * tasks on the same operands; only one at a time has work on a queue. */
    struct task *(*prepare)(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err);
    /* The timed call: puts one part of a run on the queue; part 0 of 1 is the whole run. The span may be NULL; finish
     * fills it, and before that no other run has one. With several parts, part 0 starts it and the last part ends it,
     * on the same queue; the others may have none. For a method of LAUNCH_GRAPH part 0 is all parts. */
    bool (*submit)(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err);
    void (*discard)(struct task *task);

    /* The operands that the task keeps in a layout of its own, as bits 1 << operand. The buffer of such an operand has
     * the workload's layout, for the host; the task computes on arrays that it owns. NULL functions: tasks work on the
     * buffers themselves. */
    unsigned (*repacks)(const struct task *task);
    /* Copies one of them from its buffer into the task's layout, or back, on queue 0; asynchronous until finish. */
    bool (*repack)(struct task *task, unsigned operand, enum repack_way way, struct error *err);

    /* A real wait: on return all work of the queue is done and its results are visible, and work of other queues has at
     * least been started. */
    bool (*finish)(struct session *session, unsigned queue, struct error *err);

    /* How finish waits, which decides what waiting costs the host: "none" (the caller's own processors do the work),
     * "driver" (its choice), "spin", "block". A method of LAUNCH_SLEEP always sleeps. */
    const char *wait;

    /* Read the state of its devices: the first that opens does. Ends with NULL; NULL: nothing can. */
    const struct monitor *const *monitors;

    /* The clock to use instead of clock_wall, for a device with scripted times; NULL everywhere else. */
    double (*now)(struct session *session);
};

#endif
