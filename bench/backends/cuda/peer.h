#ifndef BENCH_BACKENDS_CUDA_PEER_H
#define BENCH_BACKENDS_CUDA_PEER_H

/* The next GPU in the driver's order (after the last comes the first), with memory there: the destination of a copy
 * from device to device. */

#include "bench/backends/cuda/cuda.h"

struct peer {
    struct session *session; /* of the device that copies to it */
    char name[96];           /* "cuda:1 (NVIDIA H100 80GB HBM3, pci 0000:66:00.0)" */
    int ordinal;
    unsigned number;
    struct cuda_context *context;
    uint64_t address; /* of the memory on it */
    size_t bytes;
    bool has_access, is_accessible; /* access from it, and to it, was enabled */
};

/* The operands that a copying task keeps elsewhere: the second one, its output. */
enum { PEER_REPACKS = 1 << 1 };

/* Opens its context and allocates memory for the bytes that the job copies. NULL with err: STATUS_UNSUPPORTED where the
 * driver shows only one device, or the operands are in host memory. This and the calls below leave the session's own
 * context current. */
struct peer *peer_open(struct session *session, const struct job *job, struct error *err);
void peer_close(struct peer *peer);

/* Enables direct access in both directions; STATUS_UNSUPPORTED where the machine has none. Without it the driver copies
 * through the host by itself. */
bool peer_enable_access(struct peer *peer, struct error *err);

/* Fills its memory from an address on the session's device (REPACK_IN), or copies it back there, by one command of the
 * driver on a queue of the session. */
bool peer_copy(struct peer *peer, unsigned queue, uint64_t address, enum repack_way way, struct error *err);

#endif
