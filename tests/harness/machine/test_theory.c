/* Peaks by formula: every row of the published table, what is unknown, and what is not to be believed. */

#include "harness/base/text.h"
#include "harness/machine/theory.h"
#include "harness/machine/theory_units.h"

#include <criterion/criterion.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

static struct device cpu_of(const char *architecture, unsigned cores, const char *isa, const char *features)
{
    struct device device = { .class = CLASS_CPU, .units = cores };
    strcpy(device.architecture, architecture);
    strcpy(device.isa, isa);
    strcpy(device.features, features);
    return device;
}

static struct device gpu_of(const char *architecture, unsigned units)
{
    struct device device = { .class = CLASS_DGPU, .units = units };
    strcpy(device.architecture, architecture);
    return device;
}

static struct device i5_8250u(void)
{
    return cpu_of("intel 6-142", 4, "avx2", "avx2");
}

static void check(const struct device *device, enum dtype dtype, double clock, const char *name, double gflops,
                  const char *formula)
{
    struct theory theory;
    cr_assert(theory_at(device, dtype, clock, name, &theory), "%s: %s", device->architecture, theory.why);
    cr_expect(fabs(theory.flops - gflops * 1e9) <= 0.5e9 * (gflops > 1e4) + 1, "%s: %.4f GFLOP/s, should be %.4f",
              theory.formula, theory.flops / 1e9, gflops);
    cr_expect_str_eq(theory.formula, formula);
    cr_expect_str_eq(theory.clock, name);
}

static const char *why_unknown(const struct device *device, enum dtype dtype)
{
    static struct theory theory;
    cr_expect_not(theory_at(device, dtype, 1e9, "base", &theory), "%s: %s", device->architecture, theory.formula);
    cr_expect(isnan(theory.flops) && !theory.is_confirmed && *theory.why);
    return theory.why;
}

/* Of a GPU, as a datasheet tells to three digits. 0: not known. */
static struct theory expect_rate(const char *architecture, unsigned units, double clock, enum dtype dtype, double rate)
{
    const struct device device = gpu_of(architecture, units);
    struct theory theory;
    const bool is_known = theory_at(&device, dtype, clock, "boost", &theory);
    cr_expect_eq(is_known, rate > 0, "%s %s: %s", architecture, dtype_name(dtype), theory.formula);
    cr_expect(!is_known || fabs(theory.flops / rate - 1) < 1e-3, "%s: %g FLOP/s", theory.formula, theory.flops);
    return theory;
}

Test(theory, every_row_of_the_published_table_follows_from_its_formula)
{
    struct device i5 = i5_8250u(), uhd = gpu_of("intel gen9", 24), p40 = gpu_of("nvidia 6.1", 30),
                  h100 = gpu_of("nvidia 9.0", 132);
    check(&i5, DTYPE_F32, 3.4e9, "single-core turbo", 435.2,
          "4 cores x 2 units x 8 lanes x 2 (FMA) x 3.40 GHz (single-core turbo)");
    check(&i5, DTYPE_F32, 2.7e9, "all-core AVX", 345.6,
          "4 cores x 2 units x 8 lanes x 2 (FMA) x 2.70 GHz (all-core AVX)");
    check(&i5, DTYPE_F32, 1.6e9, "base", 204.8, "4 cores x 2 units x 8 lanes x 2 (FMA) x 1.60 GHz (base)");
    check(&uhd, DTYPE_F32, 1.0e9, "maximum", 384.0, "24 EU x 16 FLOP x 1.00 GHz (maximum)");
    check(&uhd, DTYPE_F32, 1.1e9, "maximum", 422.4, "24 EU x 16 FLOP x 1.10 GHz (maximum)");
    check(&p40, DTYPE_F32, 1.531e9, "boost", 11758, "30 SM x 128 lanes x 2 (FMA) x 1.531 GHz (boost)");
    check(&h100, DTYPE_F32, 1.98e9, "boost", 66908, "132 SM x 128 lanes x 2 (FMA) x 1.98 GHz (boost)");
}

Test(theory, datasheets_of_other_parts_follow_too)
{
    static const struct {
        const char *architecture;
        unsigned units;
        double clock, f32, f64; /* GFLOP/s; 0: not known */
    } parts[] = {
        { "nvidia 7.0", 80, 1.530e9, 15667, 7834 },      /* V100 SXM2 */
        { "nvidia 7.5", 40, 1.590e9, 8141, 254.4 },      /* T4 */
        { "nvidia 8.0", 108, 1.410e9, 19492, 19492 },    /* A100, tensor cores in f64 */
        { "nvidia 8.9", 128, 2.520e9, 82575, 1290 },     /* RTX 4090 */
        { "nvidia 9.0", 132, 1.980e9, 66908, 66908 },    /* H100 SXM, the same */
        { "amd gfx90a", 220, 1.700e9, 95744, 47872 },    /* MI250X, packed */
        { "amd gfx942", 304, 2.100e9, 163430, 81715 },   /* MI300X, packed */
        { "amd gfx906", 60, 1.800e9, 13824, 0 },         /* MI50 and Radeon VII do not do the same in f64 */
        { "intel gen9", 24, 1.150e9, 441.6, 110.4 },     /* HD Graphics 530 */
        { "intel xe-lp", 96, 1.300e9, 1996.8, 0 },       /* Iris Xe */
        { "intel xe-hpg", 512, 2.100e9, 17203, 0 },      /* Arc A770 */
        { "intel xe-hpc", 1024, 1.600e9, 52429, 52429 }, /* Max 1550 */
        { "intel xe2", 160, 2.670e9, 13670, 0 },         /* Arc B580 */
    };
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        expect_rate(parts[i].architecture, parts[i].units, parts[i].clock, DTYPE_F32, parts[i].f32 * 1e9);
        expect_rate(parts[i].architecture, parts[i].units, parts[i].clock, DTYPE_F64, parts[i].f64 * 1e9);
    }
}

/* AMD's driver counts workgroup processors on RDNA: an RX 6900 XT has 40 of them, or 80 compute units. */
Test(theory, amd_units_are_distinguished_by_their_lanes)
{
    struct device pairs = gpu_of("amd gfx1030", 40), single = gpu_of("amd gfx1030", 80),
                  dual = gpu_of("amd gfx1100", 48);
    pairs.lanes = 128, single.lanes = 64, dual.lanes = 128;
    check(&pairs, DTYPE_F32, 2.25e9, "maximum", 23040, "40 WGP x 128 lanes x 2 (FMA) x 2.25 GHz (maximum)");
    check(&single, DTYPE_F32, 2.25e9, "maximum", 23040, "80 CU x 64 lanes x 2 (FMA) x 2.25 GHz (maximum)");
    check(&single, DTYPE_F64, 2.25e9, "maximum", 1440, "80 CU x 4 lanes x 2 (FMA) x 2.25 GHz (maximum)");
    check(&dual, DTYPE_F32, 2.5e9, "maximum", 61440,
          "48 WGP x 128 lanes x 2 (FMA) x 2 (dual issue) x 2.50 GHz (maximum)");
    check(&dual, DTYPE_F64, 2.5e9, "maximum", 1920, "48 WGP x 8 lanes x 2 (FMA) x 2.50 GHz (maximum)");
    pairs.lanes = 0;
    cr_expect(strstr(why_unknown(&pairs, DTYPE_F32), "pairs"));
    pairs.lanes = 96;
    cr_expect(strstr(why_unknown(&pairs, DTYPE_F32), "pairs"));
    struct device vega = gpu_of("amd gfx900", 64);
    check(&vega, DTYPE_F32, 1.5e9, "maximum", 12288, "64 CU x 64 lanes x 2 (FMA) x 1.50 GHz (maximum)");
}

Test(theory, cores_do_what_their_units_and_the_instruction_set_allow)
{
    struct device server =
                      cpu_of("intel 6-143", 56, "avx512", "avx2 avx512f avx512_bf16 avx_vnni avx512_fp16 amx_tile"),
                  zen = cpu_of("amd 23-1", 8, "avx2", "avx2"), one = cpu_of("amd 25-97", 1, "avx512", "avx2 avx512f");
    check(&server, DTYPE_F32, 2e9, "measured", 7168, "56 cores x 2 units x 16 lanes x 2 (FMA) x 2.00 GHz (measured)");
    check(&server, DTYPE_F64, 2e9, "measured", 3584, "56 cores x 2 units x 8 lanes x 2 (FMA) x 2.00 GHz (measured)");
    strcpy(server.isa, "avx2");
    check(&server, DTYPE_F32, 2e9, "measured", 3584, "56 cores x 2 units x 8 lanes x 2 (FMA) x 2.00 GHz (measured)");
    check(&zen, DTYPE_F32, 3e9, "measured", 384, "8 cores x 2 units x 4 lanes x 2 (FMA) x 3.00 GHz (measured)");
    check(&one, DTYPE_F32, 3.6e9, "measured", 115.2, "1 core x 2 units x 8 lanes x 2 (FMA) x 3.60 GHz (measured)");
    strcpy(zen.isa, "baseline");
    cr_expect(strstr(why_unknown(&zen, DTYPE_F32), "multiply-add"));
}

Test(theory, what_is_in_no_table_is_unknown)
{
    static const char *const cpus[] = {
        "",          "intel",        "intel 6", "intel 6-",   "intel 6-0", "intel 6-170", "intel 6-154 hybrid",
        "amd 6-142", "intel 6-1420", "arm 8-1", "intel 6-122"
    };
    static const char *const gpus[] = { "", "nvidia", "nvidia 13.0", "intel gen7", "amd gfx1", "intel gen9x" };
    for (unsigned i = 0; i < sizeof cpus / sizeof *cpus; i++) {
        struct device device = cpu_of(cpus[i], 4, "avx2", "avx2");
        cr_expect(strstr(why_unknown(&device, DTYPE_F32), "not known"));
    }
    for (unsigned i = 0; i < sizeof gpus / sizeof *gpus; i++) {
        struct device device = gpu_of(gpus[i], 4);
        cr_expect(strstr(why_unknown(&device, DTYPE_F32), "not known"));
    }
    struct device device = i5_8250u();
    struct theory theory;
    static const double clocks[] = { 0, -1, NAN, INFINITY, 1e300 };
    for (unsigned i = 0; i < 5; i++)
        cr_expect(!theory_at(&device, DTYPE_F32, clocks[i], "x", &theory) && strstr(theory.why, "clock"));
    device.units = 0;
    cr_expect(strstr(why_unknown(&device, DTYPE_F32), "units"));
}

/* A guest was seen that showed model 167, a client processor, with the tiles of a much later server. */
Test(theory, a_machine_that_contradicts_itself_has_no_peak)
{
    struct device guest = cpu_of("intel 6-167", 2, "avx512", "avx2 avx512f avx_vnni avx512_fp16 amx_tile");
    struct theory theory;
    strcpy(guest.hypervisor, "KVM");
    cr_expect(strstr(why_unknown(&guest, DTYPE_F32), "avx_vnni"));
    strcpy(guest.features, "avx2 avx512f");
    guest.clock = 3e9, guest.max_clock = 4e9, guest.max_clock_is_limit = true;
    cr_expect(theory_peak(&guest, DTYPE_F32, &theory) && !theory.is_confirmed && strstr(theory.why, "KVM"));
    cr_expect(!theory_limit(&guest, DTYPE_F32, &theory) && strstr(theory.why, "KVM"));
    struct device early = cpu_of("intel 6-151", 8, "avx512", "avx2 avx512f");
    cr_expect(strstr(why_unknown(&early, DTYPE_F32), "avx512f"));
}

Test(theory, a_peak_names_its_clock_and_a_limit_takes_the_highest)
{
    struct device i5 = i5_8250u();
    struct theory theory;
    i5.clock = 2.7e9, i5.max_clock = 3.4e9, i5.max_clock_is_limit = true;
    strcpy(i5.clock_origin, "measured");
    cr_assert(theory_peak(&i5, DTYPE_F32, &theory) && theory.is_confirmed);
    cr_expect(theory.flops == 4 * 32 * 2.7e9 && strcmp(theory.clock, "measured") == 0, "%s", theory.formula);
    cr_assert(theory_limit(&i5, DTYPE_F32, &theory), "%s", theory.why);
    cr_expect(theory.flops == 4 * 32 * 3.4e9 && strcmp(theory.clock, "maximum") == 0, "%s", theory.formula);
    i5.clock = 3.5e9;
    cr_assert(theory_limit(&i5, DTYPE_F32, &theory), "%s", theory.why);
    cr_expect(theory.flops == 4 * 32 * 3.5e9 && strcmp(theory.clock, "measured") == 0, "%s", theory.formula);
    i5.max_clock_is_limit = false;
    cr_expect(!theory_limit(&i5, DTYPE_F32, &theory) && strstr(theory.why, "may be higher"), "%s", theory.why);

    struct device uhd = gpu_of("intel gen9", 24);
    cr_expect_not(theory_peak(&uhd, DTYPE_F32, &theory));
    uhd.clock = 1.0e9;
    strcpy(uhd.clock_origin, "reported maximum");
    cr_expect(theory_peak(&uhd, DTYPE_F32, &theory) && strcmp(theory.clock, "reported maximum") == 0);
    cr_expect_not(theory_limit(&uhd, DTYPE_F32, &theory));
    uhd.max_clock = 1.1e9, uhd.max_clock_is_limit = true;
    cr_expect(theory_peak(&uhd, DTYPE_F32, &theory) && strcmp(theory.clock, "maximum") == 0);
    cr_expect(theory_limit(&uhd, DTYPE_F32, &theory) && theory.flops == 24 * 16 * 1.1e9);
}

/* By the datasheet of an RTX 4090: 82.6 TFLOP/s. NVML's maximum is the limit of what is possible. */
Test(theory, a_gpu_of_nvidia_has_its_peak_at_the_boost_clock_and_its_limit_at_nvmls_maximum)
{
    struct device gpu = gpu_of("nvidia 8.9", 128);
    struct theory theory;
    gpu.clock = 2.52e9, gpu.max_clock = 3.105e9, gpu.max_clock_is_limit = true;
    strcpy(gpu.clock_origin, "boost");
    cr_expect(theory_peak(&gpu, DTYPE_F32, &theory) && fabs(theory.flops / 82.6e12 - 1) < 1e-3, "%s", theory.formula);
    cr_expect_str_eq(theory.formula, "128 SM x 128 lanes x 2 (FMA) x 2.52 GHz (boost)");
    cr_expect(theory_limit(&gpu, DTYPE_F32, &theory) && fabs(theory.flops / 101.7e12 - 1) < 1e-3, "%s", theory.formula);
    gpu.clock = 0;
    cr_expect(theory_peak(&gpu, DTYPE_F32, &theory) && strcmp(theory.clock, "maximum") == 0);
}

Test(theory, cards_without_tensor_cores_and_cut_down_ones_are_known_by_name)
{
    static const struct {
        const char *architecture, *name;
        bool f16, f64; /* known */
    } cards[] = {
        { "nvidia 7.5", "NVIDIA GeForce RTX 2080 Ti", true, true },
        { "nvidia 7.5", "Tesla T4", true, true },
        { "nvidia 7.5", "NVIDIA GeForce GTX 1650", false, true },
        { "nvidia 7.5", "NVIDIA GeForce GTX 1660 SUPER", false, true },
        { "nvidia 7.5", "NVIDIA GeForce MX450", false, true },
        { "nvidia 7.5", "NVIDIA T400 4GB", false, true },
        { "nvidia 7.5", "NVIDIA T600 Laptop GPU", false, true },
        { "nvidia 7.5", "Quadro T1000", false, true },
        { "nvidia 6.1", "NVIDIA GeForce GTX 1080", false, true },
        { "nvidia 9.0", "NVIDIA H200", true, true },
        { "nvidia 9.0", "NVIDIA H100 80GB HBM3", true, true },
        { "nvidia 9.0", "NVIDIA H20", false, false },
        { "nvidia 9.0", "NVIDIA H800", false, false },
        { "nvidia 9.0", "NVIDIA H800 PCIe", false, false },
    };
    for (unsigned i = 0; i < sizeof cards / sizeof *cards; i++) {
        struct device gpu = gpu_of(cards[i].architecture, 40);
        struct theory theory;
        snprintf(gpu.name, sizeof gpu.name, "%s", cards[i].name);
        cr_expect(theory_at(&gpu, DTYPE_F32, 1e9, "boost", &theory), "%s", cards[i].name);
        cr_expect_eq(theory_at(&gpu, DTYPE_F16, 1e9, "boost", &theory), cards[i].f16, "%s", cards[i].name);
        cr_expect_eq(theory_at(&gpu, DTYPE_F64, 1e9, "boost", &theory), cards[i].f64, "%s", cards[i].name);
    }
}

Test(theory, a_model_with_slower_variants_is_never_confirmed)
{
    struct device silver = cpu_of("intel 6-85", 8, "avx512", "avx2 avx512f");
    struct theory theory;
    silver.max_clock = 3e9, silver.max_clock_is_limit = true;
    cr_expect(theory_peak(&silver, DTYPE_F32, &theory) && !theory.is_confirmed && strstr(theory.why, "one 512-bit"));
    cr_expect_not(theory_limit(&silver, DTYPE_F32, &theory));
}

/* cuBLAS does f64 on the tensor units of an H100, at twice the rate of its lanes: that is not impossible, and what
 * units do that are not known is not either. */
Test(theory, tensor_cores_reach_what_datasheets_tell_of_dense_operands_with_sums_in_f32)
{
    static const enum dtype narrow[] = { DTYPE_F16, DTYPE_BF16, DTYPE_TF32 };
    static const struct {
        const char *architecture;
        unsigned units;
        double clock, rate[3]; /* TFLOP/s; 0: not known */
        bool is_confirmed;
    } parts[] = {
        { "nvidia 7.0", 80, 1.530e9, { 125.3, 0, 0 }, true }, /* V100 SXM2 */
        { "nvidia 7.5", 40, 1.590e9, { 65.1, 0, 0 }, false }, /* T4 */
        { "nvidia 8.0", 108, 1.410e9, { 311.9, 311.9, 155.9 }, true },
        { "nvidia 8.6", 84, 1.740e9, { 149.7, 149.7, 74.8 }, false },
        { "nvidia 8.6", 72, 1.695e9, { 125.0, 125.0, 62.5 }, false }, /* A10 */
        { "nvidia 8.9", 58, 2.040e9, { 121.2, 121.2, 60.6 }, false }, /* L4 */
        { "nvidia 9.0", 114, 1.620e9, { 756.4, 756.4, 378.2 }, true },
        { "nvidia 8.9", 142, 2.490e9, { 362.1, 362.1, 181.0 }, false },
        { "nvidia 9.0", 132, 1.830e9, { 989.4, 989.4, 494.7 }, true },
        { "nvidia 10.0", 148, 1.856e9, { 2250, 2250, 1125 }, true },
        { "nvidia 12.0", 188, 2.617e9, { 503.8, 503.8, 251.9 }, false },
        { "nvidia 6.1", 30, 1.531e9, { 0, 0, 0 }, false }, /* none */
        { "nvidia 8.7", 16, 1.300e9, { 0, 0, 0 }, false }  /* nothing is published of its multiprocessor */
    };
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        for (unsigned k = 0; k < sizeof narrow / sizeof *narrow; k++) {
            const struct theory theory =
                expect_rate(parts[i].architecture, parts[i].units, parts[i].clock, narrow[k], parts[i].rate[k] * 1e12);
            const bool is_known = parts[i].rate[k] > 0;
            cr_expect(!is_known || theory.is_confirmed == parts[i].is_confirmed, "%s", theory.formula);
            cr_expect(!is_known || parts[i].is_confirmed || strstr(theory.why, "GeForce"), "%s", theory.why);
        }
    struct device h100 = gpu_of("nvidia 9.0", 132);
    check(&h100, DTYPE_TF32, 1.83e9, "boost", 494715, "132 SM x 1024 x 2 (FMA of tensor cores) x 1.83 GHz (boost)");
}

Test(theory, what_matrix_units_may_exceed_is_no_limit)
{
    static const struct {
        const char *architecture;
        enum dtype dtype;
        bool is_limit;
    } cases[] = { { "nvidia 9.0", DTYPE_F32, true },   { "nvidia 9.0", DTYPE_F64, true },
                  { "nvidia 10.0", DTYPE_F64, false }, { "nvidia 7.0", DTYPE_F64, true },
                  { "amd gfx908", DTYPE_F32, false },  { "amd gfx908", DTYPE_F64, true },
                  { "amd gfx90a", DTYPE_F64, false },  { "amd gfx942", DTYPE_F64, false } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device device = gpu_of(cases[i].architecture, 100);
        struct theory theory;
        device.max_clock = 1.5e9, device.max_clock_is_limit = true;
        cr_assert(theory_peak(&device, cases[i].dtype, &theory), "%s", theory.why);
        cr_expect(theory.is_confirmed == cases[i].is_limit, "%s: %s", cases[i].architecture, theory.why);
        cr_expect(theory_limit(&device, cases[i].dtype, &theory) == cases[i].is_limit);
        cr_expect(cases[i].is_limit || strstr(theory.why, "matrix units"), "%s", theory.why);
    }
}

Test(theory, bandwidth_follows_from_the_memorys_own_clock_and_width_or_is_unknown)
{
    struct device h100 = { .memory_clock = 2.619e9, .memory_width = 5120 };
    struct theory_memory memory;
    cr_assert(theory_bandwidth(&h100, &memory));
    cr_expect(fabs(memory.bandwidth - 3352.32e9) < 1e6, "%g", memory.bandwidth);
    cr_expect_str_eq(memory.formula, "2 x 2.619 GHz x 5120 bit / 8");
    h100.memory_width = 0;
    cr_expect(!theory_bandwidth(&h100, &memory) && isnan(memory.bandwidth));
}

Test(theory, the_longest_formula_fits)
{
    struct device device = gpu_of("amd gfx1100", 4294967295u);
    struct theory theory;
    device.lanes = 128;
    cr_assert(theory_at(&device, DTYPE_F32, 99.999e9, "a name of twenty-three c", &theory));
    cr_expect(theory.formula[strlen(theory.formula) - 1] == ')', "%s", theory.formula);
}

/* Of a GeForce as well, whose sums of f16 in f32 are slow; an L40 does half of what its architecture does. */
Test(theory, bytes_are_multiplied_as_datasheets_tell)
{
    static const struct {
        const char *architecture;
        unsigned units;
        double clock, rate; /* TOP/s, dense; 0: not known */
        bool is_confirmed;
    } parts[] = {
        { "nvidia 6.1", 30, 1.531e9, 0, false },      { "nvidia 7.0", 80, 1.530e9, 0, false },
        { "nvidia 7.5", 40, 1.590e9, 130.3, true },   /* T4 */
        { "nvidia 8.0", 108, 1.410e9, 623.7, true },  /* A100 */
        { "nvidia 8.6", 82, 1.695e9, 284.6, true },   /* RTX 3090 */
        { "nvidia 8.9", 128, 2.520e9, 660.6, false }, /* RTX 4090 */
        { "nvidia 9.0", 132, 1.830e9, 1978.9, true }, /* H100 SXM */
        { "nvidia 12.0", 170, 2.407e9, 838.0, true }, /* RTX 5090 */
    };
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct theory theory =
            expect_rate(parts[i].architecture, parts[i].units, parts[i].clock, DTYPE_I8, parts[i].rate * 1e12);
        cr_expect(parts[i].rate == 0 || theory.is_confirmed == parts[i].is_confirmed, "%s", theory.formula);
    }
}

Test(theory, vnni_does_four_bytes_in_place_of_a_float)
{
    struct device zen = cpu_of("amd 25-97", 2, "avx512", "avx2 avx512f avx512_bf16"),
                  skylake = cpu_of("intel 6-85", 2, "avx512", "avx2 avx512f"),
                  server = cpu_of("intel 6-143", 2, "avx512", "avx2 avx512f avx512_bf16 avx_vnni avx512_fp16 amx_tile");
    struct theory theory;
    check(&zen, DTYPE_I8, 3.6e9, "measured", 921.6, "2 cores x 2 units x 32 lanes x 2 (VNNI) x 3.60 GHz (measured)");
    cr_expect(strstr(why_unknown(&skylake, DTYPE_I8), "small types"), "a Cascade Lake has VNNI, a Skylake-X has none");
    strcpy(zen.isa, "avx2");
    cr_expect(strstr(why_unknown(&zen, DTYPE_I8), "small types"));
    cr_assert(theory_at(&server, DTYPE_I8, 2e9, "measured", &theory));
    cr_expect(!theory.is_confirmed && strstr(theory.why, "AMX"), "%s", theory.why);
}

/* --- the table --- */

extern const char *const theory_lines[];

#define NUMBER(more) "(f32|f64|f16|bf16|tf32|i8" more ")=[0-9]+"

/* A line of each kind with its members; a sentence comes last. The models of cores of Arm are hexadecimal. */
static const char line_form[] = "^(gpu [a-z]+ [^: ]+: ((" NUMBER(
    "|issue") "|(unit|by)=[A-Za-z ]+)(,|$))+"
              "|tensor [a-z]+ [^: ]+: (" NUMBER(
                  "|bytes") "(,|$))+(doubt=.+)?"
                            "|except [a-z]+ [^: ]+: ((" NUMBER(
                                "") "|cards=[A-Z0-9e -]+),)+why=.+"
                                    "|more [a-z]+ [^: ]+: (" NUMBER(
                                        "") "(,|$))+"
                                            "|core [a-z]+ [^: ]+: name=[^,]+,models=[0-9a-f]+( [0-9a-f]+)*"
                                            "(,(units|bits|vnni)=[0-9]+|,features=[a-z0-9_ ]+)*(,doubt=.+)?)$";

Test(theory, every_line_of_the_table_has_known_members_and_whole_numbers)
{
    regex_t form;
    unsigned lines = 0;
    cr_assert_eq(regcomp(&form, line_form, REG_EXTENDED | REG_NOSUB), 0);
    for (const char *const *line = theory_lines; *line; line++) {
        char features[200] = "", *rest = features, *word;
        if (!**line || **line == '#')
            continue;
        lines++;
        cr_expect_eq(regexec(&form, *line, 0, NULL, 0), 0, "%s", *line);
        const char *at = strstr(*line, ",features=");
        if (!at)
            continue;
        snprintf(features, sizeof features, "%.*s", (int)strcspn(at + 10, ","), at + 10);
        while ((word = strsep(&rest, " "))) {
            unsigned i = 0;
            while (theory_features[i] && strcmp(theory_features[i], word) != 0)
                i++;
            cr_expect(theory_features[i], "%s: there is no feature %s", *line, word);
        }
    }
    cr_expect_gt(lines, 50);
    regfree(&form);
}
