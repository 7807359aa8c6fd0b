#include "bench/backends/common/kernel.h"
#include "bench/backends/cuda/library.h"
#include "bench/backends/cuda/nvrtc.h"
#include "bench/backends/registry.h"
#include "harness/base/library.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Compiles every portable kernel text as CUDA C by NVRTC, which needs no GPU, for every common architecture that it
 * knows. A kernel must fit in registers: the assembler's log shows it. */

enum { REGISTERS_MAX = 128 };

/* NVRTC, and which of the common architectures it knows. */
struct compiler {
    struct nvrtc nvrtc;
    int architecture[16];
    unsigned architectures;
    struct stat library; /* which file it is, where that is known */
    bool is_known;
};

/* What only this test calls. */
struct lists {
    int (*count)(int *count);
    int (*list)(int *architectures);
};

static void architectures_find(struct compiler *out, const struct lists *call)
{
    static const int wanted[] = { 75, 80, 86, 89, 90, 100, 103, 110, 120, 121 };
    int known[128], count = 0;
    cr_assert(call->count(&count) == 0 && count <= 128 && call->list(known) == 0);
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (int k = 0; k < count; k++)
            if (known[k] == wanted[i])
                out->architecture[out->architectures++] = wanted[i];
    cr_assert_gt(out->architectures, 0);
}

/* Skips the test where there is none. */
static struct compiler compiler_open(void)
{
    static const struct library_symbol symbols[] = { { "nvrtcGetNumSupportedArchs", offsetof(struct lists, count) },
                                                     { "nvrtcGetSupportedArchs", offsetof(struct lists, list) },
                                                     { 0 } };
    const struct cuda_target target = { .driver = 99000, .architecture = 90 };
    struct compiler compiler = { .architectures = 0 };
    struct cuda_found found;
    struct lists lists;
    struct error err = { .status = STATUS_OK };
    if (!cuda_library_load(CUDA_NVRTC, &target, &found, &err))
        cr_skip_test("%s", err.message);
    cr_assert(nvrtc_bind(&compiler.nvrtc, found.handle, &err) &&
                  library_bind(found.handle, "NVRTC", symbols, &lists, &err),
              "%s", err.message);
    architectures_find(&compiler, &lists);
    compiler.is_known = stat(found.path, &compiler.library) == 0;
    return compiler;
}

/* The worst values of all kernels of a text, from the assembler's log. */
struct verdict {
    bool compiles;
    unsigned entries, registers, spilled; /* kernels; registers per thread; bytes per thread in memory */
    unsigned shared;                      /* bytes per group */
    char log[6000];
};

/* A compiler that gets the same text and options makes the same code: what was compiled once and fits is remembered in
 * the folder NVRTC_CACHE, in a file named by a hash of the library, the text and all options. */
static bool memory_path(const struct compiler *compiler, const char *source, const char *words, int architecture,
                        char path[static PATH_MAX])
{
    const char *folder = getenv("NVRTC_CACHE");
    char number[64];
    snprintf(number, sizeof number, "%lld %lld %d", (long long)compiler->library.st_size,
             (long long)compiler->library.st_mtim.tv_sec, architecture);
    const char *part[] = { number, words, source };
    uint64_t hash[2] = { 0xcbf29ce484222325, 0x9ae16a3b2f90404f }; /* FNV-1a, from two starts */
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++)
        for (const char *at = part[i]; at == part[i] || at[-1]; at++)
            for (unsigned k = 0; k < 2; k++)
                hash[k] = (hash[k] ^ (unsigned char)*at) * (0x100000001b3 + 2 * k);
    return compiler->is_known && folder &&
           snprintf(path, PATH_MAX, "%s/%016" PRIx64 "%016" PRIx64, folder, hash[0], hash[1]) < PATH_MAX;
}

static bool verdict_recall(const char *path, struct verdict *verdict)
{
    FILE *file = fopen(path, "r");
    struct verdict seen = { .compiles = true };
    bool ok = file && fscanf(file, "%u entries %u registers %u spilled %u shared", &seen.entries, &seen.registers,
                             &seen.spilled, &seen.shared) == 4;
    if (file)
        fclose(file);
    if (ok)
        *verdict = seen;
    return ok;
}

/* Under a name of its own first, so that no other process reads a half. */
static void verdict_remember(const char *path, const struct verdict *verdict)
{
    char part[PATH_MAX + 32];
    snprintf(part, sizeof part, "%s.%d", path, (int)getpid());
    mkdir(getenv("NVRTC_CACHE"), 0777);
    FILE *file = fopen(part, "w");
    if (!file)
        return;
    fprintf(file, "%u entries %u registers %u spilled %u shared\n", verdict->entries, verdict->registers,
            verdict->spilled, verdict->shared);
    if (fclose(file) != 0 || rename(part, path) != 0)
        unlink(part);
}

/* The number before a place in a log. */
static unsigned number_before(const char *log, const char *end)
{
    const char *number = end;
    while (number > log && number[-1] >= '0' && number[-1] <= '9')
        number--;
    return (unsigned)strtoul(number, NULL, 10);
}

static void log_read(struct verdict *verdict)
{
    /* An array with a variable index is on the stack, which is not counted as a spill. */
    static const char *const spills[] = { " bytes stack frame", " bytes spill stores", " bytes spill loads" };
    const char *at = verdict->log;
    for (; (at = strstr(at, ": Used ")); at++, verdict->entries++) {
        unsigned registers = (unsigned)strtoul(at + strlen(": Used "), NULL, 10);
        if (registers > verdict->registers)
            verdict->registers = registers;
    }
    for (unsigned i = 0; i < sizeof spills / sizeof *spills; i++)
        for (at = verdict->log; (at = strstr(at, spills[i])); at++)
            verdict->spilled += number_before(verdict->log, at);
    for (at = verdict->log; (at = strstr(at, " bytes smem")); at++) {
        unsigned shared = number_before(verdict->log, at);
        if (shared > verdict->shared)
            verdict->shared = shared;
    }
}

/* Compiles `source` with the options `defines` and `more`, separated by blanks. */
static struct verdict compile(const struct compiler *compiler, const char *source, int architecture,
                              const char *defines, const char *more)
{
    struct verdict verdict = { 0 };
    char words[512], target[40], path[PATH_MAX];
    const char *options[64] = { target, "--ptxas-options=-v" };
    int count = 2;
    snprintf(target, sizeof target, "--gpu-architecture=sm_%d", architecture);
    snprintf(words, sizeof words, "%s %s", defines, more);
    const bool is_kept = memory_path(compiler, source, words, architecture, path);
    if (is_kept && verdict_recall(path, &verdict))
        return verdict;
    char *rest = NULL, list[sizeof words];
    strcpy(list, words);
    for (char *word = strtok_r(list, " ", &rest); word && count < 64; word = strtok_r(NULL, " ", &rest))
        options[count++] = word;

    struct nvrtc_program *program = NULL;
    size_t bytes = 0;
    cr_assert_eq(compiler->nvrtc.create(&program, source, "kernel.cu", 0, NULL, NULL), 0);
    verdict.compiles = compiler->nvrtc.compile(program, count, options) == 0 &&
                       compiler->nvrtc.code_bytes(program, &bytes) == 0 && bytes > 0;
    char *log = compiler->nvrtc.log_bytes(program, &bytes) == 0 ? calloc(bytes + 1, 1) : NULL;
    if (log && compiler->nvrtc.log(program, log) == 0)
        snprintf(verdict.log, sizeof verdict.log, "%s", log);
    free(log);
    compiler->nvrtc.destroy(&program);
    log_read(&verdict);
    if (is_kept && verdict.compiles && verdict.entries > 0 && verdict.spilled == 0)
        verdict_remember(path, &verdict);
    return verdict;
}

/* The largest shared memory per group of the passes. */
static size_t shared_of(const struct launch *launch)
{
    size_t most = 0;
    for (unsigned i = 0; i < launch->passes; i++)
        most = launch->pass[i].shared > most ? launch->pass[i].shared : most;
    return most;
}

/* On so many architectures, the oldest first. For groups of 256 work-items; smaller groups have the same limit. */
static void check_text(const struct compiler *compiler, const struct problem *problem, const struct portable *portable,
                       const struct launch *launch, const char *type, unsigned architectures)
{
    const unsigned known = compiler->architectures, count = known < architectures ? known : architectures;
    char shape[SHAPE_MAX];
    for (unsigned i = 0; i < count; i++) {
        struct verdict verdict = compile(compiler, portable->source, compiler->architecture[i], launch->defines, type);
        cr_assert(verdict.compiles, "%s for sm_%d with %s %s:\n%s", problem->workload->name, compiler->architecture[i],
                  launch->defines, type, verdict.log);
        cr_expect_geq(verdict.entries, 1, "the log has no entry:\n%s", verdict.log);
        cr_expect_eq(verdict.shared, shared_of(launch), "%s for sm_%d shares %u bytes, not %zu: %s",
                     problem->workload->name, compiler->architecture[i], verdict.shared, shared_of(launch),
                     launch->defines);
        cr_expect(verdict.spilled == 0 && verdict.registers <= REGISTERS_MAX,
                  "%s %s %s for sm_%d with %s: %u registers, %u bytes spilled", problem->workload->name,
                  dtype_name(problem->dtype), problem_shape(problem, shape), compiler->architecture[i], launch->defines,
                  verdict.registers, verdict.spilled);
    }
}

/* An ordinary discrete GPU; `units` decide the tile sizes. */
static struct device gpu_of(unsigned units)
{
    return (struct device){
        .backend = "opencl", .name = "a GPU", .class = CLASS_DGPU, .units = units, .computes = { true, true }
    };
}

/* What was compiled already. */
enum { SEEN_MAX = 256 };
struct seen {
    struct {
        char defines[sizeof((struct launch *)NULL)->defines];
        const char *type; /* its option: tf32 has that of f32 */
    } text[SEEN_MAX];
    unsigned count;
};

static bool is_new(struct seen *seen, const struct launch *launch, const char *type)
{
    for (unsigned i = 0; i < seen->count; i++)
        if (strcmp(seen->text[i].type, type) == 0 && strcmp(seen->text[i].defines, launch->defines) == 0)
            return false;
    cr_assert_lt(seen->count, SEEN_MAX, "more configurations than this test expects");
    strcpy(seen->text[seen->count].defines, launch->defines);
    seen->text[seen->count++].type = type;
    return true;
}

/* With every kernel shape, or with the first only. */
static void check_problem(const struct compiler *compiler, const struct problem *problem,
                          const struct portable *portable, bool has_all, struct seen *seen)
{
    static const unsigned units[] = { 1, 24, 144 };
    struct error err = { .status = STATUS_OK };
    const char *type = kernel_type_option(problem, portable, &err);
    cr_assert(type, "%s", err.message);
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
        struct device device = gpu_of(units[i]);
        const unsigned shapes = has_all && portable->kernel_shapes ? portable->kernel_shapes(problem, &device) : 1;
        for (unsigned k = 0; k < shapes; k++) {
            struct launch launch;
            portable->launch(problem, &device, k, &launch);
            if (is_new(seen, &launch, type))
                check_text(compiler, problem, portable, &launch, type, k == 0 ? 16 : 1);
        }
    }
}

static void check_shape(const struct compiler *compiler, const struct workload *workload,
                        const struct portable *portable, const char *shape, bool has_all, struct seen *seen)
{
    for (unsigned dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        struct problem problem;
        struct error err = { .status = STATUS_OK };
        if (!(workload->dtypes & 1u << dtype))
            continue;
        cr_assert(problem_parse(&problem, workload, (enum dtype)dtype, shape, &err), "%s", err.message);
        check_problem(compiler, &problem, portable, has_all && dtype != DTYPE_BF16, seen); /* which is as f16 */
    }
}

/* Sizes with other launches than those of the suites. */
static const struct {
    const char *workload, *shape;
} sizes[] = {
    { "multiply", "n=1" },
    { "multiply", "n=1000003" },
    { "peak", "kind=read,bytes=1Mi" },
    { "matmul", "m=64,n=64,k=64" },
    { "matmul", "m=2049,n=513,k=1537" },
    { "matmul", "m=8192,n=8191,k=8192" },
    { "conv", "n=1,c=3,h=29,w=31,k=16,r=3,s=5,pad=2" },
    { "conv", "n=2,c=16,h=14,w=14,k=33,r=1,s=1,stride=2" },
    { "conv", "n=64,c=256,h=28,w=28,k=512,r=5,s=5,stride=2,pad=2" },
};

static void check_workload(const struct compiler *compiler, const struct workload *workload,
                           const struct method *method)
{
    struct seen *seen = calloc(1, sizeof *seen);
    cr_assert(seen);
    for (unsigned i = 0; workload->suite_sizes[i].shape; i++)
        check_shape(compiler, workload, method->portable, workload->suite_sizes[i].shape, i == 0, seen);
    if (workload->small) /* an odd one: elements are fetched one by one */
        check_shape(compiler, workload, method->portable, workload->small, true, seen);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(sizes[i].workload, workload->name) == 0)
            check_shape(compiler, workload, method->portable, sizes[i].shape, false, seen);
    free(seen);
}

Test(nvrtc, every_portable_text_fits_in_registers_on_every_architecture)
{
    struct compiler compiler = compiler_open();
    unsigned texts = 0;
    for (unsigned i = 0; workloads[i]; i++)
        for (unsigned k = 0; workloads[i]->methods && workloads[i]->methods[k].name; k++)
            if (workloads[i]->methods[k].portable) {
                check_workload(&compiler, workloads[i], &workloads[i]->methods[k]);
                texts++;
            }
    cr_expect_geq(texts, 2, "multiply and matmul have one");
}

Test(nvrtc, this_test_notices_a_text_that_does_not)
{
    static const char many[] = "extern \"C\" __global__ void __launch_bounds__(256, GROUPS) many(float *p, int n) {\n"
                               "float x[150];\n"
                               "#pragma unroll\n"
                               "for (int i = 0; i < 150; i++) x[i] = p[i];\n"
                               "#pragma unroll 1\n"
                               "for (int k = 0; k < n; k++)\n"
                               "#pragma unroll\n"
                               "    for (int i = 0; i < 150; i++) x[i] = x[i] * p[k] + x[(i + 1) % 150];\n"
                               "#pragma unroll\n"
                               "for (int i = 0; i < 150; i++) p[i] = x[i];\n"
                               "}\n";
    static const char stacked[] = "extern \"C\" __global__ void stacked(float *p, int n) {\n"
                                  "float x[200];\n"
                                  "#pragma unroll 1\n"
                                  "for (int i = 0; i < 200; i++) x[i] = p[i];\n"
                                  "#pragma unroll 1\n"
                                  "for (int k = 0; k < n; k++) x[k * k % 200] += x[(int)p[k]];\n"
                                  "#pragma unroll 1\n"
                                  "for (int i = 0; i < 200; i++) p[i] = x[i];\n"
                                  "}\n";
    struct compiler compiler = compiler_open();
    struct verdict wide = compile(&compiler, many, compiler.architecture[0], "-DGROUPS=1", "");
    cr_expect(wide.compiles && wide.entries == 1 && wide.registers > REGISTERS_MAX && wide.spilled == 0, "%s",
              wide.log);
    struct verdict narrow = compile(&compiler, many, compiler.architecture[0], "", "-DGROUPS=4");
    cr_expect(narrow.compiles && narrow.registers <= 64 && narrow.spilled > 0, "%s", narrow.log);
    struct verdict indexed = compile(&compiler, stacked, compiler.architecture[0], "", "");
    cr_expect(indexed.compiles && indexed.spilled > 0, "%s", indexed.log);
    cr_expect_not(compile(&compiler, many, compiler.architecture[0], "-Dfloat=nothing", "").compiles);
}
