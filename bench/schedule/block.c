#include "bench/schedule/block.h"

#include "bench/backends/registry.h"
#include "bench/schedule/block_state.h"
#include "bench/schedule/forecast.h"
#include "bench/schedule/naive.h"
#include "harness/base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void block_free(struct block *block)
{
    for (unsigned i = 0; i < block->runners; i++)
        runner_free(&block->runner[i]);
    free(block->runner);
    free(block->rounds.runner);
    free(block);
}

static struct block *block_alloc(struct context *context, struct cell cell[], unsigned cells, struct error *err)
{
    struct block *block = calloc(1, sizeof *block);
    struct runner *runner = calloc(cells, sizeof *runner), **chosen = calloc(cells, sizeof *chosen);
    if (!block || !runner || !chosen) {
        free(block);
        free(runner);
        free(chosen);
        return fail_null(err, STATUS_NO_MEMORY, "no memory for a block of %u cells", cells);
    }
    *block = (struct block){
        .context = context, .runner = runner, .runners = cells, .rounds = { .context = context, .runner = chosen }
    };
    for (unsigned i = 0; i < cells; i++)
        runner[i] = (struct runner){ .context = context, .cell = &cell[i], .opening = NAN, .run = INFINITY };
    return block;
}

/* --- a row --- */

/* Brings a chosen runner to its rounds; opens it again if it had to make room for others. False with its outcome. If
 * has_begun is set, the cell and this outcome are in the journal; otherwise nothing is. */
static bool begin(struct block *block, struct runner *runner, bool is_chosen)
{
    if (!runner->client && !contenders_open_one(block, runner))
        return false;
    block_write_cell(block, runner, is_chosen);
    runner->has_begun = true;
    const bool is_ready = runner_begin(runner);
    if (is_ready)
        block->rounds.runner[block->rounds.runners++] = runner;
    else
        outcome_write(block->context, runner->cell, &runner->outcome, runner->driver_log);
    return is_ready;
}

/* The first runner of the baseline's device that is chosen for a use is its baseline. */
static void set_baseline(struct block *block, struct contender *const taken[USES])
{
    for (enum use use = 0; use < USES; use++) {
        struct runner *runner = taken[use] ? taken[use]->runner : NULL;
        if (runner && !block->rounds.baseline[use] && runner->cell->device == block->context->terms->baseline)
            block->rounds.baseline[use] = runner;
    }
}

static void drop_baseline(struct block *block, const struct runner *runner)
{
    for (enum use use = 0; use < USES; use++)
        if (block->rounds.baseline[use] == runner)
            block->rounds.baseline[use] = NULL;
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
        if (begin(block, runner, true)) {
            if (!is_for[USES - 1 - use])
                choice_keep_for(&block->choice, taken[use], use);
            continue;
        }
        choice_lose(&block->choice, taken[use], &runner->outcome);
        drop_baseline(block, runner);
        if (runner->has_begun)
            runner_count_losses(runner);
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
        fail(&worst->outcome, STATUS_ABANDONED, "interrupted before anything was measured");
    block_write_unmeasured(block, worst);
    if (client_counts_against_device(&worst->outcome) || worst->lacks_device)
        admission_record_loss(&block->context->admission, worst->cell->device);
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
            admission_record_death(&block->context->admission, contender->runner->cell);
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

static void begin_each(struct block *block, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++) {
        struct runner *runner = &block->runner[i];
        const bool works = runner->outcome.status == STATUS_OK;
        if (works && begin(block, runner, false)) /* a tie says nothing where all are measured */
            continue;
        if (!runner->has_begun)
            block_write_unmeasured(block, runner);
        drop_baseline(block, runner);
        if (works)
            runner_count_losses(runner);
    }
}

static void choose(struct block *block, struct contender *taken[USES])
{
    choice_take(&block->choice, taken);
    set_baseline(block, taken);
    choice_judge(&block->choice, taken);
}

/* Begins those that were taken; while one fails, the choice among the others is made again. */
static void begin_chosen(struct block *block, struct contender *taken[USES])
{
    while (!begin_taken(block, taken) && is_worth_another(block, taken))
        choose(block, taken);
    contenders_remember(block, taken);
}

static void end_row(struct block *block, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        if (!block->runner[i].has_begun)
            runner_end(&block->runner[i], NULL);
    write_failed_row(block, first, end);
}

/* A row, whose methods are its contenders. Or several rows of the baseline's device that have one method each: the
 * fastest is the baseline, and all are measured. */
static void measure_rows(struct block *block, unsigned first, unsigned end, bool is_one_row)
{
    struct contender *taken[USES] = { NULL };
    block->choice = (struct choice){ .context = block->context, .series = SERIES_RESIDENT, .most = INFINITY };
    contenders_open(block, first, end);
    choice_run(&block->choice);
    choose(block, taken);
    if (is_one_row)
        begin_chosen(block, taken);
    copy_outcomes(block);
    block_write_choice(block);
    if (is_one_row)
        end_row(block, first, end);
    else
        begin_each(block, first, end);
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
    const struct device *baseline = block->context->terms->baseline;
    unsigned end = row_end(block, first);
    while (block->runner[first].cell->device == baseline && end < block->runners && row_end(block, end) == end + 1 &&
           row_end(block, first) == first + 1 && block->runner[end].cell->device == baseline)
        end++;
    return end;
}

/* Scripted devices have times of their own. */
static void write_spent(struct context *context, const struct cell *cell)
{
    char member[32];
    json_t *line = json_pack("{s:s, s:s}", "line", "spent", "block", cell->block);
    for (enum spent spent = 0; spent < SPENT_COUNT; spent++) {
        snprintf(member, sizeof member, "%s_ns", spent_names[spent]);
        json_object_set_new(line, member, journal_ns(context->spent[spent]));
        context->spent[spent] = 0;
    }
    if (backend_is_scripted(cell->device->backend))
        json_decref(line);
    else
        run_log_write(&context->run_log, line);
}

bool block_measure(struct context *context, struct cell cell[], unsigned cells, struct error *err)
{
    if (run_log_has(&context->run_log, cell[0].block))
        return true;
    struct block *block = block_alloc(context, cell, cells, err);
    if (!block)
        return false;
    const double start = clock_wall();
    progress_enter(&context->progress, forecast_block(context, cell, cells));
    for (unsigned first = 0, end; first < cells; first = end) {
        end = group_end(block, first);
        measure_rows(block, first, end, row_end(block, first) == end);
    }
    block_measure_chosen(block, false);
    for (unsigned i = 0; i < cells; i++) /* in fresh processes, while no other worker holds memory */
        if (block->runner[i].has_begun)
            naive_measure(context, &cell[i]);
    progress_leave(&context->progress);
    if (!context->interrupted) {
        forecast_remember(context, cell, cells, clock_wall() - start);
        write_spent(context, &cell[0]);
        run_log_write(&context->run_log, json_pack("{s:s, s:s}", "line", "done", "block", cell[0].block));
    }
    block_free(block);
    return true;
}
