#ifndef KERNELS_NATIVE_VECTOR_H
#define KERNELS_NATIVE_VECTOR_H

/* Vectors of plain C, for files that are compiled once per instruction set and element type: -DNATIVE_DTYPE=f32, f64,
 * f16 or bf16. REAL is what such a file computes with. Vectors are those of GCC and clang, as wide as a register; a
 * product that is added to a sum becomes one instruction where the processor has it. */

#include "kernels/native.h"

#ifndef NATIVE_DTYPE
#define NATIVE_DTYPE f32
#endif
#define NATIVE_REAL_f32  float
#define NATIVE_REAL_f64  double
#define NATIVE_REAL_f16  float
#define NATIVE_REAL_bf16 float
#define REAL             NATIVE_PASTE(NATIVE_REAL, NATIVE_DTYPE)
/* matmul_f64_avx2 in the object compiled for f64 and AVX2. */
#define NATIVE_TYPED(stem) NATIVE(NATIVE_PASTE(stem, NATIVE_DTYPE))

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

static inline vector vector_at(const REAL *from)
{
    return *(const vector_anywhere *)from;
}

static inline void vector_put(REAL *to, vector value)
{
    *(vector_anywhere *)to = value;
}

#endif
