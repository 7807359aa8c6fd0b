#include "harness/base/dtype.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned bytes, bits;
} types[DTYPE_ALL] = {
    [DTYPE_F32] = { "f32", 4, 24 },  [DTYPE_F64] = { "f64", 8, 53 },   [DTYPE_F16] = { "f16", 2, 11 },
    [DTYPE_BF16] = { "bf16", 2, 8 }, [DTYPE_TF32] = { "tf32", 4, 11 }, [DTYPE_I8] = { "i8", 1, 7 },
    [DTYPE_I32] = { "i32", 4, 31 },
};

const char *dtype_name(enum dtype dtype)
{
    return (unsigned)dtype < DTYPE_ALL ? types[dtype].name : "unknown";
}

enum dtype dtype_parse(const char *word)
{
    enum dtype dtype = 0;
    while (dtype < DTYPE_COUNT && strcmp(word, types[dtype].name) != 0)
        dtype++;
    return dtype;
}

size_t dtype_bytes(enum dtype dtype)
{
    return types[dtype].bytes;
}

unsigned dtype_bits(enum dtype dtype)
{
    return types[dtype].bits;
}

double dtype_roundoff(enum dtype dtype)
{
    return ldexp(1, -(int)types[dtype].bits);
}

double dtype_tiny(enum dtype dtype)
{
    return dtype == DTYPE_F64 ? DBL_MIN : dtype == DTYPE_F16 ? 0x1p-25 : (double)FLT_MIN;
}

enum dtype dtype_sums(enum dtype dtype)
{
    return dtype == DTYPE_F64 ? DTYPE_F64 : dtype_is_whole(dtype) ? DTYPE_I32 : DTYPE_F32;
}

enum dtype dtype_result(enum dtype dtype)
{
    return dtype_is_whole(dtype) ? DTYPE_I32 : dtype;
}

bool dtype_is_whole(enum dtype dtype)
{
    return dtype == DTYPE_I8 || dtype == DTYPE_I32;
}

const char *dtype_operation(const char *name)
{
    return strcmp(name, types[DTYPE_I8].name) == 0 ? "OP" : "FLOP";
}
