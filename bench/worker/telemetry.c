#include "bench/worker/telemetry.h"

#include "harness/base/clock.h"
#include "harness/machine/host.h"

#include <math.h>

struct gpu_state telemetry_read(const struct telemetry *telemetry, bool everything)
{
    struct gpu_state state = gpu_state_unknown();
    if (telemetry->watch)
        telemetry->monitor->read(telemetry->watch, everything, &state);
    return state;
}

static double joules_now(const struct telemetry *telemetry)
{
    return telemetry->watch ? telemetry->monitor->joules(telemetry->watch) : NAN;
}

static double own_memory(const struct telemetry *telemetry)
{
    return telemetry->watch && telemetry->monitor->own_memory ? telemetry->monitor->own_memory(telemetry->watch) : NAN;
}

void telemetry_open(struct telemetry *telemetry, const struct rig *rig)
{
    const double start = clock_wall();
    *telemetry = (struct telemetry){ .opened = NAN, .reading = NAN };
    if (rig->backend->now)
        return;
    energy_open(&telemetry->energy, "");
    for (const struct monitor *const *next = rig->backend->monitors; next && *next && !telemetry->watch; next++) {
        telemetry->monitor = *next;
        telemetry->watch = telemetry->monitor->open(&rig->device);
    }
    telemetry->opened = own_memory(telemetry);
    const double opened = clock_wall();
    telemetry_read(telemetry, false);
    telemetry->seconds = clock_wall() - start;
    telemetry->reading = telemetry->watch ? clock_wall() - opened : NAN;
}

void telemetry_close(struct telemetry *telemetry)
{
    if (telemetry->watch)
        telemetry->monitor->close(telemetry->watch);
    telemetry->watch = NULL;
}

bool telemetry_counts_joules(const struct telemetry *telemetry)
{
    return telemetry->energy.counters > 0 || !isnan(joules_now(telemetry));
}

struct memory_cost telemetry_memory(const struct telemetry *telemetry, const struct rig *rig, double context, int *node)
{
    double held;
    struct memory_cost cost = { .context_host = context,
                                .peak_host = host_process_peak(""),
                                .largest_node = host_largest_node("", node, &held),
                                .context_device = telemetry->opened,
                                .held_device = own_memory(telemetry) };
    for (unsigned i = 0; i < rig->operands; i++) {
        const double bytes = (double)rig_bytes(rig, i);
        cost.device_operands += bytes;
        cost.host_operands += rig->host[i] ? bytes : 0;
        cost.repacked += rig->repacks & 1u << i ? bytes : 0;
    }
    cost.held_twice = rig->device.shares_host_memory ? cost.host_operands : 0;
    /* Else other memory of the process may decide, or a driver hides its buffers. */
    if (isnan(cost.largest_node) || cost.host_operands < held / 2 || cost.host_operands > held)
        *node = -1;
    return cost;
}

/* The energy counter of a board moves in steps that are longer than many slices, and between slices the board idles. So
 * runs follow each other without a pause, and the counters are read before and after all of them. */
struct counters {
    struct energy_reading energy;
    double joules; /* of the device; NAN unknown */
    struct held held;
    double took; /* seconds */
};

static void counters_read(const struct telemetry *telemetry, struct counters *out)
{
    const double start = clock_wall();
    for (unsigned i = 0; i < REASON_COUNT; i++)
        out->held.of[i] = NAN;
    if (telemetry->watch && telemetry->monitor->held)
        telemetry->monitor->held(telemetry->watch, &out->held);
    out->joules = joules_now(telemetry);
    energy_read(&telemetry->energy, "", &out->energy);
    out->took = clock_wall() - start;
}

/* Runs for so many seconds, at least once. */
static bool run_for(struct rig *rig, enum series series, double seconds, double *runs, struct error *err)
{
    const double start = clock_wall();
    struct run_times ignored;
    *runs = 0;
    do {
        if (!(series == SERIES_COPIED ? rig_run_copied(rig, false, &ignored, err)
                                      : rig_run_resident(rig, 1, &ignored, err)))
            return false;
        ++*runs;
    } while (clock_wall() - start < seconds);
    return true;
}

bool telemetry_meter(const struct telemetry *telemetry, struct rig *rig, enum series series, double seconds,
                     struct meter *out, struct error *err)
{
    struct counters from, to;
    double before; /* what the counters do not show yet when they are read first is of these runs */
    rig->is_without_events = rig->keeps_inputs = true;
    bool ok = run_for(rig, series, telemetry->watch ? longest_energy_step : 0, &before, err);
    counters_read(telemetry, &from);
    ok = ok && run_for(rig, series, seconds, &out->runs, err);
    counters_read(telemetry, &to);
    rig->is_without_events = rig->keeps_inputs = false;
    out->seconds = to.energy.at - from.energy.at;
    out->probes = from.took + to.took;
    energy_between(&telemetry->energy, &from.energy, &to.energy, out->energy.of);
    out->energy.of[ENERGY_GPU] = to.joules - from.joules;
    out->error = isnan(to.joules) ? NAN : (longest_energy_step + out->probes) / out->seconds;
    for (unsigned i = 0; i < REASON_COUNT; i++)
        out->held.of[i] = to.held.of[i] - from.held.of[i];
    return ok;
}
