#ifndef HARNESS_MACHINE_THEORY_UNITS_H
#define HARNESS_MACHINE_THEORY_UNITS_H

/* Work per cycle of one unit of known architectures, by the table theory_units.txt. Each function returns false where
 * the table does not have the architecture. */

#include "harness/machine/device.h"

#include <stdbool.h>

/* A GPU's unit: Intel's EU (from Xe-HPG on called vector engine), NVIDIA's multiprocessor, AMD's compute unit. A lane
 * does one multiply-add per cycle; 0 lanes: unknown, or none. Matrix and tensor units are listed separately. */
struct gpu_unit {
    char unit[8];
    unsigned lanes[DTYPE_COUNT];
    unsigned issue;      /* instructions that an f32 lane can issue at once; 1: no dual issue */
    char issue_name[16]; /* "dual issue"; "" */
};
bool theory_gpu_unit(const char *architecture, struct gpu_unit *out);

/* All tensor cores of such a unit: multiply-adds per cycle on dense operands, with sums in f32 (f64 in f64, i32 in i8);
 * 0: unknown, or none. */
struct gpu_tensor {
    unsigned each[DTYPE_COUNT];
    const char *doubt; /* why one may do less; NULL: it does not */
    bool doubts_bytes; /* that is true of i8, too; it never is of f64 */
};
bool theory_gpu_tensor(const char *architecture, struct gpu_tensor *out);

/* The reason why a card of this name does not have the rates of its architecture in the table; NULL: it has them. */
const char *theory_gpu_exception(const struct device *device, enum dtype dtype);

/* Whether there are matrix or tensor units, not in the table, that may do more of a type. */
bool theory_gpu_has_more(const char *architecture, enum dtype dtype);

/* A CPU core, by family and model as CPUID displays them: `units` for multiply-adds, each at most `bits` wide. */
struct cpu_core {
    char name[48]; /* the common one */
    unsigned units, bits;
    char features[96]; /* all distinguishing features that it may have */
    const char *doubt; /* why one may do less; NULL: it does not */
    bool has_vnni;     /* with 512-bit vectors: four multiply-adds of bytes in place of one of f32 */
};
bool theory_cpu_core(const char *architecture, struct cpu_core *out);

/* Features, by their names in /proc/cpuinfo, that distinguish models; ends with NULL. */
extern const char *const theory_features[];

#endif
