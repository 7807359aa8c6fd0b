/* The methods of a row: which are worth opening, and what earlier runs chose. */

#include "bench/schedule/block.h"
#include "bench/schedule/tuning.h"
#include "harness/analysis/times.h"
#include "harness/base/text.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Seconds that kernels may take to compile once another method of the device is ready. */
static const double compiling_on_cpu = 2, compiling_on_gpu = 10;

/* Shorter runs may be mostly launch overhead: nothing is predicted from them. Seconds. */
static const double predicted_from = 0.005;

/* --- what is worth opening --- */

/* FLOP, or bytes if there are none. Problems that are alike have both or neither. */
static double work_of(const struct problem *problem)
{
    const double flops = problem->workload->flops(problem);
    return flops > 0 ? flops : problem->workload->bytes(problem);
}

/* What one run is predicted to take, from the largest smaller problem of this kind that this run has measured. */
struct prediction {
    const struct cell_record *from; /* NULL: there is none */
    double work, took, takes;       /* of that, its seconds, and the predicted ones */
};

/* Whether a recorded cell measures the same kind of problem on the same device for a use. */
static bool is_alike(const struct cell_record *seen, const struct cell *cell, enum use use, struct problem *problem)
{
    struct error ignored = { .status = STATUS_OK };
    return seen->outcome.status == STATUS_OK && strcmp(seen->workload, cell->problem.workload->name) == 0 &&
           strcmp(seen->dtype, dtype_name(cell->problem.dtype)) == 0 &&
           strcmp(seen->device_id, cell->device->id) == 0 && strcmp(seen->memory, memory_names[cell->memory]) == 0 &&
           (seen->measures == MEASURES_BOTH || seen->measures == use_measures[use]) &&
           problem_parse(problem, cell->problem.workload, cell->problem.dtype, seen->shape, &ignored) &&
           problem_is_alike(problem, &cell->problem);
}

/* `method`: of that method; "": of any. */
static struct prediction predict(const struct block *block, const struct cell *cell, enum use use, const char *method)
{
    const struct record *record = block->context->run_log.record;
    const double work = work_of(&cell->problem);
    struct prediction best = { .from = NULL };
    struct problem problem;
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *seen = record->cell[i];
        if ((*method && strcmp(seen->method, method) != 0) || !is_alike(seen, cell, use, &problem))
            continue;
        const enum series series = seen->track[SERIES_RESIDENT].slices > 0 ? SERIES_RESIDENT : SERIES_COPIED;
        const double took = track_median(&seen->track[series], offsetof(struct slice, median));
        if (took >= predicted_from && work_of(&problem) > best.work && work_of(&problem) < work)
            best = (struct prediction){ seen, work_of(&problem), took, took * work / work_of(&problem) };
    }
    return best;
}

static bool is_alone_in_row(const struct block *block, const struct runner *runner)
{
    const struct runner *last = block->runner + block->runners - 1;
    return (runner == block->runner || runner[-1].cell->row != runner->cell->row) &&
           (runner == last || runner[1].cell->row != runner->cell->row);
}

/* Whether a run of the method is not predicted to be too long. Where runs are long, only what was the fastest at the
 * next smaller size is tried. */
static bool is_fast_enough(const struct block *block, struct runner *runner)
{
    const struct cell *cell = runner->cell;
    const bool is_alone = is_alone_in_row(block, runner);
    bool is_limited = false;
    for (enum use use = 0; use < USES; use++) {
        const struct prediction by = predict(block, cell, use, is_alone ? cell->method->name : "");
        if (use == USE_RESIDENT && by.takes > block->rule.deadline)
            return fail(&runner->outcome, STATUS_TOO_SLOW,
                        "predicted %s for one run, from the %s of %s %s (--timeout and --budget raise the limit)",
                        text_seconds(by.takes).text, text_seconds(by.took).text, by.from->method, by.from->shape);
        if (is_alone || !(by.takes > timed_once))
            continue;
        if (strcmp(by.from->method, cell->method->name) == 0)
            return true;
        is_limited = true;
    }
    return !is_limited || fail_in(&runner->outcome, "choice", STATUS_TOO_SLOW,
                                  "not tried: a run takes long, and another method won at a smaller size");
}

/* False if another method was chosen with a previous kind of memory of the device. */
static bool suits_memory(const struct block *block, struct runner *runner)
{
    bool is_known = false;
    for (const struct runner *other = block->runner; other < runner; other++) {
        if (other->cell->device != runner->cell->device || other->cell->memory == runner->cell->memory ||
            !other->has_begun)
            continue;
        if (other->cell->method == runner->cell->method)
            return true;
        is_known = true;
    }
    return !is_known || is_alone_in_row(block, runner) ||
           fail_in(&runner->outcome, "choice", STATUS_TOO_SLOW,
                   "not tried: another method won with the previous kind of memory");
}

/* A method that compiled for too long is left out in the rest of the run; after two such runs in later ones, too. One
 * run may have been hampered. */
bool contenders_open_one(struct block *block, struct runner *runner)
{
    static const char what[] = "compiled too long";
    struct context *context = block->context;
    const struct cell *cell = runner->cell;
    if (!context_admits(context, cell, &runner->outcome))
        return false;
    const bool is_quick = context->options->suite == SUITE_QUICK || context->options->suite == SUITE_STANDARD;
    if (!is_quick || choice_remaining(&block->choice) == 0 || context->options->method[0] || !cell->method ||
        cell->method->is_vendors)
        return runner_open(runner, INFINITY);
    const double limit = cell->device->class == CLASS_CPU ? compiling_on_cpu : compiling_on_gpu;
    const char *name = cell->method->name, *known = context_recall(context, cell, what, name);
    const bool was_once = known && strcmp(known, "once") == 0, is_out = known && strcmp(known, "in this run") == 0;
    if (known && strcmp(known, "never") != 0 && !was_once)
        return fail_in(&runner->outcome, "compile", STATUS_TOO_SLOW,
                       "left out: in %s its kernels were not compiled within %.0f s%s",
                       is_out ? "this run" : "two earlier runs", limit, is_out ? "" : " (--retune tries again)");
    const bool is_open = runner_open(runner, limit);
    if (runner->outcome.status == STATUS_TOO_SLOW) {
        context_remember(context, cell, what, name, was_once ? "twice" : "once", true);
        context_remember(context, cell, what, name, "in this run", false);
    } else if (is_open && (known || context->options->retune))
        context_remember(context, cell, what, name, "never", true);
    return is_open;
}

/* --- the contenders of a row --- */

/* What the choice of a method depends on, beside the device and the workload. Returns `to`. */
static const char *choice_key(char to[CELL_TEXT], const struct cell *cell, enum use use)
{
    char shape[SHAPE_MAX];
    snprintf(to, CELL_TEXT, "%s %s%s %s", problem_shape(&cell->problem, shape), memory_names[cell->memory],
             cell->flush ? " cold" : "", series_names[use_series[use]]);
    return to;
}

/* Whether the methods of a row are opened one at a time. Where a device takes a single process, its methods are, and
 * those of no other device. */
static bool take_turns(const struct block *block, const struct device *device)
{
    for (unsigned i = 0; i < block->runners; i++)
        if (block->runner[i].cell->device->takes_one_process)
            return device->takes_one_process;
    return block->entry.needs.in_turn != ALL_AT_ONCE;
}

/* Where the methods take turns, one is open at a time; each is closed again once its kernel shape is known. */
void contenders_open(struct block *block, unsigned first, unsigned end)
{
    struct choice *choice = &block->choice;
    choice->takes_turns = take_turns(block, block->runner[first].cell->device);
    for (unsigned i = first; i < end; i++) {
        struct runner *runner = &block->runner[i];
        const struct cell *cell = runner->cell;
        if (!cell->method || (is_fast_enough(block, runner) && suits_memory(block, runner))) {
            tuning_recall(runner);
            if (contenders_open_one(block, runner) || (tuning_forget(runner) && contenders_open_one(block, runner)))
                tuning_run(runner);
        }
        struct contender *contender = choice_add(choice, runner, "");
        for (enum use use = 0; use < USES && contender && cell->method; use++) {
            char key[CELL_TEXT];
            const char *name = context_recall(block->context, cell, "method", choice_key(key, cell, use));
            if (name && strcmp(name, cell->method->name) == 0)
                choice->remembered[use] = contender;
        }
        if (choice->takes_turns && end - first > 1)
            runner_end(runner, NULL);
    }
}

void contenders_remember(struct block *block)
{
    for (enum use use = 0; use < USES; use++) {
        const struct contender *before = block->choice.remembered[use], *now = block->choice.taken[use];
        if (!now || !now->runner->cell->method || !now->runner->client || !choice_is_settled(&block->choice, use))
            continue;
        const struct cell *cell = now->runner->cell;
        if (before && now->runner != before->runner && use == USE_RESIDENT)
            run_log_note(&block->context->run_log, cell->key, "measured with %s; earlier runs chose %s",
                         cell->method->name, before->runner->cell->method->name);
        char key[CELL_TEXT];
        context_remember(block->context, cell, "method", choice_key(key, cell, use), cell->method->name, true);
    }
}
