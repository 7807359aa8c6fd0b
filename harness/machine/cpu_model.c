/* The processor's model, its highest clock and its caches. */

#include "harness/base/text.h"
#include "harness/machine/files.h"
#include "harness/machine/host.h"
#include "harness/machine/theory_units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static unsigned cpuinfo_count(const char *root, const char *key)
{
    double number = host_member_number(root, "/proc/cpuinfo", key);
    return number > 0 && number < 65536 ? (unsigned)number : 0;
}

/* In kHz, one file for each processor: some cores may have a higher clock than others. */
static void highest(void *context, const char *root, const char *path)
{
    double *clock = context, hertz = 1e3 * host_number(root, path);
    if (hertz > 0)
        *clock = fmax(*clock, hertz); /* fmax ignores a NAN */
}

void host_model_read(struct host *out, const char *root)
{
    const struct text flags = host_member(root, "/proc/cpuinfo", "flags");
    const bool is_arm = cpuinfo_count(root, "CPU implementer") > 0;
    out->family = cpuinfo_count(root, is_arm ? "CPU implementer" : "cpu family");
    out->model = cpuinfo_count(root, is_arm ? "CPU part" : "model");
    if (is_arm && !*out->name) {
        const struct text architecture = host_architecture(out),
                          name = theory_words(theory_core(architecture.text), "name");
        text_copy(out->name, sizeof out->name, *name.text ? name.text : architecture.text);
    }
    out->stepping = host_member_number(root, "/proc/cpuinfo", "stepping");
    for (const char *const *word = theory_features; *word; word++)
        if (text_has_word(flags.text, *word))
            text_join(out->features, sizeof out->features, " ", *word);
    out->max_clock = NAN;
    host_each(root, "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/cpuinfo_max_freq", highest, &out->max_clock);
    text_copy(out->clock_driver, sizeof out->clock_driver,
              host_line(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver").text);
}

#define CPU "/sys/devices/system/cpu/"
bool host_clock_limit(struct clock_limit *out, const char *root)
{
    const double own = host_number(root, CPU "cpu0/cpufreq/cpuinfo_max_freq");
    const struct clock_limit whole[] = { { CPU "cpu*/cpufreq/scaling_max_freq", own, own },
                                         { CPU "intel_pstate/max_perf_pct", NAN, 100 },
                                         { CPU "intel_pstate/no_turbo", NAN, 0 },
                                         { CPU "cpufreq/boost", NAN, 1 } };
    bool is_limited = false;
    for (unsigned i = 0; i < sizeof whole / sizeof *whole && !is_limited; i++) {
        *out = whole[i];
        out->value = host_first_number(root, out->file);
        is_limited = out->value >= 0 && out->whole >= 0 && out->value != out->whole;
    }
    return is_limited;
}

/* The system's total is less than what is installed, by what firmware and kernel keep for themselves: the next larger
 * size of the usual ones, which are powers of two and half as much again. */
static double installed_gibibytes(double bytes)
{
    double size = 1;
    while (size * 0x1p30 < bytes)
        size = fmod(log2(size), 1) == 0 ? 1.5 * size : size / 1.5 * 2;
    return size;
}

void host_signature_write(struct host *host)
{
    static const char *const implied[][2] = { { "avx2", "avx512f" },
                                              { "avx512f", "avx512_bf16" },
                                              { "avx512_bf16", "avx512_fp16" } };
    char *to = host->signature;
    const size_t room = sizeof host->signature;
    *to = '\0';
    if (host->family > 0)
        text_append(to, room, "%u-%u", host->family, host->model);
    if (host->family > 0 && isfinite(host->stepping))
        text_append(to, room, "-%.0f", host->stepping);
    for (const char *const *word = theory_features; *word; word++) {
        bool is_shown = text_has_word(host->features, *word);
        for (unsigned i = 0; i < sizeof implied / sizeof *implied; i++)
            is_shown &= strcmp(*word, implied[i][0]) != 0 || !text_has_word(host->features, implied[i][1]);
        if (is_shown)
            text_join(to, room, " ", *word);
    }
    if (host->cores > 0)
        text_append(to, room, "%s%uc", *to ? " " : "", host->cores);
    if (host->memory > 0)
        text_append(to, room, "%s%.0fg", *to ? " " : "", installed_gibibytes(host->memory));
}

struct text host_architecture(const struct host *host)
{
    static const char *const vendors[][2] = { { "GenuineIntel", "intel" }, { "AuthenticAMD", "amd" } };
    const char *kinds = host->hybrid_kinds > 1 ? " hybrid" : "";
    if (strncmp(host->vendor, "0x", 2) == 0)
        return text_print("arm %x-%03x%s", host->family, host->model, kinds);
    for (unsigned i = 0; i < sizeof vendors / sizeof *vendors; i++)
        if (strcmp(host->vendor, vendors[i][0]) == 0 && host->family > 0)
            return text_print("%s %u-%u%s", vendors[i][1], host->family, host->model, kinds);
    return (struct text){ "" };
}

bool host_clock_is_limit(const struct host *host)
{
    bool is_intels =
        strcmp(host->clock_driver, "intel_pstate") == 0 || strcmp(host->clock_driver, "intel_cpufreq") == 0;
    return is_intels && isfinite(host->max_clock);
}

double host_last_cache(const struct host *host)
{
    double bytes = 0;
    for (unsigned i = 0; i < host->caches; i++)
        if (host->cache[i].level == host->cache[host->caches - 1].level)
            bytes += host->cache[i].bytes * host->cache[i].instances;
    return bytes;
}

double host_core_cache(const struct host *host)
{
    enum { LEVELS = 2 };
    double least[LEVELS + 1] = { 0, INFINITY, INFINITY };
    unsigned instances[LEVELS + 1] = { 0 }, level = LEVELS;
    for (unsigned i = 0; i < host->caches; i++)
        if (host->cache[i].level <= LEVELS) {
            instances[host->cache[i].level] += host->cache[i].instances;
            least[host->cache[i].level] = fmin(least[host->cache[i].level], host->cache[i].bytes);
        }
    while (level > 0 && (host->cores == 0 || instances[level] < host->cores))
        level--;
    return least[level];
}
