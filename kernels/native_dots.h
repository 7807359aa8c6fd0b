#ifndef KERNELS_NATIVE_DOTS_H
#define KERNELS_NATIVE_DOTS_H

/* C = A B where C has few columns: what gemv_native.c and train_native.c share. B is turned: its columns lie one after
 * the other. Rows of A, of k elements, and columns of B meet in a grid of sums, which stay in registers. */

#include "kernels/native_element.h"

/* `rows` x `columns` elements of C, both at most GRID; inlined with constants, so that the sums stay in registers. */
enum { GRID = 4 };
static inline __attribute__((always_inline)) void dots(const ELEMENT *restrict a, const REAL *restrict turned,
                                                       ELEMENT *restrict c, int64_t n, int64_t k, int rows, int columns)
{
    vector sum[GRID][GRID] = { { { 0 } } };
    int64_t p = 0;
    for (; p + LANES <= k; p += LANES) {
        vector held[GRID];
        UNROLL for (int i = 0; i < rows; i++) held[i] = vector_read(a + i * k + p);
        UNROLL for (int j = 0; j < columns; j++)
        {
            const vector line = vector_at(turned + j * k + p);
            UNROLL for (int i = 0; i < rows; i++) sum[i][j] += held[i] * line;
        }
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            REAL total = 0;
            UNROLL for (int l = 0; l < LANES; l++) total += sum[i][j][l];
            for (int64_t last = p; last < k; last++)
                total += real_of(a[i * k + last]) * turned[j * k + last];
            c[i * n + j] = element_of(total);
        }
}

/* All n columns of those rows. */
static inline __attribute__((always_inline)) void dots_of_rows(const ELEMENT *a, const REAL *turned, ELEMENT *c,
                                                               int64_t n, int64_t k, int rows)
{
    int64_t j = 0;
    for (; j + GRID <= n; j += GRID)
        dots(a, turned + j * k, c + j, n, k, rows, GRID);
    for (; j < n; j++)
        dots(a, turned + j * k, c + j, n, k, rows, 1);
}

#endif
