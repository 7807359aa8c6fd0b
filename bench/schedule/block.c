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
    free(block->rounds.member);
    free(block);
}

static struct block *block_alloc(struct context *context, struct cell cell[], unsigned cells, struct error *err)
{
    struct block *block = calloc(1, sizeof *block);
    struct runner *runner = calloc(cells, sizeof *runner), **member = calloc(cells, sizeof *member);
    if (!block || !runner || !member) {
        free(block);
        free(runner);
        free(member);
        return fail_null(err, STATUS_NO_MEMORY, "no memory for a block of %u cells", cells);
    }
    *block = (struct block){
        .context = context, .runner = runner, .runners = cells, .rounds = { .context = context, .member = member }
    };
    for (unsigned i = 0; i < cells; i++)
        runner[i] =
            (struct runner){ .context = context, .cell = &cell[i], .opening = NAN, .run = INFINITY, .repack = NAN };
    return block;
}

/* Brings a chosen runner to its rounds; opens it again if it had to make room for others. False with its outcome. */
static bool begin(struct block *block, struct runner *runner)
{
    if (!runner->client && !candidates_open_one(block, runner)) {
        block_write_unmeasured(block, runner);
        return false;
    }
    block_write_cell(block, runner, true);
    runner->is_measured = true;
    if (runner->was_refused)
        run_log_note(&block->context->run_log, runner->cell->key,
                     "there was no memory for it beside others: measured without them");
    const bool is_ready = runner_begin(runner);
    if (isfinite(runner->run))
        admission_record_run(&block->context->terms->admission, runner->cell, runner->run);
    if (is_ready)
        block->rounds.member[block->rounds.members++] = runner;
    else
        outcome_write(block->context, runner->cell, &runner->outcome, runner->driver_log);
    return is_ready;
}

/* The first runner of the baseline's device that is chosen for a use is its baseline. */
static void set_baseline(struct block *block, struct contender *const taken[USES])
{
    for (enum use use = 0; use < USES; use++) {
        struct runner *runner = taken[use] ? taken[use]->runner : NULL;
        if (!runner || block->baseline[use] || runner->cell->device != block->context->terms->baseline)
            continue;
        block->baseline[use] = runner->cell;
        block->rounds.baseline[use] = runner;
    }
}

static void drop_baseline(struct block *block, const struct runner *runner)
{
    for (enum use use = 0; use < USES; use++)
        if (block->rounds.baseline[use] == runner) {
            block->rounds.baseline[use] = NULL;
            block->baseline[use] = NULL;
        }
}

/* Begins the runners that were taken, one for both uses or one for each. The first that fails is out, and what is left
 * waits for another choice, as that may serve both uses. Returns whether all were ready. */
static bool begin_taken(struct block *block, struct contender *const taken[USES])
{
    for (enum use use = 0; use < USES; use++) {
        struct runner *runner = taken[use] ? taken[use]->runner : NULL;
        if (!runner || runner->is_measured)
            continue;
        bool stays = taken[USE_RESIDENT] && taken[USE_RESIDENT]->runner == runner;
        bool moves = taken[USE_COPIED] && taken[USE_COPIED]->runner == runner;
        runner->measures = use_measures(stays, moves);
        if (begin(block, runner))
            continue;
        taken[use]->outcome = runner->outcome;
        drop_baseline(block, runner);
        block_count_losses(block, runner);
        return false;
    }
    return true;
}

/* A row with nothing to measure: the first failure is its outcome, else the first reason. */
static void write_failed_row(struct block *block, unsigned first, unsigned end)
{
    const struct runner *told = NULL;
    for (unsigned i = first; i < end; i++) {
        const struct runner *runner = &block->runner[i];
        if (runner->is_measured)
            return;
        bool is_bad = status_is_bad(runner->outcome.status);
        told = !told || (is_bad && !status_is_bad(told->outcome.status)) ? runner : told;
    }
    struct runner *last = &block->runner[told - block->runner];
    if (told->outcome.status == STATUS_OK)
        fail(&last->outcome, STATUS_ABANDONED, "interrupted before anything was measured");
    block_write_unmeasured(block, told);
    if (client_counts_against_device(&told->outcome) || told->lacks_device)
        admission_record_loss(&block->context->terms->admission, told->cell->device);
}

/* What the choice found of each contender becomes the outcome of its runner. */
static void take_over(struct block *block)
{
    for (unsigned i = 0; i < block->choice.contenders; i++) {
        const struct contender *contender = &block->choice.contender[i];
        struct runner *runner = contender->runner;
        if (contender->outcome.status != STATUS_OK)
            runner->outcome = contender->outcome;
        if (client_counts_against_device(&contender->outcome))
            admission_record_death(&block->context->terms->admission, runner->cell);
    }
}

/* Then the others are slower yet. */
static bool is_too_slow(struct contender *const taken[USES])
{
    const struct contender *stay = taken[USE_RESIDENT];
    return stay && stay->outcome.status == STATUS_TOO_SLOW;
}

/* Chooses the methods of one row and begins them. */
static void measure_row(struct block *block, unsigned first, unsigned end)
{
    struct choice *choice = &block->choice;
    struct contender *taken[USES] = { NULL };
    bool all;
    choice_run(choice);
    do {
        choice_take(choice, taken);
        set_baseline(block, taken);
        choice_end(choice, taken);
        all = begin_taken(block, taken);
        all |= is_too_slow(taken);
    } while (!all && (taken[USE_RESIDENT] || taken[USE_COPIED]) && !block->context->interrupted);
    candidates_remember(block, taken);
    take_over(block);
    for (unsigned i = 0; i < choice->contenders; i++)
        if (!choice->contender[i].runner->is_measured)
            runner_drop(choice->contender[i].runner);
    block_write_choice(block, first, end);
    write_failed_row(block, first, end);
}

/* Several rows of the baseline's device, one method each: the fastest is the baseline, and all are measured. */
static void measure_methods(struct block *block, unsigned first, unsigned end)
{
    struct choice *choice = &block->choice;
    struct contender *taken[USES] = { NULL };
    choice_run(choice);
    choice_take(choice, taken);
    set_baseline(block, taken);
    choice_end(choice, taken);
    take_over(block);
    block_write_choice(block, first, end);
    choice->contenders = 0;
    for (unsigned i = first; i < end; i++) {
        struct runner *runner = &block->runner[i];
        runner->measures = MEASURES_BOTH;
        if (runner->outcome.status != STATUS_OK)
            block_write_unmeasured(block, runner);
        else
            begin(block, runner);
    }
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

static void open_group(struct block *block, unsigned first, unsigned end)
{
    const bool is_one_row = row_end(block, first) == end;
    block->choice = (struct choice){ .context = block->context, .series = SERIES_RESIDENT, .most = INFINITY };
    for (enum use use = 0; use < USES; use++)
        block->told[use] = json_array();
    block->is_opening = true;
    candidates_open(block, first, end);
    block->is_opening = false;
    if (is_one_row && block->runner[first].cell->method)
        candidates_recall(block);
    if (is_one_row)
        measure_row(block, first, end);
    else
        measure_methods(block, first, end);
}

/* In fresh processes, while no other worker holds memory. */
static void measure_naively(struct block *block)
{
    for (unsigned i = 0; i < block->runners; i++)
        if (block->runner[i].is_measured)
            naive_measure(block->context, block->runner[i].cell);
}

/* Scripted devices have times of their own. */
static void write_spent(struct context *context, const struct cell *cell)
{
    char member[32];
    json_t *line = json_pack("{s:s, s:s}", "line", "spent", "block", cell->block);
    for (enum spent spent = 0; spent < SPENT_COUNT; spent++) {
        snprintf(member, sizeof member, "%s_ns", spent_name(spent));
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
        open_group(block, first, end);
    }
    block_measure_members(block, false);
    measure_naively(block);
    progress_leave(&context->progress);
    if (!context->interrupted) {
        forecast_remember(context, cell, cells, clock_wall() - start);
        write_spent(context, &cell[0]);
        run_log_write(&context->run_log, json_pack("{s:s, s:s}", "line", "done", "block", cell[0].block));
    }
    block_free(block);
    return true;
}
