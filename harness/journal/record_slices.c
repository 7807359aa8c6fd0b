/* How the samples of slices come into a record. What they say is in harness/analysis/figures.c. */

#include "harness/journal/record_parts.h"

static bool push(struct samples *samples, double value)
{
    if (!grow(&samples->value, samples->count, &samples->room, sizeof *samples->value))
        return false;
    samples->value[samples->count++] = value;
    return true;
}

static double usable(const json_t *ns)
{
    double seconds = journal_seconds(ns);
    return seconds > 0 && seconds <= longest_time ? seconds : NAN;
}

/* A call may return at once, by a clock that is coarse or scripted. */
static double time_at(const json_t *array, size_t i)
{
    double seconds = journal_seconds(json_array_get(array, i));
    return seconds >= 0 && seconds <= longest_time ? seconds : NAN;
}

/* Adds what belongs to the wall time that was added last. What no run so far has told takes no room; once one does,
 * those before it get NAN. */
static bool push_beside(struct samples *samples, const struct samples *wall, double value)
{
    if (samples->count == 0 && isnan(value))
        return true;
    while (samples->count + 1 < wall->count)
        if (!push(samples, NAN))
            return false;
    return push(samples, value);
}

/* Adds the wall times, each with the other times of the same run. */
static bool push_runs(struct track *track, const json_t *line)
{
    const json_t *event = json_object_get(line, "event_ns"), *enqueue = json_object_get(line, "enqueue_ns"), *ns;
    size_t i;
    json_array_foreach (json_object_get(line, "wall_ns"), i, ns) {
        double seconds = usable(ns);
        if (isnan(seconds)) {
            track->unusable++;
            continue;
        }
        if (!push(&track->wall, seconds) ||
            !push_beside(&track->event, &track->wall, journal_seconds(json_array_get(event, i))) ||
            !push_beside(&track->enqueue, &track->wall, time_at(enqueue, i)))
            return false;
        track->spent += seconds;
    }
    return true;
}

static bool push_phases(struct track *track, const json_t *phases)
{
    static const char *const names[PHASE_COUNT] = { "upload_ns", "repack_ns", "compute_ns", "download_ns" };
    for (unsigned phase = 0; phase < PHASE_COUNT; phase++) {
        size_t i;
        const json_t *ns;
        json_array_foreach (json_object_get(phases, names[phase]), i, ns) {
            double seconds = usable(ns);
            if (isnan(seconds))
                continue;
            if (!push(&track->phase[phase], seconds))
                return false;
            track->spent += seconds;
        }
    }
    return true;
}

static double median_since(const struct samples *samples, unsigned before)
{
    return samples->count > before ? stats_median(samples->value + before, samples->count - before) : NAN;
}

/* What held the device's clock down while it worked still does so right after; before that it rested. */
static void mark_held(struct slice *slice, const json_t *gpu)
{
    struct gpu_state after;
    gpu_state_from_json(&after, json_object_get(gpu, "after"));
    slice->tells_held = after.knows_reasons;
    slice->held = after.reasons;
    slice->sm_clock = after.sm_clock;
}

/* A slice whose energy is not known counts for nothing: power is that of the others. */
static void add_energy(struct track *track, const json_t *line)
{
    const json_t *energy = json_object_get(line, "energy_j");
    double elapsed = time_member(line, "elapsed_ns");
    for (unsigned i = 0; i < ENERGY_DOMAINS; i++) {
        double joules = number_member(energy, energy_domain_names[i]);
        if (isnan(joules) || !(elapsed > 0))
            continue;
        track->energy[i] += joules;
        track->metered[i] += elapsed;
    }
}

bool record_add_slice(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    (void)record;
    enum series series;
    if (!series_parse(word_member(line, "series"), &series))
        return true; /* of a later version */
    struct track *track = &cell->track[series];
    double number = number_member(line, "number");
    bool placed = number <= (double)UINT32_MAX; /* without its place in the order it is of no use to a ratio */
    if (placed && track->slices > 0 && number <= track->slice[track->slices - 1].number)
        return fail(err, STATUS_FAILED, "slice %.0f after slice %u of '%s'", number,
                    track->slice[track->slices - 1].number, cell->key);
    unsigned before = track->wall.count, phase_before[PHASE_COUNT];
    for (unsigned i = 0; i < PHASE_COUNT; i++)
        phase_before[i] = track->phase[i].count;
    if (!push_runs(track, line) || !push_phases(track, json_object_get(line, "phases")))
        return out_of_memory(err);
    track->cpu += time_member(line, "cpu_ns"); /* unknown where it is so of one slice */
    track->elapsed += fmax(0, time_member(line, "elapsed_ns") - fmax(0, time_member(line, "flush_ns")));
    add_energy(track, line);
    if (!placed || track->wall.count == before)
        return true;
    if (!grow(&track->slice, track->slices, &track->room, sizeof *track->slice))
        return out_of_memory(err);
    struct slice *slice = &track->slice[track->slices++];
    *slice = (struct slice){
        .number = (unsigned)number,
        .median = median_since(&track->wall, before),
        .at = time_member(line, "at_ns"),
    };
    for (unsigned i = 0; i < PHASE_COUNT; i++)
        slice->phase[i] = median_since(&track->phase[i], phase_before[i]);
    mark_held(slice, json_object_get(line, "gpu"));
    return true;
}
