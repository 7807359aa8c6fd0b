#include "bench/schedule/block.h"

#include "bench/backends/registry.h"
#include "bench/schedule/apart.h"
#include "bench/schedule/forecast.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <math.h>
#include <string.h>

/* --- the journal's lines --- */

static void write_cell(const struct block *block, const struct runner *runner)
{
    const char *key[USES];
    for (enum use use = 0; use < USES; use++)
        key[use] = block->baseline[use] ? block->baseline[use]->cell->key : "";
    char shape[SHAPE_MAX];
    struct cell_record stated = cell_stated(runner->cell, shape);
    stated.baseline = key[USE_RESIDENT];
    stated.baseline_copied = strcmp(key[USE_COPIED], key[USE_RESIDENT]) != 0 ? key[USE_COPIED] : NULL;
    stated.measures = runner->measures;
    run_log_write(&block->context->run_log, &(struct journal_line){ .kind = LINE_CELL, .stated = &stated });
}

static void write_unmeasured(const struct block *block, const struct runner *runner)
{
    write_cell(block, runner);
    runner_write_outcome(runner);
}

/* The choice of each use. After a contender come its other kernel shapes, whose ratios are to its own. */
static void write_choice(const struct block *block)
{
    const struct choice *choice = &block->choice;
    const struct cell *cell = choice->contender[0].runner->cell;
    struct pool pool = { 0 };
    for (enum use use = 0; use < USES && cell->method; use++) {
        struct race_record race = { .device_id = cell->device->id,
                                    .memory = memory_names[cell->memory],
                                    .dtype = dtype_name(cell->problem.dtype),
                                    .purpose = use_measures[use],
                                    .origin = choice->remembered[use] ? "remembered" : "tuned",
                                    .settled = choice_is_settled(choice, use),
                                    .rounds = choice->race[use].rounds };
        for (unsigned i = 0; i < choice->contenders; i++) {
            const struct contender_record stated = choice_stated(choice, i, use);
            const struct choice *tuned = choice->contender[i].runner->tuned;
            pool_add(&pool, &race.contender, &race.contenders, &stated, sizeof stated);
            for (unsigned k = 0; tuned && k < tuned->contenders; k++) {
                struct contender_record shape = choice_stated(tuned, k, USE_RESIDENT);
                shape.ratio *= stated.ratio;
                if (&tuned->contender[k] != tuned->taken[USE_RESIDENT])
                    pool_add(&pool, &race.contender, &race.contenders, &shape, sizeof shape);
            }
        }
        if (race.contenders > 1 && (use == USE_RESIDENT || choice->is_copied))
            run_log_write(&block->context->run_log,
                          &(struct journal_line){ .kind = LINE_RACE, .block = cell->block, .race = race });
    }
    pool_release(&pool);
}

/* --- a row --- */

/* Brings a chosen runner to its visits; opens it again where the methods took turns. False with its outcome. If
 * has_begun is set, the cell and this outcome are in the journal; otherwise nothing is. */
static bool begin(struct block *block, struct runner *runner)
{
    if (!runner->client && !contenders_open_one(block, runner))
        return false;
    write_cell(block, runner);
    runner->has_begun = true;
    runner->is_measured = runner_begin(runner);
    if (!runner->is_measured)
        runner_write_outcome(runner);
    return runner->is_measured;
}

/* For the uses that `runner` is the baseline of. NULL: they have none. */
static void exchange_baseline(struct block *block, const struct runner *runner, struct runner *other)
{
    for (enum use use = 0; use < USES; use++)
        if (block->baseline[use] == runner)
            block->baseline[use] = other;
}

/* Begins the runners that were taken, one for both uses or one for each. The first that fails is out, and what is left
 * waits for another choice, as that may serve both uses. Returns whether all were ready. */
static bool begin_taken(struct block *block)
{
    struct contender *const *taken = block->choice.taken;
    for (enum use use = 0; use < USES; use++) {
        struct runner *runner = taken[use] ? taken[use]->runner : NULL;
        const struct contender *other = taken[USES - 1 - use];
        if (!runner || runner->has_begun)
            continue;
        runner->measures = other == taken[use] ? MEASURES_BOTH : use_measures[use];
        if (begin(block, runner))
            continue;
        choice_lose(&block->choice, taken[use], &runner->outcome);
        exchange_baseline(block, runner, NULL);
        return false;
    }
    return true;
}

/* A row with nothing to measure: the first failure is its outcome, else the first reason. */
static void write_failed_row(struct block *block, unsigned first, unsigned end)
{
    struct runner *worst = &block->runner[first];
    for (unsigned i = first; i < end; i++) {
        struct runner *runner = &block->runner[i];
        if (runner->has_begun)
            return;
        if (status_is_bad(runner->outcome.status) && !status_is_bad(worst->outcome.status))
            worst = runner;
    }
    if (worst->outcome.status == STATUS_OK)
        fail(&worst->outcome, STATUS_ABANDONED, "the run ended before anything was measured");
    write_unmeasured(block, worst);
}

/* Whether another contender may be measured in place of one that failed. If one run of the fastest takes too long, the
 * others are slower yet. */
static bool is_worth_another(const struct block *block)
{
    struct contender *const *taken = block->choice.taken;
    bool any = false, is_too_slow = false;
    for (enum use use = 0; use < USES; use++) {
        any |= taken[use] != NULL;
        is_too_slow |= taken[use] && taken[use]->outcome.status == STATUS_TOO_SLOW;
    }
    return any && !is_too_slow && !block->context->interrupted;
}

/* Begins a row of one method, or of what a resumed journal has, or writes why not. */
static void begin_row(struct block *block, struct runner *runner)
{
    if (runner->outcome.status == STATUS_OK && begin(block, runner))
        return;
    if (!runner->has_begun)
        write_unmeasured(block, runner);
    runner_end(runner, NULL);
    exchange_baseline(block, runner, NULL);
}

/* The first runner of the baseline's device that is chosen for a use is its baseline. */
static void choose(struct block *block)
{
    struct contender **taken = block->choice.taken;
    choice_take(&block->choice);
    if (taken[USE_RESIDENT] && taken[USE_COPIED] && taken[USE_RESIDENT]->runner->cell->device->takes_one_process)
        taken[USE_COPIED] = taken[USE_RESIDENT];
    for (enum use use = 0; use < USES; use++)
        if (taken[use] && !block->baseline[use] && taken[use]->runner->cell->device == block->compared)
            block->baseline[use] = taken[use]->runner;
}

/* Keeps the best other method of a row whose choice is not settled by its rounds, if its results are right. Methods
 * that convert layouts may be faster for one use and slower for the other: they are not exchanged. */
static void keep_rival(struct block *block)
{
    struct choice *choice = &block->choice;
    const enum use use = choice->taken[USE_RESIDENT] ? USE_RESIDENT : USE_COPIED;
    const struct contender *taken = choice->taken[use];
    if (!taken || !taken->runner->client || choice->race[use].rounds == 0)
        return;
    while (!block->context->interrupted) {
        struct error why = { .status = STATUS_OK };
        const unsigned found = race_rival(&choice->race[use], (unsigned)(taken - choice->contender));
        struct contender *rival = found < choice->contenders ? &choice->contender[found] : NULL;
        if (!rival || !rival->runner->client || rival->runner->has_begun || rival->runner->repacks ||
            taken->runner->repacks)
            return;
        if (runner_verify(rival->runner, &why)) {
            block->rival[block->rivals++] = (struct rival){ .runner = rival->runner, .first = taken->runner };
            return;
        }
        choice_lose(choice, rival, &why);
    }
}

/* Where the visits of two close methods have decided the better one stays. */
static void settle(struct block *block, struct rival *rival)
{
    static const double better = 1.01;
    struct runner *first = rival->first, *other = rival->runner, *winner = first, *loser = other;
    if (other->outcome.status == STATUS_OK && (!first->client || stats_median(rival->ratio, rival->visits) > better)) {
        exchange_baseline(block, first, other);
        other->measures = first->measures;
        if (begin(block, other)) {
            winner = other;
            loser = first;
        } else
            exchange_baseline(block, other, first);
    }
    loser->is_measured = false;
    rival->runner = NULL;
    if (block->context->interrupted) /* what was measured of the first stays */
        return;
    if (loser->outcome.status != STATUS_OK) /* in a note: its cell leaves the record, or was never in it */
        run_log_note(&block->context->run_log, "",
                     "%s on %s failed at its first visits, and another method is measured: %s",
                     loser->cell->method->name, loser->cell->device->id, loser->outcome.message);
    run_log_write(&block->context->run_log,
                  &(struct journal_line){ .kind = LINE_CHOSEN,
                                          .cell = winner->cell->key,
                                          .instead_of = loser->has_begun ? loser->cell->key : NULL });
    loser->has_begun = false;
    runner_end(loser, NULL);
}

void block_visit(struct block *block)
{
    bool has_settled = false;
    visit_take(block);
    for (unsigned i = 0; i < block->rivals && !block->context->interrupted; i++) {
        struct rival *rival = &block->rival[i];
        if (!rival->runner ||
            (rival->visits < DECIDING_VISITS && rival->runner->outcome.status == STATUS_OK && rival->first->client))
            continue;
        settle(block, rival);
        has_settled = true;
    }
    if (has_settled && block_is_active(block) && !block->context->interrupted)
        visit_take(block);
}

/* Begins what a resumed journal has of a row, or of several rows with one method each, of which those that had failed
 * are tried again. False if it has nothing: then their methods are to be chosen. */
static bool continue_rows(struct block *block, unsigned first, unsigned end, bool is_one_row)
{
    const struct record *record = block->context->run_log.record;
    bool any = false;
    for (unsigned i = first; i < end; i++) {
        struct runner *runner = &block->runner[i];
        const struct cell_record *recorded = record_cell(record, runner->cell->key);
        if (!recorded)
            continue;
        any = true;
        runner->measures = recorded->measures;
        text_copy(runner->cell->kernel_shape, sizeof runner->cell->kernel_shape, recorded->kernel_shape);
        for (enum series series = 0; series < SERIES_COUNT; series++) /* a budget is spent once */
            runner->series[series].charged = recorded->track[series].elapsed;
        const char *const baseline[USES] = { recorded->baseline, recorded->baseline_copied };
        for (enum use use = 0; use < USES; use++)
            if (strcmp(baseline[use], runner->cell->key) == 0)
                block->baseline[use] = runner;
    }
    for (unsigned i = first; i < end && any; i++)
        if (!is_one_row || record_cell(record, block->runner[i].cell->key))
            begin_row(block, &block->runner[i]);
    return any;
}

/* A row, whose methods are its contenders. Or several rows of the baseline's device that have one method each: the
 * fastest is the baseline, and all are measured. */
static void measure_rows(struct block *block, unsigned first, unsigned end, bool is_one_row)
{
    if (continue_rows(block, first, end, is_one_row))
        return;
    block->choice =
        (struct choice){ .context = block->context, .rule = &block->rule, .series = SERIES_RESIDENT, .most = INFINITY };
    contenders_open(block, first, end);
    choice_run(&block->choice);
    choose(block);
    if (is_one_row) {
        while (!begin_taken(block) && is_worth_another(block)) /* one failed: the others are chosen from */
            choose(block);
        keep_rival(block);
        contenders_remember(block);
    }
    write_choice(block);
    if (is_one_row) {
        const struct runner *rival = block->rivals > 0 ? block->rival[block->rivals - 1].runner : NULL;
        for (unsigned i = first; i < end; i++)
            if (!block->runner[i].has_begun && &block->runner[i] != rival)
                runner_end(&block->runner[i], NULL);
        write_failed_row(block, first, end);
        return;
    }
    for (unsigned i = first; i < end; i++)
        begin_row(block, &block->runner[i]);
    /* Where the baseline failed at that the fastest of the others takes its place, for the rows that come later. */
    for (unsigned i = 0; i < block->choice.contenders; i++) {
        struct contender *contender = &block->choice.contender[i];
        if (contender->runner->outcome.status != STATUS_OK)
            choice_lose(&block->choice, contender, &contender->runner->outcome);
    }
    if (!block->context->interrupted)
        choose(block);
}

static unsigned row_end(const struct block *block, unsigned first)
{
    unsigned end = first + 1;
    while (end < block->runners && block->runner[end].cell->row == block->runner[first].cell->row)
        end++;
    return end;
}

/* The end of the runners that are opened together: a row, or all rows of the baseline's device if each has one method.
 */
static unsigned group_end(const struct block *block, unsigned first)
{
    const struct device *baseline = block->compared;
    unsigned end = row_end(block, first);
    while (block->runner[first].cell->device == baseline && !baseline->takes_one_process && end < block->runners &&
           row_end(block, end) == end + 1 && row_end(block, first) == first + 1 &&
           block->runner[end].cell->device == baseline)
        end++;
    return end;
}

static bool is_visited(const struct block *block, const struct device *device)
{
    for (unsigned i = 0; i < block->runners; i++)
        for (enum series series = 0; series < SERIES_COUNT; series++)
            if (block->runner[i].cell->device == device && block->runner[i].series[series].active)
                return true;
    return false;
}

/* Where the rows of a device do not fit together the one before gets all its visits first, or its part of the time:
 * as much as each row from `first` on. */
static void make_way(struct block *block, unsigned first)
{
    const struct context *context = block->context;
    const struct device *device = block->runner[first].cell->device;
    unsigned rows = 1;
    if (block->entry.needs.in_turn != ROWS_IN_TURN || device == block->compared)
        return;
    for (unsigned i = first; i < block->runners; i = row_end(block, i))
        rows++;
    const double later = context_time_left(context) * (rows - 1) / rows;
    block->is_opening = true;
    while (is_visited(block, device) && !context->interrupted && context_time_left(context) >= later)
        block_visit(block);
    block->is_opening = false;
    for (unsigned i = 0; i < first; i++)
        if (block->runner[i].cell->device == device && block->runner[i].is_measured) {
            visit_stop(block, &block->runner[i], STOP_TIME);
            runner_close(&block->runner[i]);
        }
}

/* The visits and slices of a resumed journal. */
static void count_recorded(struct block *block)
{
    const struct block_record *record = record_find_block(block->context->run_log.record, block->entry.cell->block);
    for (unsigned i = 0; record && i < record->cells; i++)
        for (enum series series = 0; series < SERIES_COUNT; series++) {
            const struct track *track = &record->cell[i]->track[series];
            if (track->slices == 0)
                continue;
            const struct slice *latest = &track->slice[track->slices - 1];
            block->visits = latest->visit + 1 > block->visits ? latest->visit + 1 : block->visits;
            block->slices = latest->number + 1 > block->slices ? latest->number + 1 : block->slices;
        }
    block->turns = block->visits_before = block->visits;
}

double block_visit_seconds(const struct block *block)
{
    return block->visiting / fmax(1, (double)block->visits - block->visits_before);
}

struct block *block_open(struct context *context, const struct rule *rule, const struct device *compared,
                         const struct entry *entry, struct error *err)
{
    const double start = clock_wall();
    const unsigned most = entry->cell->problem.workload->most_visits;
    struct pool pool = { 0 };
    struct block *block = pool_take(&pool, sizeof *block);
    struct runner *runner = pool_take(&pool, entry->cells * sizeof *runner);
    struct rival *rival = pool_take(&pool, entry->cells * sizeof *rival);
    if (pool.is_short) {
        pool_release(&pool);
        return fail_null(err, STATUS_NO_MEMORY, "no memory for a block of %u cells", entry->cells);
    }
    *block = (struct block){
        .context = context,
        .pool = pool,
        .entry = *entry,
        .rule = *rule,
        .asked = *rule,
        .compared = problem_computes(&entry->cell->problem) ? compared : NULL,
        .runner = runner,
        .runners = entry->cells,
        .rival = rival,
    };
    block->rule.visits = most > 0 && most < rule->visits ? most : rule->visits;
    for (unsigned i = 0; i < entry->cells; i++)
        runner[i] = runner_new(context, &entry->cell[i], &block->rule, block->spent);
    count_recorded(block);
    for (unsigned first = 0, end; first < entry->cells; first = end) {
        end = group_end(block, first);
        make_way(block, first);
        measure_rows(block, first, end, row_end(block, first) == end);
    }
    block->seconds = clock_wall() - start;
    return block;
}

void block_close(struct block *block, enum stop why)
{
    struct context *context = block->context;
    const struct cell *cell = block->entry.cell;
    const double start = clock_wall();
    for (unsigned i = 0; i < block->runners; i++)
        visit_stop(block, &block->runner[i], why);
    sustained_run(block);
    for (unsigned i = 0; i < block->runners; i++)
        if (block->runner[i].is_measured)
            runner_close(&block->runner[i]);
    for (unsigned i = 0; i < block->runners; i++) /* in fresh processes, while none of this block holds memory */
        if (block->runner[i].has_begun && block->runner[i].outcome.status == STATUS_OK)
            naive_measure(block, block->runner[i].cell);
    block->seconds += clock_wall() - start;
    if (!context->interrupted) {
        struct journal_line spent = { .kind = LINE_SPENT, .block = cell->block };
        memcpy(spent.spent, block->spent, sizeof spent.spent);
        if (!backend_is_scripted(cell->device->backend)) /* which has times of its own */
            run_log_write(&context->run_log, &spent);
        if (why != STOP_TIME && !context->resume) /* as long as all of it takes */
            forecast_remember(block);
        run_log_write(&context->run_log, &(struct journal_line){ .kind = LINE_DONE, .block = cell->block });
    }
    for (unsigned i = 0; i < block->runners; i++)
        runner_free(&block->runner[i]);
    struct pool pool = block->pool;
    pool_release(&pool);
}
