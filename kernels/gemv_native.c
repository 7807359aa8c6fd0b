#include "kernels/native_dots.h"

/* C = A B where C has few columns or few rows, at most GEMV_MOST: the large matrix is read once, straight ahead. Arrays
 * are A, B, C, and B turned into columns of REALs. */

enum { M = MATMUL_M, N = MATMUL_N, K = MATMUL_K };

/* Rows [begin, end) of B become parts of columns. */
NATIVE_SLICE(gemv_turn)
{
    const ELEMENT *restrict b = operand[1];
    REAL *restrict turned = operand[3];
    const int64_t n = dim[N], k = dim[K];
    for (int64_t p = begin; p < end; p++)
        for (int64_t j = 0; j < n; j++)
            turned[j * k + p] = real_of(b[p * n + j]);
}

/* Rows of A and C. */
NATIVE_SLICE(gemv_rows)
{
    const ELEMENT *a = operand[0];
    const REAL *turned = operand[3];
    ELEMENT *c = operand[2];
    const int64_t n = dim[N], k = dim[K];
    int64_t row = begin;
    for (; row + GRID <= end; row += GRID)
        dots_of_rows(a + row * k, turned, c + row * n, n, k, GRID);
    for (; row < end; row++)
        dots_of_rows(a + row * k, turned, c + row * n, n, k, 1);
}

/* Adds `depth` terms, at most GRID, to the sums of a page of columns. */
static inline __attribute__((always_inline)) void add_terms(REAL *restrict sum, const ELEMENT *restrict a,
                                                            const ELEMENT *restrict b, int64_t n, int64_t columns,
                                                            int depth)
{
    int64_t column = 0;
    for (; column + LANES <= columns; column += LANES) {
        vector value = vector_at(sum + column);
        UNROLL for (int p = 0; p < depth; p++) value += real_of(a[p]) * vector_read(b + p * n + column);
        vector_put(sum + column, value);
    }
    for (; column < columns; column++)
        for (int p = 0; p < depth; p++)
            sum[column] += real_of(a[p]) * real_of(b[p * n + column]);
}

/* Columns of B and C, a page at a time. */
NATIVE_SLICE(gemv_columns)
{
    enum { PAGE = 4096 / sizeof(REAL) };
    const ELEMENT *a = operand[0], *b = operand[1];
    ELEMENT *c = operand[2];
    const int64_t m = dim[M], n = dim[N], k = dim[K];
    for (int64_t left = begin; left < end; left += PAGE) {
        const int64_t columns = least(PAGE, end - left);
        REAL sum[GEMV_MOST][PAGE];
        for (int64_t i = 0; i < m; i++)
            for (int64_t column = 0; column < columns; column++)
                sum[i][column] = 0;
        int64_t p = 0;
        for (; p + GRID <= k; p += GRID)
            for (int64_t i = 0; i < m; i++)
                add_terms(sum[i], a + i * k + p, b + p * n + left, n, columns, GRID);
        for (; p < k; p++)
            for (int64_t i = 0; i < m; i++)
                add_terms(sum[i], a + i * k + p, b + p * n + left, n, columns, 1);
        for (int64_t i = 0; i < m; i++)
            line_write(c + i * n + left, sum[i], columns);
    }
}
