#include "bench/schedule/rounds.h"

#include "bench/backends/registry.h"
#include "harness/analysis/figures.h"
#include "harness/analysis/pairing.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>

enum { ROUNDS_MAX = 4096 };

/* The series that are still measured, as bits 1 << series. */
static unsigned active_series(const struct runner *runner)
{
    unsigned active = 0;
    for (enum series series = 0; series < SERIES_COUNT; series++)
        active |= (unsigned)runner->series[series].active << series;
    return active;
}

void rounds_stop(struct rounds *rounds, struct runner *runner, enum series series, enum stop why)
{
    if (!runner->series[series].active)
        return;
    runner->series[series].active = false;
    run_log_write(&rounds->context->run_log,
                  json_pack("{s:s, s:s, s:s, s:s}", "line", "stop", "cell", runner->cell->key, "series",
                            series_names[series], "reason", stop_names[why]));
}

static void stop_all(struct rounds *rounds, struct runner *runner, enum stop why)
{
    for (enum series series = 0; series < SERIES_COUNT; series++)
        rounds_stop(rounds, runner, series, why);
}

bool rounds_is_baseline(const struct rounds *rounds, const struct runner *runner)
{
    return runner == rounds->baseline[USE_RESIDENT] || runner == rounds->baseline[USE_COPIED];
}

/* --- one slice --- */

/* After a failed slice. A baseline whose worker died gets a second one, once, since without it all comparisons are
 * lost: returns true, and the slice may be taken again. Any other cell ends: its samples stay in the journal, its
 * outcome has the reason. */
static bool replace_or_stop(struct rounds *rounds, struct runner *runner, const struct error *why)
{
    struct context *context = rounds->context;
    if (why->status == STATUS_ABANDONED) {
        context->interrupted = true;
        return false;
    }
    if (rounds_is_baseline(rounds, runner) && runner_reopen(runner, why))
        return true;
    runner->outcome = runner->outcome.status != STATUS_OK ? runner->outcome : *why;
    stop_all(rounds, runner, context->interrupted ? STOP_INTERRUPTED : STOP_FAILED);
    runner_end(runner, NULL);
    return false;
}

/* The cell in the record; NULL if memory was short for it. */
static const struct cell_record *recorded(const struct rounds *rounds, const struct runner *runner)
{
    return record_cell(rounds->context->run_log.record, runner->cell->key);
}

static unsigned usable_samples(const struct rounds *rounds, const struct runner *runner, enum series series)
{
    const struct cell_record *cell = recorded(rounds, runner);
    return cell ? cell->track[series].wall.count : 0;
}

/* The reply came in time by the parent's clock. Its own figure may still exceed the deadline: on a scripted device, or
 * if the clock was stepped for both, as when a virtual machine was suspended. */
static bool kept_deadline(const struct rounds *rounds, double elapsed, double expected, struct error *why)
{
    double deadline = client_deadline(rounds->context->setup.timeout, expected);
    return elapsed <= deadline || fail_in(why, "clock", STATUS_TIMEOUT, "a slice took %s by the clock, and may take %s",
                                          text_seconds(TEXT_HERE, elapsed), text_seconds(TEXT_HERE, deadline));
}

static bool was_timed(const struct rounds *rounds, const struct runner *runner, enum series series,
                      unsigned samples_before, struct error *why)
{
    if (!recorded(rounds, runner))
        return fail_in(why, "record", STATUS_NO_MEMORY, "no memory for its samples");
    if (runner->series[series].last > 0 && usable_samples(rounds, runner, series) > samples_before)
        return true;
    return fail_in(why, "clock", STATUS_IMPOSSIBLE, "its runs took no time by the clock");
}

/* A slice, and the check of it that is due. If its worker dies in the check its times are dropped with it: nobody knows
 * what they are of. `err` has the failure of a check also where there is a reply. */
static json_t *ask_slice(struct runner *runner, enum series series, double length, double check_after, double expected,
                         struct error *err)
{
    json_t *request = json_pack("{s:s, s:s, s:o, s:b}", "do", "slice", "series", series_names[series], "ns",
                                journal_ns(length), "events", true);
    if (runner->is_phased && series == SERIES_COPIED)
        json_object_set_new(request, "phased", json_true());
    json_t *reply = runner_ask(runner, SPENT_MEASURING, request, expected, err);
    if (!reply)
        return NULL;
    bool is_due = json_is_true(json_object_get(reply, "check_due")) ||
                  runner->series[series].spent + client_seconds(reply, "elapsed_ns") >= check_after;
    json_object_del(reply, "check_due");
    if (!is_due)
        return reply;
    const bool is_right = runner_check(runner, series, reply, err);
    if (is_right || !status_is_death(err->status))
        return reply;
    json_decref(reply);
    return NULL;
}

/* Takes the reply. */
static void write_slice(struct rounds *rounds, const struct runner *runner, json_t *reply, double asked)
{
    json_object_del(reply, "ok");
    json_object_set_new(reply, "line", json_string("slice"));
    json_object_set_new(reply, "cell", json_string(runner->cell->key));
    json_object_set_new(reply, "number", json_integer(rounds->slice_number++));
    json_object_set_new(reply, "at_ns", journal_ns(asked - rounds->context->run_log.started));
    run_log_write(&rounds->context->run_log, reply);
}

/* The slice of the resident series that the phases of computing make. */
static json_t *resident_part(const json_t *reply)
{
    const json_t *computing = json_object_get(json_object_get(reply, "phases"), "compute_ns");
    json_t *part = json_pack("{s:s, s:i, s:i, s:O, s:n, s:n}", "series", series_names[SERIES_RESIDENT], "discarded", 0,
                             "runs", (int)json_array_size(computing), "wall_ns", computing, "event_ns", "cpu_ns");
    double spent = 0;
    for (size_t i = 0; i < json_array_size(computing); i++)
        spent += journal_seconds(json_array_get(computing, i));
    json_object_set_new(part, "elapsed_ns", journal_ns(spent));
    return part;
}

/* Writes a slice, and before it the resident one that is a part of it. */
static void record_slice(struct rounds *rounds, struct runner *runner, enum series series, json_t *reply, double asked)
{
    struct series_state *state = &runner->series[series], *resident = &runner->series[SERIES_RESIDENT];
    state->last = journal_seconds(json_object_get(reply, "elapsed_ns"));
    state->spent += state->last;
    if (runner->is_phased && series == SERIES_COPIED) {
        json_t *part = resident_part(reply);
        resident->last = journal_seconds(json_object_get(part, "elapsed_ns"));
        resident->spent += resident->last;
        write_slice(rounds, runner, part, asked);
    }
    write_slice(rounds, runner, reply, asked);
}

/* Nothing of this run computes between two slices. A look takes 0.1 ms, so they take at most one part in 200. */
static void look_for_neighbours(struct context *context, const struct runner *runner)
{
    static const double every = 0.02;
    if (context->neighbours.processors == 0 || clock_wall() - context->looked < every ||
        backend_is_scripted(runner->cell->device->backend))
        return;
    const struct neighbour_look look = neighbours_look(&context->neighbours);
    context->looked = clock_wall();
    run_log_write(&context->run_log, json_pack("{s:s, s:i, s:o}", "line", "look", "processor", (int)look.processor,
                                               "rate", journal_number(look.rate)));
}

void rounds_slice(struct rounds *rounds, struct runner *runner, enum series series, double length, double check_after)
{
    struct context *context = rounds->context;
    struct series_state *state = &runner->series[series];
    unsigned samples = usable_samples(rounds, runner, series);
    struct error err;
    double asked, expected;
    json_t *reply;
    look_for_neighbours(context, runner);
    do {
        err = (struct error){ .status = STATUS_OK };
        asked = clock_wall();
        expected = length + 4 * state->run;
        reply = ask_slice(runner, series, length, check_after, expected, &err);
        if (!reply && !(replace_or_stop(rounds, runner, &err) && state->active))
            return;
    } while (!reply && !context->interrupted); /* the next device needs this slice of the baseline */
    if (!reply)
        return;
    record_slice(rounds, runner, series, reply, asked);
    if (err.status != STATUS_OK || !was_timed(rounds, runner, series, samples, &err) ||
        !kept_deadline(rounds, state->last, expected, &err))
        replace_or_stop(rounds, runner, &err);
}

static void take_slice(struct rounds *rounds, struct runner *runner, enum series series)
{
    rounds_slice(rounds, runner, series, sampler_slice(&rounds->context->terms->rule, runner->series[series].run),
                 INFINITY);
}

/* --- when a series stops --- */

/* The values that the stop rule decides by, as a report would: ratios to the baseline, or the series' own times if it
 * has none. */
static unsigned values_of(const struct rounds *rounds, const struct runner *runner, enum series series,
                          double values[ROUNDS_MAX])
{
    const struct cell_record *cell = recorded(rounds, runner);
    unsigned count = cell ? record_ratios(rounds->context->run_log.record, cell, series, values, ROUNDS_MAX) : 0;
    if (!cell || count > 0)
        return count;
    const struct track *track = &cell->track[series];
    for (; count < track->slices && count < ROUNDS_MAX; count++)
        values[count] = track->slice[count].median;
    return count;
}

static void show(struct rounds *rounds, const struct runner *runner, enum series series,
                 const struct estimate *estimate)
{
    char width[32] = "";
    double half = estimate_half_width(estimate);
    if (!isnan(half))
        snprintf(width, sizeof width, "  +-%.1f %%", 100 * half);
    progress_step(&rounds->context->progress, false, runner->cell, "%s%s", series_names[series], width);
}

/* Stops the series if the stop rule says so. Where copied runs took less than computing alone, one of the two was
 * disturbed: both get twice the rounds and the time, once. */
static void decide(struct rounds *rounds, struct runner *runner, enum series series)
{
    struct series_state *state = &runner->series[series];
    double values[ROUNDS_MAX];
    const unsigned count = values_of(rounds, runner, series, values);
    const struct estimate estimate = stats_estimate(values, count);
    double by_baseline = count >= ESTIMATE_GROUPS_MIN ? state->baseline_spent : 0;
    /* Of the longer side; without a baseline the other part is NAN. */
    double round_seconds = fmax(state->last, state->baseline_spent / state->baseline_slices);
    struct rule rule = rounds->context->terms->rule;
    rule.rounds = sampler_least_rounds(&rule, round_seconds);
    rule.budget = fmin(rule.budget, plan_cell_budget(rounds->context->options, runner->cell));
    if (state->is_again) {
        rule.rounds *= 2;
        rule.budget *= 2;
    }
    enum stop why = sampler_decide(&rule, values, count, fmax(state->spent, by_baseline), state->last);
    show(rounds, runner, series, &estimate);
    if (why == STOP_NOT_YET)
        return;
    const struct cell_record *cell = recorded(rounds, runner);
    if (series != SERIES_COPIED || state->is_again || !cell ||
        !record_total_is_below_part(rounds->context->run_log.record, cell)) {
        rounds_stop(rounds, runner, series, why);
        return;
    }
    struct series_state *resident = &runner->series[SERIES_RESIDENT];
    state->is_again = resident->is_again = true;
    resident->active = resident->spent > 0;
}

/* --- the order of slices --- */

/* Whether a slice of another series has this one in it. */
static bool is_part(const struct runner *runner, enum series series)
{
    return series == SERIES_RESIDENT && runner->is_phased && runner->series[SERIES_COPIED].active;
}

/* A device's part of a round: a slice of each active series. */
static void take_device(struct rounds *rounds, struct runner *runner)
{
    const struct context *context = rounds->context;
    for (enum series series = 0; series < SERIES_COUNT && !context->interrupted; series++) {
        if (!runner->series[series].active || is_part(runner, series))
            continue;
        take_slice(rounds, runner, series);
        if (runner->series[series].active && !context->interrupted)
            decide(rounds, runner, series);
        if (series == SERIES_COPIED && runner->is_phased && !runner->series[series].active)
            rounds_stop(rounds, runner, SERIES_RESIDENT, STOP_BUDGET);
    }
}

/* The series of a baseline that is measured beside a series of another; SERIES_COUNT: it is compared with another
 * baseline. */
static enum series series_beside(const struct rounds *rounds, const struct runner *baseline, enum series series)
{
    if (rounds->baseline[series == SERIES_COPIED ? USE_COPIED : USE_RESIDENT] != baseline)
        return SERIES_COUNT;
    /* A block whose baseline is measured has a resident series: that is the baseline's headline. */
    const enum series with = pairing_baseline_series(series, baseline->series[series].active, SERIES_RESIDENT);
    return is_part(baseline, with) ? SERIES_COPIED : with;
}

/* Takes a slice of each series of a baseline that the previous or the next device is compared with, so that each device
 * has one on both sides. `next` is NULL after the last round. The series of the next device, or of the previous one if
 * there is none, are charged with the time. */
static void take_one_baseline(struct rounds *rounds, struct runner *baseline, struct runner *next)
{
    const unsigned compared = rounds->compared | (next ? active_series(next) : 0);
    struct runner *charged = next ? next : rounds->latest;
    for (enum series taken = 0; taken < SERIES_COUNT; taken++) {
        unsigned beside = 0;
        for (enum series series = 0; series < SERIES_COUNT; series++)
            beside |= (unsigned)(series_beside(rounds, baseline, series) == taken) << series;
        if (!(beside & compared) || !baseline->series[taken].active || rounds->context->interrupted)
            continue;
        take_slice(rounds, baseline, taken);
        for (enum series series = 0; charged && series < SERIES_COUNT; series++) {
            if (!(beside & 1u << series))
                continue;
            charged->series[series].baseline_spent += baseline->series[taken].last;
            charged->series[series].baseline_slices++;
        }
    }
}

/* The baselines' part of a round. */
static void take_baseline(struct rounds *rounds, struct runner *next)
{
    struct runner *resident = rounds->baseline[USE_RESIDENT], *copied = rounds->baseline[USE_COPIED];
    if (resident)
        take_one_baseline(rounds, resident, next);
    if (copied && copied != resident)
        take_one_baseline(rounds, copied, next);
    rounds->latest = next;
    rounds->compared = next ? active_series(next) : 0;
}

/* One round: baseline, A, baseline, B, ... Returns whether any series was active. If the baseline is alone, the round
 * is its own; otherwise it is measured as long as another cell needs it. */
static bool take_round(struct rounds *rounds, bool baseline_alone)
{
    const struct context *context = rounds->context;
    bool any = false;
    for (unsigned i = 0; i < rounds->runners && !context->interrupted; i++) {
        struct runner *runner = rounds->runner[i];
        if (!active_series(runner) || (rounds_is_baseline(rounds, runner) && !baseline_alone))
            continue;
        any = true;
        if (!baseline_alone)
            take_baseline(rounds, runner);
        take_device(rounds, runner);
    }
    return any && !context->interrupted;
}

/* Whether only the baseline is left to measure: from the beginning, or because every other cell failed. */
static bool baseline_is_alone(const struct rounds *rounds)
{
    for (unsigned i = 0; i < rounds->runners; i++)
        if (!rounds_is_baseline(rounds, rounds->runner[i]) && rounds->runner[i]->client)
            return false;
    return true;
}

void rounds_leave(struct rounds *rounds, struct runner *runner)
{
    stop_all(rounds, runner, rounds->context->interrupted ? STOP_INTERRUPTED : STOP_WITH_OTHERS);
}

void rounds_run(struct rounds *rounds)
{
    const bool alone = baseline_is_alone(rounds);
    while (take_round(rounds, baseline_is_alone(rounds)))
        continue;
    if (!alone)
        take_baseline(rounds, NULL);
}
