#include "bench/workloads/product.h"
#include "kernels/native.h"

#include <math.h>

/* C = A B, row-major: A has m rows of k, B has k rows of n. Of large ones arithmetic decides, not memory. */

enum { M, N, K };

static const struct dim dims[] = {
    [M] = { "m", 1, (int64_t)1 << 31, -1, NULL },
    [N] = { "n", 1, (int64_t)1 << 31, -1, NULL },
    [K] = { "k", 1, (int64_t)1 << 24, -1, NULL },
    { 0 },
};

static double product(const struct problem *problem, unsigned a, unsigned b)
{
    return (double)problem->dim[a] * (double)problem->dim[b];
}

/* Libraries count in 64 bits at best, and bytes must fit as well. */
static bool matmul_check(const struct problem *problem, struct error *err)
{
    const double most = (double)((int64_t)1 << 40);
    if (product(problem, M, K) > most || product(problem, K, N) > most || product(problem, M, N) > most)
        return fail(err, STATUS_USAGE, "m=%lld,n=%lld,k=%lld: a matrix of more than 2^40 elements",
                    (long long)problem->dim[M], (long long)problem->dim[N], (long long)problem->dim[K]);
    return true;
}

static unsigned matmul_operands(const struct problem *problem, struct operand out[OPERANDS_MAX])
{
    const int64_t m = problem->dim[M], n = problem->dim[N], k = problem->dim[K];
    out[0] = (struct operand){ "A", ROLE_INPUT, problem->dtype, m * k };
    out[1] = (struct operand){ "B", ROLE_INPUT, problem->dtype, k * n };
    out[2] = (struct operand){ "C", ROLE_OUTPUT, problem->dtype, m * n };
    return 3;
}

static unsigned matmul_steps(const struct problem *problem, struct step out[STEPS_MAX])
{
    (void)problem;
    out[0] = (struct step){ STEP_UPLOAD, 0 };
    out[1] = (struct step){ STEP_UPLOAD, 1 };
    out[2] = (struct step){ STEP_COMPUTE, 0 };
    out[3] = (struct step){ STEP_DOWNLOAD, 2 };
    return 4;
}

static double matmul_flops(const struct problem *problem)
{
    return 2 * product(problem, M, N) * (double)problem->dim[K];
}

static double matmul_bytes(const struct problem *problem)
{
    return (product(problem, M, K) + product(problem, K, N) + product(problem, M, N)) *
           (double)dtype_bytes(problem->dtype);
}

static double matmul_expect_cost(const struct problem *problem)
{
    return (double)problem->dim[K];
}

static void matmul_expect(const struct problem *problem, const void *const operand[], int64_t index, double *value,
                          double *bound)
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
    *bound = product_bound(problem->dtype, k, size);
}

/* k products of two such integers sum up to less than 2^24, or 2^53, in whatever order. */
static int64_t matmul_exact_range(const struct problem *problem)
{
    return product_exact_range(problem->dtype, problem->dim[K]);
}

static void matmul_axes(const struct problem *problem, int64_t *outer, int64_t *length, int64_t *inner)
{
    *outer = problem->dim[M];
    *length = problem->dim[N];
    *inner = 1;
}

static int64_t matmul_folds(const struct problem *problem)
{
    return problem->dim[K];
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
    .folds = matmul_folds,
    .fold = matmul_fold,
    .truth = matmul_truth,
};

static int64_t blocks(int64_t length, int64_t block)
{
    return (length + block - 1) / block;
}

static int64_t matmul_blocks_a(const struct problem *problem)
{
    return blocks(problem->dim[M], NATIVE_ROWS);
}

static int64_t matmul_blocks_b(const struct problem *problem)
{
    return blocks(problem->dim[N], NATIVE_COLUMNS);
}

static int64_t matmul_blocks_c(const struct problem *problem)
{
    return blocks(problem->dim[M], MATMUL_HEIGHT) * blocks(problem->dim[N], MATMUL_WIDTH);
}

static void matmul_native_scratch(const struct problem *problem, int64_t elements[SCRATCH_MAX])
{
    elements[0] = matmul_blocks_a(problem) * NATIVE_ROWS * problem->dim[K];
    elements[1] = matmul_blocks_b(problem) * NATIVE_COLUMNS * problem->dim[K];
}

static double matmul_native_workspace(const struct problem *problem)
{
    int64_t elements[SCRATCH_MAX] = { 0 };
    matmul_native_scratch(problem, elements);
    return (double)(elements[0] + elements[1]) * (double)dtype_bytes(problem->dtype);
}

static const struct native native = {
    .detail = "packed panels",
    .passes = 3,
    .pass = { { NATIVE_VERSIONS(matmul_pack_a), .grain = 1, .extent = matmul_blocks_a },
              { NATIVE_VERSIONS(matmul_pack_b), .grain = 1, .extent = matmul_blocks_b },
              { NATIVE_VERSIONS(matmul_tiles), .grain = 1, .extent = matmul_blocks_c } },
    .scratch = matmul_native_scratch,
};

/* CLBlast copies matrices that are not made of whole tiles, of up to 128 either way, and those it wants transposed. */
static double matmul_clblast_workspace(const struct problem *problem)
{
    const double m = 128 * (double)blocks(problem->dim[M], 128), n = 128 * (double)blocks(problem->dim[N], 128);
    const double k = 128 * (double)blocks(problem->dim[K], 128);
    return (m * k + k * n + m * n) * (double)dtype_bytes(problem->dtype);
}

static const char *const on_cpu[] = { "cpu", "fake", NULL };
static const char *const on_opencl[] = { "opencl", NULL };

static const struct variant variants[] = {
    { .name = "onednn", .summary = "oneDNN's matmul primitive", .backends = on_cpu },
    { .name = "openblas", .summary = "OpenBLAS's gemm", .backends = on_cpu },
    { .name = "native",
      .summary = "C, compiled for each instruction set",
      .backends = on_cpu,
      .native = &native,
      .workspace = matmul_native_workspace },
    { .name = "clblast", .summary = "CLBlast's gemm", .backends = on_opencl, .workspace = matmul_clblast_workspace },
    { 0 },
};

static const struct fixture fixtures[] = {
    { SUITE_QUICK, "m=1024,n=1024,k=1024" },
    { SUITE_STANDARD, "m=2048,n=2048,k=2048" },
    { SUITE_STANDARD, "m=4096,n=4096,k=4096" },
    { 0 },
};

const struct workload workload_matmul = {
    .name = "matmul",
    .summary = "C = A B, row-major matrices",
    .dims = dims,
    .fixtures = fixtures,
    .small = "m=67,n=131,k=53",
    .dtypes = 1u << DTYPE_F32 | 1u << DTYPE_F64,
    .variants = variants,
    .check = matmul_check,
    .operands = matmul_operands,
    .steps = matmul_steps,
    .flops = matmul_flops,
    .bytes = matmul_bytes,
    .expect = matmul_expect,
    .expect_cost = matmul_expect_cost,
    .exact_range = matmul_exact_range,
    .projection = &projection,
};
