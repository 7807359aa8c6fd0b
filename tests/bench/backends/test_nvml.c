/* The monitor of NVIDIA GPUs, on the double of the management library (tests/doubles/nvml_double.c). */

#include "bench/backends/common/nvml.h"
#include "harness/base/clock.h"
#include "harness/base/fields.h"
#include "harness/base/text.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct device gpu_at(const char *pci)
{
    struct device device = { .architecture = "nvidia 9.0", .class = CLASS_DGPU };
    snprintf(device.silicon, sizeof device.silicon, "pci %s", pci);
    return device;
}

static struct gpu_state state_of(const char *pci)
{
    struct gpu_state state = gpu_state_unknown();
    const struct device device = gpu_at(pci);
    struct watch *watch = nvml_monitor.open(&device);
    cr_assert_not_null(watch);
    nvml_monitor.read(watch, true, &state);
    nvml_monitor.close(watch);
    return state;
}

static double own_memory_of(const char *pci)
{
    const struct device device = gpu_at(pci);
    struct watch *watch = nvml_monitor.open(&device);
    const double bytes = nvml_monitor.own_memory(watch);
    nvml_monitor.close(watch);
    return bytes;
}

static void expect_nothing_known(const struct gpu_state *state)
{
    json_t *json = fields_to_json(state, &gpu_state_fields);
    cr_expect_eq(json_object_size(json), 0, "%s", json_dumps(json, 0));
    json_decref(json);
}

static void tell_all(void)
{
    setenv("NVML_DOUBLE_WATTS", "250", 1);
    setenv("NVML_DOUBLE_CLOCK", "1410", 1);
    setenv("NVML_DOUBLE_REASONS", "0 1", 1);
    setenv("NVML_DOUBLE_OTHERS", "2", 1);
    setenv("NVML_DOUBLE_ECC", "3", 1);
}

Test(nvml, reads_every_value)
{
    tell_all();
    const struct gpu_state state = state_of("0000:65:00.0");
    cr_expect(state.sm_clock == 1.41e9 && state.memory_clock == 2.619e9 && state.temperature == 61);
    cr_expect(state.power == 250 && state.power_limit == 700);
    cr_expect(state.memory == 80 * 0x1p30 && state.memory_used == 3 * 0x1p30);
    cr_expect_eq(own_memory_of("0000:65:00.0"), 0x1p29);
    cr_expect(state.own_memory == 0x1p29 && state.others == 2 && state.others_memory == 2 * 0x1p30);
    cr_expect(state.ecc_errors == 3 && state.knows_reasons && state.reasons == 0);
}

Test(nvml, counts_how_long_a_reason_held_the_clock_down)
{
    for (unsigned is_counted = 0; is_counted < 2; is_counted++) {
        const struct device device = gpu_at("0000:65:00.0");
        struct watch *watch = nvml_monitor.open(&device);
        struct held from = { { NAN } }, to = { { NAN } };
        from.of[REASON_SYNC_BOOST] = to.of[REASON_SYNC_BOOST] = NAN;
        if (is_counted)
            setenv("NVML_DOUBLE_HELD", "0.5", 1);
        const double start = clock_wall();
        nvml_monitor.held(watch, &from);
        nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
        nvml_monitor.held(watch, &to);
        const double seconds = to.of[REASON_POWER_CAP] - from.of[REASON_POWER_CAP];
        const bool is_half = seconds >= 0.0099 && seconds <= 0.5 * (clock_wall() - start) + 1e-6;
        cr_expect(is_counted ? is_half && to.of[REASON_HEAT] == 0 : isnan(seconds), "%g s", seconds);
        cr_expect(isnan(to.of[REASON_SYNC_BOOST]));
        nvml_monitor.close(watch);
    }
}

Test(nvml, unsupported_values_are_unknown)
{
    const struct gpu_state state = state_of("0000:65:00.0");
    expect_nothing_known(&state);
}

/* The whole GPU has 5120 bits. */
Test(nvml, a_part_of_a_gpu_has_the_memory_bus_that_cuda_tells)
{
    static const struct {
        unsigned own, wanted; /* bits that CUDA gives, 0: none; that are reported */
        bool is_part;
    } rows[] = { { 0, 5120, false }, { 384, 384, false }, { 0, 0, true }, { 640, 640, true } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct device device = { .memory_width = rows[i].own };
        unsetenv("NVML_DOUBLE_MIG");
        if (rows[i].is_part)
            setenv("NVML_DOUBLE_MIG", "1", 1);
        nvml_describe(&device, "0000:65:00.0");
        cr_expect_eq(device.memory_width, rows[i].wanted, "%u: %u bits", i, device.memory_width);
    }
}

Test(nvml, does_not_monitor_other_devices)
{
    struct device other = gpu_at("0000:65:00.0"), nowhere = gpu_at("0000:01:00.0"), soc = gpu_at("");
    text_copy(other.architecture, sizeof other.architecture, "amd gfx1030");
    *soc.silicon = '\0';
    cr_expect_null(nvml_monitor.open(&other));
    cr_expect_null(nvml_monitor.open(&nowhere));
    cr_expect_null(nvml_monitor.open(&soc));
    struct device again = gpu_at("0000:65:00.0"); /* the failed open has left nothing open */
    struct watch *watch = nvml_monitor.open(&again);
    cr_expect_not_null(watch);
    nvml_monitor.close(watch);
    nvml_monitor.close(NULL);
}

static unsigned reasons_for(const char *bits)
{
    char bits_text[32];
    snprintf(bits_text, sizeof bits_text, "%s 1", bits);
    setenv("NVML_DOUBLE_REASONS", bits_text, 1);
    const struct gpu_state state = state_of("0000:65:00.0");
    cr_expect(state.knows_reasons);
    return state.reasons;
}

Test(nvml, names_each_reason)
{
    static const struct {
        const char *bits;
        unsigned reasons;
    } known[] = {
        { "0x0", 0 },
        { "0x1", 0 }, /* idle */
        { "0x2", 1u << REASON_SETTING },
        { "0x4", 1u << REASON_POWER_CAP },
        { "0x8", 1u << REASON_HARDWARE },
        { "0x10", 1u << REASON_SYNC_BOOST },
        { "0x20", 1u << REASON_HEAT },
        { "0x40", 1u << REASON_HARDWARE_HEAT },
        { "0x80", 1u << REASON_POWER_BRAKE },
        { "0x100", 1u << REASON_DISPLAY },
        { "0x200", 1u << REASON_OTHER },
        { "0x48", 1u << REASON_HARDWARE_HEAT }, /* the hardware slowdown comes from the heat */
        { "0x88", 1u << REASON_POWER_BRAKE },   /* or from the power brake */
        { "0x25", 1u << REASON_POWER_CAP | 1u << REASON_HEAT },
    };
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        cr_expect_eq(reasons_for(known[i].bits), known[i].reasons, "%s", known[i].bits);
}

Test(nvml, a_lost_gpu_stays_unknown)
{
    tell_all();
    setenv("NVML_DOUBLE_LOST", "5", 1);
    const struct device device = gpu_at("0000:65:00.0");
    struct watch *watch = nvml_monitor.open(&device);
    struct gpu_state state;
    nvml_monitor.read(watch, false, &state); /* the first call asked for MIG, three follow */
    cr_expect(state.knows_reasons && state.sm_clock == 1.41e9 && state.memory_clock > 0);
    nvml_monitor.read(watch, true, &state);
    expect_nothing_known(&state);
    unsetenv("NVML_DOUBLE_LOST"); /* the GPU that comes back is not the same */
    nvml_monitor.read(watch, true, &state);
    expect_nothing_known(&state);
    cr_expect(isnan(nvml_monitor.joules(watch)) && isnan(nvml_monitor.own_memory(watch)));
    struct held held = { { [REASON_POWER_CAP] = 7 } };
    nvml_monitor.held(watch, &held);
    cr_expect_eq(held.of[REASON_POWER_CAP], 7, "nothing is known");
    nvml_monitor.close(watch);
}

Test(nvml, processes_of_another_namespace_are_not_counted)
{
    tell_all();
    setenv("NVML_DOUBLE_FOREIGN", "yes", 1);
    const struct gpu_state state = state_of("0000:65:00.0");
    cr_expect(isnan(state.others) && isnan(state.others_memory) && isnan(state.own_memory));
}

/* The number of other processes that a child of this process counts where the first is `second`; -1 where they do not
 * hold 1 GiB each. A worker is such a child of the program. */
static int others_of_worker(pid_t second)
{
    const pid_t worker = fork();
    if (worker == 0) {
        setenv("NVML_DOUBLE_SECOND", text_print("%ld", (long)second).text, 1);
        const struct gpu_state state = state_of("0000:65:00.0");
        _exit(state.others_memory == state.others * 0x1p30 ? (int)state.others : UCHAR_MAX);
    }
    int answer = 0;
    cr_assert(worker > 0 && waitpid(worker, &answer, 0) == worker && WIFEXITED(answer));
    return WEXITSTATUS(answer) == UCHAR_MAX ? -1 : WEXITSTATUS(answer);
}

/* The other worker has ended: it keeps its number and its parent until that waits for it. */
Test(nvml, other_workers_of_the_run_are_not_other_processes)
{
    static const struct {
        const char *processes;
        bool is_worker; /* the first of them */
        int others;
    } rows[] = { { "1", true, 0 }, { "2", true, 1 }, { "1", false, 1 }, { "2", false, 2 } };
    const pid_t worker = fork();
    if (worker == 0)
        _exit(0);
    cr_assert(worker > 0);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("NVML_DOUBLE_OTHERS", rows[i].processes, 1);
        const int others = others_of_worker(rows[i].is_worker ? worker : getpid());
        cr_expect_eq(others, rows[i].others, "row %u: %d other processes", i, others);
    }
    waitpid(worker, NULL, 0);
}

Test(nvml, a_part_of_a_gpu_has_no_energy_and_no_memory_of_its_own)
{
    tell_all();
    setenv("NVML_DOUBLE_MIG", "1", 1);
    const struct device device = gpu_at("0000:65:00.0");
    struct watch *watch = nvml_monitor.open(&device);
    struct gpu_state state;
    nvml_monitor.read(watch, true, &state);
    cr_expect(state.sm_clock == 1.41e9 && isnan(state.memory_used) && isnan(state.others));
    cr_expect(isnan(nvml_monitor.joules(watch)));
    nvml_monitor.close(watch);
}

/* The double has an H100, an older server card, a GeForce, a workstation card, and one of a brand that is unknown. */
Test(nvml, only_a_server_card_has_a_clock_that_it_never_exceeds)
{
    static const struct {
        const char *pci;
        double own, memory_clock; /* that another library knows, and in the end; Hz */
        bool is_limit;
    } rows[] = { { "0000:65:00.0", 0, 2.619e9, true },  { "0000:65:00.0", 1e9, 1e9, true },
                 { "0000:66:00.0", 0, 0, true },        { "0000:68:00.0", 0, 2.619e9, false },
                 { "0000:69:00.0", 0, 2.619e9, false }, { "0000:6a:00.0", 0, 2.619e9, false } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct device device = { .memory_clock = rows[i].own };
        nvml_describe(&device, rows[i].pci);
        cr_expect_eq(device.max_clock, 1.98e9, "row %u: %g Hz", i, device.max_clock);
        cr_expect_eq(device.max_clock_is_limit, rows[i].is_limit, "row %u", i);
        cr_expect_str_eq(device.max_clock_origin, "NVML");
        cr_expect_eq(device.memory_clock, rows[i].memory_clock, "row %u: %g Hz", i, device.memory_clock);
    }
}

/* WSL2 has no kernel module that tells it. */
Test(nvml, tells_the_version_of_the_driver_where_it_is_unknown)
{
    struct device unknown = gpu_at("0000:65:00.0"), known = unknown;
    strcpy(known.driver_version, "550.54");
    nvml_describe(&unknown, "0000:65:00.0");
    nvml_describe(&known, "0000:65:00.0");
    cr_expect_str_eq(unknown.driver_version, "580.1.2");
    cr_expect_str_eq(known.driver_version, "550.54");
}

Test(nvml, energy_is_counted_in_steps)
{
    tell_all();
    setenv("NVML_DOUBLE_STEP", "10", 1);
    const struct device device = gpu_at("0000:65:00.0");
    struct watch *watch = nvml_monitor.open(&device);
    double before = nvml_monitor.joules(watch);
    nanosleep(&(struct timespec){ .tv_nsec = 30000000 }, NULL);
    double joules = nvml_monitor.joules(watch) - before;
    cr_expect(joules >= 4.9, "%g J in 30 ms of 250 W", joules);
    cr_expect(fabs(fmod(joules + 1.25, 2.5) - 1.25) < 0.01, "%g J is no number of steps", joules);
    nvml_monitor.close(watch);
}
