#include "harness/machine/gpu_sysfs.h"

#include "harness/base/text.h"
#include "harness/machine/adapter.h"
#include "harness/machine/files.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* What the files of a pattern below the device's folder have, in units of `unit`. The first that exists is taken. i915
 * has the folder gt since Linux 5.18. xe calls a burst limit power1_cap, so power1_max comes first. */
static const struct {
    size_t offset;
    double unit;
    const char *pattern;
} numbers[] = {
    { offsetof(struct gpu_state, sm_clock), 1e6, "drm/card*/gt/gt0/rps_act_freq_mhz" },
    { offsetof(struct gpu_state, sm_clock), 1e6, "drm/card*/gt_act_freq_mhz" },
    { offsetof(struct gpu_state, sm_clock), 1e6, "tile0/gt0/freq0/act_freq" },
    { offsetof(struct gpu_state, sm_clock), 1, "hwmon/hwmon*/freq1_input" },
    { offsetof(struct gpu_state, highest_clock), 1e6, "drm/card*/gt/gt0/rps_max_freq_mhz" },
    { offsetof(struct gpu_state, highest_clock), 1e6, "drm/card*/gt_max_freq_mhz" },
    { offsetof(struct gpu_state, highest_clock), 1e6, "tile0/gt0/freq0/max_freq" },
    { offsetof(struct gpu_state, memory_clock), 1, "hwmon/hwmon*/freq2_input" },
    { offsetof(struct gpu_state, busy), 0.01, "gpu_busy_percent" },
    { offsetof(struct gpu_state, temperature), 1e-3, "hwmon/hwmon*/temp1_input" },
    { offsetof(struct gpu_state, temperature), 1e-3, "hwmon/hwmon*/temp2_input" },
    { offsetof(struct gpu_state, power), 1e-6, "hwmon/hwmon*/power1_average" },
    { offsetof(struct gpu_state, power), 1e-6, "hwmon/hwmon*/power1_input" },
    { offsetof(struct gpu_state, power_limit), 1e-6, "hwmon/hwmon*/power1_max" },
    { offsetof(struct gpu_state, power_limit), 1e-6, "hwmon/hwmon*/power1_cap" },
    { offsetof(struct gpu_state, memory_used), 1, "mem_info_vram_used" },
    { offsetof(struct gpu_state, memory), 1, "mem_info_vram_total" },
};
enum { QUICK = 9, NUMBERS = sizeof numbers / sizeof *numbers };

static void each_file(const struct gpu_sysfs *sysfs, const char *root, const char *pattern,
                      void (*take)(void *context, const char *root, const char *path), void *context)
{
    host_each(root, text_print("%s/%s", sysfs->device, pattern).text, take, context);
}

static double number_of(const struct gpu_sysfs *sysfs, const char *root, const char *pattern)
{
    return host_first_number(root, text_print("%s/%s", sysfs->device, pattern).text);
}

bool gpu_sysfs_open(struct gpu_sysfs *out, const char *root, const char *silicon)
{
    enum { DRIVERS = 3 };
    static const char *const drivers[DRIVERS] = { "i915", "xe", "amdgpu" };
    char address[32];
    *out = (struct gpu_sysfs){ .idle_at_last = NAN };
    if (sscanf(silicon, "pci %31s", address) != 1)
        return false;
    snprintf(out->device, sizeof out->device, "/sys/bus/pci/devices/%s", address);
    const struct text driver = host_member(root, text_print("%s/uevent", out->device).text, "DRIVER");
    return name_find(driver.text, drivers, DRIVERS) < DRIVERS;
}

/* Parts of Intel's words, by the kernel's xe_gt_throttle.c; the first that fits counts: "psys_pl1", "soc_thermal".
 * Currents are limited by the hardware itself. */
static const struct {
    const char *part;
    enum gpu_reason reason;
} words[] = {
    { "pl1", REASON_POWER_CAP },         { "pl2", REASON_POWER_CAP },
    { "pl4", REASON_POWER_CAP },         { "psys_crit", REASON_POWER_BRAKE },
    { "prochot", REASON_HARDWARE_HEAT }, { "vr_thermal", REASON_HARDWARE_HEAT },
    { "thermal", REASON_HEAT },          { "ratl", REASON_HEAT },
    { "vr_tdc", REASON_HARDWARE },       { "iccmax", REASON_HARDWARE },
    { "fastvmode", REASON_HARDWARE },
};
enum { WORDS = sizeof words / sizeof *words };

/* `path`: gt0/throttle_reason_pl1 of i915, throttle/reason_pl1 of xe. i915's "status" is no reason. */
static void take_reason(void *context, const char *root, const char *path)
{
    struct gpu_state *state = context;
    const char *word = strstr(path, "reason_") + strlen("reason_");
    unsigned i = 0;
    state->knows_reasons = true;
    if (host_number(root, path) != 1 || strcmp(word, "status") == 0)
        return;
    while (i < WORDS && !strstr(word, words[i].part))
        i++;
    state->reasons |= 1u << (i < WORDS ? words[i].reason : REASON_OTHER);
}

/* AMD's reasons are 64 bits of a binary table, in version 1.3 of it, which discrete GPUs have: struct gpu_metrics_v1_3
 * in the kernel's kgd_pp_interface.h, SMU_THROTTLER_... in amdgpu_smu.h. Little-endian. */
static void read_reasons_of_amd(const struct gpu_sysfs *sysfs, const char *root, struct gpu_state *out)
{
    enum { FORMAT = 2, CONTENT = 3, REASONS = 112, SIZE = 120 };
    static const struct {
        unsigned first, last;
        enum gpu_reason reason;
    } bits[] = { { 0, 15, REASON_POWER_CAP },
                 { 16, 31, REASON_HARDWARE },
                 { 32, 43, REASON_HEAT },
                 { 44, 47, REASON_HARDWARE_HEAT },
                 { 48, 63, REASON_OTHER } };
    unsigned char table[SIZE];
    FILE *file = host_open(root, text_print("%s/gpu_metrics", sysfs->device).text);
    if (!file)
        return;
    out->knows_reasons = fread(table, 1, SIZE, file) == SIZE && table[FORMAT] == 1 && table[CONTENT] == 3;
    fclose(file);
    for (unsigned i = 0; out->knows_reasons && i < sizeof bits / sizeof *bits; i++)
        for (unsigned bit = bits[i].first; bit <= bits[i].last; bit++)
            if (table[REASONS + bit / 8] >> bit % 8 & 1)
                out->reasons |= 1u << bits[i].reason;
}

/* Intel's drivers count the milliseconds in which the GPU is asleep (RC6). */
static void read_idle(struct gpu_sysfs *sysfs, const char *root, double now, struct gpu_state *out)
{
    static const char *const patterns[] = { "drm/card*/gt/gt0/rc6_residency_ms", "drm/card*/power/rc6_residency_ms",
                                            "tile0/gt0/gtidle/idle_residency_ms" };
    double idle = NAN;
    for (unsigned i = 0; i < sizeof patterns / sizeof *patterns && isnan(idle); i++)
        idle = 1e-3 * number_of(sysfs, root, patterns[i]);
    if (isnan(idle))
        return;
    if (idle >= sysfs->idle_at_last && now > sysfs->last)
        out->busy = fmax(0, 1 - (idle - sysfs->idle_at_last) / (now - sysfs->last));
    sysfs->idle_at_last = idle;
    sysfs->last = now;
}

void gpu_sysfs_read(struct gpu_sysfs *sysfs, const char *root, double now, bool everything, struct gpu_state *out)
{
    const char *origin;
    *out = gpu_state_unknown();
    for (unsigned i = 0; i < (everything ? NUMBERS : QUICK); i++) {
        double *number = (double *)(void *)((char *)out + numbers[i].offset);
        if (isnan(*number))
            *number = numbers[i].unit * number_of(sysfs, root, numbers[i].pattern);
    }
    if (!(out->sm_clock > 0))
        out->sm_clock = NAN; /* asleep */
    if (!(out->power_limit > 0))
        out->power_limit = NAN; /* turned off */
    each_file(sysfs, root, "drm/card*/gt/gt0/throttle_reason_*", take_reason, out);
    each_file(sysfs, root, "tile0/gt0/freq0/throttle/reason_*", take_reason, out);
    read_reasons_of_amd(sysfs, root, out);
    if (out->highest_clock < adapter_clock(root, strrchr(sysfs->device, '/') + 1, &origin)) {
        out->knows_reasons = true;
        out->reasons |= 1u << REASON_SETTING;
    }
    read_idle(sysfs, root, now, out);
}

/* The folder of a hwmon whose name is the driver's: "i915_gt0" counts a part of what "i915" does. */
static void take_energy(void *context, const char *root, const char *path)
{
    double *joules = context;
    const struct text name = host_line(root, host_beside(path, "name").text);
    if (*name.text && !strchr(name.text, '_') && isnan(*joules))
        *joules = 1e-6 * host_number(root, path);
}

double gpu_sysfs_joules(const struct gpu_sysfs *sysfs, const char *root)
{
    double joules = NAN;
    each_file(sysfs, root, "hwmon/hwmon*/energy1_input", take_energy, &joules);
    return joules;
}
