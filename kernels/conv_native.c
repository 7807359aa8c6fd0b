#include "kernels/native_conv.h"
#include "kernels/native_tile.h"

#include <stdbool.h>

/* A convolution in three passes: images are padded and split into planes (native_conv.h); filters are packed into
 * panels of ROWS, element after element; then tiles, each from one panel of filters and COLUMNS consecutive places of
 * the copy. Arrays are in, filters, out, the copy, packed filters, and for each element of a filter the offset in the
 * copy of what the first place multiplies it with. Copies and panels are made of terms (native_term.h), of i8 those of
 * four channels. The extents: channels of all images, elements of a filter, or terms of both, and blocks of
 * CONV_BLOCK_FILTERS filters x CONV_BLOCK_PLACES places. */

/* Row `y` of as many channels as a term has elements of, every stride-th one from `x` on; zeros where they have none.
 */
static void pad_row(REAL *restrict to, int64_t count, const ELEMENT *restrict channel, int64_t channels,
                    const int64_t dim[], int64_t y, int64_t x)
{
    const int64_t stride = dim[CONV_STRIDE], width = dim[CONV_W];
    const bool is_in = y >= 0 && y < dim[CONV_H];
    const int64_t before = least(count, !is_in ? count : x < 0 ? (-x + stride - 1) / stride : 0);
    const int64_t end = is_in && x < width ? least(count, (width - x + stride - 1) / stride) : before;
    for (int64_t i = 0; i < before; i++)
        to[i] = term_of_zeros();
    if (end > before)
        terms_read(to + before, channel + y * width + x + before * stride, dim[CONV_H] * width, channels, stride,
                   end - before);
    for (int64_t i = end > before ? end : before; i < count; i++)
        to[i] = term_of_zeros();
}

/* Channels of all images, or words of them. */
NATIVE_SLICE(conv_pad)
{
    const struct conv_plan plan = conv_plan_of_terms(dim, PER);
    const int64_t c = dim[CONV_C], terms = terms_of(c);
    const ELEMENT *in = operand[0];
    REAL *copy = operand[3];
    for (int64_t i = begin * plan.phases; i < end * plan.phases; i++) {
        const int64_t image = i / plan.phases / terms, first = i / plan.phases % terms * PER;
        const ELEMENT *channel = in + (image * c + first) * dim[CONV_H] * dim[CONV_W];
        const int64_t fy = i % plan.phases / plan.phases_x, fx = i % plan.phases_x;
        for (int64_t row = 0; row < plan.height; row++)
            pad_row(copy + i * plan.plane + row * plan.pitch, plan.pitch, channel, least(PER, c - first), dim,
                    row * dim[CONV_STRIDE] + fy - dim[CONV_PAD], fx - dim[CONV_PAD]);
    }
}

/* Terms of a filter, of all of them. */
NATIVE_SLICE(conv_pack)
{
    const struct conv_plan plan = conv_plan_of_terms(dim, PER);
    const int64_t stride = dim[CONV_STRIDE], area = dim[CONV_R] * dim[CONV_S], length = dim[CONV_C] * area;
    const ELEMENT *filters = operand[1];
    REAL *packed = operand[4];
    int64_t *restrict place = operand[5];
    for (int64_t tap = begin; tap < end; tap++) {
        const int64_t c = tap / area, r = tap % area / dim[CONV_S], s = tap % dim[CONV_S];
        const int64_t plane = c * plan.phases + r % stride * plan.phases_x + s % stride;
        place[tap] = plane * plan.plane + r / stride * plan.pitch + s / stride;
    }
    for (int64_t first = 0; first < dim[CONV_K]; first += ROWS)
        rows_pack(packed + first * plan.taps, filters + first * length, length, area, begin, end, dim[CONV_K] - first);
}

/* COLUMNS places of the long line from `first` on, of one filter; to `out`, that filter's for the image. */
static void keep_places(RESULT *restrict out, const struct conv_plan *plan, int64_t first,
                        const RESULT *restrict result)
{
    int64_t p = first / plan->pitch, q = first % plan->pitch;
    for (int64_t i = 0; i < COLUMNS && p < plan->p; i += plan->pitch - q, q = 0, p++)
        if (q < plan->q)
            memcpy(out + p * plan->q + q, result + i, (size_t)least(COLUMNS - i, plan->q - q) * sizeof *out);
}

/* At the same places `rows` filters, of which whole tiles have ROWS; `out` is the first one's. */
static void tile(const struct conv_plan *plan, const REAL *packed, const REAL *image, const int64_t *place,
                 int64_t first, RESULT *out, int64_t rows)
{
    const int64_t apart = plan->p * plan->q, p = first / plan->pitch, q = first % plan->pitch;
    const bool is_line = q + COLUMNS <= plan->q || (plan->pitch == plan->q && first + COLUMNS <= apart);
    RESULT *to = out + p * plan->q + q;
    vector sum[ROWS][VECTORS];
    UNROLL for (int row = 0; row < ROWS; row++)
    {
        UNROLL for (int v = 0; v < VECTORS; v++)
            __builtin_prefetch(to + row * apart + v * LANES, 1); /* on its way while the sums are made */
    }
    tile_sum(sum, packed, image + first, place, plan->taps);
    if (is_line && rows == ROWS) {
        UNROLL for (int row = 0; row < ROWS; row++)
        {
            UNROLL for (int v = 0; v < VECTORS; v++) vector_write(to + row * apart + v * LANES, sum[row][v]);
        }
        return;
    }
    RESULT whole[ROWS][COLUMNS];
    UNROLL for (int row = 0; row < ROWS; row++)
    {
        UNROLL for (int v = 0; v < VECTORS; v++) vector_write(whole[row] + v * LANES, sum[row][v]);
    }
    for (int64_t row = 0; row < rows; row++)
        keep_places(out + row * apart, plan, first, whole[row]);
}

/* Blocks of CONV_BLOCK_FILTERS filters at CONV_BLOCK_PLACES places, those of one image one after the other. */
NATIVE_SLICE(conv_tiles)
{
    const struct conv_plan plan = conv_plan_of_terms(dim, PER);
    const REAL *copy = operand[3], *packed = operand[4];
    const int64_t *place = operand[5];
    RESULT *out = operand[2];
    const int64_t across = (plan.places + CONV_BLOCK_PLACES - 1) / CONV_BLOCK_PLACES;
    const int64_t down = (dim[CONV_K] + CONV_BLOCK_FILTERS - 1) / CONV_BLOCK_FILTERS;
    for (int64_t block = begin; block < end; block++) {
        const int64_t image = block / across / down, top = block / across % down * CONV_BLOCK_FILTERS;
        const int64_t left = block % across * CONV_BLOCK_PLACES, right = least(left + CONV_BLOCK_PLACES, plan.places);
        const int64_t bottom = least(top + CONV_BLOCK_FILTERS, dim[CONV_K]);
        for (int64_t k = top; k < bottom; k += ROWS)
            for (int64_t first = left; first < right; first += COLUMNS)
                tile(&plan, packed + k * plan.taps, copy + image * plan.image, place, first,
                     out + (image * dim[CONV_K] + k) * plan.p * plan.q, least(ROWS, bottom - k));
    }
}
