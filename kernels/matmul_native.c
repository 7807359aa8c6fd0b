#include "kernels/native_block.h"

/* C = A B in three passes: A is packed into panels of ROWS rows, element after element along k; B likewise into panels
 * of COLUMNS columns; then tiles of C, each from one panel of A and one of B. Panels are made of terms (native_term.h)
 * and are padded with zeros. Arrays are A, B, C, packed A, packed B. The extents: blocks of NATIVE_ROWS rows, of
 * NATIVE_COLUMNS columns, and of MATMUL_HEIGHT x MATMUL_WIDTH elements of C. */

enum { M = MATMUL_M, N = MATMUL_N, K = MATMUL_K };

/* Blocks of NATIVE_ROWS rows of A. */
NATIVE_SLICE(matmul_pack_a)
{
    const ELEMENT *a = operand[0];
    REAL *packed = operand[3];
    const int64_t m = dim[M], k = dim[K], terms = terms_of(k);
    for (int64_t row = begin * NATIVE_ROWS; row < end * NATIVE_ROWS; row += ROWS)
        rows_pack(packed + row * terms, a + row * k, k, 1, 0, terms, m - row);
}

/* Blocks of NATIVE_COLUMNS columns of B. */
NATIVE_SLICE(matmul_pack_b)
{
    const ELEMENT *b = operand[1];
    REAL *packed = operand[4];
    const int64_t n = dim[N], k = dim[K];
    for (int64_t column = begin * NATIVE_COLUMNS; column < end * NATIVE_COLUMNS; column += COLUMNS)
        lines_pack(packed + column * terms_of(k), COLUMNS, b + column, n, k, n - column);
}

/* Into C itself, or where its elements cannot hold a partial sum beside it: each is then rounded once. */
static void block(const REAL *a, const REAL *b, int64_t depth, RESULT *c, int64_t n, int64_t rows, int64_t columns)
{
#if NATIVE_IS_NARROW
    REAL sum[MATMUL_HEIGHT * MATMUL_WIDTH];
    block_sum(a, b, depth, sum, MATMUL_WIDTH, rows, columns);
    for (int64_t row = 0; row < rows; row++)
        line_write(c + row * n, sum + row * MATMUL_WIDTH, columns);
#else
    block_sum(a, b, depth, c, n, rows, columns);
#endif
}

/* Blocks of C, each MATMUL_HEIGHT by MATMUL_WIDTH, row by row of blocks. */
NATIVE_SLICE(matmul_tiles)
{
    const REAL *a = operand[3], *b = operand[4];
    RESULT *c = operand[2];
    const int64_t m = dim[M], n = dim[N], depth = terms_of(dim[K]), across = (n + MATMUL_WIDTH - 1) / MATMUL_WIDTH;
    for (int64_t i = begin; i < end; i++) {
        const int64_t top = i / across * MATMUL_HEIGHT, left = i % across * MATMUL_WIDTH;
        block(a + top * depth, b + left * depth, depth, c + top * n + left, n, least(MATMUL_HEIGHT, m - top),
              least(MATMUL_WIDTH, n - left));
    }
}
