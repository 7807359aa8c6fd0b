#include "harness/analysis/figures.h"

#include "harness/analysis/pairing.h"
#include "harness/analysis/verdict.h"
#include "harness/base/fields.h"
#include "harness/journal/journal.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum series cell_headline(const struct cell_record *cell)
{
    bool only_moves = cell->track[SERIES_RESIDENT].wall.count == 0 && cell->track[SERIES_COPIED].wall.count > 0;
    return only_moves ? SERIES_COPIED : SERIES_RESIDENT;
}

bool record_is_in_place(const struct record *record, const struct cell_record *cell)
{
    const struct device *device = record_device(record, cell->device_id);
    bool copies = cell->track[SERIES_COPIED].wall.count > 0 || !isnan(cell->first.repack);
    return device && device->works_in_host_memory && !copies && cell->measures == MEASURES_BOTH;
}

bool record_is_verified(const struct record *record, const struct cell_record *cell)
{
    unsigned passes = strcmp(record->end, "complete") == 0 ? 2 : 1;
    return cell->verified >= passes && !cell->weak;
}

bool record_is_sound(const struct record *record, const struct cell_record *cell)
{
    return cell && cell->outcome.status == STATUS_OK && record_is_verified(record, cell);
}

bool record_uses(const struct record *record, const struct device *device)
{
    for (unsigned i = 0; i < record->cells; i++)
        if (strcmp(record->cell[i]->device_id, device->id) == 0)
            return true;
    return false;
}

static const struct cell_record *baseline_of(const struct record *record, const struct cell_record *cell,
                                             enum series series)
{
    const struct cell_record *baseline =
        record_cell(record, series == SERIES_COPIED ? cell->baseline_copied : cell->baseline);
    if (!baseline || baseline == cell)
        return NULL;
    bool both_fine = baseline->outcome.status == STATUS_OK && cell->outcome.status == STATUS_OK;
    return both_fine ? baseline : NULL;
}

/* The track of a cell that a series is measured by, and that of the baseline that it is compared with. */
static const struct track *own_track(const struct record *record, const struct cell_record *cell, enum series series)
{
    return &cell->track[series == SERIES_COPIED && record_is_in_place(record, cell) ? SERIES_RESIDENT : series];
}

enum series record_baseline_series(const struct cell_record *baseline, enum series series)
{
    bool has_it = baseline->track[series].slices > 0;
    return pairing_baseline_series(series, has_it, cell_headline(baseline));
}

static const struct track *baseline_track(const struct cell_record *baseline, enum series series)
{
    return &baseline->track[record_baseline_series(baseline, series)];
}

static bool is_shared(const struct record *record, const struct look_record *look)
{
    static const double alone = 0.8;
    for (unsigned i = 0; i < record->usual_looks; i++)
        if (record->usual_look[i].processor == look->processor)
            return look->rate < alone * record->usual_look[i].rate;
    return false;
}

static bool is_beside_others(const struct record *record, const struct slice *slice)
{
    return slice->looks > 0 && is_shared(record, &record->look[slice->looks - 1]);
}

/* Without visits, where fewer than half of the slices have a pair, the two were not measured in turn: ratios would take
 * drift for a difference. With `disturbed` pairs beside others are only counted. */
static unsigned read_ratios(const struct record *record, const struct cell_record *cell, enum series series,
                            double out[], unsigned room, unsigned *disturbed)
{
    const struct cell_record *baseline = baseline_of(record, cell, series);
    if (!baseline)
        return 0;
    const struct track *own = own_track(record, cell, series);
    struct pairing pairing = { .track = baseline_track(baseline, series) };
    unsigned count = 0, others = 0, slices = own->slices < room ? own->slices : room;
    bool has_visits = false;
    for (unsigned i = 0; i < slices; i++) {
        const struct slice *slice = &own->slice[i], *other = pairing_next(&pairing, slice);
        has_visits |= slice->visit != NO_VISIT;
        if (other && disturbed && (is_beside_others(record, slice) || is_beside_others(record, other)))
            others++;
        else if (other)
            out[count++] = other->median / slice->median;
    }
    if (!has_visits && 2 * (count + others) <= slices)
        return 0;
    if (disturbed)
        *disturbed = others;
    return count;
}

unsigned record_ratios(const struct record *record, const struct cell_record *cell, enum series series, double out[],
                       unsigned room)
{
    return read_ratios(record, cell, series, out, room, NULL);
}

double *track_values(const struct track *track, size_t member)
{
    double *value = track->slices > 0 ? malloc(track->slices * sizeof *value) : NULL;
    for (unsigned i = 0; value && i < track->slices; i++)
        memcpy(&value[i], (const char *)&track->slice[i] + member, sizeof *value);
    return value;
}

double track_median(const struct track *track, size_t member)
{
    double *value = track_values(track, member), median = value ? stats_median(value, track->slices) : NAN;
    free(value);
    return median;
}

static struct estimate by_slices(const struct track *track, size_t member)
{
    double *value = track_values(track, member);
    struct estimate time = value ? stats_estimate(value, track->slices) : estimate_unknown;
    free(value);
    return estimate_unless_wide(time);
}

struct estimate record_time(const struct cell_record *cell, enum series series)
{
    struct estimate time = by_slices(&cell->track[series], offsetof(struct slice, median));
    time.samples = cell->track[series].slices > 0 ? cell->track[series].wall.count : 0;
    return time;
}

double record_phase_time(const struct cell_record *cell, enum phase phase)
{
    return track_median(&cell->track[SERIES_COPIED], offsetof(struct slice, phase) + phase * sizeof(double));
}

double record_share(const struct samples *part, const struct samples *wall)
{
    double *share = malloc((part->count + 1) * sizeof *share), median = NAN;
    for (unsigned i = 0; share && i < part->count; i++)
        share[i] = part->value[i] / wall->value[i];
    if (share)
        median = stats_median(share, part->count);
    free(share);
    return median;
}

struct estimate figures_quotient(struct estimate of, struct estimate by)
{
    of.value /= by.value;
    of.low /= by.high;
    of.high /= by.low;
    return estimate_unless_wide(of);
}

const struct cell_record *record_copied_of(const struct record *record, const struct cell_record *cell)
{
    const struct block_record *block =
        cell->measures == MEASURES_RESIDENT ? record_find_block(record, cell->block) : NULL;
    for (unsigned i = 0; block && i < block->cells; i++) {
        const struct cell_record *other = block->cell[i];
        if (other->measures == MEASURES_COPIED && other->outcome.status == STATUS_OK &&
            strcmp(other->device_id, cell->device_id) == 0 && strcmp(other->memory, cell->memory) == 0)
            return other;
    }
    return cell;
}

/* Of two series that were not measured in turn. Drift between them is in the ratio, so it has no interval. */
static struct estimate ratio_of_times(const struct record *record, const struct cell_record *cell, enum series series)
{
    const struct cell_record *baseline = baseline_of(record, cell, series);
    struct estimate ratio = estimate_unknown;
    if (!baseline)
        return ratio;
    ratio.value = track_median(baseline_track(baseline, series), offsetof(struct slice, median)) /
                  track_median(own_track(record, cell, series), offsetof(struct slice, median));
    return ratio;
}

/* The cell that computes on resident data what this one measures with transfers: itself, or the other one of its device
 * in its block. */
static const struct cell_record *computing_of(const struct record *record, const struct cell_record *cell)
{
    const struct block_record *block =
        cell->measures == MEASURES_COPIED ? record_find_block(record, cell->block) : NULL;
    for (unsigned i = 0; block && i < block->cells; i++)
        if (record_copied_of(record, block->cell[i]) == cell && block->cell[i] != cell)
            return block->cell[i];
    return cell;
}

bool record_total_is_below_part(const struct record *record, const struct cell_record *cell)
{
    static const double by_chance = 0.07; /* the uncertainty of a quotient, and the clock steps of a processor */
    return record_time(cell, SERIES_COPIED).value <
           record_time(computing_of(record, cell), SERIES_RESIDENT).value * (1 - by_chance);
}

bool record_is_held_back(const struct record *record, const struct cell_record *cell)
{
    return (cell && cell->first.cores_computing < cell->first.cores_planned) || record->cores_changed;
}

bool record_is_disturbed(const struct record *record, const struct cell_record *cell, enum series series)
{
    return record_is_held_back(record, cell) || neighbours_disturbed(record, own_track(record, cell, series)) ||
           (series == SERIES_COPIED && record_total_is_below_part(record, cell));
}

/* A look of 0.1 ms at one core says little of one slice. */
static bool is_most(unsigned shared, unsigned slices)
{
    enum { SLICES_MIN = 5, SLICES_MANY = 10 };
    return slices >= SLICES_MANY ? 2 * shared > slices : slices >= SLICES_MIN && shared == slices;
}

enum disturbance record_disturbance(const struct record *record, const struct cell_record *cell, enum series series)
{
    unsigned slices = own_track(record, cell, series)->slices, disturbed = 0;
    double *ratio = malloc((slices + 1) * sizeof *ratio);
    const unsigned alone = ratio ? read_ratios(record, cell, series, ratio, slices, &disturbed) : 0;
    enum disturbance found = DISTURBANCE_NONE;
    if (disturbed > 1) { /* one decides nothing */
        const struct estimate by_alone = stats_estimate(ratio, alone);
        const enum verdict without = alone > 0 ? verdict_of(&by_alone) : VERDICT_UNJUDGED;
        const struct estimate by_all = stats_estimate(ratio, record_ratios(record, cell, series, ratio, slices));
        if (without != verdict_of(&by_all))
            found = is_most(disturbed, alone + disturbed) ? DISTURBANCE_DECIDES
                    : without > VERDICT_UNCLEAR           ? DISTURBANCE_MATTERS
                                                          : DISTURBANCE_NONE;
    }
    free(ratio);
    return found;
}

bool record_is_pair_disturbed(const struct record *record, const struct cell_record *cell, enum series series)
{
    const struct cell_record *baseline = baseline_of(record, cell, series);
    if (!baseline)
        return record_is_disturbed(record, cell, series);
    return record_is_held_back(record, cell) || record_is_held_back(record, baseline) ||
           record_disturbance(record, cell, series) == DISTURBANCE_DECIDES ||
           (series == SERIES_COPIED && record_total_is_below_part(record, cell)) ||
           (record_baseline_series(baseline, series) == SERIES_COPIED && record_total_is_below_part(record, baseline));
}

struct estimate record_speedup(const struct record *record, const struct cell_record *cell, enum series series)
{
    unsigned slices = own_track(record, cell, series)->slices;
    double *ratio = malloc((slices + 1) * sizeof *ratio);
    if (!ratio)
        return estimate_unknown;
    unsigned count = record_ratios(record, cell, series, ratio, slices);
    struct estimate speedup = count > 0 ? stats_estimate(ratio, count) : ratio_of_times(record, cell, series);
    free(ratio);
    return record_is_pair_disturbed(record, cell, series) ? verdict_withhold(&speedup) : estimate_unless_wide(speedup);
}

/* In physical cores: one busy thread of a core's two takes most of the core. */
double record_others(const struct record *record, const struct cell_record *cell)
{
    static const double long_enough = 0.2; /* seconds: /proc/stat counts in hundredths of them */
    const struct host_state *from = &cell->before, *to = &cell->after;
    const json_t *host = json_object_get(record->head, "host");
    double cores = json_number_value(json_object_get(host, "cores"));
    double threads = json_number_value(json_object_get(host, "threads"));
    double busy = to->busy - from->busy, all = busy + to->idle - from->idle + fmax(0, to->steal - from->steal);
    double seconds = all / threads, others = busy - (to->own - from->own);
    return cores > 0 && seconds > long_enough && others <= all ? fmax(0, others) / seconds / cores : NAN;
}

struct headline record_headline(const struct record *record, const struct cell_record *cell)
{
    enum series series = cell_headline(cell);
    struct estimate time = record_time(cell, series);
    return (struct headline){
        .series = series,
        .seconds = time.value,
        .half_width = fabs(estimate_half_width(&time)), /* an interval without width may be negative by rounding */
        .speedup = record_speedup(record, cell, series).value,
        .moved = fmax(0, record_phase_time(cell, PHASE_UPLOAD)) + fmax(0, record_phase_time(cell, PHASE_DOWNLOAD)),
    };
}

json_t *record_headline_line(const struct record *record, const struct cell_record *cell)
{
    struct headline figures = record_headline(record, cell);
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "line", "figures", "cell", cell->key, "series",
                     series_names[figures.series], "seconds", number_to_json(figures.seconds), "half_width",
                     number_to_json(figures.half_width), "speedup", number_to_json(figures.speedup), "moved",
                     number_to_json(figures.moved));
}

double neighbours_share(const struct record *record)
{
    unsigned shared = 0;
    for (unsigned i = 0; i < record->looks; i++)
        shared += is_shared(record, &record->look[i]);
    return record->usual_looks == 0 ? NAN : (double)shared / record->looks;
}

bool neighbours_disturbed(const struct record *record, const struct track *track)
{
    unsigned shared = 0;
    for (unsigned i = 0; i < track->slices; i++)
        shared += is_beside_others(record, &track->slice[i]);
    return is_most(shared, track->slices);
}

struct visits record_visits(const struct record *record)
{
    struct visits visits = { .least = UINT_MAX };
    double first = NAN, last = NAN;
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *cell = record->cell[i];
        const struct track *track = &cell->track[cell_headline(cell)];
        if (cell->is_ceiling || track->slices == 0 || track->slice[0].visit == NO_VISIT)
            continue;
        unsigned count = 0;
        for (unsigned k = 0; k < track->slices; k++)
            count += k == 0 || track->slice[k].visit != track->slice[k - 1].visit;
        visits.least = count < visits.least ? count : visits.least;
        visits.most = count > visits.most ? count : visits.most;
        first = fmin(first, track->slice[0].at);
        last = fmax(last, track->slice[track->slices - 1].at);
    }
    visits.least = visits.most > 0 ? visits.least : 0;
    visits.seconds = last - first;
    return visits;
}

/* From the first to the last tenth, relative to the median; NAN for few slices. */
static double spread_of(const struct track *track)
{
    double *time = track->slices >= ESTIMATE_VALUES_MIN ? track_values(track, offsetof(struct slice, median)) : NULL;
    const double spread = time ? (stats_quantile(time, track->slices, 0.9) - stats_quantile(time, track->slices, 0.1)) /
                                     stats_median(time, track->slices)
                               : NAN;
    free(time);
    return spread;
}

double record_spread(const struct record *record)
{
    double *spread = malloc((record->cells + 1) * sizeof *spread), of_all = NAN;
    unsigned count = 0;
    for (unsigned i = 0; spread && i < record->cells; i++) {
        const struct device *device = record_device(record, record->cell[i]->device_id);
        if (device && device->works_in_host_memory && !record->cell[i]->is_ceiling)
            spread[count++] = spread_of(&record->cell[i]->track[cell_headline(record->cell[i])]);
    }
    if (spread)
        of_all = stats_median(spread, count); /* ignores NAN */
    free(spread);
    return of_all;
}

const char *const event_clock_names[] = { "absent", "trusted", "doubtful" };

/* The part of a run that its event may leave out, and the longest time in seconds that starting a run takes. */
static const double least_share = 0.5, longest_start = 0.01;
/* Of the clocks of a device and of the host: the relative difference, and the seconds of a tick. */
static const double rates_apart = 2e-4, longest_tick = 2e-6;

/* An event never lasts longer than the call that waits for it, but two clocks disagree a little: crystals by up to 1e-4
 * each, and a device's clock ticks every microsecond or so. */
static bool is_possible(double event, double wall)
{
    return event > 0 && event <= wall * (1 + rates_apart) + longest_tick;
}

/* One impossible time in so many spoils its own sample alone; more of them make the clock doubtful. */
enum { TIMES_FOR_ONE_FALSE = 10 };

struct event_times event_times_read(const struct track *track)
{
    struct event_times events = { .share = NAN };
    double *share = malloc((track->event.count + 1) * sizeof *share);
    const struct samples *walls = track->event_wall.count > 0 ? &track->event_wall : &track->wall;
    unsigned good = 0;
    for (unsigned i = 0; share && i < track->event.count; i++) {
        const double event = track->event.value[i], wall = walls->value[i];
        if (is_possible(event, wall))
            share[good++] = event / wall;
        events.count += !isnan(event);
    }
    events.doubtful = events.count - good;
    if (events.count > 0) {
        unsigned ignored = events.count > TIMES_FOR_ONE_FALSE ? events.count / TIMES_FOR_ONE_FALSE : 1;
        events.clock = good == 0 || events.doubtful > ignored ? EVENT_DOUBTFUL : EVENT_TRUSTED;
        events.share = good > 0 ? stats_median(share, good) : NAN;
    }
    free(share);
    return events;
}

double event_time(const struct cell_record *cell)
{
    const struct event_times events = event_times_read(&cell->track[SERIES_RESIDENT]);
    const double seconds = record_time(cell, SERIES_RESIDENT).value * events.share;
    return events.clock == EVENT_TRUSTED ? fmin(seconds, record_time(cell, SERIES_QUEUED).value) : NAN;
}

bool event_times_fall_short(const struct event_times *events, double seconds)
{
    return events->clock == EVENT_TRUSTED && events->share < least_share &&
           seconds * (1 - events->share) > longest_start;
}
