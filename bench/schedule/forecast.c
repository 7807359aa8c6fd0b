#include "bench/schedule/forecast.h"

#include "bench/schedule/apart.h"
#include "harness/base/text.h"

#include <stdio.h>

/* Seconds to start a worker, and of a slice with its checks. */
static const double start_seconds = 0.4, slice_seconds = 0.075;

/* What the time of a block depends on, beside the first device. Returns `to`. */
static const char *seconds_key(char to[2 * CELL_TEXT], const struct rule *rule, const struct cell cell[],
                               unsigned cells)
{
    snprintf(to, 2 * CELL_TEXT, "%s visits %u budget %g", cell[0].block, rule->visits, rule->budget);
    for (unsigned i = 0; i < cells; i++)
        if (i == 0 || cell[i].device != cell[i - 1].device)
            text_append(to, 2 * CELL_TEXT, " %s", cell[i].device->key);
    return to;
}

struct forecast forecast_block(const struct context *context, const struct rule *rule, const struct cell cell[],
                               unsigned cells)
{
    char key[2 * CELL_TEXT];
    struct forecast forecast;
    const char *known = context_recall(context, &cell[0], "seconds", seconds_key(key, rule, cell, cells));
    if (known && sscanf(known, "%lf %lf %u", &forecast.fixed, &forecast.visit, &forecast.visits) == 3)
        return forecast;
    /* Without any experience: opening each method, and a slice for each use of a row and of its baseline. */
    forecast =
        (struct forecast){ .visits = rule->visits > 0 ? rule->visits : (unsigned)(rule->budget / slice_seconds) + 1 };
    const struct cell *latest = NULL; /* that is opened */
    for (unsigned i = 0; i < cells; i++) {
        const bool is_first = !latest || cell[i].row != latest->row,
                   is_first_of_device = !latest || cell[i].device != latest->device;
        const struct problem *problem = &cell[i].problem;
        if (cell[i].refused.status != STATUS_OK)
            continue;
        latest = &cell[i];
        forecast.fixed += is_first_of_device ? sustained_seconds(context->options, &cell[i]) : 0;
        forecast.fixed += start_seconds + cell_opening_seconds(&cell[i]) / 2;
        if (!is_first)
            continue;
        forecast.fixed += naive_seconds(context->options, &cell[i]) + cell_closing_seconds(&cell[i]);
        forecast.visit += (problem_computes(problem) + problem_moves(problem)) * slice_seconds;
    }
    return forecast;
}

double forecast_seconds(const struct forecast *forecast)
{
    return forecast->fixed + forecast->visit * forecast->visits;
}

double forecast_least(const struct forecast *forecast)
{
    const unsigned least = ESTIMATE_VALUES_MIN;
    return forecast->fixed + forecast->visit * (forecast->visits < least ? forecast->visits : least);
}

void forecast_remember(const struct block *block)
{
    char key[2 * CELL_TEXT], value[TUNING_VALUE_MAX];
    const struct cell *cell = block->runner[0].cell;
    if (block->visits == 0)
        return;
    snprintf(value, sizeof value, "%.2f %.3f %u", block->seconds - block->visiting, block->visiting / block->visits,
             block->visits);
    context_remember(block->context, cell, "seconds", seconds_key(key, &block->asked, cell, block->runners), value,
                     true);
}
