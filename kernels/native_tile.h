#ifndef KERNELS_NATIVE_TILE_H
#define KERNELS_NATIVE_TILE_H

/* The innermost part of matmul_native.c and conv_native.c. */

#include "kernels/native_element.h"

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

/* Terms [begin, end) of a panel of ROWS rows, each of so many terms; zeros where there are no more than `rows`. */
static inline void rows_pack(REAL *restrict panel, const ELEMENT *restrict from, int64_t terms, int64_t begin,
                             int64_t end, int64_t rows)
{
    enum { STEP = 128 };
    static const REAL zeros[STEP];
    REAL room[ROWS][STEP];
    for (int64_t first = begin; first < end; first += STEP) {
        const int64_t count = end - first < STEP ? end - first : STEP;
        const REAL *line[ROWS];
        for (int row = 0; row < ROWS; row++)
            line[row] = row < rows ? line_as_reals(from + row * terms + first, count, room[row]) : zeros;
        for (int64_t i = 0; i < count; i++) {
            UNROLL for (int row = 0; row < ROWS; row++) panel[(first + i) * ROWS + row] = line[row][i];
        }
    }
}

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
    for (int64_t term = 0; term < terms; term++) {
        const REAL *line = place ? b + place[term] : b + term * COLUMNS;
        vector column[VECTORS];
        UNROLL for (int v = 0; v < VECTORS; v++) column[v] = vector_at(line + v * LANES);
        UNROLL for (int row = 0; row < ROWS; row++)
        {
            REAL factor = a[term * ROWS + row];
            UNROLL for (int v = 0; v < VECTORS; v++) sum[row][v] += factor * column[v];
        }
    }
}

#endif
