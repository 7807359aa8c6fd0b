#ifndef BENCH_BACKENDS_CUDA_PTX_H
#define BENCH_BACKENDS_CUDA_PTX_H

/* PTX of kernel texts, made by NVRTC when the program was built (embed/ptx.c), for a machine with a driver and no
 * compiler. The driver compiles it for its GPU. The key is everything that a piece was made from, so PTX of another
 * text or with other options is never used. */

#include "harness/base/error.h"

#include <stdint.h>

/* The oldest architecture that all kernel texts compile for: bf16 is converted by shifts, which needs no sm_80. */
enum { PTX_ARCHITECTURE = 75 };

struct ptx_piece {
    uint64_t key; /* ptx_key */
    const char *text;
};

struct ptx {
    const struct ptx_piece *piece;
    unsigned count;
    int toolkit; /* version of the compiler: 13000 is 13.0 */
};

/* What this program contains: nothing if the build had no NVRTC or was not asked for PTX. */
extern const struct ptx ptx_built;

/* 64-bit FNV-1a of the text and the compiler's options. */
uint64_t ptx_key(const char *source, const char *options);

/* PTX of that text with those options; without a source, of any text. `architecture` is the GPU's, 90 for sm_90;
 * `driver` is the newest version of CUDA that the driver supports, as cuDriverGetVersion reports it. NULL with err:
 * STATUS_UNSUPPORTED with what is missing. */
const char *ptx_find(const struct ptx *in, const char *source, const char *options, int architecture, int driver,
                     struct error *err);

#endif
