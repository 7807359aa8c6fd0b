#ifndef KERNELS_NATIVE_ELEMENT_H
#define KERNELS_NATIVE_ELEMENT_H

/* Elements as memory has them, and the numbers that they are computed with. f16 and bf16 become f32 where they are read
 * and are rounded to nearest, ties to even, where they are written. Operands of i8 are read by native_term.h; what is
 * here is for its results. The other types are computed with as they are. Subnormal numbers, infinities and NaN stay
 * what they are, and every instruction set gives the same bits. No compiler's own type of 16 bits is needed, which some
 * do not have. */

#include "kernels/native_vector.h"

#if defined __F16C__
#include <immintrin.h>
#endif

/* What memory holds: of the narrow types, bits. */
#define NATIVE_ELEMENT_f32   float
#define NATIVE_ELEMENT_f64   double
#define NATIVE_ELEMENT_f16   uint16_t
#define NATIVE_ELEMENT_bf16  uint16_t
#define NATIVE_ELEMENT_i8    int8_t
#define NATIVE_ELEMENT_bytes uint8_t
#define ELEMENT              NATIVE_PASTE(NATIVE_ELEMENT, NATIVE_DTYPE)

#define NATIVE_KIND_f32   0
#define NATIVE_KIND_f64   0
#define NATIVE_KIND_f16   1
#define NATIVE_KIND_bf16  2
#define NATIVE_KIND_i8    -1
#define NATIVE_KIND_bytes 0
#define NATIVE_IS_NARROW  (NATIVE_PASTE(NATIVE_KIND, NATIVE_DTYPE) > 0)
#define NATIVE_IS_BF16    (NATIVE_PASTE(NATIVE_KIND, NATIVE_DTYPE) == 2)
#define NATIVE_IS_I8      (NATIVE_PASTE(NATIVE_KIND, NATIVE_DTYPE) < 0)

/* What memory holds of a result. */
#if NATIVE_IS_I8
#define RESULT REAL
#else
#define RESULT ELEMENT
#endif

/* One element for each lane of a vector, and the same at any address. */
typedef RESULT elements __attribute__((vector_size(LANES * sizeof(RESULT))));
typedef RESULT elements_anywhere
    __attribute__((vector_size(LANES * sizeof(RESULT)), aligned(sizeof(RESULT)), may_alias));

#if NATIVE_IS_NARROW

/* The bits of f32 numbers, to compute with, and to compare: none is negative where the sign is taken off. */
typedef uint32_t bits __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t lanes __attribute__((vector_size(VECTOR_BYTES)));

/* `mask` has all bits of a lane or none. */
static inline bits choose(lanes mask, bits yes, bits no)
{
    return ((bits)mask & yes) | (~(bits)mask & no);
}

#endif

#if NATIVE_IS_BF16

/* The upper half of an f32. */
static inline vector widen(elements from)
{
    return (vector)(__builtin_convertvector(from, bits) << 16);
}

/* A carry out of the fraction goes where it should, into the exponent, and at last makes an infinity. */
static inline elements narrow(vector from)
{
    const bits all = (bits)from, rounded = (all + 0x7fff + (all >> 16 & 1)) >> 16;
    const lanes is_nan = (lanes)(all & 0x7fffffff) > 0x7f800000;
    return __builtin_convertvector(choose(is_nan, all >> 16 | 0x40, rounded), elements);
}

#elif NATIVE_IS_NARROW && defined __AVX512F__

static inline vector widen(elements from)
{
    return (vector)_mm512_cvtph_ps((__m256i)from);
}

static inline elements narrow(vector from)
{
    return (elements)_mm512_cvtps_ph((__m512)from, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

#elif NATIVE_IS_NARROW && defined __F16C__ && defined __AVX2__

static inline vector widen(elements from)
{
    return (vector)_mm256_cvtph_ps((__m128i)from);
}

static inline elements narrow(vector from)
{
    return (elements)_mm256_cvtps_ph((__m256)from, _MM_FROUND_TO_NEAREST_INT);
}

#elif NATIVE_IS_NARROW

/* Both have the fraction at the top, of 10 and of 23 bits, and exponents that are biased by 15 and by 127. What is
 * below the normal numbers of f16 is a whole number of 2^-24. Above them are infinities and NaN; the highest bit of the
 * fraction makes a NaN quiet. */
static inline vector widen(elements from)
{
    const bits half = __builtin_convertvector(from, bits), size = half & 0x7fff, sign = (half & 0x8000) << 16;
    const bits subnormal = (bits)(__builtin_convertvector((lanes)size, vector) * 0x1p-24F);
    const bits normal = (size << 13) + ((127 - 15) << 23);
    const bits beyond = size << 13 | 0x7f800000 | ((bits)((lanes)size > 0x7c00) & 0x400000);
    const bits above = choose((lanes)size < 0x7c00, normal, beyond);
    return (vector)(sign | choose((lanes)size < 0x400, subnormal, above));
}

/* The unit in the last place of a number in [1/2, 1) is 2^-24: adding 1/2 rounds what is subnormal in f16, by the
 * processor's own rounding. Of the others half a unit less one bit, and that one where the result would be odd, are
 * added before the rest is cut off; from 65520 on, that makes an infinity. */
static inline elements narrow(vector from)
{
    const bits all = (bits)from, size = all & 0x7fffffff, sign = all >> 16 & 0x8000;
    const bits subnormal = (bits)((vector)size + 0.5F) - 0x3f000000;
    const bits normal = (size - ((127 - 15) << 23) + 0xfff + (size >> 13 & 1)) >> 13;
    const bits nan = 0x7e00 | (size >> 13 & 0x3ff), infinity = { 0 };
    const bits beyond = choose((lanes)size > 0x7f800000, nan, infinity + 0x7c00);
    const bits above = choose((lanes)size < 0x47800000, normal, beyond);                                 /* 2^16 */
    return __builtin_convertvector(sign | choose((lanes)size < 0x38800000, subnormal, above), elements); /* 2^-14 */
}

#else

static inline vector widen(elements from)
{
    return from;
}

static inline elements narrow(vector from)
{
    return from;
}

#endif

static inline vector vector_read(const RESULT *from)
{
    return widen(*(const elements_anywhere *)from);
}

static inline void vector_write(RESULT *to, vector value)
{
    *(elements_anywhere *)to = narrow(value);
}

static inline REAL real_of(RESULT element)
{
    return widen((elements){ element })[0];
}

static inline RESULT element_of(REAL real)
{
    return narrow((vector){ real })[0];
}

/* Lines of any length. The last vector overlaps the one before. */

static inline void line_read(REAL *restrict to, const RESULT *restrict from, int64_t count)
{
    int64_t i = 0;
    if (count < LANES) {
        for (; i < count; i++)
            to[i] = real_of(from[i]);
        return;
    }
    for (; i < count - LANES; i += LANES)
        vector_put(to + i, vector_read(from + i));
    vector_put(to + count - LANES, vector_read(from + count - LANES));
}

static inline void line_write(RESULT *restrict to, const REAL *restrict from, int64_t count)
{
    int64_t i = 0;
    if (count < LANES) {
        for (; i < count; i++)
            to[i] = element_of(from[i]);
        return;
    }
    for (; i < count - LANES; i += LANES)
        vector_write(to + i, vector_at(from + i));
    vector_write(to + count - LANES, vector_at(from + count - LANES));
}

/* `count` elements as numbers: they themselves, or in `room` what they become. */
static inline const REAL *line_as_reals(const RESULT *from, int64_t count, REAL *room)
{
#if NATIVE_IS_NARROW
    line_read(room, from, count);
    return room;
#else
    return from;
#endif
}

#endif
