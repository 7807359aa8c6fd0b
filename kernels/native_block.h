#ifndef KERNELS_NATIVE_BLOCK_H
#define KERNELS_NATIVE_BLOCK_H

/* Blocks of a product of matrices, from packed panels: what matmul_native.c and train_native.c share. A panel has ROWS
 * rows of the left matrix or COLUMNS columns of the right one, term after term, padded with zeros. */

#include "kernels/native_tile.h"

#include <stdbool.h>

/* Terms that one tile sums up before the next tile: that much of a panel of A stays in the first cache, and of all
 * panels of a block in the second. */
enum { DEPTH = 1536 / sizeof(REAL) };

/* A panel `width` wide of lines that have its elements side by side: of `count` lines, `pitch` apart, the first `width`
 * elements, as terms; zeros where there are no more than `columns`. Inlined with a constant width. */
static inline __attribute__((always_inline)) void
lines_pack(REAL *restrict panel, int width, const ELEMENT *restrict from, int64_t pitch, int64_t count, int64_t columns)
{
    const int64_t there = columns < 0 ? 0 : least(columns, width);
    for (int64_t i = 0; i < count; i += PER, from += PER * pitch, panel += width) {
        if (there == width) {
            terms_read(panel, from, pitch, least(PER, count - i), 1, width);
            continue;
        }
        terms_read(panel, from, pitch, least(PER, count - i), 1, there);
        for (int64_t c = there; c < width; c++)
            panel[c] = term_of_zeros();
    }
}

/* A whole tile at c, whose rows are `pitch` elements apart; added to what is there unless it is the first part of the
 * sum. */
static inline void tile(const REAL *a, const REAL *b, int64_t terms, REAL *c, int64_t pitch, bool is_first)
{
    vector sum[ROWS][VECTORS];
    UNROLL for (int row = 0; row < ROWS; row++)
    {
        UNROLL for (int v = 0; v < VECTORS; v++)
            __builtin_prefetch(c + row * pitch + v * LANES, 1); /* on its way while the sums are made */
    }
    tile_sum(sum, a, b, NULL, terms);
    UNROLL for (int row = 0; row < ROWS; row++)
    {
        UNROLL for (int v = 0; v < VECTORS; v++)
        {
            REAL *to = c + row * pitch + v * LANES;
            vector_put(to, is_first ? sum[row][v] : sum[row][v] + vector_at(to));
        }
    }
}

/* The part of a tile that lies in C. */
static inline void tile_at_edge(const REAL *a, const REAL *b, int64_t terms, REAL *c, int64_t pitch, bool is_first,
                                int64_t rows, int64_t columns)
{
    REAL whole[ROWS * COLUMNS];
    tile(a, b, terms, whole, COLUMNS, true);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t column = 0; column < columns; column++) {
            REAL *to = c + row * pitch + column;
            *to = is_first ? whole[row * COLUMNS + column] : *to + whole[row * COLUMNS + column];
        }
}

/* One block of C, `rows` x `columns` elements whose rows are `pitch` apart, from the panels of A and B that it begins
 * with. */
static inline void block_sum(const REAL *restrict a, const REAL *restrict b, int64_t depth, REAL *restrict c,
                             int64_t pitch, int64_t rows, int64_t columns)
{
    for (int64_t from = 0; from < depth; from += DEPTH) {
        const int64_t terms = least(DEPTH, depth - from);
        for (int64_t column = 0; column < columns; column += COLUMNS)
            for (int64_t row = 0; row < rows; row += ROWS) {
                const REAL *a_panel = a + row * depth + from * ROWS, *b_panel = b + column * depth + from * COLUMNS;
                REAL *to = c + row * pitch + column;
                if (rows - row >= ROWS && columns - column >= COLUMNS)
                    tile(a_panel, b_panel, terms, to, pitch, from == 0);
                else
                    tile_at_edge(a_panel, b_panel, terms, to, pitch, from == 0, least(ROWS, rows - row),
                                 least(COLUMNS, columns - column));
            }
    }
}

#endif
