#include "bench/workloads/conv_geometry.h"

#include "bench/workloads/geometry.h"
#include "kernels/native_conv.h"
#include "kernels/texts.h"

#include <stdio.h>

/* Filters of a block at most, and taps that a group of the packing pass takes: PACK_TAPS of the kernel. */
enum { CHANNELS_MOST = 128, PACK_TAPS = 64 };

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Registers for vectors. A CPU seen through OpenCL is the one that this runs on. */
struct vectors {
    int64_t bytes, count;
};

static struct vectors vectors_of_host(void)
{
#if defined __x86_64__ || defined __i386__
    if (__builtin_cpu_supports("avx512f"))
        return (struct vectors){ 64, 32 };
    return (struct vectors){ 32, 16 };
#else
    return (struct vectors){ 16, 32 };
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

static struct cores cores_choose(const struct problem *problem, const struct conv_plan *plan, int64_t units)
{
    const struct vectors vectors = vectors_of_host();
    const int64_t bytes = (int64_t)real_bytes(problem->dtype), *dim = problem->dim;
    const int64_t rows = dim[CONV_C] * dim[CONV_R], lines = dim[CONV_N] * plan->p;
    struct cores cores = { .width = vectors.bytes / bytes };
    const int64_t columns = dim[CONV_K] > cores.width ? 2 : 1; /* vectors of a block of filters */
    cores.channels = columns * cores.width;

    /* One register for a pixel, the others for filters and sums; no more of those than a line of code has use for. */
    cores_tile(&cores, plan->q, lines, smaller((vectors.count - columns - 1) / columns, 16));
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
    const int64_t places = is_short ? PLACES_SHORT : PLACES_LONG, line = pitch(problem, cores.span) * bytes;
    cores.lines = larger(smaller(places / cores.span, far / line) / cores.tile_lines, 1) * cores.tile_lines;
    cores.lines = smaller(cores.lines, blocks_of(lines, cores.tile_lines) * cores.tile_lines);
    cores.together = is_short ? 1 : larger(2 * far / (cores.lines * cores.span * cores.channels * bytes), 1);
    cores_spread(&cores, lines, blocks_of(plan->q, cores.span), blocks_of(dim[CONV_K], cores.channels), units);

    depth = larger(smaller(depth, far / (cores.lines * line)), 1);
    cores.depth = blocks_of(rows, blocks_of(rows, depth)); /* all steps alike */
    return cores;
}

static int write_common(const struct problem *problem, const struct conv_plan *plan, char *to, size_t room)
{
    const int64_t *dim = problem->dim;
    return snprintf(to, room, "-DR=%d -DS=%d -DSTRIDE=%d -DPAD=%d -DP=%d -DQ=%d ", (int)dim[CONV_R], (int)dim[CONV_S],
                    (int)dim[CONV_STRIDE], (int)dim[CONV_PAD], (int)plan->p, (int)plan->q);
}

static void launch_cores(const struct problem *problem, const struct conv_plan *plan, unsigned units,
                         struct launch *out)
{
    const struct cores cores = cores_choose(problem, plan, units);
    const int64_t blocks = blocks_of(problem->dim[CONV_K], cores.channels);
    const int64_t groups = blocks_of(problem->dim[CONV_N] * plan->p, cores.lines) * blocks_of(plan->q, cores.span) *
                           blocks_of(blocks, cores.blocks);
    *out = (struct launch){ .passes = 2,
                            .scratch = { blocks * cores.channels * plan->taps * (int64_t)real_bytes(problem->dtype) } };
    out->pass[0] = (struct pass){
        .entry = "pack", .dims = 1, .global = { (size_t)(blocks * blocks_of(plan->taps, PACK_TAPS)) }, .local = { 1 }
    };
    out->pass[1] =
        (struct pass){ .entry = "conv", .dims = 1, .global = { (size_t)groups }, .local = { 1 }, .is_divisible = true };
    const int used = write_common(problem, plan, out->defines, sizeof out->defines);
    snprintf(out->defines + used, sizeof out->defines - (size_t)used,
             "-DWIDTH=%d -DCHANNELS=%d -DTILE_LINES=%d -DTILE_COLUMNS=%d -DLINES=%d -DSPAN=%d -DBLOCKS=%d "
             "-DTOGETHER=%d -DDEPTH=%d",
             (int)cores.width, (int)cores.channels, (int)cores.tile_lines, (int)cores.tile_columns, (int)cores.lines,
             (int)cores.span, (int)cores.blocks, (int)cores.together, (int)cores.depth);
    snprintf(out->detail, sizeof out->detail, "tiles of %d pixels x %d filters, width %d, packed filters",
             (int)(cores.tile_lines * cores.tile_columns), (int)cores.channels, (int)cores.width);
}

/* Tiles for lanes. With 64 sums of 4 bytes a work-item stays within 128 registers on every NVIDIA GPU since sm_75. */
struct lanes {
    int places, channels, own, depth;
};

/* Small tiles in deep portions where a sum fills two registers, and on the CPU that has lanes, Mesa's llvmpipe, which
 * makes only so many turns of loops. */
static struct lanes lanes_choose(const struct problem *problem, const struct device *device)
{
    if (problem->dtype == DTYPE_F64 || device->class == CLASS_CPU)
        return (struct lanes){ 64, 64, 4, 16 };
    if (problem->dim[CONV_K] > 64)
        return (struct lanes){ 128, CHANNELS_MOST, 8, 8 };
    return (struct lanes){ 128, 64, 8, 8 };
}

static void launch_lanes(const struct problem *problem, const struct conv_plan *plan, const struct device *device,
                         struct launch *out)
{
    const int64_t *dim = problem->dim;
    const struct lanes lanes = lanes_choose(problem, device);
    const size_t items = (size_t)(lanes.places / lanes.own * (lanes.channels / lanes.own));
    const int64_t blocks = blocks_of(dim[CONV_K], lanes.channels);
    const int64_t groups = blocks_of(dim[CONV_N] * plan->p * plan->q, lanes.places) * blocks;
    const int64_t taps = blocks_of(plan->taps, lanes.depth) * lanes.depth;
    *out = (struct launch){ .passes = 2,
                            .scratch = { blocks * lanes.channels * taps * (int64_t)real_bytes(problem->dtype) },
                            .turns = turns_of(taps, lanes.depth) };
    out->pass[0] = (struct pass){ .entry = "pack",
                                  .dims = 1,
                                  .global = { (size_t)(blocks * blocks_of(taps, PACK_TAPS)) * items },
                                  .local = { items } };
    out->pass[1] = (struct pass){ .entry = "conv",
                                  .dims = 1,
                                  .global = { (size_t)groups * items },
                                  .local = { items },
                                  .shared = (size_t)(2 * lanes.depth * (lanes.places + lanes.channels)) *
                                            real_bytes(problem->dtype),
                                  .is_divisible = true };
    const int used = write_common(problem, plan, out->defines, sizeof out->defines);
    snprintf(out->defines + used, sizeof out->defines - (size_t)used,
             "-DLANES=1 -DPLACES=%d -DCHANNELS=%d -DOWN_PLACES=%d -DOWN_FILTERS=%d -DDEPTH=%d", lanes.places,
             lanes.channels, lanes.own, lanes.own, lanes.depth);
    snprintf(out->detail, sizeof out->detail, "groups of %d pixels x %d filters, %d x %d an item, packed filters",
             lanes.places, lanes.channels, lanes.own, lanes.own);
}

static void conv_launch(const struct problem *problem, const struct device *device, struct launch *out)
{
    const struct conv_plan plan = conv_plan_make(problem->dim);
    if (has_lanes(device))
        launch_lanes(problem, &plan, device, out);
    else
        launch_cores(problem, &plan, device->units, out);
}

double conv_portable_workspace(const struct problem *problem)
{
    const int64_t filters = blocks_of(problem->dim[CONV_K], CHANNELS_MOST) * CHANNELS_MOST;
    const int64_t taps = problem->dim[CONV_C] * problem->dim[CONV_R] * problem->dim[CONV_S];
    return (double)filters * (double)(taps + 16) * (double)real_bytes(problem->dtype);
}

const struct portable conv_portable = { .source = conv_text, .launch = conv_launch, .knows_narrow = true };
