#include "bench/registry.h"
#include "harness/random.h"
#include "harness/verify.h"
#include "kernels/native.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each version of a slice by itself, whichever of them the CPU backend would choose here. */

enum { SEED = 5, GUARD = 256 };

struct version {
    const char *isa;
    native_slice *slice;
};

#if defined __x86_64__
static bool runs(const char *isa)
{
    if (strcmp(isa, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    return strcmp(isa, "avx2") != 0 || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
}
#else
static bool runs(const char *isa)
{
    return strcmp(isa, "baseline") == 0;
}
#endif

static struct version version_of(const struct native *native, const char *isa, enum dtype dtype)
{
    native_slice *slice = strcmp(isa, "avx512") == 0 ? native->pass[0].avx512[dtype]
                          : strcmp(isa, "avx2") == 0 ? native->pass[0].avx2[dtype]
                                                     : native->pass[0].baseline[dtype];
    return (struct version){ isa, slice };
}

struct truth {
    const struct problem *problem;
    const void *operand[OPERANDS_MAX];
    int64_t begin; /* the first element that the slice was given */
};

static void exact(const void *context, int64_t index, double *value, double *bound)
{
    const struct truth *truth = context;
    truth->problem->workload->expect(truth->problem, truth->operand, index + truth->begin, value, bound);
    *bound = 0;
}

static bool is_poison(const char *element, size_t bytes)
{
    char poison[8];
    verify_poison(poison, bytes == 4 ? DTYPE_F32 : DTYPE_F64, 1);
    return memcmp(element, poison, bytes) == 0;
}

/* Elements [begin, end) of `count`, with the operands `shift` elements off a cache line. */
static void check_slice(const struct version *version, enum dtype dtype, int64_t count, int64_t begin, int64_t end,
                        int64_t shift)
{
    struct problem problem = { .workload = workload_find("multiply"), .dtype = dtype, .dim = { count } };
    struct truth truth = { .problem = &problem, .begin = begin };
    size_t size = dtype_bytes(dtype), bytes = (size_t)count * size;
    char *memory[3];
    void *operand[3];
    for (unsigned i = 0; i < 3; i++) {
        memory[i] = aligned_alloc(NATIVE_LINE, (bytes + 3 * GUARD) / NATIVE_LINE * NATIVE_LINE);
        cr_assert(memory[i]);
        truth.operand[i] = operand[i] = memory[i] + GUARD + (size_t)shift * size;
        verify_guard_write((char *)operand[i] - GUARD, GUARD, SEED);
        verify_guard_write((char *)operand[i] + bytes, GUARD / 2, SEED);
    }
    int64_t range = problem.workload->exact_range(&problem);
    random_fill_integer(operand[0], dtype, 0, count, SEED, 0, range);
    random_fill_integer(operand[1], dtype, 0, count, SEED, 1, range);
    verify_poison(operand[2], dtype, count);

    version->slice(operand, problem.dim, begin, end);

    struct verdict verdict;
    struct error err = { .status = STATUS_OK };
    char *c = operand[2];
    cr_assert(verify_all(&verdict, c + (size_t)begin * size, dtype, end - begin, exact, &truth, &err),
              "%s %s, [%lld, %lld) of %lld, %lld off a line: %s", version->isa, dtype_name(dtype), (long long)begin,
              (long long)end, (long long)count, (long long)shift, err.message);
    for (int64_t i = 0; i < count; i++)
        cr_assert((i >= begin && i < end) || is_poison(c + (size_t)i * size, size),
                  "%s wrote element %lld outside its slice", version->isa, (long long)i);
    for (unsigned i = 0; i < 3; i++) {
        cr_assert(verify_guard_read((char *)operand[i] - GUARD, GUARD, SEED, "before", &err), "%s", err.message);
        cr_assert(verify_guard_read((char *)operand[i] + bytes, GUARD / 2, SEED, "after", &err), "%s", err.message);
        free(memory[i]);
    }
}

/* Below and above the size from which stores stream, every head and tail around a line. */
static void check_isa(const char *isa)
{
    const struct native *native = variant_find(workload_find("multiply"), "native")->native;
    if (!runs(isa))
        cr_skip_test("this processor does not run %s", isa);
    for (unsigned dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        struct version version = version_of(native, isa, (enum dtype)dtype);
        if (!version.slice)
            cr_skip_test("not built for %s", isa);
        int64_t streams = NATIVE_CACHED / (3 * (int64_t)dtype_bytes((enum dtype)dtype));
        for (int64_t odd = 0; odd < 18; odd++) {
            check_slice(&version, (enum dtype)dtype, 40 + odd, odd, 40, odd % 8);
            check_slice(&version, (enum dtype)dtype, streams + 64, odd, streams + 64 - odd % 5, odd % 8);
        }
        check_slice(&version, (enum dtype)dtype, 10, 4, 4, 0);
        check_slice(&version, (enum dtype)dtype, 1, 0, 1, 3);
    }
}

Test(native, baseline_slices_are_exact_and_stay_in_their_place)
{
    check_isa("baseline");
}

Test(native, avx2_slices_are_exact_and_stay_in_their_place)
{
    check_isa("avx2");
}

Test(native, avx512_slices_are_exact_and_stay_in_their_place)
{
    check_isa("avx512");
}

Test(native, every_version_rounds_the_same_way)
{
    enum { COUNT = 100003 };
    static const char *const isas[] = { "baseline", "avx2", "avx512" };
    const struct native *native = variant_find(workload_find("multiply"), "native")->native;
    static float a[COUNT], b[COUNT], c[COUNT], plain[COUNT];
    random_fill_uniform(a, DTYPE_F32, 0, COUNT, SEED, 0);
    random_fill_uniform(b, DTYPE_F32, 0, COUNT, SEED, 1);
    for (int i = 0; i < COUNT; i++)
        plain[i] = a[i] * b[i];
    for (unsigned i = 0; i < sizeof isas / sizeof *isas; i++) {
        struct version version = version_of(native, isas[i], DTYPE_F32);
        if (!version.slice || !runs(isas[i]))
            continue;
        memset(c, 0xff, sizeof c);
        version.slice((void *[]){ a, b, c }, (int64_t[DIMS_MAX]){ COUNT }, 0, COUNT);
        cr_assert_eq(memcmp(c, plain, sizeof c), 0, "%s", isas[i]);
    }
}
