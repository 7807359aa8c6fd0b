/* The state of GPUs by the kernel's files, on recorded trees: a UHD 620 under old and new kernels, an Arc A770 with
 * i915, a B580 with xe, a Radeon. */

#include "harness/machine/gpu_sysfs.h"
#include "tests/support/tree.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(gpu_sysfs, .fini = recorded_remove);

static void expect(const char *what, double got, double want)
{
    bool is_right = isnan(want) ? isnan(got) : fabs(got - want) <= 1e-9 * fabs(want);
    cr_expect(is_right, "%s: %.9g, should be %.9g", what, got, want);
}

static struct gpu_sysfs opened(const char *silicon)
{
    struct gpu_sysfs sysfs;
    cr_assert(gpu_sysfs_open(&sysfs, recorded.root, silicon));
    return sysfs;
}

static struct gpu_state read_once(const char *silicon)
{
    struct gpu_sysfs sysfs = opened(silicon);
    struct gpu_state state;
    gpu_sysfs_read(&sysfs, recorded.root, 100, true, &state);
    return state;
}

#define AT(place) "/sys/bus/pci/devices/" place
#define UHD       AT("0000:00:02.0")
#define ARC       AT("0000:03:00.0")
#define RADEON    AT("0000:0a:00.0")

static void laptop(void)
{
    recorded_make(NULL);
    recorded_add(UHD, "uevent=DRIVER=i915\nPCI_CLASS=30000");
    recorded_add(UHD "/drm/card1", "gt_act_freq_mhz=1050|gt_cur_freq_mhz=1100|gt_max_freq_mhz=1100|"
                                   "gt_RP0_freq_mhz=1100|power/rc6_residency_ms=5000");
}

Test(gpu_sysfs, the_graphics_of_a_processor_has_clocks_and_a_busy_share)
{
    laptop();
    struct gpu_sysfs sysfs = opened("pci 0000:00:02.0");
    struct gpu_state state;
    gpu_sysfs_read(&sysfs, recorded.root, 100, true, &state);
    expect("actual", state.sm_clock, 1.05e9);
    expect("highest", state.highest_clock, 1.1e9);
    expect("busy at first", state.busy, NAN);
    expect("power", state.power, NAN);
    expect("temperature", state.temperature, NAN);
    cr_expect_not(state.knows_reasons);
    expect("energy", gpu_sysfs_joules(&sysfs, recorded.root), NAN);

    recorded_write(UHD "/drm/card1/power/rc6_residency_ms", "5100\n");
    gpu_sysfs_read(&sysfs, recorded.root, 100.5, false, &state);
    expect("busy", state.busy, 0.8);
    recorded_write(UHD "/drm/card1/power/rc6_residency_ms", "10\n");
    gpu_sysfs_read(&sysfs, recorded.root, 101, false, &state);
    expect("busy after the counter began anew", state.busy, NAN);
    recorded_write(UHD "/drm/card1/power/rc6_residency_ms", "110\n");
    gpu_sysfs_read(&sysfs, recorded.root, 101.5, false, &state);
    expect("busy since then", state.busy, 0.8);
}

Test(gpu_sysfs, a_sleeping_gpu_has_no_clock_and_a_clock_that_was_set_lower_is_a_reason)
{
    laptop();
    recorded_write(UHD "/drm/card1/gt_act_freq_mhz", "0\n");
    recorded_write(UHD "/drm/card1/gt_max_freq_mhz", "600\n");
    struct gpu_state state = read_once("pci 0000:00:02.0");
    expect("actual", state.sm_clock, NAN);
    cr_expect(state.knows_reasons && state.reasons == 1u << REASON_SETTING);
}

static void arc(void)
{
    recorded_make(NULL);
    recorded_add(ARC, "uevent=DRIVER=i915|drm/card0/gt_act_freq_mhz=1");
    recorded_add(ARC "/drm/card0/gt/gt0", "rps_act_freq_mhz=2100|rps_cur_freq_mhz=2400|rps_max_freq_mhz=2400|"
                                          "rps_RP0_freq_mhz=2400|rc6_residency_ms=700");
    recorded_add(ARC "/drm/card0/gt/gt0", "throttle_reason_status=1|throttle_reason_pl1=1|throttle_reason_pl2=0|"
                                          "throttle_reason_vr_thermalert=1");
    recorded_add(ARC "/hwmon/hwmon2", "name=i915_gt0|energy1_input=17000000");
    recorded_add(ARC "/hwmon/hwmon3", "name=i915|energy1_input=123000000|power1_max=190000000");
}

Test(gpu_sysfs, a_discrete_gpu_of_intels_has_reasons_a_limit_and_an_energy_counter)
{
    arc();
    struct gpu_state state = read_once("pci 0000:03:00.0");
    const struct gpu_sysfs sysfs = opened("pci 0000:03:00.0");
    expect("actual", state.sm_clock, 2.1e9);
    expect("limit", state.power_limit, 190);
    expect("energy of the card, not of a part", gpu_sysfs_joules(&sysfs, recorded.root), 123);
    cr_expect(state.knows_reasons);
    cr_expect_eq(state.reasons, 1u << REASON_POWER_CAP | 1u << REASON_HARDWARE_HEAT);
    recorded_write(ARC "/drm/card0/gt/gt0/throttle_reason_new", "1\n");
    recorded_write(ARC "/hwmon/hwmon3/power1_max", "0\n");
    state = read_once("pci 0000:03:00.0");
    cr_expect(state.reasons & 1u << REASON_OTHER);
    expect("a limit that is off", state.power_limit, NAN);
}

Test(gpu_sysfs, xe_has_the_same_in_other_files)
{
    recorded_make(NULL);
    recorded_add(ARC, "uevent=DRIVER=xe");
    recorded_add(ARC "/tile0/gt0/freq0", "act_freq=2850|cur_freq=2850|max_freq=2850|rp0_freq=2850|throttle/status=0|"
                                         "throttle/reason_pl1=0");
    recorded_add(ARC "/tile0/gt0/gtidle", "idle_residency_ms=1000");
    recorded_add(ARC "/hwmon/hwmon5", "name=xe|energy1_input=5000000|power1_max=190000000|power1_cap=250000000|"
                                      "temp2_input=61000");
    struct gpu_sysfs sysfs = opened("pci 0000:03:00.0");
    struct gpu_state state;
    gpu_sysfs_read(&sysfs, recorded.root, 1, true, &state);
    expect("actual", state.sm_clock, 2.85e9);
    expect("limit, not the burst's", state.power_limit, 190);
    expect("temperature", state.temperature, 61);
    expect("energy", gpu_sysfs_joules(&sysfs, recorded.root), 5);
    cr_expect(state.knows_reasons && state.reasons == 0);
    gpu_sysfs_read(&sysfs, recorded.root, 2, false, &state);
    expect("busy", state.busy, 1);
    expect("a short reading leaves sensors out", state.temperature, NAN);
}

/* The table of reasons, whose bytes tree_write cannot hold. */
static void write_metrics(unsigned content, unsigned long long reasons)
{
    unsigned char table[120] = { 120, 0, 1, (unsigned char)content };
    char path[128];
    for (unsigned i = 0; i < 8; i++)
        table[112 + i] = (unsigned char)(reasons >> 8 * i);
    snprintf(path, sizeof path, "%s%s", recorded.root, RADEON "/gpu_metrics");
    FILE *file = fopen(path, "w");
    cr_assert(file && fwrite(table, 1, sizeof table, file) == sizeof table && fclose(file) == 0);
}

Test(gpu_sysfs, a_radeon_has_sensors_and_reasons)
{
    recorded_make(NULL);
    recorded_add(RADEON, "uevent=DRIVER=amdgpu|gpu_busy_percent=97|mem_info_vram_used=1073741824|"
                         "mem_info_vram_total=17163091968");
    recorded_add(RADEON "/hwmon/hwmon4", "name=amdgpu|freq1_input=2475000000|freq2_input=1000000000|temp1_input=64000|"
                                         "power1_average=231000000|power1_cap=272000000");
    struct gpu_state state = read_once("pci 0000:0a:00.0");
    expect("actual", state.sm_clock, 2.475e9);
    expect("memory", state.memory_clock, 1e9);
    expect("busy", state.busy, 0.97);
    expect("temperature", state.temperature, 64);
    expect("power", state.power, 231);
    expect("limit", state.power_limit, 272);
    expect("memory in use", state.memory_used, 1073741824);
    expect("memory", state.memory, 17163091968);
    cr_expect_not(state.knows_reasons, "there is no table");
    struct gpu_sysfs sysfs = opened("pci 0000:0a:00.0");
    gpu_sysfs_read(&sysfs, recorded.root, 1, false, &state);
    cr_expect(state.sm_clock == 2.475e9 && state.memory_clock == 1e9 && state.busy == 0.97, "of a short reading");
    cr_expect(isnan(state.temperature) && isnan(state.power) && isnan(state.memory_used));

    write_metrics(3, 0);
    state = read_once("pci 0000:0a:00.0");
    cr_expect(state.knows_reasons && state.reasons == 0);
    write_metrics(3, 1ull << 0 | 1ull << 36);
    cr_expect_eq(read_once("pci 0000:0a:00.0").reasons, 1u << REASON_POWER_CAP | 1u << REASON_HEAT);
    for (unsigned bit = 0; bit < 64; bit++) {
        write_metrics(3, 1ull << bit);
        cr_expect_eq(read_once("pci 0000:0a:00.0").reasons,
                     1u << (bit < 16   ? REASON_POWER_CAP
                            : bit < 32 ? REASON_HARDWARE
                            : bit < 44 ? REASON_HEAT
                            : bit < 48 ? REASON_HARDWARE_HEAT
                                       : REASON_OTHER),
                     "bit %u", bit);
    }
    write_metrics(2, ~0ull);
    state = read_once("pci 0000:0a:00.0");
    cr_expect(!state.knows_reasons && state.reasons == 0, "a table of another version");
}

Test(gpu_sysfs, other_devices_are_not_opened)
{
    static const struct record_file files[] = { { ARC "/uevent", "DRIVER=nvidia\n" },
                                                { UHD "/uevent", "PCI_CLASS=30000\n" },
                                                { NULL, NULL } };
    static const char *const silicon[] = { "pci 0000:03:00.0", "pci 0000:00:02.0", "pci 0000:99:00.0", "cpu", "" };
    recorded_make(files);
    struct gpu_sysfs sysfs;
    for (unsigned i = 0; i < sizeof silicon / sizeof *silicon; i++)
        cr_expect_not(gpu_sysfs_open(&sysfs, recorded.root, silicon[i]), "%s", silicon[i]);
}
