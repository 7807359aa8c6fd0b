/* Adds the samples of slices to a record. harness/analysis/figures.c computes figures from them. */

#include "harness/journal/plausible.h"
#include "harness/journal/record_parts.h"

#include <math.h>

static bool push(struct pool *pool, struct samples *samples, double value)
{
    return pool_add(pool, &samples->value, &samples->count, &value, sizeof value);
}

/* Adds a time of the run whose wall time was added last. The array stays empty until a run has such a time; then the
 * earlier runs get NAN. */
static bool push_beside(struct pool *pool, struct samples *samples, const struct samples *wall, double value)
{
    if (samples->count == 0 && isnan(value))
        return true;
    while (samples->count + 1 < wall->count)
        if (!push(pool, samples, NAN))
            return false;
    return push(pool, samples, value);
}

/* Adds the runs that were made for the device's clock alone. */
static bool push_events(struct pool *pool, struct track *track, const struct slice_line *line)
{
    const bool are_alike = track->event.count == track->event_wall.count; /* a second worker may decide otherwise */
    for (unsigned i = 0; are_alike && i < line->event_wall.count; i++) {
        const double seconds = line->event_wall.value[i];
        if (seconds > 0 && !(push(pool, &track->event_wall, seconds) &&
                             push(pool, &track->event, i < line->event.count ? line->event.value[i] : NAN)))
            return false;
    }
    return true;
}

/* The time of that number; NAN where it is unknown, or before the beginning. */
static double time_of(const struct samples *samples, unsigned i)
{
    return i < samples->count && samples->value[i] >= 0 ? samples->value[i] : NAN;
}

/* Adds the wall times, each with the other times of the same run. Those of a call may be 0. A slice without a time
 * counts as one run. */
static bool push_runs(struct pool *pool, struct track *track, const struct slice_line *line)
{
    const unsigned before = track->wall.count + track->unusable;
    const bool has_events = line->event_wall.count == 0 && track->event_wall.count == 0;
    for (unsigned i = 0; i < line->wall.count; i++) {
        const double seconds = line->wall.value[i], enqueue = time_of(&line->enqueue, i);
        const double event = i < line->event.count ? line->event.value[i] : NAN;
        if (!plausible_run(seconds, line->elapsed) || enqueue > seconds) {
            track->unusable++;
            continue;
        }
        if (!push(pool, &track->wall, seconds) ||
            (has_events && !push_beside(pool, &track->event, &track->wall, event)) ||
            !push_beside(pool, &track->enqueue, &track->wall, enqueue))
            return false;
        track->spent += seconds;
    }
    track->unusable += track->wall.count + track->unusable == before;
    return push_events(pool, track, line);
}

static bool push_phases(struct pool *pool, struct track *track, const struct slice_line *line)
{
    for (unsigned phase = 0; phase < PHASE_COUNT; phase++)
        for (unsigned i = 0; i < line->phases.of[phase].count; i++) {
            const double seconds = line->phases.of[phase].value[i];
            const bool is_possible = seconds == 0 || plausible_run(seconds, line->elapsed); /* 0: nothing was to do */
            if (is_possible && seconds > 0 && !push(pool, &track->phase[phase], seconds))
                return false;
            track->spent += is_possible ? seconds : 0;
            track->unusable += !is_possible;
        }
    return true;
}

static double median_since(const struct samples *samples, unsigned before)
{
    return samples->count > before ? stats_median(samples->value + before, samples->count - before) : NAN;
}

/* The runs of a slice, and the check of its last one if there was one. A check of a sample is counted only by its time.
 * Journals of earlier versions have neither. */
static void add_check(struct cell_record *cell, const struct slice_line *line)
{
    const struct slice_check *check = &line->check;
    cell->checks.timed += line->runs;
    cell->checks.checked += isnan(line->runs) ? NAN : isfinite(check->check) && isnan(check->sample);
    cell->checks.seconds += isnan(line->runs) ? NAN : fmax(0, check->check);
    cell->checks.differ |= check->differs;
    cell->checks.every = fmax(cell->checks.every, check->every);
}

bool record_add_slice(struct record *record, struct cell_record *cell, const struct journal_line *of, struct error *err)
{
    struct pool *pool = &record->pool;
    const struct slice_line *line = &of->slice;
    if (line->series == SERIES_COUNT)
        return true; /* a later version of bench wrote it */
    if (!plausible_elements(cell, line->check.sample, err))
        return false;
    struct track *track = &cell->track[line->series];
    const struct slice *latest = track->slices > 0 ? &track->slice[track->slices - 1] : NULL;
    const bool placed = line->number <= (double)UINT32_MAX; /* without its place it enters no ratio */
    if (placed && latest && line->number <= latest->number)
        return fail(err, STATUS_FAILED, "slice %.0f after slice %u of '%s'", line->number, latest->number, cell->key);
    if (latest && line->visit < latest->visit && latest->visit != NO_VISIT)
        return fail(err, STATUS_FAILED, "visit %.0f after visit %u of '%s'", line->visit, latest->visit, cell->key);
    unsigned before = track->wall.count, phase_before[PHASE_COUNT];
    for (unsigned i = 0; i < PHASE_COUNT; i++)
        phase_before[i] = track->phase[i].count;
    if (!push_runs(pool, track, line) || !push_phases(pool, track, line))
        return out_of_memory(err);
    track->cpu += line->cpu; /* unknown if it is unknown for one slice */
    track->elapsed += fmax(0, line->elapsed - fmax(0, line->flush) - fmax(0, line->renewing));
    add_check(cell, line);
    if (!placed || track->wall.count == before)
        return true;
    /* What held the clock down during the slice still does right after it; before it the device was idle. */
    const struct gpu_state *gpu = &line->gpu.after;
    struct slice slice = {
        .number = (unsigned)line->number,
        .visit = line->visit < NO_VISIT ? (unsigned)line->visit : NO_VISIT,
        .median = median_since(&track->wall, before),
        .kept = plausible_run(line->kept, line->elapsed) ? line->kept : NAN,
        .at = line->at,
        .looks = record->looks,
        .knows_held = gpu->knows_reasons,
        .held = gpu->reasons,
        .sm_clock = gpu->sm_clock,
    };
    for (unsigned i = 0; i < PHASE_COUNT; i++)
        slice.phase[i] = median_since(&track->phase[i], phase_before[i]);
    return pool_add(pool, &track->slice, &track->slices, &slice, sizeof slice) || out_of_memory(err);
}
