#ifndef TESTS_DOUBLES_CUDA_DOUBLE_H
#define TESTS_DOUBLES_CUDA_DOUBLE_H

/* A libcuda.so.1 for tests. Its GPUs use the host's memory, and the double of NVRTC compiles their kernels for the
 * host. It shows that the backend calls the driver correctly, and nothing about GPUs. Each file has the functions of
 * one subject. Environment:
 *
 *   CUDA_DOUBLE_DEVICES   number of GPUs; 1
 *   CUDA_DOUBLE_MEMORY    bytes of each; 8 GiB
 *   CUDA_DOUBLE_VERSION   of CUDA, as the driver reports it; 12040
 *   CUDA_DOUBLE_CAPABILITY  of each GPU; 9.0
 *   CUDA_DOUBLE_APART     anything: no GPU can access the memory of another
 *   CUDA_DOUBLE_SOC       anything: no GPU is on a PCI bus, like those of Tegra
 *   CUDA_DOUBLE_FAULT     "NAME NUMBER KIND, ...": that call of that function fails with the code KIND, hangs or
 *                         crashes; number 0: each call. After an error that poisons a context, every call returns it
 *   CUDA_DOUBLE_ONCE      file that the first fault creates: where it exists there are no faults
 *   CUDA_DOUBLE_LOST      the same, and where it exists the first GPU cannot be opened any more
 *   CUDA_DOUBLE_EXCLUSIVE file that the process locks which opened the first GPU: no other process can open it
 *   CUDA_DOUBLE_IDLE      1: kernels silently do nothing
 *   CUDA_DOUBLE_WAKE      file that gets a line when a process initialises the driver and no other uses it
 *   CUDA_DOUBLE_LEDGER    file that gets what was not released when the process ends, or "nothing"
 *   CUDA_DOUBLE_CALLS     file that gets the name of every function that was called
 *   CUDA_DOUBLE_ASKED     file that gets the flags, or the bytes, that a function was asked for: "cuMemHostAlloc 3"
 *   CUDA_DOUBLE_TICKS     anything: by the events' clock a launch takes a microsecond, and nothing else takes time
 *   CUDA_DOUBLE_FASTEST   the GPU that comes first in the driver's order; 0
 *   CUDA_DOUBLE_SLICES    anything: each GPU has two slices, of which a process sees one
 *   CUDA_VISIBLE_DEVICES  as for the real driver: numbers and beginnings of UUIDs, up to the first invalid one
 *   CUDA_DEVICE_ORDER     PCI_BUS_ID: the fastest GPU does not come first */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CUresult, the codes that the double itself returns. */
enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    DEVICE_UNAVAILABLE = 46,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NO_BINARY_FOR_GPU = 209,
    PEER_ACCESS_UNSUPPORTED = 217,
    INVALID_PTX = 218,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    PEER_ACCESS_ALREADY_ENABLED = 704,
    CAPTURE_UNSUPPORTED = 900,
    UNKNOWN = 999,
};
enum { DEVICES = 8, NAMES = 256 };

/* Objects that must be released. */
enum held {
    HELD_CONTEXTS,
    HELD_MEMORY,
    HELD_HOST,
    HELD_STREAMS,
    HELD_EVENTS,
    HELD_MODULES,
    HELD_GRAPHS,
    HELD_HANDLES,
    HELD_KINDS
};

struct context {
    size_t bytes; /* of device memory in use */
};

/* For each stream its latest copy that is known to be over; numbers of streams and of copies. */
enum { ORDERED_STREAMS = 16 };
struct order {
    unsigned long after[ORDERED_STREAMS];
};

struct graph;
struct stream {
    const struct context *context;
    struct graph *recording; /* records what is enqueued now; NULL: commands run at once */
    unsigned number;
    struct order order; /* of its next command */
};
struct function; /* module.c */

#pragma GCC visibility push(hidden)

struct state {
    bool is_initialised;
    int poison; /* every later call returns it */
    long held[HELD_KINDS];
    struct context context[DEVICES]; /* one for each GPU */
    struct context *current;         /* NULL: none */
    unsigned long launches;
    struct {
        const char *name;
        long calls;
    } called[NAMES];
};
extern struct state state;

/* What the call returns because of a planned fault, or SUCCESS. Each function calls it first. A function that releases
 * an object does so whatever it returns: the ledger counts objects that were never passed to a release function. */
int answer(const char *name);

/* Whether the function that called answer() last is to do nothing, as a fault; and a wrong byte in what it wrote, if it
 * is to have one. Returns SUCCESS. */
bool is_idle(void);
int spoil(uint64_t data, size_t bytes);

/* Runs a launch. */
int function_run(const struct function *function, const unsigned blocks[3], const unsigned threads[3],
                 void **arguments);

/* Adds a launch to a recording; its arguments are copied. */
int graph_add(struct graph *graph, const struct function *function, const unsigned blocks[3], const unsigned threads[3],
              void *const *arguments);

/* Whether another process has locked the file that the variable names; otherwise this one has, until it ends. */
bool is_taken(const char *variable);

/* A number from the environment. */
long number_of(const char *name, long fallback);

/* Whether a stream belongs to the current context, and whether that many bytes of memory belong to a context. */
bool stream_is_current(const struct stream *stream);
/* The answer to a copy on the stream before it runs: a recording stream takes launches only. */
int stream_takes_copy(const struct stream *stream);
/* Notes that the stream reads or writes host memory. INVALID_VALUE where a copy on another stream may still use it, as
 * neither an event nor the host waited for it: a real driver would then copy wrong data. */
int stream_uses_host(struct stream *stream, const void *host, size_t bytes, bool writes);
bool memory_belongs(uint64_t address, size_t bytes, const struct context *context);

/* Seconds. */
double now(void);

#pragma GCC visibility pop

/* The same for the doubles of libraries above the driver: their calls are counted and can fail, and their handles are
 * in the ledger. */
int cuda_double_answer(const char *name);
void cuda_double_asked(const char *name, unsigned long what);
void cuda_double_hold(int change);

#endif
