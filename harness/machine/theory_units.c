#include "harness/machine/theory_units.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <string.h>

const char *const theory_features[] = { "avx2", "avx512f", "avx512_bf16", "avx_vnni", "avx512_fp16", "amx_tile", NULL };

/* Intel: "The Compute Architecture of Intel Processor Graphics" Gen8 and Gen9 (two 4-wide FPUs an EU; one of the Gen9
 * ones does f64, 4 FLOP a cycle; Apollo and Gemini Lake are said to do half of that, which is left unknown), Gen11
 * ("... Gen11 Architecture": two 4-wide ALUs, no f64), "Intel Iris Xe MAX / Xe-LP" (one 8-wide pipe, no f64),
 * "Introduction to the Xe-HPG Architecture" (16 FLOP a vector engine, no f64 units), "Intel Data Center GPU Max Series
 * Technical Overview" (32 FLOP a vector engine in f32 and f64), "Xe2 and Lunar Lake" (native SIMD16). What Xe-LPG and
 * Xe2 do in f64 is not published.
 *
 * NVIDIA: "CUDA C++ Programming Guide", throughput of native arithmetic instructions, and the whitepapers of GP100,
 * GV100, GA100, GA102, AD102, GH100 and Blackwell for f64. Cards of 3.5 differ in f64, and of 10.3 and of the small
 * ones in other machines (7.2, 8.7, 11.0, 12.1) it is not said: unknown.
 *
 * AMD: "GCN Architecture" (four 16-wide SIMDs), "RDNA Architecture" (two 32-wide ones; a workgroup processor is two
 * compute units), "RDNA 3 Instruction Set Architecture", section on VOPD (dual issue), "CDNA", "CDNA 2" and "CDNA 3"
 * whitepapers (packed f32). Cards of one GCN 2 or Vega 20 chip differ in f64: unknown. */
static const struct gpu_unit gpu_units[] = {
    { "intel gen8", "EU", { 8, 0 }, 1, NULL },           { "intel gen9", "EU", { 8, 2 }, 1, NULL },
    { "intel gen9lp", "EU", { 8, 0 }, 1, NULL },         { "intel gen11", "EU", { 8, 0 }, 1, NULL },
    { "intel xe-lp", "EU", { 8, 0 }, 1, NULL },          { "intel xe-hpg", "XVE", { 8, 0 }, 1, NULL },
    { "intel xe-lpg", "XVE", { 8, 0 }, 1, NULL },        { "intel xe-hpc", "XVE", { 16, 16 }, 1, NULL },
    { "intel xe2", "XVE", { 16, 0 }, 1, NULL },          { "nvidia 3.0", "SM", { 192, 8 }, 1, NULL },
    { "nvidia 3.5", "SM", { 192, 0 }, 1, NULL },         { "nvidia 3.7", "SM", { 192, 64 }, 1, NULL },
    { "nvidia 5.0", "SM", { 128, 4 }, 1, NULL },         { "nvidia 5.2", "SM", { 128, 4 }, 1, NULL },
    { "nvidia 5.3", "SM", { 128, 4 }, 1, NULL },         { "nvidia 6.0", "SM", { 64, 32 }, 1, NULL },
    { "nvidia 6.1", "SM", { 128, 4 }, 1, NULL },         { "nvidia 6.2", "SM", { 128, 4 }, 1, NULL },
    { "nvidia 7.0", "SM", { 64, 32 }, 1, NULL },         { "nvidia 7.2", "SM", { 64, 0 }, 1, NULL },
    { "nvidia 7.5", "SM", { 64, 2 }, 1, NULL },          { "nvidia 8.0", "SM", { 64, 32 }, 1, NULL },
    { "nvidia 8.6", "SM", { 128, 2 }, 1, NULL },         { "nvidia 8.7", "SM", { 128, 0 }, 1, NULL },
    { "nvidia 8.9", "SM", { 128, 2 }, 1, NULL },         { "nvidia 9.0", "SM", { 128, 64 }, 1, NULL },
    { "nvidia 10.0", "SM", { 128, 64 }, 1, NULL },       { "nvidia 10.3", "SM", { 128, 0 }, 1, NULL },
    { "nvidia 11.0", "SM", { 128, 0 }, 1, NULL },        { "nvidia 12.0", "SM", { 128, 2 }, 1, NULL },
    { "nvidia 12.1", "SM", { 128, 0 }, 1, NULL },        { "amd gfx700", "CU", { 64, 0 }, 1, NULL },
    { "amd gfx701", "CU", { 64, 0 }, 1, NULL },          { "amd gfx802", "CU", { 64, 4 }, 1, NULL },
    { "amd gfx803", "CU", { 64, 4 }, 1, NULL },          { "amd gfx900", "CU", { 64, 4 }, 1, NULL },
    { "amd gfx902", "CU", { 64, 4 }, 1, NULL },          { "amd gfx906", "CU", { 64, 0 }, 1, NULL },
    { "amd gfx908", "CU", { 64, 32 }, 1, NULL },         { "amd gfx909", "CU", { 64, 4 }, 1, NULL },
    { "amd gfx90a", "CU", { 64, 64 }, 2, "packed" },     { "amd gfx90c", "CU", { 64, 4 }, 1, NULL },
    { "amd gfx942", "CU", { 64, 64 }, 2, "packed" },     { "amd gfx950", "CU", { 64, 64 }, 2, "packed" },
    { "amd gfx1010", "CU", { 64, 4 }, 1, NULL },         { "amd gfx1011", "CU", { 64, 4 }, 1, NULL },
    { "amd gfx1012", "CU", { 64, 4 }, 1, NULL },         { "amd gfx1030", "CU", { 64, 4 }, 1, NULL },
    { "amd gfx1031", "CU", { 64, 4 }, 1, NULL },         { "amd gfx1032", "CU", { 64, 4 }, 1, NULL },
    { "amd gfx1033", "CU", { 64, 4 }, 1, NULL },         { "amd gfx1034", "CU", { 64, 4 }, 1, NULL },
    { "amd gfx1035", "CU", { 64, 4 }, 1, NULL },         { "amd gfx1036", "CU", { 64, 4 }, 1, NULL },
    { "amd gfx1100", "CU", { 64, 4 }, 2, "dual issue" }, { "amd gfx1101", "CU", { 64, 4 }, 2, "dual issue" },
    { "amd gfx1102", "CU", { 64, 4 }, 2, "dual issue" }, { "amd gfx1103", "CU", { 64, 4 }, 2, "dual issue" },
    { "amd gfx1150", "CU", { 64, 4 }, 2, "dual issue" }, { "amd gfx1151", "CU", { 64, 4 }, 2, "dual issue" },
    { "amd gfx1200", "CU", { 64, 4 }, 2, "dual issue" }, { "amd gfx1201", "CU", { 64, 4 }, 2, "dual issue" },
};

const struct gpu_unit *theory_gpu_unit(const char *architecture)
{
    for (unsigned i = 0; i < sizeof gpu_units / sizeof *gpu_units; i++)
        if (strcmp(gpu_units[i].architecture, architecture) == 0)
            return &gpu_units[i];
    return NULL;
}

/* A GeForce does half of f16, bf16 and tf32 if sums are in f32: 57 TFLOP/s (f16) of an RTX 2080 Ti, 71 of a 3090, 165
 * of a 4090, 210 of a 5090. So does an L40 by its datasheet (181); an L4 does all (121). */
static const char geforce[] = "a GeForce of this architecture does half of that where sums are in f32";
static const char geforce_l40[] = "a GeForce or L40 does half of that where sums are in f32";

/* By NVIDIA's whitepapers; in each row, tensor cores of a multiprocessor x multiply-adds of one in a cycle, and TFLOP/s
 * of f16; twice that of i8 (130 TOP/s of a T4, 624 of an A100, 299 of an A40, 733 of an L40S, 1979 of an H100), in a
 * GeForce too (285 of a 3090, 661 of a 4090, 838 of a 5090). They have nothing about the small chips in other machines,
 * or about GB100's multiprocessor. */
static const struct gpu_tensor gpu_tensors[] = {
    /* GV100: 8 x 64; 125 */
    { "nvidia 7.0", { [DTYPE_F16] = 512 }, NULL, false },
    /* TU102: 8 x 64; a T4 65 */
    { "nvidia 7.5", { [DTYPE_F16] = 512, [DTYPE_I8] = 1024 }, geforce, false },
    /* GA100: 4 x 256; 312; half in tf32, a sixteenth in f64 */
    { "nvidia 8.0",
      { [DTYPE_F16] = 1024, [DTYPE_BF16] = 1024, [DTYPE_TF32] = 512, [DTYPE_F64] = 64, [DTYPE_I8] = 2048 },
      NULL,
      false },
    /* GA102: 4 x 128; an A40 150, with f32 sums */
    { "nvidia 8.6", { [DTYPE_F16] = 512, [DTYPE_BF16] = 512, [DTYPE_TF32] = 256, [DTYPE_I8] = 1024 }, geforce, false },
    /* AD102: 4 x 128; an L40S 362, with f32 sums */
    { "nvidia 8.9",
      { [DTYPE_F16] = 512, [DTYPE_BF16] = 512, [DTYPE_TF32] = 256, [DTYPE_I8] = 1024 },
      geforce_l40,
      true },
    /* GH100: 4 x 512; 989 */
    { "nvidia 9.0",
      { [DTYPE_F16] = 2048, [DTYPE_BF16] = 2048, [DTYPE_TF32] = 1024, [DTYPE_F64] = 128, [DTYPE_I8] = 4096 },
      NULL,
      false },
    /* GB202: as AD102 */
    { "nvidia 12.0", { [DTYPE_F16] = 512, [DTYPE_BF16] = 512, [DTYPE_TF32] = 256, [DTYPE_I8] = 1024 }, geforce, false },
};

const struct gpu_tensor *theory_gpu_tensor(const char *architecture)
{
    for (unsigned i = 0; i < sizeof gpu_tensors / sizeof *gpu_tensors; i++)
        if (strcmp(gpu_tensors[i].architecture, architecture) == 0)
            return &gpu_tensors[i];
    return NULL;
}

/* NVIDIA's "Turing Tuning Guide" and the datasheets: TU116 and TU117 have units for f16 in place of tensor cores. An
 * H20 and an H800 do 1 TFLOP/s in f64, and an H20 148 in f16: less than their multiprocessors would. */
static const char no_tensor_cores[] = "this card has no tensor cores, and what it does of f16 in a cycle is not known";
static const char cut_down[] = "this card does less of f16, bf16, tf32 or f64 in a cycle than others of sm_90";
static const struct {
    const char *architecture, *words, *why;
    bool has_f64;
} gpu_exceptions[] = {
    { "nvidia 7.5", "GTX MX450 MX550 T400 T500 T550 T600 T1000 T1200 T2000 30HX", no_tensor_cores, true },
    { "nvidia 9.0", "H20 H20-3e H800", cut_down, false },
};

const char *theory_gpu_exception(const struct device *device, enum dtype dtype)
{
    for (unsigned i = 0; i < sizeof gpu_exceptions / sizeof *gpu_exceptions; i++) {
        char words[96], *rest = NULL;
        if (strcmp(gpu_exceptions[i].architecture, device->architecture) != 0 || dtype == DTYPE_F32 ||
            (dtype == DTYPE_F64 && gpu_exceptions[i].has_f64))
            continue;
        snprintf(words, sizeof words, "%s", gpu_exceptions[i].words);
        for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
            if (text_has_word(device->name, word))
                return gpu_exceptions[i].why;
    }
    return NULL;
}

/* By the whitepapers named above: twice the f64 on CDNA 2 and 3 (95.7 to 47.9 and 163.4 to 81.7 TFLOP/s), twice the f32
 * on CDNA (46.1 to 23.1). What Blackwell's do is left open. */
bool theory_gpu_has_more(const char *architecture, enum dtype dtype)
{
    static const struct {
        const char *architecture;
        enum dtype dtype;
    } more[] = {
        { "nvidia 10.0", DTYPE_F64 },
        { "amd gfx908", DTYPE_F32 },
        { "amd gfx90a", DTYPE_F64 },
        { "amd gfx942", DTYPE_F64 },
    };
    for (unsigned i = 0; i < sizeof more / sizeof *more; i++)
        if (more[i].dtype == dtype && strcmp(more[i].architecture, architecture) == 0)
            return true;
    return false;
}

#define SKYLAKE         "avx2"
#define ICE_LAKE        "avx2 avx512f"
#define SAPPHIRE_RAPIDS "avx2 avx512f avx512_bf16 avx_vnni avx512_fp16 amx_tile"

/* Intel: "64 and IA-32 Architectures Optimization Reference Manual" (execution ports); models: "Software Developer's
 * Manual", volume 4, table of DisplayFamily_DisplayModel. AMD: "Software Optimization Guide" for Family 17h, for Family
 * 19h, for Zen4 and for Zen5; models: revision guides. Processors with several kinds of core, which do not do the same
 * (all of Intel's from Meteor Lake on), are in no table. */
static const struct cpu_core cpu_cores[] = {
    /* client cores: 256-bit multiply-adds on ports 0 and 1 */
    { "intel", "Haswell", 6, { 60, 63, 69, 70 }, 2, 256, SKYLAKE, NULL, false },
    { "intel", "Broadwell", 6, { 61, 71, 79, 86 }, 2, 256, SKYLAKE, NULL, false },
    { "intel", "Skylake, Kaby, Coffee, Comet Lake", 6, { 78, 94, 142, 158, 165, 166 }, 2, 256, SKYLAKE, NULL, false },
    /* 512-bit ones on ports 0 and 1 joined, and on port 5, which Xeon Bronze, Silver and some Gold do not have
     * (ark.intel.com, "# of AVX-512 FMA Units") */
    { "intel",
      "Skylake-X, Cascade Lake",
      6,
      { 85 },
      2,
      512,
      ICE_LAKE " avx512_bf16",
      "some of this model have one 512-bit unit, not two",
      false },
    { "intel", "Ice, Tiger, Rocket Lake", 6, { 125, 126, 140, 141, 167 }, 2, 256, ICE_LAKE, NULL, true },
    { "intel", "Ice Lake server", 6, { 106 }, 2, 512, ICE_LAKE, NULL, true },
    /* Xeon D has no unit on port 5 (ark.intel.com) */
    { "intel", "Ice Lake D", 6, { 108 }, 2, 512, ICE_LAKE, "some of this model have one 512-bit unit, not two", false },
    { "intel", "Alder, Raptor Lake", 6, { 151, 154, 183, 186, 191 }, 2, 256, SKYLAKE " avx_vnni", NULL, false },
    { "intel", "Sapphire, Emerald Rapids", 6, { 143, 207 }, 2, 512, SAPPHIRE_RAPIDS, NULL, true },
    { "intel", "Granite Rapids", 6, { 173, 174 }, 2, 512, SAPPHIRE_RAPIDS, NULL, true },
    /* models 00h-2Fh: 128-bit units; 30h and later: 256-bit */
    { "amd", "Zen", 23, { 1, 8, 17, 24, 32 }, 2, 128, SKYLAKE, NULL, false },
    { "amd", "Zen 2", 23, { 49, 96, 104, 113, 144, 152, 160 }, 2, 256, SKYLAKE, NULL, false },
    { "amd", "Zen 3", 25, { 1, 8, 33, 64, 68, 80 }, 2, 256, SKYLAKE, NULL, false },
    /* 512-bit ones are done in halves */
    { "amd", "Zen 4", 25, { 17, 24, 97, 116, 117, 120, 160 }, 2, 256, ICE_LAKE " avx512_bf16", NULL, true },
    { "amd", "Zen 5", 26, { 2, 17, 68 }, 2, 512, ICE_LAKE " avx512_bf16 avx_vnni", NULL, true },
    /* Strix and Krackan Point */
    { "amd", "Zen 5 mobile", 26, { 32, 36, 96 }, 2, 256, ICE_LAKE " avx512_bf16 avx_vnni", NULL, true },
};

const struct cpu_core *theory_cpu_core(const char *architecture)
{
    enum { MODELS = sizeof cpu_cores->model / sizeof *cpu_cores->model };
    char vendor[16];
    unsigned family, model;
    int length = 0;
    if (sscanf(architecture, "%15s %u-%u%n", vendor, &family, &model, &length) != 3 || architecture[length] != '\0')
        return NULL;
    for (unsigned i = 0; i < sizeof cpu_cores / sizeof *cpu_cores; i++) {
        const struct cpu_core *core = &cpu_cores[i];
        if (strcmp(core->vendor, vendor) != 0 || core->family != family)
            continue;
        for (unsigned k = 0; k < MODELS && core->model[k]; k++)
            if (core->model[k] == model)
                return core;
    }
    return NULL;
}
