#ifndef BENCH_BACKENDS_CUDA_DRIVER_H
#define BENCH_BACKENDS_CUDA_DRIVER_H

/* The part of NVIDIA's driver API that is called, loaded at run time. The prototypes are our own, after the reference
 * manual, with the names that the library exports: a suffix such as _v2 is part of the name, and a CUdeviceptr is a
 * uint64_t. The functions of CUDA 11's driver, the oldest that still matters, are enough. Building needs no toolkit. */

#include "harness/base/error.h"
#include "harness/base/last_call.h"
#include "harness/base/library.h"

#include <stddef.h>
#include <stdint.h>

struct cuda_context;
struct cuda_module;
struct cuda_function;
struct cuda_stream;
struct cuda_event;
struct cuda_graph;
struct cuda_graph_exec; /* a graph that can be launched */

/* CUdevice_attribute. */
enum cuda_attribute {
    CUDA_MOST_THREADS_OF_A_BLOCK = 1,
    CUDA_SHARED_BYTES_OF_A_BLOCK = 8,
    CUDA_CLOCK_KILOHERTZ = 13,
    CUDA_MULTIPROCESSORS = 16,
    CUDA_KERNELS_TIME_OUT = 17, /* for example, because it drives a display */
    CUDA_IS_INTEGRATED = 18,
    CUDA_MAPS_HOST_MEMORY = 19,
    CUDA_PCI_BUS = 33,
    CUDA_PCI_DEVICE = 34,
    CUDA_MEMORY_KILOHERTZ = 36,
    CUDA_MEMORY_BITS = 37,
    CUDA_CACHE_BYTES = 38,
    CUDA_PCI_DOMAIN = 50,
    CUDA_CAPABILITY_MAJOR = 75,
    CUDA_CAPABILITY_MINOR = 76,
};

/* Of a kernel (CUfunction_attribute). */
enum {
    CUDA_MOST_THREADS_OF_A_KERNEL = 0,
    CUDA_LOCAL_BYTES_OF_A_KERNEL = 3, /* of each thread, outside of registers */
};

/* CUresult, the codes that are treated differently. */
enum {
    CUDA_OK = 0,
    CUDA_INVALID_VALUE = 1,
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_NO_DEVICE = 100,
    CUDA_PEER_UNSUPPORTED = 217,
    CUDA_PEER_ENABLED_ALREADY = 704
};

enum {
    CUDA_WAIT_SPINS = 1,
    CUDA_HOST_PORTABLE = 1,
    CUDA_HOST_MAPPED = 2,
    CUDA_STREAM_BY_ITSELF = 1,
    CUDA_EVENT_BLOCKS = 1, /* waiting for it sleeps */
    CUDA_EVENT_HAS_NO_TIME = 2,
    CUDA_JIT_ERROR_LOG = 5, /* CUjit_option: a buffer for the compiler's messages, and its size */
    CUDA_JIT_ERROR_LOG_BYTES = 6,
    CUDA_CAPTURE_THREAD_LOCAL = 1, /* other threads may make calls that cannot be recorded */
};

struct cuda_driver {
    int (*init)(unsigned flags);
    int (*version)(int *version); /* 1000 * major + 10 * minor of the newest CUDA that it supports */
    int (*error_name)(int code, const char **name);
    int (*error_text)(int code, const char **text);

    int (*device_count)(int *count);
    int (*device_get)(int *device, int ordinal);
    int (*device_name)(char *name, int room, int device);
    int (*device_memory)(size_t *bytes, int device);
    int (*device_attribute)(int *value, int attribute, int device);

    /* 16 bytes that no other device has. The second differs for each slice of a GPU (MIG), the first does not. NULL
     * where the driver has no such call. */
    int (*device_uuid)(unsigned char uuid[16], int device);
    int (*slice_uuid)(unsigned char uuid[16], int device);

    int (*context_flags)(int device, unsigned flags);
    int (*context_retain)(struct cuda_context **context, int device);
    int (*context_release)(int device);
    int (*context_make_current)(struct cuda_context *context);

    int (*memory_alloc)(uint64_t *address, size_t bytes);
    int (*memory_release)(uint64_t address);
    int (*host_alloc)(void **host, size_t bytes, unsigned flags);
    int (*host_release)(void *host);
    int (*host_address)(uint64_t *address, void *host, unsigned flags);
    int (*upload)(uint64_t to, const void *from, size_t bytes, struct cuda_stream *stream);
    int (*download)(void *to, uint64_t from, size_t bytes, struct cuda_stream *stream);

    int (*copy)(uint64_t to, uint64_t from, size_t bytes, struct cuda_stream *stream);
    int (*copy_peer)(uint64_t to, struct cuda_context *to_context, uint64_t from, struct cuda_context *from_context,
                     size_t bytes, struct cuda_stream *stream);
    int (*peer_can_access)(int *can, int device, int other);
    int (*peer_enable)(struct cuda_context *other, unsigned flags); /* for the current context */
    int (*peer_disable)(struct cuda_context *other);

    int (*stream_open)(struct cuda_stream **stream, unsigned flags);
    int (*stream_close)(struct cuda_stream *stream);
    int (*stream_wait)(struct cuda_stream *stream);
    int (*stream_wait_event)(struct cuda_stream *stream, struct cuda_event *event, unsigned flags);
    int (*event_open)(struct cuda_event **event, unsigned flags);
    int (*event_close)(struct cuda_event *event);
    int (*event_wait)(struct cuda_event *event);
    int (*event_record)(struct cuda_event *event, struct cuda_stream *stream);
    int (*event_elapsed)(float *milliseconds, struct cuda_event *start, struct cuda_event *end);

    int (*module_open)(struct cuda_module **module, const void *image);
    /* Compiles PTX: `count` options (CUjit_option), and a value for each. */
    int (*module_compile)(struct cuda_module **module, const void *image, unsigned count, int *option, void **value);
    int (*module_close)(struct cuda_module *module);
    int (*module_function)(struct cuda_function **function, struct cuda_module *module, const char *name);
    int (*function_attribute)(int *value, int attribute, struct cuda_function *function);
    int (*launch)(struct cuda_function *function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,
                  unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared,
                  struct cuda_stream *stream, void **arguments, void **extra);

    /* Commands between begin and end are recorded, not run. */
    int (*capture_begin)(struct cuda_stream *stream, int mode);
    int (*capture_end)(struct cuda_stream *stream, struct cuda_graph **graph);
    int (*graph_close)(struct cuda_graph *graph);
    /* NULL in drivers older than CUDA 11.4. */
    int (*graph_instantiate)(struct cuda_graph_exec **exec, struct cuda_graph *graph, unsigned long long flags);
    int (*graph_exec_close)(struct cuda_graph_exec *exec);
    int (*graph_launch)(struct cuda_graph_exec *exec, struct cuda_stream *stream);
};

/* The functions that must exist, and those that newer drivers have. */
extern const struct library_symbol cuda_driver_symbols[], cuda_driver_newer_symbols[];

/* Loads the driver's library and starts it. STATUS_UNSUPPORTED with the reason where there is no driver or no usable
 * device; STATUS_FAILED where the driver fails. */
bool cuda_driver_load(struct cuda_driver *out, struct error *err);

/* True for CUDA_OK. Otherwise fail() with the entry point, the name and text of its answer, and what to do about it. A
 * refused allocation is STATUS_NO_MEMORY. */
bool cuda_check_answer(const struct cuda_driver *driver, int code, const char *entry, struct error *err);
/* The same for a call of `entry`, which is noted before it begins. */
#define cuda_check(driver, call, entry, err) cuda_check_answer(driver, CALL(entry, call), entry, err)

#endif
