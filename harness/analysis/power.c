#include "harness/analysis/power.h"

#include "harness/base/text.h"

#include <math.h>
#include <stddef.h>

static void read_slices(struct gpu_metrics *out, const struct track *track)
{
    for (unsigned i = 0; i < track->slices; i++) {
        const struct slice *slice = &track->slice[i];
        out->reported += slice->knows_held;
        out->held += slice->knows_held && slice->held != 0;
        for (unsigned k = 0; slice->knows_held && k < REASON_COUNT; k++)
            out->held_by[k] += (slice->held >> k) & 1;
    }
}

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
    read_slices(out, track);
    read_state(out, &cell->gpu_before);
    read_state(out, &cell->gpu_after);
    read_state(out, &cell->meter.gpu);
    if (gpu_energy_is_precise(cell->meter.error))
        out->most.power = cell->meter.joules / cell->meter.seconds;
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
        if (gpu->held_by[i] > 0)
            text_join(to, room, ", ", gpu_reason_names[i]);
}

/* By the board's own counter. Runs without a pause give the best value; slices do if a slice of one run spans many
 * counter steps. */
static void read_board(struct power *out, const struct figure *headline, const struct track *track)
{
    const struct meter *meter = &headline->cell->meter;
    double error_of_slices = longest_energy_step * track->slices / track->metered[ENERGY_GPU];
    if (gpu_energy_is_precise(meter->error)) {
        out->energy = meter->joules / meter->runs;
        out->error = meter->error;
    } else if (gpu_energy_is_precise(error_of_slices)) {
        out->energy = out->watts[ENERGY_GPU] * headline->time.value;
        out->error = error_of_slices;
    }
}

/* The package counters include the CPU and an integrated GPU. */
void power_read(struct power *out, const struct figure *headline, const struct device *device)
{
    const bool is_inside = device && (device->class == CLASS_CPU || device->class == CLASS_IGPU);
    const struct cell_record *cell = headline->cell;
    const struct track *track = &cell->track[use_series[headline->use]];
    *out = (struct power){ .energy = NAN, .error = NAN };
    for (enum energy_domain domain = 0; domain < ENERGY_DOMAINS; domain++) {
        out->watts[domain] = track->metered[domain] > 0 ? track->energy[domain] / track->metered[domain] : NAN;
        out->joules[domain] = out->flops_of_joule[domain] = NAN;
    }
    read_board(out, headline, track);
    const enum energy_domain by = out->energy > 0 ? ENERGY_GPU : ENERGY_PACKAGE;
    if (by == ENERGY_PACKAGE && is_inside && out->watts[by] > 0)
        out->energy = out->watts[by] * headline->time.value;
    out->flops_per_joule = cell->flops > 0 ? cell->flops / out->energy : NAN;
    out->joules[by] = out->energy;
    out->flops_of_joule[by] = out->flops_per_joule;
    gpu_metrics_read(&out->gpu, cell);
}
