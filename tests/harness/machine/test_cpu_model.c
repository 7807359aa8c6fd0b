/* Which processor a recorded machine has, and how fast it may be clocked. */

#include "harness/machine/host.h"
#include "harness/machine/theory.h"
#include "tests/support/tree.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(host_model, .fini = recorded_remove);

static struct host read_tree(void)
{
    struct host host;
    struct error err = { 0 };
    cr_assert(host_read(&host, recorded.root, 0, &err), "%s", err.message);
    return host;
}

static void check_architecture(const struct host *host, const char *want)
{
    cr_expect_str_eq(host_architecture(host).text, want);
}

/* The device that this host would be listed as. */
static struct device device_of(const struct host *host, const char *isa)
{
    struct device device = { .class = CLASS_CPU, .units = host->cores };
    device.max_clock = isfinite(host->max_clock) ? host->max_clock : 0;
    device.max_clock_is_limit = host_clock_is_limit(host);
    strcpy(device.architecture, host_architecture(host).text);
    strcpy(device.features, host->features);
    strcpy(device.hypervisor, host->hypervisor);
    strcpy(device.isa, isa);
    return device;
}

static void clocks_write(unsigned count, unsigned favoured, const char *driver)
{
    for (unsigned cpu = 0; cpu < count; cpu++) {
        char path[128];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/cpuinfo_max_freq", cpu);
        recorded_write(path, cpu == favoured ? "3500000\n" : "3400000\n");
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_driver", cpu);
        recorded_write(path, driver);
    }
}

static void laptop(void)
{
    static const struct record_file files[] = {
        { "/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 142\n"
                           "model name\t: Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz\n"
                           "flags\t\t: fpu sse avx fma avx2 avx512 xavx512f\n" },
        { NULL, NULL },
    };
    recorded_make(files);
    clocks_write(4, 4, "intel_pstate\n");
    setenv("HWLOC_SYNTHETIC", "core:4 pu:1", 1);
}

Test(host_model, a_laptop_knows_its_model_and_its_highest_clock)
{
    laptop();
    struct host host = read_tree();
    check_architecture(&host, "intel 6-142");
    cr_expect_str_eq(host.features, "avx2");
    cr_expect_str_eq(host.clock_driver, "intel_pstate");
    cr_expect(host.max_clock == 3.4e9 && host_clock_is_limit(&host), "%g Hz", host.max_clock);
    struct device device = device_of(&host, "avx2");
    struct theory theory;
    cr_assert(theory_limit(&device, DTYPE_F32, &theory), "%s", theory.why);
    cr_expect_str_eq(theory.formula, "4 cores x 2 units x 8 lanes x 2 (FMA) x 3.40 GHz (maximum)");
    clocks_write(4, 2, "intel_pstate\n");
    cr_expect(read_tree().max_clock == 3.5e9, "a favoured core is faster than the first");
}

Test(host_model, a_clock_is_a_limit_only_if_its_driver_includes_the_turbo)
{
    static const struct {
        const char *driver;
        bool is_limit;
    } cases[] = { { "intel_pstate\n", true },
                  { "intel_cpufreq\n", true },
                  { "acpi-cpufreq\n", false },
                  { "amd-pstate-epp\n", false },
                  { "", false } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        laptop();
        clocks_write(4, 4, cases[i].driver);
        struct host host = read_tree();
        cr_expect(host_clock_is_limit(&host) == cases[i].is_limit, "%s", cases[i].driver);
        cr_expect(host.max_clock == 3.4e9);
    }
    cr_expect_not(host_clock_is_limit(&(struct host){ .clock_driver = "intel_pstate", .max_clock = NAN }));
}

/* Two Xeon Platinum 8488C: 48 cores each, of which the tree has two. */
Test(host_model, a_server_of_two_sockets_counts_the_cores_of_both)
{
    static const struct record_file files[] = {
        { "/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
                           "model name\t: Intel(R) Xeon(R) Platinum 8488C\n"
                           "flags\t\t: avx2 avx512f avx512_bf16 avx_vnni avx512_fp16 amx_tile\n" },
        { NULL, NULL },
    };
    recorded_make(files);
    clocks_write(4, 4, "intel_pstate\n");
    setenv("HWLOC_SYNTHETIC", "pack:2 [numa] l3:1(size=110100480) core:2 pu:1", 1);
    struct host host = read_tree();
    cr_expect(host.packages == 2 && host.cores == 4);
    cr_expect(host_last_cache(&host) == 2 * 107520 * 1024.0, "%g bytes", host_last_cache(&host));
    cr_expect(host_core_cache(&host) == 0, "no core has one of these to itself: %g", host_core_cache(&host));
    check_architecture(&host, "intel 6-143");
    struct device device = device_of(&host, "avx512");
    struct theory theory;
    cr_assert(theory_limit(&device, DTYPE_F32, &theory), "%s", theory.why);
    cr_expect_str_eq(theory.formula, "4 cores x 2 units x 16 lanes x 2 (FMA) x 3.40 GHz (maximum)");
}

Test(host_model, a_guest_that_shows_a_model_it_cannot_be_has_no_peak)
{
    static const struct record_file files[] = {
        { "/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 167\n"
                           "model name\t: Intel(R) Xeon(R) Processor\n"
                           "flags\t\t: fma hypervisor avx2 avx512f avx_vnni avx512_bf16 amx_tile avx512_fp16\n" },
        { NULL, NULL },
    };
    recorded_make(files);
    struct host host = read_tree();
    check_architecture(&host, "intel 6-167");
    cr_expect_str_eq(host.features, "avx2 avx512f avx512_bf16 avx_vnni avx512_fp16 amx_tile");
    cr_expect(*host.hypervisor && isnan(host.max_clock) && !host_clock_is_limit(&host));
    struct device device = device_of(&host, "avx512");
    struct theory theory;
    cr_expect(!theory_at(&device, DTYPE_F32, 3e9, "measured", &theory) && strstr(theory.why, "Rocket Lake"));
}

Test(host_model, hybrid_processors_are_in_no_table)
{
    laptop();
    struct host host = read_tree();
    host.hybrid_kinds = 2;
    check_architecture(&host, "intel 6-142 hybrid");
    struct device device = device_of(&host, "avx2");
    struct theory theory;
    cr_expect_not(theory_at(&device, DTYPE_F32, 3e9, "measured", &theory));
}

/* Arm's cores have numbers, of the maker and of the part. Libraries use SVE where it is wider than NEON. */
Test(host_model, cores_of_arm_have_names_and_peaks)
{
    static const struct {
        const char *cpuinfo, *name, *architecture;
        const char *formula; /* "": its work in a cycle is not known */
    } rows[] = {
        { "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n", "Arm Neoverse N1",
          "arm 41-d0c", "4 cores x 2 units x 4 lanes x 2 (FMA) x 3.00 GHz (measured)" },
        { "CPU implementer\t: 0x41\nCPU part\t: 0xd40\n", "Arm Neoverse V1", "arm 41-d40",
          "4 cores x 2 units x 8 lanes x 2 (FMA) x 3.00 GHz (measured)" },
        { "CPU implementer\t: 0x46\nCPU part\t: 0x001\n", "Fujitsu A64FX", "arm 46-001",
          "4 cores x 2 units x 16 lanes x 2 (FMA) x 3.00 GHz (measured)" },
        { "CPU implementer\t: 0x41\nCPU part\t: 0xd08\nModel\t\t: Raspberry Pi 4 Model B Rev 1.4\n",
          "Raspberry Pi 4 Model B Rev 1.4", "arm 41-d08",
          "4 cores x 1 units x 4 lanes x 2 (FMA) x 3.00 GHz (measured)" },
        { "CPU implementer\t: 0x41\nCPU part\t: 0xd03\n", "Arm Cortex-A53", "arm 41-d03", "" },
        { "CPU implementer\t: 0x41\nCPU part\t: 0xfff\n", "arm 41-fff", "arm 41-fff", "" },
    };
    setenv("HWLOC_SYNTHETIC", "core:4 pu:1", 1);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct record_file files[] = { { "/proc/cpuinfo", rows[i].cpuinfo }, { NULL, NULL } };
        recorded_make(files);
        struct host host = read_tree();
        check_architecture(&host, rows[i].architecture);
        cr_expect_str_eq(host.name, rows[i].name);
        struct device device = device_of(&host, "baseline");
        struct theory theory;
        theory_at(&device, DTYPE_F32, 3e9, "measured", &theory);
        cr_expect_str_eq(theory.formula, rows[i].formula);
        cr_expect(*rows[i].formula || strstr(theory.why, "not known"), "%s", theory.why);
    }
}

Test(host_model, absent_values_are_unknown)
{
    static const struct record_file power[] = {
        { "/proc/cpuinfo", "processor\t: 0\ncpu\t\t: POWER9\nrevision\t: 2.2 (pvr 004e 1202)\n" },
        { "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "<unknown>\n" },
        { NULL, NULL },
    };
    setenv("HWLOC_SYNTHETIC", "core:1 pu:1", 1);
    recorded_make(power);
    struct host host = read_tree();
    check_architecture(&host, "");
    cr_expect(host.family == 0 && host.model == 0 && !*host.features && isnan(host.max_clock));
    cr_expect(host_last_cache(&host) == 0);
}

/* What a clock may be held down by, with all files of a processor that has them. */
Test(host_model, a_limit_of_the_clock_is_found)
{
    static const struct {
        const char *own, *scaling, *percent, *no_turbo, *boost; /* NULL: no such file */
        const char *file;
        double value, whole;
    } rows[] = {
        { "4700000", "4700000", "100", "0", NULL, NULL, 0, 0 },
        { "4700000", "1200000", "100", "0", NULL, "scaling_max_freq", 1200000, 4700000 },
        { "4700000", "4700000", "25", "1", NULL, "max_perf_pct", 25, 100 },
        { "4700000", "4700000", "100", "1", NULL, "no_turbo", 1, 0 },
        { "3400000", "3400000", NULL, NULL, "0", "boost", 0, 1 },
        { "3400000", "3400000", NULL, NULL, "1", NULL, 0, 0 },
        { NULL, "1200000", NULL, NULL, NULL, NULL, 0, 0 },
        { NULL, NULL, "x", "", NULL, NULL, 0, 0 },
    };
    setenv("HWLOC_SYNTHETIC", "core:4 pu:1", 1);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct {
            const char *path, *text;
        } files[] = { { "cpu0/cpufreq/cpuinfo_max_freq", rows[i].own },
                      { "cpu0/cpufreq/scaling_max_freq", rows[i].scaling },
                      { "intel_pstate/max_perf_pct", rows[i].percent },
                      { "intel_pstate/no_turbo", rows[i].no_turbo },
                      { "cpufreq/boost", rows[i].boost } };
        recorded_make(NULL);
        struct clock_limit limit;
        for (unsigned k = 0; k < sizeof files / sizeof *files; k++) {
            char path[128];
            snprintf(path, sizeof path, "/sys/devices/system/cpu/%s", files[k].path);
            if (files[k].text)
                recorded_write(path, files[k].text);
        }
        const bool is_limited = host_clock_limit(&limit, recorded.root);
        cr_expect_eq(is_limited, rows[i].file != NULL, "row %u", i);
        cr_expect(!is_limited || (strcmp(strrchr(limit.file, '/') + 1, rows[i].file) == 0 &&
                                  limit.value == rows[i].value && limit.whole == rows[i].whole),
                  "row %u: %s is %g", i, limit.file, limit.value);
        const struct host host = read_tree();
        cr_expect(!*host.clock_limit == !is_limited, "row %u: %s", i, host.clock_limit);
    }
}

/* The last level is all of its caches. */
Test(host_model, a_core_cache_is_the_largest_private_one)
{
    static const struct {
        unsigned cores;
        struct cache cache[3];
        double of_core, last;
    } rows[] = {
        { 2, { { 1, 49152, 2 }, { 2, 2097152, 2 }, { 3, 503316480, 1 } }, 2097152, 503316480 },
        { 2, { { 1, 49152, 2 }, { 2, 2097152, 2 }, { 3, 16777216, 2 } }, 2097152, 33554432 }, /* single-core sockets */
        { 1, { { 1, 32768, 1 }, { 2, 524288, 1 }, { 3, 4194304, 1 } }, 524288, 4194304 },
        { 4, { { 2, 1310720, 2 }, { 2, 2097152, 2 }, { 3, 25165824, 1 } }, 1310720, 25165824 }, /* two kinds of core */
        { 14, { { 1, 49152, 6 }, { 1, 32768, 8 }, { 2, 1310720, 8 } }, 32768, 10485760 },
        { 8, { { 1, 32768, 8 }, { 2, 1310720, 6 }, { 2, 2097152, 2 } }, 1310720, 6 * 1310720 + 2 * 2097152 },
        { 8, { { 1, 32768, 8 }, { 2, 4194304, 2 } }, 32768, 8388608 }, /* four cores share a second level */
        { 0, { { 1, 32768, 8 } }, 0, 262144 },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host host = { .cores = rows[i].cores };
        for (; host.caches < 3 && rows[i].cache[host.caches].level > 0; host.caches++)
            host.cache[host.caches] = rows[i].cache[host.caches];
        cr_expect(host_core_cache(&host) == rows[i].of_core, "row %u: %g", i, host_core_cache(&host));
        cr_expect(host_last_cache(&host) == rows[i].last, "row %u: %g", i, host_last_cache(&host));
    }
}
