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

/* By the counter of a domain: over runs without a pause, in older journals over the slices. Joules of a run. */
static double read_domain(struct power *out, const struct figure *headline, enum energy_domain domain)
{
    const struct meter *meter = &headline->cell->meter;
    const struct track *track = &headline->cell->track[use_series[headline->use]];
    const bool is_metered = meter->energy.of[domain] > 0;
    out->joules[domain] = out->flops_of_joule[domain] = NAN;
    out->watts[domain] = is_metered                   ? meter->energy.of[domain] / meter->seconds
                         : track->metered[domain] > 0 ? track->energy[domain] / track->metered[domain]
                                                      : NAN;
    if (domain == ENERGY_GPU)
        out->error = is_metered ? meter->error : longest_energy_step * track->slices / track->metered[domain];
    return is_metered ? meter->energy.of[domain] / meter->runs : out->watts[domain] * headline->time.value;
}

/* The package counters include the CPU and an integrated GPU. */
void power_read(struct power *out, const struct figure *headline, const struct device *device)
{
    const bool is_inside = device && (device->class == CLASS_CPU || device->class == CLASS_IGPU);
    const struct cell_record *cell = headline->cell;
    double joules[ENERGY_DOMAINS];
    for (enum energy_domain domain = 0; domain < ENERGY_DOMAINS; domain++)
        joules[domain] = read_domain(out, headline, domain);
    const enum energy_domain by =
        joules[ENERGY_GPU] > 0 && gpu_energy_is_precise(out->error) ? ENERGY_GPU : ENERGY_PACKAGE;
    out->error = by == ENERGY_GPU ? out->error : NAN;
    out->energy = (by == ENERGY_GPU || is_inside) && joules[by] > 0 ? joules[by] : NAN;
    out->flops_per_joule = cell->flops > 0 ? cell->flops / out->energy : NAN;
    out->joules[by] = out->energy;
    out->flops_of_joule[by] = out->flops_per_joule;
    gpu_metrics_read(&out->gpu, cell);
}
