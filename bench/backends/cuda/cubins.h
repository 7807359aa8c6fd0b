#ifndef BENCH_BACKENDS_CUDA_CUBINS_H
#define BENCH_BACKENDS_CUDA_CUBINS_H

/* Machine code of kernel texts, compiled when the program was built (embed/cubins.c), for a machine with a driver and
 * no compiler. The key is everything that it was compiled from, so code of another text or with other options is never
 * used. */

#include "harness/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cubin {
    uint64_t text;       /* cubins_hash of the kernel text */
    const char *options; /* for the compiler, without the architecture */
    int architecture;    /* 90 is sm_90 */
    int toolkit;         /* version of the compiler: 13000 is 13.0 */
    size_t start, bytes; /* place in the data */
    uint64_t hash;       /* of the code */
};

struct cubins {
    const struct cubin *cubin;
    unsigned count;
    const unsigned char *data;
};

/* What this program contains: nothing where there was no CUDA Toolkit at build time. */
extern const struct cubins cubins_built;

/* 64-bit FNV-1a. */
uint64_t cubins_hash(const void *data, size_t bytes);

/* Code of that text with those options for a GPU of that architecture and a driver of that version: for the
 * architecture itself, or for the nearest older one of the same major version. Without a source, code of any text. NULL
 * with err: STATUS_UNSUPPORTED with what is missing, STATUS_FAILED where the code is damaged. */
const struct cubin *cubins_find(const struct cubins *in, const char *source, const char *options, int architecture,
                                int driver, struct error *err);

/* "sm_75, sm_80, sm_90, by NVRTC 13.0"; "" where there is none. Returns `to`. */
enum { CUBINS_TEXT = 128 };
const char *cubins_describe(const struct cubins *in, char to[CUBINS_TEXT]);

#endif
