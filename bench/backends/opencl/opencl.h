#ifndef BENCH_BACKENDS_OPENCL_OPENCL_H
#define BENCH_BACKENDS_OPENCL_OPENCL_H

/* What the files of the OpenCL backend share. API 1.2 only: that is what every driver has. Each ICD ("source") runs in
 * a worker of its own; source.c narrows the loader down to it before anything else calls OpenCL. */

#define CL_TARGET_OPENCL_VERSION 120

#include "bench/backends/common/task.h"

#include <CL/cl.h>

enum { QUEUES_MAX = 8 };

/* An enqueued command that finish will look at: every one whose times are asked for, and the latest of its queue. */
struct command {
    cl_event event;
    const char *entry; /* the call that enqueued it */
    struct span *span; /* where its times go, or NULL */
    bool begins,
        ends; /* which edges of the span are its own: of several that make one run, the first's and the last's */
};

struct queue {
    cl_command_queue handle; /* created when first used */
    struct command *pending;
    unsigned count, room;
};

/* Host memory that a driver gave us: its mapping lives as long as the memory is used. */
struct pinned {
    void *host;
    cl_mem object;
    struct pinned *next;
};

struct session {
    struct device device; /* as listed */
    cl_device_id handle;
    unsigned limit; /* compute units, where `handle` is a part of the device; 0 where it is all of it */
    cl_context context;
    struct queue queue[QUEUES_MAX];
    struct pinned *pinned;
    cl_ulong epoch;          /* first device time seen, ns: spans count from here, so that doubles keep their digits */
    cl_ulong largest_buffer; /* bytes, as of now: PoCL's answer was seen to change between runs */
    size_t sub_buffer_alignment; /* bytes that the start of a sub-buffer must be a multiple of */
    void (*exit_grace)(void);    /* makes a library that was used give back what it keeps of the context; or NULL */
};

/* Part of a buffer as an object of its own (clCreateSubBuffer). */
struct sub_buffer {
    size_t offset, bytes;
    cl_mem object;
};

struct buffer {
    cl_mem object;
    struct sub_buffer *sub_buffer; /* that moves and kernels use one by one; NULL: there are none */
    unsigned sub_buffers;
    size_t bytes;
    enum memory memory;
    void *own;      /* our memory under it, where the device works in host memory */
    void *view;     /* while it is mapped */
    bool is_copied; /* mapping gave another address than `own`: not in place after all */
};

/* code.c: "CL_OUT_OF_RESOURCES (-5)". The room is enough for every code. */
enum { CODE_TEXT = 64 };
const char *opencl_code_text(char to[CODE_TEXT], cl_int code);
/* True for CL_SUCCESS. Anything else: fail() with the entry point and its answer; a refused allocation is
 * STATUS_NO_MEMORY. */
bool opencl_check(cl_int code, const char *entry, struct error *err);

/* source.c */
unsigned opencl_sources(struct source out[], unsigned room, struct error *err);
/* Makes the ICD loader see this driver only. Must come before the first OpenCL call of the process: loaders read their
 * environment once, so a process deals with one source in its life. */
bool opencl_source_select(const char *source, struct error *err);
/* Why the driver library of a source cannot be loaded, or "" when it can. */
void opencl_source_error(const char *source, char *to, size_t room);

/* listing.c: also finds the handle of a device listed before. */
bool opencl_list(const char *source, struct device out[], unsigned room, unsigned *count, struct error *err);
bool opencl_find(const struct device *device, cl_device_id *out, struct error *err);

/* session.c */
struct session *opencl_open(const struct device *device, unsigned threads, struct error *err);
void opencl_close(struct session *session);

/* queue.c */
bool opencl_finish(struct session *session, unsigned queue, struct error *err);
/* The queue of that number, made when first asked for; NULL with err. */
cl_command_queue opencl_queue(struct session *session, unsigned queue, struct error *err);
/* Room on a queue for one more command, to be filled by the clEnqueue call that follows, and NULL with err if there is
 * none. opencl_enqueued then takes note of the answer of that call. What both do is part of a timed run. The command is
 * all of its span, unless the caller takes `begins` or `ends` from it: commands of one queue run in order. */
struct command *opencl_command(struct session *session, unsigned queue, struct span *span, struct error *err);
bool opencl_enqueued(struct session *session, unsigned queue, const char *entry, cl_int code, struct error *err);

/* memory.c */
struct buffer *opencl_alloc(struct session *session, size_t bytes, enum memory memory, struct error *err);
struct buffer *opencl_alloc_plain(struct session *session, size_t bytes, enum memory memory, struct error *err);
void opencl_release(struct session *session, struct buffer *buffer);
void *opencl_host_alloc(struct session *session, size_t bytes, enum memory memory, struct error *err);
void opencl_host_release(struct session *session, void *host);
void *opencl_map(struct session *session, struct buffer *buffer, enum map_mode mode, struct error *err);
bool opencl_unmap(struct session *session, struct buffer *buffer, struct error *err);
bool opencl_upload(struct session *session, unsigned queue, struct buffer *to, size_t offset, const void *from,
                   size_t bytes, struct span *span, struct error *err);
bool opencl_download(struct session *session, unsigned queue, void *to, struct buffer *from, size_t offset,
                     size_t bytes, struct span *span, struct error *err);
/* The buffer itself, or the window into it that begins there, which lives as long as the buffer does. Made when first
 * asked for; from then on moves of just those bytes go through it, too. One queue may write to a window while another
 * uses the next one; of one buffer that is undefined, wherever they write (OpenCL 1.2, appendix A.1 and 5.2.1). NULL
 * with err. */
cl_mem opencl_sub_buffer(struct session *session, struct buffer *buffer, size_t offset, size_t bytes,
                         struct error *err);

/* The objects of a job's operands, in their order, NULL after the last: buffers, or the sub-buffers that the job asks
 * for. */
bool opencl_operands(struct session *session, const struct job *job, cl_mem out[OPERANDS_MAX], struct error *err);

extern const struct routine opencl_portable;  /* portable.c */
extern const struct routine opencl_clblast[]; /* clblast.c; ends with a NULL workload */
extern const struct routine opencl_copy[];    /* copy.c; the same */

#endif
