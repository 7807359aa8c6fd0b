#include "kernels/native_tile.h"

#include <stdbool.h>
#include <string.h>

/* C = A B in three passes: A packed into panels of ROWS rows, element after element along k; B likewise into panels of
 * COLUMNS columns; then tiles of C, each from one panel of A and one of B. Panels are filled up with zeros. Arrays are
 * A, B, C, packed A, packed B. */

enum { M, N, K };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Terms that one tile sums up before the next tile: that much of a panel of A stays in the first cache, and of all
 * panels of a block in the second. */
enum { DEPTH = 1536 / sizeof(REAL) };

/* Blocks of NATIVE_ROWS rows of A. */
NATIVE_SLICE(NATIVE_TYPED(matmul_pack_a))
{
    const REAL *restrict a = operand[0];
    REAL *restrict packed = operand[3];
    const int64_t m = dim[M], k = dim[K];
    for (int64_t row = begin * NATIVE_ROWS; row < end * NATIVE_ROWS; row += ROWS) {
        REAL *restrict panel = packed + row * k;
        const int64_t rows = least(ROWS, m - row);
        if (rows == ROWS) {
            for (int64_t i = 0; i < k; i++) {
                UNROLL for (int r = 0; r < ROWS; r++) panel[i * ROWS + r] = a[(row + r) * k + i];
            }
            continue;
        }
        for (int64_t i = 0; i < k; i++)
            for (int64_t r = 0; r < ROWS; r++)
                panel[i * ROWS + r] = r < rows ? a[(row + r) * k + i] : 0;
    }
}

/* Blocks of NATIVE_COLUMNS columns of B. */
NATIVE_SLICE(NATIVE_TYPED(matmul_pack_b))
{
    const REAL *restrict b = operand[1];
    REAL *restrict packed = operand[4];
    const int64_t n = dim[N], k = dim[K];
    for (int64_t column = begin * NATIVE_COLUMNS; column < end * NATIVE_COLUMNS; column += COLUMNS) {
        REAL *restrict panel = packed + column * k;
        const int64_t columns = least(COLUMNS, n - column);
        if (columns == COLUMNS) {
            for (int64_t i = 0; i < k; i++)
                memcpy(panel + i * COLUMNS, b + i * n + column, sizeof(REAL) * COLUMNS);
            continue;
        }
        for (int64_t i = 0; i < k; i++)
            for (int64_t c = 0; c < COLUMNS; c++)
                panel[i * COLUMNS + c] = c < columns ? b[i * n + column + c] : 0;
    }
}

/* A whole tile at c, whose rows are `pitch` elements apart; added to what is there unless it is the first part of the
 * sum. */
static void tile(const REAL *a, const REAL *b, int64_t terms, REAL *c, int64_t pitch, bool is_first)
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
static void tile_at_edge(const REAL *a, const REAL *b, int64_t terms, REAL *c, int64_t pitch, bool is_first,
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

/* Blocks of C, each MATMUL_HEIGHT by MATMUL_WIDTH, row by row of blocks. */
NATIVE_SLICE(NATIVE_TYPED(matmul_tiles))
{
    const REAL *restrict a = operand[3], *restrict b = operand[4];
    REAL *restrict c = operand[2];
    const int64_t m = dim[M], n = dim[N], k = dim[K], across = (n + MATMUL_WIDTH - 1) / MATMUL_WIDTH;
    for (int64_t block = begin; block < end; block++) {
        const int64_t top = block / across * MATMUL_HEIGHT, bottom = least(top + MATMUL_HEIGHT, m);
        const int64_t left = block % across * MATMUL_WIDTH, right = least(left + MATMUL_WIDTH, n);
        for (int64_t from = 0; from < k; from += DEPTH) {
            const int64_t terms = least(DEPTH, k - from);
            for (int64_t column = left; column < right; column += COLUMNS)
                for (int64_t row = top; row < bottom; row += ROWS) {
                    const REAL *a_panel = a + row * k + from * ROWS, *b_panel = b + column * k + from * COLUMNS;
                    REAL *to = c + row * n + column;
                    if (bottom - row >= ROWS && right - column >= COLUMNS)
                        tile(a_panel, b_panel, terms, to, n, from == 0);
                    else
                        tile_at_edge(a_panel, b_panel, terms, to, n, from == 0, least(ROWS, bottom - row),
                                     least(COLUMNS, right - column));
                }
        }
    }
}
