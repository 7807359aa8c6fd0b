/* For which problems and devices a method is, what it needs there, and how it adds up. */

#include "bench/workloads/workload.h"
#include "tests/support/shapes.h"

#include <criterion/criterion.h>
#include <string.h>

static struct problem parsed(const char *workload, enum dtype dtype, const char *shape)
{
    struct problem problem;
    struct error err = { .status = STATUS_OK };
    cr_assert(problem_parse(&problem, workload_find(workload), dtype, shape, &err), "%s %s: %s", workload, shape,
              err.message);
    return problem;
}

static const struct method *found(const struct problem *problem, const char *name)
{
    const struct method *method = method_find(problem->workload, name);
    cr_assert(method, "%s has no %s", problem->workload->name, name);
    return method;
}

Test(methods, are_for_the_sizes_and_types_that_they_are_made_for)
{
    static const struct {
        const char *workload, *method, *shape;
        enum dtype dtype;
        bool is_for;
    } rows[] = {
        { "matmul", "openblas-gemv", "m=1,n=100,k=7", DTYPE_F32, true },
        { "matmul", "openblas-gemv", "m=100,n=1,k=7", DTYPE_F32, true },
        { "matmul", "openblas-gemv", "m=2,n=2,k=7", DTYPE_F32, false },
        { "matmul", "openblas-gemv", "m=100,n=1,k=7", DTYPE_I8, false },
        { "matmul", "native-gemv", "m=100,n=15,k=7", DTYPE_F32, true },
        { "matmul", "native-gemv", "m=100,n=16,k=7", DTYPE_F32, false },
        { "matmul", "native-gemv", "m=15,n=100,k=7", DTYPE_F32, true },
        { "matmul", "native-gemv", "m=16,n=100,k=7", DTYPE_F32, false },
        { "matmul", "native-gemv", "m=100,n=15,k=7", DTYPE_I8, false },
        { "matmul", "native", "m=100,n=15,k=7", DTYPE_I8, true },
        { "transfer", "copy", "bytes=64,direction=within", DTYPE_F32, true },
        { "transfer", "copy", "bytes=64,direction=peer", DTYPE_F32, false },
        { "transfer", "peer", "bytes=64,direction=peer", DTYPE_F32, true },
        { "transfer", "through-host", "bytes=64,direction=peer", DTYPE_F32, false },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct problem problem = parsed(rows[i].workload, rows[i].dtype, rows[i].shape);
        cr_expect_eq(method_is_for(found(&problem, rows[i].method), &problem), rows[i].is_for, "%s, %s of %s",
                     rows[i].method, rows[i].shape, dtype_name(rows[i].dtype));
    }
}

Test(methods, are_refused_where_they_show_nothing)
{
    static const struct {
        const char *workload, *method, *shape, *refusal;
    } rows[] = {
        { "launch", "blocking", "n=1,count=1", NULL },
        { "launch", "blocking", "n=4096,count=2", "is measured with one launch, not with 2" },
        { "peak", "portable", "kind=read,bytes=1Mi", NULL },
        { "peak", "portable", "kind=read,bytes=1Mi,passes=2", "takes passes=1" },
    };
    const struct device device = { .id = "cuda", .backend = "cuda" };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct problem problem = parsed(rows[i].workload, DTYPE_F32, rows[i].shape);
        struct error err = { .status = STATUS_OK };
        const bool suits = found(&problem, rows[i].method)->suits(&problem, &device, &err);
        cr_expect_eq(suits, !rows[i].refusal, "%s, %s", rows[i].method, rows[i].shape);
        cr_expect(suits || strstr(err.message, rows[i].refusal), "%s", err.message);
    }
}

/* The problem with guard bands shows what the method does with a problem like that. */
Test(methods, are_checked_by_a_small_problem_of_the_same_kind)
{
    static const struct {
        const char *workload, *shape;
        enum dtype dtype;
        const char *small;
    } rows[] = {
        { "matmul", "m=100,n=200,k=300", DTYPE_F32, "m=67,n=131,k=53" },
        { "matmul", "m=100,n=15,k=300", DTYPE_F32, "m=67,n=15,k=53" },
        { "matmul", "m=15,n=200,k=300", DTYPE_F32, "m=15,n=131,k=53" },
        { "matmul", "m=16,n=16,k=1", DTYPE_F32, "m=67,n=131,k=53" },
        { "matmul", "m=100,n=200,k=300", DTYPE_I8, "m=67,n=128,k=52" },
        { "matmul", "m=100,n=200,k=302", DTYPE_I8, "m=67,n=131,k=53" },
        { "overlap", "n=100000,chunks=2,queues=2", DTYPE_F32, "n=300007,chunks=5,queues=2" },
        { "transfer", "bytes=64,direction=peer", DTYPE_F32, "bytes=4000008,direction=peer" },
        { "peak", "kind=fma,bytes=1Mi,turns=9", DTYPE_F32, "kind=fma,bytes=4000020,passes=1,turns=37" },
        { "peak", "kind=copy,bytes=1Mi,passes=9", DTYPE_F32, "kind=copy,bytes=4000020,passes=2,turns=0" },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct problem problem = parsed(rows[i].workload, rows[i].dtype, rows[i].shape);
        struct problem small = parsed(rows[i].workload, rows[i].dtype, problem.workload->small);
        char shape[SHAPE_MAX];
        problem.workload->set_kind(&small, &problem);
        cr_expect_str_eq(problem_shape(&small, shape), rows[i].small, "%s: %s", rows[i].shape, shape);
    }
}

Test(methods, say_how_they_add_up_products)
{
    static const struct {
        const char *method;
        enum dtype dtype, sums;
        bool may_be_cut_off;
    } rows[] = {
        { "native", DTYPE_F16, DTYPE_F32, false },  { "native", DTYPE_TF32, DTYPE_F32, false },
        { "clblast", DTYPE_F16, DTYPE_F16, false }, { "clblast", DTYPE_TF32, DTYPE_F32, false },
        { "clblast", DTYPE_F64, DTYPE_F64, false }, { "cublas", DTYPE_F16, DTYPE_F32, true },
        { "cublas", DTYPE_TF32, DTYPE_F32, true },  { "cublas", DTYPE_F32, DTYPE_F32, false },
        { "cublas", DTYPE_F64, DTYPE_F64, false },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sums sums = method_sums(method_find(workload_find("matmul"), rows[i].method), rows[i].dtype);
        cr_expect_eq(sums.dtype, rows[i].sums, "%s of %s", rows[i].method, dtype_name(rows[i].dtype));
        cr_expect_eq(sums.may_be_cut_off, rows[i].may_be_cut_off, "%s of %s", rows[i].method,
                     dtype_name(rows[i].dtype));
    }
}

/* Of each array the largest that a kernel shape asks for, and no less memory in all than the method is said to take. */
static void check_scratch(const struct problem *problem, const struct method *method, const struct device *device)
{
    int64_t bytes[SCRATCH_MAX], most[SCRATCH_MAX] = { 0 };
    double sum = 0;
    method_scratch(method, problem, device, bytes);
    for (unsigned shape = 0; shape < method_kernel_shapes(method, problem, device); shape++) {
        struct launch launch;
        method->portable->launch(problem, device, shape, &launch);
        for (unsigned i = 0; i < SCRATCH_MAX; i++)
            most[i] = launch.scratch[i] > most[i] ? launch.scratch[i] : most[i];
    }
    for (unsigned i = 0; i < SCRATCH_MAX; i++) {
        cr_expect_eq(bytes[i], most[i], "%s of %s: array %u", method->name, problem->workload->name, i);
        sum += (double)most[i];
    }
    cr_expect_geq(method_workspace(method, problem, device), sum, "%s of %s", method->name, problem->workload->name);
}

Test(methods, get_memory_for_every_kernel_shape)
{
    static const struct device devices[] = { { .backend = "opencl", .class = CLASS_CPU, .units = 2, .lanes = 8 },
                                             { .backend = "opencl", .class = CLASS_DGPU, .units = 16 } };
    for (const struct workload *const *workload = workloads; *workload; workload++)
        for (const char *const *shape = tried_shapes(*workload); *shape; shape++) {
            const struct problem problem = parsed((*workload)->name, DTYPE_F32, *shape);
            for (const struct method *method = (*workload)->methods; method && method->name; method++)
                for (unsigned i = 0; i < 2 && method->portable && method_is_for(method, &problem); i++)
                    check_scratch(&problem, method, &devices[i]);
        }
}

Test(methods, of_train_hold_what_lies_between_the_products_of_a_library)
{
    const struct device cores = { .backend = "cpu", .class = CLASS_CPU };
    for (const char *const *shape = tried_shapes(workload_find("train")); *shape; shape++) {
        const struct problem problem = parsed("train", DTYPE_F32, *shape);
        int64_t bytes[SCRATCH_MAX];
        double sum = 0;
        method_scratch(found(&problem, "clblast"), &problem, &cores, bytes);
        for (unsigned i = 0; i < SCRATCH_MAX; i++)
            sum += (double)bytes[i];
        cr_expect_geq(method_workspace(found(&problem, "openblas"), &problem, &cores), sum, "%s", *shape);
    }
}

Test(methods, of_onednn_keep_b_in_blocks_unless_it_is_thin)
{
    static const struct {
        const char *shape;
        double elements;
    } rows[] = {
        { "m=1,n=64,k=64", 64 * 64 }, { "m=1,n=63,k=64", 0 }, { "m=1,n=64,k=63", 0 }, { "m=1,n=65,k=65", 128 * 80 }
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct problem problem = parsed("matmul", DTYPE_F32, rows[i].shape);
        cr_expect_eq(method_workspace(found(&problem, "onednn"), &problem, NULL), 4 * rows[i].elements, "%s",
                     rows[i].shape);
    }
}

/* Doubles take twice the registers; Mesa's software driver has lanes on a CPU. */
Test(methods, begin_with_the_kernel_shape_for_such_a_problem)
{
    const struct device gpu = { .backend = "opencl", .class = CLASS_DGPU, .units = 16 },
                        mesa = { .backend = "opencl", .class = CLASS_CPU, .platform = "rusticl", .units = 16 };
    const struct {
        const char *workload, *shape;
        enum dtype dtype;
        const struct device *device;
        const char *first;
    } rows[] = {
        { "matmul", "1024", DTYPE_F32, &gpu, "128x128x8 8x8" },
        { "matmul", "256", DTYPE_F32, &gpu, "64x64x16 4x4" },
        { "matmul", "1024", DTYPE_F64, &gpu, "64x64x8 8x4" },
        { "conv", "n=8,c=64,h=56,w=56,k=65,r=3,s=3,pad=1", DTYPE_F32, &gpu, "128x128x8 8x8" },
        { "conv", "n=8,c=64,h=56,w=56,k=64,r=3,s=3,pad=1", DTYPE_F32, &gpu, "128x64x8 8x8" },
        { "conv", "n=8,c=64,h=56,w=56,k=64,r=3,s=3,pad=1", DTYPE_F64, &gpu, "64x64x8 8x4" },
        { "conv", "n=8,c=64,h=56,w=56,k=64,r=3,s=3,pad=1", DTYPE_F32, &mesa, "64x64x8 8x4" },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct problem problem = parsed(rows[i].workload, rows[i].dtype, rows[i].shape);
        struct launch launch;
        found(&problem, "portable")->portable->launch(&problem, rows[i].device, 0, &launch);
        cr_expect_str_eq(launch.kernel_shape, rows[i].first, "row %u: %s", i, launch.kernel_shape);
    }
}
