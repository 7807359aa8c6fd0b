#include "bench/schedule/block.h"

#include "bench/backends/registry.h"
#include "bench/schedule/apart.h"
#include "bench/schedule/forecast.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void block_free(struct block *block)
{
    struct pool pool = block->pool;
    for (unsigned i = 0; i < block->runners; i++)
        runner_free(&block->runner[i]);
    pool_release(&pool);
}

static struct block *block_alloc(struct context *context, struct cell cell[], unsigned cells, struct error *err)
{
    struct pool pool = { 0 };
    struct block *block = pool_take(&pool, sizeof *block);
    struct runner *runner = pool_take(&pool, cells * sizeof *runner),
                  **measured = pool_take(&pool, cells * sizeof *measured);
    struct rival *rival = pool_take(&pool, cells * sizeof *rival);
    if (pool.is_short) {
        pool_release(&pool);
        return fail_null(err, STATUS_NO_MEMORY, "no memory for a block of %u cells", cells);
    }
    *block = (struct block){ context,          .pool = pool,         .runner = runner,
                             .runners = cells, .measured = measured, .rival = rival };
    for (unsigned i = 0; i < cells; i++)
        runner[i] = runner_new(context, &cell[i], &block->rule, block->spent);
    return block;
}

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

/* Adds a contender, and its other kernel shapes, whose ratios are to its own. Returns how many there are then. */
static unsigned add_contender(struct contender_record to[], unsigned count, const struct contender *contender,
                              enum use use)
{
    const struct runner *runner = contender->runner;
    to[count] = contender_stated(contender, use);
    const double ratio = to[count++].ratio;
    for (unsigned i = 0; i < runner->shapes; i++) {
        to[count] = runner->shape[i];
        to[count++].ratio *= ratio;
    }
    return count;
}

static void write_choice(const struct block *block)
{
    const struct choice *choice = &block->choice;
    const struct cell *cell = choice->contender[0].runner->cell;
    unsigned most = choice->contenders;
    for (unsigned i = 0; i < choice->contenders; i++)
        most += choice->contender[i].runner->shapes;
    struct contender_record *contender = calloc(most, sizeof *contender);
    for (enum use use = 0; use < USES && cell->method && contender; use++) {
        unsigned count = 0;
        for (unsigned i = 0; i < choice->contenders; i++)
            count = add_contender(contender, count, &choice->contender[i], use);
        if (count > 1 && (use == USE_RESIDENT || choice->is_copied))
            run_log_write(
                &block->context->run_log,
                &(struct journal_line){ .kind = LINE_RACE,
                                        .block = cell->block,
                                        .race = { .device_id = cell->device->id,
                                                  .memory = memory_names[cell->memory],
                                                  .dtype = dtype_name(cell->problem.dtype),
                                                  .purpose = use_measures(use == USE_RESIDENT, use == USE_COPIED),
                                                  .origin = choice->remembered[use] ? "remembered" : "tuned",
                                                  .settled = choice->is_settled[use],
                                                  .rounds = choice->race[use].rounds,
                                                  .contender = contender,
                                                  .contenders = count } });
    }
    free(contender);
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
    const bool is_ready = runner_begin(runner);
    if (is_ready)
        block->measured[block->count++] = runner;
    else
        runner_write_outcome(runner);
    return is_ready;
}

/* The first runner of the baseline's device that is chosen for a use is its baseline. */
static void set_baseline(struct block *block, struct contender *const taken[USES])
{
    for (enum use use = 0; use < USES; use++) {
        struct runner *runner = taken[use] ? taken[use]->runner : NULL;
        if (runner && !block->baseline[use] && runner->cell->device == block->compared)
            block->baseline[use] = runner;
    }
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
static bool begin_taken(struct block *block, struct contender *const taken[USES])
{
    for (enum use use = 0; use < USES; use++) {
        struct runner *runner = taken[use] ? taken[use]->runner : NULL;
        if (!runner || runner->has_begun)
            continue;
        bool is_for[USES];
        for (enum use other = 0; other < USES; other++)
            is_for[other] = taken[other] && taken[other]->runner == runner;
        runner->measures = use_measures(is_for[USE_RESIDENT], is_for[USE_COPIED]);
        if (begin(block, runner)) {
            if (!is_for[USES - 1 - use])
                choice_keep_for(&block->choice, taken[use], use);
            continue;
        }
        choice_lose(&block->choice, taken[use], &runner->outcome);
        exchange_baseline(block, runner, NULL);
        if (runner->has_begun)
            runner_count_losses(runner);
        return false;
    }
    return true;
}

static void count_lost_row(const struct runner *runner)
{
    if (client_counts_against_device(&runner->outcome) || runner->lacks_device)
        context_record_loss(runner->context, runner->cell->device);
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
        fail(&worst->outcome, STATUS_ABANDONED, "interrupted before anything was measured");
    write_unmeasured(block, worst);
    count_lost_row(worst);
}

/* What the choice found of each contender becomes the outcome of its runner. Deaths of those that are cells of their
 * own were counted. */
static void copy_outcomes(struct block *block)
{
    for (unsigned i = 0; i < block->choice.contenders; i++) {
        const struct contender *contender = &block->choice.contender[i];
        if (contender->outcome.status != STATUS_OK)
            contender->runner->outcome = contender->outcome;
        if (!contender->runner->has_begun && client_counts_against_device(&contender->outcome))
            context_record_death(block->context, contender->runner->cell);
    }
}

/* Whether another contender may be measured in place of one that failed. If one run of the fastest takes too long, the
 * others are slower yet. */
static bool is_worth_another(const struct block *block, struct contender *const taken[USES])
{
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
    const bool was_chosen = runner->outcome.status == STATUS_OK;
    if (was_chosen && begin(block, runner))
        return;
    if (!runner->has_begun)
        write_unmeasured(block, runner);
    runner_end(runner, NULL);
    if (was_chosen)
        runner_count_losses(runner);
    else
        count_lost_row(runner); /* copy_outcomes has counted a death */
    exchange_baseline(block, runner, NULL);
}

static void choose(struct block *block, struct contender *taken[USES])
{
    choice_take(&block->choice, taken);
    if (taken[USE_RESIDENT] && taken[USE_RESIDENT]->runner->cell->device->takes_one_process)
        taken[USE_COPIED] = taken[USE_COPIED] ? taken[USE_RESIDENT] : NULL;
    set_baseline(block, taken);
    choice_judge(&block->choice, taken);
}

/* Keeps the best other method of a row whose choice is not settled by its rounds, if its results are right. Methods
 * that convert layouts may be faster for one use and slower for the other: they are not exchanged. */
static void keep_rival(struct block *block, struct contender *const taken[USES])
{
    struct choice *choice = &block->choice;
    const enum use use = taken[USE_RESIDENT] ? USE_RESIDENT : USE_COPIED;
    if (!taken[use] || !taken[use]->runner->client || choice->race[use].rounds == 0)
        return;
    while (!block->context->interrupted) {
        struct error why = { .status = STATUS_OK };
        const unsigned found = race_rival(&choice->race[use], (unsigned)(taken[use] - choice->contender));
        struct contender *rival = found < choice->contenders ? &choice->contender[found] : NULL;
        if (!rival || !rival->runner->client || rival->runner->has_begun || rival->runner->repacks ||
            taken[use]->runner->repacks)
            return;
        if (runner_verify(rival->runner, &why)) {
            block->rival[block->rivals++] = (struct rival){ .runner = rival->runner, .first = taken[use]->runner };
            return;
        }
        choice_lose(choice, rival, &why);
        choice_judge(choice, taken);
    }
}

/* Puts the rival in the place of the method that was measured so far. False where it fails at that. */
static bool replace(struct block *block, struct rival *rival)
{
    struct runner *winner = rival->runner, *loser = rival->first;
    exchange_baseline(block, loser, winner);
    winner->measures = loser->measures;
    if (!begin(block, winner)) {
        exchange_baseline(block, winner, loser);
        return false;
    }
    block->count--; /* begin has added it as the last one */
    for (unsigned i = 0; i < block->count; i++)
        if (block->measured[i] == loser)
            block->measured[i] = winner;
    return true;
}

/* The method that failed while two were visited, in a note: its cell leaves the record, or was never in it. */
static void note_failure(struct block *block, const struct runner *failed, const struct error *why)
{
    run_log_note(&block->context->run_log, "",
                 "%s on %s failed at its first visits, and another method is measured: %s", failed->cell->method->name,
                 failed->cell->device->id, why->message);
    if (client_counts_against_device(why))
        context_record_death(block->context, failed->cell);
}

static void settle(struct block *block, struct rival *rival)
{
    static const double better = 1.01;
    struct runner *winner = rival->first, *loser = rival->runner;
    const bool has_died = !winner->client;
    const bool is_faster =
        rival->failure.status == STATUS_OK && (has_died || stats_median(rival->ratio, rival->visits) > better);
    if (is_faster && replace(block, rival)) {
        winner = rival->runner;
        loser = rival->first;
    } else if (is_faster)
        rival->failure = rival->runner->outcome;
    rival->runner = NULL;
    if (block->context->interrupted) /* what was measured of the first stays */
        return;
    if (loser == rival->first && has_died)
        note_failure(block, loser, &loser->outcome);
    if (rival->failure.status != STATUS_OK)
        note_failure(block, loser, &rival->failure);
    run_log_write(&block->context->run_log,
                  &(struct journal_line){ .kind = LINE_CHOSEN,
                                          .cell = winner->cell->key,
                                          .instead_of = loser->has_begun ? loser->cell->key : NULL });
    loser->has_begun = false;
    runner_end(loser, NULL);
}

/* Where the visits of two close methods have decided the better one stays. True if that was so for any. */
static bool settle_all(struct block *block)
{
    bool any = false;
    for (unsigned i = 0; i < block->rivals && !block->context->interrupted; i++) {
        struct rival *rival = &block->rival[i];
        if (!rival->runner ||
            (rival->visits < DECIDING_VISITS && rival->failure.status == STATUS_OK && rival->first->client))
            continue;
        settle(block, rival);
        any = true;
    }
    return any;
}

void block_visit(struct block *block)
{
    visit_take(block);
    if (settle_all(block) && block_is_active(block) && !block->context->interrupted)
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

/* After rows of one method each have begun: where the baseline failed at that, the fastest of the others takes its
 * place, for the rows that come later. */
static void renew_baseline(struct block *block, struct contender *taken[USES])
{
    struct choice *choice = &block->choice;
    for (unsigned i = 0; i < choice->contenders; i++)
        if (choice->contender[i].runner->outcome.status != STATUS_OK)
            choice_lose(choice, &choice->contender[i], &choice->contender[i].runner->outcome);
    if (!block->context->interrupted)
        choose(block, taken);
}

/* A row, whose methods are its contenders. Or several rows of the baseline's device that have one method each: the
 * fastest is the baseline, and all are measured. */
static void measure_rows(struct block *block, unsigned first, unsigned end, bool is_one_row)
{
    struct contender *taken[USES] = { NULL };
    if (continue_rows(block, first, end, is_one_row))
        return;
    block->choice = (struct choice){ .context = block->context,
                                     .rule = &block->rule,
                                     .series = SERIES_RESIDENT,
                                     .most = INFINITY,
                                     .takes_turns = contenders_take_turns(block, block->runner[first].cell->device) };
    contenders_open(block, first, end);
    choice_run(&block->choice);
    choose(block, taken);
    if (is_one_row) {
        while (!begin_taken(block, taken) &&
               is_worth_another(block, taken)) /* one failed: the others are chosen from */
            choose(block, taken);
        keep_rival(block, taken);
        contenders_remember(block, taken);
    }
    copy_outcomes(block);
    write_choice(block);
    const struct runner *rival = block->rivals > 0 ? block->rival[block->rivals - 1].runner : NULL;
    for (unsigned i = first; i < end; i++)
        if (!is_one_row)
            begin_row(block, &block->runner[i]);
        else if (!block->runner[i].has_begun && &block->runner[i] != rival)
            runner_end(&block->runner[i], NULL);
    if (is_one_row)
        write_failed_row(block, first, end);
    else
        renew_baseline(block, taken);
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
    for (unsigned i = 0; i < block->count; i++)
        for (enum series series = 0; series < SERIES_COUNT; series++)
            if (block->measured[i]->cell->device == device && block->measured[i]->series[series].active)
                return true;
    return false;
}

static void close_runner(struct runner *runner)
{
    runner_close(runner);
    runner_count_losses(runner);
}

/* Where the rows of a device do not fit together the one before gets all its visits first, or its part of the time:
 * as much as each row from `first` on. */
static void make_way(struct block *block, unsigned first)
{
    const struct context *context = block->context;
    const struct device *device = block->runner[first].cell->device;
    unsigned kept = 0, rows = 1;
    if (block->in_turn != ROWS_IN_TURN || device == block->compared)
        return;
    for (unsigned i = first; i < block->runners; i = row_end(block, i))
        rows++;
    const double later = context_time_left(context) * (rows - 1) / rows;
    block->is_opening = true;
    while (is_visited(block, device) && !context->interrupted && context_time_left(context) >= later)
        block_visit(block);
    block->is_opening = false;
    for (unsigned i = 0; i < block->count; i++)
        if (block->measured[i]->cell->device == device) {
            visit_stop(block, block->measured[i], STOP_TIME);
            close_runner(block->measured[i]);
        } else
            block->measured[kept++] = block->measured[i];
    block->count = kept;
}

/* The visits and slices of a resumed journal. */
static void count_recorded(struct block *block)
{
    const struct block_record *record = record_find_block(block->context->run_log.record, block->runner[0].cell->block);
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
                         struct cell cell[], unsigned cells, enum in_turn in_turn, struct error *err)
{
    struct block *block = block_alloc(context, cell, cells, err);
    if (!block)
        return NULL;
    const double start = clock_wall();
    const unsigned most = cell[0].problem.workload->most_visits;
    block->rule = block->asked = *rule;
    block->rule.visits = most > 0 && most < rule->visits ? most : rule->visits;
    block->compared = problem_computes(&cell[0].problem) ? compared : NULL;
    block->in_turn = in_turn;
    count_recorded(block);
    for (unsigned first = 0, end; first < cells; first = end) {
        end = group_end(block, first);
        make_way(block, first);
        measure_rows(block, first, end, row_end(block, first) == end);
    }
    block->seconds = clock_wall() - start;
    return block;
}

/* Scripted devices have times of their own. */
static void write_spent(struct block *block)
{
    const struct cell *cell = block->runner[0].cell;
    struct journal_line line = { .kind = LINE_SPENT, .block = cell->block };
    memcpy(line.spent, block->spent, sizeof line.spent);
    if (!backend_is_scripted(cell->device->backend))
        run_log_write(&block->context->run_log, &line);
}

void block_close(struct block *block, enum stop why)
{
    struct context *context = block->context;
    const double start = clock_wall();
    for (unsigned i = 0; i < block->count; i++)
        visit_stop(block, block->measured[i], why);
    sustained_run(block);
    for (unsigned i = 0; i < block->count; i++)
        close_runner(block->measured[i]);
    for (unsigned i = 0; i < block->runners; i++) /* in fresh processes, while none of this block holds memory */
        if (block->runner[i].has_begun && block->runner[i].outcome.status == STATUS_OK)
            naive_measure(block, block->runner[i].cell);
    block->seconds += clock_wall() - start;
    if (!context->interrupted) {
        write_spent(block);
        if (why != STOP_TIME && !context->resume) /* as long as all of it takes */
            forecast_remember(block);
        run_log_write(&context->run_log,
                      &(struct journal_line){ .kind = LINE_DONE, .block = block->runner[0].cell->block });
    }
    block_free(block);
}
