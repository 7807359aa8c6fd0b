#include "bench/worker/telemetry.h"

#include "harness/base/clock.h"
#include "harness/machine/host.h"

#include <math.h>

/* Watts; no board uses so much. */
static const double power_limit = 5000;

static struct gpu_state read_state(const struct telemetry *telemetry, bool everything)
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

void telemetry_open(struct telemetry *telemetry, const struct rig *rig)
{
    double start = clock_wall();
    *telemetry = (struct telemetry){ .opened = NAN };
    if (rig->backend->now)
        return;
    energy_open(&telemetry->energy, "");
    for (const struct monitor *const *next = rig->backend->monitors; next && *next && !telemetry->watch; next++) {
        telemetry->monitor = *next;
        telemetry->watch = telemetry->monitor->open(&rig->device);
    }
    telemetry->opened = read_state(telemetry, true).own_memory;
    telemetry->seconds = clock_wall() - start;
}

void telemetry_close(struct telemetry *telemetry)
{
    if (telemetry->watch)
        telemetry->monitor->close(telemetry->watch);
    telemetry->watch = NULL;
}

bool telemetry_counts_joules(const struct telemetry *telemetry)
{
    return !isnan(joules_now(telemetry));
}

void telemetry_read(const struct telemetry *telemetry, struct telemetry_reading *out)
{
    double start = clock_wall();
    out->gpu = read_state(telemetry, false);
    out->joules = joules_now(telemetry);
    energy_read(&telemetry->energy, "", &out->energy);
    out->seconds = clock_wall() - start;
}

/* The counters are read just before and after the slice: the difference in time is a thousandth of it. */
static void add_energy(const struct energy *energy, const struct telemetry_reading *from,
                       const struct telemetry_reading *to, double joules[ENERGY_DOMAINS])
{
    const double board = to->joules - from->joules;
    energy_between(energy, &from->energy, &to->energy, joules);
    if (board >= 0 && board <= power_limit * (to->energy.at - from->energy.at))
        joules[ENERGY_GPU] = board;
}

void telemetry_report(const struct telemetry *telemetry, const struct telemetry_reading *from,
                      const struct telemetry_reading *to, bool only_runs, struct slice_line *slice)
{
    const bool counts = telemetry->energy.counters > 0 || !isnan(to->joules);
    slice->gpu = (struct gpu_states){ from->gpu, to->gpu };
    if (counts && only_runs)
        add_energy(&telemetry->energy, from, to, slice->energy.of);
    if (counts || telemetry->watch)
        slice->probes = from->seconds + to->seconds;
}

struct gpu_state telemetry_state(const struct telemetry *telemetry)
{
    return read_state(telemetry, true);
}

struct memory_cost telemetry_memory(const struct telemetry *telemetry, const struct rig *rig, double context, int *node)
{
    double held;
    struct memory_cost cost = { .context_host = context,
                                .peak_host = host_process_peak(""),
                                .largest_node = host_largest_node("", node, &held),
                                .context_device = telemetry->opened,
                                .held_device = read_state(telemetry, true).own_memory };
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

/* The energy counter of a device moves in steps that are longer than many slices. Between slices the device idles, and
 * a step mixes idle and work, however many slices are added up. So here runs follow each other without a pause, from
 * one step of the counter to another. */

/* Seconds between two readings: short compared with a step, long compared with a reading. */
static const double reading_interval = 0.01;

/* A counter that is late by so many seconds has stopped. */
static const double timeout = 0.5;

struct metering {
    const struct telemetry *telemetry;
    struct rig *rig;
    unsigned batch; /* runs between two readings */
    double fine;    /* seconds; two readings no farther apart show well when the counter moved */
    double runs;    /* so far */
    double reading; /* seconds spent in readings so far */
    double at, joules;
    double gap; /* seconds between the last two readings */
};

static void take_reading(struct metering *metering)
{
    double start = clock_wall();
    metering->joules = metering->telemetry->monitor->joules(metering->telemetry->watch);
    double end = clock_wall();
    metering->gap = end - metering->at;
    metering->at = end;
    metering->reading += end - start;
}

/* Runs for so many seconds, then until the counter moves between two readings that are close together. *mark: the
 * closest pair; *moved: whether the counter moved at all. */
static bool run_until_moved(struct metering *metering, double seconds, struct metering *mark, bool *moved,
                            struct error *err)
{
    double start = metering->at;
    for (*moved = false; (!*moved || mark->gap > metering->fine) && metering->at - start < seconds + timeout;) {
        double before = metering->joules;
        struct run_times ignored;
        for (unsigned i = 0; i < metering->batch; i++, metering->runs++)
            if (!rig_run_resident(metering->rig, 1, &ignored, err))
                return false;
        take_reading(metering);
        bool is_step = metering->joules > before && metering->at - start >= seconds;
        if (is_step && (!*moved || metering->gap < mark->gap))
            *mark = *metering;
        *moved = *moved || is_step;
    }
    return true;
}

/* A step is somewhere between two readings, and no farther off than its length. No work was done during readings. */
static void set_figures(struct meter *out, const struct metering *from, const struct metering *to)
{
    const double elapsed = to->at - from->at, joules = to->joules - from->joules;
    const double unsure =
        fmin(from->gap, longest_energy_step) + fmin(to->gap, longest_energy_step) + to->reading - from->reading;
    if (joules > 0 && joules <= power_limit * elapsed)
        *out = (struct meter){
            .runs = to->runs - from->runs, .seconds = elapsed, .joules = joules, .error = unsure / elapsed
        };
}

bool telemetry_meter(const struct telemetry *telemetry, struct rig *rig, double seconds, double run, struct meter *out,
                     struct error *err)
{
    struct metering metering = { .telemetry = telemetry, .rig = rig, .batch = 1, .at = clock_wall() }, from, to;
    bool moved = false;
    if (!telemetry->watch || !rig_computes(rig))
        return fail(err, STATUS_UNSUPPORTED, "this device has no energy counter, or nothing computes");
    if (run > 0 && run < reading_interval)
        metering.batch = (unsigned)fmin(1000, reading_interval / run);
    metering.fine = 1.5 * fmax(reading_interval, run);
    take_reading(&metering);
    /* The first steps cover the time before the runs. */
    if (!run_until_moved(&metering, longest_energy_step, &from, &moved, err) ||
        (moved && !run_until_moved(&metering, seconds, &to, &moved, err)))
        return false;
    if (moved)
        set_figures(out, &from, &to);
    out->gpu = telemetry_state(telemetry);
    return true;
}
