#include "bench/backends/common/nvml.h"
#include "bench/backends/common/nvml_api.h"
#include "harness/machine/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROCESSES_MAX = 256 };

struct watch {
    struct nvml_api nvml;
    void *gpu;
    bool is_cut;  /* into parts (MIG): what is told of the whole card is not that of ours */
    bool is_lost; /* it fell off the bus, or the like: nothing that is told after that can be believed */
};

/* Whether a call has told something. */
static bool told(struct watch *watch, int answer)
{
    watch->is_lost = watch->is_lost || answer == NVML_LOST;
    return answer == NVML_OK && !watch->is_lost;
}

static struct watch *watch_open(const struct device *device)
{
    static const char vendor[] = "nvidia ", bus[] = "pci ";
    unsigned cut = 0, next = 0;
    struct watch *watch = calloc(1, sizeof *watch);
    bool is_ours =
        strncmp(device->architecture, vendor, strlen(vendor)) == 0 && strncmp(device->silicon, bus, strlen(bus)) == 0;
    if (watch && is_ours)
        watch->gpu = nvml_start(&watch->nvml, device->silicon + strlen(bus));
    if (!watch || !watch->gpu) {
        free(watch);
        return NULL;
    }
    watch->is_cut = watch->nvml.mig_mode && told(watch, watch->nvml.mig_mode(watch->gpu, &cut, &next)) && cut != 0;
    return watch;
}

static void watch_close(struct watch *watch)
{
    if (watch)
        watch->nvml.shutdown();
    free(watch);
}

static double clock_now(struct watch *watch, enum nvml_clock clock)
{
    unsigned megahertz = 0;
    bool is_told = watch->nvml.clock && told(watch, watch->nvml.clock(watch->gpu, (int)clock, &megahertz));
    return is_told ? 1e6 * megahertz : NAN;
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

/* The hardware's slowdown by itself is a reason of its own; beside the heat or the brake that it stands for it is not.
 */
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

/* The reasons first: they pass when the work does. */
static void look(struct watch *watch, struct gpu_state *out)
{
    const struct nvml_api *nvml = &watch->nvml;
    int (*reasons)(void *, unsigned long long *) = nvml->event_reasons ? nvml->event_reasons : nvml->throttle_reasons;
    unsigned long long bits = 0;
    *out = gpu_state_unknown();
    out->knows_reasons = reasons && told(watch, reasons(watch->gpu, &bits));
    out->reasons = out->knows_reasons ? reasons_of(bits) : 0;
    out->sm_clock = clock_now(watch, NVML_CLOCK_SM);
    out->memory_clock = clock_now(watch, NVML_CLOCK_MEMORY);
}

static void read_power(struct watch *watch, struct gpu_state *out)
{
    const struct nvml_api *nvml = &watch->nvml;
    unsigned milliwatts = 0, celsius = 0;
    if (nvml->temperature && told(watch, nvml->temperature(watch->gpu, NVML_TEMPERATURE_CHIP, &celsius)))
        out->temperature = celsius;
    if (nvml->power && told(watch, nvml->power(watch->gpu, &milliwatts)))
        out->power = 1e-3 * milliwatts;
    if (nvml->power_limit && told(watch, nvml->power_limit(watch->gpu, &milliwatts)))
        out->power_limit = 1e-3 * milliwatts;
}

static void read_memory(struct watch *watch, struct gpu_state *out)
{
    const struct nvml_api *nvml = &watch->nvml;
    struct nvml_memory memory = { 0 };
    unsigned long long errors = 0;
    if (nvml->memory && !watch->is_cut && told(watch, nvml->memory(watch->gpu, &memory))) {
        out->memory_used = (double)memory.used;
        out->memory = (double)memory.all;
    }
    if (nvml->ecc_errors &&
        told(watch, nvml->ecc_errors(watch->gpu, NVML_ERROR_UNCORRECTED, NVML_SINCE_LOADED, &errors)))
        out->ecc_errors = (double)errors;
}

static double bytes_of(const struct nvml_process *process)
{
    return process->bytes == nvml_unknown_bytes ? NAN : (double)process->bytes;
}

/* Who else is there. In a container the numbers may be those of another namespace: who does not find itself among them
 * cannot tell others from its own. */
static void read_processes(struct watch *watch, struct gpu_state *out)
{
    const struct nvml_api *nvml = &watch->nvml;
    struct nvml_process process[PROCESSES_MAX];
    unsigned count = PROCESSES_MAX;
    double others = 0, held = 0;
    bool finds_itself = false;
    if (!nvml->processes || watch->is_cut || !told(watch, nvml->processes(watch->gpu, &count, process)))
        return;
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

static void read_all(struct watch *watch, struct gpu_state *out)
{
    look(watch, out);
    read_power(watch, out);
    read_memory(watch, out);
    read_processes(watch, out);
    if (watch->is_lost)
        *out = gpu_state_unknown();
}

/* Not from samples of its power: those are means over another time than that of the work. */
static double joules(struct watch *watch)
{
    unsigned long long millijoules = 0;
    const struct nvml_api *nvml = &watch->nvml;
    bool is_told = nvml->energy && !watch->is_cut && told(watch, nvml->energy(watch->gpu, &millijoules));
    return is_told ? 1e-3 * (double)millijoules : NAN;
}

const struct monitor nvml_monitor = {
    .open = watch_open,
    .close = watch_close,
    .look = look,
    .read = read_all,
    .joules = joules,
};
