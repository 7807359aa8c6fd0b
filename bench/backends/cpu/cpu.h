#ifndef BENCH_BACKENDS_CPU_CPU_H
#define BENCH_BACKENDS_CPU_CPU_H

/* For the files of the CPU backend, which computes in host memory: in slices of plain C, one per thread, or through a
 * library. */

#include "bench/backends/common/task.h"
#include "kernels/native.h"

/* Instruction sets that native slices are compiled for, the widest last. */
enum isa { ISA_BASELINE, ISA_AVX2, ISA_AVX512, ISA_VNNI, ISA_COUNT };

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

/* The address of each operand; false if one does not fit its buffer. */
bool cpu_operands(const struct job *job, void *array[OPERANDS_MAX], struct error *err);

/* Passes of plain C on the arrays of a job. */
struct passes {
    const struct native *native;
    enum isa isa;
    native_slice *slice[PASSES_MAX];
    int64_t extent[PASSES_MAX];
    void *array[OPERANDS_MAX + SCRATCH_MAX]; /* the operands, and right after them the scratch */
    struct problem problem;
    struct session *session;
    struct buffer *scratch[SCRATCH_MAX];
    unsigned threads, parts;
};

/* Binds arrays and allocates the scratch. False with err. */
bool cpu_passes_open(struct passes *passes, struct session *session, const struct job *job, const struct native *native,
                     struct error *err);
void cpu_passes_close(void *passes); /* also after one that failed, if it was zeroed before */

/* One of them, by all its threads. */
void cpu_passes_run(const struct passes *passes, unsigned pass);

/* train.c: what follows each of the products of kernels/train_products.h. */
extern const struct native cpu_train_passes;

/* The routines; runs are done on return, and spans are NULL. */
extern const struct routine cpu_native; /* native.c: plain C */
extern const struct routine cpu_openblas;
extern const struct routine cpu_onednn, cpu_onednn_train;

extern const char *const cpu_isa_name[ISA_COUNT]; /* "baseline", "avx2", "avx512", "avx512 with vnni" */

/* Fills the device's members about OpenBLAS's core, and its entry among the libraries. Loads the library (the first of
 * `sonames`, NULL: as installed), so call it in a process that does not measure. Without the library nothing is filled.
 */
void cpu_openblas_probe(struct device *device, const char *const sonames[]);

/* Appends to the text of how a method runs: ", computed in f32" where that is another type than the problem's, the
 * pages of the job's operands, and the threads; 0: their number is unknown. */
void cpu_detail_append(char detail[DETAIL_MAX], const struct job *job, enum dtype computed, unsigned threads);

#endif
