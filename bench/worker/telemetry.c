#include "bench/worker/telemetry.h"

#include "harness/base/clock.h"
#include "harness/journal/journal.h"

#include <math.h>

/* More than any board takes, in watts. */
static const double power_limit = 5000;

static struct gpu_state read_all(const struct telemetry *telemetry)
{
    struct gpu_state state = gpu_state_unknown();
    if (telemetry->watch)
        telemetry->monitor->read(telemetry->watch, &state);
    return state;
}

static double joules_now(const struct telemetry *telemetry)
{
    return telemetry->watch ? telemetry->monitor->joules(telemetry->watch) : NAN;
}

void telemetry_open(struct telemetry *telemetry, const struct rig *rig)
{
    double start = clock_wall();
    *telemetry = (struct telemetry){ .monitor = rig->backend->monitor, .context = NAN };
    if (rig->backend->now)
        return;
    energy_open(&telemetry->energy, "");
    if (telemetry->monitor)
        telemetry->watch = telemetry->monitor->open(&rig->device);
    telemetry->context = read_all(telemetry).own_memory;
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

void telemetry_look(const struct telemetry *telemetry, struct telemetry_look *out)
{
    double start = clock_wall();
    out->gpu = gpu_state_unknown();
    if (telemetry->watch)
        telemetry->monitor->look(telemetry->watch, &out->gpu);
    out->joules = joules_now(telemetry);
    energy_read(&telemetry->energy, "", &out->energy);
    out->seconds = clock_wall() - start;
}

/* The counters stand outside of the slice, by what it takes to write it down: a thousandth of it. */
static json_t *energy_to_json(const struct energy *energy, const struct telemetry_look *from,
                              const struct telemetry_look *to)
{
    double joules[ENERGY_DOMAINS], board = to->joules - from->joules;
    json_t *json = json_object();
    energy_between(energy, &from->energy, &to->energy, joules);
    if (board >= 0 && board <= power_limit * (to->energy.at - from->energy.at))
        joules[ENERGY_GPU] = board;
    for (unsigned i = 0; i < ENERGY_DOMAINS; i++)
        if (!isnan(joules[i]))
            json_object_set_new(json, energy_domain_names[i], json_real(joules[i]));
    return json;
}

static void add(json_t *to, const char *name, json_t *what)
{
    if (what)
        json_object_set_new(to, name, what);
}

void telemetry_report(const struct telemetry *telemetry, const struct telemetry_look *from,
                      const struct telemetry_look *to, bool flushes, json_t *slice)
{
    bool counts = telemetry->energy.counters > 0 || !isnan(to->joules);
    json_t *gpu = json_object();
    add(gpu, "before", gpu_state_to_json(&from->gpu));
    add(gpu, "after", gpu_state_to_json(&to->gpu));
    if (counts && !flushes)
        json_object_set_new(slice, "energy_j", energy_to_json(&telemetry->energy, from, to));
    if (counts || telemetry->watch)
        json_object_set_new(slice, "probes_ns", journal_ns(from->seconds + to->seconds));
    if (json_object_size(gpu) > 0)
        json_object_set(slice, "gpu", gpu);
    json_decref(gpu);
}

json_t *telemetry_state(const struct telemetry *telemetry)
{
    struct gpu_state state = read_all(telemetry);
    return gpu_state_to_json(&state);
}

static json_t *bytes_or_null(double bytes)
{
    return isfinite(bytes) ? json_integer((json_int_t)bytes) : json_null();
}

void telemetry_footprint(const struct telemetry *telemetry, json_t *memory_cost)
{
    json_object_set_new(memory_cost, "context_device", bytes_or_null(telemetry->context));
    json_object_set_new(memory_cost, "held_device", bytes_or_null(read_all(telemetry).own_memory));
}
