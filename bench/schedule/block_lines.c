/* The journal's lines of a block: its cells, and how their methods were chosen. */

#include "bench/schedule/block_state.h"

#include <string.h>

/* The contenders that tied with a runner, as the journal has them; NULL: none. */
static json_t *ties_of(const struct block *block, const struct runner *runner)
{
    const enum use use = runner->measures == MEASURES_COPIED ? USE_COPIED : USE_RESIDENT;
    json_t *ties = NULL;
    for (unsigned i = 0; i < block->choice.contenders; i++) {
        const struct contender *contender = &block->choice.contender[i];
        if (contender->end[use] != RACE_TIED || contender->runner == runner)
            continue;
        ties = ties ? ties : json_array();
        json_array_append_new(ties, json_string(contender->runner->cell->method->name));
    }
    return ties;
}

void block_write_cell(const struct block *block, const struct runner *runner, bool is_chosen)
{
    const char *key[USES];
    for (enum use use = 0; use < USES; use++)
        key[use] = block->rounds.baseline[use] ? block->rounds.baseline[use]->cell->key : "";
    json_t *line = cell_to_json(runner->cell, key[USE_RESIDENT]), *ties = is_chosen ? ties_of(block, runner) : NULL;
    if (strcmp(key[USE_COPIED], key[USE_RESIDENT]) != 0)
        json_object_set_new(line, "baseline_copied", json_string(key[USE_COPIED]));
    if (runner->measures != MEASURES_BOTH)
        json_object_set_new(line, "measures", json_string(measures_names[runner->measures]));
    if (ties)
        json_object_set_new(line, "tied_with", ties);
    run_log_write(&block->context->run_log, line);
}

void block_write_unmeasured(const struct block *block, const struct runner *runner)
{
    block_write_cell(block, runner, false);
    outcome_write(block->context, runner->cell, &runner->outcome, runner->driver_log);
}

/* Adds a contender, and its other kernel shapes, whose ratios are to its own. */
static void add_contender(json_t *contenders, const struct contender *contender, enum use use)
{
    size_t i;
    json_t *shape;
    json_array_append_new(contenders, contender_to_json(contender, use));
    json_array_foreach (contender->runner->shapes, i, shape) {
        json_t *copy = json_copy(shape);
        const double ratio = json_number_value(json_object_get(shape, "ratio"));
        if (ratio > 0)
            json_object_set_new(copy, "ratio", journal_number(ratio * contender->ratio[use]));
        json_array_append_new(contenders, copy);
    }
}

void block_write_choice(const struct block *block)
{
    const struct choice *choice = &block->choice;
    const struct cell *cell = choice->contender[0].runner->cell;
    for (enum use use = 0; use < USES && cell->method; use++) {
        json_t *contenders = json_array();
        for (unsigned i = 0; i < choice->contenders; i++)
            add_contender(contenders, &choice->contender[i], use);
        if (json_array_size(contenders) > 1 && (use == USE_RESIDENT || choice->is_copied))
            run_log_write(&block->context->run_log,
                          json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:b, s:O}", "line", "race", "block",
                                    cell->block, "device", cell->device->id, "memory", memory_names[cell->memory],
                                    "dtype", dtype_name(cell->problem.dtype), "for",
                                    measures_names[use_measures(use == USE_RESIDENT, use == USE_COPIED)], "rounds",
                                    (int)choice->race[use].rounds, "origin",
                                    choice->remembered[use] ? "remembered" : "tuned", "settled",
                                    choice->is_settled[use], "contenders", contenders));
        json_decref(contenders);
    }
}
