/* What a record's samples say: ratios, speed-ups, times. How they are gathered is in record.c. */

#include "harness/journal/record.h"

#include <math.h>
#include <stdlib.h>

enum series cell_headline(const struct cell_record *cell)
{
    bool only_moves = cell->track[SERIES_RESIDENT].wall.count == 0 && cell->track[SERIES_OFFLOAD].wall.count > 0;
    return only_moves ? SERIES_OFFLOAD : SERIES_RESIDENT;
}

/* The series of the baseline that one of another cell is compared with. */
static enum series baseline_series(const struct cell_record *baseline, enum series series)
{
    return baseline->track[series].slices > 0 ? series : cell_headline(baseline);
}

bool record_is_in_place(const struct record *record, const struct cell_record *cell)
{
    const struct device *device = record_device(record, cell->device_id);
    bool offloads = cell->track[SERIES_OFFLOAD].wall.count > 0 || !isnan(cell->first.repack);
    return device && device->works_in_host_memory && !offloads;
}

/* The series of the cell itself that stands for one of it. */
static enum series own_series(const struct record *record, const struct cell_record *cell, enum series series)
{
    return series == SERIES_OFFLOAD && record_is_in_place(record, cell) ? SERIES_RESIDENT : series;
}

static const struct cell_record *baseline_of(const struct record *record, const struct cell_record *cell)
{
    const struct cell_record *baseline = record_cell(record, cell->baseline);
    if (!baseline || baseline == cell)
        return NULL;
    bool both_fine = baseline->outcome.status == STATUS_OK && cell->outcome.status == STATUS_OK;
    return both_fine ? baseline : NULL;
}

/* In lockstep nothing stands between a slice and the baseline's but other series of the same two cells. */
enum { SLICES_APART = 2 * SERIES_IN_TURN - 1 };

/* The mean of the track's slices of the nearest turns before and after one, NAN where none came shortly before. Turns
 * grow from call to call, and `after`, the first slice that comes later, with them. */
static double time_beside(const struct track *track, unsigned number, unsigned *after)
{
    while (*after < track->slices && track->slice[*after].number <= number)
        (*after)++;
    if (*after == 0 || number - track->slice[*after - 1].number > SLICES_APART)
        return NAN;
    bool has_later = *after < track->slices && track->slice[*after].number - number <= SLICES_APART;
    double earlier = track->slice[*after - 1].median, later = has_later ? track->slice[*after].median : earlier;
    return (earlier + later) / 2;
}

/* So many ratios of so many slices are of two series that were measured in turn. */
static bool is_in_turn(unsigned ratios, unsigned slices)
{
    return 2 * ratios > slices;
}

unsigned record_ratios(const struct record *record, const struct cell_record *cell, enum series series, double out[],
                       unsigned room)
{
    const struct cell_record *baseline = baseline_of(record, cell);
    if (!baseline)
        return 0;
    const struct track *base = &baseline->track[baseline_series(baseline, series)],
                       *own = &cell->track[own_series(record, cell, series)];
    unsigned count = 0, after = 0;
    for (unsigned i = 0; i < own->slices && count < room; i++) {
        double beside = time_beside(base, own->slice[i].number, &after);
        if (!isnan(beside))
            out[count++] = beside / own->slice[i].median;
    }
    return is_in_turn(count, own->slices) || count == room ? count : 0;
}

static const struct estimate unknown = { .value = NAN, .low = NAN, .high = NAN };

/* Of the slices' medians, or of those of one of their phases. */
static struct estimate by_slices(const struct track *track, enum phase phase)
{
    double *median = malloc((track->slices + 1) * sizeof *median);
    if (!median || track->slices == 0) {
        free(median);
        return unknown;
    }
    for (unsigned i = 0; i < track->slices; i++)
        median[i] = phase == PHASE_COUNT ? track->slice[i].median : track->slice[i].phase[phase];
    struct estimate time = stats_estimate(median, track->slices);
    free(median);
    return time;
}

struct estimate record_time(const struct cell_record *cell, enum series series)
{
    struct estimate time = by_slices(&cell->track[series], PHASE_COUNT);
    time.samples = cell->track[series].slices > 0 ? cell->track[series].wall.count : 0;
    return time;
}

struct estimate record_phase(const struct cell_record *cell, enum phase phase)
{
    struct estimate time = by_slices(&cell->track[SERIES_OFFLOAD], phase);
    time.samples = cell->track[SERIES_OFFLOAD].phase[phase].count;
    return time;
}

/* The corners of two intervals: all that can be said where drift may lie between two series. */
static struct estimate quotient(struct estimate of, struct estimate by)
{
    of.value /= by.value;
    of.low /= by.high;
    of.high /= by.low;
    return of;
}

struct estimate record_phase_in_runs(const struct cell_record *cell, enum phase phase)
{
    const struct track *offload = &cell->track[SERIES_OFFLOAD], *resident = &cell->track[SERIES_RESIDENT];
    double *ratio = malloc((offload->slices + 1) * sizeof *ratio);
    unsigned count = 0, after = 0;
    for (unsigned i = 0; ratio && i < offload->slices; i++) {
        double beside = time_beside(resident, offload->slice[i].number, &after);
        if (!isnan(beside))
            ratio[count++] = offload->slice[i].phase[phase] / beside;
    }
    struct estimate runs = is_in_turn(count, offload->slices) ? stats_estimate(ratio, count) : unknown;
    struct estimate apart = quotient(record_phase(cell, phase), record_time(cell, SERIES_RESIDENT));
    if (isnan(runs.value) || (isnan(runs.low) && !isnan(apart.low)))
        runs = apart;
    free(ratio);
    return runs;
}

/* Two series that were not measured in turn: drift between them is in the ratio, so its interval is not known, and
 * there is no round that holds both. */
static struct estimate ratio_of_times(const struct record *record, const struct cell_record *cell, enum series series)
{
    const struct cell_record *baseline = baseline_of(record, cell);
    struct estimate ratio = unknown;
    if (!baseline)
        return ratio;
    enum series own = own_series(record, cell, series);
    ratio.value = record_time(baseline, baseline_series(baseline, series)).value / record_time(cell, own).value;
    return ratio;
}

struct estimate record_speedup(const struct record *record, const struct cell_record *cell, enum series series)
{
    unsigned slices = cell->track[own_series(record, cell, series)].slices;
    double *ratio = malloc((slices + 1) * sizeof *ratio);
    if (!ratio)
        return unknown;
    unsigned count = record_ratios(record, cell, series, ratio, slices);
    struct estimate speedup = count > 0 ? stats_estimate(ratio, count) : ratio_of_times(record, cell, series);
    free(ratio);
    return speedup;
}

struct ratio_range record_speedup_range(const struct record *record, const struct cell_record *cell, enum series series)
{
    struct ratio_range range = { NAN, NAN };
    unsigned slices = cell->track[own_series(record, cell, series)].slices;
    double *ratio = malloc((slices + 1) * sizeof *ratio);
    unsigned count = ratio ? record_ratios(record, cell, series, ratio, slices) : 0;
    for (unsigned i = 0; i < count; i++) { /* fmin passes over a NAN */
        range.least = fmin(range.least, ratio[i]);
        range.most = fmax(range.most, ratio[i]);
    }
    free(ratio);
    return range;
}

/* In physical cores: of a core's two threads a busy one takes most. */
double record_others(const struct record *record, const struct cell_record *cell)
{
    static const double long_enough = 0.2; /* seconds: /proc/stat counts in hundredths of them */
    const struct host_state *from = &cell->before, *to = &cell->after;
    const json_t *host = json_object_get(record->head, "host");
    double cores = json_number_value(json_object_get(host, "cores"));
    double threads = json_number_value(json_object_get(host, "threads"));
    double busy = to->busy - from->busy, all = busy + to->idle - from->idle + fmax(0, to->steal - from->steal);
    double seconds = all / threads, others = busy - (to->own - from->own);
    return cores > 0 && seconds > long_enough ? fmax(0, others) / seconds / cores : NAN;
}
