#include "bench/schedule/rounds.h"

#include "bench/schedule/cell_run.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS_MAX = 4096 };

/* How many budgets the baseline may spend beside one series, once there are rounds enough for an interval: where it is
 * much the slower, its runs and not the series' own would otherwise decide how long a row takes. */
static const double budgets_beside = 3;

static bool is_active(const struct contender *contender)
{
    for (enum series series = 0; series < SERIES_COUNT; series++)
        if (contender->course[series].active)
            return true;
    return false;
}

void rounds_stop(struct rounds *rounds, struct contender *contender, enum series series, enum stop why)
{
    if (!contender->course[series].active)
        return;
    contender->course[series].active = false;
    ledger_write(rounds->ledger, json_pack("{s:s, s:s, s:s, s:s}", "line", "stop", "cell", contender->cell->key,
                                           "series", series_name(series), "reason", stop_name(why)));
}

static void stop_all(struct rounds *rounds, struct contender *contender, enum stop why)
{
    for (enum series series = 0; series < SERIES_COUNT; series++)
        rounds_stop(rounds, contender, series, why);
}

/* A slice that failed ends its contender: what it measured before stays in the journal, its outcome says why. True if a
 * fresh worker stands ready instead: without the baseline all comparisons are lost, so it gets a second chance. */
static bool give_up(struct rounds *rounds, struct contender *contender, const struct error *why)
{
    if (why->status == STATUS_ABANDONED) {
        rounds->interrupted = true;
        return false;
    }
    if (contender == rounds->baseline && contender_reopen(contender, rounds, why))
        return true;
    contender->outcome = contender->outcome.status != STATUS_OK ? contender->outcome : *why;
    stop_all(rounds, contender, rounds->interrupted ? STOP_INTERRUPTED : STOP_FAILED);
    remote_end(contender->remote);
    contender->remote = NULL;
    return false;
}

static unsigned usable_samples(const struct rounds *rounds, const struct contender *contender, enum series series)
{
    return record_cell(rounds->ledger->record, contender->cell->key)->track[series].wall.count;
}

/* Where time is scripted, or our clock leapt along with the worker's, as when a guest was put to sleep, a slice may
 * have taken longer than its request may. */
static bool kept_deadline(const struct rounds *rounds, double elapsed, double expected, struct error *why)
{
    char told[TEXT_NUMBER], most[TEXT_NUMBER];
    double deadline = fmax(rounds->setup->patience, 10 * expected);
    return elapsed <= deadline || fail_in(why, "clock", STATUS_TIMEOUT, "a slice took %s by the clock, and may take %s",
                                          text_seconds(told, elapsed), text_seconds(most, deadline));
}

/* Work that takes no time at all, or less, contradicts physics, whatever the answer was. */
static bool work_took_time(const struct rounds *rounds, const struct contender *contender, enum series series,
                           unsigned before, struct error *why)
{
    if (contender->course[series].last > 0 && usable_samples(rounds, contender, series) > before)
        return true;
    return fail_in(why, "clock", STATUS_IMPOSSIBLE, "its runs took no time by the clock");
}

void rounds_slice(struct rounds *rounds, struct contender *contender, enum series series, double length)
{
    struct course *course = &contender->course[series];
    unsigned samples = usable_samples(rounds, contender, series);
    struct error err = { .status = STATUS_OK };
    double asked = clock_wall(), expected = length + 4 * course->run;
    json_t *request =
        json_pack("{s:s, s:s, s:o}", "do", "slice", "series", series_name(series), "ns", journal_ns(length));
    json_t *reply = remote_ask(contender->remote, request, expected, &err);
    if (!reply) {
        if (give_up(rounds, contender, &err) && course->active)
            rounds_slice(rounds, contender, series, length); /* so that what comes next has a baseline beside it */
        return;
    }
    course->last = journal_seconds(json_object_get(reply, "elapsed_ns"));
    course->spent += course->last;
    rounds->progress->done += course->last;
    json_object_del(reply, "ok");
    json_object_set_new(reply, "line", json_string("slice"));
    json_object_set_new(reply, "cell", json_string(contender->cell->key));
    json_object_set_new(reply, "turn", json_integer(rounds->turn++));
    json_object_set_new(reply, "at_ns", journal_ns(asked - rounds->ledger->started));
    ledger_write(rounds->ledger, reply);
    if (!work_took_time(rounds, contender, series, samples, &err) ||
        !kept_deadline(rounds, course->last, expected, &err))
        give_up(rounds, contender, &err);
}

static void take_slice(struct rounds *rounds, struct contender *contender, enum series series)
{
    rounds_slice(rounds, contender, series, sampler_slice(&rounds->rule, contender->course[series].run));
}

/* What the stop rule looks at: ratios to the baseline, or the series' own times where there is none. */
static unsigned values_of(const struct rounds *rounds, const struct contender *contender, enum series series,
                          double values[ROUNDS_MAX])
{
    const struct cell_record *cell = record_cell(rounds->ledger->record, contender->cell->key);
    unsigned count = record_ratios(rounds->ledger->record, cell, series, values, ROUNDS_MAX);
    if (count > 0)
        return count;
    const struct track *track = &cell->track[series];
    for (; count < track->slices && count < ROUNDS_MAX; count++)
        values[count] = track->slice[count].median;
    return count;
}

static void show(struct rounds *rounds, const struct contender *contender, enum series series,
                 const struct estimate *estimate)
{
    char label[CELL_TEXT], doing[CELL_TEXT], sure[32] = "";
    double half = estimate_half_width(estimate);
    if (!isnan(half))
        snprintf(sure, sizeof sure, "  +-%.1f %%", 100 * half);
    snprintf(doing, sizeof doing, "%s  %s%s", contender->cell->device->id, series_name(series), sure);
    progress_show(rounds->progress, cell_label(contender->cell, label), doing);
}

static void decide(struct rounds *rounds, struct contender *contender, enum series series)
{
    struct course *course = &contender->course[series];
    double *values = malloc(ROUNDS_MAX * sizeof *values);
    unsigned count = values ? values_of(rounds, contender, series, values) : 0;
    double beside = count >= ESTIMATE_BLOCKS_MIN ? course->beside / budgets_beside : 0;
    double spent = fmax(course->spent, beside);
    enum stop why = values ? sampler_decide(&rounds->rule, values, count, spent, course->last) : STOP_BUDGET;
    struct estimate estimate = stats_estimate(values, count);
    show(rounds, contender, series, &estimate);
    free(values);
    if (why == STOP_NOT_YET)
        return;
    rounds->progress->done += fmax(0, rounds->rule.budget - course->spent);
    rounds_stop(rounds, contender, series, why);
}

/* A contender's turn in a round: a slice of each series that is still open. */
static void take_turn(struct rounds *rounds, struct contender *contender)
{
    for (enum series series = 0; series < SERIES_COUNT && !rounds->interrupted; series++) {
        if (!contender->course[series].active)
            continue;
        take_slice(rounds, contender, series);
        if (contender->course[series].active && !rounds->interrupted)
            decide(rounds, contender, series);
    }
}

/* The contender's series that stands for one of it where it moves nothing (record_is_in_place), and the baseline's that
 * it is compared with: the same, or the resident one where the baseline has no such (record_ratios). */
static enum series own_series(const struct contender *contender, enum series series)
{
    return series == SERIES_OFFLOAD && !contender->offloads ? SERIES_RESIDENT : series;
}

static enum series series_beside(const struct contender *baseline, enum series series)
{
    return baseline->course[series].active ? series : SERIES_RESIDENT;
}

/* The baseline's series that a contender is compared with as long as its own go on, as bits 1 << series. */
static unsigned series_wanted(const struct contender *baseline, const struct contender *contender)
{
    unsigned beside = 0;
    for (enum series series = 0; series < SERIES_COUNT; series++)
        if (contender->course[own_series(contender, series)].active)
            beside |= 1u << series_beside(baseline, series);
    return beside;
}

/* What the baseline has just spent on one of its series is put down to what is compared with it. */
static void charge(struct contender *contender, const struct contender *baseline, enum series spent)
{
    for (enum series series = 0; series < SERIES_COUNT; series++)
        if (series_beside(baseline, series) == spent && own_series(contender, series) == series)
            contender->course[series].beside += baseline->course[spent].last;
}

/* The baseline's part of a round: a slice of each of its series that the turn before, or the one that comes now, is
 * compared with, so that both have one on either side. NULL: nobody's turn comes any more. */
static void take_baseline(struct rounds *rounds, struct contender *next)
{
    struct contender *baseline = rounds->baseline;
    if (!baseline)
        return;
    unsigned beside = next ? series_wanted(baseline, next) : 0, wanted = rounds->beside | beside;
    rounds->beside = beside;
    for (enum series series = 0; series < SERIES_COUNT; series++) {
        if (!(wanted & 1u << series) || !baseline->remote || !baseline->course[series].active || rounds->interrupted)
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
    for (unsigned i = 0; i < rounds->contenders && !rounds->interrupted; i++) {
        struct contender *contender = &rounds->contender[i];
        if (!is_active(contender) || (contender == rounds->baseline && !baseline_alone))
            continue;
        any = true;
        if (!baseline_alone)
            take_baseline(rounds, contender);
        take_turn(rounds, contender);
    }
    return any && !rounds->interrupted;
}

/* Whether the baseline is all there is to measure: from the beginning, or because every other has failed. */
static bool baseline_is_alone(const struct rounds *rounds)
{
    for (unsigned i = 0; i < rounds->contenders; i++)
        if (&rounds->contender[i] != rounds->baseline && rounds->contender[i].remote)
            return false;
    return true;
}

void rounds_run(struct rounds *rounds)
{
    while (round_of_all(rounds, baseline_is_alone(rounds)))
        continue;
    if (!baseline_is_alone(rounds))
        take_baseline(rounds, NULL);
    for (unsigned i = 0; i < rounds->contenders; i++)
        stop_all(rounds, &rounds->contender[i], rounds->interrupted ? STOP_INTERRUPTED : STOP_WITH_OTHERS);
}
