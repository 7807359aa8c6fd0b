#include "kernels/native_tile.h"

#include <stdbool.h>

/* C = A B in three passes: A is packed into panels of ROWS rows, element after element along k; B likewise into panels
 * of COLUMNS columns; then tiles of C, each from one panel of A and one of B. Panels have the type of the arithmetic
 * and are padded with zeros. Arrays are A, B, C, packed A, packed B. The extents: blocks of NATIVE_ROWS rows, of
 * NATIVE_COLUMNS columns, and of MATMUL_HEIGHT x MATMUL_WIDTH elements of C. */

enum { M, N, K };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Terms that one tile sums up before the next tile: that much of a panel of A stays in the first cache, and of all
 * panels of a block in the second. */
enum { DEPTH = 1536 / sizeof(REAL) };

/* Blocks of NATIVE_ROWS rows of A. */
NATIVE_SLICE(matmul_pack_a)
{
    const ELEMENT *a = operand[0];
    REAL *packed = operand[3];
    const int64_t m = dim[M], k = dim[K];
    for (int64_t row = begin * NATIVE_ROWS; row < end * NATIVE_ROWS; row += ROWS)
        rows_pack(packed + row * k, a + row * k, k, 0, k, m - row);
}

/* Blocks of NATIVE_COLUMNS columns of B. */
NATIVE_SLICE(matmul_pack_b)
{
    const ELEMENT *restrict b = operand[1];
    REAL *restrict packed = operand[4];
    const int64_t n = dim[N], k = dim[K];
    for (int64_t column = begin * NATIVE_COLUMNS; column < end * NATIVE_COLUMNS; column += COLUMNS) {
        REAL *restrict panel = packed + column * k;
        const int64_t columns = least(COLUMNS, n - column);
        if (columns == COLUMNS) {
            for (int64_t i = 0; i < k; i++) {
                const ELEMENT *line = b + i * n + column;
                UNROLL for (int v = 0; v < COLUMNS; v += LANES)
                    vector_put(panel + i * COLUMNS + v, vector_read(line + v));
            }
            continue;
        }
        for (int64_t i = 0; i < k; i++)
            for (int64_t c = 0; c < COLUMNS; c++)
                panel[i * COLUMNS + c] = c < columns ? real_of(b[i * n + column + c]) : 0;
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

/* One block of C, `rows` x `columns` elements whose rows are `pitch` apart, from the panels of A and B that it begins
 * with. */
static void block_sum(const REAL *restrict a, const REAL *restrict b, int64_t k, REAL *restrict c, int64_t pitch,
                      int64_t rows, int64_t columns)
{
    for (int64_t from = 0; from < k; from += DEPTH) {
        const int64_t terms = least(DEPTH, k - from);
        for (int64_t column = 0; column < columns; column += COLUMNS)
            for (int64_t row = 0; row < rows; row += ROWS) {
                const REAL *a_panel = a + row * k + from * ROWS, *b_panel = b + column * k + from * COLUMNS;
                REAL *to = c + row * pitch + column;
                if (rows - row >= ROWS && columns - column >= COLUMNS)
                    tile(a_panel, b_panel, terms, to, pitch, from == 0);
                else
                    tile_at_edge(a_panel, b_panel, terms, to, pitch, from == 0, least(ROWS, rows - row),
                                 least(COLUMNS, columns - column));
            }
    }
}

/* Into C itself, or where its elements cannot hold a partial sum beside it: each is then rounded once. */
#if NATIVE_IS_NARROW
static void block(const REAL *a, const REAL *b, int64_t k, ELEMENT *c, int64_t n, int64_t rows, int64_t columns)
{
    REAL sum[MATMUL_HEIGHT * MATMUL_WIDTH];
    block_sum(a, b, k, sum, MATMUL_WIDTH, rows, columns);
    for (int64_t row = 0; row < rows; row++)
        line_write(c + row * n, sum + row * MATMUL_WIDTH, columns);
}
#else
static void block(const REAL *a, const REAL *b, int64_t k, ELEMENT *c, int64_t n, int64_t rows, int64_t columns)
{
    block_sum(a, b, k, c, n, rows, columns);
}
#endif

/* Blocks of C, each MATMUL_HEIGHT by MATMUL_WIDTH, row by row of blocks. */
NATIVE_SLICE(matmul_tiles)
{
    const REAL *a = operand[3], *b = operand[4];
    ELEMENT *c = operand[2];
    const int64_t m = dim[M], n = dim[N], k = dim[K], across = (n + MATMUL_WIDTH - 1) / MATMUL_WIDTH;
    for (int64_t i = begin; i < end; i++) {
        const int64_t top = i / across * MATMUL_HEIGHT, left = i % across * MATMUL_WIDTH;
        block(a + top * k, b + left * k, k, c + top * n + left, n, least(MATMUL_HEIGHT, m - top),
              least(MATMUL_WIDTH, n - left));
    }
}
