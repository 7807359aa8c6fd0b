#include "harness/analysis/gpu.h"

#include "harness/analysis/figures.h"
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

bool gpu_energy_is_precise(double error)
{
    return error <= 0.3;
}

void gpu_metrics_read(struct gpu_metrics *out, const struct cell_record *cell, enum series headline)
{
    *out = (struct gpu_metrics){ .most = gpu_state_unknown() };
    out->clock = track_median(&cell->track[headline], offsetof(struct slice, sm_clock));
    out->ecc_errors = cell->gpu_after.ecc_errors - cell->gpu_before.ecc_errors;
    read_slices(out, &cell->track[headline]);
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
