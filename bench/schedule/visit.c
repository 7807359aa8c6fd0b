/* The visits of a block: slices, one after the other, and when a series has enough of them. */

#include "bench/backends/registry.h"
#include "bench/schedule/block.h"
#include "harness/analysis/figure.h"
#include "harness/base/clock.h"
#include "harness/base/fields.h"
#include "harness/base/text.h"

#include <math.h>

enum { VISITS_MAX = 4096 };

static void stop_series(struct block *block, struct runner *runner, enum series series, enum stop why)
{
    if (!runner->series[series].active)
        return;
    runner->series[series].active = false;
    run_log_write(&block->context->run_log,
                  &(struct journal_line){ .kind = LINE_STOP, .cell = runner->cell->key, .stop = { series, why } });
}

void visit_stop(struct block *block, struct runner *runner, enum stop why)
{
    for (enum series series = 0; series < SERIES_COUNT; series++)
        stop_series(block, runner, series, block->context->interrupted ? STOP_INTERRUPTED : why);
}

static bool is_baseline(const struct block *block, const struct runner *runner)
{
    return runner == block->baseline[USE_RESIDENT] || runner == block->baseline[USE_COPIED];
}

/* --- one slice --- */

/* After a failed slice. A baseline whose worker died gets a second one, once, since without it all comparisons are
 * lost: returns true, and the slice may be taken again. Any other cell ends: its samples stay in the journal, its
 * outcome has the reason. */
static bool replace_or_stop(struct block *block, struct runner *runner, const struct error *why)
{
    struct context *context = block->context;
    if (why->status == STATUS_ABANDONED) {
        context->interrupted = true;
        return false;
    }
    if (is_baseline(block, runner) && runner_reopen(runner, why))
        return true;
    runner->outcome = runner->outcome.status != STATUS_OK ? runner->outcome : *why;
    visit_stop(block, runner, STOP_FAILED);
    runner_end(runner, NULL);
    return false;
}

/* The cell in the record; NULL if memory was short for it. */
static const struct cell_record *recorded(const struct block *block, const struct runner *runner)
{
    return record_cell(block->context->run_log.record, runner->cell->key);
}

static unsigned usable_samples(const struct block *block, const struct runner *runner, enum series series)
{
    const struct cell_record *cell = recorded(block, runner);
    return cell ? cell->track[series].wall.count : 0;
}

/* Reading the state of a GPU takes milliseconds on some. All open workers together take one part in 100 of the time for
 * it, each in its turn. */
static bool is_to_be_watched(const struct runner *runner, enum series series)
{
    unsigned watched = 0;
    for (const struct runner *open = runner->context->open; open; open = open->next)
        watched += !isnan(open->reading);
    return runner->has_begun && (series == runner_series(runner) || runner->is_phased) &&
           clock_wall() - runner->watched >= 100 * watched * runner->reading; /* false for NAN */
}

/* A slice, and the check of it that is due. If its worker dies in the check its times are dropped with it: nobody knows
 * what they are of. `err` has the failure of a check also where there is a reply. */
static bool ask_slice(struct runner *runner, enum series series, double length, double check_after, double expected,
                      struct reply *reply, struct error *err)
{
    const struct request request = { .kind = ASK_SLICE,
                                     .series = series,
                                     .seconds = length,
                                     .events = true,
                                     .watch = is_to_be_watched(runner, series),
                                     .phased = runner->is_phased && series == SERIES_COPIED };
    if (!runner_ask(runner, SPENT_MEASURING, &request, expected, reply, err))
        return false;
    if (request.watch) {
        runner->reading = reply->slice.probes;
        runner->watched = clock_wall();
    }
    if (!reply->is_due && runner->series[series].spent + fmax(0, reply->slice.elapsed) < check_after)
        return true;
    struct reply checked;
    runner_ask(runner, SPENT_VERIFYING, &(struct request){ .kind = ASK_CHECK, .series = series },
               cell_check_seconds(runner->cell, 0), &checked, err);
    if (err->status == STATUS_OK)
        reply->slice.check = checked.check;
    reply_release(&checked);
    if (status_is_death(err->status))
        reply_release(reply);
    return !status_is_death(err->status);
}

static void write_slice(struct block *block, struct runner *runner, struct slice_line *slice, double asked)
{
    struct series_state *state = &runner->series[slice->series];
    state->last = slice->elapsed;
    state->spent += slice->elapsed;
    state->visits = block->visits + 1;
    slice->number = block->slices++;
    slice->visit = block->visits;
    slice->at = asked - block->context->run_log.started;
    run_log_write(&block->context->run_log,
                  &(struct journal_line){ .kind = LINE_SLICE, .cell = runner->cell->key, .slice = *slice });
}

/* Writes a slice, and before it the resident one that the phases of computing make. */
static void record_slice(struct block *block, struct runner *runner, struct slice_line *slice, double asked)
{
    if (runner->is_phased && slice->series == SERIES_COPIED) {
        struct slice_line part;
        fields_forget(&part, &slice_fields);
        part.series = SERIES_RESIDENT;
        part.wall = slice->phases.of[PHASE_COMPUTE];
        part.gpu = slice->gpu;
        part.runs = part.wall.count;
        part.elapsed = 0;
        for (unsigned i = 0; i < part.wall.count; i++)
            part.elapsed += part.wall.value[i];
        write_slice(block, runner, &part, asked);
    }
    write_slice(block, runner, slice, asked);
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
    run_log_write(
        &context->run_log,
        &(struct journal_line){ .kind = LINE_LOOK, .look = { .processor = look.processor, .rate = look.rate } });
}

void visit_slice(struct block *block, struct runner *runner, enum series series, double length, double check_after)
{
    struct context *context = block->context;
    struct series_state *state = &runner->series[series];
    const unsigned samples = usable_samples(block, runner, series);
    struct error err;
    struct reply reply;
    double asked, expected;
    bool is_taken;
    look_for_neighbours(context, runner);
    do { /* a second worker of the baseline: the devices of this visit need this slice of it */
        err = (struct error){ .status = STATUS_OK };
        asked = clock_wall();
        expected = length + 4 * state->run;
        is_taken = ask_slice(runner, series, length, check_after, expected, &reply, &err);
        if (!is_taken && (!replace_or_stop(block, runner, &err) || !state->active || context->interrupted))
            return;
    } while (!is_taken);
    record_slice(block, runner, &reply.slice, asked);
    reply_release(&reply);
    /* The reply came in time by the parent's clock. Its own figure may still exceed the deadline: on a scripted device,
     * or if the clock was stepped for both, as when a virtual machine was suspended. The first failure counts. */
    const double deadline = client_deadline(context->setup.timeout, expected);
    if (!recorded(block, runner))
        fail_in(&err, "record", STATUS_NO_MEMORY, "no memory for its samples");
    if (!(state->last > 0) || usable_samples(block, runner, series) <= samples)
        fail_in(&err, "clock", STATUS_IMPOSSIBLE, "its runs took no time by the clock");
    if (state->last > deadline)
        fail_in(&err, "clock", STATUS_TIMEOUT, "a slice took %s by the clock; the limit is %s",
                text_seconds(state->last).text, text_seconds(deadline).text);
    if (err.status != STATUS_OK)
        replace_or_stop(block, runner, &err);
}

/* --- one visit --- */

static enum use use_of(enum series series)
{
    return series == SERIES_COPIED ? USE_COPIED : USE_RESIDENT;
}

/* After a slice of a method: that of its rival beside it, if it has one. */
static void visit_rival(struct block *block, struct rival *rival, enum series series)
{
    const struct runner *first = rival->first;
    const enum series deciding = first->measures == MEASURES_COPIED ? SERIES_COPIED : SERIES_RESIDENT;
    if (!rival->runner || rival->runner->outcome.status != STATUS_OK || series != deciding ||
        !first->series[series].active || block->context->interrupted)
        return;
    const double length = sampler_slice(&block->rule, class_is_gpu(first->cell->device->class));
    struct error *why = &rival->runner->outcome;
    struct reply reply;
    ask_slice(rival->runner, series, length, INFINITY, length + 4 * first->series[series].run, &reply, why);
    const struct samples *wall = &reply.slice.wall;
    const struct track *track = &recorded(block, first)->track[series];
    if (wall->count == 0)
        fail(why, STATUS_IMPOSSIBLE, "its runs took no time by the clock"); /* unless there is another reason */
    if (why->status == STATUS_OK)
        rival->ratio[rival->visits++] = track->slice[track->slices - 1].median / stats_median(wall->value, wall->count);
    reply_release(&reply);
}

/* A slice of the series, unless this visit has one. */
static void take_slice(struct block *block, struct runner *runner, enum series series)
{
    const struct series_state *state = &runner->series[series];
    /* a copied slice that is timed by phase has the resident one in it */
    const bool is_part = series == SERIES_RESIDENT && runner->is_phased && runner->series[SERIES_COPIED].active;
    if (!state->active || state->visits == block->visits + 1 || block->context->interrupted)
        return;
    progress_step(&block->context->progress, false, runner->cell, "%s  visit %u", series_names[series],
                  block->visits + 1);
    visit_slice(block, runner, is_part ? SERIES_COPIED : series,
                sampler_slice(&block->rule, class_is_gpu(runner->cell->device->class)), INFINITY);
    for (unsigned i = 0; i < block->rivals; i++)
        if (block->rival[i].first == runner)
            visit_rival(block, &block->rival[i], series);
}

static bool is_measured_for(const struct runner *runner, enum use use)
{
    bool is_measured = false;
    for (enum series series = 0; series < SERIES_SUSTAINED; series++)
        is_measured |= use_of(series) == use && runner->series[series].active;
    return is_measured;
}

/* The series of a baseline that a use is compared with. */
static enum series baseline_series(const struct runner *baseline, enum use use)
{
    const enum series series = use_series[use];
    return pairing_baseline_series(series, baseline->series[series].active || baseline->series[series].visits > 0,
                                   USE_RESIDENT);
}

/* Whether another than the baselines is still measured for the use. */
static bool has_devices(const struct block *block, enum use use)
{
    for (unsigned i = 0; i < block->runners; i++)
        if (!is_baseline(block, &block->runner[i]) && is_measured_for(&block->runner[i], use))
            return true;
    return false;
}

/* Whether only the baselines are left to measure: from the beginning, or because every other cell failed. */
static bool is_baseline_alone(const struct block *block)
{
    for (unsigned i = 0; i < block->runners; i++)
        if (!is_baseline(block, &block->runner[i]) && block->runner[i].is_measured && block->runner[i].client)
            return false;
    return true;
}

/* The baseline and the devices of a use, or these in reverse, so that neither is always first. So are the uses. */
static void visit_use(struct block *block, enum use use)
{
    struct runner *baseline = block->baseline[use];
    const bool is_reverse = block->visits % 2 == 1;
    const bool is_alone = is_baseline_alone(block), is_needed = baseline && (is_alone || has_devices(block, use));
    for (unsigned i = 0; i <= block->runners; i++) {
        const unsigned turn = is_reverse ? block->runners - i : i;
        if (turn == 0 && is_needed) {
            take_slice(block, baseline, baseline_series(baseline, use));
            if (use == USE_RESIDENT)
                take_slice(block, baseline, SERIES_QUEUED);
        } else if (turn > 0) {
            struct runner *runner = &block->runner[turn - 1];
            /* the baseline of the other use may be compared with that of this one */
            const bool is_compared =
                !is_baseline(block, runner) || (runner != baseline && runner->measures == MEASURES_BOTH);
            for (enum series series = 0; series < SERIES_SUSTAINED && is_compared; series++)
                if (use_of(series) == use)
                    take_slice(block, runner, series);
        }
    }
}

/* --- when a series stops --- */

/* The values that the stop rule decides by, as a report would: ratios to the baseline, or the series' own times if it
 * has none, or that has died: no ratio would be added. */
static unsigned values_of(const struct block *block, const struct runner *runner, enum series series,
                          double values[VISITS_MAX])
{
    const struct cell_record *cell = recorded(block, runner);
    const struct runner *baseline = block->baseline[use_of(series)];
    const bool has_baseline = cell && baseline && baseline->client;
    unsigned count = has_baseline ? record_ratios(block->context->run_log.record, cell, series, values, VISITS_MAX) : 0;
    if (!cell || count > 0)
        return count;
    const struct track *track = &cell->track[series];
    for (; count < track->slices && count < VISITS_MAX; count++)
        values[count] = track->slice[count].median;
    return count;
}

/* Visits that it gets, by the longest run that is measured; 0: until its series are precise or their budgets are spent.
 */
static unsigned block_wanted(const struct block *block)
{
    double longest = 0;
    for (unsigned i = 0; i < block->runners; i++)
        for (enum series series = 0; series < SERIES_COUNT; series++)
            if (block->runner[i].series[series].active)
                longest = fmax(longest, block->runner[i].series[series].run);
    return sampler_visits(&block->rule, longest);
}

bool block_is_due(const struct block *block)
{
    return sampler_is_due(&block->asked, block_wanted(block), block->visits, block->turns);
}

static void decide(struct block *block, struct runner *runner, enum series series, unsigned wanted)
{
    struct series_state *state = &runner->series[series];
    const enum use use = use_of(series);
    const struct runner *baseline = block->baseline[use];
    double values[VISITS_MAX], last = state->last;
    if (!state->active || state->visits != block->visits)
        return;
    if (baseline && baseline != runner)
        last = fmax(last, baseline->series[baseline_series(baseline, use)].last);
    state->charged += last;
    const unsigned count = values_of(block, runner, series, values);
    const enum stop why = sampler_decide(&block->rule, wanted, values, count, state->charged, last);
    if (why != STOP_NOT_YET)
        stop_series(block, runner, series, why);
}

/* The baseline is measured as long as another runner needs it; one without others decides for itself. */
static void decide_all(struct block *block)
{
    const bool is_alone = !block->is_opening && is_baseline_alone(block);
    const unsigned wanted = block_wanted(block);
    for (unsigned i = 0; i < block->runners; i++)
        if (is_alone || !is_baseline(block, &block->runner[i]))
            for (enum series series = 0; series < SERIES_COUNT; series++)
                decide(block, &block->runner[i], series, wanted);
    for (enum use use = 0; use < USES && !is_alone && !block->is_opening; use++)
        if (block->baseline[use] && !has_devices(block, USE_RESIDENT) && !has_devices(block, USE_COPIED))
            visit_stop(block, block->baseline[use], STOP_WITH_OTHERS);
}

bool block_is_active(const struct block *block)
{
    for (unsigned i = 0; i < block->runners; i++)
        for (enum use use = 0; use < USES; use++)
            if (is_measured_for(&block->runner[i], use))
                return true;
    return false;
}

void visit_take(struct block *block)
{
    const double start = clock_wall();
    const unsigned before = block->slices;
    for (enum use use = 0; use < USES; use++)
        visit_use(block, block->visits % 2 ? USES - 1 - use : use);
    block->visits++;
    if (!block->context->interrupted)
        decide_all(block);
    const bool is_idle = block->slices == before && !block->context->interrupted;
    for (unsigned i = 0; is_idle && i < block->runners; i++) /* else the run would not end */
        visit_stop(block, &block->runner[i], STOP_WITH_OTHERS);
    block->visiting += clock_wall() - start;
    block->seconds += clock_wall() - start;
}
