/* C = A B, row-major: A is m x k, B is k x n.
 *
 * A group owns a block of C, BLOCK_M x BLOCK_N, and goes through k in steps of BLOCK_K. In it a work-item owns tiles of
 * MR x NR sums, which stay in registers: each step along k reads MR + NR elements for MR * NR multiplications. Blocks
 * count along dimension 0, in bands of BAND block rows, so that blocks computed at the same time share rows of A and
 * columns of B. Three forms:
 *
 *   PACKED      for cores with vectors. A pass brings A and B into panels of MR rows and NR columns, padded with zeros,
 *               in which a tile reads straight ahead. A group is one work-item; there is no barrier, for one in the loop
 *               would make a compiler for CPUs keep the sums in memory.
 *   DIRECT      for lanes, without shared memory: a work-item reads what its tile needs of A and B through the caches.
 *               Its neighbours read the same elements of A, and neighbouring ones of B.
 *   otherwise   for lanes. The ITEMS work-items of a group have one tile each and bring A and B into shared memory: a few
 *               elements of each at a step, fetched while the step before is computed.
 *
 * Of i8 a pass makes terms of A and B first, PER products each, and k counts those.
 *
 * train.cl computes with the same tiles: TILES_ONLY leaves the kernels out.
 *
 * Where C has fewer blocks than a device needs, SPLIT groups share one in the last form: each adds up a part of k, and a
 * pass adds their sums, always in the same order.
 */
#ifdef PACKED
#if defined __AVX512F__ || WIDTH == 16 || (WIDTH == 8 && defined REAL_IS_DOUBLE)
#define MR (24 / VECTORS) /* sums in 24 of 32 registers */
#else
#define MR (12 / VECTORS) /* 12 of 16 */
#endif
#define NR (VECTORS * WIDTH)
#else
#define VECTORS (NR / WIDTH)
#endif

/* A block of C, cut off where C ends. */
struct block {
    INT64 top, left;
    int height, width;
};

FUNCTION struct block block_at(const INT64 place, const INT64 m, const INT64 n)
{
    const INT64 down = (m + BLOCK_M - 1) / BLOCK_M, across = (n + BLOCK_N - 1) / BLOCK_N;
    const INT64 band = place / (BAND * across) * BAND, height = down - band < BAND ? down - band : BAND;
    struct block block;
    block.top = (band + (place - band * across) % height) * BLOCK_M;
    block.left = (place - band * across) / height * BLOCK_N;
    block.height = m - block.top < BLOCK_M ? (int)(m - block.top) : BLOCK_M;
    block.width = n - block.left < BLOCK_N ? (int)(n - block.left) : BLOCK_N;
    return block;
}

FUNCTION void tile_clear(VECTOR sum[MR][VECTORS])
{
    UNROLL for (int i = 0; i < MR; i++)
        UNROLL for (int j = 0; j < VECTORS; j++)
            sum[i][j] = SPLAT(0);
}

/* Adds the products of a column of A and a row of B. */
FUNCTION void tile_add(VECTOR sum[MR][VECTORS], const REAL column[MR], const VECTOR row[VECTORS])
{
    UNROLL for (int i = 0; i < MR; i++)
        UNROLL for (int j = 0; j < VECTORS; j++)
            sum[i][j] = MULTIPLY_ADD(SPLAT(column[i]), row[j], sum[i][j]);
}

#ifdef PACKED

/* Rows of A from `top` on, STRIP of them, as panels [STRIP / MR][k][MR]. */
FUNCTION void pack_rows(const GLOBAL ELEMENT *RESTRICT a, GLOBAL REAL *RESTRICT panels, const INT64 top, const INT64 m,
                        const INT64 length)
{
    const INT64 k = TERMS(length);
    for (INT64 row = top; row < top + STRIP && row < m; row += MR) {
        const GLOBAL ELEMENT *RESTRICT from = a + row * length;
        GLOBAL REAL *RESTRICT to = panels + row * k;
        if (row + MR <= m) {
            for (INT64 p = 0; p < k; p++, to += MR)
                UNROLL for (int i = 0; i < MR; i++)
                    to[i] = TERM_OF(from + i * length + p * PER, 1, length - p * PER);
        } else {
            for (INT64 p = 0; p < k; p++, to += MR)
                for (int i = 0; i < MR; i++)
                    to[i] = row + i < m ? TERM_OF(from + i * length + p * PER, 1, length - p * PER) : 0;
        }
    }
}

/* Rows of B from `top` on, STRIP of them, in panels [n / NR][k][NR]. */
FUNCTION void pack_columns(const GLOBAL ELEMENT *RESTRICT b, GLOBAL REAL *RESTRICT panels, const INT64 top, const INT64 n,
                           const INT64 length)
{
    const INT64 k = TERMS(length), end = top + STRIP < k ? top + STRIP : k;
    for (INT64 column = 0; column < n; column += NR) {
        const GLOBAL ELEMENT *RESTRICT from = b + top * PER * n + column;
        GLOBAL REAL *RESTRICT to = panels + column * k + top * NR;
        for (INT64 p = top; p < end; p++, from += PER * n, to += NR) {
#if PER > 1
            for (int j = 0; j < NR; j++)
                to[j] = column + j < n ? TERM_OF(from + j, n, (length - p * PER) * n) : 0;
#else
            if (column + NR <= n) {
                UNROLL for (int j = 0; j < VECTORS; j++)
                    STORE(LOAD_LOOSE_ELEMENTS(from + j * WIDTH), to + j * WIDTH);
            } else {
                for (int j = 0; j < NR; j++)
                    to[j] = column + j < n ? REAL_OF(from[j]) : 0;
            }
#endif
        }
    }
}

#ifndef TILES_ONLY
/* Groups take the strips of A, then those of B. */
KERNEL(1)
pack(const GLOBAL ELEMENT *RESTRICT a, const GLOBAL ELEMENT *RESTRICT b, GLOBAL RESULT *RESTRICT c, GLOBAL REAL *RESTRICT rows,
     GLOBAL REAL *RESTRICT columns, const INT64 m, const INT64 n, const INT64 length)
{
    const INT64 strips = (m + STRIP - 1) / STRIP;
    if (GROUP < strips)
        pack_rows(a, rows, GROUP * STRIP, m, length);
    else
        pack_columns(b, columns, (GROUP - strips) * STRIP, n, length);
}
#endif

/* A tile's products over `depth` steps along k, from where its panels are there. */
FUNCTION void tile_compute(VECTOR sum[MR][VECTORS], const GLOBAL REAL *RESTRICT rows,
                           const GLOBAL REAL *RESTRICT columns, const INT64 depth)
{
    tile_clear(sum);
    UNROLL_BY(1) for (INT64 p = 0; p < depth; p++, rows += MR, columns += NR) {
        REAL column[MR];
        VECTOR row[VECTORS];
        UNROLL for (int i = 0; i < MR; i++)
            column[i] = rows[i];
        UNROLL for (int j = 0; j < VECTORS; j++)
            row[j] = LOAD(columns + j * WIDTH);
        tile_add(sum, column, row);
    }
}

/* Adds the sums to a tile of C, of which `height` rows and `width` columns exist, or begins it with them. */
FUNCTION void tile_store(VECTOR sum[MR][VECTORS], GLOBAL RESULT *RESTRICT c, const INT64 n, const int height,
                         const int width, const int is_first)
{
    UNROLL for (int i = 0; i < MR; i++)
        UNROLL for (int j = 0; j < VECTORS; j++) {
            GLOBAL RESULT *to = c + i * n + j * WIDTH;
            if (i < height && (j + 1) * WIDTH <= width) {
                STORE_LOOSE_RESULTS(is_first ? sum[i][j] : sum[i][j] + LOAD_LOOSE_RESULTS(to), to);
            } else if (i < height) {
                VECTOR last = sum[i][j];
                for (int l = 0; j * WIDTH + l < width; l++)
                    to[l] = RESULT_OF(is_first ? LANE(last, l) : LANE(last, l) + REAL_OF_RESULT(to[l]));
            }
        }
}

/* The same in memory of the group's own, where elements of C are too narrow for sums that are not complete. */
FUNCTION void tile_keep(VECTOR sum[MR][VECTORS], VECTOR kept[MR][VECTORS], const int is_first)
{
    UNROLL for (int i = 0; i < MR; i++)
        UNROLL for (int j = 0; j < VECTORS; j++)
            sum[i][j] = kept[i][j] = is_first ? sum[i][j] : sum[i][j] + kept[i][j];
}

/* A block of C, whose rows are `pitch` elements apart, from the panels of all of A and B. */
FUNCTION void block_product(const GLOBAL REAL *RESTRICT rows, const GLOBAL REAL *RESTRICT columns,
                            GLOBAL RESULT *RESTRICT c, const struct block block, const INT64 pitch, const INT64 k)
{
#ifdef ELEMENT_IS_NARROW
    VECTOR kept[BLOCK_N / NR][BLOCK_M / MR][MR][VECTORS];
#endif

    for (INT64 first = 0; first < k; first += BLOCK_K) {
        const INT64 depth = k - first < BLOCK_K ? k - first : BLOCK_K;
        for (int left = 0; left < block.width; left += NR) {
            for (int top = 0; top < block.height; top += MR) {
                const INT64 row = block.top + top, column = block.left + left;
                VECTOR sum[MR][VECTORS];
                tile_compute(sum, rows + row * k + first * MR, columns + column * k + first * NR, depth);
#ifdef ELEMENT_IS_NARROW
                tile_keep(sum, kept[left / NR][top / MR], first == 0);
                if (first + depth == k)
                    tile_store(sum, c + row * pitch + column, pitch, block.height - top, block.width - left, 1);
#else
                tile_store(sum, c + row * pitch + column, pitch, block.height - top, block.width - left, first == 0);
#endif
            }
        }
    }
}

#ifndef TILES_ONLY
KERNEL(1)
matmul(const GLOBAL ELEMENT *RESTRICT a, const GLOBAL ELEMENT *RESTRICT b, GLOBAL RESULT *RESTRICT c,
       const GLOBAL REAL *RESTRICT rows, const GLOBAL REAL *RESTRICT columns, const INT64 m, const INT64 n,
       const INT64 length, const INT64 before)
{
    block_product(rows, columns, c, block_at(before + GROUP, m, n), n, TERMS(length));
}
#endif

#else

#define ACROSS      (BLOCK_N / NR) /* items side by side: 16 */
#define TILE_COLUMN(j) ((j) / 4 * 4 * ACROSS + (j) % 4)

/* What an item brings at once, EACH elements: a QUAD where rows are whole numbers of them, single elements elsewhere. */
#ifdef QUADS
#define EACH 4
#else
#define EACH 1
#endif

/* What all kernels begin with. */
#if PER > 1
#define OPERANDS(access)                                                                                               \
    const GLOBAL ELEMENT *RESTRICT bytes_a, const GLOBAL ELEMENT *RESTRICT bytes_b, GLOBAL RESULT *RESTRICT c,         \
        access GLOBAL TERM *RESTRICT a, access GLOBAL TERM *RESTRICT b

/* The terms of A, and then those of B. */
KERNEL(SUM_ITEMS)
join(OPERANDS(),
#ifdef SPLIT
     GLOBAL REAL *RESTRICT partial,
#endif
     const INT64 m, const INT64 n, const INT64 length)
{
    const INT64 k = TERMS(length), at = GROUP * SUM_ITEMS + ITEM, at_b = at - m * k;
    if (at < m * k)
        a[at] = TERM_OF(bytes_a + at / k * length + at % k * PER, 1, length - at % k * PER);
    else if (at_b < k * n)
        b[at_b] = TERM_OF(bytes_b + at_b / n * PER * n + at_b % n, n, (length - at_b / n * PER) * n);
}
#else
#define OPERANDS(access)                                                                                               \
    const GLOBAL ELEMENT *RESTRICT a, const GLOBAL ELEMENT *RESTRICT b, GLOBAL RESULT *RESTRICT c
#endif

/* EACH terms from p on into `to`, or zeros beyond the end. */
FUNCTION void fetch(TERM to[EACH], const GLOBAL TERM *RESTRICT p, const int is_inside)
{
#if EACH == 4
    ELEMENT_QUAD quad = { 0, 0, 0, 0 };
    if (is_inside)
        quad = LOAD_ELEMENT_QUAD(p);
    to[0] = quad.x, to[1] = quad.y, to[2] = quad.z, to[3] = quad.w;
#else
    to[0] = is_inside ? *p : 0;
#endif
}

#ifdef DIRECT

/* Beyond the end of A and B an item reads what is at their edges; it belongs to sums that are thrown away. */
KERNEL(ITEMS)
matmul(OPERANDS(const), const INT64 m, const INT64 n, const INT64 length, const INT64 before)
{
    const INT64 k = TERMS(length);
    const struct block block = block_at(before + GROUP, m, n);
    const int across = (int)ITEM % ACROSS * 4, down = (int)ITEM / ACROSS * MR;
    const GLOBAL TERM *from_a[MR], *from_b = b + block.left;
    int column_at[NR];
    UNROLL for (int i = 0; i < MR; i++)
        from_a[i] = a + (block.top + (down + i < block.height ? down + i : block.height - 1)) * k;
    UNROLL for (int j = 0; j < NR; j++)
        column_at[j] = across + TILE_COLUMN(j) < block.width ? across + TILE_COLUMN(j) : block.width - EACH;

    VECTOR sum[MR][VECTORS];
    tile_clear(sum);
    UNROLL_BY(BLOCK_K) for (INT64 p = 0; p < k; p++, from_b += n) {
        REAL column[MR];
        VECTOR row[VECTORS];
        TERM held[NR];
        UNROLL for (int i = 0; i < MR; i++)
            column[i] = REAL_OF(from_a[i][p]);
        UNROLL for (int j = 0; j < NR; j += EACH)
            fetch(held + j, from_b + column_at[j], 1);
        UNROLL for (int j = 0; j < NR; j++)
            row[j] = REAL_OF(held[j]);
        tile_add(sum, column, row);
    }
    UNROLL for (int i = 0; i < MR; i++)
        UNROLL for (int j = 0; j < NR; j++) {
            if (down + i < block.height && across + TILE_COLUMN(j) < block.width)
                c[(block.top + down + i) * n + block.left + across + TILE_COLUMN(j)] = RESULT_OF(sum[i][j]);
        }
}

#else

/* Items stand in rectangles of 8 x 4, so that those that run in lockstep read few different elements. A tile is made of
 * squares of 4 x 4, which stand apart by as much as all items together cover: neighbours then read neighbouring fours,
 * and never meet in a bank of the shared memory. */
#define DOWN        (BLOCK_M / MR)
#define TILE_ROW(i) ((i) / 4 * 4 * DOWN + (i) % 4) /* from the tile's first */
#define PITCH       (BLOCK_M + 4) /* elements between columns of A, so that writing them transposed meets other banks */

#define HELD_A (BLOCK_M * BLOCK_K / ITEMS) /* elements that an item brings at a step */
#define HELD_B (BLOCK_K * BLOCK_N / ITEMS)
#define ROWS   (ITEMS * EACH / BLOCK_K) /* of A that the items bring together in one fetch */
#define DEPTH  (ITEMS * EACH / BLOCK_N) /* the same of B */

/* Two steps along k are one piece of code, but where many elements are fetched one by one, or are converted, which takes
 * too many registers for that. */
#if !defined QUADS && (defined ELEMENT_IS_NARROW || HELD_A + HELD_B > 8)
#define UNROLL_STEPS UNROLL_BY(1)
#else
#define UNROLL_STEPS UNROLL
#endif

/* What an item brings of A, and of B, at one step. */
FUNCTION void fetch_all(TERM held_a[HELD_A], TERM held_b[HELD_B], const GLOBAL TERM *RESTRICT from_a,
                        const GLOBAL TERM *RESTRICT from_b, const INT64 n, const INT64 k, const int rows,
                        const int is_inside_a, const int depth_left)
{
    UNROLL for (int l = 0; l < HELD_A / EACH; l++)
        fetch(held_a + l * EACH, from_a + l * ROWS * k, l * ROWS < rows && is_inside_a);
    UNROLL for (int l = 0; l < HELD_B / EACH; l++)
        fetch(held_b + l * EACH, from_b + l * DEPTH * n, l * DEPTH < depth_left);
}

#ifndef TILES_ONLY

/* Where sums go: to C, or to a matrix of its size for each part of k. */
#ifdef SPLIT
#define SUM       REAL
#define SUM_OF(x) (x)
#define SUMS      (partial + part * m * n)
#else
#define SPLIT     1
#define SUM       RESULT
#define SUM_OF(x) RESULT_OF(x)
#define SUMS      c
#endif

FUNCTION void tile_store(VECTOR sum[MR][VECTORS], GLOBAL SUM *RESTRICT c, const INT64 n, const int height,
                         const int width)
{
    UNROLL for (int i = 0; i < MR; i++)
        UNROLL for (int j = 0; j < NR; j++) {
            GLOBAL SUM *to = c + TILE_ROW(i) * n + TILE_COLUMN(j);
            if (TILE_ROW(i) >= height || TILE_COLUMN(j) >= width)
                continue;
            *to = SUM_OF(sum[i][j]);
        }
}

KERNEL(ITEMS)
matmul(OPERANDS(const),
#if SPLIT > 1
       GLOBAL REAL *RESTRICT partial,
#endif
       const INT64 m, const INT64 n, const INT64 length, const INT64 before)
{
    const INT64 k = TERMS(length);
    SHARED REAL shared_a[2][BLOCK_K][PITCH];
    SHARED REAL shared_b[2][BLOCK_K][BLOCK_N];

    const INT64 part = (before + GROUP) % SPLIT, steps = (k + BLOCK_K - 1) / BLOCK_K;
    const INT64 first = part * steps / SPLIT * BLOCK_K;
    const int depth = (int)((part + 1 == SPLIT ? k : (part + 1) * steps / SPLIT * BLOCK_K) - first); /* of this part */
    const struct block block = block_at((before + GROUP) / SPLIT, m, n);
    const int item = (int)ITEM;
    const int across = 4 * (item / 32 % (ACROSS / 8) * 8 + item % 8), down = 4 * (item / (4 * ACROSS) * 4 + item % 32 / 8);

    /* What this item brings, and from where in the block. */
    const int row_a = item * EACH / BLOCK_K, depth_a = item * EACH % BLOCK_K;
    const int depth_b = item * EACH / BLOCK_N, column_b = item * EACH % BLOCK_N;
    const GLOBAL TERM *from_a = a + (block.top + row_a) * k + first + depth_a;
    const GLOBAL TERM *from_b = b + (first + depth_b) * n + block.left + column_b;
    const int rows = block.height - row_a, start_b = column_b < block.width ? depth_b : 1 << 30;
    TERM held_a[HELD_A], held_b[HELD_B]; /* made REALs when they are written: until then nobody waits for them */
    fetch_all(held_a, held_b, from_a, from_b, n, k, rows, depth_a < depth, depth - start_b);

    VECTOR sum[MR][VECTORS];
    tile_clear(sum);
    UNROLL_BY(1) for (int left = depth; left > 0;) {
        UNROLL_STEPS for (int now = 0; now < 2; now++, left -= BLOCK_K) {
            UNROLL for (int l = 0; l < HELD_A; l++)
                shared_a[now][depth_a + l % EACH][row_a + l / EACH * ROWS] = REAL_OF(held_a[l]);
            UNROLL for (int l = 0; l < HELD_B; l++)
                shared_b[now][depth_b + l / EACH * DEPTH][column_b + l % EACH] = REAL_OF(held_b[l]);
            BARRIER; /* one for each step: who writes the next one meets nobody, for there are two places in turn */
            from_a += BLOCK_K;
            from_b += BLOCK_K * n;
            fetch_all(held_a, held_b, from_a, from_b, n, k, rows, BLOCK_K + depth_a < left, left - BLOCK_K - start_b);
            UNROLL_BY(UNROLLED) for (int p = 0; p < BLOCK_K; p++) {
                REAL column[MR];
                VECTOR row[VECTORS];
                UNROLL for (int i = 0; i < MR; i++)
                    column[i] = shared_a[now][p][down + TILE_ROW(i)];
                UNROLL for (int j = 0; j < NR; j++)
                    row[j] = shared_b[now][p][across + TILE_COLUMN(j)];
                tile_add(sum, column, row);
            }
        }
    }
    tile_store(sum, SUMS + (block.top + down) * n + block.left + across, n, block.height - down, block.width - across);
}

#if SPLIT > 1

/* C from the sums of all parts. */
KERNEL(SUM_ITEMS)
sum_parts(OPERANDS(const), const GLOBAL REAL *RESTRICT partial, const INT64 m, const INT64 n, const INT64 length)
{
    const INT64 place = GROUP * SUM_ITEMS + ITEM;
    REAL sum = 0;
    if (place >= m * n)
        return;
    UNROLL for (int part = 0; part < SPLIT; part++)
        sum += partial[part * m * n + place];
    c[place] = RESULT_OF(sum);
}
#endif
#endif
#endif
#endif
