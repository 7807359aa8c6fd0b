#include "bench/backends/common/kernel.h"
#include "bench/backends/cuda/library.h"
#include "bench/backends/cuda/nvrtc.h"
#include "bench/backends/registry.h"
#include "harness/base/library.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Compiles every portable kernel text as CUDA C by NVRTC, which needs no GPU: in the kernel shape that is used untuned,
 * for the newest common architecture that it knows, whose registers are scarcest. With NVRTC_ARCHITECTURES=all it
 * compiles every kernel shape for every common architecture, which takes twenty times as long, and compares the tables
 * of registers and of multiply-adds. A kernel must fit in registers: the assembler's log shows it. */

/* NVRTC, and which of the common architectures it knows. */
enum { ARCHITECTURES_MAX = 8 };
struct compiler {
    char version[40];
    struct nvrtc nvrtc;
    int architecture[ARCHITECTURES_MAX];
    unsigned architectures;
    bool has_all;        /* the common ones, and every kernel shape */
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
    static const int common[] = { 75, 80, 86, 89, 90, 100, 120 };
    int known[128], count = 0;
    const char *wanted = getenv("NVRTC_ARCHITECTURES");
    cr_assert(call->count(&count) == 0 && count <= 128 && call->list(known) == 0);
    for (unsigned i = 0; i < sizeof common / sizeof *common; i++)
        for (int k = 0; k < count; k++)
            if (known[k] == common[i])
                out->architecture[out->architectures++] = common[i];
    cr_assert_gt(out->architectures, 0);
    out->has_all = wanted && strcmp(wanted, "all") == 0;
    if (!out->has_all) {
        out->architecture[0] = out->architecture[out->architectures - 1];
        out->architectures = 1;
    }
}

/* Skips the test where there is none. */
static struct compiler compiler_open(void)
{
    static const char *const symbols[] = { "nvrtcGetNumSupportedArchs", "nvrtcGetSupportedArchs" };
    const struct cuda_target target = { .driver = 99000, .architecture = 90 };
    struct compiler compiler = { .architectures = 0 };
    struct cuda_found found;
    struct lists lists;
    struct error err = { .status = STATUS_OK };
    if (!cuda_library_load(CUDA_NVRTC, &target, &found, &err))
        cr_skip_test("%s", err.message);
    cr_assert(nvrtc_bind(&compiler.nvrtc, found.handle, &err) &&
                  library_bind(found.handle, "NVRTC", LIBRARY_NAMES(symbols), &lists, &err),
              "%s", err.message);
    architectures_find(&compiler, &lists);
    strcpy(compiler.version, found.version);
    compiler.is_known = stat(found.path, &compiler.library) == 0;
    return compiler;
}

/* The worst values of all kernels of a text, and those of one, from the assembler's log. */
struct verdict {
    bool compiles;
    unsigned entries, registers, spilled; /* kernels; registers per thread; bytes per thread in memory */
    unsigned shared;                      /* bytes per group */
    char log[8000];
};

/* Registers of the kernel `entry`; 0: it is not in the log. */
static unsigned registers_of(const struct verdict *verdict, const char *entry)
{
    static const char used[] = ": Used ";
    char name[64];
    snprintf(name, sizeof name, "Function properties for %s\n", entry);
    const char *at = strstr(verdict->log, name);
    at = at ? strstr(at, used) : NULL;
    return at ? (unsigned)strtoul(at + strlen(used), NULL, 10) : 0;
}

/* A compiler that gets the same text and options makes the same code: what was compiled once is remembered in
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

/* The assembler's log is what is remembered. */
static bool log_recall(const char *path, struct verdict *verdict)
{
    FILE *file = fopen(path, "r");
    const size_t bytes = file ? fread(verdict->log, 1, sizeof verdict->log - 1, file) : 0;
    if (file)
        fclose(file);
    verdict->log[bytes] = '\0';
    return verdict->compiles = strstr(verdict->log, ": Used ") != NULL;
}

/* Under a name of its own first, so that no other process reads a half. */
static void log_remember(const char *path, const struct verdict *verdict)
{
    char part[PATH_MAX + 32];
    snprintf(part, sizeof part, "%s.%d", path, (int)getpid());
    mkdir(getenv("NVRTC_CACHE"), 0777);
    FILE *file = fopen(part, "w");
    if (!file)
        return;
    fputs(verdict->log, file);
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
    if (is_kept && log_recall(path, &verdict)) {
        log_read(&verdict);
        return verdict;
    }
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
    if (is_kept && verdict.compiles && verdict.entries > 0)
        log_remember(path, &verdict);
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

/* One form of a kernel text: a text with the compiler's options. */
struct form {
    struct problem problem;
    const struct portable *portable;
    struct launch launch;
    const char *type;                          /* its option: tf32 has that of f32 */
    unsigned kernel_shape;                     /* 0: the one to use untuned */
    bool is_listed;                            /* in docs/nvidia.md */
    struct verdict verdict[ARCHITECTURES_MAX]; /* by the compiler's architectures */
};

/* The pass that has the work: one before it packs operands, one after it adds parts of sums. */
static const struct pass *main_pass(const struct form *form)
{
    const struct pass *pass = &form->launch.pass[form->launch.passes - 1];
    while (pass > form->launch.pass && !pass->is_divisible)
        pass--;
    return pass;
}

/* The number of an option of a form; 0 without it. */
static unsigned option_of(const struct form *form, const char *option)
{
    const char *at = strstr(form->launch.defines, option);
    return at ? (unsigned)strtoul(at + strlen(option), NULL, 10) : 0;
}

/* What its work-items may have (portable.h). */
static unsigned registers_most(const struct form *form)
{
    const unsigned asked = option_of(form, "-DREGISTERS=");
    return asked ? asked : 128;
}

/* Without duplicates. */
enum { FORMS_MAX = 512 };
struct forms {
    struct form *form;
    unsigned count;
    bool has_all; /* kernel shapes */
};

/* Where one group alone has all registers, a work-item may have more than is asked for. A kernel shape that spills on
 * an architecture is not used there (kernel_fits() in portable.c), so only the untuned one must not. The golden file
 * has which do. */
static void check_form(const struct compiler *compiler, const struct form *form)
{
    const char *name = form->problem.workload->name, *defines = form->launch.defines;
    const unsigned groups = 65536 / (unsigned)main_pass(form)->group / registers_most(form);
    const unsigned most = groups < 2 ? 255 : registers_most(form);
    for (unsigned i = 0; i < compiler->architectures; i++) {
        const struct verdict *verdict = &form->verdict[i];
        const int architecture = compiler->architecture[i];
        cr_assert(verdict->compiles, "%s for sm_%d with %s %s:\n%s", name, architecture, defines, form->type,
                  verdict->log);
        cr_expect_geq(verdict->entries, 1, "the log has no entry:\n%s", verdict->log);
        cr_expect_eq(verdict->shared, shared_of(&form->launch), "%s for sm_%d shares %u bytes, not %zu: %s", name,
                     architecture, verdict->shared, shared_of(&form->launch), defines);
        cr_expect((verdict->spilled == 0 || form->kernel_shape > 0) && verdict->registers <= most,
                  "%s %s for sm_%d with %s: %u registers, %u bytes spilled", name, dtype_name(form->problem.dtype),
                  architecture, defines, verdict->registers, verdict->spilled);
    }
}

/* An ordinary discrete GPU; `units` decide the tile sizes. */
static struct device gpu_of(unsigned units)
{
    return (struct device){ .backend = "cuda",
                            .name = "a GPU",
                            .architecture = "nvidia 9.0",
                            .class = CLASS_DGPU,
                            .units = units,
                            .computes = { true, true } };
}

static void form_add(struct forms *to, const struct form *form)
{
    for (unsigned i = 0; i < to->count; i++) {
        struct form *known = &to->form[i];
        if (known->portable->source != form->portable->source || strcmp(known->type, form->type) != 0 ||
            strcmp(known->launch.defines, form->launch.defines) != 0)
            continue;
        /* peak.cl has several kernels, of which each form runs one */
        if (!form->is_listed || strcmp(main_pass(known)->entry, main_pass(form)->entry) == 0)
            return;
    }
    cr_assert_lt(to->count, FORMS_MAX, "more configurations than this test expects");
    to->form[to->count++] = *form;
}

/* With every kernel shape, or with the first only. */
static void add_problem(struct forms *to, const struct problem *problem, const struct portable *portable, bool has_all,
                        bool is_listed)
{
    static const unsigned units[] = { 132, 1, 24 };
    struct error err = { .status = STATUS_OK };
    const char *type = kernel_type_option(problem, portable, &err);
    cr_assert(type, "%s", err.message);
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
        struct device device = gpu_of(units[i]);
        const unsigned shapes =
            to->has_all && has_all && portable->kernel_shapes ? portable->kernel_shapes(problem, &device) : 1;
        for (unsigned k = 0; k < shapes; k++) {
            struct form form = { .problem = *problem,
                                 .portable = portable,
                                 .type = type,
                                 .kernel_shape = k,
                                 .is_listed = is_listed && i == 0 && problem->dtype == DTYPE_F32 };
            portable->launch(problem, &device, k, &form.launch);
            form_add(to, &form);
        }
    }
}

/* In every type, or, unless every kernel shape is compiled, of sizes that have only one in f32 alone. */
static void add_shape(struct forms *to, const struct workload *workload, const struct method *method, const char *shape,
                      bool has_all, bool is_listed)
{
    for (unsigned dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        struct problem problem;
        struct error err = { .status = STATUS_OK };
        if (!(workload->dtypes & 1u << dtype) || (!to->has_all && !has_all && dtype != DTYPE_F32))
            continue;
        cr_assert(problem_parse(&problem, workload, (enum dtype)dtype, shape, &err), "%s", err.message);
        if (method_is_for(method, &problem))
            add_problem(to, &problem, method->portable, has_all && dtype != DTYPE_BF16,
                        is_listed); /* which is as f16 */
    }
}

/* Sizes with other launches than those of the suites; some have kernel shapes that no size of the suites has,
 * which are listed, but for methods of some sizes only. */
static const struct {
    const char *workload, *shape;
    bool has_all;
} sizes[] = {
    { "multiply", "n=1", false },
    { "multiply", "n=1000003", false },
    { "peak", "kind=read,bytes=1Mi", false },
    { "matmul", "m=64,n=64,k=64", false },
    { "matmul", "m=256,n=256,k=8192", true },
    { "matmul", "m=8192,n=1,k=8192", true },
    { "matmul", "m=8192,n=15,k=8192", false },
    { "matmul", "m=15,n=65536,k=128", false },
    { "matmul", "m=2049,n=513,k=1537", false },
    { "matmul", "m=8192,n=8191,k=8192", false },
    { "conv", "n=1,c=3,h=29,w=31,k=16,r=3,s=5,pad=2", false },
    { "conv", "n=2,c=16,h=14,w=14,k=33,r=1,s=1,stride=2", false },
    { "conv", "n=64,c=256,h=28,w=28,k=512,r=5,s=5,stride=2,pad=2", false },
};

static void add_workload(struct forms *to, const struct workload *workload, const struct method *method)
{
    for (unsigned i = 0; workload->suite_sizes[i].shape; i++) {
        const bool is_listed = !method->calls_library &&                        /* the library has the work */
                               (i == 0 || strcmp(workload->name, "peak") == 0); /* each of whose kinds has a kernel */
        add_shape(to, workload, method, workload->suite_sizes[i].shape, i == 0, is_listed);
    }
    if (workload->small) /* an odd one: elements are fetched one by one */
        add_shape(to, workload, method, workload->small, true, false);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(sizes[i].workload, workload->name) == 0)
            add_shape(to, workload, method, sizes[i].shape, sizes[i].has_all, sizes[i].has_all && !method->is_for);
}

static struct forms forms_list(const struct compiler *compiler)
{
    struct forms forms = { .form = calloc(FORMS_MAX, sizeof *forms.form), .has_all = compiler->has_all };
    cr_assert(forms.form);
    for (unsigned i = 0; workloads[i]; i++)
        for (unsigned k = 0; workloads[i]->methods && workloads[i]->methods[k].name; k++)
            if (workloads[i]->methods[k].portable)
                add_workload(&forms, workloads[i], &workloads[i]->methods[k]);
    return forms;
}

/* All forms, compiled for every architecture. */
static struct forms forms_open(const struct compiler *compiler)
{
    struct forms forms = forms_list(compiler);
#pragma omp parallel for schedule(dynamic) collapse(2)
    for (unsigned i = 0; i < forms.count; i++)
        for (unsigned k = 0; k < compiler->architectures; k++) {
            struct form *form = &forms.form[i];
            form->verdict[k] =
                compile(compiler, form->portable->source, compiler->architecture[k], form->launch.defines, form->type);
        }
    return forms;
}

/* What a multiprocessor has (CUDA C++ Programming Guide, technical specifications by compute capability; 1 KB of shared
 * memory of each group is the system's from 8.0 on), and a GPU of that architecture by its datasheet. */
struct multiprocessor {
    int architecture;
    unsigned items, groups, shared, reserved; /* at most; bytes */
    double bandwidth;                         /* of the GPU's memory for each, bytes per second */
};
static const struct multiprocessor multiprocessors[] = {
    { 75, 1024, 16, 64 << 10, 0, 320e9 / 40 },           /* T4 */
    { 80, 2048, 32, 164 << 10, 1 << 10, 2039e9 / 108 },  /* A100 80 GB */
    { 86, 1536, 16, 100 << 10, 1 << 10, 936e9 / 82 },    /* RTX 3090 */
    { 89, 1536, 24, 100 << 10, 1 << 10, 1008e9 / 128 },  /* RTX 4090 */
    { 90, 2048, 32, 228 << 10, 1 << 10, 3352e9 / 132 },  /* H100 SXM */
    { 100, 2048, 32, 228 << 10, 1 << 10, 8000e9 / 148 }, /* B200 */
    { 120, 1536, 24, 100 << 10, 1 << 10, 1792e9 / 170 }, /* RTX 5090 */
};

static const struct multiprocessor *multiprocessor_of(int architecture)
{
    for (unsigned i = 0; i < sizeof multiprocessors / sizeof *multiprocessors; i++)
        if (multiprocessors[i].architecture == architecture)
            return &multiprocessors[i];
    cr_assert_fail("sm_%d is in no table", architecture);
    return NULL;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Groups that a multiprocessor holds: 65536 registers, given to warps of 32 work-items in pieces of 256. */
static unsigned resident(const struct multiprocessor *on, unsigned local, unsigned registers, size_t shared)
{
    const unsigned warps = (local + 31) / 32, of_warp = (32 * registers + 255) / 256 * 256;
    unsigned groups = least(on->groups, least(on->items / (32 * warps), 65536 / (of_warp * warps)));
    return shared + on->reserved > 0 ? least(groups, on->shared / (unsigned)(shared + on->reserved)) : groups;
}

/* The bound that follows. Of a tile: FLOP for each byte that the group reads. Of the others: what the bytes in flight,
 * which are those that the resident work-items load before they wait, allow of the memory's bandwidth at a latency of
 * 0.8 us; the worst and the best architecture. */
static void bound_write(char to[96], const struct compiler *compiler, const struct form *form, const struct pass *pass)
{
    const double latency = 0.8e-6;
    double m, n, worst = 1, best = 0;
    if (sscanf(form->launch.kernel_shape, "%lfx%lfx", &m, &n) == 2) {
        snprintf(to, 96, "%.0f FLOP/B", m * n / (2 * (m + n)));
        return;
    }
    const char *steps = strstr(form->launch.defines, "-DSTEPS=");
    const bool loads_two = strcmp(pass->entry, "multiply") == 0 || strcmp(pass->entry, "triad") == 0;
    const double turns = strcmp(pass->entry, "sums") == 0 ? 8 : strtod(steps + strlen("-DSTEPS="), NULL);
    for (unsigned i = 0; i < compiler->architectures; i++) {
        const struct multiprocessor *on = multiprocessor_of(compiler->architecture[i]);
        const unsigned local = (unsigned)pass->group, registers = registers_of(&form->verdict[i], pass->entry);
        const double in_flight = resident(on, local, registers, 0) * local * turns * (loads_two ? 8 : 4);
        const double share = fmin(1, in_flight / (on->bandwidth * latency));
        worst = fmin(worst, share), best = fmax(best, share);
    }
    if (strcmp(pass->entry, "chains") == 0)
        snprintf(to, 96, "all arithmetic: 12 chains");
    else if (strcmp(pass->entry, "fill") == 0)
        snprintf(to, 96, "all bandwidth: it waits for nothing");
    else
        snprintf(to, 96, worst < best ? "%.0f to %.0f %% of bandwidth" : "%.0f %% of bandwidth", 100 * worst,
                 100 * best);
}

/* The table of docs/nvidia.md, or every form with its registers alone. */
static void table_write(FILE *out, const struct compiler *compiler, const struct forms *forms, bool is_page)
{
    char bound[96];
    fputs(is_page ? "| form | shared |" : "| form |", out);
    for (unsigned i = 0; i < compiler->architectures; i++)
        fprintf(out, " sm_%d |", compiler->architecture[i]);
    fprintf(out, "%s\n%s", is_page ? " bound |" : "", is_page ? "|---|---|" : "|---|");
    for (unsigned i = 0; i < compiler->architectures + is_page; i++)
        fputs("---|", out);
    fputc('\n', out);
    for (unsigned i = 0; i < forms->count; i++) {
        const struct form *form = &forms->form[i];
        const struct pass *pass = main_pass(form);
        if (is_page && (!form->is_listed || strcmp(form->problem.workload->name, "launch") == 0))
            continue;
        if (is_page)
            fprintf(out, "| %s%s%s | %zu |", pass->entry, *form->launch.kernel_shape ? " " : "",
                    form->launch.kernel_shape, pass->shared);
        else
            fprintf(out, "| %s %s %s |", form->problem.workload->name, form->type, form->launch.defines);
        for (unsigned k = 0; k < compiler->architectures; k++) {
            const unsigned registers = registers_of(&form->verdict[k], pass->entry);
            const struct multiprocessor *on = multiprocessor_of(compiler->architecture[k]);
            if (is_page)
                fprintf(out, " %u, %u%s |", registers, resident(on, (unsigned)pass->group, registers, pass->shared),
                        form->verdict[k].spilled > 0 ? ", spills" : "");
            else
                fprintf(out, form->verdict[k].spilled > 0 ? " %u, %u bytes spilled |" : " %u |",
                        form->verdict[k].registers, form->verdict[k].spilled);
        }
        if (is_page)
            bound_write(bound, compiler, form, pass), fprintf(out, " %s |", bound);
        fputc('\n', out);
    }
}

/* What a work-item multiplies at a step of a tile's loop; 0: it is no tile of matmul's or conv's. */
static unsigned products_of(const struct form *form)
{
    return option_of(form, "-DOWN_PLACES=") * option_of(form, "-DOWN_FILTERS=") * option_of(form, "-DDEPTH=") +
           (strcmp(main_pass(form)->entry, "matmul") == 0
                ? option_of(form, "-DMR=") * option_of(form, "-DNR=") * option_of(form, "-DBLOCK_K=")
                : 0);
}

/* Multiply-adds in the machine code of a form's inner loop, in percent. */
static double share_of(const struct compiler *compiler, const struct form *form, int architecture,
                       const char *disassembler)
{
    struct error err = { .status = STATUS_OK };
    size_t bytes = 0;
    double share = 0;
    char path[] = "/tmp/nvrtc_code_XXXXXX", command[PATH_MAX + 300];
    void *code = nvrtc_compile(&compiler->nvrtc, form->portable->source, form->launch.defines, NVRTC_MACHINE_CODE,
                               architecture, &bytes, &err);
    cr_assert(code, "%s", err.message);
    FILE *out = fdopen(mkstemp(path), "w");
    cr_assert(out && fwrite(code, 1, bytes, out) == bytes && fclose(out) == 0, "%s", path);
    free(code);
    snprintf(command, sizeof command, "python3 " ROOT "/tests/bench/backends/inner_loop.py '%s' %s %s %u", disassembler,
             path, main_pass(form)->entry, products_of(form));
    FILE *in = popen(command, "r");
    cr_assert(in && fscanf(in, "%lf", &share) == 1, "%s", command);
    cr_assert_eq(pclose(in), 0, "%s", command);
    unlink(path);
    return share;
}

/* The shares of the tiles that docs/nvidia.md lists, and of the peak of arithmetic. */
static void shares_write(FILE *out, const struct compiler *compiler, const struct forms *forms,
                         const char *disassembler)
{
    fputs("| form |", out);
    for (unsigned k = 0; k < compiler->architectures; k++)
        fprintf(out, " sm_%d |", compiler->architecture[k]);
    fputs("\n|---|", out);
    for (unsigned k = 0; k < compiler->architectures; k++)
        fputs("---|", out);
    fputc('\n', out);
    for (unsigned i = 0; i < forms->count; i++) {
        const struct form *form = &forms->form[i];
        const char *entry = main_pass(form)->entry;
        const bool is_peak = strcmp(entry, "chains") == 0;
        if (!form->is_listed || (products_of(form) == 0 && !is_peak))
            continue;
        fprintf(out, "| %s%s%s |", entry, is_peak ? "" : " ", form->launch.kernel_shape);
        for (unsigned k = 0; k < compiler->architectures; k++) {
            const double share = share_of(compiler, form, compiler->architecture[k], disassembler);
            const double least = is_peak ? 99 : strcmp(entry, "conv") == 0 ? 80 : registers_most(form) > 128 ? 89 : 76;
            cr_expect_geq(share, least, "%s %s, sm_%d: %.1f %% multiply-adds", entry, form->launch.kernel_shape,
                          compiler->architecture[k], share);
            fprintf(out, " %.1f |", share);
        }
        fputc('\n', out);
    }
}

/* Compares a part of a file, from the line `first` to the next empty line, with what is true of it; UPDATE_GOLDEN=1
 * writes it anew. Another NVRTC has other registers: then nothing is compared. */
static void check_part(const char *path, const char *first, const char *truth)
{
    char *text = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    cr_assert(file && getdelim(&text, &room, '\0', file) > 0, "%s", path);
    fclose(file);
    char *start = strstr(text, first), *end;
    if (!start) {
        printf("# %s has nothing of %s", path, first);
        free(text);
        return;
    }
    start += strlen(first);
    end = strstr(start, "\n\n") ? strstr(start, "\n\n") + 1 : start + strlen(start);
    const bool is_same = strlen(truth) == (size_t)(end - start) && memcmp(truth, start, strlen(truth)) == 0;
    if (!is_same && getenv("UPDATE_GOLDEN")) {
        file = fopen(path, "w");
        cr_assert(file && fprintf(file, "%.*s%s%s", (int)(start - text), text, truth, end) > 0 && fclose(file) == 0,
                  "%s", path);
    } else {
        cr_expect(is_same, "%s is not true of %s: UPDATE_GOLDEN=1 NVRTC_ARCHITECTURES=all writes it anew", path, first);
    }
    free(text);
}

static void check_table(const char *path, const char *first, const struct compiler *compiler, const struct forms *forms,
                        bool is_page)
{
    char *truth = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&truth, &bytes);
    table_write(out, compiler, forms, is_page);
    fclose(out);
    check_part(path, first, truth);
    free(truth);
}

Test(nvrtc, every_portable_text_fits_in_registers_on_every_architecture)
{
    struct compiler compiler = compiler_open();
    struct forms forms = forms_open(&compiler);
    char first[160];
    cr_expect_geq(forms.count, 50, "%u forms", forms.count);
    for (unsigned i = 0; i < forms.count; i++)
        check_form(&compiler, &forms.form[i]);
    if (compiler.has_all) {
        snprintf(first, sizeof first, "By NVRTC %s:\n\n", compiler.version);
        check_table(ROOT "/docs/nvidia.md", first, &compiler, &forms, true);
        snprintf(first, sizeof first, "NVRTC %s\n", compiler.version);
        check_table(ROOT "/tests/golden/registers.txt", first, &compiler, &forms, false);
    }
    free(forms.form);
}

Test(nvrtc, inner_loops_are_mostly_multiply_adds)
{
    const char *disassembler = getenv("NVDISASM") ? getenv("NVDISASM") : "/usr/local/cuda/bin/nvdisasm";
    if (access(disassembler, X_OK) != 0)
        cr_skip_test("%s is not there; NVDISASM names another one (PyPI: nvidia-cuda-nvdisasm)", disassembler);
    struct compiler compiler = compiler_open();
    struct forms forms = forms_list(&compiler);
    char first[160], *truth = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&truth, &bytes);
    shares_write(out, &compiler, &forms, disassembler);
    fclose(out);
    snprintf(first, sizeof first, "Multiply-adds by NVRTC %s, in percent:\n\n", compiler.version);
    if (compiler.has_all)
        check_part(ROOT "/docs/nvidia.md", first, truth);
    free(truth);
    free(forms.form);
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
    cr_expect(wide.compiles && wide.entries == 1 && wide.registers > 128 && wide.spilled == 0, "%s", wide.log);
    struct verdict narrow = compile(&compiler, many, compiler.architecture[0], "", "-DGROUPS=4");
    cr_expect(narrow.compiles && narrow.registers <= 64 && narrow.spilled > 0, "%s", narrow.log);
    struct verdict indexed = compile(&compiler, stacked, compiler.architecture[0], "", "");
    cr_expect(indexed.compiles && indexed.spilled > 0, "%s", indexed.log);
    cr_expect_not(compile(&compiler, many, compiler.architecture[0], "-Dfloat=nothing", "").compiles);
}
