/* C = A B, row-major, where C has few columns or few rows: A is m x k, B is k x n. Memory limits it, so the large matrix
 * is read once, straight ahead. Two forms:
 *
 *   COLUMNS    that many columns. A group sums up ROWS rows of A; its items take every ITEMS-th vector along k. With
 *              several columns a pass brings B into columns first, so that a vector of A meets vectors of it.
 *   otherwise  ROWS rows. An item sums up its part of a group's BLOCK columns, in vectors that are ITEMS vectors apart,
 *              of one of PORTIONS parts of k. Where there are several, a last pass adds up their sums.
 *
 * On cores a group is one item.
 */
#ifdef COLUMNS

#if COLUMNS == 1
#define TURNED
#define VECTOR_OF_B(j, p) LOAD_LOOSE_ELEMENTS(b + (p))
#else
#define TURNED const GLOBAL REAL *RESTRICT turned,
#define VECTOR_OF_B(j, p) LOAD_LOOSE(turned + (j) * k + (p))

/* B, of k rows, becomes COLUMNS lines. */
KERNEL(ITEMS)
turn(const GLOBAL ELEMENT *RESTRICT a, const GLOBAL ELEMENT *RESTRICT b, GLOBAL ELEMENT *RESTRICT c,
     GLOBAL REAL *RESTRICT turned, const INT64 m, const INT64 n, const INT64 k)
{
    const INT64 first = (GROUP * ITEMS + ITEM) * TURNS, end = first + TURNS < k ? first + TURNS : k;
    for (INT64 p = first; p < end; p++)
        UNROLL for (int j = 0; j < COLUMNS; j++)
            turned[j * k + p] = REAL_OF(b[p * COLUMNS + j]);
}
#endif

/* Rows beyond the end are the last one once more; their sums are thrown away. */
KERNEL(ITEMS)
rows(const GLOBAL ELEMENT *RESTRICT a, const GLOBAL ELEMENT *RESTRICT b, GLOBAL ELEMENT *RESTRICT c,
     TURNED const INT64 m, const INT64 n, const INT64 k, const INT64 before)
{
    const INT64 top = (before + GROUP) * ROWS;
    const GLOBAL ELEMENT *row[ROWS];
    VECTOR sum[ROWS][COLUMNS];
    UNROLL for (int i = 0; i < ROWS; i++) {
        row[i] = a + (top + i < m ? top + i : m - 1) * k;
        UNROLL for (int j = 0; j < COLUMNS; j++)
            sum[i][j] = SPLAT(0);
    }
    INT64 p = ITEM * WIDTH;
    UNROLL_BY(4) for (; p + WIDTH <= k; p += ITEMS * WIDTH) {
        VECTOR held[ROWS];
        UNROLL for (int i = 0; i < ROWS; i++)
            held[i] = LOAD_LOOSE_ELEMENTS(row[i] + p);
        UNROLL for (int j = 0; j < COLUMNS; j++) {
            const VECTOR line = VECTOR_OF_B(j, p);
            UNROLL for (int i = 0; i < ROWS; i++)
                sum[i][j] = FMA(held[i], line, sum[i][j]);
        }
    }
    REAL total[ROWS][COLUMNS];
    UNROLL for (int i = 0; i < ROWS; i++)
        UNROLL for (int j = 0; j < COLUMNS; j++) {
            total[i][j] = lanes_sum(sum[i][j]);
            for (INT64 last = p; last < k; last++) /* of one item: fewer than a vector */
                total[i][j] = FMA(REAL_OF(row[i][last]), REAL_OF(b[last * COLUMNS + j]), total[i][j]);
        }
#if ITEMS > 1
    SHARED REAL part[ROWS * COLUMNS][ITEMS];
    const int item = (int)ITEM;
    UNROLL for (int i = 0; i < ROWS; i++)
        UNROLL for (int j = 0; j < COLUMNS; j++)
            part[i * COLUMNS + j][item] = total[i][j];
    for (int apart = ITEMS / 2; apart > 0; apart /= 2) {
        BARRIER;
        if (item < apart)
            UNROLL for (int i = 0; i < ROWS * COLUMNS; i++)
                part[i][item] += part[i][item + apart];
    }
    BARRIER;
    if (item < ROWS * COLUMNS && top + item / COLUMNS < m)
        c[top * COLUMNS + item] = ELEMENT_OF(part[item][0]);
#else
    UNROLL for (int i = 0; i < ROWS; i++)
        UNROLL for (int j = 0; j < COLUMNS; j++)
            if (top + i < m)
                c[(top + i) * COLUMNS + j] = ELEMENT_OF(total[i][j]);
#endif
}

#else

#define VECTORS (BLOCK / ITEMS / WIDTH)

#if PORTIONS > 1
#define PARTIAL GLOBAL REAL *RESTRICT partial,
#else
#define PARTIAL
#endif

/* Columns beyond the end are the last ones once more, with the same sums. */
KERNEL(ITEMS)
columns(const GLOBAL ELEMENT *RESTRICT a, const GLOBAL ELEMENT *RESTRICT b, GLOBAL ELEMENT *RESTRICT c,
        PARTIAL const INT64 m, const INT64 n, const INT64 k, const INT64 before)
{
    const INT64 blocks = (n + BLOCK - 1) / BLOCK, group = before + GROUP, portion = group / blocks;
    const INT64 depth = (k + PORTIONS - 1) / PORTIONS, first = portion * depth;
    const INT64 end = first + depth < k ? first + depth : k;
    INT64 at[VECTORS];
    VECTOR sum[ROWS][VECTORS];
    UNROLL for (int v = 0; v < VECTORS; v++) {
        const INT64 wanted = group % blocks * BLOCK + (v * ITEMS + ITEM) * WIDTH;
        at[v] = wanted + WIDTH <= n ? wanted : n - WIDTH;
        UNROLL for (int i = 0; i < ROWS; i++)
            sum[i][v] = SPLAT(0);
    }
    UNROLL_BY(4) for (INT64 p = first; p < end; p++)
        UNROLL for (int v = 0; v < VECTORS; v++) {
            const GLOBAL ELEMENT *from = b + p * n + at[v];
            const VECTOR line = LOAD_LOOSE_ELEMENTS(from);
            UNROLL for (int i = 0; i < ROWS; i++)
                sum[i][v] = FMA(SPLAT(REAL_OF(a[i * k + p])), line, sum[i][v]);
        }
    UNROLL for (int i = 0; i < ROWS; i++)
        UNROLL for (int v = 0; v < VECTORS; v++)
#if PORTIONS > 1
            STORE_LOOSE(sum[i][v], partial + (portion * ROWS + i) * n + at[v]);
#else
            STORE_LOOSE_ELEMENTS(sum[i][v], c + i * n + at[v]);
#endif
}

#if PORTIONS > 1
KERNEL(ITEMS)
add(const GLOBAL ELEMENT *RESTRICT a, const GLOBAL ELEMENT *RESTRICT b, GLOBAL ELEMENT *RESTRICT c,
    const GLOBAL REAL *RESTRICT partial, const INT64 m, const INT64 n, const INT64 k)
{
    const INT64 first = (GROUP * ITEMS + ITEM) * TURNS, all = ROWS * n, end = first + TURNS < all ? first + TURNS : all;
    for (INT64 i = first; i < end; i++) {
        REAL sum = 0;
        for (int portion = 0; portion < PORTIONS; portion++)
            sum += partial[portion * all + i];
        c[i] = ELEMENT_OF(sum);
    }
}
#endif
#endif
