#include "kernels/native_peak.h"
#include "kernels/native_stream.h"

#include <stdbool.h>

/* What the processor can do at most: arithmetic in chains of multiply-adds, and memory read, written, or both. A
 * compiler may not take one pass over the arrays for another, nor leave any out: each ends in a statement that may have
 * read and written all of memory. */

#define PASS_END() __asm__ volatile("" ::: "memory")

enum { LINE = PEAK_LINE_BYTES / sizeof(REAL), ROW = PEAK_ROW_BYTES / sizeof(REAL), ROW_VECTORS = ROW / LANES };

/* A register's width of one tile: the chains, each a vector, run side by side. */
static inline void tile_run(const REAL *restrict x, const REAL *restrict a, const REAL *restrict b, REAL *restrict c,
                            int64_t turns)
{
    const vector factor = vector_at(a), addend = vector_at(b);
    vector chain[PEAK_CHAINS];
    UNROLL for (int i = 0; i < PEAK_CHAINS; i++) chain[i] = vector_at(x + i * LINE);
    _Pragma("GCC unroll 4") for (int64_t turn = 0; turn < turns; turn++)
    {
        UNROLL for (int i = 0; i < PEAK_CHAINS; i++) chain[i] = chain[i] * factor + addend;
    }
    UNROLL for (int i = 0; i < PEAK_CHAINS; i++) vector_put(c + i * LINE, chain[i]);
}

static void chains(void *const operand[], int64_t turns, int64_t begin, int64_t end)
{
    const REAL *restrict x = operand[0], *restrict a = operand[1], *restrict b = operand[2];
    REAL *restrict c = operand[3];
    for (int64_t tile = begin; tile < end; tile++) {
        const int64_t first = tile * PEAK_CHAINS * LINE, line = tile * LINE;
        for (int part = 0; part < LINE; part += LANES)
            tile_run(x + first + part, a + line + part, b + line + part, c + first + part, turns);
    }
}

/* The columns of `rows` whole rows. Sums of two rows stay apart where the registers are wide: an addition takes four
 * cycles, two begin in each, so there should be eight. */
static inline void block_sum(const REAL *restrict a, REAL *restrict sums, int64_t rows)
{
    enum { APART = ROW_VECTORS < 8 ? 2 : 1 };
    vector sum[APART][ROW_VECTORS] = { 0 };
    for (int64_t row = 0; row + APART <= rows; row += APART) {
        UNROLL for (int i = 0; i < APART; i++)
        {
            UNROLL for (int v = 0; v < ROW_VECTORS; v++) sum[i][v] += vector_at(a + (row + i) * ROW + v * LANES);
        }
    }
    UNROLL for (int v = 0; v < ROW_VECTORS; v++)
    {
        vector_put(sums + v * LANES, sum[0][v] + (APART > 1 ? sum[APART - 1][v] : (vector){ 0 }));
    }
}

/* Blocks [begin, end) of n elements. */
static void sums(void *const operand[], const struct peak_plan *plan, int64_t begin, int64_t end)
{
    const REAL *restrict a = operand[0];
    REAL *restrict sums = operand[1];
    const int64_t block = ROW * plan->rows;
    for (int64_t i = begin; i < end; i++) {
        REAL *restrict sum = sums + i * ROW;
        const int64_t first = i * block, left = plan->n - first;
        if (left >= block) {
            block_sum(a + first, sum, plan->rows);
            continue;
        }
        for (int64_t k = 0; k < ROW; k++)
            sum[k] = 0;
        for (int64_t k = 0; k < left; k++)
            sum[k % ROW] += a[first + k];
    }
}

/* One pass over elements [begin, end), which begin at a line; what is left of a line goes element by element. Inlined
 * with a constant kind and a constant way to store. */
static inline __attribute__((always_inline)) void move(enum peak_kind kind, bool streams, void *const operand[],
                                                       int64_t begin, int64_t end)
{
    const REAL *restrict from = operand[0], *restrict more = operand[1];
    REAL *restrict to = operand[kind == PEAK_TRIAD ? 2 : 1];
    const REAL factor = PEAK_FACTOR;
    int64_t i = begin;
    vector line[LINE / LANES];
    UNROLL for (int v = 0; v < LINE / LANES && kind == PEAK_WRITE; v++) line[v] = vector_at(from + v * LANES);
    _Pragma("GCC unroll 4") for (; i + LINE <= end; i += LINE)
    {
        UNROLL for (int v = 0; v < LINE / LANES; v++)
        {
            const int64_t at = i + v * LANES;
            const vector value = kind == PEAK_WRITE ? line[v] : vector_at(from + at);
            const vector result = kind == PEAK_TRIAD ? value + factor * vector_at(more + at) : value;
            if (streams)
                STREAM(to + at, result);
            else
                vector_put(to + at, result);
        }
    }
    for (; i < end; i++) {
        const REAL value = from[kind == PEAK_WRITE ? i % LINE : i];
        to[i] = kind == PEAK_TRIAD ? value + factor * more[i] : value;
    }
    if (streams)
        STREAM_END();
}

/* Four stretches side by side: a core waits for memory less where it sees several streams coming. One alone was a fifth
 * slower, and prefetching made up for a part of that; with two arrays to read, in a triad, it made no difference. */
static void copy_streaming(void *const operand[], int64_t begin, int64_t end)
{
    enum { STRETCHES = 4 };
    const REAL *restrict from = operand[0];
    REAL *restrict to = operand[1];
    const int64_t stretch = (end - begin) / (STRETCHES * LINE) * LINE;
    for (int64_t i = begin; i < begin + stretch; i += LINE) {
        UNROLL for (int k = 0; k < STRETCHES; k++)
        {
            UNROLL for (int v = 0; v < LINE; v += LANES)
                STREAM(to + k * stretch + i + v, vector_at(from + k * stretch + i + v));
        }
    }
    move(PEAK_COPY, true, operand, begin + STRETCHES * stretch, end);
}

static void move_once(enum peak_kind kind, bool streams, void *const operand[], int64_t begin, int64_t end)
{
    switch (kind) {
    case PEAK_WRITE:
        streams ? move(PEAK_WRITE, true, operand, begin, end) : move(PEAK_WRITE, false, operand, begin, end);
        break;
    case PEAK_COPY:
        streams ? copy_streaming(operand, begin, end) : move(PEAK_COPY, false, operand, begin, end);
        break;
    default:
        streams ? move(PEAK_TRIAD, true, operand, begin, end) : move(PEAK_TRIAD, false, operand, begin, end);
    }
}

static inline void passes_run(bool streams, void *const operand[], const int64_t dim[], int64_t begin, int64_t end)
{
    const struct peak_plan plan = peak_plan_make(dim, sizeof(REAL));
    const enum peak_kind kind = (enum peak_kind)dim[PEAK_KIND];
    const int64_t first = begin * LINE, last = end * LINE < plan.n ? end * LINE : plan.n;
    for (int64_t pass = 0; pass < dim[PEAK_PASSES] * plan.rounds; pass++) {
        if (kind == PEAK_FMA)
            chains(operand, dim[PEAK_TURNS], begin, end);
        else if (kind == PEAK_READ)
            sums(operand, &plan, begin, end);
        else
            move_once(kind, streams, operand, first, last);
        PASS_END();
    }
}

/* In both, the extent: tiles, blocks or lines. */

NATIVE_SLICE(peak)
{
    passes_run(false, operand, dim, begin, end);
}

/* Streams only if there is one pass: several passes need the arrays in a cache. */
NATIVE_SLICE(peak_streaming)
{
    const REAL *to = operand[dim[PEAK_KIND] == PEAK_TRIAD ? 2 : 1];
    const bool is_aligned = (uintptr_t)to % PEAK_LINE_BYTES == 0;
    passes_run(dim[PEAK_PASSES] == 1 && is_aligned, operand, dim, begin, end);
}
