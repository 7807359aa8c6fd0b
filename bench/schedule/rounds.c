#include "bench/schedule/rounds.h"

#include "harness/analysis/figures.h"
#include "harness/analysis/pairing.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>

enum { ROUNDS_MAX = 4096 };

/* Once there are rounds enough for an interval, the baseline may spend this many budgets for one series. Otherwise a
 * slow baseline, and not the series, would decide how long a row takes. */
static const double baseline_budgets = 3;

/* The series that are still measured, as bits 1 << series. */
static unsigned active_series(const struct cell_run *cell_run)
{
    unsigned active = 0;
    for (enum series series = 0; series < SERIES_COUNT; series++)
        active |= (unsigned)cell_run->series[series].active << series;
    return active;
}

void rounds_stop(struct rounds *rounds, struct cell_run *cell_run, enum series series, enum stop why)
{
    if (!cell_run->series[series].active)
        return;
    cell_run->series[series].active = false;
    run_log_write(&rounds->context->run_log,
                  json_pack("{s:s, s:s, s:s, s:s}", "line", "stop", "cell", cell_run->cell->key, "series",
                            series_name(series), "reason", stop_name(why)));
}

static void stop_all(struct rounds *rounds, struct cell_run *cell_run, enum stop why)
{
    for (enum series series = 0; series < SERIES_COUNT; series++)
        rounds_stop(rounds, cell_run, series, why);
}

/* The cell that a series is compared with; NULL: none. */
static struct cell_run *baseline_for(const struct rounds *rounds, enum series series)
{
    return series == SERIES_OFFLOAD && rounds->baseline_offload ? rounds->baseline_offload : rounds->baseline;
}

bool rounds_has_baseline(const struct rounds *rounds, const struct cell_run *cell_run)
{
    return cell_run == rounds->baseline || cell_run == rounds->baseline_offload;
}

/* After a failed slice. The baseline gets a second worker, since without it all comparisons are lost: returns true, and
 * the slice may be taken again. Any other cell ends: its samples stay in the journal, its outcome has the reason. */
static bool recover(struct rounds *rounds, struct cell_run *cell_run, const struct error *why)
{
    struct context *context = rounds->context;
    if (why->status == STATUS_ABANDONED) {
        context->interrupted = true;
        return false;
    }
    if (rounds_has_baseline(rounds, cell_run) && cell_run_reopen(cell_run, context, why))
        return true;
    cell_run->outcome = cell_run->outcome.status != STATUS_OK ? cell_run->outcome : *why;
    stop_all(rounds, cell_run, context->interrupted ? STOP_INTERRUPTED : STOP_FAILED);
    client_end(cell_run->client, NULL);
    cell_run->client = NULL;
    return false;
}

/* The cell in the record; NULL if memory was short for it. */
static const struct cell_record *recorded(const struct rounds *rounds, const struct cell_run *cell_run)
{
    return record_cell(rounds->context->run_log.record, cell_run->cell->key);
}

static unsigned usable_samples(const struct rounds *rounds, const struct cell_run *cell_run, enum series series)
{
    const struct cell_record *cell = recorded(rounds, cell_run);
    return cell ? cell->track[series].wall.count : 0;
}

/* The reply came in time by the parent's clock. Its own figure may still exceed the deadline: on a scripted device, or
 * if the clock was stepped for both, as when a virtual machine was suspended. */
static bool kept_deadline(const struct rounds *rounds, double elapsed, double expected, struct error *why)
{
    char took[TEXT_NUMBER], most[TEXT_NUMBER];
    double deadline = client_deadline(rounds->context->setup.timeout, expected);
    return elapsed <= deadline || fail_in(why, "clock", STATUS_TIMEOUT, "a slice took %s by the clock, and may take %s",
                                          text_seconds(took, elapsed), text_seconds(most, deadline));
}

static bool was_timed(const struct rounds *rounds, const struct cell_run *cell_run, enum series series,
                      unsigned samples_before, struct error *why)
{
    if (!recorded(rounds, cell_run))
        return fail_in(why, "record", STATUS_NO_MEMORY, "no memory for its samples");
    if (cell_run->series[series].last > 0 && usable_samples(rounds, cell_run, series) > samples_before)
        return true;
    return fail_in(why, "clock", STATUS_IMPOSSIBLE, "its runs took no time by the clock");
}

/* A slice, and the check of it that is due. If its worker dies in the check its times are dropped with it: nobody knows
 * what they are of. `err` has the failure of a check also where there is a reply. */
static json_t *ask_slice(struct cell_run *cell_run, enum series series, double length, double whole, double expected,
                         struct error *err)
{
    json_t *request =
        json_pack("{s:s, s:s, s:o}", "do", "slice", "series", series_name(series), "ns", journal_ns(length));
    json_t *reply = client_ask(cell_run->client, request, expected, err);
    if (reply && cell_run->series[series].spent + client_seconds(reply, "elapsed_ns") >= whole)
        json_object_set_new(reply, "check_due", json_true());
    if (!reply || cell_run_check(cell_run, series, reply, err) || !status_is_death(err->status))
        return reply;
    json_decref(reply);
    return NULL;
}

void rounds_slice(struct rounds *rounds, struct cell_run *cell_run, enum series series, double length, double whole)
{
    struct context *context = rounds->context;
    struct series_state *state = &cell_run->series[series];
    unsigned samples = usable_samples(rounds, cell_run, series);
    struct error err;
    double asked, expected;
    json_t *reply;
    do {
        err = (struct error){ .status = STATUS_OK };
        asked = clock_wall();
        expected = length + 4 * state->run;
        reply = ask_slice(cell_run, series, length, whole, expected, &err);
        if (!reply && !(recover(rounds, cell_run, &err) && state->active))
            return;
    } while (!reply); /* the next device needs this slice of the baseline */
    state->last = journal_seconds(json_object_get(reply, "elapsed_ns"));
    state->spent += state->last;
    context->progress.done += state->last;
    json_object_del(reply, "ok");
    json_object_set_new(reply, "line", json_string("slice"));
    json_object_set_new(reply, "cell", json_string(cell_run->cell->key));
    json_object_set_new(reply, "number", json_integer(rounds->slice_number++));
    json_object_set_new(reply, "at_ns", journal_ns(asked - context->run_log.started));
    run_log_write(&context->run_log, reply);
    if (err.status != STATUS_OK || !was_timed(rounds, cell_run, series, samples, &err) ||
        !kept_deadline(rounds, state->last, expected, &err))
        recover(rounds, cell_run, &err);
}

static void take_slice(struct rounds *rounds, struct cell_run *cell_run, enum series series)
{
    rounds_slice(rounds, cell_run, series, sampler_slice(&rounds->context->terms->rule, cell_run->series[series].run),
                 INFINITY);
}

/* The values that the stop rule decides by: ratios to the baseline, or the series' own times if it has none. */
static unsigned values_of(const struct rounds *rounds, const struct cell_run *cell_run, enum series series,
                          double values[ROUNDS_MAX])
{
    const struct cell_record *cell = recorded(rounds, cell_run);
    unsigned count = cell ? record_ratios(rounds->context->run_log.record, cell, series, values, ROUNDS_MAX) : 0;
    if (!cell || count > 0)
        return count;
    const struct track *track = &cell->track[series];
    for (; count < track->slices && count < ROUNDS_MAX; count++)
        values[count] = track->slice[count].median;
    return count;
}

static void show(struct rounds *rounds, const struct cell_run *cell_run, enum series series,
                 const struct estimate *estimate)
{
    char width[32] = "", pass[32] = "";
    double half = estimate_half_width(estimate);
    if (!isnan(half))
        snprintf(width, sizeof width, "  +-%.1f %%", 100 * half);
    if (rounds->pass > 0)
        snprintf(pass, sizeof pass, "  pass %u", rounds->pass);
    progress_step(&rounds->context->progress, false, cell_run->cell, "%s%s%s", series_title(series), pass, width);
}

/* Stops the series if the stop rule says so. */
static void decide(struct rounds *rounds, struct cell_run *cell_run, enum series series)
{
    struct context *context = rounds->context;
    struct series_state *state = &cell_run->series[series];
    double values[ROUNDS_MAX];
    unsigned count = values_of(rounds, cell_run, series, values);
    double by_baseline = count >= ESTIMATE_BLOCKS_MIN ? state->baseline / baseline_budgets : 0;
    double spent = fmax(state->spent, by_baseline);
    double last = fmax(state->last, state->baseline / state->of_baseline); /* of the longer side; without one NAN */
    struct rule rule = context->terms->rule;
    rule.rounds = sampler_least_rounds(&rule, last);
    enum stop why = sampler_decide(&rule, values, count, spent, state->last);
    struct estimate estimate = stats_estimate(values, count);
    show(rounds, cell_run, series, &estimate);
    if (why == STOP_NOT_YET)
        return;
    context->progress.done += fmax(0, context->terms->rule.budget - state->spent);
    rounds_stop(rounds, cell_run, series, why);
}

/* A device's part of a round: a slice of each active series. */
static void take_device(struct rounds *rounds, struct cell_run *cell_run)
{
    const struct context *context = rounds->context;
    for (enum series series = 0; series < SERIES_COUNT && !context->interrupted; series++) {
        if (!cell_run->series[series].active)
            continue;
        take_slice(rounds, cell_run, series);
        if (cell_run->series[series].active && !context->interrupted)
            decide(rounds, cell_run, series);
    }
}

/* A block whose baseline is measured has a resident series: that is the baseline's headline. */
static enum series baseline_series(const struct cell_run *baseline, enum series series)
{
    return pairing_baseline_series(series, baseline->series[series].active, SERIES_RESIDENT);
}

/* Whether any of the series in `compared` is compared with this series of this baseline. */
static bool serves(const struct rounds *rounds, const struct cell_run *baseline, enum series of_baseline,
                   unsigned compared)
{
    for (enum series series = 0; series < SERIES_COUNT; series++)
        if (compared & 1u << series && baseline_for(rounds, series) == baseline &&
            baseline_series(baseline, series) == of_baseline)
            return true;
    return false;
}

/* Takes a slice of each series of a baseline that the previous or the next device is compared with, so that each device
 * has one on both sides. `next` is NULL after the last round. The series of the next device, or of the previous one if
 * there is none, are charged with the time. */
static void take_one_baseline(struct rounds *rounds, struct cell_run *baseline, struct cell_run *next)
{
    struct cell_run *charged = next ? next : rounds->latest;
    unsigned compared = rounds->compared | (next ? active_series(next) : 0);
    for (enum series series = 0; series < SERIES_COUNT; series++) {
        bool is_wanted =
            serves(rounds, baseline, series, compared) && baseline->client && baseline->series[series].active;
        if (!is_wanted || rounds->context->interrupted)
            continue;
        take_slice(rounds, baseline, series);
        for (enum series each = 0; charged && each < SERIES_COUNT; each++) {
            if (!serves(rounds, baseline, series, 1u << each))
                continue;
            charged->series[each].baseline += baseline->series[series].last;
            charged->series[each].of_baseline++;
        }
    }
}

/* The baselines' part of a round. */
static void take_baseline(struct rounds *rounds, struct cell_run *next)
{
    if (rounds->baseline)
        take_one_baseline(rounds, rounds->baseline, next);
    if (rounds->baseline_offload && rounds->baseline_offload != rounds->baseline)
        take_one_baseline(rounds, rounds->baseline_offload, next);
    rounds->latest = next;
    rounds->compared = next ? active_series(next) : 0;
}

/* One round: baseline, A, baseline, B, ... Returns whether any series was active. If the baseline is alone, the round
 * is its own; otherwise it is measured as long as another cell needs it. */
static bool take_round(struct rounds *rounds, bool baseline_alone)
{
    const struct context *context = rounds->context;
    bool any = false;
    for (unsigned i = 0; i < rounds->group.count && !context->interrupted; i++) {
        struct cell_run *cell_run = &rounds->group.cell_run[i];
        if (!active_series(cell_run) || (rounds_has_baseline(rounds, cell_run) && !baseline_alone))
            continue;
        any = true;
        if (!baseline_alone)
            take_baseline(rounds, cell_run);
        take_device(rounds, cell_run);
    }
    return any && !context->interrupted;
}

/* Whether only the baseline is left to measure: from the beginning, or because every other cell failed. */
static bool baseline_is_alone(const struct rounds *rounds)
{
    for (unsigned i = 0; i < rounds->group.count; i++)
        if (!rounds_has_baseline(rounds, &rounds->group.cell_run[i]) && rounds->group.cell_run[i].client)
            return false;
    return true;
}

void rounds_leave(struct rounds *rounds, struct cell_run *cell_run)
{
    stop_all(rounds, cell_run, rounds->context->interrupted ? STOP_INTERRUPTED : STOP_WITH_OTHERS);
}

/* Takes so many rounds at most, and the baseline once more. False if the rounds are over. */
static bool take_rounds(struct rounds *rounds, unsigned most)
{
    bool goes_on = true;
    for (unsigned taken = 0; goes_on && taken < most; taken++)
        goes_on =
            !(rounds->keeps_baseline && baseline_is_alone(rounds)) && take_round(rounds, baseline_is_alone(rounds));
    if (!baseline_is_alone(rounds))
        take_baseline(rounds, NULL);
    return goes_on;
}

bool rounds_pass(struct rounds *rounds)
{
    rounds->pass++;
    return take_rounds(rounds, PASS_ROUNDS);
}

void rounds_run(struct rounds *rounds)
{
    while (take_rounds(rounds, ROUNDS_MAX))
        continue;
    for (struct cell_run *one = rounds->group.cell_run; one < rounds->group.cell_run + rounds->group.count; one++)
        if (!rounds->keeps_baseline || !rounds_has_baseline(rounds, one))
            rounds_leave(rounds, one);
}
