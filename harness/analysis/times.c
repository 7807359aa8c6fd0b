#include "harness/analysis/times.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum use cell_headline(const struct cell_record *cell)
{
    bool only_moves = cell->track[SERIES_RESIDENT].wall.count == 0 && cell->track[SERIES_COPIED].wall.count > 0;
    return only_moves ? USE_COPIED : USE_RESIDENT;
}

bool record_uses(const struct record *record, const struct device *device)
{
    for (unsigned i = 0; i < record->cells; i++)
        if (strcmp(record->cell[i]->device_id, device->id) == 0)
            return true;
    return false;
}

/* All values of the member, to be freed; NULL without slices, and when memory is short. */
static double *values_of(const struct track *track, size_t member)
{
    double *value = track->slices > 0 ? malloc(track->slices * sizeof *value) : NULL;
    for (unsigned i = 0; value && i < track->slices; i++)
        memcpy(&value[i], (const char *)&track->slice[i] + member, sizeof *value);
    return value;
}

double track_median(const struct track *track, size_t member)
{
    double *value = values_of(track, member), median = value ? stats_median(value, track->slices) : NAN;
    free(value);
    return median;
}

struct estimate record_time(const struct cell_record *cell, enum series series)
{
    const struct track *track = &cell->track[series];
    double *value = values_of(track, offsetof(struct slice, median));
    struct estimate time = value ? stats_estimate(value, track->slices) : estimate_unknown;
    time.samples = value ? track->wall.count : 0;
    free(value);
    return estimate_unless_wide(time);
}

double record_kept_time(const struct cell_record *cell)
{
    return track_median(&cell->track[SERIES_COPIED], offsetof(struct slice, kept));
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

struct visits record_visits(const struct record *record)
{
    struct visits visits = { .least = UINT_MAX };
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *cell = record->cell[i];
        const struct track *track = &cell->track[use_series[cell_headline(cell)]];
        if (cell->is_peak || track->slices == 0 || track->slice[0].visit == NO_VISIT)
            continue;
        visits.least = track->slices < visits.least ? track->slices : visits.least;
        visits.most = track->slices > visits.most ? track->slices : visits.most;
    }
    visits.least = visits.most > 0 ? visits.least : 0;
    return visits;
}

/* From the first to the last tenth, relative to the median; NAN for few slices. */
static double spread_of(const struct track *track)
{
    double *time = track->slices >= ESTIMATE_VALUES_MIN ? values_of(track, offsetof(struct slice, median)) : NULL;
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
        if (device && device->works_in_host_memory && !record->cell[i]->is_peak)
            spread[count++] = spread_of(&record->cell[i]->track[use_series[cell_headline(record->cell[i])]]);
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
