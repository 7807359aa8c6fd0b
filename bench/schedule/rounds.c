#include "bench/schedule/rounds.h"

#include "bench/schedule/cell_run.h"
#include "harness/analysis/figures.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS_MAX = 4096 };

/* How many budgets the baseline may spend beside one series, once there are rounds enough for an interval: where it is
 * much the slower, its runs and not the series' own would otherwise decide how long a row takes. */
static const double budgets_beside = 3;

static bool is_active(const struct cell_run *cell_run)
{
    for (enum series series = 0; series < SERIES_COUNT; series++)
        if (cell_run->series[series].active)
            return true;
    return false;
}

void rounds_stop(struct rounds *rounds, struct cell_run *cell_run, enum series series, enum stop why)
{
    if (!cell_run->series[series].active)
        return;
    cell_run->series[series].active = false;
    run_log_write(&rounds->group.context->run_log,
                  json_pack("{s:s, s:s, s:s, s:s}", "line", "stop", "cell", cell_run->cell->key, "series",
                            series_name(series), "reason", stop_name(why)));
}

static void stop_all(struct rounds *rounds, struct cell_run *cell_run, enum stop why)
{
    for (enum series series = 0; series < SERIES_COUNT; series++)
        rounds_stop(rounds, cell_run, series, why);
}

/* A slice that failed ends its contender: what it measured before stays in the journal, its outcome says why. True if a
 * fresh worker stands ready instead: without the baseline all comparisons are lost, so it gets a second chance. */
static bool give_up(struct rounds *rounds, struct cell_run *cell_run, const struct error *why)
{
    if (why->status == STATUS_ABANDONED) {
        rounds->group.context->interrupted = true;
        return false;
    }
    if (cell_run == rounds->baseline && cell_run_reopen(cell_run, &rounds->group, why))
        return true;
    cell_run->outcome = cell_run->outcome.status != STATUS_OK ? cell_run->outcome : *why;
    stop_all(rounds, cell_run, rounds->group.context->interrupted ? STOP_INTERRUPTED : STOP_FAILED);
    client_end(cell_run->client);
    cell_run->client = NULL;
    return false;
}

static unsigned usable_samples(const struct rounds *rounds, const struct cell_run *cell_run, enum series series)
{
    return record_cell(rounds->group.context->run_log.record, cell_run->cell->key)->track[series].wall.count;
}

/* Where time is scripted, or our clock leapt along with the worker's, as when a guest was put to sleep, a slice may
 * have taken longer than its request may. */
static bool kept_deadline(const struct rounds *rounds, double elapsed, double expected, struct error *why)
{
    char told[TEXT_NUMBER], most[TEXT_NUMBER];
    double deadline = fmax(rounds->group.context->setup.timeout, 10 * expected);
    return elapsed <= deadline || fail_in(why, "clock", STATUS_TIMEOUT, "a slice took %s by the clock, and may take %s",
                                          text_seconds(told, elapsed), text_seconds(most, deadline));
}

/* Work that takes no time at all, or less, contradicts physics, whatever the answer was. */
static bool work_took_time(const struct rounds *rounds, const struct cell_run *cell_run, enum series series,
                           unsigned before, struct error *why)
{
    if (cell_run->series[series].last > 0 && usable_samples(rounds, cell_run, series) > before)
        return true;
    return fail_in(why, "clock", STATUS_IMPOSSIBLE, "its runs took no time by the clock");
}

void rounds_slice(struct rounds *rounds, struct cell_run *cell_run, enum series series, double length)
{
    struct series_state *state = &cell_run->series[series];
    unsigned samples = usable_samples(rounds, cell_run, series);
    struct error err = { .status = STATUS_OK };
    double asked = clock_wall(), expected = length + 4 * state->run;
    json_t *request =
        json_pack("{s:s, s:s, s:o}", "do", "slice", "series", series_name(series), "ns", journal_ns(length));
    json_t *reply = client_ask(cell_run->client, request, expected, &err);
    if (!reply) {
        if (give_up(rounds, cell_run, &err) && state->active)
            rounds_slice(rounds, cell_run, series, length); /* so that what comes next has a baseline beside it */
        return;
    }
    state->last = journal_seconds(json_object_get(reply, "elapsed_ns"));
    state->spent += state->last;
    rounds->group.context->progress.done += state->last;
    json_object_del(reply, "ok");
    json_object_set_new(reply, "line", json_string("slice"));
    json_object_set_new(reply, "cell", json_string(cell_run->cell->key));
    json_object_set_new(reply, "number", json_integer(rounds->slice_number++));
    json_object_set_new(reply, "at_ns", journal_ns(asked - rounds->group.context->run_log.started));
    run_log_write(&rounds->group.context->run_log, reply);
    if (!work_took_time(rounds, cell_run, series, samples, &err) || !kept_deadline(rounds, state->last, expected, &err))
        give_up(rounds, cell_run, &err);
}

static void take_slice(struct rounds *rounds, struct cell_run *cell_run, enum series series)
{
    rounds_slice(rounds, cell_run, series, sampler_slice(&rounds->group.context->rule, cell_run->series[series].run));
}

/* What the stop rule looks at: ratios to the baseline, or the series' own times where there is none. */
static unsigned values_of(const struct rounds *rounds, const struct cell_run *cell_run, enum series series,
                          double values[ROUNDS_MAX])
{
    const struct cell_record *cell = record_cell(rounds->group.context->run_log.record, cell_run->cell->key);
    unsigned count = record_ratios(rounds->group.context->run_log.record, cell, series, values, ROUNDS_MAX);
    if (count > 0)
        return count;
    const struct track *track = &cell->track[series];
    for (; count < track->slices && count < ROUNDS_MAX; count++)
        values[count] = track->slice[count].median;
    return count;
}

static void show(struct rounds *rounds, const struct cell_run *cell_run, enum series series,
                 const struct estimate *estimate)
{
    char label[CELL_TEXT], doing[CELL_TEXT], sure[32] = "";
    double half = estimate_half_width(estimate);
    if (!isnan(half))
        snprintf(sure, sizeof sure, "  +-%.1f %%", 100 * half);
    snprintf(doing, sizeof doing, "%s  %s%s", cell_run->cell->device->id, series_name(series), sure);
    progress_show(&rounds->group.context->progress, cell_label(cell_run->cell, label), doing);
}

static void decide(struct rounds *rounds, struct cell_run *cell_run, enum series series)
{
    struct series_state *state = &cell_run->series[series];
    double *values = malloc(ROUNDS_MAX * sizeof *values);
    unsigned count = values ? values_of(rounds, cell_run, series, values) : 0;
    double beside = count >= ESTIMATE_BLOCKS_MIN ? state->baseline / budgets_beside : 0;
    double spent = fmax(state->spent, beside);
    enum stop why =
        values ? sampler_decide(&rounds->group.context->rule, values, count, spent, state->last) : STOP_BUDGET;
    struct estimate estimate = stats_estimate(values, count);
    show(rounds, cell_run, series, &estimate);
    free(values);
    if (why == STOP_NOT_YET)
        return;
    rounds->group.context->progress.done += fmax(0, rounds->group.context->rule.budget - state->spent);
    rounds_stop(rounds, cell_run, series, why);
}

/* A contender's slice_number in a round: a slice of each series that is still open. */
static void take_turn(struct rounds *rounds, struct cell_run *cell_run)
{
    for (enum series series = 0; series < SERIES_COUNT && !rounds->group.context->interrupted; series++) {
        if (!cell_run->series[series].active)
            continue;
        take_slice(rounds, cell_run, series);
        if (cell_run->series[series].active && !rounds->group.context->interrupted)
            decide(rounds, cell_run, series);
    }
}

/* The contender's series that stands for one of it where it moves nothing (record_is_in_place), and the baseline's that
 * it is compared with: the same, or the resident one where the baseline has no such (record_ratios). */
static enum series own_series(const struct cell_run *cell_run, enum series series)
{
    return series == SERIES_OFFLOAD && !cell_run->offloads ? SERIES_RESIDENT : series;
}

static enum series series_beside(const struct cell_run *baseline, enum series series)
{
    return baseline->series[series].active ? series : SERIES_RESIDENT;
}

/* The baseline's series that a contender is compared with as long as its own go on, as bits 1 << series. */
static unsigned series_wanted(const struct cell_run *baseline, const struct cell_run *cell_run)
{
    unsigned beside = 0;
    for (enum series series = 0; series < SERIES_COUNT; series++)
        if (cell_run->series[own_series(cell_run, series)].active)
            beside |= 1u << series_beside(baseline, series);
    return beside;
}

/* What the baseline has just spent on one of its series is put down to what is compared with it. */
static void charge(struct cell_run *cell_run, const struct cell_run *baseline, enum series spent)
{
    for (enum series series = 0; series < SERIES_COUNT; series++)
        if (series_beside(baseline, series) == spent && own_series(cell_run, series) == series)
            cell_run->series[series].baseline += baseline->series[spent].last;
}

/* The baseline's part of a round: a slice of each of its series that the slice_number before, or the one that comes
 * now, is compared with, so that both have one on either side. NULL: nobody's slice_number comes any more. */
static void take_baseline(struct rounds *rounds, struct cell_run *next)
{
    struct cell_run *baseline = rounds->baseline;
    if (!baseline)
        return;
    unsigned beside = next ? series_wanted(baseline, next) : 0, wanted = rounds->series_of_baseline | beside;
    rounds->series_of_baseline = beside;
    for (enum series series = 0; series < SERIES_COUNT; series++) {
        if (!(wanted & 1u << series) || !baseline->client || !baseline->series[series].active ||
            rounds->group.context->interrupted)
            continue;
        take_slice(rounds, baseline, series);
        if (next)
            charge(next, baseline, series);
    }
}

/* One round: baseline, A, baseline, B, ... Returns whether anybody was still in. The baseline by itself is its own
 * contender; beside others it goes on as long as they need it. */
static bool round_of_all(struct rounds *rounds, bool baseline_alone)
{
    bool any = false;
    for (unsigned i = 0; i < rounds->group.count && !rounds->group.context->interrupted; i++) {
        struct cell_run *cell_run = &rounds->group.cell_run[i];
        if (!is_active(cell_run) || (cell_run == rounds->baseline && !baseline_alone))
            continue;
        any = true;
        if (!baseline_alone)
            take_baseline(rounds, cell_run);
        take_turn(rounds, cell_run);
    }
    return any && !rounds->group.context->interrupted;
}

/* Whether the baseline is all there is to measure: from the beginning, or because every other has failed. */
static bool baseline_is_alone(const struct rounds *rounds)
{
    for (unsigned i = 0; i < rounds->group.count; i++)
        if (&rounds->group.cell_run[i] != rounds->baseline && rounds->group.cell_run[i].client)
            return false;
    return true;
}

void rounds_run(struct rounds *rounds)
{
    while (round_of_all(rounds, baseline_is_alone(rounds)))
        continue;
    if (!baseline_is_alone(rounds))
        take_baseline(rounds, NULL);
    for (unsigned i = 0; i < rounds->group.count; i++)
        stop_all(rounds, &rounds->group.cell_run[i],
                 rounds->group.context->interrupted ? STOP_INTERRUPTED : STOP_WITH_OTHERS);
}
