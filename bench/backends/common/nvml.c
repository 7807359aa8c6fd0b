#include "bench/backends/common/nvml.h"

#include "harness/base/last_call.h"
#include "harness/base/library.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The part of NVIDIA's management library that is called, after its reference manual. Every call but the first three
 * may be missing (an older driver) or not supported (GeForce, virtual machines, Jetson, a part of a GPU): what it would
 * return is then unknown. */

enum nvml_answer { NVML_OK = 0, NVML_LOST = 15 };
enum nvml_clock { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };

/* nvmlBrandType_t. Server cards report Tesla, and NVIDIA since that name was given up. */
enum nvml_brand { NVML_BRAND_TESLA = 2, NVML_BRAND_NVIDIA = 14 };

enum { NVML_TEMPERATURE_CHIP = 0, NVML_ERROR_UNCORRECTED = 1, NVML_SINCE_LOADED = 0 };

/* nvmlClocksEventReason..., bits. */
enum nvml_reason {
    NVML_IDLE = 0x1,
    NVML_CLOCK_SETTING = 0x2,
    NVML_POWER_CAP = 0x4,
    NVML_HARDWARE_SLOWDOWN = 0x8, /* set together with the two that say which */
    NVML_SYNC_BOOST = 0x10,
    NVML_THERMAL = 0x20,
    NVML_HARDWARE_THERMAL = 0x40,
    NVML_POWER_BRAKE = 0x80,
    NVML_DISPLAY_CLOCK = 0x100
};

/* Bytes of the whole card. What the driver keeps for itself counts as used. */
struct nvml_memory {
    unsigned long long all, free, used;
};

/* nvmlProcessInfo_t as nvmlDeviceGetComputeRunningProcesses_v2 writes it, from driver 450 on. All bits of `bytes` set:
 * unknown. The call named _v3 is not used: drivers 535.43 to 535.86 write a longer entry under that name. */
struct nvml_process {
    unsigned pid;
    unsigned long long bytes;
    unsigned instance, part;
};
static const unsigned long long nvml_unknown_bytes = ~0ull;

/* nvmlFieldValue_t: the caller names the field, and the time for which a reason held the clock down is in nanoseconds.
 * NVML_FI_DEV_PERF_POLICY_POWER, _THERMAL and _SYNC_BOOST. The other reasons are not asked for: their numbers differ
 * between drivers. */
struct nvml_value {
    unsigned field, scope;
    long long time, latency;
    int type, answer;
    unsigned long long value;
};
enum { NVML_TIMES = 3 };
static const struct {
    unsigned field;
    enum gpu_reason reason;
} nvml_times[NVML_TIMES] = { { 74, REASON_POWER_CAP }, { 75, REASON_HEAT }, { 76, REASON_SYNC_BOOST } };

/* bus_width: from driver 510 on. mig_mode: 1 if split into parts (MIG), from 450 on. ecc_mode: 1 if on. persistence: 1
 * if the driver stays loaded when nobody uses it. power_limit: the lowest of all limits in force. energy: since the
 * driver was loaded, from Volta on. event_reasons: the name since driver 535 of throttle_reasons. power: the mean of
 * one second from Ampere on, except on GA100. Older drivers lack some. */
#define NVML_CALLS(CALL)                                                                                               \
    CALL(init, "nvmlInit_v2", void)                                                                                    \
    CALL(shutdown, "nvmlShutdown", void)                                                                               \
    CALL(handle_by_pci, "nvmlDeviceGetHandleByPciBusId_v2", const char *bus_id, void **gpu)                            \
    CALL(driver_version, "nvmlSystemGetDriverVersion", char *to, unsigned room)                                        \
    CALL(brand, "nvmlDeviceGetBrand", void *gpu, int *brand)                                                           \
    CALL(max_clock, "nvmlDeviceGetMaxClockInfo", void *gpu, int clock, unsigned *megahertz)                            \
    CALL(bus_width, "nvmlDeviceGetMemoryBusWidth", void *gpu, unsigned *bits)                                          \
    CALL(mig_mode, "nvmlDeviceGetMigMode", void *gpu, unsigned *now, unsigned *next)                                   \
    CALL(ecc_mode, "nvmlDeviceGetEccMode", void *gpu, unsigned *now, unsigned *next)                                   \
    CALL(persistence, "nvmlDeviceGetPersistenceMode", void *gpu, unsigned *mode)                                       \
    CALL(power_limit, "nvmlDeviceGetEnforcedPowerLimit", void *gpu, unsigned *milliwatts)                              \
    CALL(energy, "nvmlDeviceGetTotalEnergyConsumption", void *gpu, unsigned long long *millijoules)                    \
    CALL(clock, "nvmlDeviceGetClockInfo", void *gpu, int clock, unsigned *megahertz)                                   \
    CALL(event_reasons, "nvmlDeviceGetCurrentClocksEventReasons", void *gpu, unsigned long long *bits)                 \
    CALL(throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons", void *gpu, unsigned long long *bits)           \
    CALL(values, "nvmlDeviceGetFieldValues", void *gpu, int count, struct nvml_value of[])                             \
    CALL(temperature, "nvmlDeviceGetTemperature", void *gpu, int sensor, unsigned *celsius)                            \
    CALL(power, "nvmlDeviceGetPowerUsage", void *gpu, unsigned *milliwatts)                                            \
    CALL(memory, "nvmlDeviceGetMemoryInfo", void *gpu, struct nvml_memory *out)                                        \
    CALL(ecc_errors, "nvmlDeviceGetTotalEccErrors", void *gpu, int kind, int since, unsigned long long *count)         \
    CALL(processes, "nvmlDeviceGetComputeRunningProcesses_v2", void *gpu, unsigned *count, struct nvml_process out[])

LIBRARY_DECLARE(nvml_api, nvml_names, NVML_CALLS)
LIBRARY_DEFINE(nvml_names, NVML_CALLS)

enum { PROCESSES_MAX = 256 }; /* with more, NVML lists none: memory and number stay unknown */

struct watch {
    struct nvml_api call;
    void *gpu;
    bool is_split; /* split into parts (MIG): values of the whole card are not those of our part */
    bool is_lost;  /* it fell off the bus, for example: no later value can be believed */
};

/* Whether a call returned a value. */
static bool answered(struct watch *watch, int answer)
{
    watch->is_lost = watch->is_lost || answer == NVML_LOST;
    return answer == NVML_OK && !watch->is_lost;
}

/* Asks about the GPU. False where it has no answer, or this driver no such call. */
#define ASK(watch, function, ...)                                                                                      \
    ((watch)->call.function && answered(watch, (watch)->call.function((watch)->gpu, __VA_ARGS__)))

/* A number that counts such units; NAN where it is unknown. */
static double number_of(struct watch *watch, int (*call)(void *gpu, unsigned *number), double unit)
{
    unsigned number = 0;
    return call && answered(watch, call(watch->gpu, &number)) ? unit * number : NAN;
}

static double clock_of(struct watch *watch, int (*call)(void *gpu, int clock, unsigned *megahertz), int clock)
{
    unsigned megahertz = 0;
    return call && answered(watch, call(watch->gpu, clock, &megahertz)) ? 1e6 * megahertz : NAN;
}

static void watch_close(struct watch *watch)
{
    if (watch && watch->gpu)
        watch->call.shutdown();
    free(watch);
}

/* Loads and starts the library and finds the GPU at a PCI address, "0000:65:00.0". NULL where that fails. */
static struct watch *watch_start(const char *pci)
{
    static const char soname[] = "libnvidia-ml.so.1", *const sonames[] = { soname, NULL };
    struct error ignored = { .status = STATUS_OK };
    unsigned parts = 0, next = 0;
    void *library = *pci ? library_load(sonames, "libnvidia-ml1", &ignored) : NULL;
    struct watch *watch = library ? calloc(1, sizeof *watch) : NULL;
    last_call_begin("NVML");
    if (!watch)
        return NULL;
    struct nvml_api *nvml = &watch->call;
    library_bind(library, soname, LIBRARY_NAMES(nvml_names), nvml, &ignored);
    if (nvml->init && nvml->shutdown && nvml->handle_by_pci && nvml->init() == NVML_OK) {
        if (nvml->handle_by_pci(pci, &watch->gpu) == NVML_OK && watch->gpu) {
            watch->is_split = ASK(watch, mig_mode, &parts, &next) && parts != 0;
            return watch;
        }
        nvml->shutdown();
    }
    free(watch);
    return NULL;
}

static struct watch *watch_open(const struct device *device)
{
    static const char vendor[] = "nvidia ", bus[] = "pci ";
    const bool is_ours =
        strncmp(device->architecture, vendor, strlen(vendor)) == 0 && strncmp(device->silicon, bus, strlen(bus)) == 0;
    return is_ours ? watch_start(device->silicon + strlen(bus)) : NULL;
}

static void describe_clocks(struct watch *watch, struct device *device)
{
    /* GeForce cards and some workstation cards can be clocked above the maximum that NVML names; server cards cannot. A
     * card that does not say that it is for servers is taken for one that can. */
    int brand = 0;
    const bool is_for_servers = ASK(watch, brand, &brand) && (brand == NVML_BRAND_TESLA || brand == NVML_BRAND_NVIDIA);
    device->max_clock = fmax(0, clock_of(watch, watch->call.max_clock, NVML_CLOCK_SM));
    device->max_clock_is_limit = device->max_clock > 0 && is_for_servers;
    if (device->max_clock > 0)
        text_copy(device->max_clock_origin, sizeof device->max_clock_origin, "NVML");
    if (!(device->memory_clock > 0))
        device->memory_clock = fmax(0, clock_of(watch, watch->call.max_clock, NVML_CLOCK_MEMORY));
    if (device->memory_width == 0 && !watch->is_split)
        device->memory_width = (unsigned)fmax(0, number_of(watch, watch->call.bus_width, 1));
}

/* The owner's settings: they limit the speed, or make the first use slow. */
static void describe_settings(struct watch *watch, struct device *device)
{
    unsigned ecc = 0, next = 0;
    const double persistence = number_of(watch, watch->call.persistence, 1);
    device->power_limit = fmax(device->power_limit, number_of(watch, watch->call.power_limit, 1e-3));
    if (ASK(watch, ecc_mode, &ecc, &next))
        text_copy(device->ecc, sizeof device->ecc, ecc ? "on" : "off");
    if (!isnan(persistence))
        text_copy(device->persistence, sizeof device->persistence, persistence > 0 ? "on" : "off");
}

void nvml_describe(struct device *device, const char *pci)
{
    struct watch *watch = watch_start(pci);
    char version[sizeof device->driver_version] = "";
    if (!watch)
        return;
    if (!*device->driver_version && watch->call.driver_version &&
        watch->call.driver_version(version, sizeof version) == NVML_OK)
        text_clean(device->driver_version, sizeof device->driver_version, version);
    describe_clocks(watch, device);
    describe_settings(watch, device);
    watch_close(watch);
}

static const struct {
    unsigned bit;
    enum gpu_reason reason;
} reason_bits[] = {
    { NVML_CLOCK_SETTING, REASON_SETTING },          { NVML_POWER_CAP, REASON_POWER_CAP },
    { NVML_SYNC_BOOST, REASON_SYNC_BOOST },          { NVML_THERMAL, REASON_HEAT },
    { NVML_HARDWARE_THERMAL, REASON_HARDWARE_HEAT }, { NVML_POWER_BRAKE, REASON_POWER_BRAKE },
    { NVML_DISPLAY_CLOCK, REASON_DISPLAY },
};

/* A slowdown by the hardware counts as a reason of its own only where neither heat nor the power brake explains it. */
static unsigned reasons_of(unsigned long long bits)
{
    unsigned reasons = 0;
    bool is_explained = bits & (NVML_HARDWARE_THERMAL | NVML_POWER_BRAKE);
    if (bits & NVML_HARDWARE_SLOWDOWN && !is_explained)
        reasons |= 1u << REASON_HARDWARE;
    bits &= ~(unsigned long long)(NVML_IDLE | NVML_HARDWARE_SLOWDOWN);
    for (unsigned i = 0; i < sizeof reason_bits / sizeof *reason_bits; i++) {
        if (bits & reason_bits[i].bit)
            reasons |= 1u << reason_bits[i].reason;
        bits &= ~(unsigned long long)reason_bits[i].bit;
    }
    return bits ? reasons | 1u << REASON_OTHER : reasons;
}

/* Reads the reasons first: they pass when the work ends. */
static void read_clocks(struct watch *watch, struct gpu_state *out)
{
    const struct nvml_api *nvml = &watch->call;
    unsigned long long bits = 0;
    *out = gpu_state_unknown();
    out->knows_reasons = nvml->event_reasons ? ASK(watch, event_reasons, &bits) : ASK(watch, throttle_reasons, &bits);
    out->reasons = out->knows_reasons ? reasons_of(bits) : 0;
    out->sm_clock = clock_of(watch, nvml->clock, NVML_CLOCK_SM);
    out->memory_clock = clock_of(watch, nvml->clock, NVML_CLOCK_MEMORY);
}

/* Temperature, power and memory. */
static void read_board(struct watch *watch, struct gpu_state *out)
{
    unsigned celsius = 0;
    struct nvml_memory memory = { 0 };
    unsigned long long errors = 0;
    if (ASK(watch, temperature, NVML_TEMPERATURE_CHIP, &celsius))
        out->temperature = celsius;
    out->power = number_of(watch, watch->call.power, 1e-3);
    out->power_limit = number_of(watch, watch->call.power_limit, 1e-3);
    if (!watch->is_split && ASK(watch, memory, &memory)) {
        out->memory_used = (double)memory.used;
        out->memory = (double)memory.all;
    }
    if (ASK(watch, ecc_errors, NVML_ERROR_UNCORRECTED, NVML_SINCE_LOADED, &errors))
        out->ecc_errors = (double)errors;
}

static double bytes_of(const struct nvml_process *process)
{
    return process->bytes == nvml_unknown_bytes ? NAN : (double)process->bytes;
}

/* Other processes on the GPU. In a container the process numbers may be those of another namespace: a process that does
 * not find itself in the list cannot tell others from its own. */
static void read_processes(struct watch *watch, struct gpu_state *out)
{
    struct nvml_process process[PROCESSES_MAX];
    unsigned count = PROCESSES_MAX;
    double others = 0, held = 0;
    if (watch->is_split || !ASK(watch, processes, &count, process))
        return;
    bool finds_itself = false;
    for (unsigned i = 0; i < count && i < PROCESSES_MAX; i++) {
        if (process[i].pid == (unsigned)getpid()) {
            finds_itself = true;
            out->own_memory = bytes_of(&process[i]);
        } else if (!host_process_is_sibling("", process[i].pid)) {
            others++;
            held += bytes_of(&process[i]);
        }
    }
    if (finds_itself) {
        out->others = others;
        out->others_memory = held;
    }
}

static void read_state(struct watch *watch, bool everything, struct gpu_state *out)
{
    last_call_begin("NVML");
    read_clocks(watch, out);
    if (everything) {
        read_board(watch, out);
        read_processes(watch, out);
    }
    if (watch->is_lost)
        *out = gpu_state_unknown();
}

static double read_own_memory(struct watch *watch)
{
    struct gpu_state state = gpu_state_unknown();
    last_call_begin("NVML");
    read_processes(watch, &state);
    return state.own_memory;
}

static void read_held(struct watch *watch, struct held *out)
{
    struct nvml_value value[NVML_TIMES] = { 0 };
    last_call_begin("NVML");
    for (unsigned i = 0; i < NVML_TIMES; i++)
        value[i].field = nvml_times[i].field;
    const bool is_known = ASK(watch, values, NVML_TIMES, value);
    for (unsigned i = 0; i < NVML_TIMES; i++)
        if (is_known && value[i].answer == NVML_OK)
            out->of[nvml_times[i].reason] = 1e-9 * (double)value[i].value;
}

/* Not from samples of the power: those are means over other times than that of the work. */
static double read_energy(struct watch *watch)
{
    unsigned long long millijoules = 0;
    last_call_begin("NVML");
    return !watch->is_split && ASK(watch, energy, &millijoules) ? 1e-3 * (double)millijoules : NAN;
}

const struct monitor nvml_monitor = {
    .open = watch_open,
    .close = watch_close,
    .read = read_state,
    .own_memory = read_own_memory,
    .held = read_held,
    .joules = read_energy,
};
