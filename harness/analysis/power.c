#include "harness/analysis/power.h"

#include "harness/base/text.h"

#include <math.h>
#include <stddef.h>

static void read_state(struct gpu_metrics *out, const struct gpu_state *state)
{
    gpu_state_raise(&out->most, state);
    if (!isnan(state->power_limit))
        out->most.power_limit = state->power_limit;
}

/* Whether the relative error of an energy reading, by the counter's steps, is small enough to report. */
static bool gpu_energy_is_precise(double error)
{
    return error <= 0.3;
}

void gpu_metrics_read(struct gpu_metrics *out, const struct cell_record *cell)
{
    const struct track *track = &cell->track[use_series[cell_headline(cell)]];
    *out = (struct gpu_metrics){ .most = gpu_state_unknown() };
    out->clock = track_median(track, offsetof(struct slice, sm_clock));
    out->ecc_errors = cell->gpu_after.ecc_errors - cell->gpu_before.ecc_errors;
    for (unsigned i = 0; i < track->slices; i++) {
        const struct slice *slice = &track->slice[i];
        out->reported += slice->knows_held;
        out->held += slice->knows_held && slice->held != 0;
        for (unsigned k = 0; slice->knows_held && k < REASON_COUNT; k++)
            out->held_by[k] += (slice->held >> k) & 1;
    }
    read_state(out, &cell->gpu_before);
    read_state(out, &cell->gpu_after);
    read_state(out, &cell->meter.gpu);
    if (gpu_energy_is_precise(cell->meter.error))
        out->most.power = cell->meter.energy.of[ENERGY_GPU] / cell->meter.seconds;
    for (unsigned i = 0; i < REASON_COUNT; i++)
        out->share[i] = cell->meter.held.of[i] / cell->meter.seconds;
}

bool gpu_is_held(const struct gpu_metrics *gpu, enum gpu_reason reason)
{
    return gpu->share[reason] >= 0.01;
}

bool gpu_metrics_are_known(const struct gpu_metrics *gpu)
{
    return gpu->reported > 0 || gpu->clock > 0 || gpu->most.temperature >= 0 || gpu->most.power >= 0 ||
           gpu->most.memory_used >= 0;
}

void gpu_metrics_reasons(const struct gpu_metrics *gpu, char *to, size_t room)
{
    *to = '\0';
    for (unsigned i = 0; i < REASON_COUNT; i++)
        if (gpu->held_by[i] > 0 || gpu_is_held(gpu, i))
            text_join(to, room, ", ", gpu_reason_names[i]);
}

/* The package counters include the CPU and an integrated GPU. */
void power_read(struct power *out, const struct cell_record *cell, const struct device *device)
{
    const struct meter *meter = &cell->meter;
    const bool is_inside = device && (device->class == CLASS_CPU || device->class == CLASS_IGPU);
    for (enum energy_domain domain = 0; domain < ENERGY_DOMAINS; domain++)
        out->watts[domain] = meter->energy.of[domain] > 0 ? meter->energy.of[domain] / meter->seconds : NAN;
    const bool is_by_board = out->watts[ENERGY_GPU] > 0 && gpu_energy_is_precise(meter->error);
    out->error = is_by_board ? meter->error : NAN;
    out->energy = is_by_board ? meter->energy.of[ENERGY_GPU] / meter->runs
                  : is_inside ? meter->energy.of[ENERGY_PACKAGE] / meter->runs
                              : NAN;
    out->flops_per_joule = cell->flops > 0 ? cell->flops / out->energy : NAN;
    gpu_metrics_read(&out->gpu, cell);
}
