/* Adds the samples of slices to a record. harness/analysis/figures.c computes figures from them. */

#include "harness/journal/plausible.h"
#include "harness/journal/record_members.h"

static bool push(struct pool *pool, struct samples *samples, double value)
{
    samples->value = pool_grow(pool, samples->value, samples->count, &samples->room, sizeof *samples->value);
    if (pool->is_short)
        return false;
    samples->value[samples->count++] = value;
    return true;
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
static bool push_events(struct pool *pool, struct track *track, const json_t *wall, const json_t *event)
{
    const bool are_alike = track->event.count == track->event_wall.count; /* a second worker may decide otherwise */
    size_t i;
    const json_t *ns;
    json_array_foreach (are_alike ? wall : NULL, i, ns) {
        const double seconds = time_from_ns(ns);
        if (seconds > 0 && !(push(pool, &track->event_wall, seconds) &&
                             push(pool, &track->event, journal_seconds(json_array_get(event, i)))))
            return false;
    }
    return true;
}

/* Adds the wall times, each with the other times of the same run. Those of a call may be 0. A slice without a time
 * counts as one run. */
static bool push_runs(struct pool *pool, struct track *track, const json_t *line)
{
    const double slice = time_member(line, "elapsed_ns");
    const unsigned before = track->wall.count + track->unusable;
    const json_t *apart = json_object_get(line, "event_wall_ns"), *all = json_object_get(line, "event_ns"),
                 *event = apart || track->event_wall.count > 0 ? NULL : all,
                 *enqueues = json_object_get(line, "enqueue_ns"), *ns;
    size_t i;
    json_array_foreach (json_object_get(line, "wall_ns"), i, ns) {
        const double seconds = time_from_ns(ns), enqueue = time_from_ns(json_array_get(enqueues, i));
        if (!plausible_run(seconds, slice) || enqueue > seconds) {
            track->unusable++;
            continue;
        }
        if (!push(pool, &track->wall, seconds) ||
            (event && !push_beside(pool, &track->event, &track->wall, journal_seconds(json_array_get(event, i)))) ||
            !push_beside(pool, &track->enqueue, &track->wall, enqueue))
            return false;
        track->spent += seconds;
    }
    track->unusable += track->wall.count + track->unusable == before;
    return push_events(pool, track, apart, all);
}

static bool push_phases(struct pool *pool, struct track *track, const json_t *line)
{
    static const char *const names[PHASE_COUNT] = { "upload_ns", "repack_ns", "compute_ns", "download_ns" };
    const json_t *phases = json_object_get(line, "phases");
    const double slice = time_member(line, "elapsed_ns");
    for (unsigned phase = 0; phase < PHASE_COUNT; phase++) {
        size_t i;
        const json_t *ns;
        json_array_foreach (json_object_get(phases, names[phase]), i, ns) {
            double seconds = time_from_ns(ns);
            const bool is_possible = seconds == 0 || plausible_run(seconds, slice); /* 0: there was nothing to do */
            if (is_possible && seconds > 0 && !push(pool, &track->phase[phase], seconds))
                return false;
            track->spent += is_possible ? seconds : 0;
            track->unusable += !is_possible;
        }
    }
    return true;
}

static double median_since(const struct samples *samples, unsigned before)
{
    return samples->count > before ? stats_median(samples->value + before, samples->count - before) : NAN;
}

/* A slice of unknown energy is left out of both sums, so that their ratio is the power of the others. */
static void add_energy(struct track *track, const json_t *line)
{
    const json_t *energy = json_object_get(line, "energy_j");
    double elapsed = time_member(line, "elapsed_ns");
    for (unsigned i = 0; i < ENERGY_DOMAINS; i++) {
        double joules = number_member(energy, energy_domain_names[i]);
        if (isnan(joules) || !(elapsed > 0) || !plausible_energy(joules, elapsed))
            continue;
        track->energy[i] += joules;
        track->metered[i] += elapsed;
    }
}

/* The runs of a slice, and the check of its last one if there was one. A check of a sample is counted only by its time.
 * Journals of earlier versions have neither. */
static void add_check(struct cell_record *cell, const json_t *line)
{
    const double runs = number_member(line, "runs"), seconds = time_member(line, "check_ns");
    cell->checks.timed += runs;
    cell->checks.checked += isnan(runs) ? NAN : isfinite(seconds) && !json_object_get(line, "check_sample");
    cell->checks.seconds += isnan(runs) ? NAN : fmax(0, seconds);
    cell->checks.differ |= json_is_true(json_object_get(line, "check_differs"));
    cell->checks.every = fmax(cell->checks.every, number_member(line, "check_every"));
}

bool record_add_slice(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    struct pool *pool = &record->pool;
    const enum series series = series_parse(journal_text(line, "series"));
    if (series == SERIES_COUNT)
        return true; /* a later version of bench wrote it */
    struct track *track = &cell->track[series];
    const double number = number_member(line, "number"), visit = number_member(line, "visit");
    bool placed = number <= (double)UINT32_MAX; /* a ratio cannot use a slice without its place in the order */
    if (placed && track->slices > 0 && number <= track->slice[track->slices - 1].number)
        return fail(err, STATUS_FAILED, "slice %.0f after slice %u of '%s'", number,
                    track->slice[track->slices - 1].number, cell->key);
    if (track->slices > 0 && visit < track->slice[track->slices - 1].visit &&
        track->slice[track->slices - 1].visit != NO_VISIT)
        return fail(err, STATUS_FAILED, "visit %.0f after visit %u of '%s'", visit,
                    track->slice[track->slices - 1].visit, cell->key);
    unsigned before = track->wall.count, phase_before[PHASE_COUNT];
    for (unsigned i = 0; i < PHASE_COUNT; i++)
        phase_before[i] = track->phase[i].count;
    if (!push_runs(pool, track, line) || !push_phases(pool, track, line))
        return out_of_memory(err);
    track->cpu += time_member(line, "cpu_ns"); /* unknown if it is unknown for one slice */
    double between = fmax(0, time_member(line, "flush_ns")) + fmax(0, time_member(line, "renewing_ns"));
    track->elapsed += fmax(0, time_member(line, "elapsed_ns") - between);
    add_energy(track, line);
    add_check(cell, line);
    if (!placed || track->wall.count == before)
        return true;
    track->slice = pool_grow(pool, track->slice, track->slices, &track->room, sizeof *track->slice);
    if (pool->is_short)
        return out_of_memory(err);
    /* What held the clock down during the slice still does right after it; before it the device was idle. */
    struct gpu_state gpu;
    gpu_state_from_json(&gpu, json_object_get(json_object_get(line, "gpu"), "after"));
    struct slice *slice = &track->slice[track->slices++];
    *slice = (struct slice){
        .number = (unsigned)number,
        .visit = visit < NO_VISIT ? (unsigned)visit : NO_VISIT,
        .median = median_since(&track->wall, before),
        .at = time_member(line, "at_ns"),
        .looks = record->looks,
        .knows_held = gpu.knows_reasons,
        .held = gpu.reasons,
        .sm_clock = gpu.sm_clock,
    };
    for (unsigned i = 0; i < PHASE_COUNT; i++)
        slice->phase[i] = median_since(&track->phase[i], phase_before[i]);
    return true;
}
