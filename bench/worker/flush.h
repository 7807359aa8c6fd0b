#ifndef BENCH_WORKER_FLUSH_H
#define BENCH_WORKER_FLUSH_H

/* Empties the caches before each cold run: those of the host by reading an array larger than them, with all threads;
 * those of a device with its own memory by an upload larger than them. The array is only read: changed lines would be
 * written back during the run. */

#include "bench/backends/backend.h"

struct flush {
    const struct backend *backend;
    struct session *session;
    char *array;
    size_t bytes;
    struct buffer *scratch; /* on the device; NULL if it works in host memory */
    size_t scratch_bytes;
    unsigned count; /* flushes so far */
    double seconds; /* in flushes, by the rig's clock */
    double cpu;     /* host CPU seconds in flushes */
};

/* Call flush_close also after a failure. */
bool flush_open(struct flush *flush, const struct backend *backend, struct session *session,
                const struct device *device, size_t bytes, struct error *err);
bool flush_run(struct flush *flush, struct error *err);
void flush_close(struct flush *flush);

#endif
