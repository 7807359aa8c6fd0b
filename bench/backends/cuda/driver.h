#ifndef BENCH_BACKENDS_CUDA_DRIVER_H
#define BENCH_BACKENDS_CUDA_DRIVER_H

/* The part of NVIDIA's driver API that is called, loaded at run time. The prototypes are our own, after the reference
 * manual, with the names that the library exports: a suffix such as _v2 is part of the name, and a CUdeviceptr is a
 * uint64_t. Drivers of CUDA 11.4 (470) and later have all of them. Building needs no toolkit. */

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
    CUDA_COMPUTE_MODE = 20,
    CUDA_PCI_BUS = 33,
    CUDA_PCI_DEVICE = 34,
    CUDA_MEMORY_KILOHERTZ = 36,
    CUDA_MEMORY_BITS = 37,
    CUDA_CACHE_BYTES = 38,
    CUDA_PCI_DOMAIN = 50,
    CUDA_CAPABILITY_MAJOR = 75,
    CUDA_CAPABILITY_MINOR = 76,
};

/* CUcomputemode. */
enum { CUDA_MODE_EXCLUSIVE_PROCESS = 3 };

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
    CUDA_NOT_INITIALISED = 3,
    CUDA_NO_DEVICE = 100,
    CUDA_PEER_UNSUPPORTED = 217,
    CUDA_INVALID_PTX = 218,
    CUDA_NO_JIT_COMPILER = 221,
    CUDA_UNSUPPORTED_PTX = 222,
    CUDA_PEER_ENABLED_ALREADY = 704
};

enum {
    CUDA_WAIT_SPINS = 1,
    CUDA_HOST_PORTABLE = 1,
    CUDA_HOST_MAPPED = 2,
    CUDA_STREAM_BY_ITSELF = 1,
    CUDA_EVENT_BLOCKS = 1, /* waiting for it sleeps */
    CUDA_EVENT_HAS_NO_TIME = 2,
    CUDA_JIT_LOG = 5, /* of the driver's compiler for PTX, and the bytes that it may fill */
    CUDA_JIT_LOG_BYTES = 6,
    CUDA_CAPTURE_THREAD_LOCAL = 1, /* other threads may make calls that cannot be recorded */
};

/* version: 1000 * major + 10 * minor of the newest CUDA that it supports. peer_enable: for the current context.
 * module_open: of machine code or of PTX; an option's value is a number, too, in place of a pointer. Commands between
 * capture_begin and capture_end are recorded, not run. */
#define CUDA_DRIVER(CALL)                                                                                              \
    CALL(init, "cuInit", unsigned flags)                                                                               \
    CALL(version, "cuDriverGetVersion", int *version)                                                                  \
    CALL(error_name, "cuGetErrorName", int code, const char **name)                                                    \
    CALL(error_text, "cuGetErrorString", int code, const char **text)                                                  \
    CALL(device_count, "cuDeviceGetCount", int *count)                                                                 \
    CALL(device_get, "cuDeviceGet", int *device, int ordinal)                                                          \
    CALL(device_name, "cuDeviceGetName", char *name, int room, int device)                                             \
    CALL(device_memory, "cuDeviceTotalMem_v2", size_t *bytes, int device)                                              \
    CALL(device_attribute, "cuDeviceGetAttribute", int *value, int attribute, int device)                              \
    CALL(context_flags, "cuDevicePrimaryCtxSetFlags_v2", int device, unsigned flags)                                   \
    CALL(context_retain, "cuDevicePrimaryCtxRetain", struct cuda_context **context, int device)                        \
    CALL(context_release, "cuDevicePrimaryCtxRelease_v2", int device)                                                  \
    CALL(context_make_current, "cuCtxSetCurrent", struct cuda_context *context)                                        \
    CALL(memory_alloc, "cuMemAlloc_v2", uint64_t *address, size_t bytes)                                               \
    CALL(memory_release, "cuMemFree_v2", uint64_t address)                                                             \
    CALL(host_alloc, "cuMemHostAlloc", void **host, size_t bytes, unsigned flags)                                      \
    CALL(host_release, "cuMemFreeHost", void *host)                                                                    \
    CALL(host_address, "cuMemHostGetDevicePointer_v2", uint64_t *address, void *host, unsigned flags)                  \
    CALL(upload, "cuMemcpyHtoDAsync_v2", uint64_t to, const void *from, size_t bytes, struct cuda_stream *stream)      \
    CALL(download, "cuMemcpyDtoHAsync_v2", void *to, uint64_t from, size_t bytes, struct cuda_stream *stream)          \
    CALL(copy, "cuMemcpyDtoDAsync_v2", uint64_t to, uint64_t from, size_t bytes, struct cuda_stream *stream)           \
    CALL(copy_peer, "cuMemcpyPeerAsync", uint64_t to, struct cuda_context *to_context, uint64_t from,                  \
         struct cuda_context *from_context, size_t bytes, struct cuda_stream *stream)                                  \
    CALL(peer_enable, "cuCtxEnablePeerAccess", struct cuda_context *other, unsigned flags)                             \
    CALL(stream_open, "cuStreamCreate", struct cuda_stream **stream, unsigned flags)                                   \
    CALL(stream_close, "cuStreamDestroy_v2", struct cuda_stream *stream)                                               \
    CALL(stream_wait, "cuStreamSynchronize", struct cuda_stream *stream)                                               \
    CALL(event_open, "cuEventCreate", struct cuda_event **event, unsigned flags)                                       \
    CALL(event_close, "cuEventDestroy_v2", struct cuda_event *event)                                                   \
    CALL(event_wait, "cuEventSynchronize", struct cuda_event *event)                                                   \
    CALL(event_record, "cuEventRecord", struct cuda_event *event, struct cuda_stream *stream)                          \
    CALL(event_elapsed, "cuEventElapsedTime", float *milliseconds, struct cuda_event *start, struct cuda_event *end)   \
    CALL(module_open, "cuModuleLoadDataEx", struct cuda_module **module, const void *image, unsigned options,          \
         const int option[], void *const value[])                                                                      \
    CALL(module_close, "cuModuleUnload", struct cuda_module *module)                                                   \
    CALL(module_function, "cuModuleGetFunction", struct cuda_function **function, struct cuda_module *module,          \
         const char *name)                                                                                             \
    CALL(function_attribute, "cuFuncGetAttribute", int *value, int attribute, struct cuda_function *function)          \
    CALL(launch, "cuLaunchKernel", struct cuda_function *function, unsigned blocks_x, unsigned blocks_y,               \
         unsigned blocks_z, unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared,               \
         struct cuda_stream *stream, void **arguments, void **extra)                                                   \
    CALL(capture_begin, "cuStreamBeginCapture_v2", struct cuda_stream *stream, int mode)                               \
    CALL(capture_end, "cuStreamEndCapture", struct cuda_stream *stream, struct cuda_graph **graph)                     \
    CALL(graph_close, "cuGraphDestroy", struct cuda_graph *graph)                                                      \
    CALL(graph_exec_close, "cuGraphExecDestroy", struct cuda_graph_exec *exec)                                         \
    CALL(graph_launch, "cuGraphLaunch", struct cuda_graph_exec *exec, struct cuda_stream *stream)                      \
    CALL(device_uuid, "cuDeviceGetUuid", unsigned char uuid[16], int device)                                           \
    CALL(slice_uuid, "cuDeviceGetUuid_v2", unsigned char uuid[16], int device)                                         \
    CALL(graph_instantiate, "cuGraphInstantiateWithFlags", struct cuda_graph_exec **exec, struct cuda_graph *graph,    \
         unsigned long long flags)

LIBRARY_DECLARE(cuda_driver, cuda_names, CUDA_DRIVER)

/* Loads the driver's library and starts it. STATUS_UNSUPPORTED with the reason where there is no driver or no GPU;
 * STATUS_FAILED, or STATUS_NO_MEMORY, where the driver fails or is too old. */
bool cuda_driver_load(struct cuda_driver *out, struct error *err);

/* True for CUDA_OK. Otherwise fail() with the entry point, the name and text of its answer, and what to do about it. A
 * refused allocation is STATUS_NO_MEMORY. */
bool cuda_check_answer(const struct cuda_driver *driver, int code, const char *entry, struct error *err);
/* Calls a function of the driver, noted before: CUDA(driver, stream_wait, stream); and checks its answer. */
#define CUDA(driver, function, ...) CALL(cuda_names.function, (driver)->function(__VA_ARGS__))
#define cuda_call(driver, err, function, ...)                                                                          \
    cuda_check_answer(driver, CUDA(driver, function, __VA_ARGS__), cuda_names.function, err)
/* The same for one that makes what `out` points to, which is NULL or 0 where it fails. */
#define cuda_make(driver, err, function, out, ...)                                                                     \
    (cuda_call(driver, err, function, out, __VA_ARGS__) || (*(out) = 0, false))

#endif
