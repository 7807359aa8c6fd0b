#ifndef BENCH_BACKENDS_CPU_H
#define BENCH_BACKENDS_CPU_H

/* What the files of the CPU backend share. The device computes on the host's own memory, in slices of plain C, one per
 * thread. */

#include "bench/backend.h"

/* Instruction sets that native slices are compiled for, the widest last. */
enum isa { ISA_BASELINE, ISA_AVX2, ISA_AVX512, ISA_COUNT };

struct session {
    enum isa isa; /* widest that this processor and operating system run */
    unsigned threads;
};

struct buffer {
    char *memory;
    size_t bytes;
    size_t mapped; /* bytes to give back to the system, from `memory` on */
};

struct buffer *cpu_alloc(struct session *session, size_t bytes, enum memory memory, struct error *err);
void cpu_release(struct session *session, struct buffer *buffer);
void *cpu_host_alloc(struct session *session, size_t bytes, enum memory memory, struct error *err);
void cpu_host_release(struct session *session, void *host);

/* How much of what the buffer holds in memory lies on huge pages, in [0, 1], as the kernel tells. */
double cpu_huge_share(const struct buffer *buffer);

#endif
