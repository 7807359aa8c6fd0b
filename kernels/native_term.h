#ifndef KERNELS_NATIVE_TERM_H
#define KERNELS_NATIVE_TERM_H

/* Operands of products, as packed copies hold them. A term is what one number of a copy stands for: an element as a
 * REAL, or PER elements of i8 in the bytes of a word, whose products with those of another word are added to one sum.
 *
 * VNNI's instruction takes bytes without sign on one side. There the elements of the side that makes vectors are stored
 * with 128 added, and the sums are corrected by that much of the other side. */

#include "kernels/native_element.h"

#include <string.h>

#if defined __SSE2__
#include <immintrin.h>
#endif

#if NATIVE_IS_I8
enum { PER = NATIVE_DOT };
#else
enum { PER = 1 };
#endif

static inline int64_t terms_of(int64_t count)
{
    return (count + PER - 1) / PER;
}

#if NATIVE_IS_I8

#if defined __AVX512VNNI__
#define NATIVE_BIAS 0x80808080u
#else
#define NATIVE_BIAS 0u
#endif

/* A word of up to four elements, `apart` from each other, of the `left` that there are. */
static inline uint32_t word_at(const ELEMENT *from, int64_t apart, int64_t left)
{
    uint32_t word = 0;
    for (int64_t i = 0; i < PER && i * apart < left; i++)
        word |= (uint32_t)(uint8_t)from[i * apart] << 8 * i;
    return word;
}

/* Terms of the side that makes vectors: `count` of them, at every `step`-th place of a line. The elements of one lie in
 * `lines` lines, `apart` from each other. */
static inline void terms_read(REAL *restrict to, const ELEMENT *restrict from, int64_t apart, int64_t lines,
                              int64_t step, int64_t count)
{
    if (lines < PER || step > 1) {
        for (int64_t i = 0; i < count; i++)
            to[i] = (REAL)(word_at(from + i * step, apart, lines * apart) ^ NATIVE_BIAS);
        return;
    }
    const uint8_t *const line[PER] = { (const uint8_t *)from, (const uint8_t *)from + apart,
                                       (const uint8_t *)from + 2 * apart, (const uint8_t *)from + 3 * apart };
    for (int64_t i = 0; i < count; i++)
        to[i] =
            (REAL)((line[0][i] | (uint32_t)line[1][i] << 8 | (uint32_t)line[2][i] << 16 | (uint32_t)line[3][i] << 24) ^
                   NATIVE_BIAS);
}

/* The pairs of a word whose products are added in 32 bits: its even and its odd bytes as 16-bit numbers. */
typedef int16_t pairs __attribute__((vector_size(VECTOR_BYTES)));

static inline pairs pairs_of(vector words, int odd)
{
    return odd ? (pairs)words >> 8 : (pairs)((pairs)words << 8) >> 8;
}

static inline vector pairs_dot(pairs a, pairs b)
{
#if defined __AVX512BW__
    return (vector)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined __AVX2__
    return (vector)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined __SSE2__
    return (vector)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    return ((vector)a << 16 >> 16) * ((vector)b << 16 >> 16) + ((vector)a >> 16) * ((vector)b >> 16);
#endif
}

#else

static inline void terms_read(REAL *restrict to, const ELEMENT *restrict from, int64_t apart, int64_t lines,
                              int64_t step, int64_t count)
{
    if (step == 1) {
        line_read(to, from, count);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        to[i] = real_of(from[i * step]);
}

#endif

/* What no element lies at: 0 as the side that makes vectors has it. */
static inline REAL term_of_zeros(void)
{
#if NATIVE_IS_I8
    return (REAL)NATIVE_BIAS;
#else
    return 0;
#endif
}

#endif
