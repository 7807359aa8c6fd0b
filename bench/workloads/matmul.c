#include "bench/workloads/gemv.h"
#include "bench/workloads/geometry.h"
#include "bench/workloads/product.h"
#include "harness/base/text.h"
#include "kernels/native.h"

#include <math.h>

/* C = A B, row-major: A has m rows of k elements, B has k rows of n. Arithmetic limits large ones, not memory. */

enum { M = MATMUL_M, N = MATMUL_N, K = MATMUL_K };

/* Bytes of the largest matrix fit 64 bits, and its sides an int, in which libraries may count. */
static const struct dim dims[] = {
    [M] = { "m", 1, (int64_t)1 << 28, -1, NULL, "rows of A and C" },
    [N] = { "n", 1, (int64_t)1 << 28, -1, NULL, "columns of B and C" },
    [K] = { "k", 1, (int64_t)1 << 24, -1, NULL, "columns of A, rows of B" },
    { 0 },
};

static bool matmul_accepts(const struct problem *problem, struct error *err)
{
    return product_accepts(problem->dtype, problem->dim[K], err);
}

static unsigned matmul_operands(const struct problem *problem, struct operand out[OPERANDS_MAX])
{
    const int64_t m = problem->dim[M], n = problem->dim[N], k = problem->dim[K];
    out[0] = (struct operand){ "A", ROLE_INPUT, problem->dtype, m * k };
    out[1] = (struct operand){ "B", ROLE_INPUT, problem->dtype, k * n };
    out[2] = (struct operand){ "C", ROLE_OUTPUT, dtype_result(problem->dtype), m * n };
    return 3;
}

static double matmul_flops(const struct problem *problem)
{
    return 2 * dims_product(problem, M, N) * (double)problem->dim[K];
}

static int64_t matmul_terms(const struct problem *problem)
{
    return problem->dim[K];
}

static void matmul_expect(const struct problem *problem, struct sums sums, const void *const operand[], int64_t index,
                          double *value, double *bound)
{
    const int64_t n = problem->dim[N], k = problem->dim[K], row = index / n, column = index % n;
    double sum = 0, size = 0;
    for (int64_t i = 0; i < k; i++) {
        double term = element_at(operand[0], problem->dtype, row * k + i) *
                      element_at(operand[1], problem->dtype, i * n + column);
        sum += term;
        size += fabs(term);
    }
    *value = sum;
    *bound = product_bound(problem->dtype, sums, k, sum, size);
}

static void matmul_axes(const struct problem *problem, int64_t *outer, int64_t *length, int64_t *inner)
{
    *outer = problem->dim[M];
    *length = problem->dim[N];
    *inner = 1;
}

/* B x */
static void matmul_fold(const struct problem *problem, const void *const operand[], const uint64_t weight[],
                        int64_t begin, int64_t end, uint64_t out[])
{
    const int64_t n = problem->dim[N];
    for (int64_t i = begin; i < end; i++)
        out[i - begin] = product_dot(operand[1], problem->dtype, i * n, n, weight);
}

/* A (B x) */
static void matmul_truth(const struct problem *problem, const void *const operand[], const uint64_t folded[],
                         int64_t begin, int64_t end, uint64_t out[])
{
    const int64_t k = problem->dim[K];
    for (int64_t i = begin; i < end; i++)
        out[i - begin] = product_dot(operand[0], problem->dtype, i * k, k, folded);
}

static const struct projection projection = {
    .axes = matmul_axes,
    .fold = matmul_fold,
    .truth = matmul_truth,
};

/* Packed panels hold numbers of the type of the sums. */
static void matmul_native_scratch(const struct problem *problem, int64_t bytes[SCRATCH_MAX])
{
    const int64_t column = terms_of(problem->dtype, problem->dim[K]) * (int64_t)real_bytes(problem->dtype);
    bytes[0] = blocks_of(problem->dim[M], NATIVE_ROWS) * NATIVE_ROWS * column;
    bytes[1] = blocks_of(problem->dim[N], NATIVE_COLUMNS) * NATIVE_COLUMNS * column;
}

NATIVE_DECLARE_PRODUCT(matmul_pack_a)
NATIVE_DECLARE_PRODUCT(matmul_pack_b)
NATIVE_DECLARE_PRODUCT(matmul_tiles)

static const struct native native = {
    .detail = "packed panels",
    .passes = 3,
    .pass = { { NATIVE_PRODUCT_VERSIONS(matmul_pack_a), .grain = 1, .over = { { M, NATIVE_ROWS } } },
              { NATIVE_PRODUCT_VERSIONS(matmul_pack_b), .grain = 1, .over = { { N, NATIVE_COLUMNS } } },
              { NATIVE_PRODUCT_VERSIONS(matmul_tiles), .grain = 1,
                .over = { { M, MATMUL_HEIGHT }, { N, MATMUL_WIDTH } } } },
    .scratch = matmul_native_scratch,
};

static double matmul_clblast_workspace(const struct problem *problem)
{
    return clblast_copies(problem->dim[M], problem->dim[N], problem->dim[K]) * (double)dtype_bytes(problem->dtype);
}

/* For cores. The rows of A that a block needs fit a second-level cache, and the columns of B that a tile needs nearly
 * fit the first. The first is used untuned. */
static const struct packing packings[] = {
    { 3, 256, 384, .lanes = 0 }, { 4, 256, 256, .lanes = 0 },  { 2, 512, 256, .lanes = 0 },
    { 3, 256, 384, .lanes = 8 }, { 3, 256, 384, .lanes = 16 }, { 3, 256, 384, .lanes = 4 },
};
enum { PACKINGS = sizeof packings / sizeof *packings };

static bool packing_suits(unsigned row, const struct problem *problem, const struct device *device)
{
    return packings[row].lanes == 0 || packings[row].lanes > vector_lanes(0, device);
}

static int64_t cuts(const struct problem *problem, unsigned height, unsigned width)
{
    return blocks_of(problem->dim[M], height) * blocks_of(problem->dim[N], width);
}

static void launch_packed(const struct problem *problem, const struct device *device, const struct packing *packing,
                          struct launch *out)
{
    const bool has_pairs = dtype_is_whole(problem->dtype);
    const int64_t terms = has_pairs ? blocks_of(problem->dim[K], 2) : problem->dim[K];
    const int64_t step = terms * (int64_t)real_bytes(problem->dtype);
    const unsigned panel = packing->vectors * VECTOR_MOST;
    unsigned height, width;
    launch_add_blocks(problem->dim[M], problem->dim[N], packing, problem->dtype, device, &height, &width, out);
    const int64_t strips = blocks_of(problem->dim[M], STRIP_ROWS), panels = blocks_of(problem->dim[N], panel);
    out->scratch[0] = strips * STRIP_ROWS * step;
    out->scratch[1] = panels * panel * step;
    out->passes = 2;
    out->pass[0] = pass_of("pack", strips + blocks_of(terms, STRIP_ROWS), 1, false);
    out->pass[1] = pass_of("matmul", cuts(problem, height, width), 1, true);
    if (has_pairs)
        text_append(out->defines, sizeof out->defines, " -DPER=2");
}

enum { LARGE, SMALL, OF_DOUBLES };
static const struct tiling tilings[] = {
    [LARGE] = { 256, 128, 128, 8, 8, 8, .simd = 0 },
    [SMALL] = { 256, 64, 64, 16, 4, 4, .simd = 0 },
    [OF_DOUBLES] = { 128, 64, 64, 8, 8, 4, .simd = 0 },
    { 128, 128, 64, 8, 8, 8, .simd = 0 },
    { 256, 128, 64, 16, 8, 4, .simd = 0 },
    { 64, 64, 64, 8, 8, 8, .simd = 0 },
    { 64, 32, 32, 8, 4, 4, .simd = 0 },
    { 256, 64, 64, 16, 4, 4, .split = 8 },
    { 256, 64, 64, 16, 4, 4, .split = 32 },
    { 128, 128, 128, 8, 16, 8, .simd = 0 },
    { 64, 128, 64, 8, 16, 8, .simd = 0 },
    { 64, 64, 64, 8, 8, 8, .simd = 8 },
    { 64, 64, 64, 8, 8, 8, .simd = 16 },
    { 128, 64, 64, 8, 8, 4, .simd = 16 },
    { 64, 32, 32, 8, 4, 4, .simd = 16 },
    { 64, 64, 64, 4, 8, 8, .is_direct = true },
    { 64, 64, 64, 4, 8, 8, .is_direct = true, .simd = 8 },
    { 64, 32, 64, 4, 8, 4, .is_direct = true, .simd = 16 },
    { 64, 16, 64, 4, 4, 4, .is_direct = true, .simd = 32 },
};
enum { TILINGS = sizeof tilings / sizeof *tilings, HELD_FEW = 8 };

/* Whether the blocks of C leave units without work, so that splitting k may help: 8 ways where there are fewer of them
 * than units, 32 ways where there are fewer than a quarter. Below 8 blocks, as in the check of guard bands, always. */
static bool split_suits(const struct tiling *tiling, const struct problem *problem, const struct device *device)
{
    const int64_t blocks = cuts(problem, tiling->block_m, tiling->block_n);
    return tiling->split == 0 || blocks < 8 || blocks * tiling->split < 8 * units_of(device);
}

/* Doubles take twice the registers and twice the shared memory, of which a kernel of CUDA's declares 48 KiB at most. */
static bool tiling_suits(unsigned row, const struct problem *problem, const struct device *device)
{
    const struct tiling *tiling = &tilings[row];
    return tiling_fits(tiling, problem->dtype, device) && tiling_shared(tiling, problem->dtype) <= 48 << 10 &&
           split_suits(tiling, problem, device);
}

/* Large blocks read less for each operation, but not so large that half of the device waits for the last of them. */
static unsigned tiling_untuned(const struct problem *problem, const struct device *device)
{
    if (problem->dtype == DTYPE_F64)
        return OF_DOUBLES;
    return 2 * cuts(problem, tilings[LARGE].block_m, tilings[LARGE].block_n) < 3 * units_of(device) ? SMALL : LARGE;
}

/* Items of a group of the passes that have one for each element: that makes terms, or that adds the parts of sums. */
enum { SUM_ITEMS = 64 };

static struct pass pass_over(int64_t elements, const char *entry)
{
    return pass_of(entry, blocks_of(elements, SUM_ITEMS), SUM_ITEMS, false);
}

static void launch_tiles(const struct problem *problem, const struct tiling *tiling, struct launch *out)
{
    const int64_t parts = tiling->split > 0 ? tiling->split : 1;
    const int64_t elements = problem->dim[M] * problem->dim[N], terms = terms_of(problem->dtype, problem->dim[K]);
    const int64_t depth = blocks_of(blocks_of(terms, tiling->block_k), parts) * tiling->block_k;
    const size_t bytes = real_bytes(problem->dtype);
    int64_t *scratch = out->scratch;
    out->loop_iterations = loop_iterations_of(depth, tiling->block_k);
    if (dtype_is_whole(problem->dtype)) {
        *scratch++ = problem->dim[M] * terms * (int64_t)bytes;
        *scratch++ = problem->dim[N] * terms * (int64_t)bytes;
        out->pass[out->passes++] = pass_over((problem->dim[M] + problem->dim[N]) * terms, "join");
    }
    struct pass *tiles = &out->pass[out->passes++];
    *tiles = pass_of("matmul", cuts(problem, tiling->block_m, tiling->block_n) * parts, tiling->items, true);
    tiles->shared = tiling_shared(tiling, problem->dtype);
    if (tiling->split == 0)
        return;
    *scratch = parts * elements * (int64_t)bytes;
    out->pass[out->passes++] = pass_over(elements, "sum_parts");
}

static void launch_lanes(const struct problem *problem, const struct tiling *tiling, struct launch *out)
{
    const bool has_quads = problem->dim[N] % 4 == 0 && terms_of(problem->dtype, problem->dim[K]) % 4 == 0;
    /* As many steps along k are unrolled as leave all sums in 128 registers, with what is held for the next step. */
    const size_t sums = tiling->mr * tiling->nr;
    const bool is_full = sums * real_bytes(DTYPE_F32) == SUM_BYTES_MOST;
    const unsigned held = tiling->block_k * (tiling->block_m + tiling->block_n) / tiling->items;
    const unsigned unrolled =
        is_full && (has_quads || is_narrow(problem->dtype) || held > HELD_FEW) ? 2 : tiling->block_k;
    launch_tiles(problem, tiling, out);
    launch_add_tiles(tiling, unrolled, has_quads, out);
    text_append(out->defines, sizeof out->defines, " -DSUM_ITEMS=%d%s%s", SUM_ITEMS,
                dtype_is_whole(problem->dtype) ? " -DPER=4" : "",
                sums * real_bytes(problem->dtype) > SUM_BYTES_MOST ? " -DREGISTERS=255" : "");
}

static unsigned matmul_kernel_shapes(const struct problem *problem, const struct device *device)
{
    return has_lanes(device) ? kernel_shape_rows(TILINGS, tiling_suits, problem, device)
                             : kernel_shape_rows(PACKINGS, packing_suits, problem, device);
}

static void matmul_launch(const struct problem *problem, const struct device *device, unsigned kernel_shape,
                          struct launch *out)
{
    *out = (struct launch){ 0 };
    if (has_lanes(device)) {
        const unsigned untuned = tiling_untuned(problem, device);
        const unsigned row = kernel_shape_row(kernel_shape, untuned, tiling_suits, problem, device);
        launch_lanes(problem, &tilings[row], out);
    } else {
        const unsigned row = kernel_shape_row(kernel_shape, 0, packing_suits, problem, device);
        launch_packed(problem, device, &packings[row], out);
    }
}

extern const char matmul_text[];

static const struct portable portable = {
    .source = matmul_text, .kernel_shapes = matmul_kernel_shapes, .launch = matmul_launch, .knows_narrow = true
};

/* B in blocks of at most 16 x 64, but not a thin one, which blocks would fill up with zeros, to 64 times its size at
 * worst. oneDNN keeps it as it is where this is 0. */
enum { ONEDNN_THIN = 64 };
static double matmul_onednn_workspace(const struct problem *problem)
{
    if (problem->dim[K] < ONEDNN_THIN || problem->dim[N] < ONEDNN_THIN)
        return 0;
    return (double)(blocks_of(problem->dim[K], 16) * 16) * (double)(blocks_of(problem->dim[N], 64) * 64) *
           (double)dtype_bytes(problem->dtype);
}

/* What cublas.c of bench/backends/cuda allocates at most, and cublaslt.c always; and B transposed. */
static double matmul_cublas_workspace(const struct problem *problem)
{
    return 0x1p25 + (dtype_is_whole(problem->dtype) ? dims_product(problem, N, K) : 0);
}

static const struct method methods[] = {
    { METHOD_PORTABLE, .portable = &portable },
    { "portable-gemv", "kernel text for few columns or few rows, compiled by the device's driver", with_compiler,
      .is_for = is_like_gemv, .portable = &gemv_portable },
    { "onednn", "oneDNN's matmul primitive", on_cpu, .workspace = matmul_onednn_workspace },
    { .name = "onednn-gemm", .summary = "oneDNN's sgemm", .backends = on_cpu },
    { .name = "openblas", .summary = "OpenBLAS's gemm", .backends = on_cpu },
    { "openblas-gemv", "OpenBLAS's gemv", on_cpu, .is_for = is_gemv },
    { METHOD_NATIVE, .native = &native },
    { "native-gemv", "C for few columns or few rows", on_cpu, .is_for = is_like_gemv, .native = &gemv_native },
    { "clblast", "CLBlast's gemm", on_opencl, .is_for_gpus = true, .sums_in_own_type = true,
      .workspace = matmul_clblast_workspace },
    { "cublas", "cuBLAS's gemm", METHOD_NVIDIA, .workspace = matmul_cublas_workspace },
    { "cublaslt", "cuBLASLt's matmul, by the fastest algorithm that its heuristics name", METHOD_NVIDIA,
      .workspace = matmul_cublas_workspace },
    { 0 },
};

/* Few columns or rows are a kind of their own: some methods are for such products only. So is i8 in fours, which cuBLAS
 * asks for. */
static void matmul_set_kind(struct problem *small, const struct problem *other)
{
    const bool is_in_fours = other->dim[N] % 4 == 0 && other->dim[K] % 4 == 0;
    for (unsigned i = N; i <= K && is_in_fours && dtype_is_whole(other->dtype); i++)
        small->dim[i] -= small->dim[i] % 4;
    for (unsigned i = M; i <= N; i++)
        if (other->dim[i] <= GEMV_MOST)
            small->dim[i] = other->dim[i];
}

static const struct suite_size suite_sizes[] = {
    { SUITE_QUICK, "m=1024,n=1024,k=1024" },
    { SUITE_STANDARD, "m=2048,n=2048,k=2048" },
    { SUITE_STANDARD, "m=4096,n=4096,k=4096" },
    { 0 },
};

static const struct range range = { "m={},n={},k={}", 16, 2048, 16, NULL };

const struct workload workload_matmul = {
    .name = "matmul",
    .summary = "C = A B, row-major matrices: 2 m n k operations, limited by arithmetic.",
    .aliases = "matrix multiplication",
    .dims = dims,
    .is_square = true,
    .suite_sizes = suite_sizes,
    .range = &range,
    .small = "m=67,n=131,k=53",
    .set_kind = matmul_set_kind,
    .dtypes =
        1u << DTYPE_F32 | 1u << DTYPE_F64 | 1u << DTYPE_F16 | 1u << DTYPE_BF16 | 1u << DTYPE_TF32 | 1u << DTYPE_I8,
    .methods = methods,
    .accepts = matmul_accepts,
    .operands = matmul_operands,
    .steps = product_steps,
    .flops = matmul_flops,
    .bytes = problem_bytes_held,
    .expect = matmul_expect,
    .sum_length = matmul_terms,
    .exact = product_integers,
    .projection = &projection,
};
