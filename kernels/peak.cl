/* What a device can do at most: arithmetic in chains of multiply-adds, and memory read, written, or both. native_peak.h
 * tells how the arrays are laid out, which are as many bytes as `bytes` says; passes is 1.
 *
 * On a CPU a group is one work-item, and WIDTH a line: it walks straight through memory. On a GPU neighbouring work-items
 * take neighbouring elements. A group owns STEPS times what its work-items take at once, and `before` is the number of
 * groups in front of the portion that is launched. */
enum { LINE = 64 / sizeof(REAL), ROW = 256 / sizeof(REAL), PARTS = LINE / WIDTH };

#define DIMS                                                                                                           \
    const INT64 kind, const INT64 bytes, const INT64 passes, const INT64 turns, const INT64 before

/* c = x after `turns` times x <- x a + b. A work-item computes its part of all lines of a tile, a chain for each. */
KERNEL(LOCAL)
chains(const GLOBAL REAL *RESTRICT x, const GLOBAL REAL *RESTRICT a, const GLOBAL REAL *RESTRICT b,
       GLOBAL REAL *RESTRICT c, DIMS)
{
    const INT64 tile_bytes = (2 * CHAINS + 2) * LINE * sizeof(REAL);
    const INT64 tiles = bytes < tile_bytes ? 1 : bytes / tile_bytes;
    const INT64 item = (GROUP + before) * LOCAL + ITEM, part = item % PARTS * WIDTH;

    for (INT64 step = 0; step < STEPS; step++) {
        const INT64 tile = item / PARTS * STEPS + step, first = tile * CHAINS * LINE + part;
        if (tile >= tiles)
            break;
        const VECTOR factor = LOAD(a + tile * LINE + part), addend = LOAD(b + tile * LINE + part);
        VECTOR chain[CHAINS];
        UNROLL for (int i = 0; i < CHAINS; i++) chain[i] = LOAD(x + first + i * LINE);
        UNROLL_BY(40) for (int turn = 0; turn < (int)turns; turn++) /* at most 65536; 32 bits are one instruction */
        {
            UNROLL for (int i = 0; i < CHAINS; i++) chain[i] = FMA(chain[i], factor, addend);
        }
        UNROLL for (int i = 0; i < CHAINS; i++) STORE(chain[i], c + first + i * LINE);
    }
}

/* Sums of the columns of blocks of ROWS rows. A work-item has SPAN vectors of a row. */
KERNEL(LOCAL)
sums(const GLOBAL REAL *RESTRICT a, GLOBAL REAL *RESTRICT sum, DIMS)
{
    const INT64 n = bytes / (INT64)sizeof(REAL), owners = ROW / (WIDTH * SPAN);
    const INT64 item = (GROUP + before) * LOCAL + ITEM, column = item % owners * (WIDTH * SPAN);

    for (INT64 step = 0; step < STEPS; step++) {
        const INT64 block = item / owners * STEPS + step, first = block * ROWS * ROW;
        if (first >= n)
            break;
        if (first + ROWS * ROW <= n) {
            VECTOR part[SPAN];
            UNROLL for (int i = 0; i < SPAN; i++) part[i] = SPLAT(0);
            UNROLL_BY(8) for (INT64 row = 0; row < ROWS; row++)
            {
                UNROLL for (int i = 0; i < SPAN; i++) part[i] += LOAD(a + first + row * ROW + column + i * WIDTH);
            }
            UNROLL for (int i = 0; i < SPAN; i++) STORE(part[i], sum + block * ROW + column + i * WIDTH);
            continue;
        }
        for (INT64 k = column; k < column + WIDTH * SPAN; k++) {
            REAL part = 0;
            UNROLL_BY(1) for (INT64 i = first + k; i < n; i += ROW)
                part += a[i];
            sum[block * ROW + k] = part;
        }
    }
}

/* Elements from `first` on, in steps of STRIDE: all of a group's where they are whole, else as far as n. */
#define STRIDE ((INT64)LOCAL * WIDTH)
#define FIRST  ((GROUP + before) * STEPS * STRIDE)

/* Every line of c is the one line s. */
KERNEL(LOCAL)
fill(const GLOBAL REAL *RESTRICT s, GLOBAL REAL *RESTRICT c, DIMS)
{
    const INT64 n = bytes / (INT64)sizeof(REAL), first = FIRST, end = first + STEPS * STRIDE;

    if (end <= n) {
        const VECTOR value = LOAD(s + ITEM * WIDTH % LINE);
        for (int step = 0; step < STEPS; step++)
            STREAM(value, c + first + ITEM * WIDTH + step * STRIDE);
    } else {
        UNROLL_BY(1) for (INT64 i = first + ITEM; i < n; i += LOCAL)
            c[i] = s[i % LINE];
    }
}

/* c = b, by several stretches side by side: with one alone a core would wait for memory. */
KERNEL(LOCAL)
copy(const GLOBAL REAL *RESTRICT b, GLOBAL REAL *RESTRICT c, DIMS)
{
    const INT64 n = bytes / (INT64)(2 * sizeof(REAL)), first = FIRST, end = first + STEPS * STRIDE;

    if (end <= n) {
        const INT64 stretch = STEPS / STRETCHES * STRIDE;
        for (int step = 0; step < STEPS / STRETCHES; step++) {
            const INT64 i = first + ITEM * WIDTH + step * STRIDE;
            UNROLL for (int k = 0; k < STRETCHES; k++) STREAM(LOAD(b + i + k * stretch), c + i + k * stretch);
        }
    } else {
        UNROLL_BY(1) for (INT64 i = first + ITEM; i < n; i += LOCAL)
            c[i] = b[i];
    }
}

/* a = b + 3 c, in rounds: the groups of each go over the same HELD bytes */
KERNEL(LOCAL)
triad(const GLOBAL REAL *RESTRICT b, const GLOBAL REAL *RESTRICT c, GLOBAL REAL *RESTRICT a, DIMS)
{
    const INT64 n = (bytes < 2 * (INT64)HELD ? bytes : HELD) / (INT64)(3 * sizeof(REAL)), each = STEPS * STRIDE;
    const INT64 first = (unsigned)(GROUP + before) % (unsigned)((n + each - 1) / each) * each, end = first + each;

    if (end <= n) {
        for (int step = 0; step < STEPS; step++) {
            const INT64 i = first + ITEM * WIDTH + step * STRIDE;
            STREAM(LOAD(b + i) + LOAD(c + i) * (REAL)3, a + i);
        }
    } else {
        UNROLL_BY(1) for (INT64 i = first + ITEM; i < n; i += LOCAL)
            a[i] = b[i] + c[i] * (REAL)3;
    }
}
