#ifndef HARNESS_MACHINE_THEORY_UNITS_H
#define HARNESS_MACHINE_THEORY_UNITS_H

/* What one unit of a known architecture does in a cycle, by the papers of those who made it. Tables only. */

#include "harness/machine/device.h"

#include <stdbool.h>

/* A GPU's unit: Intel's EU (from Xe-HPG on called vector engine), NVIDIA's multiprocessor, AMD's compute unit. A lane
 * does a multiply-add in a cycle; 0 lanes: not known, or none. Matrix and tensor units are counted by themselves. */
struct gpu_unit {
    const char *architecture, *unit;
    unsigned lanes[DTYPE_COUNT];
    unsigned issue; /* instructions that an f32 lane may take at once where the code allows it; 1: no such thing */
    const char *issue_name;
};

/* NULL where the table has no such architecture. */
const struct gpu_unit *theory_gpu_unit(const char *architecture);

/* The tensor cores of such a unit, all together: multiply-adds in a cycle on dense operands, with sums in f32 (f64 in
 * f64); 0: not known, or none. NULL: none are known. */
struct gpu_tensor {
    const char *architecture;
    unsigned each[DTYPE_COUNT];
    const char *doubt; /* why one of that architecture may do less; NULL: it does not */
};
const struct gpu_tensor *theory_gpu_tensor(const char *architecture);

/* Whether matrix or tensor units that are not known may do more of a type than what is. */
bool theory_gpu_has_more(const char *architecture, enum dtype dtype);

/* A processor's core: `pipes` units for multiply-adds, each `bits` wide at most. */
struct cpu_core {
    const char *vendor, *name; /* "intel"; what people call it */
    unsigned family, model[8]; /* display family and models, as CPUID tells them; the list ends with 0 */
    unsigned pipes, bits;
    const char *features; /* of those that tell models from one another, all that it may have */
    const char *doubt;    /* why one of these models may do less; NULL: it does not */
};

const struct cpu_core *theory_cpu_core(const char *architecture);

/* The instruction sets, by their names in /proc/cpuinfo, that tell one model from another; ends with NULL. */
extern const char *const theory_features[];

#endif
