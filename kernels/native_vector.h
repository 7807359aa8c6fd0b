#ifndef KERNELS_NATIVE_VECTOR_H
#define KERNELS_NATIVE_VECTOR_H

/* Vectors of GCC and clang, as wide as a register. REAL is the type of the arithmetic in a file that is compiled with
 * -DNATIVE_DTYPE=f32, f64, f16, bf16, i8, or bytes. A product that is added to a sum becomes one instruction where the
 * processor has one. */

#include "kernels/native.h"

#ifndef NATIVE_DTYPE /* when the header is compiled alone */
#define NATIVE_DTYPE f32
#endif
#define NATIVE_REAL_f32   float
#define NATIVE_REAL_f64   double
#define NATIVE_REAL_f16   float
#define NATIVE_REAL_bf16  float
#define NATIVE_REAL_i8    int32_t
#define NATIVE_REAL_bytes uint8_t
#define REAL              NATIVE_PASTE(NATIVE_REAL, NATIVE_DTYPE)

#if defined __AVX512F__
enum { VECTOR_BYTES = 64 };
#elif defined __AVX2__
enum { VECTOR_BYTES = 32 };
#else
enum { VECTOR_BYTES = 16 };
#endif
enum { LANES = VECTOR_BYTES / sizeof(REAL) };

typedef REAL vector __attribute__((vector_size(VECTOR_BYTES)));
/* The same at any address, in an array of REAL. */
typedef REAL vector_anywhere __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(REAL)), may_alias));

#define UNROLL _Pragma("GCC unroll 16")

static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline vector vector_at(const REAL *from)
{
    return *(const vector_anywhere *)from;
}

static inline void vector_put(REAL *to, vector value)
{
    *(vector_anywhere *)to = value;
}

#endif
