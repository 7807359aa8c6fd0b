#ifndef BENCH_BACKENDS_CPU_CPU_H
#define BENCH_BACKENDS_CPU_CPU_H

/* For the files of the CPU backend, which computes in host memory: in slices of plain C, one per thread, or through a
 * library. */

#include "bench/backends/backend.h"

/* Instruction sets that native slices are compiled for, the widest last. */
enum isa { ISA_BASELINE, ISA_AVX2, ISA_AVX512, ISA_COUNT };

struct session {
    enum isa isa; /* the widest to use */
    unsigned threads;
    double own_cache;   /* bytes of the largest cache that a core has to itself */
    char blas_core[24]; /* that OpenBLAS is made to use; "": its own choice */
};

struct buffer {
    char *memory;
    size_t bytes;
    size_t mapped; /* bytes of the mapping, from `memory` on */
};

struct buffer *cpu_alloc(struct session *session, size_t bytes, enum memory memory, struct error *err);
struct buffer *cpu_alloc_plain(struct session *session, size_t bytes, enum memory memory, struct error *err);
void cpu_release(struct session *session, struct buffer *buffer);
void *cpu_host_alloc(struct session *session, size_t bytes, enum memory memory, struct error *err);
void cpu_host_release(struct session *session, void *host);

/* How a task runs. Each file defines what its `work` points to, and ends in one or more of these; backend.c has the
 * list.
 */
struct routine {
    const char *workload, *method; /* the key; NULL in routine_native, for all plain C */
    size_t bytes;                  /* of what `work` points to; zeroed before open */
    /* Everything that is not timed, on operands that `array` points to. Fills `detail`. */
    bool (*open)(void *work, struct session *session, const struct job *job, void *const array[OPERANDS_MAX],
                 char detail[DETAIL_MAX], struct error *err);
    /* One run, done on return. */
    bool (*run)(void *work, struct error *err);
    /* One part of a run, done on return; NULL: it cannot be cut. */
    bool (*run_part)(void *work, unsigned part, unsigned parts, struct error *err);
    void (*close)(void *work); /* also after an open that failed; NULL: nothing to do */
    /* As in struct backend; NULL: it works on the operands themselves. */
    unsigned (*repacks)(const void *work);
    bool (*repack)(void *work, unsigned operand, enum repack_way way, struct error *err);
};

extern const struct routine routine_native; /* native.c */
extern const struct routine routine_openblas_matmul, routine_openblas_auto_matmul, routine_im2col, routine_im2col_auto;
extern const struct routine routine_onednn_matmul, routine_onednn_gemm, routine_onednn_conv, routine_onednn_winograd;

extern const char *const cpu_isa_name[ISA_COUNT]; /* "baseline", "avx2", "avx512" */

/* Fills the device's members about OpenBLAS's core, and its entry among the libraries. Loads the library (the first of
 * `sonames`, NULL: as installed), so call it in a process that does not measure. Without the library nothing is filled.
 */
void cpu_openblas_probe(struct device *device, const char *const sonames[]);

/* Appends to the text of how a method runs: ", computed in f32" where that is another type than the problem's, the
 * pages of the job's operands, and the threads; 0: their number is unknown. */
void cpu_detail_append(char detail[DETAIL_MAX], const struct job *job, enum dtype computed, unsigned threads);

#endif
