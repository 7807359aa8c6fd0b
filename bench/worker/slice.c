#include "bench/worker/slice.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/journal/journal.h"

#include <math.h>

enum {
    SAMPLES_MAX = 1000,  /* kept of one slice: more tell nothing new, and journals stay readable */
    STILL_RUNS = 20,     /* that end without the clock having moved at all: it stands still */
    RUNS_MAX = 10000000, /* of one slice, should its clock stand still */
    QUEUED_RUNS_MAX = 1000
};

static const double warmup_window = 0.05, warmup_cap = 1.0;
static const double queued_batch = 0.005;
static const double agreement = 0.05;

/* How many runs share one wait in the queued series: enough to fill a few milliseconds. */
static unsigned runs_per_wait(double latency)
{
    return (unsigned)fmin(QUEUED_RUNS_MAX, fmax(2, ceil(queued_batch / latency)));
}

/* One sample of a series; only offload is ever taken by phase. */
static bool run_sample(struct rig *rig, enum series series, bool by_phase, unsigned repeat, struct run_times *out,
                       struct error *err)
{
    if (series == SERIES_OFFLOAD)
        return rig_offload(rig, by_phase, out, err);
    if (!rig->task)
        return fail(err, STATUS_USAGE, "a workload that only moves data has no %s series", series_name(series));
    if (!rig_compute(rig, repeat, out, err))
        return false;
    out->whole /= repeat;
    out->enqueue /= repeat;
    return true;
}

/* The clock must go on from run to run, and within each. Where it does not no time that it tells can be believed. */
static bool clock_goes_on(struct rig *rig, struct error *err)
{
    char by[TEXT_NUMBER];
    double now = rig_now(rig), step = now - rig->latest;
    rig->latest = now;
    return step >= 0 ||
           fail_in(err, "clock", STATUS_IMPOSSIBLE, "the host's clock went back by %s", text_seconds(by, -step));
}

static bool sample(struct rig *rig, enum series series, bool by_phase, unsigned repeat, struct run_times *out,
                   struct error *err)
{
    return clock_goes_on(rig, err) && run_sample(rig, series, by_phase, repeat, out, err) && clock_goes_on(rig, err);
}

/* A clock that stands still or goes backwards would never end a stretch, or only after many long runs for nothing. What
 * it said is kept: somebody else judges it. */
static bool is_stuck(double spent, unsigned runs)
{
    return spent < 0 || (spent == 0 && runs >= STILL_RUNS);
}

static bool window(struct rig *rig, enum series series, unsigned *runs, double *run, struct error *err)
{
    double start = rig_now(rig), best = INFINITY;
    for (unsigned i = 0; i < 2 || (rig_now(rig) - start < warmup_window && i < SAMPLES_MAX); i++) {
        struct run_times times;
        if (!sample(rig, series, false, 1, &times, err))
            return false;
        best = fmin(best, times.whole);
        ++*runs;
        const double spent = rig_now(rig) - start;
        if (spent > warmup_cap || is_stuck(spent, i))
            break;
    }
    *run = best;
    return true;
}

bool slice_warmup(struct rig *rig, enum series series, unsigned *runs, double *run, struct error *err)
{
    *runs = 0;
    double start = rig_now(rig), before;
    if (!window(rig, series, runs, &before, err))
        return false;
    *run = before;
    for (double spent = 0; spent >= 0 && spent < warmup_cap; spent = rig_now(rig) - start) {
        if (!window(rig, series, runs, run, err))
            return false;
        if (fabs(*run - before) <= agreement * fabs(before))
            break;
        before = *run;
    }
    return true;
}

/* Runs whose times are thrown away: at least one after the pause in which others ran, more while each is still clearly
 * faster than the one before; none where a single run fills the slice, or nothing came between. Of cold runs one, for
 * the clocks: caches are not to get warm. */
static bool discard(struct rig *rig, enum series series, double seconds, struct pace *pace, unsigned *discarded,
                    struct error *err)
{
    double start = rig_now(rig), before = INFINITY, *run = &pace->run;
    bool had_no_rest = series == SERIES_SUSTAINED && pace->slices > 0;
    if (*run >= seconds * (1 - agreement) || had_no_rest)
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
    } while (rig_now(rig) - start < seconds / 4);
    return true;
}

/* One in so many samples is kept; with a stride of 1 all of them. */
static unsigned stride_of(double seconds, double run)
{
    double samples = fmin(seconds / run, RUNS_MAX);
    return samples > SAMPLES_MAX ? (unsigned)(samples / SAMPLES_MAX) : 1;
}

struct collected {
    json_t *wall, *event, *enqueue, *phase[STEP_KINDS];
};

static void collect(struct collected *to, const struct run_times *times)
{
    if (!isnan(times->whole)) {
        json_array_append_new(to->wall, journal_ns(times->whole));
        json_array_append_new(to->event, journal_ns(times->event));
        json_array_append_new(to->enqueue, journal_ns(times->enqueue));
        return;
    }
    for (unsigned i = 0; i < STEP_KINDS; i++)
        if (!isnan(times->phase[i]))
            json_array_append_new(to->phase[i], journal_ns(times->phase[i]));
}

static const char *const phase_key[STEP_KINDS] = { "upload_ns", "repack_ns", "compute_ns", "download_ns" };

static json_t *payload(struct collected *collected, enum series series, unsigned discarded, double cpu, double elapsed)
{
    json_t *slice = json_pack("{s:s, s:i, s:o, s:o, s:o}", "series", series_name(series), "discarded", (int)discarded,
                              "cpu_ns", journal_ns(cpu), "elapsed_ns", journal_ns(elapsed), "wall_ns", collected->wall);
    bool has_event = series == SERIES_RESIDENT || series == SERIES_SUSTAINED;
    json_object_set_new(slice, "event_ns", has_event ? json_incref(collected->event) : json_null());
    json_decref(collected->event);
    json_object_set_new(slice, "enqueue_ns", series == SERIES_OFFLOAD ? json_null() : json_incref(collected->enqueue));
    json_decref(collected->enqueue);
    json_t *phases = json_object();
    for (unsigned i = 0; i < STEP_KINDS; i++) {
        if (series == SERIES_OFFLOAD && json_array_size(collected->phase[i]) > 0)
            json_object_set(phases, phase_key[i], collected->phase[i]);
        json_decref(collected->phase[i]);
    }
    if (series == SERIES_OFFLOAD)
        json_object_set_new(slice, "phases", phases);
    else
        json_decref(phases);
    return slice;
}

/* What emptying caches took in the slice: time and host work that no run has asked for. */
static void add_flushes(json_t *slice, const struct flush *flush, const struct flush *before)
{
    double cpu = journal_seconds(json_object_get(slice, "cpu_ns")) - (flush->cpu - before->cpu);
    json_object_set_new(slice, "cpu_ns", journal_ns(cpu < 0 ? 0 : cpu)); /* unknown stays unknown */
    json_object_set_new(slice, "flushes", json_integer(flush->count - before->count));
    json_object_set_new(slice, "flush_ns", journal_ns(flush->seconds - before->seconds));
}

/* What a device of scripted time costs the host's processor has nothing to do with that time. */
static double cpu_now(const struct rig *rig)
{
    return rig->backend->now ? NAN : clock_cpu();
}

json_t *slice_run(struct rig *rig, enum series series, double seconds, struct pace *pace, struct error *err)
{
    struct collected collected = { json_array(), json_array(), json_array(), { NULL } };
    for (unsigned i = 0; i < STEP_KINDS; i++)
        collected.phase[i] = json_array();
    double start = rig_now(rig), cpu = cpu_now(rig);
    const struct flush before = rig->flush ? *rig->flush : (struct flush){ .count = 0 };
    unsigned discarded = 0, runs = 0;
    bool ok = discard(rig, series, seconds, pace, &discarded, err);
    unsigned repeat = series == SERIES_QUEUED && ok ? runs_per_wait(pace->run) : 1;
    unsigned stride = rig->flush ? 1 : stride_of(seconds, pace->run * repeat);
    /* Offload is taken by phase and as a whole in turn, both in every slice, and each of them first in every other. */
    unsigned least = series == SERIES_OFFLOAD ? 2 : 1;
    for (double spent = 0; ok && runs < RUNS_MAX && (runs < least || spent < seconds); runs++) {
        struct run_times times;
        ok = sample(rig, series, (runs + pace->slices) % 2 == 0, repeat, &times, err);
        if (ok && runs % stride < least)
            collect(&collected, &times);
        spent = rig_now(rig) - start;
        if (runs + 1 >= least && is_stuck(spent, runs))
            break;
    }
    pace->slices++;
    json_t *slice = payload(&collected, series, discarded, cpu_now(rig) - cpu, rig_now(rig) - start);
    if (ok && rig->flush)
        add_flushes(slice, rig->flush, &before);
    if (ok)
        return slice;
    json_decref(slice);
    return NULL;
}
