#ifndef TESTS_DOUBLES_CUDA_DOUBLE_H
#define TESTS_DOUBLES_CUDA_DOUBLE_H

/* A libcuda.so.1 for tests: GPUs whose memory is the host's, and whose kernels the double of NVRTC has compiled for the
 * host. It proves that the backend calls the driver rightly, and nothing about GPUs. Each file has the functions of one
 * subject. What it is told to do:
 *
 *   CUDA_DOUBLE_DEVICES   how many GPUs there are; 1
 *   CUDA_DOUBLE_MEMORY    bytes of each; 8 GiB
 *   CUDA_DOUBLE_VERSION   of CUDA, as the driver tells it; 12040
 *   CUDA_DOUBLE_CAPABILITY  of each, which its architecture is told by; 9.0
 *   CUDA_DOUBLE_APART     anything: none of them reaches the memory of another
 *   CUDA_DOUBLE_SOC       anything: each is on no bus, as those of Tegra
 *   CUDA_DOUBLE_FAULT     "NAME NUMBER KIND, ...": that call of that function fails with the code KIND, hangs or
 *                         crashes; number 0: each call. An error that poisons a context is the answer of every call
 *                         after it
 *   CUDA_DOUBLE_ONCE      file that is made by the fault that strikes: none does where it is there
 *   CUDA_DOUBLE_LOST      the same, and where it is there the first GPU cannot be opened any more
 *   CUDA_DOUBLE_EXCLUSIVE file that who has opened the first GPU holds: no other process can
 *   CUDA_DOUBLE_IDLE      1: kernels do nothing, and nobody says so
 *   CUDA_DOUBLE_LEDGER    file that gets what was not given back when the process ends, and "nothing" otherwise
 *   CUDA_DOUBLE_CALLS     file that gets the name of every function that was called
 *   CUDA_DOUBLE_FASTEST   the GPU that the driver counts first; 0
 *   CUDA_DOUBLE_SLICES    anything: each GPU is cut into two slices, of which a process sees one
 *   CUDA_VISIBLE_DEVICES  as for the real one: numbers and beginnings of UUIDs, up to the first that makes no sense
 *   CUDA_DEVICE_ORDER     PCI_BUS_ID: the fastest is not counted first */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What calls answer, CUresult, as far as the double itself does. */
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
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    PEER_ACCESS_ALREADY_ENABLED = 704,
    PEER_ACCESS_NOT_ENABLED = 705,
    CAPTURE_UNSUPPORTED = 900,
    UNKNOWN = 999,
};
enum { DEVICES = 8, NAMES = 256 };

/* What is given away, and must come back. */
enum held {
    HELD_CONTEXTS,
    HELD_MEMORY,
    HELD_HOST,
    HELD_STREAMS,
    HELD_EVENTS,
    HELD_MODULES,
    HELD_GRAPHS,
    HELD_HANDLES,
    HELD_PEERS,
    HELD_KINDS
};

struct context {
    size_t bytes; /* of device memory that are given away */
};

struct graph;
struct stream {
    const struct context *context;
    struct graph *recording; /* what is put there now; NULL: nothing, it is done at once */
};
struct function; /* module.c */

#pragma GCC visibility push(hidden)

struct state {
    bool is_initialised;
    int poison; /* what every later call answers */
    long held[HELD_KINDS];
    struct context context[DEVICES]; /* one for each GPU */
    struct context *current;         /* NULL: none was made so */
    struct {
        const char *name;
        long calls;
    } called[NAMES];
};
extern struct state state;

/* What the call answers at once, if it was told to; SUCCESS otherwise. The first thing that each function does. One
 * that gives something back does so whatever the answer is: the ledger is about what nobody asked to give back. */
int answer(const char *name);

/* Does what a launch asks for. */
int function_run(const struct function *function, const unsigned blocks[3], const unsigned threads[3],
                 void **arguments);

/* Adds a launch to what the stream records; its arguments are copied. */
int graph_add(struct graph *graph, const struct function *function, const unsigned blocks[3], const unsigned threads[3],
              void *const *arguments);

/* A number from the environment. */
long number_of(const char *name, long fallback);

/* Whether a stream is one of the current context, and whether memory belongs to a context, all of so many bytes. */
bool stream_is_current(const struct stream *stream);
/* What a copy on the stream answers before it is done: it is not while the stream records, which only launches are. */
int stream_takes_copy(const struct stream *stream);
bool memory_belongs(uint64_t address, size_t bytes, const struct context *context);

/* Seconds. */
double now(void);

#pragma GCC visibility pop

/* The same for doubles of libraries that stand on the driver: their calls are counted and fail as its own do, and their
 * handles are in its ledger. */
int cuda_double_answer(const char *name);
void cuda_double_hold(int change);

#endif
