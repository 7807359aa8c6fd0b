#include "harness/base/dtype.h"

#include "harness/base/text.h"

#include <float.h>
#include <math.h>

static const char *const names[DTYPE_ALL] = { "f32", "f64", "f16", "bf16", "tf32", "i8", "i32" };

const char *dtype_name(enum dtype dtype)
{
    return (unsigned)dtype < DTYPE_ALL ? names[dtype] : "unknown";
}

bool dtype_parse(const char *word, enum dtype *out)
{
    unsigned found = name_find(word, names, DTYPE_COUNT);
    if (found == DTYPE_COUNT)
        return false;
    *out = (enum dtype)found;
    return true;
}

size_t dtype_bytes(enum dtype dtype)
{
    static const size_t bytes[DTYPE_ALL] = { 4, 8, 2, 2, 4, 1, 4 };
    return bytes[dtype];
}

unsigned dtype_bits(enum dtype dtype)
{
    static const unsigned bits[DTYPE_ALL] = { 24, 53, 11, 8, 11, 7, 31 };
    return bits[dtype];
}

double dtype_roundoff(enum dtype dtype)
{
    static const double roundoff[DTYPE_ALL] = { 0x1p-24, 0x1p-53, 0x1p-11, 0x1p-8, 0x1p-11, 0x1p-7, 0x1p-31 };
    return roundoff[dtype];
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
    enum dtype dtype;
    return dtype_parse(name, &dtype) && dtype_is_whole(dtype) ? "OP" : "FLOP";
}
