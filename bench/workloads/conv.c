#include "bench/workloads/geometry.h"
#include "bench/workloads/product.h"
#include "harness/base/text.h"
#include "kernels/native.h"
#include "kernels/native_conv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* The convolution of a neural network's layer (a cross-correlation, as all libraries have it): NCHW images, filters of
 * R x S in each of C channels, K of them, zeros around the image. Out has N K P Q elements, P and Q the rows and
 * columns of places where a filter fits. */

static const int64_t most_taps = (int64_t)1 << 24; /* of a filter */

static const struct dim dims[] = {
    [CONV_N] = { "n", 1, (int64_t)1 << 24, -1, NULL, "images" },
    [CONV_C] = { "c", 1, (int64_t)1 << 24, -1, NULL, "channels of an image" },
    [CONV_H] = { "h", 1, (int64_t)1 << 24, -1, NULL, "rows of an image" },
    [CONV_W] = { "w", 1, (int64_t)1 << 24, -1, NULL, "columns of an image" },
    [CONV_K] = { "k", 1, (int64_t)1 << 24, -1, NULL, "filters, the channels of the result" },
    [CONV_R] = { "r", 1, (int64_t)1 << 12, -1, NULL, "rows of a filter" },
    [CONV_S] = { "s", 1, (int64_t)1 << 12, -1, NULL, "columns of a filter" },
    [CONV_STRIDE] = { "stride", 1, (int64_t)1 << 12, 1, NULL, "distance between filter positions" },
    [CONV_PAD] = { "pad", 0, (int64_t)1 << 12, 0, NULL, "zeros around an image, on each side" },
    { 0 },
};

static struct conv_plan plan_of(const struct problem *problem)
{
    return conv_plan_make(problem->dim);
}

static int64_t taps(const struct problem *problem)
{
    return plan_of(problem).taps;
}

/* Arrays of no more than 2^40 elements, zeros around the image included: their sizes in bytes fit 64 bits. */
static bool conv_accepts(const struct problem *problem, struct error *err)
{
    const int64_t *dim = problem->dim, height = dim[CONV_H] + 2 * dim[CONV_PAD],
                  width = dim[CONV_W] + 2 * dim[CONV_PAD];
    const int64_t products = dim[CONV_C] * dim[CONV_R] * dim[CONV_S]; /* of a plan more may not fit 64 bits */
    if (height < dim[CONV_R] || width < dim[CONV_S])
        return fail(err, STATUS_USAGE,
                    "a filter of %" PRId64 " x %" PRId64 " does not fit an image of %" PRId64 " x %" PRId64
                    " with %" PRId64 " zeros around it",
                    dim[CONV_R], dim[CONV_S], dim[CONV_H], dim[CONV_W], dim[CONV_PAD]);
    const double n = (double)dim[CONV_N], k = (double)dim[CONV_K];
    const double places = (double)((height - dim[CONV_R]) / dim[CONV_STRIDE] + 1) *
                          (double)((width - dim[CONV_S]) / dim[CONV_STRIDE] + 1);
    const struct {
        const char *name;
        double elements;
    } arrays[] = {
        { "in, with zeros around it,", n * (double)dim[CONV_C] * (double)height * (double)width },
        { "filters", k * (double)products },
        { "out", n * k * places },
    };
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (arrays[i].elements > 0x1p40)
            return fail(err, STATUS_USAGE, "%s would have %.3g elements, %.3g are possible", arrays[i].name,
                        arrays[i].elements, 0x1p40);
    if (products > most_taps)
        return fail(err, STATUS_USAGE, "c * r * s = %" PRId64 ": sums of more than 2^24 products", products);
    return product_accepts(problem->dtype, products, err);
}

static unsigned conv_operands(const struct problem *problem, struct operand out[OPERANDS_MAX])
{
    const int64_t *dim = problem->dim;
    const struct conv_plan plan = plan_of(problem);
    out[0] =
        (struct operand){ "in", ROLE_INPUT, problem->dtype, dim[CONV_N] * dim[CONV_C] * dim[CONV_H] * dim[CONV_W] };
    out[1] = (struct operand){ "filters", ROLE_INPUT, problem->dtype, dim[CONV_K] * plan.taps };
    out[2] = (struct operand){ "out", ROLE_OUTPUT, dtype_result(problem->dtype),
                               dim[CONV_N] * dim[CONV_K] * plan.p * plan.q };
    return 3;
}

/* 2 N K P Q C R S whatever the algorithm, products with the zeros around the image included. */
static double conv_flops(const struct problem *problem)
{
    struct operand operand[OPERANDS_MAX];
    conv_operands(problem, operand);
    return 2.0 * (double)operand[2].count * (double)taps(problem);
}

static void conv_expect(const struct problem *problem, struct sums sums, const void *const operand[], int64_t index,
                        double *value, double *bound)
{
    const int64_t *dim = problem->dim;
    const struct conv_plan plan = plan_of(problem);
    const int64_t q = index % plan.q, p = index / plan.q % plan.p, filter = index / plan.q / plan.p;
    const int64_t k = filter % dim[CONV_K], image = filter / dim[CONV_K];
    double sum = 0, size = 0;
    for (int64_t c = 0; c < dim[CONV_C]; c++)
        for (int64_t r = 0; r < dim[CONV_R]; r++)
            for (int64_t s = 0; s < dim[CONV_S]; s++) {
                int64_t y = p * dim[CONV_STRIDE] - dim[CONV_PAD] + r, x = q * dim[CONV_STRIDE] - dim[CONV_PAD] + s;
                if (y < 0 || y >= dim[CONV_H] || x < 0 || x >= dim[CONV_W])
                    continue;
                double term =
                    element_at(operand[0], problem->dtype,
                               ((image * dim[CONV_C] + c) * dim[CONV_H] + y) * dim[CONV_W] + x) *
                    element_at(operand[1], problem->dtype, ((k * dim[CONV_C] + c) * dim[CONV_R] + r) * dim[CONV_S] + s);
                sum += term;
                size += fabs(term);
            }
    *value = sum;
    *bound = product_bound(problem->dtype, sums, plan.taps, sum, size);
}

static void conv_axes(const struct problem *problem, int64_t *outer, int64_t *length, int64_t *inner)
{
    *outer = problem->dim[CONV_N];
    *length = problem->dim[CONV_K];
    *inner = plan_of(problem).p * plan_of(problem).q;
}

/* The weighted sum of all filters, which is one filter. */
static void conv_fold(const struct problem *problem, const void *const operand[], const uint64_t weight[],
                      int64_t begin, int64_t end, uint64_t out[])
{
    for (int64_t i = begin; i < end; i++)
        out[i - begin] = 0;
    for (int64_t k = 0; k < problem->dim[CONV_K]; k++)
        product_add(operand[1], problem->dtype, k * taps(problem) + begin, 1, end - begin, weight[k], out);
}

/* What one tap of that filter adds to places [begin, end) of one row of places, as far as they do not lie beside the
 * row of the image that starts at element `row`. */
static void tap_add(const struct problem *problem, const void *in, int64_t row, int64_t s, uint64_t weight,
                    int64_t begin, int64_t end, uint64_t out[])
{
    const int64_t stride = problem->dim[CONV_STRIDE], shift = s - problem->dim[CONV_PAD];
    const int64_t first = shift < 0 ? (-shift + stride - 1) / stride : 0;
    const int64_t room = problem->dim[CONV_W] - shift, last = room > 0 ? (room + stride - 1) / stride : 0;
    const int64_t from = begin > first ? begin : first, to = end < last ? end : last;
    if (from < to)
        product_add(in, problem->dtype, row + from * stride + shift, stride, to - from, weight, out + (from - begin));
}

/* What that one filter gives at places [begin, end) of row p of one image. */
static void row_add(const struct problem *problem, const void *in, const uint64_t folded[], int64_t image, int64_t p,
                    int64_t begin, int64_t end, uint64_t out[])
{
    const int64_t *dim = problem->dim;
    for (int64_t c = 0; c < dim[CONV_C]; c++)
        for (int64_t r = 0; r < dim[CONV_R]; r++) {
            const int64_t y = p * dim[CONV_STRIDE] - dim[CONV_PAD] + r;
            if (y < 0 || y >= dim[CONV_H])
                continue;
            const int64_t row = ((image * dim[CONV_C] + c) * dim[CONV_H] + y) * dim[CONV_W];
            for (int64_t s = 0; s < dim[CONV_S]; s++)
                tap_add(problem, in, row, s, folded[(c * dim[CONV_R] + r) * dim[CONV_S] + s], begin, end, out);
        }
}

/* Row by row of the places asked for. */
static void conv_truth(const struct problem *problem, const void *const operand[], const uint64_t folded[],
                       int64_t begin, int64_t end, uint64_t out[])
{
    const int64_t p = plan_of(problem).p, q = plan_of(problem).q;
    for (int64_t i = begin; i < end; i++)
        out[i - begin] = 0;
    for (int64_t i = begin, next; i < end; i = next) {
        const int64_t row = i / q, start = row * q;
        next = start + q < end ? start + q : end;
        row_add(problem, operand[0], folded, row / p, row % p, i - start, next - start, out + (i - begin));
    }
}

static const struct projection projection = {
    .axes = conv_axes,
    .fold = conv_fold,
    .truth = conv_truth,
};

/* --- plain C --- */

static int64_t conv_channels(const struct problem *problem)
{
    return problem->dim[CONV_N] * terms_of(problem->dtype, problem->dim[CONV_C]);
}

static struct conv_plan native_plan(const struct problem *problem)
{
    return conv_plan_of_terms(problem->dim, dtype_is_whole(problem->dtype) ? NATIVE_DOT : 1);
}

static int64_t native_taps(const struct problem *problem)
{
    return native_plan(problem).taps;
}

static int64_t conv_blocks(const struct problem *problem)
{
    return problem->dim[CONV_N] * blocks_of(problem->dim[CONV_K], CONV_BLOCK_FILTERS) *
           blocks_of(plan_of(problem).places, CONV_BLOCK_PLACES);
}

/* The last tile of the last plane reads beyond it what it throws away. */
static void conv_native_scratch(const struct problem *problem, int64_t bytes[SCRATCH_MAX])
{
    const struct conv_plan plan = native_plan(problem);
    const int64_t element = (int64_t)dtype_bytes(dtype_sums(problem->dtype));
    bytes[0] = (problem->dim[CONV_N] * plan.image + NATIVE_COLUMNS) * element;
    bytes[1] = blocks_of(problem->dim[CONV_K], NATIVE_ROWS) * NATIVE_ROWS * plan.taps * element;
    bytes[2] = plan.taps * (int64_t)sizeof(int64_t);
}

/* Bytes of the patches of all images, side by side, a column for each place: the matrix that CLBlast makes. */
static double conv_patches_bytes(const struct problem *problem)
{
    const struct conv_plan plan = plan_of(problem);
    return (double)plan.taps * (double)(problem->dim[CONV_N] * plan.p * plan.q) * (double)dtype_bytes(problem->dtype);
}

NATIVE_DECLARE_PRODUCT(conv_pad)
NATIVE_DECLARE_PRODUCT(conv_pack)
NATIVE_DECLARE_PRODUCT(conv_tiles)

static const struct native native = {
    .detail = "padded copy, packed filters",
    .passes = 3,
    .pass = { { NATIVE_PRODUCT_VERSIONS(conv_pad), .grain = 1, .extent = conv_channels },
              { NATIVE_PRODUCT_VERSIONS(conv_pack), .grain = 16, .extent = native_taps },
              { NATIVE_PRODUCT_VERSIONS(conv_tiles), .grain = 1, .extent = conv_blocks } },
    .scratch = conv_native_scratch,
};

/* --- the kernel text --- */

/* Taps that a group of the packing pass takes: PACK_TAPS of the kernel. */
enum { PACK_TAPS = 64 };

/* Lanes of 4 bytes of a vector. */
static unsigned lanes_of_cores(unsigned own, const struct device *device)
{
    const unsigned lanes = vector_lanes(own, device);
    return lanes > 0 ? lanes : 8;
}

/* Registers for such vectors. */
static int64_t registers_of_cores(unsigned lanes)
{
#if defined __x86_64__
    return lanes == 16 ? 32 : 16;
#else
    return 32;
#endif
}

/* What the kernel's form for cores is compiled with; its head explains the words. */
struct cores {
    int64_t width, channels, tile_lines, tile_columns, lines, span, blocks, together, depth;
};

/* Bytes that stay in a core's first cache while tiles pass over them (the filters of one step), and in its second (the
 * patch, and as much again and more of sums). Half of what was common in 2015, and no worse on twice as much. */
static const int64_t near = 24 << 10, far = 128 << 10;

/* Places of a group: enough that filters brought near are used often. These are what rows of 7, 14, 28, 56 and 112
 * divide. Where filters are short they are near anyway, and results should leave in small portions between
 * computations. */
enum { PLACES_LONG = 448, PLACES_SHORT = 128 };

/* A tile in a row of q places, or of several whole rows. A place that is computed for nothing is lost, a large tile
 * needs fewer loads, and rows that tiles divide can be written as one run. */
static void cores_tile(struct cores *cores, int64_t q, int64_t lines, int64_t most)
{
    double best = 0;
    for (int64_t t = smaller(most, q); t > 0; t--) {
        const int64_t rows = t == q ? smaller(most / t, lines) : 1;
        const double places = (double)(t * rows), used = (double)q / (double)(blocks_of(q, t) * t);
        const double score = used * places / (places + 1) * (q % t == 0 ? 1.05 : 1);
        if (score > best) {
            best = score;
            cores->tile_columns = t;
            cores->tile_lines = rows;
        }
    }
}

/* Elements of one line of the patch. */
static int64_t pitch(const struct problem *problem, int64_t span)
{
    return (span - 1) * problem->dim[CONV_STRIDE] + problem->dim[CONV_S];
}

/* Makes groups smaller until every core has several. With half the rows, filters that were brought near are used half
 * as often; with half the filters, patches are: at first the one, then the other costs little. */
static void cores_spread(struct cores *cores, int64_t lines, int64_t spans, int64_t blocks, int64_t units)
{
    const int64_t wanted = 8 * larger(units, 1), tile = cores->tile_lines;
    cores->blocks = blocks;
    while (blocks_of(lines, cores->lines) * spans * blocks_of(blocks, cores->blocks) < wanted) {
        const bool has_rows = cores->lines > tile, has_many = 2 * cores->lines * cores->span >= PLACES_LONG;
        if (has_rows && (has_many || cores->blocks <= 2))
            cores->lines = blocks_of(cores->lines / 2, tile) * tile;
        else if (cores->blocks > 1)
            cores->blocks = blocks_of(cores->blocks, 2);
        else
            break;
    }
    cores->together = smaller(cores->together, cores->blocks);
}

/* Kernel shapes for cores: vectors of a block of filters, places of a group, and lanes of a vector, 0: those of a core.
 * The first is used untuned. */
static const struct form {
    unsigned vectors;
    int places;
    unsigned lanes;
} forms[] = { { 2, PLACES_LONG / 2, 0 },
              { 1, PLACES_LONG, 0 },
              { 2, PLACES_LONG / 2, 8 },
              { 2, PLACES_LONG / 2, 16 },
              { 2, PLACES_LONG / 2, 4 } };
enum { FORMS = sizeof forms / sizeof *forms };

static bool form_suits(unsigned row, const struct problem *problem, const struct device *device)
{
    return forms[row].lanes == 0 || forms[row].lanes > lanes_of_cores(0, device);
}

static struct cores cores_choose(const struct problem *problem, const struct conv_plan *plan, const struct form *form,
                                 const struct device *device)
{
    const unsigned lanes = lanes_of_cores(form->lanes, device);
    const int64_t bytes = (int64_t)real_bytes(problem->dtype), *dim = problem->dim;
    const int64_t rows = plan->taps / dim[CONV_S], lines = dim[CONV_N] * plan->p;
    struct cores cores = { .width = lanes * 4 / bytes };
    const int64_t columns = smaller(form->vectors, blocks_of(dim[CONV_K], cores.width));
    cores.channels = columns * cores.width;

    /* One register for a pixel, the others for filters and sums; no more of those than a line of code has use for. */
    cores_tile(&cores, plan->q, lines, smaller((registers_of_cores(lanes) - columns - 1) / columns, 16));
    while (cores.tile_lines * pitch(problem, cores.tile_columns) * bytes > far && cores.tile_lines > 1)
        cores.tile_lines--;
    while (pitch(problem, cores.tile_columns) * bytes > far && cores.tile_columns > 1)
        cores.tile_columns--;

    int64_t tiles = blocks_of(plan->q, cores.tile_columns); /* of a row, then of a span */
    tiles = blocks_of(tiles, blocks_of(tiles * cores.tile_columns, PLACES_SHORT + cores.tile_columns));
    while (tiles > 1 && pitch(problem, tiles * cores.tile_columns) * cores.tile_lines * bytes > far)
        tiles = blocks_of(tiles, 2);
    cores.span = tiles * cores.tile_columns;

    int64_t depth = larger(near / (dim[CONV_S] * cores.channels * bytes), 1);
    const bool is_short = rows <= depth;
    const int64_t places = is_short ? PLACES_SHORT : form->places, line = pitch(problem, cores.span) * bytes;
    cores.lines = larger(smaller(places / cores.span, far / line) / cores.tile_lines, 1) * cores.tile_lines;
    cores.lines = smaller(cores.lines, blocks_of(lines, cores.tile_lines) * cores.tile_lines);
    cores.together = is_short ? 1 : larger(2 * far / (cores.lines * cores.span * cores.channels * bytes), 1);
    cores_spread(&cores, lines, blocks_of(plan->q, cores.span), blocks_of(dim[CONV_K], cores.channels), device->units);

    depth = larger(smaller(depth, far / (cores.lines * line)), 1);
    cores.depth = blocks_of(rows, blocks_of(rows, depth)); /* all steps alike */
    return cores;
}

/* Channels that the text has in one term. */
static int channels_together(const struct problem *problem, bool of_lanes)
{
    return !dtype_is_whole(problem->dtype) ? 1 : of_lanes ? NATIVE_DOT : 2;
}

static void define_common(const struct problem *problem, int per, struct launch *out)
{
    const int64_t *dim = problem->dim;
    snprintf(out->defines, sizeof out->defines, "-DR=%d -DS=%d -DSTRIDE=%d -DPAD=%d -DH=%d -DW=%d ", (int)dim[CONV_R],
             (int)dim[CONV_S], (int)dim[CONV_STRIDE], (int)dim[CONV_PAD], (int)dim[CONV_H], (int)dim[CONV_W]);
    if (per > 1)
        text_append(out->defines, sizeof out->defines, "-DPER=%d ", per);
}

static void launch_cores(const struct problem *problem, const struct conv_plan *plan, const struct form *form,
                         const struct device *device, struct launch *out)
{
    const struct cores cores = cores_choose(problem, plan, form, device);
    const int64_t blocks = blocks_of(problem->dim[CONV_K], cores.channels);
    const int64_t groups = blocks_of(problem->dim[CONV_N] * plan->p, cores.lines) * blocks_of(plan->q, cores.span) *
                           blocks_of(blocks, cores.blocks);
    *out = (struct launch){ .passes = 2,
                            .scratch = { blocks * cores.channels * plan->taps * (int64_t)real_bytes(problem->dtype) } };
    out->pass[0] = pass_of("pack", blocks * blocks_of(plan->taps, PACK_TAPS), 1, false);
    out->pass[1] = pass_of("conv", groups, 1, true);
    launch_name_vectors(form->vectors, form->lanes, out);
    text_append(out->kernel_shape, sizeof out->kernel_shape, ", %d pixels", form->places);
    define_common(problem, channels_together(problem, false), out);
    text_append(out->defines, sizeof out->defines,
                "-DWIDTH=%d -DCHANNELS=%d -DTILE_LINES=%d -DTILE_COLUMNS=%d -DLINES=%d -DSPAN=%d -DBLOCKS=%d "
                "-DTOGETHER=%d -DDEPTH=%d",
                (int)cores.width, (int)cores.channels, (int)cores.tile_lines, (int)cores.tile_columns, (int)cores.lines,
                (int)cores.span, (int)cores.blocks, (int)cores.together, (int)cores.depth);
}

/* The first three are used untuned. */
enum { LARGE, NARROW, SMALL };
static const struct tiling tilings[] = {
    [LARGE] = { 256, 128, 128, 8, 8, 8, .simd = 0 },
    [NARROW] = { 128, 128, 64, 8, 8, 8, .simd = 0 },
    [SMALL] = { 128, 64, 64, 8, 8, 4, .simd = 0 },
    { 64, 64, 64, 8, 8, 8, .simd = 0 },
    { 32, 32, 64, 8, 8, 8, .simd = 0 },
    { 64, 32, 32, 16, 4, 4, .simd = 0 },
    { 128, 128, 128, 8, 16, 8, .simd = 0 },
    { 64, 64, 64, 8, 8, 8, .simd = 8 },
    { 64, 64, 64, 8, 8, 8, .simd = 16 },
    { 64, 32, 32, 16, 4, 4, .simd = 16 },
    { 128, 128, 64, 8, 8, 8, .is_direct = true },
    { 128, 128, 32, 8, 4, 8, .is_direct = true },
    { 64, 64, 32, 8, 4, 8, .is_direct = true, .simd = 8 },
    { 128, 64, 32, 8, 4, 4, .is_direct = true, .simd = 16 },
};
enum { TILINGS = sizeof tilings / sizeof *tilings };

/* Taps that a step takes: of whole channels, or of a part of a filter's row where a channel has many. A work-item holds
 * those that it brings in registers. */
enum { TAPS_MOST = 16 };
static int64_t lanes_depth(const struct tiling *tiling, const struct problem *problem)
{
    const int64_t row = problem->dim[CONV_S], channel = problem->dim[CONV_R] * row;
    int64_t depth = row;
    if (channel <= TAPS_MOST)
        return larger((tiling->block_k + channel / 2) / channel, 1) * channel;
    while (depth > TAPS_MOST || row % depth != 0)
        depth--;
    return depth;
}

/* Two steps of pixels and of filters: of pixels, as many as all work-items bring. */
static size_t lanes_shared(const struct tiling *tiling, const struct problem *problem)
{
    const int64_t depth = lanes_depth(tiling, problem), together = tiling->items / tiling->block_m;
    if (tiling->is_direct)
        return 0;
    return 2 * real_bytes(problem->dtype) *
           (size_t)(blocks_of(depth, together) * together * tiling->block_m + depth * tiling->block_n);
}

static size_t lanes_sum_bytes(const struct tiling *tiling, const struct problem *problem)
{
    return tiling->mr * tiling->nr * real_bytes(problem->dtype);
}

/* NVIDIA's GPUs have registers for larger tiles than the small ones, whose loops multiply less than 80 % of the time.
 */
static bool lanes_suit(unsigned row, const struct problem *problem, const struct device *device)
{
    const struct tiling *tiling = &tilings[row];
    const bool is_nvidia = begins_with(device->architecture, "nvidia ");
    return tiling_fits(tiling, problem->dtype, device) &&
           (!is_nvidia || lanes_sum_bytes(tiling, problem) >= SUM_BYTES_MOST) &&
           lanes_shared(tiling, problem) <= 48 << 10;
}

/* Small tiles where a sum fills two registers, and on the CPU that has lanes, Mesa's llvmpipe. */
static unsigned lanes_untuned(const struct problem *problem, const struct device *device)
{
    if (problem->dtype == DTYPE_F64 || device->class == CLASS_CPU)
        return SMALL;
    return problem->dim[CONV_K] > 64 ? LARGE : NARROW;
}

static void launch_lanes(const struct problem *problem, const struct conv_plan *plan, const struct tiling *tiling,
                         struct launch *out)
{
    const int64_t *dim = problem->dim, depth = lanes_depth(tiling, problem);
    const unsigned items = tiling->items;
    const size_t bytes = real_bytes(problem->dtype);
    const int64_t blocks = blocks_of(dim[CONV_K], tiling->block_n);
    const int64_t groups = blocks_of(dim[CONV_N] * plan->p * plan->q, tiling->block_m) * blocks;
    const int64_t taps = blocks_of(plan->taps, depth) * depth;
    *out = (struct launch){ .scratch = { blocks * tiling->block_n * taps * (int64_t)bytes },
                            .loop_iterations = loop_iterations_of(taps, depth) };
    if (dtype_is_whole(problem->dtype)) {
        const int64_t terms = dim[CONV_N] * terms_of(problem->dtype, dim[CONV_C]) * dim[CONV_H] * dim[CONV_W];
        out->scratch[1] = terms * (int64_t)bytes;
        out->pass[out->passes++] = pass_of("join", blocks_of(terms, items), items, false);
    }
    out->pass[out->passes++] = pass_of("pack", blocks * blocks_of(taps, PACK_TAPS), items, false);
    struct pass *tiles = &out->pass[out->passes++];
    *tiles = pass_of("conv", groups, items, true);
    tiles->shared = lanes_shared(tiling, problem);
    define_common(problem, channels_together(problem, true), out);
    text_append(out->defines, sizeof out->defines,
                "-DLANES=1 -DPLACES=%u -DCHANNELS=%u -DOWN_PLACES=%u -DOWN_FILTERS=%u -DDEPTH=%d", tiling->block_m,
                tiling->block_n, tiling->mr, tiling->nr, (int)depth);
    /* Of an NVIDIA GPU's registers a work-item gets more than usual where sums take half of those, or more. */
    const size_t sums = lanes_sum_bytes(tiling, problem);
    if (sums >= SUM_BYTES_MOST)
        text_append(out->defines, sizeof out->defines, " -DREGISTERS=%d", sums > SUM_BYTES_MOST ? 255 : 168);
    launch_name_tiles(tiling, out);
}

static unsigned conv_kernel_shapes(const struct problem *problem, const struct device *device)
{
    return has_lanes(device) ? kernel_shape_rows(TILINGS, lanes_suit, problem, device)
                             : kernel_shape_rows(FORMS, form_suits, problem, device);
}

static void conv_launch(const struct problem *problem, const struct device *device, unsigned kernel_shape,
                        struct launch *out)
{
    const int per = channels_together(problem, has_lanes(device));
    const struct conv_plan plan = conv_plan_of_terms(problem->dim, per);
    if (has_lanes(device)) {
        const unsigned row =
            kernel_shape_row(kernel_shape, lanes_untuned(problem, device), lanes_suit, problem, device);
        launch_lanes(problem, &plan, &tilings[row], out);
    } else {
        const unsigned row = kernel_shape_row(kernel_shape, 0, form_suits, problem, device);
        launch_cores(problem, &plan, &forms[row], device, out);
    }
}

extern const char conv_text[];

static const struct portable conv_portable = {
    .source = conv_text, .kernel_shapes = conv_kernel_shapes, .launch = conv_launch, .knows_narrow = true
};

/* --- libraries: how much memory they take, and how exact they are --- */

/* oneDNN's own copies: channels in blocks of 16, filters in blocks of 64. */
static double conv_onednn_workspace(const struct problem *problem)
{
    const int64_t *dim = problem->dim;
    const struct conv_plan plan = plan_of(problem);
    const double in = (double)(blocks_of(dim[CONV_C], 16) * 16), k = (double)dim[CONV_K];
    const double images =
        (double)dim[CONV_N] * (in * (double)(dim[CONV_H] * dim[CONV_W]) + (k + 15) * (double)(plan.p * plan.q));
    return (double)dtype_bytes(problem->dtype) * (images + (k + 63) * in * (double)(dim[CONV_R] * dim[CONV_S]));
}

/* Tiles of 4 x 4 become 6 x 6 numbers, filters of 3 x 3 likewise: images twice and a quarter more, filters four times.
 * Borders round that up. */
static double conv_winograd_workspace(const struct problem *problem)
{
    return 4 * conv_onednn_workspace(problem);
}

/* cuDNN brings operands into other layouts, copies patches and sums in several parts as it sees fit, in a workspace
 * that it is given: no more than this, whatever it asks for. */
static double conv_cudnn_workspace(const struct problem *problem)
{
    return problem_bytes_held(problem) + fmax(0x1p28, fmin(conv_patches_bytes(problem), 0x1p30));
}

static double conv_cudnn_nhwc_workspace(const struct problem *problem)
{
    return problem_bytes_held(problem) + conv_cudnn_workspace(problem);
}

/* Copies as large as oneDNN's Winograd makes them, of all operands. */
static double conv_cudnn_winograd_workspace(const struct problem *problem)
{
    return 4 * problem_bytes_held(problem) + 0x1p28;
}

static const struct method methods[] = {
    { METHOD_PORTABLE, .portable = &conv_portable },
    { "onednn", "oneDNN's convolution primitive, direct", on_cpu, .workspace = conv_onednn_workspace },
    { "onednn-winograd", "oneDNN's convolution primitive, Winograd's algorithm", on_cpu, .is_fast = true,
      .workspace = conv_winograd_workspace },
    { METHOD_NATIVE, .native = &native },
    { "clblast", "CLBlast's convgemm", on_opencl, .is_for_gpus = true, .sums_in_own_type = true,
      .workspace = conv_patches_bytes },
    { "cudnn", "cuDNN's convolution, the fastest of the engines that its heuristics name", METHOD_NVIDIA,
      .workspace = conv_cudnn_workspace },
    { "cudnn-nhwc", "the same, with operands in NHWC", METHOD_NVIDIA, .workspace = conv_cudnn_nhwc_workspace },
    { "cudnn-winograd", "cuDNN's convolution, Winograd's algorithm", METHOD_NVIDIA, .is_fast = true,
      .workspace = conv_cudnn_winograd_workspace },
    { 0 },
};

static const struct suite_size suite_sizes[] = {
    { SUITE_STANDARD, "n=32,c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1" },
    { SUITE_FULL, "n=128,c=3,h=256,w=256,k=256,r=5,s=5,stride=2,pad=2" }, /* SAME pads 1 and 2; the size is the same */
    { SUITE_UHD620, "n=128,c=3,h=256,w=256,k=256,r=5,s=5,stride=2,pad=2" },
    { 0 },
};

static const struct range range = { "n={},c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1", 1, 64, 1, "images" };

const struct workload workload_conv = {
    .name = "conv",
    .summary = "Convolution of NCHW images with KCRS filters: 2 N K P Q C R S operations by definition.",
    .aliases = "convolution | stride",
    .dims = dims,
    .suite_sizes = suite_sizes,
    .quick_shape = "n=8,c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1",
    .range = &range,
    .small = "n=2,c=5,h=19,w=23,k=17,r=3,s=3,stride=1,pad=1",
    .dtypes =
        1u << DTYPE_F32 | 1u << DTYPE_F64 | 1u << DTYPE_F16 | 1u << DTYPE_BF16 | 1u << DTYPE_TF32 | 1u << DTYPE_I8,
    .methods = methods,
    .accepts = conv_accepts,
    .operands = conv_operands,
    .steps = product_steps,
    .flops = conv_flops,
    .bytes = problem_bytes_held,
    .expect = conv_expect,
    .sum_length = taps,
    .exact = product_integers,
    .projection = &projection,
};
