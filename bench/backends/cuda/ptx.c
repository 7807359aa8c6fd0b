#include "bench/backends/cuda/ptx.h"

#include "harness/base/text.h"

uint64_t ptx_key(const char *source, const char *options)
{
    return text_hash(text_hash(text_hash(TEXT_HASH, source), "\n"), options);
}

/* The driver must know the PTX version of the compiler. Unlike machine code, PTX of a newer minor version does not load
 * (CUDA Compatibility, minor version compatibility). */
const char *ptx_find(const struct ptx *in, const char *source, const char *options, int architecture, int driver,
                     struct error *err)
{
    const uint64_t key = source ? ptx_key(source, options) : 0;
    if (in->count == 0)
        fail(err, STATUS_UNSUPPORTED, "this program contains no PTX");
    else if (architecture < PTX_ARCHITECTURE)
        fail(err, STATUS_UNSUPPORTED, "this program's PTX is for sm_%d and newer, the GPU is sm_%d", PTX_ARCHITECTURE,
             architecture);
    else if (driver < in->toolkit)
        fail(err, STATUS_UNSUPPORTED, "this program's PTX needs a driver for CUDA %d.%d, the driver is for CUDA %d.%d",
             in->toolkit / 1000, in->toolkit % 1000 / 10, driver / 1000, driver % 1000 / 10);
    else {
        for (unsigned i = 0; i < in->count; i++)
            if (!source || in->piece[i].key == key)
                return in->piece[i].text;
        fail(err, STATUS_UNSUPPORTED, "this program has PTX, but none for this size");
    }
    return NULL;
}
