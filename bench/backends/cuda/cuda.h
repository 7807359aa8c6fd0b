#ifndef BENCH_BACKENDS_CUDA_CUDA_H
#define BENCH_BACKENDS_CUDA_CUDA_H

/* What the files of the CUDA backend share. All calls go through the driver API (driver.h). */

#include "bench/backends/common/scratch.h"
#include "bench/backends/common/task.h"
#include "bench/backends/cuda/driver.h"
#include "bench/backends/cuda/library.h"

struct session {
    struct device device; /* as listed */
    struct cuda_driver driver;
    int ordinal;               /* the driver's number of the device */
    struct cuda_target target; /* what decides which libraries may be used */
    struct cuda_context *context;
    struct cuda_stream *stream[QUEUES_MAX]; /* created at first use */
    struct cuda_event *sleep_event;         /* finish sleeps until this event; NULL: finish spins */
    struct cuda_event *start, *end;         /* around the commands of a span; created at first use */
    struct span *span;                      /* whose events are recorded, on that queue; NULL: none */
    unsigned span_queue;
    struct scratch_pool scratch;
    struct cuda_shared {
        void *library; /* NULL: not opened yet */
        void (*close)(void *library);
    } shared[CUDA_LIBRARIES];
    /* NVIDIA_TF32_OVERRIDE and the like, which would change the precision of libraries: variables that were removed
     * from the environment, so that f32 means f32. ", NVIDIA_TF32_OVERRIDE ignored", or "" where none was set. */
    char ignored[64];
    bool kernels_time_out; /* the driver ends a launch of some seconds with an error, as where the device drives a
                              display */
};

struct buffer {
    uint64_t address; /* as kernels see it */
    size_t bytes;
    void *host; /* the host's address of the same memory, where it is host memory; NULL: device memory */
};

/* listing.c: also finds the driver's number of a device that was listed before. */
bool cuda_list(const char *source, struct device out[], unsigned room, unsigned *count, struct error *err);
bool cuda_find(const struct cuda_driver *driver, const struct device *device, int *ordinal, struct error *err);
struct cuda_target cuda_target_of(const struct cuda_driver *driver, int ordinal);
/* "pci 0000:65:00.0": equal texts mean the same silicon. "" where the driver reports no address. */
enum { CUDA_PCI_ROOM = 32 };
void cuda_pci_text(const struct cuda_driver *driver, int ordinal, char to[CUDA_PCI_ROOM]);
/* An attribute; 0 where the driver does not know it. */
int cuda_attribute(const struct cuda_driver *driver, int ordinal, enum cuda_attribute attribute);

/* session.c */
struct session *cuda_open(const struct device *device, unsigned threads, struct error *err);
void cuda_close(struct session *session);
bool cuda_finish(struct session *session, unsigned queue, struct error *err);
/* From now on the host sleeps in finish until the device is done. */
bool cuda_sleep_in_finish(struct session *session, struct error *err);
/* The stream of that number, created at first use. NULL with err. */
struct cuda_stream *cuda_queue(struct session *session, unsigned queue, struct error *err);
/* Record events before and after the commands of a span; no effect where it is NULL. Of several commands in one span,
 * only the first begins it and only the last ends it. The first returns the stream of the queue; NULL with err. */
struct cuda_stream *cuda_span_begin(struct session *session, unsigned queue, struct span *span, struct error *err);
bool cuda_span_end(struct session *session, unsigned queue, struct span *span, struct error *err);
/* A library that all tasks of the session share, as starting it takes long: `open` fills so many zeroed bytes at first
 * use, and `close` is called with the session, or after an open that failed. NULL with err. */
void *cuda_share(struct session *session, enum cuda_library which, size_t bytes,
                 bool (*open)(void *library, struct session *session, struct error *err), void (*close)(void *library),
                 struct error *err);

/* memory.c */
struct buffer *cuda_alloc(struct session *session, size_t bytes, enum memory memory, struct error *err);
void cuda_release(struct session *session, struct buffer *buffer);
void *cuda_map(struct session *session, struct buffer *buffer, enum map_mode mode, struct error *err);
bool cuda_upload(struct session *session, unsigned queue, struct buffer *to, size_t offset, const void *from,
                 size_t bytes, struct error *err);
bool cuda_download(struct session *session, unsigned queue, void *to, struct buffer *from, size_t offset, size_t bytes,
                   struct error *err);

/* compiler.c: machine code of a kernel text for the session's device, loaded. NVRTC compiles it, or for a GPU that is
 * newer than NVRTC the driver compiles NVRTC's PTX. `how` says which: "NVRTC 12.4", "NVRTC 12.4, PTX for sm_90".
 * STATUS_UNSUPPORTED where there is no NVRTC for this driver and device. */
enum { COMPILER_TEXT = 64 };
bool cuda_module_open(const struct session *session, const char *source, const char *options, struct cuda_module **out,
                      char how[COMPILER_TEXT], struct error *err);

/* The addresses of a job's operands, as kernels see them; 0 after the last. */
void cuda_operands(const struct job *job, uint64_t out[OPERANDS_MAX]);

/* So many algorithms of a library are kernel shapes: the first that its heuristics name. */
enum { CUDA_ALGORITHMS_MAX = 8 };

extern const struct routine cuda_portable; /* portable.c */
/* Of libraries, and copies: cublas.c, cublaslt.c, cudnn_conv.c, copy.c. */
extern const struct routine cuda_cublas, cuda_cublaslt, cuda_cudnn, cuda_copy;

#endif
