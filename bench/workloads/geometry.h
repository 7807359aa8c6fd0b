#ifndef BENCH_WORKLOADS_GEOMETRY_H
#define BENCH_WORKLOADS_GEOMETRY_H

/* What the launches of all portable kernels decide alike. */

#include "harness/machine/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The backends that compile kernel text. */
static const char *const with_compiler[] = { "opencl", "cuda", NULL };

/* Work-items that run side by side in lanes, as on a GPU: Mesa's software driver imitates one. Elsewhere a work-item is
 * a loop on a core, which wants vectors of its own and no barriers. */
static inline bool has_lanes(const struct device *device)
{
    return device->class != CLASS_CPU || strcmp(device->platform, "rusticl") == 0;
}

/* Turns of the loops in which a work-item adds up `terms`, brought into shared memory `portion` at a time: one for each
 * term, and up to four more for each portion, since compilers make loops of what stands around them. Measured with Mesa
 * 22.3, where two for conv and three for matmul were seen. */
static inline double turns_of(int64_t terms, int64_t portion)
{
    return (double)terms + 4 * ((double)terms / (double)portion + 1);
}

/* What kernel texts call a REAL: the type of their arithmetic, their sums and their scratch. */
static inline size_t real_bytes(enum dtype dtype)
{
    return dtype_bytes(dtype_sums(dtype));
}

/* Whether operands are narrower than that, which texts know that stand behind element.h. */
static inline bool is_narrow(enum dtype dtype)
{
    return dtype_bytes(dtype) < real_bytes(dtype);
}

/* How many blocks of `block` elements cover `count`. */
static inline int64_t blocks_of(int64_t count, int64_t block)
{
    return (count + block - 1) / block;
}

#endif
