#include "bench/schedule/block_state.h"
#include "bench/schedule/tuning.h"
#include "harness/analysis/figures.h"
#include "harness/machine/host.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Seconds that kernels may take to compile once another method of the device is ready. */
static const double compiling_on_cpu = 2, compiling_on_gpu = 10;

/* What the open workers hold beside a cell. How much memory of its device a worker holds is known once it is measured,
 * where the driver tells. */
static struct held held_beside(const struct context *context, const struct cell *cell)
{
    struct held held = { 0 };
    for (const struct runner *open = context->open; open; open = open->next) {
        const struct cell_record *seen = record_cell(context->run_log.record, open->cell->key);
        admission_hold(&held, cell, open->cell, seen ? seen->memory_cost.held_device : NAN);
    }
    return held;
}

/* Whether a worker of the cell may be open beside those that are. */
static bool has_room(const struct context *context, const struct cell *cell)
{
    const struct held held = held_beside(context, cell);
    return held.workers == 0 ||
           (context->options->order != ORDER_SEQUENTIAL &&
            admission_has_room(&context->terms->admission, &held, cell, host_memory_available("")));
}

/* Whether there was no memory for the worker while others of its device are open, be it the device's or the host's, or
 * the device did not open for it. */
static bool was_refused_beside(const struct runner *runner)
{
    bool is_refusal = runner->outcome.status == STATUS_NO_MEMORY || runner->lacks_device;
    return is_refusal && held_beside(runner->context, runner->cell).on_chip > 0;
}

/* Seconds that the kernels of a method may take to compile; INFINITY: as long as they want. */
static double compile_limit(const struct block *block, const struct runner *runner)
{
    const struct options *options = block->context->options;
    const struct cell *cell = runner->cell;
    bool is_quick = options->suite == SUITE_QUICK || options->suite == SUITE_STANDARD;
    bool is_needed = block->choice.contenders == 0 || options->method[0] || !cell->method || cell->method->loads_long;
    return !is_quick || is_needed ? INFINITY : cell->device->class == CLASS_CPU ? compiling_on_cpu : compiling_on_gpu;
}

/* A method that compiled for too long is left out in later runs too, so that warm and cold caches give the same rows.
 */
static bool open_in_time(struct block *block, struct runner *runner)
{
    struct context *context = block->context;
    const double limit = compile_limit(block, runner);
    if (isfinite(limit) && context_recall(context, runner->cell, "compiles too long", runner->cell->method->name))
        return fail_in(&runner->outcome, "choice", STATUS_TOO_SLOW,
                       "left out: in an earlier run its kernels were not compiled within %.0f s", limit);
    if (runner_open(runner, limit))
        return true;
    if (runner->outcome.status == STATUS_TOO_SLOW)
        context_remember(context, runner->cell, "compiles too long", runner->cell->method->name, "yes");
    return false;
}

/* Runs the choice among the contenders that are open, and ends those that it does not take. */
static void settle(struct block *block)
{
    struct choice *choice = &block->choice;
    struct contender *taken[USES];
    unsigned kept = 0;
    if (choice->contenders < 2)
        return;
    choice_run(choice);
    choice_take(choice, taken);
    choice_end(choice, taken);
    for (unsigned i = 0; i < choice->contenders; i++) {
        struct contender *contender = &choice->contender[i];
        if (contender == taken[USE_RESIDENT] || contender == taken[USE_COPIED]) {
            choice->contender[kept++] = *contender;
            continue;
        }
        for (enum use use = 0; use < USES; use++)
            if (contender->standing[use].end == RACE_TIED)
                contender->standing[use].end = RACE_SLOWER; /* than what, is open until all were tried */
        runner_drop(contender->runner);
        block_tell(block, contender);
    }
    choice->contenders = kept;
}

/* Steps that make room for a worker, one after the other, until it can be opened. */
enum relief { AS_IT_IS, OF_LOSERS, OF_ROWS, OF_BASELINE, OF_THE_ROW, RELIEFS };

static void drop_contenders(struct block *block)
{
    for (unsigned i = 0; i < block->choice.contenders; i++)
        if (!block->choice.contender[i].runner->is_measured)
            runner_drop(block->choice.contender[i].runner);
}

/* Ends what the step allows to end. Once a row has its choice, its losers are needed only if the chosen one fails: then
 * they are opened again. */
static void make_room(struct block *block, enum relief relief)
{
    if (relief == OF_LOSERS && block->is_opening)
        settle(block);
    else if (relief == OF_LOSERS)
        drop_contenders(block);
    else if (relief == OF_ROWS || relief == OF_BASELINE)
        block_measure_members(block, relief == OF_ROWS);
    else if (relief == OF_THE_ROW && block->is_opening) {
        block->choice.takes_turns = true;
        drop_contenders(block);
    }
}

bool candidates_open_one(struct block *block, struct runner *runner)
{
    struct context *context = block->context;
    bool lacked_device = false;
    if (!context_admits(context, runner->cell, held_beside(context, runner->cell).host_bytes, &runner->outcome))
        return false;
    for (enum relief relief = AS_IT_IS; relief < RELIEFS && !context->interrupted; relief++) {
        make_room(block, relief);
        if (!has_room(context, runner->cell) || !context_admits(context, runner->cell, 0, &runner->outcome))
            continue;
        if (open_in_time(block, runner)) {
            if (lacked_device)
                context_record_refusal(context, runner->cell->device);
            return true;
        }
        if (!was_refused_beside(runner))
            return false;
        runner->was_refused |= !runner->lacks_device;
        lacked_device |= runner->lacks_device;
        runner->lacks_device = false;
    }
    if (runner->outcome.status == STATUS_OK && context_admits(context, runner->cell, 0, &runner->outcome))
        fail_in(&runner->outcome, "block", STATUS_NO_MEMORY, "no room for its worker");
    return false;
}

/* The cell of the largest smaller problem of this kind that was measured in this run, for a use; NULL: none. */
static const struct cell_record *measured_before(const struct block *block, const struct cell *cell, enum use use)
{
    const struct record *record = block->context->run_log.record;
    const double flops = cell->problem.workload->flops(&cell->problem);
    const struct cell_record *best = NULL;
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *seen = record->cell[i];
        const bool is_of_kind = strcmp(seen->workload, cell->problem.workload->name) == 0 &&
                                strcmp(seen->dtype, dtype_name(cell->problem.dtype)) == 0 &&
                                strcmp(seen->device_id, cell->device->id) == 0 &&
                                strcmp(seen->memory, memory_name(cell->memory)) == 0;
        const bool is_of_use =
            seen->measures == MEASURES_BOTH || seen->measures == use_measures(use == USE_RESIDENT, use == USE_COPIED);
        if (is_of_kind && is_of_use && seen->outcome.status == STATUS_OK && seen->flops > 0 && seen->flops < flops &&
            (!best || seen->flops > best->flops))
            best = seen;
    }
    return best;
}

/* Whether a run is predicted to be too long to try several methods. */
static bool is_predicted_long(const struct cell_record *before, const struct cell *cell)
{
    const enum series series = before->track[SERIES_RESIDENT].slices > 0 ? SERIES_RESIDENT : SERIES_COPIED;
    const double run = track_median(&before->track[series], offsetof(struct slice, median));
    return run * cell->problem.workload->flops(&cell->problem) / before->flops > long_run;
}

/* Whether the method is tried: where runs are long, only what was the fastest at the next smaller size is. */
static bool is_tried(const struct block *block, struct runner *runner)
{
    bool is_limited = false;
    for (enum use use = 0; use < USES; use++) {
        const struct cell_record *before = measured_before(block, runner->cell, use);
        if (!before || !is_predicted_long(before, runner->cell))
            continue;
        if (strcmp(before->method, runner->cell->method->name) == 0)
            return true;
        is_limited = true;
    }
    return !is_limited || fail_in(&runner->outcome, "choice", STATUS_TOO_SLOW,
                                  "not tried: a run takes long, and at a smaller size another method was the fastest");
}

/* Whether the same method was chosen, or is alone, in another kind of memory of the device before. */
static bool suits_memory(const struct block *block, struct runner *runner)
{
    bool is_known = false;
    for (const struct runner *other = block->runner; other < runner; other++) {
        if (other->cell->device != runner->cell->device || other->cell->row == runner->cell->row ||
            other->cell->memory == runner->cell->memory || !other->is_measured)
            continue;
        if (other->cell->method == runner->cell->method)
            return true;
        is_known = true;
    }
    return !is_known || fail_in(&runner->outcome, "choice", STATUS_TOO_SLOW,
                                "not tried: another method was the fastest in the memory before");
}

void candidates_open(struct block *block, unsigned first, unsigned end)
{
    struct context *context = block->context;
    for (unsigned i = first; i < end; i++) {
        struct runner *runner = &block->runner[i];
        const struct cell *cell = runner->cell;
        if (!context_admits(context, cell, INFINITY, &runner->outcome) ||
            (end - first > 1 && cell->method && !(is_tried(block, runner) && suits_memory(block, runner))))
            continue;
        tuning_recall(runner);
        if (!candidates_open_one(block, runner)) {
            if (client_counts_against_device(&runner->outcome))
                admission_record_death(&context->terms->admission, cell);
            continue;
        }
        tuning_run(runner);
        if (runner->client)
            choice_add(&block->choice, runner, "");
    }
}

/* What the choice of a method depends on, beside the device and the workload. Returns `to`. */
static const char *choice_key(char to[CELL_TEXT], const struct cell *cell, enum use use)
{
    char shape[SHAPE_MAX];
    snprintf(to, CELL_TEXT, "%s %s%s %s", problem_shape(&cell->problem, shape), memory_name(cell->memory),
             cell->flush ? " cold" : "", series_name(use_series[use]));
    return to;
}

void candidates_recall(struct block *block)
{
    struct choice *choice = &block->choice;
    for (unsigned i = 0; i < choice->contenders; i++)
        for (enum use use = 0; use < USES; use++) {
            const struct cell *cell = choice->contender[i].runner->cell;
            char key[CELL_TEXT];
            const char *name = context_recall(block->context, cell, "method", choice_key(key, cell, use));
            if (name && strcmp(name, cell->method->name) == 0)
                choice->remembered[use] = &choice->contender[i];
        }
}

void candidates_remember(struct block *block, struct contender *const taken[USES])
{
    for (enum use use = 0; use < USES; use++) {
        const struct contender *before = block->choice.remembered[use], *now = taken[use];
        if (!now || !now->runner->cell->method || block->context->interrupted)
            continue;
        if (before && now->runner != before->runner && use == USE_RESIDENT)
            run_log_note(&block->context->run_log, now->runner->cell->key,
                         "measured with %s; earlier runs took %s, which %s now", now->runner->cell->method->name,
                         before->runner->cell->method->name,
                         before->outcome.status == STATUS_OK ? "is surely slower" : "failed");
        const struct cell *cell = now->runner->cell;
        char key[CELL_TEXT];
        context_remember(block->context, cell, "method", choice_key(key, cell, use), cell->method->name);
    }
}
