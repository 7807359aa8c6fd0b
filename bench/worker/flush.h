#ifndef BENCH_WORKER_FLUSH_H
#define BENCH_WORKER_FLUSH_H

/* What a cold run finds: caches that hold nothing of its operands. Before each run the host's are emptied by reading
 * through an array larger than them, with all threads, and those of a device with memory of its own by uploading more
 * than they hold. Read, not written: lines that the array had changed would be written back during the run. */

#include "bench/backends/backend.h"

struct flush {
    const struct backend *backend;
    struct session *session;
    char *array;
    size_t bytes;
    struct buffer *scratch; /* of the device; NULL where its caches are the host's */
    size_t scratch_bytes;
    unsigned count; /* so far */
    double seconds; /* spent in them, by the rig's clock */
    double cpu;     /* host CPU seconds burnt for them */
};

/* To be closed either way. */
bool flush_open(struct flush *flush, const struct backend *backend, struct session *session,
                const struct device *device, size_t bytes, struct error *err);
bool flush_run(struct flush *flush, struct error *err);
void flush_close(struct flush *flush);

#endif
