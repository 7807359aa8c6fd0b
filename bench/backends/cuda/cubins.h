#ifndef BENCH_BACKENDS_CUDA_CUBINS_H
#define BENCH_BACKENDS_CUDA_CUBINS_H

/* Machine code of kernel texts that was made when the program was built (tools/cubins.c), for a machine that has a
 * driver and no compiler. It is found by all that it was made from, so that code of another text, or of the same text
 * with other options, is never taken for it. */

#include "harness/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cubin {
    uint64_t text;       /* cubins_hash of the kernel text */
    const char *options; /* what the compiler got beside the architecture */
    int architecture;    /* 90: sm_90 */
    int toolkit;         /* of the compiler, as drivers count: 13000 */
    size_t start, bytes; /* where it lies in the data */
    uint64_t hash;       /* of the code itself */
};

struct cubins {
    const struct cubin *cubin;
    unsigned count;
    const unsigned char *data;
};

/* What this program carries: nothing where there was no CUDA Toolkit when it was built. */
extern const struct cubins cubins_built;

/* FNV-1a, of 64 bits. */
uint64_t cubins_hash(const void *data, size_t bytes);

/* Code of that text with those options for a GPU of that architecture and a driver of that version: made for the
 * architecture itself, or else for the nearest older one of the same major version. NULL with err: STATUS_UNSUPPORTED
 * with what is missing, STATUS_FAILED where the code is damaged. Without a source, code of any text with any options:
 * whether there is code for such a GPU at all. */
const struct cubin *cubins_find(const struct cubins *in, const char *source, const char *options, int architecture,
                                int driver, struct error *err);

/* "sm_75, sm_80, sm_90, by NVRTC 13.0"; "" where there is nothing. Returns `to`. */
enum { CUBINS_TEXT = 128 };
const char *cubins_describe(const struct cubins *in, char to[CUBINS_TEXT]);

#endif
