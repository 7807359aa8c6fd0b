#include "bench/backends/cpu/openblas.h"
#include "bench/backends/common/gemm.h"
#include "config.h"

#include "harness/base/library.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SYMBOL(prefix, name) #prefix #name,
static const char *const symbols[] = { OPENBLAS(SYMBOL) };

/* By the value of openblas_get_parallel. */
static const char *const builds[] = { "build without threads", "pthread build", "OpenMP build" };

/* The library reads it while it is loaded. */
static const char core_variable[] = "OPENBLAS_CORETYPE";

/* Instruction sets of the cores that 64-bit x86 builds have, after the compiler's options in OpenBLAS's
 * Makefile.x86_64. */
static const struct {
    enum isa isa;
    const char *names; /* a blank on both sides of each */
} cores[] = {
    { ISA_AVX512, " SkylakeX Cooperlake SapphireRapids " },
    { ISA_AVX2, " Haswell Zen Excavator " },
    { ISA_BASELINE, " Steamroller Piledriver Bulldozer Sandybridge Nehalem Dunnington Penryn Core2 Prescott Atom Nano "
                    "Bobcat Barcelona Opteron Opteron_SSE3 " },
};

const char *openblas_better_core(const char *core, enum isa isa)
{
    static const char *const best[ISA_COUNT] = { "", "Haswell", "SkylakeX" };
    const struct text name = text_print(" %s ", core);
    for (unsigned i = 0; i < sizeof cores / sizeof *cores; i++)
        if (strcasestr(cores[i].names, name.text))
            return cores[i].isa < isa ? best[isa] : "";
    return "";
}

/* The widest that processor and system have enabled, with everything that the compiler may use beside it for a core. */
static enum isa enabled_isa(void)
{
#if defined __x86_64__
    const char *isa = host_isa();
    if (strcmp(isa, cpu_isa_name[ISA_BASELINE]) == 0 || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2"))
        return ISA_BASELINE;
    return strcmp(isa, cpu_isa_name[ISA_AVX512]) == 0 && __builtin_cpu_supports("avx512cd") ? ISA_AVX512 : ISA_AVX2;
#else
    return ISA_BASELINE;
#endif
}

/* As it is loaded it asks for a buffer of 128 MiB for each thread, again and again until it gets one (0.3.21,
 * memory.c).
 */
static bool has_room(struct error *err)
{
    const struct text limits = host_limits("");
    const size_t bytes = (1 + (size_t)parallel_threads()) * (128 << 20);
    void *volatile room = malloc(bytes); /* volatile: or it is left out, as nothing uses it */
    const bool fits = room;
    free(room);
    return fits || fail(err, STATUS_NO_MEMORY, "OpenBLAS needs %s when it is loaded%s%s",
                        text_bytes((double)bytes).text, *limits.text ? "; " : "", limits.text);
}

static bool load(struct openblas *out, const char *const sonames[], struct error *err)
{
    static const char *const usual[] = { OPENBLAS_FILES, NULL };
    *out = (struct openblas){ .name = "OpenBLAS" };
    if (!has_room(err))
        return false;
    void *handle = library_load(sonames ? sonames : usual, "libopenblas0-openmp", err);
    return handle && library_bind(handle, out->name, LIBRARY_NAMES(symbols), &out->call, err);
}

/* Whether the build has the kernels of one core only, so that the variable has no effect. */
static bool has_one_core(const struct openblas *library)
{
    return !strstr(library->call.get_config(), "DYNAMIC_ARCH");
}

enum { VERSION_MAX = 24 };
static const char *version_of(const struct openblas *library, char to[VERSION_MAX])
{
    text_copy(to, VERSION_MAX, "unknown");
    sscanf(library->call.get_config(), "OpenBLAS %23s", to);
    return to;
}

void cpu_openblas_probe(struct device *device, const char *const sonames[])
{
    struct openblas library;
    const char *chosen = getenv(core_variable);
    struct error why = { .status = STATUS_OK };
    struct device_library *entry = &device->library[0];
    if (!load(&library, sonames, &why)) {
        if (why.status == STATUS_NO_MEMORY) {
            text_copy(entry->name, sizeof entry->name, "OpenBLAS");
            text_copy(entry->trouble, sizeof entry->trouble, why.message);
        }
        return;
    }
    text_clean(device->blas_core, sizeof device->blas_core, library.call.get_corename());
    text_copy(device->blas_better, sizeof device->blas_better, openblas_better_core(device->blas_core, enabled_isa()));
    if (has_one_core(&library))
        text_copy(device->blas_bound, sizeof device->blas_bound, "build");
    else if (chosen && strcasecmp(chosen, device->blas_core) == 0)
        text_copy(device->blas_bound, sizeof device->blas_bound, core_variable);

    char version[VERSION_MAX];
    const bool is_told = *device->blas_better && !*device->blas_bound;
    text_copy(entry->name, sizeof entry->name, "OpenBLAS");
    snprintf(entry->version, sizeof entry->version, "%.15s %s", version_of(&library, version),
             is_told ? device->blas_better : device->blas_core);
}

bool openblas_open(struct openblas *out, const char *const sonames[], const char *core, unsigned threads,
                   struct error *err)
{
    if (*core)
        setenv(core_variable, core, 1);
    if (!load(out, sonames, err))
        return false;

    /* In the OpenMP build this sets the threads of OpenMP itself, too, to the same number. */
    out->call.set_num_threads((int)threads);
    out->threads = (unsigned)out->call.get_num_threads();

    char version[VERSION_MAX];
    const int build = out->call.get_parallel();
    const char *used = out->call.get_corename();
    snprintf(out->name, sizeof out->name, "OpenBLAS %s, %s, %.20s%s", version_of(out, version),
             build >= 0 && build < (int)(sizeof builds / sizeof *builds) ? builds[build] : "unknown build", used,
             strcasecmp(core, used) == 0 ? " chosen by bench" : "");
    return true;
}

/* Some builds multiply bf16, but give the product in f32: it would have to be rounded in a pass of our own, which is
 * then no longer what the library does. f32 does for tf32 as well. */
static bool has_gemm_of(enum dtype dtype, struct error *err)
{
    return dtype == DTYPE_F32 || dtype == DTYPE_TF32 || dtype == DTYPE_F64 ||
           fail(err, STATUS_UNSUPPORTED, "OpenBLAS has no gemm of %s%s", dtype_name(dtype),
                dtype == DTYPE_BF16 ? " that gives bf16: some builds have one that gives f32" : "");
}

/* One product by gemm or gemv; of a step of train five by gemm, which reads transposed operands in place, and a pass of
 * plain C after each. */
struct openblas_work {
    struct openblas library;
    struct passes passes; /* of matmul the arrays alone */
    bool is_f64, is_gemv, has_passes;
    unsigned gemms;
    struct gemm gemm[TRAIN_PRODUCTS];
};

static void gemm_call(const struct openblas_work *work, const struct gemm *gemm)
{
    const struct openblas_calls *call = &work->library.call;
    void *const *array = work->passes.array;
    const blasint m = (blasint)gemm->m, n = (blasint)gemm->n, k = (blasint)gemm->k;
    const blasint a_pitch = (blasint)gemm->a_pitch, b_pitch = (blasint)gemm->b_pitch;
    const CBLAS_TRANSPOSE a_way = gemm->a_is_transposed ? CblasTrans : CblasNoTrans;
    const CBLAS_TRANSPOSE b_way = gemm->b_is_transposed ? CblasTrans : CblasNoTrans;
    const void *a = array[gemm->a], *b = array[gemm->b];
    if (work->is_f64)
        call->dgemm(CblasRowMajor, a_way, b_way, m, n, k, 1, a, a_pitch, b, b_pitch, 0, array[gemm->c], n);
    else
        call->sgemm(CblasRowMajor, a_way, b_way, m, n, k, 1, a, a_pitch, b, b_pitch, 0, array[gemm->c], n);
}

/* A product with one column or one row. A row times B is B', transposed, times that row. */
static void gemv_call(const struct openblas_work *work, const struct gemm *gemm)
{
    const struct openblas_calls *call = &work->library.call;
    void *const *array = work->passes.array;
    const bool is_row = gemm->n > 1;
    const CBLAS_TRANSPOSE way = is_row ? CblasTrans : CblasNoTrans;
    const blasint rows = (blasint)(is_row ? gemm->k : gemm->m), columns = (blasint)(is_row ? gemm->n : gemm->k);
    const void *matrix = array[is_row], *vector = array[!is_row];
    if (work->is_f64)
        call->dgemv(CblasRowMajor, way, rows, columns, 1, matrix, columns, vector, 1, 0, array[2], 1);
    else
        call->sgemv(CblasRowMajor, way, rows, columns, 1, matrix, columns, vector, 1, 0, array[2], 1);
}

static void work_close(void *opaque)
{
    struct openblas_work *work = opaque;
    cpu_passes_close(&work->passes);
}

static bool work_open(void *opaque, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                      struct error *err)
{
    struct openblas_work *work = opaque;
    const struct problem *problem = job->problem;
    work->passes.session = session;
    work->is_f64 = problem->dtype == DTYPE_F64;
    work->is_gemv = strcmp(job->method->name, "openblas-gemv") == 0;
    work->gemms = gemms_of(problem, work->gemm);
    work->has_passes = work->gemms > 1;
    if (!has_gemm_of(problem->dtype, err) ||
        !openblas_open(&work->library, NULL, session->blas_core, session->threads, err) ||
        !(work->has_passes ? cpu_passes_open(&work->passes, session, job, &cpu_train_passes, err)
                           : cpu_operands(job, work->passes.array, err)))
        return false;
    text_copy(detail, DETAIL_MAX, work->library.name);
    cpu_detail_append(detail, job, dtype_sums(problem->dtype), work->library.threads);
    return true;
}

static bool work_submit(void *opaque, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    const struct openblas_work *work = opaque;
    for (unsigned i = 0; i < work->gemms; i++) {
        (work->is_gemv ? gemv_call : gemm_call)(work, &work->gemm[i]);
        if (work->has_passes)
            cpu_passes_run(&work->passes, i);
    }
    return true;
}

const struct routine cpu_openblas = { .workload = { "matmul", "train" },
                                      .method = { "openblas", "openblas-gemv" },
                                      .bytes = sizeof(struct openblas_work),
                                      .open = work_open,
                                      .submit = work_submit,
                                      .close = work_close };
