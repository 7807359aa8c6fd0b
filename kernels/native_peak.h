#ifndef KERNELS_NATIVE_PEAK_H
#define KERNELS_NATIVE_PEAK_H

/* The layout of the arrays of peak_native.c and peak.cl, also for the code that allocates them.
 *
 *   fma    c = x after `turns` times x <- x a + b. Tiles of PEAK_CHAINS lines of x; all lines of a tile share one line
 *          of a and one of b, which stay in registers beside the chains.
 *   read   sums: the array is seen as rows of 256 bytes, some rows make a block, and of each block its columns are
 *          summed up, so that every element is in one sum, and sums are next to nothing beside what was read.
 *   write  every line of c is the one line `s`.
 *   copy   c = b
 *   triad  a = b + PEAK_FACTOR c; more bytes than PEAK_HELD are several rounds over as many: filling and checking
 * larger arrays took ten times as long as measuring */

#include <stdint.h>

enum peak_dim { PEAK_KIND, PEAK_BYTES, PEAK_PASSES, PEAK_TURNS };
enum peak_kind { PEAK_FMA, PEAK_READ, PEAK_WRITE, PEAK_COPY, PEAK_TRIAD, PEAK_KINDS };

/* A multiply-add takes 4 or 5 cycles and two begin in each: 10 chains are enough for that, and 12 with what a line of a
 * and of b take fit the 16 registers of AVX2. */
enum { PEAK_CHAINS = 12, PEAK_LINE_BYTES = 64, PEAK_ROW_BYTES = 256, PEAK_FACTOR = 3 };

/* Work-items of a group of multiply-adds on a GPU. Of each element type, a group takes this many elements of all lines
 * of its tiles. */
enum { PEAK_GROUP = 64, PEAK_GROUP_ELEMENTS = PEAK_GROUP * (2 * PEAK_CHAINS + 2) };

/* Bytes of all arrays of a triad at most: far beyond the caches of every GPU. */
#define PEAK_HELD (1 << 30)

/* Rows of a block: many where the array is large, few where it is to be shared by the threads all the same. */
enum { PEAK_ROWS_LARGE = 128, PEAK_ROWS_SMALL = 16, PEAK_LARGE = 1 << 22 };

struct peak_plan {
    int64_t n;     /* elements of each array that counts */
    int64_t line;  /* elements of a line */
    int64_t lines; /* fma: tiles, of PEAK_CHAINS lines; read: blocks; else lines, the last of them perhaps not whole */
    int64_t row, rows; /* read: elements of a row, rows of a block */
    int64_t rounds;    /* of each pass */
};

static inline struct peak_plan peak_plan_make(const int64_t dim[], int64_t element)
{
    static const int64_t arrays[PEAK_KINDS] = { 0, 1, 1, 2, 3 };
    const int64_t kind = dim[PEAK_KIND], rounds = kind == PEAK_TRIAD ? dim[PEAK_BYTES] / PEAK_HELD : 0;
    const int64_t bytes = rounds > 1 ? PEAK_HELD : dim[PEAK_BYTES];
    struct peak_plan plan = { .line = PEAK_LINE_BYTES / element,
                              .row = PEAK_ROW_BYTES / element,
                              .rows = bytes < PEAK_LARGE ? PEAK_ROWS_SMALL : PEAK_ROWS_LARGE,
                              .rounds = rounds > 1 ? rounds : 1 };
    if (kind == PEAK_FMA) {
        plan.lines = bytes / ((2 * PEAK_CHAINS + 2) * PEAK_LINE_BYTES);
        plan.lines += plan.lines == 0;
        plan.n = plan.lines * PEAK_CHAINS * plan.line;
        return plan;
    }
    const int64_t unit = kind == PEAK_READ ? plan.row * plan.rows : plan.line;
    plan.n = bytes / (arrays[kind] * element);
    plan.lines = plan.n / unit + (plan.n % unit != 0);
    return plan;
}

#endif
