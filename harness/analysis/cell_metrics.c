#include "harness/analysis/cell_metrics.h"

#include "harness/analysis/figures.h"
#include "harness/base/dtype.h"
#include "harness/journal/record_members.h"

#include <math.h>
#include <string.h>

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

/* The time of the first run, and which part dominates it. */
static void read_first(struct cell_metrics *out, const struct cell_record *cell)
{
    const struct {
        const char *name;
        double seconds;
    } part[] = {
        { "open", cell->first.open },         { "memory", cell->first.alloc },  { "compile", cell->first.compile },
        { "upload", cell->first.upload },     { "repack", cell->first.repack }, { "run", cell->first.run },
        { "download", cell->first.download },
    };
    double sum = 0;
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++)
        sum += isnan(part[i].seconds) ? 0 : part[i].seconds;
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++)
        if (part[i].seconds > sum / 2)
            out->first_mostly = part[i].name;
    out->first = sum > 0 ? sum : NAN;
}

/* An event clock is doubtful because of its times, or because of the rate that they imply. */
static void read_event_clock(struct cell_metrics *out, const struct cell_record *cell)
{
    const struct event_times events = event_times_read(&cell->track[SERIES_RESIDENT]);
    bool is_doubtful = out->roof.is_event_impossible || event_times_fall_short(&events, out->time.value);
    out->event_clock = is_doubtful ? EVENT_DOUBTFUL : events.clock;
    out->event = out->event_clock == EVENT_TRUSTED ? event_time(cell) : NAN;
}

static void read_times(struct cell_metrics *out, const struct record *record, const struct cell_record *cell)
{
    out->upload = record_phase_time(cell, PHASE_UPLOAD);
    out->repack = record_phase_time(cell, PHASE_REPACK);
    out->download = record_phase_time(cell, PHASE_DOWNLOAD);
    out->copied_compute = record_phase_time(cell, PHASE_COMPUTE);
    bool computes = out->headline == SERIES_RESIDENT;
    out->compute = computes ? out->time.value : NAN;
    out->resident = computes ? record_speedup(record, cell, SERIES_RESIDENT) : estimate_unknown;
    out->whole = record_is_in_place(record, cell) ? out->time : record_time(cell, SERIES_COPIED);
    out->copied = record_speedup(record, cell, SERIES_COPIED);
    out->sustained = record_time(cell, SERIES_SUSTAINED);
}

/* Processors without arithmetic of 16 bits convert: then a program that has a choice uses f32. */
static struct estimate in_f32(const struct record *record, const struct cell_record *baseline, enum series series,
                              bool *is_disturbed)
{
    const enum measures other_use = series == SERIES_COPIED ? MEASURES_RESIDENT : MEASURES_COPIED;
    const enum dtype dtype = baseline ? dtype_parse(baseline->dtype) : DTYPE_COUNT;
    struct estimate best = estimate_unknown;
    const struct cell_record *best_cell = NULL;
    if (dtype == DTYPE_COUNT || dtype_bytes(dtype) >= dtype_bytes(DTYPE_F32))
        return best;
    const struct estimate own = record_time(baseline, record_baseline_series(baseline, series));
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *cell = record->cell[i];
        if (strcmp(cell->dtype, dtype_name(DTYPE_F32)) != 0 || strcmp(cell->device_id, baseline->device_id) != 0 ||
            strcmp(cell->workload, baseline->workload) != 0 || strcmp(cell->shape, baseline->shape) != 0 ||
            cell->is_cold != baseline->is_cold || cell->outcome.status != STATUS_OK || cell->measures == other_use)
            continue;
        const struct estimate wider = record_time(cell, record_baseline_series(cell, series));
        if (wider.high < own.low && !(wider.value > best.value)) {
            best = wider;
            best_cell = cell;
        }
    }
    *is_disturbed |= best_cell && record_is_disturbed(record, best_cell, record_baseline_series(best_cell, series));
    return best;
}

/* Not of the baseline, of a peak, and of what computes where the host's data are. Where another cell measured the
 * copies, its answer has to be right too. */
static void read_breakeven(struct cell_metrics *out, const struct record *record, const struct cell_record *moving)
{
    const struct cell_record *cell = out->cell, *first = record_cell(record, moving->baseline_copied);
    const bool is_host = out->device && out->device->works_in_host_memory;
    out->breakeven = (struct breakeven){ BREAKEVEN_NONE, NAN, NAN, NAN };
    if (!out->baseline || !first || is_host || cell->roof != ROOF_NONE ||
        (moving != cell && !record_is_sound(record, moving)))
        return;
    const struct estimate copied = moving == cell ? out->copied : record_speedup(record, moving, SERIES_COPIED);
    const double once = record_time(first, record_baseline_series(first, SERIES_COPIED)).value,
                 again = record_time(out->baseline, SERIES_RESIDENT).value;
    out->breakeven = breakeven_solve(&out->resident, &copied, once / again);
}

/* Bytes per second. No link between host and device is faster than the first, no memory faster than the second. */
static const double fastest_link = 500e9, fastest_memory = 5e12;
/* The largest number of buffers that a computation moves in one run. */
static const double maps_of_a_run = 3;
static const double as_fast = 2; /* times the time of one page */

/* Decided by measurements: the time of a map that copies depends on the size. A map that takes no longer than that of
 * one page is a fixed cost, and gives no bandwidth. */
static void read_mapping(struct cell_metrics *out, const struct cell_record *cell)
{
    double up = isnan(out->upload) ? 0 : out->upload, down = isnan(out->download) ? 0 : out->download;
    double moved = out->only_moves ? out->time.value : up + down;
    if (strcmp(cell->memory, "mapped") != 0 || !(moved > 0))
        return;
    double bytes = out->only_moves || isnan(cell->held) ? cell->bytes : cell->held;
    double rate = bytes / moved, page = cell->first.map * (out->only_moves ? 1 : maps_of_a_run);
    const bool is_fixed = moved <= as_fast * page || rate > fastest_memory;
    out->no_copy = is_fixed && rate > fastest_link;
    if (out->only_moves && is_fixed)
        out->bandwidth = NAN;
}

/* How the host waits. Where the driver decides, the CPU time during long runs shows it, except for drivers that compute
 * on the host's CPU. */
static void read_wait(struct cell_metrics *out, const struct track *track)
{
    static const double long_enough = 1e-3, all_of_one = 0.8, next_to_none = 0.2;
    static const char *const waits[][2] = {
        { "none", "none" }, { "spin", "spins" }, { "block", "sleeps" }, { "kernels", "after each kernel" }
    };
    bool is_away = out->device && out->device->class != CLASS_CPU && out->time.value >= long_enough;
    out->host_cpu = track->elapsed > 0 ? track->cpu / track->elapsed : NAN;
    out->wait = "";
    for (unsigned i = 0; i < sizeof waits / sizeof *waits; i++)
        if (strcmp(out->cell->first.wait, waits[i][0]) == 0)
            out->wait = waits[i][1];
    if (is_away && strcmp(out->cell->first.wait, "driver") == 0 && !isnan(out->host_cpu))
        out->wait = out->host_cpu > all_of_one ? "spins" : out->host_cpu < next_to_none ? "sleeps" : "both";
}

/* Runs without a pause give the best value; slices do if a slice of one run spans many counter steps. */
static void read_board(struct cell_metrics *out)
{
    const struct meter *meter = &out->cell->meter;
    const struct track *track = &out->cell->track[out->headline];
    double error_of_slices = longest_energy_step * track->slices / track->metered[ENERGY_GPU];
    if (gpu_energy_is_precise(meter->error)) {
        out->energy = meter->joules / meter->runs;
        out->energy_error = meter->error;
    } else if (gpu_energy_is_precise(error_of_slices)) {
        out->energy = out->power[ENERGY_GPU] * out->time.value;
        out->energy_error = error_of_slices;
    }
}

/* The package counters include the CPU and an integrated GPU. */
static void read_energy(struct cell_metrics *out)
{
    const bool is_inside = out->device && (out->device->class == CLASS_CPU || out->device->class == CLASS_IGPU);
    const struct track *track = &out->cell->track[out->headline];
    for (enum energy_domain domain = 0; domain < ENERGY_DOMAINS; domain++) {
        out->power[domain] = track->metered[domain] > 0 ? track->energy[domain] / track->metered[domain] : NAN;
        out->joules[domain] = out->flops_of_joule[domain] = NAN;
    }
    out->energy = NAN;
    read_board(out);
    const enum energy_domain by = out->energy > 0 ? ENERGY_GPU : ENERGY_PACKAGE;
    if (by == ENERGY_PACKAGE && is_inside && out->power[by] > 0)
        out->energy = out->power[by] * out->time.value;
    out->flops_per_joule = out->cell->flops > 0 ? out->cell->flops / out->energy : NAN;
    out->joules[by] = out->energy;
    out->flops_of_joule[by] = out->flops_per_joule;
    gpu_metrics_read(&out->gpu, out->cell, out->headline);
}

void cell_metrics_read(struct cell_metrics *out, const struct record *record, const struct cell_record *cell)
{
    *out = (struct cell_metrics){
        .cell = cell, .headline = cell_headline(cell), .tried = NAN, .settled = -1, .energy_error = NAN
    };
    const struct cell_record *moving = record_copied_of(record, cell);
    out->device = record_device(record, cell->device_id);
    out->destination = record_destination(record, cell);
    out->baseline = record_cell(record, cell->measures == MEASURES_COPIED ? cell->baseline_copied : cell->baseline);
    out->only_moves = out->headline == SERIES_COPIED && cell->measures == MEASURES_BOTH;
    read_first(out, cell);
    out->time = record_time(cell, out->headline);
    out->half_width = estimate_half_width(&out->time);
    out->target = number_member(json_object_get(record->head, "options"), "precision");
    out->measured = cell->outcome.status == STATUS_OK && !isnan(out->time.value);
    out->verified = record_is_verified(record, cell);
    /* Of computing, or of moving; a wrong result has none. */
    bool has_rate = (out->headline == SERIES_RESIDENT || out->only_moves) && cell->outcome.status != STATUS_WRONG;
    out->bandwidth = has_rate && cell->bytes > 0 ? cell->bytes / out->time.value : NAN;
    out->rate = has_rate && cell->flops > 0 ? cell->flops / out->time.value : NAN;
    out->items = has_rate ? cell->items_per_run / out->time.value : NAN;
    roofline_read(&out->roof, record, cell);
    read_event_clock(out, cell);
    read_times(out, record, cell);
    out->total_is_below_part = record_total_is_below_part(record, moving);
    out->is_held_back = record_is_held_back(record, cell) || record_is_held_back(record, out->baseline);
    out->is_beside_others = neighbours_disturbed(record, &cell->track[SERIES_RESIDENT]) ||
                            (neighbours_disturbed(record, &moving->track[SERIES_COPIED]) && !out->total_is_below_part);
    out->disturbance[USE_RESIDENT] = record_disturbance(record, cell, SERIES_RESIDENT);
    out->disturbance[USE_COPIED] = record_disturbance(record, moving, SERIES_COPIED);
    out->is_disturbed[USE_RESIDENT] = record_is_pair_disturbed(record, cell, SERIES_RESIDENT);
    out->is_disturbed[USE_COPIED] = record_is_pair_disturbed(record, moving, SERIES_COPIED);
    out->baseline_in_f32 = in_f32(record, out->baseline, SERIES_RESIDENT, &out->is_disturbed[USE_RESIDENT]);
    out->whole_in_f32 =
        in_f32(record, record_cell(record, cell->baseline_copied), SERIES_COPIED, &out->is_disturbed[USE_COPIED]);
    read_breakeven(out, record, moving);
    read_wait(out, &cell->track[out->headline]);
    read_energy(out);
    launch_overhead_read(&out->launches, record, cell);
    out->others = record_others(record, cell);
    out->nodes = number_member(json_object_get(record->head, "host"), "worker_nodes");
    read_mapping(out, cell);
}

static void read_race(struct cell_metrics *out, const struct race_record *race)
{
    out->settled = race ? race->settled : -1;
    for (unsigned i = 0; race && i < race->contenders; i++)
        if (strcmp(race->contender[i].method, out->cell->method) == 0 &&
            strcmp(race->contender[i].kernel_shape, out->cell->kernel_shape) == 0)
            out->tried = race->contender[i].run;
}

void cell_metrics_fill(struct cell_metrics out[], const struct record *record, const struct block_record *block)
{
    for (unsigned i = 0; i < block->cells; i++) {
        cell_metrics_read(&out[i], record, block->cell[i]);
        read_race(&out[i], record_race(block, block->cell[i]));
    }
}
