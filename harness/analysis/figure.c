#include "harness/analysis/figure.h"

#include "harness/analysis/neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const use_names[] = { [USE_RESIDENT] = "resident", [USE_COPIED] = "copied" };

/* --- what decides whether a cell supports a claim --- */

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

/* Fewer cores of the host computed than were planned, or the allowed ones changed during the run. `cell` may be NULL.
 */
static bool is_held_back(const struct record *record, const struct cell_record *cell)
{
    return (cell && cell->first.cores_computing < cell->first.cores_planned) || record->cores_changed;
}

const struct cell_record *record_cell_for(const struct record *record, const struct cell_record *cell, enum use use)
{
    const enum measures measures = use == USE_COPIED ? MEASURES_COPIED : MEASURES_RESIDENT;
    const bool is_own = cell->measures == MEASURES_BOTH || cell->measures == measures;
    const struct block_record *block = is_own ? NULL : record_find_block(record, cell->block);
    for (unsigned i = 0; block && i < block->cells; i++) {
        const struct cell_record *other = block->cell[i];
        if (other->measures == measures && other->outcome.status == STATUS_OK &&
            strcmp(other->device_id, cell->device_id) == 0 && strcmp(other->memory, cell->memory) == 0)
            return other;
    }
    return cell;
}

/* Runs with transfers took less time than computing alone, beyond chance. */
static bool is_below_part(const struct record *record, const struct cell_record *cell)
{
    static const double by_chance = 0.07; /* the uncertainty of a quotient, and the clock steps of a processor */
    const struct cell_record *computing = record_cell_for(record, cell, USE_RESIDENT);
    /* A short resident run is mostly a wait, which a driver that is busy with copies does not need: then computing
     * takes what it takes in a queue. fmin ignores NAN. */
    const double part =
        fmin(record_time(computing, SERIES_RESIDENT).value, record_time(computing, SERIES_QUEUED).value);
    return record_time(cell, SERIES_COPIED).value < part * (1 - by_chance);
}

/* The series by which a cell is measured for a use. */
static enum series own_series(const struct record *record, const struct cell_record *cell, enum series series)
{
    return series == SERIES_COPIED && record_is_in_place(record, cell) ? SERIES_RESIDENT : series;
}

/* Other load in more than half of the slices, or on more than half of the cores. */
static bool is_beside_others(const struct record *record, const struct cell_record *cell, enum series series)
{
    return neighbours_crowd(record, cell) ||
           neighbours_disturbed(record, &cell->track[own_series(record, cell, series)]);
}

/* Whether a time is no measure of the device, whatever it is compared with. */
static bool is_no_measure(const struct record *record, const struct cell_record *cell, enum use use)
{
    return is_held_back(record, cell) || is_beside_others(record, cell, use_series[use]) ||
           (use == USE_COPIED && is_below_part(record, cell));
}

/* --- pairs --- */

enum series pairing_baseline_series(enum series series, bool baseline_has_it, enum use baseline_headline)
{
    return baseline_has_it ? series : use_series[baseline_headline];
}

static enum series baseline_series(const struct cell_record *baseline, enum series series)
{
    return pairing_baseline_series(series, baseline->track[series].slices > 0, cell_headline(baseline));
}

/* The baseline that a series can be compared with; NULL: none. */
static const struct cell_record *compared_with(const struct record *record, const struct cell_record *cell,
                                               enum series series)
{
    const struct cell_record *baseline =
        record_cell(record, series == SERIES_COPIED ? cell->baseline_copied : cell->baseline);
    if (!baseline || baseline == cell)
        return NULL;
    bool both_fine = baseline->outcome.status == STATUS_OK && cell->outcome.status == STATUS_OK;
    return both_fine ? baseline : NULL;
}

/* A place in a baseline's slices; at first only the track is set. */
struct pairing {
    const struct track *track;
    unsigned after; /* its first slice that is later than the cell's */
    unsigned used;  /* the place after that of the last pair without visits */
};

/* Of version 3: in lockstep only the other series of the same two cells come between a slice and the baseline's. */
enum { SLICES_APART = 2 * SERIES_IN_TURN - 1 };

static const struct slice *of_visit(const struct pairing *pairing, const struct slice *slice)
{
    const struct slice *later = pairing->track->slice + pairing->after;
    const bool has_earlier = pairing->after > 0 && later[-1].visit == slice->visit,
               has_later = pairing->after < pairing->track->slices && later->visit == slice->visit;
    if (has_earlier && !(has_later && later->number - slice->number < slice->number - later[-1].number))
        return later - 1;
    return has_later ? later : NULL;
}

static const struct slice *before(struct pairing *pairing, const struct slice *slice)
{
    const struct slice *later = pairing->track->slice + pairing->after;
    if (pairing->after == pairing->used || slice->number - later[-1].number > SLICES_APART)
        return NULL;
    pairing->used = pairing->after;
    return later - 1;
}

/* The baseline's slice that a slice of the cell is compared with; NULL: none. For all slices of a series in order. */
static const struct slice *pairing_next(struct pairing *pairing, const struct slice *slice)
{
    const struct track *track = pairing->track;
    while (pairing->after < track->slices && track->slice[pairing->after].number <= slice->number)
        pairing->after++;
    return slice->visit == NO_VISIT ? before(pairing, slice) : of_visit(pairing, slice);
}

/* Without visits, where fewer than half of the slices have a pair, the two were not measured in turn: ratios would take
 * drift for a difference. `alone`: gets those of pairs that are not beside others, `*count_alone`; NULL: not asked. */
static unsigned read_ratios(const struct record *record, const struct cell_record *cell, enum series series,
                            double out[], unsigned room, double alone[], unsigned *count_alone)
{
    const struct cell_record *baseline = compared_with(record, cell, series);
    if (!baseline)
        return 0;
    const struct track *own = &cell->track[own_series(record, cell, series)];
    struct pairing pairing = { .track = &baseline->track[baseline_series(baseline, series)] };
    if (pairing.track->slices == 0)
        return 0;
    unsigned count = 0, slices = own->slices < room ? own->slices : room;
    bool has_visits = false;
    for (unsigned i = 0; i < slices; i++) {
        const struct slice *slice = &own->slice[i], *other = pairing_next(&pairing, slice);
        has_visits |= slice->visit != NO_VISIT;
        if (!other)
            continue;
        out[count] = other->median / slice->median;
        if (alone && !neighbours_are_beside(record, slice) && !neighbours_are_beside(record, other))
            alone[(*count_alone)++] = out[count];
        count++;
    }
    return has_visits || 2 * count > slices ? count : 0;
}

unsigned record_ratios(const struct record *record, const struct cell_record *cell, enum series series, double out[],
                       unsigned room)
{
    return read_ratios(record, cell, series, out, room, NULL, NULL);
}

/* --- figures --- */

/* Where the class with all visits is not that of the `count` undisturbed ones alone. One disturbed visit decides
 * nothing. */
static enum disturbance disturbance_of(const struct estimate *speedup, unsigned all, const double alone[],
                                       unsigned count)
{
    const struct estimate by_alone = stats_estimate(alone, count);
    const enum verdict without = count > 0 ? verdict_of(&by_alone) : VERDICT_UNJUDGED;
    if (all < count + 2 || without == verdict_of(speedup))
        return DISTURBANCE_NONE;
    return neighbours_are_most(all - count, all) ? DISTURBANCE_DECIDES
           : without > VERDICT_UNCLEAR           ? DISTURBANCE_MATTERS
                                                 : DISTURBANCE_NONE;
}

/* By the ratios of pairs; of two series that were not measured in turn by both times. Drift between these is in the
 * ratio, so it has no interval. */
static void read_speedup(struct figure *out, const struct record *record, enum series series)
{
    const struct cell_record *cell = out->cell;
    const unsigned slices = cell->track[own_series(record, cell, series)].slices;
    double *ratio = malloc((2 * slices + 1) * sizeof *ratio), *alone = ratio ? ratio + slices : NULL;
    unsigned kept = 0, count = ratio ? read_ratios(record, cell, series, ratio, slices, alone, &kept) : 0;
    if (count > 0) {
        out->speedup = stats_estimate(ratio, count);
        out->disturbance = neighbours_crowd(record, cell) || neighbours_crowd(record, out->baseline)
                               ? DISTURBANCE_DECIDES
                               : disturbance_of(&out->speedup, count, alone, kept);
    } else if (ratio)
        out->speedup.value = out->baseline_seconds / out->time.value;
    free(ratio);
}

/* Processors without arithmetic of 16 bits convert: then a program that has a choice uses f32. */
static void read_in_f32(struct figure *out, const struct record *record, enum series series)
{
    const enum measures other_use = out->use == USE_COPIED ? MEASURES_RESIDENT : MEASURES_COPIED;
    const struct cell_record *baseline = out->baseline, *best = NULL;
    const enum dtype dtype = baseline ? dtype_parse(baseline->dtype) : DTYPE_COUNT;
    if (dtype == DTYPE_COUNT || dtype_bytes(dtype) >= dtype_bytes(DTYPE_F32))
        return;
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *cell = record->cell[i];
        if (strcmp(cell->dtype, dtype_name(DTYPE_F32)) != 0 || strcmp(cell->device_id, baseline->device_id) != 0 ||
            strcmp(cell->workload, baseline->workload) != 0 || strcmp(cell->shape, baseline->shape) != 0 ||
            cell->is_cold != baseline->is_cold || cell->outcome.status != STATUS_OK || cell->measures == other_use)
            continue;
        const struct estimate wider = record_time(cell, baseline_series(cell, series)),
                              own = record_time(baseline, baseline_series(baseline, series));
        if (wider.high < own.low && !(wider.value > out->in_f32.value)) {
            out->in_f32 = wider;
            best = cell;
        }
    }
    out->is_disturbed |= best && is_no_measure(record, best, out->use);
}

/* What makes the speed-up decide nothing. Without a baseline it is what makes the time no measure. */
static void read_disturbance(struct figure *out, const struct record *record, enum series series)
{
    const struct cell_record *cell = out->cell, *compared = compared_with(record, cell, series);
    out->is_held_back = is_held_back(record, cell) || is_held_back(record, out->baseline);
    out->is_below_part = out->use == USE_COPIED && is_below_part(record, cell);
    out->is_beside_others = is_beside_others(record, cell, series) && !out->is_below_part;
    out->is_disturbed =
        !compared ? is_no_measure(record, cell, out->use)
                  : out->is_held_back || out->disturbance == DISTURBANCE_DECIDES || out->is_below_part ||
                        (baseline_series(compared, series) == SERIES_COPIED && is_below_part(record, compared));
}

struct figure figure_read(const struct record *record, const struct cell_record *cell, enum use use)
{
    const enum series series = use_series[use];
    const struct cell_record *other = use == USE_COPIED ? record_cell_for(record, cell, use) : cell;
    if (other != cell) { /* what it has of the use is why that cell may be doubted */
        struct figure doubted = figure_read(record, other, use);
        doubted.cell = cell;
        doubted.time = doubted.speedup = estimate_unknown;
        doubted.verdict = VERDICT_NONE;
        return doubted;
    }
    struct figure out = { .cell = cell,
                          .baseline = record_cell(record, use == USE_COPIED ? cell->baseline_copied : cell->baseline),
                          .use = use,
                          .time = record_time(cell, own_series(record, cell, series)),
                          .baseline_seconds = NAN,
                          .speedup = estimate_unknown,
                          .in_f32 = estimate_unknown };
    if (out.baseline)
        out.baseline_seconds = record_time(out.baseline, baseline_series(out.baseline, series)).value;
    if (compared_with(record, cell, series))
        read_speedup(&out, record, series);
    read_disturbance(&out, record, series);
    out.speedup = out.is_disturbed ? verdict_withhold(&out.speedup) : estimate_unless_wide(out.speedup);
    out.verdict = verdict_of(&out.speedup);
    read_in_f32(&out, record, series);
    return out;
}

const char *figure_unjudged(const struct figure *figure)
{
    const unsigned slices = figure->cell->track[use_series[figure->use]].slices;
    const unsigned pairs = figure->is_against_f32 ? ESTIMATE_VALUES_MIN : figure->speedup.samples;
    return figure->verdict != VERDICT_UNJUDGED ? ""
           : figure->is_held_back              ? "CPU held back"
           : figure->is_below_part             ? "the copied runs took less time than computing alone: measure again"
           : figure->disturbance == DISTURBANCE_DECIDES ? "too much other load on the cores: measure again"
           : figure->is_disturbed                       ? "its runs were disturbed: measure again"
           : pairs == 0 ? "not measured in turn with the baseline: a smaller --size may fit beside it"
           : slices < ESTIMATE_VALUES_MIN || pairs < ESTIMATE_VALUES_MIN
               ? "too few visits for an interval: give the run more time"
               : "too noisy, the interval spans more than a factor of ten: measure again";
}

static struct estimate quotient(struct estimate of, const struct estimate *by)
{
    of.value /= by->value;
    of.low /= by->high;
    of.high /= by->low;
    of.samples = 0; /* no pairs */
    return estimate_unless_wide(of);
}

void figure_turn_to_f32(struct figure *figure)
{
    figure->is_against_f32 = !isnan(figure->in_f32.value) && !isnan(figure->speedup.value);
    if (!figure->is_against_f32)
        return;
    figure->baseline_seconds = figure->in_f32.value;
    figure->speedup = quotient(figure->in_f32, &figure->time);
    if (figure->is_disturbed)
        figure->speedup = verdict_withhold(&figure->speedup);
    figure->verdict = verdict_of(&figure->speedup);
}
