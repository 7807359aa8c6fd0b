#include "bench/schedule/block_state.h"
#include "bench/schedule/driver_log.h"

#include <math.h>
#include <string.h>

static const char *key_of(const struct cell *cell)
{
    return cell ? cell->key : "";
}

/* The contenders that tied with a runner, as the journal has them; NULL: none. */
static json_t *ties_of(const struct block *block, const struct runner *runner)
{
    const enum use use = runner->measures == MEASURES_COPIED ? USE_COPIED : USE_RESIDENT;
    json_t *ties = json_array();
    for (unsigned i = 0; i < block->choice.contenders; i++) {
        const struct contender *contender = &block->choice.contender[i];
        if (contender->standing[use].end == RACE_TIED && contender->runner != runner)
            json_array_append_new(ties, json_string(contender->runner->cell->method->name));
    }
    if (json_array_size(ties) > 0)
        return ties;
    json_decref(ties);
    return NULL;
}

void block_write_cell(const struct block *block, const struct runner *runner, bool is_chosen)
{
    json_t *line = cell_to_json(runner->cell, key_of(block->baseline[USE_RESIDENT]));
    json_t *ties = is_chosen ? ties_of(block, runner) : NULL;
    if (block->baseline[USE_COPIED] != block->baseline[USE_RESIDENT])
        json_object_set_new(line, "baseline_copied", json_string(key_of(block->baseline[USE_COPIED])));
    if (runner->measures != MEASURES_BOTH)
        json_object_set_new(line, "measures", json_string(measures_name(runner->measures)));
    if (ties)
        json_object_set_new(line, "tied_with", ties);
    run_log_write(&block->context->run_log, line);
}

void block_write_unmeasured(const struct block *block, const struct runner *runner)
{
    block_write_cell(block, runner, false);
    outcome_write(block->context, runner->cell, &runner->outcome, runner->driver_log);
}

/* A contender in the line of its choice. What the driver printed last explains a failure. */
static json_t *contender_to_json(const struct contender *contender, enum use use)
{
    const struct runner *runner = contender->runner;
    const struct standing *standing = &contender->standing[use];
    const struct error *outcome = &contender->outcome;
    char words[DRIVER_LOG_TAIL] = "";
    const char *shape = *contender->kernel_shape ? contender->kernel_shape : runner->cell->kernel_shape;
    json_t *json = json_pack("{s:s, s:s, s:s, s:i, s:o, s:s, s:o, s:o, s:s, s:s}", "method", runner->cell->method->name,
                             "kernel_shape", shape, "status", status_name(outcome->status), "rounds",
                             (int)standing->rounds, "ratio", journal_number(standing->ratio), "end",
                             race_end_name(standing->end), "wall_ns", journal_ns(standing->run), "first_ns",
                             journal_ns(runner->opening), "where", outcome->where, "reason", outcome->message);
    if (status_is_bad(outcome->status))
        driver_log_tail(words, sizeof words, runner->context->run_log.path, runner->cell->device->id,
                        runner->driver_log);
    if (words[0])
        json_object_set_new(json, "log", json_string(words));
    return json;
}

/* Ratios of its other kernel shapes are to its own. */
static void tell_shapes(json_t *told, const struct contender *contender, enum use use)
{
    size_t i;
    const json_t *shape;
    json_array_foreach (contender->runner->shapes, i, shape) {
        json_t *copy = json_copy((json_t *)shape);
        const double ratio = json_number_value(json_object_get(shape, "ratio"));
        if (ratio > 0)
            json_object_set_new(copy, "ratio", journal_number(ratio * contender->standing[use].ratio));
        json_array_append_new(told, copy);
    }
}

void block_tell(struct block *block, const struct contender *contender)
{
    if (!contender->runner->cell->method)
        return; /* there is nothing to choose */
    for (enum use use = 0; use < USES; use++) {
        json_array_append_new(block->told[use], contender_to_json(contender, use));
        tell_shapes(block->told[use], contender, use);
    }
}

/* Those that took no part, with the reason. */
static void tell_absent(struct block *block, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++) {
        const struct runner *runner = &block->runner[i];
        bool is_in = runner->outcome.status == STATUS_OK || !runner->cell->method;
        for (unsigned k = 0; k < block->choice.contenders; k++)
            is_in |= block->choice.contender[k].runner == runner;
        if (is_in)
            continue;
        struct contender absent = { .runner = (struct runner *)runner, .outcome = runner->outcome };
        const bool is_bad = status_is_bad(absent.outcome.status) && absent.outcome.status != STATUS_ABANDONED;
        for (enum use use = 0; use < USES; use++)
            absent.standing[use] = (struct standing){ is_bad ? RACE_FAILED : RACE_PASSED_OVER, 0, NAN, NAN };
        block_tell(block, &absent);
    }
}

void block_write_choice(struct block *block, unsigned first, unsigned end)
{
    const struct choice *choice = &block->choice;
    const struct cell *cell = block->runner[first].cell;
    for (unsigned i = 0; i < choice->contenders; i++)
        block_tell(block, &choice->contender[i]);
    tell_absent(block, first, end);
    for (enum use use = 0; use < USES; use++) {
        const bool is_wanted = json_array_size(block->told[use]) > 1 && (use == USE_RESIDENT || choice->is_copied);
        if (is_wanted)
            run_log_write(&block->context->run_log,
                          json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:b, s:O}", "line", "race", "block",
                                    cell->block, "device", cell->device->id, "memory", memory_name(cell->memory),
                                    "dtype", dtype_name(cell->problem.dtype), "for",
                                    measures_name(use_measures(use == USE_RESIDENT, use == USE_COPIED)), "rounds",
                                    (int)choice->race[use].rounds, "origin",
                                    choice->remembered[use] ? "remembered" : "tuned", "settled",
                                    choice->is_settled[use], "contenders", block->told[use]));
        json_decref(block->told[use]);
        block->told[use] = NULL;
    }
}
