#include "bench/backends/cpu/onednn_work.h"
#include "bench/backends/registry.h"
#include "harness/measure/random.h"
#include "harness/measure/verify.h"
#include "tests/support/isa.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the methods of oneDNN promise beyond the contract that backend_suite/ asks of every backend. Where the library
 * itself is absent, its tests are skipped with what the program says about it. */

enum { SEED = 11, ALL = 7 };

/* One problem, prepared, with its output poisoned. */
struct bed {
    const struct backend *backend;
    struct session *session;
    struct problem problem;
    const struct method *method;
    struct operand operand[OPERANDS_MAX];
    struct buffer *buffer[OPERANDS_MAX];
    unsigned operands;
    bool is_exact;
    struct task *task; /* NULL: refused, with err */
    char detail[DETAIL_MAX];
    struct error err;
};

static bool bed_prepares(struct bed *bed)
{
    struct job job = { .problem = &bed->problem, .method = bed->method };
    const struct integers integers = bed->problem.workload->exact(&bed->problem);
    for (unsigned i = 0; i < bed->operands; i++) {
        const struct operand *operand = &bed->operand[i];
        size_t bytes = (size_t)operand->count * dtype_bytes(operand->dtype);
        bed->buffer[i] = bed->backend->alloc(bed->session, bytes, MEMORY_PAGEABLE, &bed->err);
        cr_assert(bed->buffer[i], "%s", bed->err.message);
        void *elements = bed->backend->map(bed->session, bed->buffer[i], MAP_WRITE, &bed->err);
        if (operand->role == ROLE_OUTPUT)
            verify_poison(elements, operand->dtype, operand->count);
        else if (bed->is_exact)
            random_fill_integer(elements, operand->dtype, 0, operand->count, SEED, i, &integers);
        else
            random_fill_uniform(elements, operand->dtype, 0, operand->count, SEED, i);
        job.operand[i] = (struct binding){ bed->buffer[i], 0, bytes };
    }
    bed->task = bed->backend->prepare(bed->session, &job, bed->detail, &bed->err);
    return bed->task != NULL;
}

/* method: "conv onednn" */
static struct bed bed_make(const char *method, enum dtype dtype, const char *shape, bool is_exact)
{
    static struct device device;
    char workload[16];
    unsigned count = 0;
    struct bed bed = { .backend = backend_find("cpu"), .is_exact = is_exact };
    snprintf(workload, sizeof workload, "%.*s", (int)strcspn(method, " "), method);
    cr_assert(bed.backend->list("", &device, 1, &count, &bed.err), "%s", bed.err.message);
    bed.session = bed.backend->open(&device, 0, &bed.err);
    cr_assert(bed.session, "%s", bed.err.message);
    cr_assert(problem_parse(&bed.problem, workload_find(workload), dtype, shape, &bed.err), "%s", bed.err.message);
    bed.method = method_find(bed.problem.workload, strchr(method, ' ') + 1);
    cr_assert(bed.method, "%s", method);
    bed.operands = bed.problem.workload->operands(&bed.problem, bed.operand);
    if (!bed_prepares(&bed) && strcmp(bed.err.where, "dlopen") == 0)
        cr_skip_test("%s", bed.err.message);
    return bed;
}

static struct bed bed_need(const char *method, const char *shape, bool is_exact)
{
    struct bed bed = bed_make(method, DTYPE_F32, shape, is_exact);
    cr_assert(bed.task, "%s %s: %s", method, shape, bed.err.message);
    return bed;
}

static void bed_close(struct bed *bed)
{
    bed->backend->discard(bed->task);
    for (unsigned i = 0; i < bed->operands; i++)
        bed->backend->release(bed->session, bed->buffer[i]);
    bed->backend->close(bed->session);
}

static void bed_repack(struct bed *bed, unsigned operands, enum repack_way way)
{
    for (unsigned i = 0; i < bed->operands; i++)
        if (operands & 1u << i)
            cr_assert(bed->backend->repack(bed->task, i, way, &bed->err), "%s", bed->err.message);
}

struct truth {
    const struct bed *bed;
    const void *operand[OPERANDS_MAX];
};

static void truth_of(const void *context, int64_t index, double *value, double *bound)
{
    const struct truth *truth = context;
    const struct bed *bed = truth->bed;
    bed->problem.workload->expect(&bed->problem, method_sums(bed->method, bed->problem.dtype), truth->operand, index,
                                  value, bound);
    *bound *= bed->method->bound_factor > 0 ? bed->method->bound_factor : 1;
    if (bed->is_exact)
        *bound = bed->method->is_fast ? fmin(*bound, 0.5) : 0;
}

/* Runs it, bringing only `in` into its layout, and only `back` out of it; every element must be right. */
static bool bed_runs(struct bed *bed, unsigned in, unsigned back)
{
    struct truth truth = { .bed = bed };
    struct verification verdict;
    unsigned repacks = bed->backend->repacks(bed->task), output = 0;
    bed_repack(bed, repacks & in, REPACK_IN);
    cr_assert(bed->backend->submit(bed->task, 0, 0, NULL, &bed->err) &&
                  bed->backend->finish(bed->session, 0, &bed->err),
              "%s", bed->err.message);
    for (unsigned i = 0; i < bed->operands; i++) {
        truth.operand[i] = bed->backend->map(bed->session, bed->buffer[i], MAP_READ, &bed->err);
        if (bed->operand[i].role == ROLE_OUTPUT)
            output = i;
    }
    bed_repack(bed, repacks & back & 1u << output, REPACK_BACK);
    return verify_all(&verdict, truth.operand[output], bed->operand[output].dtype, bed->operand[output].count, truth_of,
                      &truth, &bed->err);
}

static const struct {
    const char *method, *shape;
} right[] = {
    { "matmul onednn", "m=1,n=1,k=1" },
    { "matmul onednn", "m=67,n=131,k=53" },
    { "matmul onednn", "m=1,n=1000,k=999" },
    { "matmul onednn", "m=1001,n=1,k=17" },
    { "matmul onednn", "m=3,n=5,k=4099" },
    { "matmul onednn", "m=70,n=65,k=67" },
    { "matmul onednn", "m=256,n=192,k=128" },
    { "matmul onednn-gemm", "m=1,n=1,k=1" },
    { "matmul onednn-gemm", "m=67,n=131,k=53" },
    { "matmul onednn-gemm", "m=1,n=1000,k=999" },
    { "matmul onednn-gemm", "m=1001,n=1,k=17" },
    { "matmul onednn-gemm", "m=3,n=5,k=4099" },
    { "conv onednn", "n=1,c=1,h=1,w=1,k=1,r=1,s=1,stride=1,pad=0" },
    { "conv onednn", "n=2,c=5,h=19,w=23,k=17,r=3,s=3,stride=1,pad=1" },
    { "conv onednn", "n=3,c=3,h=31,w=29,k=33,r=5,s=5,stride=2,pad=2" },
    { "conv onednn", "n=2,c=16,h=14,w=14,k=32,r=3,s=3,stride=1,pad=1" },
    { "conv onednn", "n=1,c=7,h=9,w=40,k=3,r=1,s=7,stride=3,pad=0" },
    { "conv onednn", "n=1,c=2,h=4,w=4,k=2,r=2,s=2,stride=1,pad=5" },
    { "conv onednn", "n=1,c=20,h=5,w=5,k=19,r=5,s=5,stride=1,pad=0" },
    { "conv onednn-winograd", "n=2,c=16,h=14,w=14,k=32,r=3,s=3,stride=1,pad=1" },
    { "conv onednn-winograd", "n=1,c=32,h=17,w=23,k=16,r=3,s=3,stride=1,pad=1" },
    { "conv onednn-winograd", "n=2,c=5,h=19,w=23,k=17,r=3,s=3,stride=1,pad=1" },
};

/* Of Winograd's algorithm the library has whatever its version and the processor give, or a sentence. */
static void check_right(const char *method, const char *shape, bool is_exact)
{
    struct bed bed = bed_make(method, DTYPE_F32, shape, is_exact);
    if (bed.task)
        cr_expect(bed_runs(&bed, ALL, ALL), "%s %s (%s): %s", method, shape, bed.detail, bed.err.message);
    else
        cr_expect(bed.method->is_fast && bed.err.status == STATUS_UNSUPPORTED, "%s %s: %s", method, shape,
                  bed.err.message);
    bed_close(&bed);
}

Test(onednn, computes_whole_numbers_exactly_whatever_the_shape)
{
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        check_right(right[i].method, right[i].shape, true);
}

Test(onednn, computes_random_operands_within_the_bound_whatever_the_shape)
{
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        check_right(right[i].method, right[i].shape, false);
}

static const char *const blocked[] = { "matmul onednn m=256,n=192,k=128",
                                       "conv onednn n=2,c=16,h=14,w=14,k=32,r=3,s=3,stride=1,pad=1" };

static struct bed bed_blocked(size_t i)
{
    char method[64];
    const char *shape = strrchr(blocked[i], ' ') + 1;
    snprintf(method, sizeof method, "%.*s", (int)(shape - 1 - blocked[i]), blocked[i]);
    return bed_need(method, shape, true);
}

Test(onednn, is_wrong_without_repacking_any_one_operand_that_it_says_it_repacks)
{
    for (size_t i = 0; i < sizeof blocked / sizeof *blocked; i++) {
        struct bed bed = bed_blocked(i);
        unsigned repacks = bed.backend->repacks(bed.task);
        bool has_plain_gemm = strstr(bed.detail, "gemm:jit"); /* versions before 2.6: takes matrices as they are */
        cr_expect(repacks & 1u << 1 || has_plain_gemm, "weights are blocked: %s", bed.detail);
        for (unsigned k = 0; k < bed.operands; k++) {
            if (!(repacks & 1u << k))
                continue;
            bed.err.status = STATUS_OK;
            struct bed fresh = bed_blocked(i);
            bool is_output = fresh.operand[k].role == ROLE_OUTPUT;
            cr_expect_not(bed_runs(&fresh, is_output ? ALL : ALL & ~(1u << k), is_output ? 0 : ALL),
                          "%s: operand %u was not repacked, and no check noticed", blocked[i], k);
            cr_expect_eq(fresh.err.status, STATUS_WRONG);
            bed_close(&fresh);
        }
        cr_expect(bed_runs(&bed, ALL, ALL), "%s", bed.err.message);
        bed_close(&bed);
    }
}

Test(onednn, carries_the_poison_of_an_output_into_its_own_layout)
{
    struct bed bed = bed_blocked(1);
    if (!(bed.backend->repacks(bed.task) & 1u << 2))
        cr_skip_test("the output is as the workload states it: %s", bed.detail);
    cr_assert(bed_runs(&bed, ALL, ALL), "%s", bed.err.message);
    float *output = bed.backend->map(bed.session, bed.buffer[2], MAP_WRITE, &bed.err);
    verify_poison(output, DTYPE_F32, bed.operand[2].count);
    bed_repack(&bed, 1u << 2, REPACK_IN);
    output[0] = 0;
    bed_repack(&bed, 1u << 2, REPACK_BACK);
    cr_expect(isnan(output[0]), "what an earlier run left would pass for an answer");
    bed_close(&bed);
}

/* Bytes that this process holds. */
static double resident(void)
{
    long total = 0, pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    cr_assert(statm && fscanf(statm, "%ld %ld", &total, &pages) == 2);
    fclose(statm);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* The second and third matmul have a thin B, which blocks would fill up with zeros. */
Test(onednn, takes_no_more_memory_than_its_workspace_says)
{
    static const struct {
        const char *method, *shape;
    } large[] = {
        { "matmul onednn", "m=1000,n=4000,k=4000" },
        { "matmul onednn", "m=8,n=300000,k=63" },
        { "matmul onednn", "m=8,n=63,k=300000" },
        { "conv onednn", "n=32,c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1" },
        { "conv onednn", "n=8,c=3,h=224,w=224,k=64,r=3,s=3,stride=1,pad=1" },
        { "conv onednn-winograd", "n=32,c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1" },
        { "conv onednn-winograd", "n=8,c=3,h=224,w=224,k=64,r=3,s=3,stride=1,pad=1" },
    };
    const double own = 16e6; /* code that is compiled, pages of the library, rounding to huge pages */
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        const char *method = large[i].method, *shape = large[i].shape;
        struct bed first = bed_make(method, DTYPE_F32, shape, true);
        bool is_there = first.task;
        bed_close(&first);
        if (!is_there)
            continue;
        struct bed bed = bed_make(method, DTYPE_F32, shape, true);
        double with = resident(), said = bed.method->workspace(&bed.problem);
        bool repacks = bed.backend->repacks(bed.task) != 0;
        bed.backend->discard(bed.task);
        bed.task = NULL;
        double held = with - resident();
        cr_expect_leq(held, said + own, "%s %s: %g bytes, but it says %g", method, shape, held, said);
        cr_expect(!repacks || held >= said / 8, "%s %s: %g bytes, but it says %g", method, shape, held, said);
        bed_close(&bed);
    }
}

static const char *const methods[] = { "matmul onednn", "matmul onednn-gemm", "conv onednn", "conv onednn-winograd" };
static const char *const method_shapes[] = { "m=67,n=131,k=70", "m=67,n=131,k=70", "n=2,c=16,h=14,w=14,k=16,r=3,s=3",
                                             "n=2,c=16,h=14,w=14,k=16,r=3,s=3" };

Test(onednn, says_that_it_has_no_double_precision)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct bed bed = bed_make(methods[i], DTYPE_F64, method_shapes[i], true);
        cr_expect_null(bed.task);
        cr_expect_eq(bed.err.status, STATUS_UNSUPPORTED);
        cr_expect(strstr(bed.err.message, "of f64 on a CPU"), "%s", bed.err.message);
        bed_close(&bed);
    }
}

/* The small types where version and processor have them, or a sentence that names the type. */
static void check_small(const char *method, const char *shape, enum dtype dtype, bool is_exact)
{
    struct bed bed = bed_make(method, dtype, shape, is_exact);
    if (bed.task)
        cr_expect(bed_runs(&bed, ALL, ALL), "%s %s %s (%s): %s", method, dtype_name(dtype), shape, bed.detail,
                  bed.err.message);
    else
        cr_expect(bed.err.status == STATUS_UNSUPPORTED && strstr(bed.err.message, dtype_name(dtype)), "%s %s: %s",
                  method, shape, bed.err.message);
    bed_close(&bed);
}

Test(onednn, computes_small_types_rightly_or_says_which_it_lacks)
{
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        for (enum dtype dtype = DTYPE_F16; dtype <= DTYPE_BF16; dtype++) {
            check_small(right[i].method, right[i].shape, dtype, true);
            check_small(right[i].method, right[i].shape, dtype, false);
        }
}

Test(onednn, says_what_f16_takes_and_blames_no_size)
{
    for (size_t i = 0; i < 3; i += 2) { /* by the primitives */
        struct bed bed = bed_make(methods[i], DTYPE_F16, method_shapes[i], false);
        const char *says = bed.err.message;
        cr_expect(bed.task || (strstr(says, "AVX512-FP16") && !strchr(says, '=')), "%s", says);
        bed_close(&bed);
    }
}

Test(onednn, has_bf16_on_processors_with_avx512)
{
    if (!isa_runs("avx512"))
        cr_skip_test("this processor does not run avx512");
    for (size_t i = 0; i < 3; i += 2) { /* by the primitives */
        struct bed bed = bed_make(methods[i], DTYPE_BF16, method_shapes[i], false);
        cr_expect(bed.task, "%s", bed.err.message);
        cr_expect(!bed.task || !strstr(bed.detail, "computed in f32"), "%s", bed.detail);
        bed_close(&bed);
    }
}

Test(onednn, computes_tf32_in_f32_and_says_so)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct bed bed = bed_make(methods[i], DTYPE_TF32, method_shapes[i], true);
        struct bed plain = bed_make(methods[i], DTYPE_F32, method_shapes[i], true);
        cr_expect_eq(!bed.task, !plain.task, "%s: %s%s", methods[i], bed.err.message, plain.err.message);
        if (bed.task) {
            cr_expect(strstr(bed.detail, ", computed in f32, "), "%s", bed.detail);
            cr_expect(!strstr(plain.detail, "computed in"), "%s", plain.detail);
            cr_expect(bed_runs(&bed, ALL, ALL), "%s: %s", bed.detail, bed.err.message);
        }
        bed_close(&bed);
        bed_close(&plain);
    }
}

Test(onednn, computes_i8_exactly_with_sums_of_32_bits)
{
    for (size_t i = 0; i < 3; i += 2) { /* by the primitives */
        struct bed bed = bed_make(methods[i], DTYPE_I8, method_shapes[i], false);
        const bool has_it = i == 0 || host_has_vnni();
        cr_expect_eq(!bed.task, !has_it, "%s: %s", methods[i], bed.err.message);
        if (bed.task) {
            cr_expect(strstr(bed.detail, ", computed in i32, "), "%s", bed.detail);
            cr_expect(bed_runs(&bed, ALL, ALL), "%s: %s", bed.detail, bed.err.message);
        }
        bed_close(&bed);
    }
}

/* The library reads it once, in the process of this test. */
Test(onednn, refuses_an_i8_convolution_that_it_would_round)
{
    setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
    setenv("DNNL_MAX_CPU_ISA", "AVX2", 1);
    struct bed bed = bed_make("conv onednn", DTYPE_I8, "n=2,c=9,h=12,w=11,k=18,r=3,s=3,pad=1", false);
    cr_expect_null(bed.task, "%s", bed.detail);
    cr_expect_eq(bed.err.status, STATUS_UNSUPPORTED);
    cr_expect(strstr(bed.err.message, "that is exact here: that takes AVX512-VNNI"), "%s", bed.err.message);
    bed_close(&bed);
}

Test(onednn, says_what_winograd_is_for)
{
    static const char shape[] = "n=3,c=16,h=31,w=29,k=32,r=5,s=5,stride=2,pad=2";
    struct bed bed = bed_make("conv onednn-winograd", DTYPE_F32, shape, true);
    cr_expect_null(bed.task);
    cr_expect_eq(bed.err.status, STATUS_UNSUPPORTED);
    cr_expect(strstr(bed.err.message, shape) && strstr(bed.err.message, "for 3 x 3 filters at stride 1"), "%s",
              bed.err.message);
    bed_close(&bed);
}

Test(onednn, tells_version_implementation_layouts_pages_and_threads)
{
    struct bed bed = bed_blocked(1);
    cr_expect(strncmp(bed.detail, "oneDNN ", 7) == 0, "%s", bed.detail);
    cr_expect(strstr(bed.detail, ", own layout of ") && strstr(bed.detail, "filters, "), "%s", bed.detail);
    cr_expect(strstr(bed.detail, " pages, ") && strstr(bed.detail, " thread"), "%s", bed.detail);
    cr_expect(strlen(bed.detail) < DETAIL_MAX - 1);
    bed_close(&bed);

    struct bed gemm = bed_need("matmul onednn-gemm", "m=67,n=131,k=53", true);
    cr_expect(strstr(gemm.detail, " sgemm, ") && strstr(gemm.detail, " pages, "), "%s", gemm.detail);
    bed_close(&gemm);
}

Test(onednn, names_the_package_that_is_missing)
{
    static const char *const nowhere[] = { "libdnnl.so.none-such", "libdnnl.so.0.none-such", NULL };
    struct onednn library;
    struct error err = { .status = STATUS_OK };
    cr_expect_not(onednn_open(&library, nowhere, &err));
    cr_expect_eq(err.status, STATUS_UNSUPPORTED);
    cr_expect(strstr(err.message, "libdnnl.so.0.none-such"), "%s", err.message);
    cr_expect(strstr(err.message, "package libdnnl"), "%s", err.message);
    onednn_close(&library);
}

Test(onednn, says_which_function_another_library_lacks)
{
    static const char *const other[] = { "libm.so.6", NULL };
    struct onednn library;
    struct error err = { .status = STATUS_OK };
    cr_expect_not(onednn_open(&library, other, &err));
    cr_expect_eq(err.status, STATUS_UNSUPPORTED);
    cr_expect(strstr(err.message, "oneDNN has no function dnnl_"), "%s", err.message);
    onednn_close(&library);
}

Test(onednn, makes_a_sentence_of_every_status)
{
    static const struct {
        dnnl_status_t status;
        enum status meaning;
        const char *part;
    } rows[] = {
        { dnnl_out_of_memory, STATUS_NO_MEMORY, "oneDNN 9 found no memory" },
        { dnnl_invalid_arguments, STATUS_FAILED, "invalid" },
        { dnnl_unimplemented, STATUS_UNSUPPORTED, "no implementation" },
        { dnnl_runtime_error, STATUS_FAILED, "failed" },
        { (dnnl_status_t)99, STATUS_FAILED, "status 99" },
    };
    const struct onednn library = { .name = "oneDNN 9" };
    cr_expect(onednn_check(&library, dnnl_success, "dnnl_call", NULL));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = { .status = STATUS_OK };
        cr_expect_not(onednn_check(&library, rows[i].status, "dnnl_call", &err));
        cr_expect_eq(err.status, rows[i].meaning);
        cr_expect_str_eq(err.where, "dnnl_call");
        cr_expect(strstr(err.message, rows[i].part), "%s", err.message);
    }
}

Test(onednn, says_how_many_threads_or_that_they_are_unknown)
{
    static const char *const names[] = { "pages, threads unknown", "pages, 1 thread", "pages, 2 threads" };
    const struct problem problem = { .dtype = DTYPE_F32 };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        char detail[DETAIL_MAX] = "";
        cpu_detail_append(detail, &(struct job){ .problem = &problem }, DTYPE_F32, i);
        cr_expect(strstr(detail, names[i]), "%s", detail);
    }
}
