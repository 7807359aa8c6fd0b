#ifndef BENCH_WORKLOADS_GEOMETRY_H
#define BENCH_WORKLOADS_GEOMETRY_H

/* What workloads share in describing their methods: the backends they are for, and the geometry of kernel launches. */

#include "bench/workloads/workload.h"
#include "harness/base/text.h"
#include "kernels/native.h"

#include <string.h>

static const char *const on_cpu[] = { "cpu", "fake", NULL };
static const char *const on_opencl[] = { "opencl", NULL };
static const char *const on_cuda[] = { "cuda", NULL };
static const char *const with_compiler[] = { "opencl", "cuda", NULL }; /* they compile kernel texts */

/* The beginnings of rows in a table of methods: our own plain C, our own kernel text, and NVIDIA's libraries, which
 * multiply small types in matrix units. */
#define METHOD_NATIVE .name = "native", .summary = "C, compiled for each instruction set", .backends = on_cpu
#define METHOD_PORTABLE                                                                                                \
    .name = "portable", .summary = "kernel text, compiled by the device's driver", .backends = with_compiler
#define METHOD_NVIDIA .backends = on_cuda, .is_vendors = true

/* Whether work-items run side by side in lanes, as on a GPU and in Mesa's software driver, which imitates one.
 * Elsewhere a work-item is a loop on a core, which needs vectors of its own and no barriers. */
static inline bool has_lanes(const struct device *device)
{
    return device->class != CLASS_CPU || strcmp(device->platform, "rusticl") == 0;
}

static inline bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Whether a kernel can say that `simd` lanes run together: on Intel's GPUs, by cl_intel_required_subgroup_size. 8 are
 * only in those with registers of 32 bytes: gen8 to gen11, xe-lp, xe-lpg, and xe-hpg. */
static inline bool chooses_lanes(const struct device *device, unsigned simd)
{
    const char *name = device->architecture;
    const bool has_8 =
        begins_with(name, "intel gen") || begins_with(name, "intel xe-lp") || begins_with(name, "intel xe-hpg");
    return device->class != CLASS_CPU && begins_with(name, "intel ") && (simd > 8 || has_8);
}

/* Whether caches serve work-items about as well as shared memory does. */
static inline bool reads_directly(const struct device *device)
{
    const char *name = device->architecture;
    return device->class != CLASS_CPU && (begins_with(name, "amd ") || begins_with(name, "intel "));
}

/* Whether a work-item may have 256 registers. On NVIDIA's GPUs -DREGISTERS=255 asks for them (portable.h). */
static inline bool has_256_registers(const struct device *device)
{
    return reads_directly(device) || (device->class != CLASS_CPU && begins_with(device->architecture, "nvidia "));
}

static inline double dims_product(const struct problem *problem, unsigned a, unsigned b)
{
    return (double)problem->dim[a] * (double)problem->dim[b];
}

/* A pass of so many groups of `items` work-items. */
static inline struct pass pass_of(const char *entry, int64_t groups, unsigned items, bool is_divisible)
{
    return (
        struct pass){ .entry = entry, .items = (size_t)groups * items, .group = items, .is_divisible = is_divisible };
}

/* Whether a row of a table of tiles is a kernel shape for the problem on the device. */
typedef bool row_suits(unsigned row, const struct problem *problem, const struct device *device);

/* How many rows of a table of tiles suit the problem and the device. */
static inline unsigned kernel_shape_rows(unsigned rows, row_suits *suits, const struct problem *problem,
                                         const struct device *device)
{
    unsigned count = 0;
    for (unsigned row = 0; row < rows; row++)
        count += suits(row, problem, device);
    return count;
}

/* The row of a table of tiles that is kernel shape `number`: of those that suit the problem and the device in
 * their order, with the one to use untuned before all. */
static inline unsigned kernel_shape_row(unsigned number, unsigned untuned, row_suits *suits,
                                        const struct problem *problem, const struct device *device)
{
    unsigned row = 0;
    if (number == 0)
        return untuned;
    while (row == untuned || !suits(row, problem, device) || --number > 0)
        row++;
    return row;
}

/* Iterations of the loops in which a work-item adds up `terms`, brought into shared memory `portion` at a time: one for
 * each term, and up to four more for each portion, since compilers make loops of the code around them. Measured with
 * Mesa 22.3: two for conv, three for matmul. */
static inline double loop_iterations_of(int64_t terms, int64_t portion)
{
    return (double)terms + 4 * ((double)terms / (double)portion + 1);
}

/* Pieces that one group of a CPU takes, from `most` down to `least`: long walks through memory, but 16 groups for each
 * unit, so that all units are busy to the end. */
static inline unsigned walk_steps(int64_t pieces, unsigned least, unsigned most, const struct device *device)
{
    const int64_t groups_wanted = 16 * (int64_t)(device->units ? device->units : 1);
    unsigned steps = most;
    while (steps > least && pieces / steps < groups_wanted)
        steps /= 2;
    return steps;
}

/* Bytes of what kernel texts call a REAL: the type of their arithmetic, their sums and their scratch. */
static inline size_t real_bytes(enum dtype dtype)
{
    return dtype_bytes(dtype_sums(dtype));
}

/* Tiles of a product for a device with lanes: work-items and block of a group, tile of a work-item. A group is a whole
 * number of waves, of 64 lanes on AMD's hardware. Of conv.cl m are places, n filters, and k, about, taps of a step.
 *   Split: for a small C, groups that share a block, each with a part of k.
 *   More than 64 sums, or none of A and B in shared memory (direct): where a work-item has 256 registers.
 *   SIMD: the lanes that run together, on Intel's hardware, whose compiler would else choose. They share registers: 8
 *   leave a work-item 128 of those of generations 8 to 12 and 16 leave 64; on later hardware 16 leave 128. */
struct tiling {
    unsigned items, block_m, block_n, block_k, mr, nr;
    unsigned split; /* 0: none */
    bool is_direct;
    unsigned simd; /* 0: the compiler's choice */
};

/* Two steps of A and B; the pitch of columns of A is 4 elements more than their length. */
static inline size_t tiling_shared(const struct tiling *tiling, enum dtype dtype)
{
    if (tiling->is_direct)
        return 0;
    return (size_t)2 * tiling->block_k * (tiling->block_m + 4 + tiling->block_n) * real_bytes(dtype);
}

/* Names the kernel shape, and says what a tiling is beside its sizes: without shared memory, and how many lanes run
 * together. */
static inline void launch_name_tiles(const struct tiling *tiling, struct launch *out)
{
    text_append(out->kernel_shape, sizeof out->kernel_shape, "%ux%ux%u %ux%u", tiling->block_m, tiling->block_n,
                tiling->block_k, tiling->mr, tiling->nr);
    if (tiling->split > 0) {
        text_append(out->kernel_shape, sizeof out->kernel_shape, " split %u", tiling->split);
        text_append(out->defines, sizeof out->defines, " -DSPLIT=%u", tiling->split);
    }
    if (tiling->is_direct) {
        text_append(out->kernel_shape, sizeof out->kernel_shape, " direct");
        text_append(out->defines, sizeof out->defines, " -DDIRECT=1");
    }
    if (tiling->simd > 0) {
        text_append(out->kernel_shape, sizeof out->kernel_shape, " S%u", tiling->simd);
        text_append(out->defines, sizeof out->defines, " -DSIMD=%u", tiling->simd);
    }
}

/* The same, and defines the tiles of matmul.cl; `unrolled`: steps along k in a row. */
static inline void launch_add_tiles(const struct tiling *tiling, unsigned unrolled, bool has_quads, struct launch *out)
{
    text_append(out->defines, sizeof out->defines,
                "-DITEMS=%u -DBLOCK_M=%u -DBLOCK_N=%u -DBLOCK_K=%u -DMR=%u -DNR=%u -DUNROLLED=%u -DBAND=8%s",
                tiling->items, tiling->block_m, tiling->block_n, tiling->block_k, tiling->mr, tiling->nr, unrolled,
                has_quads ? " -DQUADS=1" : "");
    launch_name_tiles(tiling, out);
}

/* Whether a tile's sums leave registers for what they are made of, 64 of 128, and 128 of 256, and whether the device
 * can be told of its lanes and serves them without shared memory where it has none. */
enum { SUM_BYTES_MOST = 256 };
static inline bool tiling_fits(const struct tiling *tiling, enum dtype dtype, const struct device *device)
{
    const size_t most = has_256_registers(device) ? 2 * SUM_BYTES_MOST : SUM_BYTES_MOST;
    return (!tiling->is_direct || reads_directly(device)) &&
           (tiling->simd == 0 || chooses_lanes(device, tiling->simd)) &&
           tiling->mr * tiling->nr * real_bytes(dtype) <= most;
}

/* Terms of a sum of so many products: of i8 a word of them is one. */
static inline int64_t terms_of(enum dtype dtype, int64_t products)
{
    return dtype == DTYPE_I8 ? (products + NATIVE_DOT - 1) / NATIVE_DOT : products;
}

/* Whether operands are narrower than that. */
static inline bool is_narrow(enum dtype dtype)
{
    return dtype_bytes(dtype) < real_bytes(dtype);
}

static inline int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* How many blocks of `block` elements cover `count`. */
static inline int64_t blocks_of(int64_t count, int64_t block)
{
    return (count + block - 1) / block;
}

/* Units to keep busy, where the driver says nothing as well. */
static inline int64_t units_of(const struct device *device)
{
    return device->units > 0 ? device->units : 16;
}

/* Elements that CLBlast copies for a product of m x n elements of k terms each: matrices that are not made of whole
 * tiles (up to 128 x 128), and those that it needs transposed. */
static inline double clblast_copies(int64_t m, int64_t n, int64_t k)
{
    const double high = 128 * (double)blocks_of(m, 128), wide = 128 * (double)blocks_of(n, 128),
                 deep = 128 * (double)blocks_of(k, 128);
    return high * deep + deep * wide + high * wide;
}

/* Vectors of a kernel shape for cores, in lanes of 4 bytes: its own, or what the driver says that a core has. Not every
 * driver says so to the text. 0: what the compiler tells. */
static inline unsigned vector_lanes(unsigned own, const struct device *device)
{
    const bool is_known = device->lanes == 4 || device->lanes == 8 || device->lanes == 16;
    return own > 0 ? own : is_known ? device->lanes : 0;
}

static inline void launch_name_vectors(unsigned vectors, unsigned lanes, struct launch *out)
{
    if (lanes > 0)
        text_append(out->kernel_shape, sizeof out->kernel_shape, "%ux%u lanes", vectors, lanes);
    else
        text_append(out->kernel_shape, sizeof out->kernel_shape, "%u vectors", vectors);
}

/* The packed form of matmul.cl, for cores: vectors of a row of a tile; terms that are summed up before the next tile;
 * columns of a block at most; lanes of a vector, 0: those of a core. */
struct packing {
    unsigned vectors, block_k, width, lanes;
};

/* Rows of one of its strips, and elements of a vector at most. They are multiples of every tile in the text, which
 * chooses one by the instruction set that it is compiled for; that is not known here. */
enum { STRIP_ROWS = 24, VECTOR_MOST = 16 };

/* Names the kernel shape and defines its blocks, of a result of rows x columns: enough of them to keep all cores busy
 * to the end. */
static inline void launch_add_blocks(int64_t rows, int64_t columns, const struct packing *packing, enum dtype dtype,
                                     const struct device *device, unsigned *height, unsigned *width, struct launch *out)
{
    const unsigned lanes = vector_lanes(packing->lanes, device) * 4 / (unsigned)real_bytes(dtype);
    const unsigned panel = packing->vectors * VECTOR_MOST;
    unsigned high = 4 * STRIP_ROWS, wide = packing->width;
    while (blocks_of(rows, high) * blocks_of(columns, wide) < 8 * units_of(device) &&
           (high > STRIP_ROWS || wide > panel)) {
        if (wide > panel && (wide >= 2 * high || high == STRIP_ROWS))
            wide /= 2;
        else
            high /= 2;
    }
    *height = high;
    *width = wide;
    launch_name_vectors(packing->vectors, packing->lanes, out);
    text_append(out->kernel_shape, sizeof out->kernel_shape, ", k %u", packing->block_k);
    text_append(out->defines, sizeof out->defines,
                "-DPACKED=1 -DWIDTH=%u -DVECTORS=%u -DSTRIP=%d -DBLOCK_M=%u -DBLOCK_N=%u -DBLOCK_K=%u -DBAND=8", lanes,
                packing->vectors, STRIP_ROWS, high, wide, packing->block_k);
}

#endif
