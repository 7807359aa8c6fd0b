/* out[n][k][p][q] = sum over c, r, s of in[n][c][p * STRIDE - PAD + r][q * STRIDE - PAD + s] * filters[k][c][r][s]
 *
 * R x S filters, STRIDE, PAD and the P x Q places of a filter are constants, so that no tap needs a division or a
 * branch of its own. `pack` brings the filters into blocks of CHANNELS of them, [block][tap][CHANNELS], a tap being one
 * (c, r, s), with zeros for filters beyond the last and up to a multiple of TAPS_GRAIN taps. Of i8 a tap has PER
 * channels, and what is said of channels is true of such. */

#define P ((H + 2 * PAD - R) / STRIDE + 1)
#define Q ((W + 2 * PAD - S) / STRIDE + 1)

#ifdef LANES
#define PACK_ITEMS (PLACES / OWN_PLACES * (CHANNELS / OWN_FILTERS))
#define TAPS_GRAIN DEPTH
#else
#define PACK_ITEMS 1
#define TAPS_GRAIN 1
#endif

/* Taps of one block that a group of `pack` takes. */
#define PACK_TAPS 64

#define TAPS_PACKED(taps) (((taps) + TAPS_GRAIN - 1) / TAPS_GRAIN * TAPS_GRAIN)

/* What all kernels begin with. */
#if defined LANES && PER > 1
#define OPERANDS(access)                                                                                               \
    const GLOBAL ELEMENT *RESTRICT bytes, const GLOBAL ELEMENT *RESTRICT filters, GLOBAL RESULT *RESTRICT out,         \
        access GLOBAL REAL *RESTRICT packed, access GLOBAL TERM *RESTRICT in
#else
#define OPERANDS(access)                                                                                               \
    const GLOBAL ELEMENT *RESTRICT in, const GLOBAL ELEMENT *RESTRICT filters, GLOBAL RESULT *RESTRICT out,            \
        access GLOBAL REAL *RESTRICT packed
#endif
#define DIMS                                                                                                           \
    const INT64 n, const INT64 channels, const INT64 h, const INT64 w, const INT64 k, const INT64 r, const INT64 s,    \
        const INT64 stride, const INT64 pad

/* The term at a place of one of the `terms` planes that `left` channels make, each of `area` elements. */
#define TERM_IN(from, area, term, place, left)                                                                         \
    TERM_OF((from) + (term)*PER * (area) + (place), area, ((left) - (term)*PER) * (area))

KERNEL(PACK_ITEMS)
pack(OPERANDS(), DIMS)
{
    const INT64 taps = TERMS(channels) * (R * S), taps_packed = TAPS_PACKED(taps);
    const INT64 portions = (taps_packed + PACK_TAPS - 1) / PACK_TAPS;
    const INT64 block = GROUP / portions, first = GROUP % portions * PACK_TAPS;

    for (int i = (int)ITEM; i < CHANNELS * PACK_TAPS; i += PACK_ITEMS) {
        const INT64 tap = first + i % PACK_TAPS, filter = block * CHANNELS + i / PACK_TAPS;
        if (tap < taps_packed)
            packed[(block * taps_packed + tap) * CHANNELS + i / PACK_TAPS] =
                filter < k && tap < taps
                    ? TERM_IN(filters + filter * channels * (R * S), R * S, tap / (R * S), tap % (R * S), channels)
                    : 0;
    }
}

#ifndef LANES

/* For cores. A group is one work-item. It owns LINES rows of the output, SPAN places of each, and BLOCKS blocks of
 * filters, and goes through the filters' rows, (c, r), DEPTH of them at a time: it copies what they see of the images
 * into a patch, zeros around the image included, then walks over it in tiles of TILE_LINES x TILE_COLUMNS places x
 * CHANNELS filters, whose sums stay in registers. Pixels are broadcast and filters make vectors, so that a stride costs
 * nothing. The rows of the output may belong to several images. Sums of TOGETHER blocks are kept from one step to the
 * next; where one step does, that is one block, whose results then leave while the next is computed. */

#define VECTORS (CHANNELS / WIDTH)
#define PLACES  (TILE_LINES * TILE_COLUMNS)
#define PITCH   ((SPAN - 1) * STRIDE + S) /* of a line of the patch */

/* How many channels ahead the copy asks for: far enough to hide memory, near enough to still be there. */
#define AHEAD 2

FUNCTION void fill(REAL *patch, const GLOBAL ELEMENT *in, INT64 n, INT64 channels, INT64 h, INT64 w, INT64 line0, INT64 column0,
                   INT64 row0, int depth)
{
    const INT64 x0 = column0 * STRIDE - PAD; /* in the image, of the patch's first column */
    const int begin = (int)clamp(-x0, (INT64)0, (INT64)PITCH), end = (int)clamp(w - x0, (INT64)begin, (INT64)PITCH);
    INT64 image[LINES], y0[LINES];
    for (int line = 0; line < LINES; line++) {
        image[line] = (line0 + line) / P;
        y0[line] = (line0 + line) % P * STRIDE - PAD;
    }
    for (int d = 0; d < depth; d++) {
        const INT64 term = (row0 + d) / R, ahead = (term + AHEAD) * PER < channels ? AHEAD * PER * h * w : 0;
        for (int line = 0; line < LINES; line++) {
            const INT64 y = y0[line] + (row0 + d) % R;
            REAL *to = patch + (d * LINES + line) * PITCH;
            int x = 0;
            if (image[line] < n && y >= 0 && y < h) {
                const GLOBAL ELEMENT *from = in + ((image[line] * channels + term * PER) * h + y) * w + x0;
                for (int i = begin; i < end; i += WIDTH)
                    PREFETCH(from + ahead + i);
                for (; x < begin; x++)
                    to[x] = 0;
                for (; x < end; x++)
                    to[x] = TERM_OF(from + x, h * w, (channels - term * PER) * h * w);
            }
            for (; x < PITCH; x++)
                to[x] = 0;
        }
    }
}

/* Adds what `depth` rows of a block's filters give at the places of one tile, or begins with them. `step` is STRIDE in
 * a way that the compiler does not know: odd places then have an address of their own, where it would otherwise load
 * several neighbours at once, only to spread each with an instruction that keeps the multipliers waiting. */
FUNCTION void tile(VECTOR *sums, const REAL *even, INT64 step, const GLOBAL REAL *filters, int depth, bool is_first)
{
    const REAL *odd = even + step;
    VECTOR sum[PLACES][VECTORS];

    UNROLL for (int i = 0; i < PLACES; i++)
    {
        UNROLL for (int j = 0; j < VECTORS; j++)
            sum[i][j] = is_first ? SPLAT(0) : sums[(i / TILE_COLUMNS * SPAN + i % TILE_COLUMNS) * VECTORS + j];
    }
    for (int d = 0; d < depth; d++) {
        UNROLL_BY(1) for (int s = 0; s < S; s++)
        {
            VECTOR filter[VECTORS];
            UNROLL for (int j = 0; j < VECTORS; j++)
                filter[j] = LOAD(filters + j * WIDTH);
            UNROLL for (int i = 0; i < PLACES; i++)
            {
                const int column = i % TILE_COLUMNS, at = i / TILE_COLUMNS * PITCH + column / 2 * 2 * STRIDE + s;
                const VECTOR pixel = SPLAT(column % 2 ? odd[at] : even[at]);
                UNROLL for (int j = 0; j < VECTORS; j++)
                    sum[i][j] = MULTIPLY_ADD(pixel, filter[j], sum[i][j]);
            }
            filters += CHANNELS;
        }
        even += LINES * PITCH;
        odd += LINES * PITCH;
    }
    UNROLL for (int i = 0; i < PLACES; i++)
    {
        UNROLL for (int j = 0; j < VECTORS; j++)
            sums[(i / TILE_COLUMNS * SPAN + i % TILE_COLUMNS) * VECTORS + j] = sum[i][j];
    }
}

/* Exchanges rows and columns. Each round is a perfect shuffle, which moves the top bit of the row's number to the
 * bottom of the column's and the top bit of the column's to the bottom of the row's. */
FUNCTION void transpose(VECTOR v[WIDTH])
{
    UNROLL for (int rounds = WIDTH; rounds > 1; rounds /= 2)
    {
        VECTOR next[WIDTH];
        UNROLL for (int i = 0; i < WIDTH / 2; i++)
        {
            next[2 * i].even = v[i].lo;
            next[2 * i].odd = v[i + WIDTH / 2].lo;
            next[2 * i + 1].even = v[i].hi;
            next[2 * i + 1].odd = v[i + WIDTH / 2].hi;
        }
        UNROLL for (int i = 0; i < WIDTH; i++)
            v[i] = next[i];
    }
}

/* Lines that are whole follow each other in the output, until the image ends. */
#define IS_WHOLE (SPAN == Q)

/* Whether all runs of the output begin and end where a VECTOR does. */
#define IS_ALIGNED                                                                                                     \
    (IS_WHOLE ? (INT64)P * Q % WIDTH == 0 && (INT64)LINES * Q % WIDTH == 0                                             \
              : Q % WIDTH == 0 && (SPAN >= Q || SPAN % WIDTH == 0))

/* Writes `length` neighbours in each of the first `filters` planes of the output; `area` apart. */
FUNCTION void write_run(GLOBAL RESULT *out, INT64 area, const VECTOR *sums, int length, int filters)
{
    for (int x = 0; x < length && length >= WIDTH; x += WIDTH) {
        const int at = min(x, length - WIDTH); /* the last may repeat some of those before it */
        UNROLL for (int j = 0; j < VECTORS; j++)
        {
            VECTOR v[WIDTH];
            UNROLL for (int i = 0; i < WIDTH; i++)
                v[i] = sums[(at + i) * VECTORS + j];
            transpose(v);
            UNROLL for (int i = 0; i < WIDTH; i++)
            {
                if (j * WIDTH + i < filters) {
                    if (IS_ALIGNED)
                        STREAM_RESULTS(v[i], out + (j * WIDTH + i) * area + at);
                    else
                        STORE_LOOSE_RESULTS(v[i], out + (j * WIDTH + i) * area + at);
                }
            }
        }
    }
    if (length < WIDTH) {
        for (int i = 0; i < filters; i++)
            for (int x = 0; x < length; x++)
                out[i * area + x] = RESULT_OF(((const REAL *)sums)[x * CHANNELS + i]);
    }
}

/* Writes what a block of filters, `filter` the first of them, gave on the group's part of the output. */
FUNCTION void write(GLOBAL RESULT *out, const VECTOR *sums, INT64 n, INT64 k, INT64 line0, INT64 column0, INT64 filter)
{
    const int columns = (int)min((INT64)SPAN, Q - column0);
    for (int line = 0, lines; line < LINES && line0 + line < n * P; line += lines) {
        const INT64 image = (line0 + line) / P, y = (line0 + line) % P;
        lines = IS_WHOLE ? (int)min((INT64)LINES - line, P - y) : 1;
        write_run(out + ((image * k + filter) * P + y) * Q + column0, (INT64)P * Q, sums + line * SPAN * VECTORS,
                  lines * columns, (int)min((INT64)CHANNELS, k - filter));
    }
}

KERNEL(1)
conv(OPERANDS(const), DIMS, const INT64 before)
{
    const INT64 blocks_all = (k + CHANNELS - 1) / CHANNELS, portions = (blocks_all + BLOCKS - 1) / BLOCKS;
    const INT64 spans = (Q + SPAN - 1) / SPAN, rows = TERMS(channels) * R;
    const INT64 first = (before + GROUP) % portions * BLOCKS, last = min(first + BLOCKS, blocks_all);
    const INT64 place = (before + GROUP) / portions, line0 = place / spans * LINES, column0 = place % spans * SPAN;
    REAL patch[DEPTH * LINES * PITCH];
    VECTOR sums[TOGETHER * LINES * SPAN * VECTORS];

    for (INT64 block = first; block < last; block += TOGETHER) {
        const int blocks = (int)min((INT64)TOGETHER, last - block);
        for (INT64 row0 = 0; row0 < rows; row0 += DEPTH) {
            const int depth = (int)min((INT64)DEPTH, rows - row0);
            if (rows > DEPTH || block == first)
                fill(patch, in, n, channels, h, w, line0, column0, row0, depth);
            for (int b = 0; b < blocks; b++)
                for (int line = 0; line < LINES; line += TILE_LINES)
                    for (int x = 0; x < SPAN; x += TILE_COLUMNS)
                        tile(sums + ((b * LINES + line) * SPAN + x) * VECTORS, patch + line * PITCH + x * STRIDE,
                             stride, packed + ((block + b) * rows + row0) * S * CHANNELS, depth, row0 == 0);
        }
        for (int b = 0; b < blocks; b++)
            write(out, sums + b * LINES * SPAN * VECTORS, n, k, line0, column0, (block + b) * CHANNELS);
    }
}

#else

/* For lanes: a product of matrices, places x taps and taps x filters, the first of which is never built. A group of
 * ITEMS work-items owns PLACES places of the output, counted through all images, and one block of filters. Each keeps
 * the sums of OWN_PLACES x OWN_FILTERS in registers. Two forms:
 *
 *   DIRECT      without shared memory: a work-item reads pixels and filters through the caches. Neighbours read
 *               neighbouring pixels, and the same filters.
 *   otherwise   the group brings DEPTH taps of both factors into shared memory. It fetches them one portion ahead, so
 *               that memory is waited for while there is something to compute.
 */

#define PLACE_ITEMS  (PLACES / OWN_PLACES)
#define FILTER_ITEMS (CHANNELS / OWN_FILTERS)
#define ITEMS        PACK_ITEMS

/* Number i of a work-item's own: quads, which are read at once, lying so that neighbours read neighbouring quads. */
#define OWN(i, item, items) (((i) / 4 * (items) + (item)) * 4 + (i) % 4)
#ifdef DIRECT
#define OWN_PLACE(i, item) ((i)*PLACE_ITEMS + (item))
#else
#define OWN_PLACE(i, item) OWN(i, item, PLACE_ITEMS)
#endif

#if PER > 1

/* The images as terms. */
KERNEL(PACK_ITEMS)
join(OPERANDS(), DIMS)
{
    const INT64 at = GROUP * PACK_ITEMS + ITEM, area = h * w, plane = at / area, terms = TERMS(channels);
    if (at < n * terms * area)
        in[at] = TERM_IN(bytes + plane / terms * channels * area, area, plane % terms, at % area, channels);
}

#endif

/* A step takes DEPTH taps: those of whole channels, or of a part of one row of a filter. A work-item looks at every
 * TAP_STEPth of them at a place. */
#define HAS_CHANNELS (DEPTH % (R * S) == 0)
#ifdef DIRECT
#define TAP_STEP 1
#else
#define TAP_STEP (ITEMS / PLACES)
#endif
#define PLACE_LOADS ((DEPTH + TAP_STEP - 1) / TAP_STEP)

#if (DEPTH / (R * S) + 1) * H * W >> 31
#define OFFSET INT64
#else
#define OFFSET int
#endif

/* What the filters see at a place in a step: where the step's first tap is, in memory and in the image, which of the
 * work-item's taps touch the image, a bit for each, and how far from the first they are. */
struct view {
    const GLOBAL TERM *from;
    int x, y, r, s;
    int tap; /* the work-item's first */
    unsigned mask;
    OFFSET offset[PLACE_LOADS];
};

FUNCTION void view_mask(struct view *view)
{
    view->mask = 0;
    UNROLL for (int i = 0; i < PLACE_LOADS; i++)
    {
        const int tap = view->tap + i * TAP_STEP, y = view->y + tap / S % R, x = view->x + tap % S;
        view->mask |= (unsigned)(tap < DEPTH && y >= 0 && y < H && x >= 0 && x < W) << i;
    }
}

/* Leaves the taps out that only fill the last step, of which `left` are true ones. */
FUNCTION void view_cut(struct view *view, const int left)
{
    if (DEPTH > R * S && left < DEPTH)
        view->mask &= (1u << (left - view->tap + TAP_STEP - 1) / TAP_STEP) - 1;
}

/* The first step of a work-item that begins with `tap`. A place beyond the last sees what the first does. */
FUNCTION struct view view_at(const GLOBAL TERM *in, INT64 place, const INT64 places, const INT64 c, const int tap)
{
    struct view view;
    place = place < places ? place : 0;
    view.x = (int)(place % Q) * STRIDE - PAD;
    view.y = (int)(place / Q % P) * STRIDE - PAD;
    view.r = view.s = 0;
    view.from = in + (place / ((INT64)P * Q) * c * H + view.y) * W + view.x;
    view.tap = tap;
    view_mask(&view);
    view_cut(&view, (int)c * (R * S));
    UNROLL for (int i = 0; i < PLACE_LOADS; i++)
    {
        const int own = tap + i * TAP_STEP;
        view.offset[i] = (OFFSET)(own / (R * S)) * H * W + own / S % R * W + own % S;
    }
    return view;
}

/* The next step, before which `left` taps are left, which is more than none. */
FUNCTION void view_advance(struct view *view, const int left)
{
#if HAS_CHANNELS
    view->from += (INT64)(DEPTH / (R * S)) * H * W;
    view_cut(view, left);
#else
    view->from += DEPTH, view->x += DEPTH, view->s += DEPTH;
    if (view->s == S) {
        const bool is_last = ++view->r == R;
        view->from += (is_last ? (H - R + 1) * (INT64)W : W) - S;
        view->y += is_last ? 1 - R : 1, view->r = is_last ? 0 : view->r;
        view->x -= S, view->s = 0;
    }
    view_mask(view);
#endif
}

FUNCTION TERM pixel_at(const struct view *view, const int i)
{
    return view->mask >> i & 1 ? view->from[view->offset[i]] : 0;
}

FUNCTION void sums_clear(REAL sum[OWN_PLACES][OWN_FILTERS])
{
    UNROLL for (int i = 0; i < OWN_PLACES; i++)
    {
        UNROLL for (int j = 0; j < OWN_FILTERS; j++)
            sum[i][j] = 0;
    }
}

/* Adds what one tap gives. */
FUNCTION void sums_add(REAL sum[OWN_PLACES][OWN_FILTERS], const REAL pixel[OWN_PLACES], const REAL weight[OWN_FILTERS])
{
    UNROLL for (int i = 0; i < OWN_PLACES; i++)
    {
        UNROLL for (int j = 0; j < OWN_FILTERS; j++)
            sum[i][j] = MULTIPLY_ADD(pixel[i], weight[j], sum[i][j]);
    }
}

FUNCTION void write(GLOBAL RESULT *out, const REAL sum[OWN_PLACES][OWN_FILTERS], INT64 place0, INT64 places,
                    INT64 filter0, INT64 k)
{
    UNROLL for (int i = 0; i < OWN_PLACES; i++)
    {
        const INT64 place = place0 + OWN_PLACE(i, 0), image = place / ((INT64)P * Q);
        GLOBAL RESULT *to = out + (image * (k - 1) + filter0) * P * Q + place;
        UNROLL for (int j = 0; j < OWN_FILTERS; j++)
        {
            if (place < places && filter0 + OWN(j, 0, FILTER_ITEMS) < k)
                to[(INT64)OWN(j, 0, FILTER_ITEMS) * P * Q] = RESULT_OF(sum[i][j]);
        }
    }
}

#ifdef DIRECT

KERNEL(ITEMS)
conv(OPERANDS(const), DIMS, const INT64 before)
{
    const INT64 c = TERMS(channels);
    const int column = (int)ITEM % PLACE_ITEMS, row = (int)ITEM / PLACE_ITEMS, taps = (int)c * (R * S);
    const INT64 blocks = (k + CHANNELS - 1) / CHANNELS, places = n * P * Q, block = (before + GROUP) % blocks;
    const INT64 place0 = (before + GROUP) / blocks * PLACES + column;
    const GLOBAL REAL *weights = packed + block * TAPS_PACKED(taps) * CHANNELS + row * 4;
    struct view view[OWN_PLACES];
    REAL sum[OWN_PLACES][OWN_FILTERS];

    UNROLL for (int i = 0; i < OWN_PLACES; i++)
        view[i] = view_at(in, place0 + OWN_PLACE(i, 0), places, c, 0);
    sums_clear(sum);
    UNROLL_BY(1) for (int left = taps; left > 0; left -= DEPTH)
    {
        UNROLL for (int d = 0; d < DEPTH; d++, weights += CHANNELS)
        {
            REAL pixel[OWN_PLACES], weight[OWN_FILTERS];
            UNROLL for (int i = 0; i < OWN_PLACES; i++)
                pixel[i] = REAL_OF(pixel_at(&view[i], d));
            UNROLL for (int j = 0; j < OWN_FILTERS; j++)
                weight[j] = weights[OWN(j, 0, FILTER_ITEMS)];
            sums_add(sum, pixel, weight);
        }
        UNROLL for (int i = 0; i < OWN_PLACES; i++)
        {
            if (left > DEPTH)
                view_advance(&view[i], left - DEPTH);
        }
    }
    write(out, sum, place0, places, block * CHANNELS + row * 4, k);
}

#else

/* What the group has of a step: pixels, then weights. */
#define PIXELS  (PLACE_LOADS * TAP_STEP * PLACES)
#define WEIGHTS (DEPTH * CHANNELS)

/* Quads of weights that a work-item brings; the last is one of the first work-items alone. */
#define FILTER_LOADS      ((WEIGHTS / 4 + ITEMS - 1) / ITEMS)
#define HAS_QUAD(i, item) (((i) + 1) * ITEMS <= WEIGHTS / 4 || (item) + (i)*ITEMS < WEIGHTS / 4)

FUNCTION void fetch(TERM pixel[PLACE_LOADS], QUAD quad[FILTER_LOADS], const struct view *view,
                    const GLOBAL REAL *packed, const int item)
{
    UNROLL for (int i = 0; i < PLACE_LOADS; i++)
        pixel[i] = pixel_at(view, i);
    UNROLL for (int i = 0; i < FILTER_LOADS; i++)
    {
        if (HAS_QUAD(i, item))
            quad[i] = LOAD_QUAD(packed + i * ITEMS * 4);
    }
}

FUNCTION void share(OF_GROUP REAL *to, const TERM pixel[PLACE_LOADS], const QUAD quad[FILTER_LOADS], const int item)
{
    UNROLL for (int i = 0; i < PLACE_LOADS; i++)
        to[item + i * ITEMS] = REAL_OF(pixel[i]);
    UNROLL for (int i = 0; i < FILTER_LOADS; i++)
    {
        const int at = PIXELS + (item + i * ITEMS) * 4;
        if (HAS_QUAD(i, item))
            STORE_QUAD(quad[i].x, quad[i].y, quad[i].z, quad[i].w, to + at);
    }
}

/* What is a work-item's own of a line for `items` of them. */
FUNCTION void read_own(REAL *own, const int count, const OF_GROUP REAL *line, const int items)
{
    UNROLL for (int i = 0; i < count; i += 4)
    {
        const QUAD quad = LOAD_QUAD(line + i * items);
        own[i] = quad.x, own[i + 1] = quad.y, own[i + 2] = quad.z, own[i + 3] = quad.w;
    }
}

KERNEL(ITEMS)
conv(OPERANDS(const), DIMS, const INT64 before)
{
    const INT64 c = TERMS(channels);
    SHARED REAL shared[2 * (PIXELS + WEIGHTS)];
    const int item = (int)ITEM, column = item % PLACE_ITEMS, row = item / PLACE_ITEMS, taps = (int)c * (R * S);
    const INT64 blocks = (k + CHANNELS - 1) / CHANNELS, places = n * P * Q;
    const INT64 block = (before + GROUP) % blocks, place0 = (before + GROUP) / blocks * PLACES;
    const GLOBAL REAL *from = packed + block * TAPS_PACKED(taps) * CHANNELS + item * 4;
    struct view view = view_at(in, place0 + item % PLACES, places, c, TAP_STEP == 1 ? 0 : item / PLACES);
    REAL sum[OWN_PLACES][OWN_FILTERS];
    TERM pixel_next[PLACE_LOADS];
    QUAD quad_next[FILTER_LOADS];

    sums_clear(sum);
    fetch(pixel_next, quad_next, &view, from, item);
    share(shared, pixel_next, quad_next, item);
    /* Two buffers in turn: one barrier a step is enough. */
    UNROLL_BY(1) for (int left = taps, now = 0; left > 0; now = PIXELS + WEIGHTS - now)
    {
        BARRIER;
        left -= DEPTH;
        if (left > 0) { /* else the last one again, for nothing */
            from += DEPTH * CHANNELS;
            view_advance(&view, left);
        }
        fetch(pixel_next, quad_next, &view, from, item);
        const OF_GROUP REAL *pixels = shared + now + column * 4, *weights = shared + now + PIXELS + row * 4;
        UNROLL_BY(3) for (int d = 0; d < DEPTH; d++, pixels += PLACES, weights += CHANNELS)
        {
            REAL pixel[OWN_PLACES], weight[OWN_FILTERS];
            read_own(pixel, OWN_PLACES, pixels, PLACE_ITEMS);
            read_own(weight, OWN_FILTERS, weights, FILTER_ITEMS);
            sums_add(sum, pixel, weight);
        }
        share(shared + (PIXELS + WEIGHTS - now), pixel_next, quad_next, item);
    }
    write(out, sum, place0 + column * 4, places, block * CHANNELS + row * 4, k);
}

#endif
#endif
