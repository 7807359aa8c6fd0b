#ifndef BENCH_BACKENDS_OPENCL_OPENCL_H
#define BENCH_BACKENDS_OPENCL_OPENCL_H

/* What the files of the OpenCL backend share. They use API 1.2 only, which every driver has. Each ICD ("source") runs
 * in a worker of its own: source.c makes the loader see only that one before any other OpenCL call. */

#define CL_TARGET_OPENCL_VERSION 120

#include "bench/backends/common/scratch.h"
#include "bench/backends/common/task.h"
#include "harness/base/last_call.h"

#include <CL/cl.h>

/* A function of OpenCL to call, noted before: CL(clFinish)(queue); and the same with its answer checked. */
#define CL(function)                CALL(#function, function)
#define cl_call(err, function, ...) opencl_check(CL(function)(__VA_ARGS__), #function, err)

struct queue {
    cl_command_queue handle; /* created when first used */
    cl_event latest;         /* of the latest command since finish; NULL: none */
    const char *entry;       /* the call that enqueued it */
};

struct session {
    struct device device; /* as listed */
    cl_device_id handle;
    cl_context context;
    struct queue queue[QUEUES_MAX];
    struct queue stamped; /* with time stamps: it has the place of span_queue, and that has this one, during a span */
    struct span *span;    /* which finish of its queue fills; NULL: none */
    unsigned span_queue;
    cl_event first, last;        /* of the commands of a span, which keep them */
    cl_ulong largest_buffer;     /* bytes, read when opened: PoCL's answer was seen to change between runs */
    size_t sub_buffer_alignment; /* bytes: sub-buffers start at multiples of it */
    size_t group_items;          /* of a work-group, at most */
    cl_ulong local_memory;       /* bytes */
    struct scratch_pool scratch;
    int (*clear_cache)(void); /* of CLBlast, which keeps parts of the context; NULL: it was not used */
};

/* Part of a buffer as an object of its own (clCreateSubBuffer). */
struct sub_buffer {
    size_t offset, bytes;
    cl_mem object;
};

struct buffer {
    cl_mem object;
    struct sub_buffer *sub_buffer; /* uploads, downloads and kernels use them one by one; NULL: none */
    unsigned sub_buffers;
    size_t bytes;
    enum memory memory;
    void *own;  /* our own memory below it, where the device works in host memory */
    void *view; /* while it is mapped */
};

/* code.c: "CL_OUT_OF_RESOURCES (-5)". Large enough for every code. */
enum { CODE_TEXT = 64 };
const char *opencl_code_text(char to[CODE_TEXT], cl_int code);
/* True for CL_SUCCESS. Anything else: fail() with the entry point and its answer; a refused allocation is
 * STATUS_NO_MEMORY. */
bool opencl_check(cl_int code, const char *entry, struct error *err);

/* source.c */
unsigned opencl_sources(struct source out[], unsigned room, struct error *err);
/* Makes the ICD loader see this driver only; "": what it sees by itself. Must come before the first OpenCL call of the
 * process: loaders read their environment once, so a process uses one source only. */
bool opencl_source_select(const char *source, struct error *err);
/* Why the driver library of a source cannot be loaded, or "" when it can. */
void opencl_source_error(const char *source, char *to, size_t room);

/* listing.c: also finds the handle of a device that was listed before. */
bool opencl_list(const char *source, struct device out[], unsigned room, unsigned *count, struct error *err);
bool opencl_find(const struct device *device, cl_device_id *out, struct error *err);

/* session.c */
struct session *opencl_open(const struct device *device, unsigned threads, struct error *err);
void opencl_close(struct session *session);

/* queue.c */
bool opencl_finish(struct session *session, unsigned queue, struct error *err);
/* The queue of that number, created at first use. NULL with err. */
cl_command_queue opencl_queue(struct session *session, unsigned queue, struct error *err);
/* opencl_command returns where the clEnqueue call that follows on a queue puts its event (NULL with err);
 * opencl_enqueued records that call's answer; cl_enqueue makes it, too. All are part of a timed run. */
cl_event *opencl_command(struct session *session, unsigned queue, struct error *err);
bool opencl_enqueued(struct session *session, unsigned queue, const char *entry, cl_int code, struct error *err);
/* The queue's next command begins the span, or its latest one ends it; no effect where it is NULL. Time stamps cost
 * time, so only the commands of a span are on a queue with them. */
bool opencl_span_begin(struct session *session, unsigned queue, struct span *span, struct error *err);
void opencl_span_end(struct session *session, unsigned queue, struct span *span);
/* Of all queues, and of the span. */
void opencl_events_release(struct session *session);
#define cl_enqueue(session, queue, err, function, ...)                                                                 \
    opencl_enqueued(session, queue, #function, CL(function)(__VA_ARGS__), err)

/* memory.c */
struct buffer *opencl_alloc(struct session *session, size_t bytes, enum memory memory, struct error *err);
struct buffer *opencl_alloc_plain(struct session *session, size_t bytes, enum memory memory, struct error *err);
void opencl_release(struct session *session, struct buffer *buffer);
void *opencl_map(struct session *session, struct buffer *buffer, enum map_mode mode, struct error *err);
bool opencl_unmap(struct session *session, struct buffer *buffer, struct error *err);
bool opencl_upload(struct session *session, unsigned queue, struct buffer *to, size_t offset, const void *from,
                   size_t bytes, struct error *err);
bool opencl_download(struct session *session, unsigned queue, void *to, struct buffer *from, size_t offset,
                     size_t bytes, struct error *err);
/* The buffer itself, or a sub-buffer of it, which lives as long as the buffer. Created at first use; later uploads and
 * downloads of exactly these bytes use it too. One queue may write to a sub-buffer while another queue uses the next
 * one; with one buffer object that is undefined, whatever part they write (OpenCL 1.2, appendix A.1 and 5.2.1). NULL
 * with err. */
cl_mem opencl_sub_buffer(struct session *session, struct buffer *buffer, size_t offset, size_t bytes,
                         struct error *err);

/* The objects of a job's operands in their order, NULL after the last: buffers, or the sub-buffers that the job names.
 */
bool opencl_operands(struct session *session, const struct job *job, cl_mem out[OPERANDS_MAX], struct error *err);

extern const struct routine opencl_portable; /* portable.c */
extern const struct routine opencl_clblast, opencl_copy;

#endif
