#ifndef KERNELS_NATIVE_TILE_H
#define KERNELS_NATIVE_TILE_H

/* The innermost part of matmul_native.c and conv_native.c. */

#include "kernels/native_term.h"

/* Sums of a tile, ROWS x VECTORS of them, stay in registers, and beside them a row of VECTORS and one broadcast
 * element: 28 of AVX-512's 32 registers, all 16 of AVX2's. Without FMA a product needs one more: 11 of SSE2's 16. */
#if defined __AVX512F__
enum { ROWS = 8, VECTORS = 3 };
#elif defined __AVX2__
enum { ROWS = 4, VECTORS = 3 };
#else
enum { ROWS = 4, VECTORS = 2 };
#endif
enum { COLUMNS = VECTORS * LANES };

_Static_assert(NATIVE_ROWS % ROWS == 0 && NATIVE_COLUMNS % COLUMNS == 0, "blocks are made of whole tiles");

/* Terms [begin, end) of a panel of ROWS rows, each of `length` elements; zeros where there are no more than `rows`. The
 * elements of a term are `apart` from each other. */
#if NATIVE_IS_I8
static inline void rows_pack(REAL *restrict panel, const ELEMENT *restrict from, int64_t length, int64_t apart,
                             int64_t begin, int64_t end, int64_t rows)
{
    int64_t at = begin / apart * apart * PER + begin % apart, next = begin % apart;
    for (int64_t term = begin; term < end; term++) {
        for (int row = 0; row < ROWS; row++) {
            uint32_t word = 0;
            if (row < rows && apart == 1 && at + PER <= length)
                memcpy(&word, from + row * length + at, sizeof word);
            else if (row < rows)
                word = word_at(from + row * length + at, apart, length - at);
            panel[term * ROWS + row] = (REAL)word;
        }
        at++;
        if (++next == apart) {
            next = 0;
            at += (PER - 1) * apart;
        }
    }
}
#else
static inline void rows_pack(REAL *restrict panel, const ELEMENT *restrict from, int64_t length, int64_t apart,
                             int64_t begin, int64_t end, int64_t rows)
{
    enum { STEP = 128 };
    static const REAL zeros[STEP];
    REAL room[ROWS][STEP];
    for (int64_t first = begin; first < end; first += STEP) {
        const int64_t count = end - first < STEP ? end - first : STEP;
        const REAL *line[ROWS];
        for (int row = 0; row < ROWS; row++)
            line[row] = row < rows ? line_as_reals(from + row * length + first, count, room[row]) : zeros;
        for (int64_t i = 0; i < count; i++) {
            UNROLL for (int row = 0; row < ROWS; row++) panel[(first + i) * ROWS + row] = line[row][i];
        }
    }
}
#endif

#if NATIVE_IS_I8 && defined __AVX512VNNI__

_Static_assert(ROWS * sizeof(REAL) == sizeof(__m256i), "the sums that correct the bias are one register");

/* Adds what one term gives; `bias` sums up what was added to `b`. */
static inline __attribute__((always_inline)) void term_add(vector sum[ROWS][VECTORS], __m256i *bias,
                                                           const REAL *restrict a, const REAL *restrict line)
{
    __m512i column[VECTORS];
    UNROLL for (int v = 0; v < VECTORS; v++) column[v] = _mm512_loadu_si512(line + v * LANES);
    *bias = _mm256_dpbusd_epi32(*bias, _mm256_set1_epi8((char)128), _mm256_loadu_si256((const __m256i *)a));
    UNROLL for (int row = 0; row < ROWS; row++)
    {
        const __m512i factor = _mm512_set1_epi32(a[row]);
        UNROLL for (int v = 0; v < VECTORS; v++) sum[row][v] =
            (vector)_mm512_dpbusd_epi32((__m512i)sum[row][v], column[v], factor);
    }
}

#elif NATIVE_IS_I8

/* Even bytes first, and then odd ones: fewer registers are in use than with both at once. */
static inline __attribute__((always_inline)) void term_add(vector sum[ROWS][VECTORS], const REAL *restrict a,
                                                           const REAL *restrict line)
{
    UNROLL for (int odd = 0; odd < 2; odd++)
    {
        pairs column[VECTORS];
        UNROLL for (int v = 0; v < VECTORS; v++) column[v] = pairs_of(vector_at(line + v * LANES), odd);
        UNROLL for (int row = 0; row < ROWS; row++)
        {
            const pairs factor = pairs_of((vector){ 0 } + a[row], odd);
            UNROLL for (int v = 0; v < VECTORS; v++) sum[row][v] += pairs_dot(factor, column[v]);
        }
    }
}

#else

static inline __attribute__((always_inline)) void term_add(vector sum[ROWS][VECTORS], const REAL *restrict a,
                                                           const REAL *restrict line)
{
    vector column[VECTORS];
    UNROLL for (int v = 0; v < VECTORS; v++) column[v] = vector_at(line + v * LANES);
    UNROLL for (int row = 0; row < ROWS; row++)
    {
        REAL factor = a[row];
        UNROLL for (int v = 0; v < VECTORS; v++) sum[row][v] += factor * column[v];
    }
}

#endif

/* sum[row][column] = a[term][row] * b[place[term]][column], summed over the terms. `a` is packed ROWS by ROWS; so is b
 * by COLUMNS where there are no places. Inlined, so that the sums never leave their registers. */
static inline __attribute__((always_inline)) void tile_sum(vector sum[ROWS][VECTORS], const REAL *restrict a,
                                                           const REAL *restrict b, const int64_t *restrict place,
                                                           int64_t terms)
{
    UNROLL for (int row = 0; row < ROWS; row++)
    {
        UNROLL for (int v = 0; v < VECTORS; v++) sum[row][v] = (vector){ 0 };
    }
#if NATIVE_IS_I8 && defined __AVX512VNNI__
    __m256i bias = _mm256_setzero_si256();
    for (int64_t term = 0; term < terms; term++)
        term_add(sum, &bias, a + term * ROWS, place ? b + place[term] : b + term * COLUMNS);
    REAL too_much[ROWS];
    _mm256_storeu_si256((__m256i *)too_much, bias);
    UNROLL for (int row = 0; row < ROWS; row++)
    {
        UNROLL for (int v = 0; v < VECTORS; v++) sum[row][v] -= too_much[row];
    }
#else
    for (int64_t term = 0; term < terms; term++)
        term_add(sum, a + term * ROWS, place ? b + place[term] : b + term * COLUMNS);
#endif
}

#endif
