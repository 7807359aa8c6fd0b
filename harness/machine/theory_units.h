#ifndef HARNESS_MACHINE_THEORY_UNITS_H
#define HARNESS_MACHINE_THEORY_UNITS_H

/* Work per cycle of one unit of known architectures, by vendors' papers. Tables only. */

#include "harness/machine/device.h"

#include <stdbool.h>

/* A GPU's unit: Intel's EU (from Xe-HPG on called vector engine), NVIDIA's multiprocessor, AMD's compute unit. A lane
 * does one multiply-add per cycle; 0 lanes: unknown, or none. Matrix and tensor units are listed separately. */
struct gpu_unit {
    const char *architecture, *unit;
    unsigned lanes[DTYPE_COUNT];
    unsigned issue; /* instructions that an f32 lane can issue at once; 1: no dual issue */
    const char *issue_name;
};

/* NULL: not in the table. */
const struct gpu_unit *theory_gpu_unit(const char *architecture);

/* All tensor cores of such a unit: multiply-adds per cycle on dense operands, with sums in f32 (f64 in f64, i32 in i8);
 * 0: unknown, or none. NULL: none are known. */
struct gpu_tensor {
    const char *architecture;
    unsigned each[DTYPE_COUNT];
    const char *doubt; /* why one may do less; NULL: it does not */
    bool doubts_bytes; /* that is true of i8, too; it never is of f64 */
};
const struct gpu_tensor *theory_gpu_tensor(const char *architecture);

/* Why this card, by its name, does not do what the tables say of its architecture; NULL: it does. */
const char *theory_gpu_exception(const struct device *device, enum dtype dtype);

/* Whether there are matrix or tensor units, not in the tables, that may do more of a type. */
bool theory_gpu_has_more(const char *architecture, enum dtype dtype);

/* A CPU core: `pipes` units for multiply-adds, each at most `bits` wide. */
struct cpu_core {
    const char *vendor, *name; /* "intel"; the common name */
    unsigned family, model[8]; /* display family and models by CPUID; the list ends with 0 */
    unsigned pipes, bits;
    const char *features; /* all distinguishing features that it may have */
    const char *doubt;    /* why one may do less; NULL: it does not */
    bool has_vnni;        /* with 512-bit vectors: four multiply-adds of bytes in place of one of f32 */
};

const struct cpu_core *theory_cpu_core(const char *architecture);

/* Features, by their names in /proc/cpuinfo, that distinguish models; ends with NULL. */
extern const char *const theory_features[];

#endif
