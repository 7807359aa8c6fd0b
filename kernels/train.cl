/* One step of gradient descent of a perceptron with one hidden layer, one kernel for each product or two. The build puts
 * matmul.cl before this: the two large products go by its tiles, PACKED on cores, in shared memory on lanes. The others
 * have OUT columns, too few for tiles:
 *
 *   outputs   a group has LINES rows of the batch. Its OUT_ITEMS items sum up A1 W2 over parts of the hidden layer; then
 *             all of dZ2 and the loss of these rows are known, and with them dZ1.
 *   sum_w2    an item sums up A1' dZ2 in its part of STRIP_COLUMNS columns of the hidden layer, over one of PORTIONS
 *             parts of the batch; update_w2 adds them up.
 *
 * Rows of A1, of W2 turned and of the sums of sum_w2 are WIDE elements apart. Arguments of all kernels are the same.
 * On cores OUT_ITEMS is 1, STRIP rows of X or W1 are packed together, and an item takes TURNS rows of W2 in `prepare`
 * and as many of its elements in `update_w2`; on lanes it takes one. The other words are those of matmul.cl.
 */
#define WIDE       ((hidden + 15) / 16 * 16)
#define LOSSES     (dz2 + batch * OUT)                                /* one for each group of `outputs` */
#define PARTS      (LOSSES + (batch + LINES - 1) / LINES)             /* PORTIONS x OUT x WIDE */
#define AFTER_W2   const INT64 batch, const INT64 in, const INT64 hidden, const INT64 out
#define DIVISIBLE  AFTER_W2, const INT64 before
#ifdef PACKED
#define PANELS     , GLOBAL REAL *RESTRICT rows_of_x, GLOBAL REAL *RESTRICT columns_of_x
#define DZ1(b, h)  dz1[(h) / NR * NR * batch + (b) * NR + (h) % NR]   /* in panels, as the tiles read it */
#define HIDDEN_END ((hidden + NR - 1) / NR * NR)
#else
#define PANELS
#define DZ1(b, h)  dz1[(b) * hidden + (h)]
#define HIDDEN_END hidden
#endif
#define ARGUMENTS                                                                                                      \
    const GLOBAL REAL *RESTRICT x, const GLOBAL REAL *RESTRICT y, const GLOBAL REAL *RESTRICT w1,                      \
        const GLOBAL REAL *RESTRICT w2, GLOBAL REAL *RESTRICT new_w1, GLOBAL REAL *RESTRICT new_w2,                    \
        GLOBAL REAL *RESTRICT loss, GLOBAL REAL *RESTRICT a1, GLOBAL REAL *RESTRICT dz1, GLOBAL REAL *RESTRICT turned, \
        GLOBAL REAL *RESTRICT dz2 PANELS

/* W2, of `hidden` rows, becomes OUT lines; TURNS rows for each item. */
FUNCTION void turn_rows(const GLOBAL REAL *RESTRICT w2, GLOBAL REAL *RESTRICT turned, const INT64 first,
                        const INT64 hidden)
{
    for (INT64 h = first; h < first + TURNS && h < hidden; h++)
        for (int o = 0; o < OUT; o++)
            turned[o * WIDE + h] = w2[h * OUT + o];
}

#ifdef PACKED

/* Rows of X from `top` on, STRIP of them, in panels [in / MR][batch][MR] of columns. */
FUNCTION void pack_turned(const GLOBAL REAL *RESTRICT x, GLOBAL REAL *RESTRICT panels, const INT64 top, const INT64 batch,
                          const INT64 in)
{
    const INT64 end = top + STRIP < batch ? top + STRIP : batch;
    for (INT64 column = 0; column < in; column += MR)
        for (INT64 b = top; b < end; b++)
            UNROLL for (int i = 0; i < MR; i++)
                panels[column * batch + b * MR + i] = column + i < in ? x[b * in + column + i] : 0;
}

/* Groups take the strips of X, then those of W1, then those of W2. */
KERNEL(1) prepare(ARGUMENTS, AFTER_W2)
{
    const INT64 of_x = (batch + STRIP - 1) / STRIP, of_w1 = (in + STRIP - 1) / STRIP;
    if (GROUP < of_x) {
        pack_rows(x, rows_of_x, GROUP * STRIP, batch, in);
        pack_turned(x, columns_of_x, GROUP * STRIP, batch, in);
    } else if (GROUP < of_x + of_w1) {
        pack_columns(w1, dz1, (GROUP - of_x) * STRIP, hidden, in);
    } else {
        turn_rows(w2, turned, (GROUP - of_x - of_w1) * TURNS, hidden);
    }
}

/* A1 = max(X W1, 0) */
KERNEL(1) hidden_layer(ARGUMENTS, DIVISIBLE)
{
    const struct block block = block_at(before + GROUP, batch, hidden);
    block_product(rows_of_x, dz1, a1, block, WIDE, in);
    for (INT64 b = block.top; b < block.top + block.height; b++)
        for (INT64 h = block.left; h < block.left + block.width; h++)
            a1[b * WIDE + h] = a1[b * WIDE + h] > 0 ? a1[b * WIDE + h] : 0;
}

/* W1 less a step along X' dZ1. */
KERNEL(1) update_w1(ARGUMENTS, DIVISIBLE)
{
    const struct block block = block_at(before + GROUP, in, hidden);
    block_product(columns_of_x, dz1, new_w1, block, hidden, batch);
    for (INT64 i = block.top; i < block.top + block.height; i++)
        for (INT64 h = block.left; h < block.left + block.width; h++)
            new_w1[i * hidden + h] = w1[i * hidden + h] - STEP * new_w1[i * hidden + h];
}

#else

/* What an item brings at one step, of lines that are `apart` lines from each other: those before `left`. */
FUNCTION void fetch_lines(ELEMENT *held, const int count, const GLOBAL ELEMENT *RESTRICT from, const INT64 pitch,
                          const int apart, const int left)
{
    UNROLL for (int l = 0; l < count / EACH; l++)
        fetch(held + l * EACH, from + l * apart * pitch, l * apart < left);
}

/* Where the item's tile begins in its block. */
FUNCTION int tile_across(void)
{
    return 4 * ((int)ITEM / 32 % (ACROSS / 8) * 8 + (int)ITEM % 8);
}

FUNCTION int tile_down(void)
{
    return 4 * ((int)ITEM / (4 * ACROSS) * 4 + (int)ITEM % 32 / 8);
}

/* The sums of the item's tile of A B, over all k, as matmul.cl has them without parts of k. Turned: A lies in memory as
 * k x m. */
FUNCTION void block_sum(VECTOR sum[MR][VECTORS], OF_GROUP REAL (*shared_a)[BLOCK_K][PITCH],
                        OF_GROUP REAL (*shared_b)[BLOCK_K][BLOCK_N], const GLOBAL ELEMENT *RESTRICT a,
                        const GLOBAL ELEMENT *RESTRICT b, const struct block block, const INT64 m, const INT64 n,
                        const INT64 k, const int is_turned)
{
    const int depth = (int)k, item = (int)ITEM, across = tile_across(), down = tile_down();

    /* What this item brings, and from where in the block. */
    const int wide_a = is_turned ? BLOCK_M : BLOCK_K, line_a = item * EACH / wide_a, at_a = item * EACH % wide_a;
    const int row_a = is_turned ? at_a : line_a, depth_a = is_turned ? line_a : at_a;
    const int depth_b = item * EACH / BLOCK_N, column_b = item * EACH % BLOCK_N;
    const int apart_a = ITEMS * EACH / wide_a; /* as DEPTH, of A */
    const INT64 pitch_a = is_turned ? m : k, step_a = is_turned ? BLOCK_K * m : BLOCK_K;
    const GLOBAL ELEMENT *from_a =
        a + (is_turned ? depth_a * m + block.top + row_a : (block.top + row_a) * k + depth_a);
    const GLOBAL ELEMENT *from_b = b + depth_b * n + block.left + column_b;
    const int rows = block.height - row_a;
    const int start_a = row_a < block.height ? depth_a : 1 << 30, start_b = column_b < block.width ? depth_b : 1 << 30;
    ELEMENT held_a[HELD_A], held_b[HELD_B]; /* made REALs when they are written: until then nobody waits for them */
    fetch_lines(held_a, HELD_A, from_a, pitch_a, apart_a, is_turned ? depth - start_a : depth_a < depth ? rows : 0);
    fetch_lines(held_b, HELD_B, from_b, n, DEPTH, depth - start_b);

    tile_clear(sum);
    UNROLL_BY(1) for (int left = depth; left > 0;) {
        UNROLL_STEPS for (int now = 0; now < 2; now++, left -= BLOCK_K) {
            UNROLL for (int l = 0; l < HELD_A; l++) {
                const int line = l / EACH * apart_a, place = l % EACH;
                shared_a[now][depth_a + (is_turned ? line : place)][row_a + (is_turned ? place : line)] =
                    REAL_OF(held_a[l]);
            }
            UNROLL for (int l = 0; l < HELD_B; l++)
                shared_b[now][depth_b + l / EACH * DEPTH][column_b + l % EACH] = REAL_OF(held_b[l]);
            BARRIER; /* one for each step: who writes the next one meets nobody, for there are two places in turn */
            from_a += step_a;
            from_b += BLOCK_K * n;
            fetch_lines(held_a, HELD_A, from_a, pitch_a, apart_a,
                        is_turned ? left - BLOCK_K - start_a : BLOCK_K + depth_a < left ? rows : 0);
            fetch_lines(held_b, HELD_B, from_b, n, DEPTH, left - BLOCK_K - start_b);
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
}

KERNEL(OUT_ITEMS) prepare(ARGUMENTS, AFTER_W2)
{
    turn_rows(w2, turned, (GROUP * OUT_ITEMS + ITEM) * TURNS, hidden);
}

/* What is stored for element (i, j) of the item's tile, where the block has it. */
#define FOR_EACH_OF_TILE                                                                                               \
    UNROLL for (int i = 0; i < MR; i++)                                                                                \
        UNROLL for (int j = 0; j < NR; j++)                                                                            \
            if (tile_down() + TILE_ROW(i) < block.height && tile_across() + TILE_COLUMN(j) < block.width)
#define TILE_PLACE(pitch)                                                                                              \
    ((block.top + tile_down() + TILE_ROW(i)) * (pitch) + block.left + tile_across() + TILE_COLUMN(j))

KERNEL(ITEMS) hidden_layer(ARGUMENTS, DIVISIBLE)
{
    SHARED REAL shared_a[2][BLOCK_K][PITCH];
    SHARED REAL shared_b[2][BLOCK_K][BLOCK_N];
    const struct block block = block_at(before + GROUP, batch, hidden);
    VECTOR sum[MR][VECTORS];
    block_sum(sum, shared_a, shared_b, x, w1, block, batch, hidden, in, 0);
    FOR_EACH_OF_TILE
        a1[TILE_PLACE(WIDE)] = sum[i][j] > 0 ? sum[i][j] : 0;
}

KERNEL(ITEMS) update_w1(ARGUMENTS, DIVISIBLE)
{
    SHARED REAL shared_a[2][BLOCK_K][PITCH];
    SHARED REAL shared_b[2][BLOCK_K][BLOCK_N];
    const struct block block = block_at(before + GROUP, in, hidden);
    VECTOR sum[MR][VECTORS];
    block_sum(sum, shared_a, shared_b, x, dz1, block, in, hidden, batch, 1);
    FOR_EACH_OF_TILE
        new_w1[TILE_PLACE(hidden)] = w1[TILE_PLACE(hidden)] - STEP * sum[i][j];
}

#endif

/* The item's part of the sums A1 W2 of LINES rows. */
FUNCTION void lines_sum(REAL total[LINES][OUT], const GLOBAL REAL *const line[LINES], const GLOBAL REAL *RESTRICT turned,
                        const INT64 hidden)
{
    VECTOR sum[LINES][OUT];
    UNROLL for (int i = 0; i < LINES; i++)
        UNROLL for (int o = 0; o < OUT; o++)
            sum[i][o] = SPLAT(0);
    INT64 h = ITEM * WIDTH;
    for (; h + WIDTH <= hidden; h += OUT_ITEMS * WIDTH) {
        VECTOR held[LINES];
        UNROLL for (int i = 0; i < LINES; i++)
            held[i] = LOAD_LOOSE(line[i] + h);
        UNROLL for (int o = 0; o < OUT; o++) {
            const VECTOR weights = LOAD_LOOSE(turned + o * WIDE + h);
            UNROLL for (int i = 0; i < LINES; i++)
                sum[i][o] = FMA(held[i], weights, sum[i][o]);
        }
    }
    UNROLL for (int i = 0; i < LINES; i++)
        UNROLL for (int o = 0; o < OUT; o++) {
            total[i][o] = lanes_sum(sum[i][o]);
            for (INT64 last = h; last < hidden; last++) /* of one item: fewer than a vector */
                total[i][o] = FMA(line[i][last], turned[o * WIDE + last], total[i][o]);
        }
}

/* Adds up what the items have, and leaves the sums in part[][0]. */
FUNCTION void items_add(OF_GROUP REAL (*part)[OUT_ITEMS], const int count)
{
#if OUT_ITEMS > 1
    for (int apart = OUT_ITEMS / 2; apart > 0; apart /= 2) {
        BARRIER;
        if ((int)ITEM < apart)
            for (int i = 0; i < count; i++)
                part[i][ITEM] += part[i][ITEM + apart];
    }
    BARRIER;
#endif
}

/* Rows beyond the end are the last one once more; nothing is stored for them. */
KERNEL(OUT_ITEMS) outputs(ARGUMENTS, DIVISIBLE)
{
    SHARED REAL part[LINES * OUT][OUT_ITEMS];
    const INT64 top = (before + GROUP) * LINES;
    const int item = (int)ITEM, height = batch - top < LINES ? (int)(batch - top) : LINES;
    const GLOBAL REAL *line[LINES];
    REAL total[LINES][OUT];
    UNROLL for (int i = 0; i < LINES; i++)
        line[i] = a1 + (top + (i < height ? i : height - 1)) * WIDE;
    lines_sum(total, line, turned, hidden);
    UNROLL for (int i = 0; i < LINES * OUT; i++)
        part[i][item] = total[i / OUT][i % OUT];
    items_add(part, LINES * OUT);
    for (int i = item; i < LINES * OUT; i += OUT_ITEMS) {
        part[i][0] = i < height * OUT ? part[i][0] - y[top * OUT + i] : 0;
        if (i < height * OUT)
            dz2[top * OUT + i] = part[i][0];
    }
#if OUT_ITEMS > 1
    BARRIER;
#endif
    if (item == 0) {
        REAL squares = 0;
        for (int i = 0; i < LINES * OUT; i++)
            squares += part[i][0] * part[i][0];
        LOSSES[before + GROUP] = squares / 2;
    }
    INT64 h = ITEM * WIDTH;
    for (; h + WIDTH <= hidden; h += OUT_ITEMS * WIDTH) {
        VECTOR back[LINES];
        UNROLL for (int i = 0; i < LINES; i++)
            back[i] = SPLAT(0);
        UNROLL for (int o = 0; o < OUT; o++) {
            const VECTOR weights = LOAD_LOOSE(turned + o * WIDE + h);
            UNROLL for (int i = 0; i < LINES; i++)
                back[i] = FMA(SPLAT(part[i * OUT + o][0]), weights, back[i]);
        }
        UNROLL for (int i = 0; i < LINES; i++)
            if (i < height)
                STORE_LOOSE(LOAD_LOOSE(line[i] + h) > SPLAT(0) ? back[i] : SPLAT(0), &DZ1(top + i, h));
    }
#if OUT_ITEMS == 1
    for (; h < HIDDEN_END; h++) /* fewer than a vector, and what fills the last panel */
        for (int i = 0; i < height; i++) {
            REAL back = 0;
            for (int o = 0; o < OUT && h < hidden; o++)
                back = FMA(part[i * OUT + o][0], turned[o * WIDE + h], back);
            DZ1(top + i, h) = h < hidden && line[i][h] > 0 ? back : 0;
        }
#endif
}

#define STRIP_VECTORS (STRIP_COLUMNS / OUT_ITEMS / WIDTH)
#define STRIP_COLUMN(v) (GROUP % strips * STRIP_COLUMNS + ((v)*OUT_ITEMS + ITEM) * WIDTH)

/* Items beyond the end read the last columns once more, and store nothing. */
KERNEL(OUT_ITEMS) sum_w2(ARGUMENTS, AFTER_W2)
{
    const INT64 strips = (WIDE + STRIP_COLUMNS - 1) / STRIP_COLUMNS, portion = GROUP / strips;
    const INT64 depth = (batch + PORTIONS - 1) / PORTIONS, first = portion * depth;
    const INT64 end = first + depth < batch ? first + depth : batch;
    INT64 at[STRIP_VECTORS];
    VECTOR sum[OUT][STRIP_VECTORS];
    UNROLL for (int v = 0; v < STRIP_VECTORS; v++) {
        at[v] = STRIP_COLUMN(v) + WIDTH <= WIDE ? STRIP_COLUMN(v) : WIDE - WIDTH;
        UNROLL for (int o = 0; o < OUT; o++)
            sum[o][v] = SPLAT(0);
    }
    for (INT64 b = first; b < end; b++)
        UNROLL for (int v = 0; v < STRIP_VECTORS; v++) {
            const VECTOR held = LOAD_LOOSE(a1 + b * WIDE + at[v]);
            UNROLL for (int o = 0; o < OUT; o++)
                sum[o][v] = FMA(SPLAT(dz2[b * OUT + o]), held, sum[o][v]);
        }
    UNROLL for (int v = 0; v < STRIP_VECTORS; v++)
        UNROLL for (int o = 0; o < OUT && STRIP_COLUMN(v) < WIDE; o++)
            STORE_LOOSE(sum[o][v], PARTS + (portion * OUT + o) * WIDE + at[v]);
}

/* The loss, by the first group; and the elements of W2, TURNS for each item, less a step along the sums. */
KERNEL(OUT_ITEMS) update_w2(ARGUMENTS, AFTER_W2)
{
    SHARED REAL part[1][OUT_ITEMS];
    if (GROUP == 0) {
        REAL sum = 0;
        for (INT64 i = ITEM; i * LINES < batch; i += OUT_ITEMS)
            sum += LOSSES[i];
        part[0][ITEM] = sum;
        items_add(part, 1);
        if (ITEM == 0)
            *loss = part[0][0];
        return;
    }
    const INT64 place = ((GROUP - 1) * OUT_ITEMS + ITEM) * TURNS;
    for (INT64 i = place; i < place + TURNS && i < hidden * OUT; i++) {
        REAL sum = 0;
        for (INT64 portion = 0; portion < PORTIONS; portion++)
            sum += PARTS[(portion * OUT + i % OUT) * WIDE + i / OUT];
        new_w2[i] = w2[i] - STEP * sum;
    }
}
