#include "bench/worker/slice.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <math.h>

enum {
    SAMPLES_MAX = 1000,  /* kept of one slice: more add nothing, and journals stay readable */
    STILL_RUNS = 20,     /* without any progress of the clock: it has stopped */
    RUNS_MAX = 10000000, /* of one slice, if its clock has stopped */
    QUEUED_RUNS_MAX = 1000
};

static const double warmup_window = 0.05, warmup_cap = 1.0;
static const double queued_batch = 0.005;

/* Time stamps of the device cost some microseconds. After the first of so many timed runs, over all slices, there is a
 * run for them alone. */
enum { EVENTS_EVERY = 8 };

/* Of long copied runs, one in so many slices is timed by phase, too. */
enum { SLICES_FOR_PHASES = 4 };
static const double agreement = 0.05;

/* A device that slept while others were measured may take so many seconds to reach its clock again. */
static const double waking = 0.05;

static bool check_progress(struct rig *rig, struct error *err)
{
    double now = rig_now(rig), step = now - rig->clock_seen;
    rig->clock_seen = now;
    return step >= 0 ||
           fail_in(err, "clock", STATUS_IMPOSSIBLE, "the host's clock went back by %s", text_seconds(-step).text);
}

/* One sample of a series; by_phase is for copied only. The clock must not go back, from run to run or within one: then
 * none of its times is valid. */
static bool sample(struct rig *rig, enum series series, bool by_phase, unsigned repeat, struct run_times *out,
                   struct error *err)
{
    if (!check_progress(rig, err))
        return false;
    if (series == SERIES_COPIED)
        return rig_run_copied(rig, by_phase, out, err) && check_progress(rig, err);
    if (!rig->task)
        return fail(err, STATUS_USAGE, "a workload that only moves data has no %s series", series_names[series]);
    if (!rig_run_resident(rig, repeat, out, err))
        return false;
    out->whole /= repeat;
    out->enqueue /= repeat;
    return check_progress(rig, err);
}

/* A slice would never end on a clock that has stopped or goes backwards. Its times are kept; the parent judges them. */
static bool is_stuck(double spent, unsigned runs)
{
    return spent < 0 || (spent == 0 && runs >= STILL_RUNS);
}

static bool window(struct rig *rig, enum series series, double *run, struct error *err)
{
    double start = rig_now(rig), best = INFINITY;
    for (unsigned i = 0; i < 2 || (rig_now(rig) - start < warmup_window && i < SAMPLES_MAX); i++) {
        struct run_times times;
        if (!sample(rig, series, false, 1, &times, err))
            return false;
        best = fmin(best, times.whole);
        const double spent = rig_now(rig) - start;
        if (spent > warmup_cap || is_stuck(spent, i))
            break;
    }
    *run = best;
    return true;
}

bool slice_warmup(struct rig *rig, enum series series, double *run, struct error *err)
{
    double start = rig_now(rig), before;
    if (!window(rig, series, &before, err))
        return false;
    *run = before;
    for (double spent = 0; spent >= 0 && spent < warmup_cap; spent = rig_now(rig) - start) {
        if (!window(rig, series, run, err))
            return false;
        if (fabs(*run - before) <= agreement * fabs(before))
            break;
        before = *run;
    }
    return true;
}

/* Runs whose times are discarded after the slices of other devices: at least one, and more while each is clearly faster
 * than the one before. None if one run fills the slice, or if there was no pause. One if runs are cold: it wakes the
 * clocks and must not warm the caches. */
static bool discard(struct rig *rig, enum series series, double seconds, struct pace *pace, unsigned *discarded,
                    struct error *err)
{
    double start = rig_now(rig), before = INFINITY, *run = &pace->run;
    const bool had_no_pause = series == SERIES_SUSTAINED && pace->slices > 0;
    const double most = rig->device.works_in_host_memory ? seconds : fmax(seconds, waking);
    if (*run >= most * (1 - agreement) || had_no_pause)
        return true;
    do {
        struct run_times times;
        if (!sample(rig, series, false, 1, &times, err))
            return false;
        ++*discarded;
        *run = times.whole;
        if (*run >= before * (1 - agreement) || rig->flush)
            break;
        before = *run;
    } while (rig_now(rig) - start < (rig->device.works_in_host_memory ? seconds / 4 : most));
    return true;
}

/* A sample is left out where memory is short; the pool says so at the end. */
static void append(struct pool *pool, struct samples *samples, double seconds)
{
    pool_add(pool, &samples->value, &samples->count, &seconds, sizeof seconds);
}

static bool is_of_one_run(enum series series)
{
    return series == SERIES_RESIDENT || series == SERIES_SUSTAINED;
}

_Static_assert((int)STEP_KINDS == (int)PHASE_COUNT, "a phase for each kind of step, in the same order");

/* `is_phased`: all runs of the slice are timed by phase, and take as long as their phases together. */
static void collect(struct pool *pool, struct slice_line *slice, const struct run_times *times, bool has_event,
                    bool is_phased)
{
    double whole = 0;
    if (!isnan(times->whole)) {
        append(pool, &slice->wall, times->whole);
        if (has_event && is_of_one_run(slice->series))
            append(pool, &slice->event, times->event);
        if (slice->series != SERIES_COPIED)
            append(pool, &slice->enqueue, times->enqueue);
        return;
    }
    for (unsigned i = 0; i < STEP_KINDS; i++)
        if (!isnan(times->phase[i])) {
            append(pool, &slice->phases.of[i], times->phase[i]);
            whole += times->phase[i];
        }
    if (is_phased)
        append(pool, &slice->wall, whole);
}

/* NAN if time is scripted: the CPU time of this process has nothing to do with it. */
static double cpu_now(const struct rig *rig)
{
    return rig->backend->now ? NAN : clock_cpu();
}

/* What is only copied to the device, once more right after the last run, and not written before. */
static bool upload_kept(struct rig *rig, double *seconds, struct error *err)
{
    if (rig->steps != 1 || rig->step->kind != STEP_UPLOAD || !rig->host[rig->step->operand] || rig->flush)
        return true;
    struct run_times times;
    rig->keeps_inputs = true;
    const bool ok = sample(rig, SERIES_COPIED, false, 1, &times, err);
    rig->keeps_inputs = false;
    *seconds = ok ? times.whole : NAN;
    return ok;
}

bool slice_run(struct rig *rig, double seconds, bool with_events, struct pace *pace, struct slice_line *slice,
               struct pool *pool, struct error *err)
{
    const enum series series = slice->series;
    const double start = rig_now(rig), cpu = cpu_now(rig);
    const struct flush before = rig->flush ? *rig->flush : (struct flush){ .count = 0 };
    const double renewing = rig->renewing.seconds, renewing_cpu = rig->renewing.cpu;
    unsigned runs = 0;
    bool ok = discard(rig, series, seconds, pace, &slice->discarded, err);
    const bool is_on_host = rig->device.works_in_host_memory; /* its time stamps cost nothing */
    const double begin = is_on_host ? start : rig_now(rig);   /* waking a card is no part of its slice */
    /* Runs that share one wait in the queued series: enough for a few milliseconds. */
    const double batch = fmin(QUEUED_RUNS_MAX, fmax(2, ceil(queued_batch / pace->run)));
    const unsigned repeat = series == SERIES_QUEUED && ok ? (unsigned)batch : 1;
    const double samples = fmin(seconds / (pace->run * repeat), RUNS_MAX); /* of which every n-th is kept */
    const unsigned stride = !rig->flush && samples > SAMPLES_MAX ? (unsigned)(samples / SAMPLES_MAX) : 1;
    /* Copied runs are timed by phase and as a whole in turn, at least one each; every other slice begins with the
     * other. Where one run fills the slice only some slices have one by phase, after the whole one. */
    const bool is_full = pace->run >= seconds;
    const bool has_phases =
        series == SERIES_COPIED && !pace->is_phased && (!is_full || pace->slices % SLICES_FOR_PHASES == 0);
    const unsigned least = has_phases ? 2 : 1;
    const bool has_events = with_events && is_of_one_run(series) && !is_on_host;
    unsigned events = 0;
    bool is_event = false;
    for (double spent = 0;
         ok && runs < RUNS_MAX && (runs < least || is_event || spent + pace->run * repeat / 2 < seconds); runs++) {
        struct run_times times;
        rig->is_without_events = !is_event && !is_on_host;
        const bool is_by_phase = pace->is_phased || (has_phases && (runs + (is_full ? 1 : pace->slices)) % 2 == 0);
        ok = sample(rig, series, is_by_phase, repeat, &times, err);
        if (ok && is_event && events++ % stride == 0) { /* a run for the device's clock alone */
            append(pool, &slice->event_wall, times.whole);
            append(pool, &slice->event, times.event);
        } else if (ok && !is_event && (runs - events) % stride < least)
            collect(pool, slice, &times, is_on_host, pace->is_phased);
        is_event = has_events && !is_event && pace->timed++ % EVENTS_EVERY == 0;
        spent = rig_now(rig) - begin;
        if (runs + 1 >= least && is_stuck(spent, runs))
            break;
    }
    ok = ok && (series != SERIES_COPIED || upload_kept(rig, &slice->kept, err));
    rig->is_without_events = false;
    pace->slices++;
    /* Emptying caches and writing inputs is no part of the runs. */
    const double burnt =
        cpu_now(rig) - cpu - (rig->flush ? rig->flush->cpu - before.cpu : 0) - (rig->renewing.cpu - renewing_cpu);
    slice->runs = (double)runs * repeat;
    slice->cpu = burnt < 0 ? 0 : burnt; /* NAN stays NAN */
    slice->elapsed = rig_now(rig) - start;
    if (rig->renewing.cpu > renewing_cpu)
        slice->renewing = rig->renewing.seconds - renewing;
    if (rig->flush) {
        slice->flushes = rig->flush->count - before.count;
        slice->flush = rig->flush->seconds - before.seconds;
    }
    return ok && (!pool->is_short || fail(err, STATUS_NO_MEMORY, "no memory for the times of %u runs", runs));
}
