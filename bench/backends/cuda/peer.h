#ifndef BENCH_BACKENDS_CUDA_PEER_H
#define BENCH_BACKENDS_CUDA_PEER_H

/* The next GPU in the driver's order, the last one's next being the first, with memory of its own there: what a copy
 * from device to device goes to. */

#include "bench/backends/cuda/cuda.h"

struct peer {
    struct session *session; /* of the device that it is the next of */
    char name[96];           /* "cuda:1 (NVIDIA H100 80GB HBM3, pci 0000:66:00.0)" */
    int ordinal;
    unsigned number;
    struct cuda_context *context;
    uint64_t address; /* of its memory */
    size_t bytes;
    bool has_access, is_accessible; /* access was given, from it and to it */
};

/* What a task that copies there keeps in a place of its own: the second operand, its output. */
enum { PEER_REPACKS = 1 << 1 };

/* Its context, and memory for what the job copies. NULL with err: STATUS_UNSUPPORTED where the driver shows one device
 * only, or the operands are the host's. Every call below, too, leaves the session's own context current. */
struct peer *peer_open(struct session *session, const struct job *job, struct error *err);
void peer_close(struct peer *peer);

/* Makes its context the current one for a while, and the session's own again. */
bool peer_make_current(const struct peer *peer, struct error *err);
bool peer_restore_context(const struct peer *peer, struct error *err);

/* Lets both devices reach each other's memory directly; STATUS_UNSUPPORTED where the machine does not. Without it the
 * driver copies by way of the host, in a manner of its own. */
bool peer_enable_access(struct peer *peer, struct error *err);

/* Fills its memory from an address on the session's device (REPACK_IN), or copies it back there, by one command of the
 * driver on a queue of the session. */
bool peer_copy(struct peer *peer, unsigned queue, uint64_t address, enum repack_way way, struct error *err);

#endif
