#include "harness/analysis/figures.h"

#include "harness/journal/record_members.h"

#include <math.h>
#include <string.h>

/* The time of the first run, and which part dominates it. */
static void read_first(struct costs *out, const struct cell_record *cell)
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

static void read_costs(struct costs *out, const struct figures *figures, const struct record *record)
{
    const struct cell_record *cell = figures->cell;
    const struct event_times events = event_times_read(&cell->track[SERIES_RESIDENT]);
    read_first(out, cell);
    out->upload = record_phase_time(cell, PHASE_UPLOAD);
    out->repack = record_phase_time(cell, PHASE_REPACK);
    out->compute = record_phase_time(cell, PHASE_COMPUTE);
    out->download = record_phase_time(cell, PHASE_DOWNLOAD);
    /* An event clock is doubtful because of its times, or because of the rate that they imply. */
    const bool is_doubtful = figures->roof.is_event_impossible || event_times_fall_short(&events, figures->time.value);
    out->event_clock = is_doubtful ? EVENT_DOUBTFUL : events.clock;
    out->event = out->event_clock == EVENT_TRUSTED ? event_time(cell) : NAN;
    const struct track *track = &cell->track[use_series[figures->headline]];
    out->host_cpu = track->elapsed > 0 ? track->cpu / track->elapsed : NAN;
    out->others = record_others(record, cell);
    out->nodes = number_member(json_object_get(record->head, "host"), "worker_nodes");
}

/* Bytes per second. No link between host and device is faster than the first, no memory faster than the second. */
static const double fastest_link = 500e9, fastest_memory = 5e12;
/* The largest number of buffers that a computation moves in one run. */
static const double maps_of_a_run = 3;
static const double as_fast = 2; /* times the time of one page */

/* Decided by measurements: the time of a map that copies depends on the size. A map that takes no longer than that of
 * one page is a fixed cost, and gives no bandwidth. */
static void read_mapping(struct figures *out)
{
    const struct cell_record *cell = out->cell;
    double moved = out->only_moves ? out->time.value : fmax(0, out->costs.upload) + fmax(0, out->costs.download);
    if (strcmp(cell->memory, "mapped") != 0 || !(moved > 0))
        return;
    double bytes = out->only_moves || isnan(cell->held) ? cell->bytes : cell->held;
    double rate = bytes / moved, page = cell->first.map * (out->only_moves ? 1 : maps_of_a_run);
    const bool is_fixed = moved <= as_fast * page || rate > fastest_memory;
    out->costs.no_copy = is_fixed && rate > fastest_link;
    if (out->only_moves && is_fixed)
        out->bandwidth = NAN;
}

/* Not of a launch, and of what computes where the host's data are. Where another cell measured the copies, its answer
 * has to be right too. */
static struct breakeven breakeven_of(const struct figures *figures, const struct record *record)
{
    const struct cell_record *cell = figures->cell, *moving = record_cell_for(record, cell, USE_COPIED);
    const struct figure *stays = &figures->use[USE_RESIDENT], moves = figure_read(record, moving, USE_COPIED);
    const bool is_host = figures->device && figures->device->works_in_host_memory;
    if (is_host || cell->roof != ROOF_NONE || (moving != cell && !record_is_sound(record, moving)))
        return (struct breakeven){ BREAKEVEN_NONE, NAN, NAN, NAN };
    return breakeven_solve(&stays->speedup, &moves.speedup, moves.baseline_seconds / stays->baseline_seconds);
}

void figures_read_cell(struct figures *out, const struct record *record, const struct cell_record *cell)
{
    *out = (struct figures){ .cell = cell, .headline = cell_headline(cell), .settled = -1 };
    for (enum use use = 0; use < USES; use++)
        out->use[use] = figure_read(record, cell, use);
    out->device = record_device(record, cell->device_id);
    out->destination = record_destination(record, cell);
    out->baseline = out->use[cell->measures == MEASURES_COPIED ? USE_COPIED : USE_RESIDENT].baseline;
    out->only_moves = out->headline == USE_COPIED && cell->measures == MEASURES_BOTH;
    out->time = out->use[out->headline].time;
    out->half_width = estimate_half_width(&out->time);
    out->target = number_member(json_object_get(record->head, "options"), "precision");
    out->measured = cell->outcome.status == STATUS_OK && !isnan(out->time.value);
    out->verified = record_is_verified(record, cell);
    /* Of computing, or of moving; a wrong result has none. */
    bool has_rate = (out->headline == USE_RESIDENT || out->only_moves) && cell->outcome.status != STATUS_WRONG;
    out->bandwidth = has_rate && cell->bytes > 0 ? cell->bytes / out->time.value : NAN;
    out->rate = has_rate && cell->flops > 0 ? cell->flops / out->time.value : NAN;
    out->items = has_rate ? cell->items_per_run / out->time.value : NAN;
    out->sustained = record_time(cell, SERIES_SUSTAINED);
    roofline_read(&out->roof, record, &out->use[USE_RESIDENT]);
    launch_overhead_read(&out->launches, record, &out->use[USE_RESIDENT]);
    power_read(&out->power, cell, out->device);
    read_costs(&out->costs, out, record);
    out->kept_bandwidth = out->bandwidth * (out->time.value / record_kept_time(cell));
    read_mapping(out);
    out->breakeven = breakeven_of(out, record);
}

void figures_read(struct figures out[], const struct record *record, const struct block_record *block)
{
    for (unsigned i = 0; i < block->cells; i++) {
        figures_read_cell(&out[i], record, block->cell[i]);
        const struct race_record *race = record_race(block, block->cell[i]);
        out[i].settled = race ? race->settled : -1;
    }
}

bool figures_are_sound(const struct figures *figures)
{
    return figures->measured && figures->verified && figures->device;
}

const struct figures *figures_baseline(const struct figures figures[], unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (figures[i].baseline == figures[i].cell)
            return &figures[i];
    return NULL;
}
