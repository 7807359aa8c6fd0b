#include "bench/workloads/product.h"
#include "bench/workloads/workload.h"
#include "tests/support/shapes.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which shapes of matmul and conv are taken, and what follows from them. */

Test(shapes, have_whole_operands_that_are_exact_and_as_large_as_can_be)
{
    static const int64_t terms[] = { 1, 2, 3, 4, 5, 7, 75, 576, 1024, 4096, 8191, 65537, (1 << 24) - 1, 1 << 24 };
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        int64_t f32 = product_exact(DTYPE_F32, terms[i]).range, f64 = product_exact(DTYPE_F64, terms[i]).range;
        cr_expect(f32 >= 1 && terms[i] * f32 * f32 <= 1 << 24 && terms[i] * (f32 + 1) * (f32 + 1) > 1 << 24);
        cr_expect(f64 >= 1 && terms[i] * f64 * f64 <= (int64_t)1 << 53 &&
                  terms[i] * (f64 + 1) * (f64 + 1) > (int64_t)1 << 53);
    }
    cr_expect_eq(product_exact(DTYPE_F32, 1 << 24).range, 1);
    cr_expect_eq(product_exact(DTYPE_F32, 4096).range, 64);
}

static const struct {
    const char *workload, *shape, *part;
} refused[] = {
    { "matmul", "m=0,n=1,k=1", "m of matmul must be a whole number from 1" },
    { "matmul", "m=1,n=1", "k=... is missing" },
    { "matmul", "m=268435457,n=1,k=1", "must be a whole number from 1 to 268435456" },
    { "matmul", "m=1,n=1,k=16777217", "must be a whole number from 1 to 16777216" },
    { "matmul", "m=99999999999999999999,n=1,k=1", "not '99999999999999999999'" },
    { "conv", "n=1,c=1,h=4,w=4,k=1,r=5,s=1", "a filter of 5 x 1 does not fit an image of 4 x 4 with 0 zeros" },
    { "conv", "n=1,c=1,h=4,w=4,k=1,r=1,s=7,pad=1", "does not fit" },
    { "conv", "n=1,c=1,h=4,w=4,k=1,r=1,s=1,stride=0", "stride of conv must be a whole number from 1" },
    { "conv", "n=1,c=1,h=4,w=4,k=1,r=1,s=1,pad=-1", "pad of conv must be a whole number from 0 to 4096, not '-1'" },
    { "conv", "n=1,c=1,h=4,w=4,k=1,r=1,s=1,pad=1000000000000", "pad of conv must be a whole number from 0 to 4096" },
    { "conv", "n=0,c=1,h=4,w=4,k=1,r=1,s=1", "n of conv must be a whole number from 1" },
    { "train", "0", "batch of train must be a whole number from 1 to 16777216, not '0'" },
    { "multiply", "0",
      "n of multiply must be a whole number from 1 to 1099511627776, such as 40M, 64Mi or 80Mx2, not '0'" },
    { "conv", "n=16777216,c=16777216,h=16777216,w=16777216,k=1,r=1,s=1", "in, with zeros around it, would have" },
    { "conv", "n=1,c=16777216,h=1,w=1,k=1,r=4096,s=4096,pad=2048", "would have" },
    { "conv", "n=1,c=4,h=1,w=1,k=1,r=4096,s=4096,pad=2048", "c * r * s = 67108864: sums of more than 2^24 products" },
    { "conv", "n=1,c=1,h=4096,w=4096,k=16777216,r=1,s=1", "out would have" },
    { "conv", "n=16777216,c=65536,h=1,w=1,k=1,r=1,s=1,stride=4096,pad=4096", "in, with zeros around it, would have" },
    { "conv", "n=1048576,c=1,h=1,w=1,k=1,r=1,s=1,stride=1,pad=512", "in, with zeros around it, would have 1.1e+12" },
    { "conv", "n=1048576,c=1,h=64,w=64,k=1024,r=1,s=1", "out would have" },
    { "multiply", "n=1,n=2", "n is given twice" },
    { "multiply", "1,000", "n is given twice; write a number as 1000, without separators" },
    { "matmul", "m=1,n=1,k=1,", "nothing between two commas, or after the last" },
    { "multiply", "size=1", "multiply has no such dimension; it has n" },
    { "matmul", "1024x512", "or one number for a square matmul" },
    { "overlap", "n=100000,chunks=1,queues=2", "a queue without a chunk has nothing to do" },
    { "overlap", "n=100,chunks=2", "cannot be cut into chunks=2" },
};

Test(shapes, that_are_impossible_are_refused_with_a_sentence)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        for (unsigned dtype = 0; dtype < DTYPE_COUNT; dtype++) {
            struct problem problem;
            struct error err = { .status = STATUS_OK };
            cr_expect_not(
                problem_parse(&problem, workload_find(refused[i].workload), (enum dtype)dtype, refused[i].shape, &err),
                "%s", refused[i].shape);
            cr_expect_eq(err.status, STATUS_USAGE);
            cr_expect(strstr(err.message, refused[i].part), "%s: %s", refused[i].shape, err.message);
        }
    }
}

/* Only then does the time of one help to estimate that of the other. */
Test(shapes, are_alike_where_only_numbers_differ)
{
    static const struct {
        const char *workload, *one, *other;
        bool are_alike;
    } rows[] = {
        { "matmul", "m=2,n=3,k=4", "m=20,n=3,k=5", true },
        { "transfer", "bytes=64,direction=up", "bytes=128,direction=up", true },
        { "transfer", "bytes=64,direction=up", "bytes=64,direction=down", false },
        { "peak", "kind=read,bytes=64", "kind=read,bytes=640", true },
        { "peak", "kind=read,bytes=64", "kind=write,bytes=64", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = { .status = STATUS_OK };
        struct problem one, other;
        cr_assert(problem_parse(&one, workload_find(rows[i].workload), DTYPE_F32, rows[i].one, &err) &&
                      problem_parse(&other, workload_find(rows[i].workload), DTYPE_F32, rows[i].other, &err),
                  "%s", err.message);
        cr_expect_eq(problem_is_alike(&one, &other), rows[i].are_alike, "%s %s", rows[i].one, rows[i].other);
        cr_expect(problem_is_alike(&one, &one) && problem_is_same(&one, &one) && !problem_is_same(&one, &other));
        other = one;
        other.dtype = DTYPE_F64;
        cr_expect_not(problem_is_alike(&one, &other) || problem_is_same(&one, &other));
    }
}

Test(shapes, are_written_with_every_number_or_without_those_that_go_without_saying)
{
    static const struct {
        const char *workload, *shape, *whole, *brief;
    } rows[] = {
        { "multiply", "4Mi", "n=4194304", "n=4194304" },
        { "conv", "n=1,c=2,h=3,w=4,k=5,r=1,s=1", "n=1,c=2,h=3,w=4,k=5,r=1,s=1,stride=1,pad=0",
          "n=1,c=2,h=3,w=4,k=5,r=1,s=1" },
        { "conv", "n=1,c=2,h=3,w=4,k=5,r=1,s=1,stride=2", "n=1,c=2,h=3,w=4,k=5,r=1,s=1,stride=2,pad=0",
          "n=1,c=2,h=3,w=4,k=5,r=1,s=1,stride=2" },
        { "peak", "kind=copy,bytes=64,passes=2", "kind=copy,bytes=64,passes=2,turns=0", "kind=copy,bytes=64,passes=2" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = { .status = STATUS_OK };
        struct problem problem;
        char text[SHAPE_MAX];
        cr_assert(problem_parse(&problem, workload_find(rows[i].workload), DTYPE_F32, rows[i].shape, &err), "%s",
                  err.message);
        cr_expect_str_eq(problem_text(&problem, false, text), rows[i].whole, "%s", text);
        cr_expect_str_eq(problem_text(&problem, true, text), rows[i].brief, "%s", text);
    }
}

/* For a new workload: what the suites, Oclgrind (tests/bench/backends/test_kernels.sh) and the glossary need of it. */
Test(shapes, every_workload_has_shapes_that_the_suites_and_a_simulator_can_run)
{
    enum { SIMULATED_MOST = 1000 }; /* operations */
    for (const struct workload *const *workload = workloads; *workload; workload++) {
        const char *name = (*workload)->name;
        double least = INFINITY;
        for (const char *const *shape = tried_shapes(*workload); *shape; shape++) {
            struct problem problem;
            struct error err = { .status = STATUS_OK };
            cr_assert(problem_parse(&problem, *workload, DTYPE_F32, *shape, &err), "%s: %s", name, err.message);
            least = fmin(least, fmax((*workload)->flops(&problem), (*workload)->bytes(&problem) / 12));
        }
        cr_expect_leq(least, SIMULATED_MOST, "%s has no shape that Oclgrind can run in reasonable time", name);
        cr_expect(!(*workload)->methods || !(*workload)->methods->name || (*workload)->small,
                  "%s has no small problem for the check of guard bands", name);
        cr_expect((*workload)->suite_sizes && (*workload)->suite_sizes[0].shape, "%s is in no suite", name);
    }
}

/* Worked by hand. A convolution of 2 images of 3 channels, 6 x 5, with 4 filters of 3 x 2, stride 2 and a border of 1:
 * 3 x 3 places, so 2 * 4 * 3 * 3 = 72 results of 3 * 3 * 2 = 18 products; 180 + 72 + 72 elements. */
Test(shapes, have_the_operations_and_bytes_of_worked_examples)
{
    static const struct {
        const char *workload, *shape;
        enum dtype dtype;
        double flops, bytes;
    } worked[] = {
        { "multiply", "n=1000", DTYPE_F32, 1000, 12000 },
        { "multiply", "n=1000", DTYPE_F64, 1000, 24000 },
        { "multiply", "n=1000", DTYPE_F16, 1000, 6000 },
        { "matmul", "m=2,n=3,k=5", DTYPE_F32, 60, 4 * (10 + 15 + 6) },
        { "matmul", "m=7,n=1,k=4", DTYPE_F64, 56, 8 * (28 + 4 + 7) },
        { "matmul", "m=2,n=3,k=5", DTYPE_BF16, 60, 2 * (10 + 15 + 6) },
        { "conv", "n=2,c=3,h=6,w=5,k=4,r=3,s=2,stride=2,pad=1", DTYPE_F32, 72 * 18 * 2, 4 * (180 + 72 + 72) },
        { "conv", "n=1,c=1,h=4,w=4,k=1,r=1,s=1", DTYPE_F64, 32, 8 * (16 + 1 + 16) },
        { "train", "batch=3,in=5,hidden=7,out=2", DTYPE_F32, 2 * (3 * 5 * 7 * 2 + 3 * 7 * 2 * 3) + 3 * 6 + 2 * 49,
          4 * (15 + 6 + 2 * (35 + 14) + 1) },
    };
    for (size_t i = 0; i < sizeof worked / sizeof *worked; i++) {
        struct problem problem;
        struct error err = { .status = STATUS_OK };
        cr_assert(problem_parse(&problem, workload_find(worked[i].workload), worked[i].dtype, worked[i].shape, &err),
                  "%s: %s", worked[i].shape, err.message);
        const double flops = problem.workload->flops(&problem), bytes = problem.workload->bytes(&problem);
        cr_expect_eq(flops, worked[i].flops, "%s %s: %.0f FLOP", worked[i].workload, worked[i].shape, flops);
        cr_expect_eq(bytes, worked[i].bytes, "%s %s: %.0f bytes", worked[i].workload, worked[i].shape, bytes);
    }
}

/* Sizes at the edge of what is taken: whatever is computed from them fits. */
Test(shapes, that_are_the_largest_have_sizes_that_fit)
{
    static const struct {
        const char *workload, *shape;
    } largest[] = {
        { "matmul", "m=268435456,n=268435456,k=1" },
        { "matmul", "m=1048576,n=1048576,k=1048576" },
        { "matmul", "m=65536,n=65536,k=16777216" },
        { "train", "batch=1,in=16777216,hidden=16777216" },
        { "conv", "n=65536,c=1,h=4096,w=4096,k=1,r=4096,s=4096" },
        { "conv", "n=1,c=1,h=16777216,w=16777,k=1,r=1,s=1,stride=4096" },
        { "conv", "n=1,c=16777216,h=1,w=1,k=65536,r=1,s=1" },
    };
    for (size_t i = 0; i < sizeof largest / sizeof *largest; i++) {
        struct problem problem;
        struct error err = { .status = STATUS_OK };
        struct operand operand[OPERANDS_MAX];
        cr_assert(problem_parse(&problem, workload_find(largest[i].workload), DTYPE_F64, largest[i].shape, &err), "%s",
                  err.message);
        unsigned operands = problem.workload->operands(&problem, operand);
        for (unsigned k = 0; k < operands; k++)
            cr_expect(operand[k].count > 0 && operand[k].count <= (int64_t)1 << 56, "%s: %s", largest[i].shape,
                      operand[k].name);
        cr_expect(problem.workload->flops(&problem) > 0 && problem.workload->bytes(&problem) > 0);
        cr_expect_geq(problem.workload->exact(&problem).range, 1);
    }
}

/* What a method is refused for, or runs alone for, must not be more than it takes. */
Test(shapes, clblast_needs_the_patches_of_all_images_once)
{
    const struct workload *conv = workload_find("conv");
    struct problem problem;
    struct error err = { .status = STATUS_OK };
    cr_assert(problem_parse(&problem, conv, DTYPE_F32, "n=32,c=64,h=56,w=56,k=64,r=3,s=3,pad=1", &err), "%s",
              err.message);
    cr_expect_eq(method_find(conv, "clblast")->workspace(&problem), 4.0 * 32 * (56 * 56) * (64 * 3 * 3));
}

/* Whether matmul has a kernel shape with such an end of its name, at that size. */
static bool has_kernel_shape(const char *shape, const struct device *gpu, const char *end)
{
    const struct workload *matmul = workload_find("matmul");
    const struct method *method = method_find(matmul, "portable");
    struct problem problem;
    struct error err = { .status = STATUS_OK };
    struct launch launch;
    cr_assert(problem_parse(&problem, matmul, DTYPE_F32, shape, &err), "%s", err.message);
    const unsigned count = method_kernel_shapes(method, &problem, gpu);
    for (unsigned i = 0; i < count; i++) {
        method->portable->launch(&problem, gpu, i, &launch);
        const size_t length = strlen(launch.kernel_shape), ends = strlen(end);
        if (length >= ends && strcmp(launch.kernel_shape + length - ends, end) == 0)
            return true;
    }
    return false;
}

Test(shapes, of_matmul_split_k_only_where_the_blocks_of_c_are_too_few_for_the_device)
{
    static const struct {
        const char *shape;
        unsigned units;
        bool has_8, has_32;
    } splits[] = {
        { "m=64,n=64,k=8192", 132, true, true },       /* 1 block */
        { "m=256,n=256,k=8192", 132, true, true },     /* 16 */
        { "m=384,n=384,k=8192", 132, true, false },    /* 36: more than a quarter of the units */
        { "m=704,n=768,k=8192", 132, false, false },   /* 132: one for each */
        { "m=1024,n=1024,k=1024", 132, false, false }, /* 256 */
        { "m=256,n=256,k=8192", 16, false, false },    /* 16 */
        { "m=256,n=256,k=8192", 0, false, false },     /* an unknown number counts as 16 */
        { "m=128,n=256,k=8192", 2, false, false },     /* 8 */
        { "m=128,n=192,k=8192", 2, true, true },       /* 6, as in the check of guard bands */
    };
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        const char *shape = splits[i].shape;
        const struct device gpu = { .class = CLASS_DGPU, .units = splits[i].units };
        cr_expect_eq(has_kernel_shape(shape, &gpu, "64x64x16 4x4 split 8"), splits[i].has_8, "%s", shape);
        cr_expect_eq(has_kernel_shape(shape, &gpu, "64x64x16 4x4 split 32"), splits[i].has_32, "%s", shape);
    }
}

/* By registers: of 32 bytes on Intel's GPUs until xe-hpg, of 64 on the later ones; 256 for a work-item of AMD's and
 * Intel's. */
Test(shapes, of_matmul_have_lanes_and_sums_that_the_device_has_registers_for)
{
    static const struct {
        const char *architecture;
        bool has_8, has_16, is_direct;
    } gpus[] = {
        { "intel gen9", true, true, true },   { "intel xe-lpg", true, true, true },
        { "intel xe-hpg", true, true, true }, { "intel xe-hpc", false, true, true },
        { "intel xe2", false, true, true },   { "intel xe3p", false, true, true },
        { "amd gfx906", false, false, true }, { "nvidia 9.0", false, false, false },
        { "", false, false, false },
    };
    const char *shape = "m=1024,n=1024,k=1024";
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
        struct device gpu = { .class = CLASS_DGPU, .units = 16 };
        strcpy(gpu.architecture, gpus[i].architecture);
        cr_expect_eq(has_kernel_shape(shape, &gpu, " S8"), gpus[i].has_8, "%s", gpu.architecture);
        cr_expect_eq(has_kernel_shape(shape, &gpu, " S16"), gpus[i].has_16, "%s", gpu.architecture);
        cr_expect_eq(has_kernel_shape(shape, &gpu, " direct"), gpus[i].is_direct, "%s", gpu.architecture);
    }
}

/* On two queues a step would not wait for the one before it. */
Test(shapes, the_steps_of_a_chunk_are_on_one_queue)
{
    struct problem problem;
    struct step step[STEPS_MAX];
    struct error err = { .status = STATUS_OK };
    cr_assert(problem_parse(&problem, workload_find("overlap"), DTYPE_F32, "n=100000,chunks=8,queues=2", &err), "%s",
              err.message);
    const unsigned steps = problem.workload->steps(&problem, step);
    cr_assert_eq(steps, 8 * 4);
    for (unsigned i = 0; i < steps; i++) {
        cr_expect_eq(step[i].part, i / 4);
        cr_expect_eq(step[i].queue, i / 4 % 2, "step %u of chunk %u is on queue %u", i % 4, i / 4, step[i].queue);
    }
}

/* The vectors of a CPU seen through OpenCL: those that the driver reports first, and each wider one. */
static void check_widths(const char *name, const char *shape, enum dtype dtype, unsigned lanes)
{
    const struct device device = { .class = CLASS_CPU, .units = 2, .lanes = lanes };
    const struct method *method = workload_find(name)->methods;
    struct problem problem;
    struct error err = { .status = STATUS_OK };
    unsigned widths = 0;
    cr_assert(problem_parse(&problem, workload_find(name), dtype, shape, &err), "%s", err.message);
    while (!method->portable)
        method++;
    const unsigned shapes = method->portable->kernel_shapes(&problem, &device), each = dtype == DTYPE_F64 ? 2 : 1;
    for (unsigned i = 0; i < shapes; i++) {
        struct launch launch;
        method->portable->launch(&problem, &device, i, &launch);
        const char *width = strstr(launch.defines, "-DWIDTH=");
        cr_assert(width);
        const unsigned value = (unsigned)strtoul(width + strlen("-DWIDTH="), NULL, 10);
        cr_expect(i > 0 || value == lanes / each, "%s", launch.defines);
        cr_expect_lt(strlen(launch.kernel_shape) + 1, KERNEL_SHAPE_MAX, "%s", launch.kernel_shape);
        widths |= value * each;
    }
    cr_expect_eq(widths, (4 | 8 | 16) & ~(lanes - 1), "%s %u", name, lanes);
}

Test(shapes, of_kernels_for_a_cpu_have_vectors_of_its_width_and_wider)
{
    for (unsigned lanes = 4; lanes <= 16; lanes *= 2)
        for (enum dtype dtype = DTYPE_F32; dtype <= DTYPE_F64; dtype++) {
            check_widths("matmul", "m=64,n=64,k=64", dtype, lanes);
            check_widths("conv", "n=1,c=16,h=28,w=28,k=64,r=3,s=3,pad=1", dtype, lanes);
        }
}
