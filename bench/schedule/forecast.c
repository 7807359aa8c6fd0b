#include "bench/schedule/forecast.h"

#include "bench/schedule/naive.h"
#include "bench/schedule/runner.h"
#include "bench/schedule/sustained.h"
#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>

/* Seconds to start a worker, and slices of a use and of its baseline, in budgets. */
static const double start_seconds = 0.4, slices_twice = 1.5;

/* What the time of a block depends on, beside the first device. Returns `to`. */
static const char *seconds_key(char to[2 * CELL_TEXT], const struct context *context, const struct cell cell[],
                               unsigned cells)
{
    snprintf(to, 2 * CELL_TEXT, "%s budget %g", cell[0].block, context->terms->rule.budget);
    for (unsigned i = 0; i < cells; i++)
        if (i == 0 || cell[i].device != cell[i - 1].device)
            text_append(to, 2 * CELL_TEXT, " %s", cell[i].device->key);
    return to;
}

/* Seconds without any experience: of opening each method, and of slices for each use of a row and its baseline. */
static double guess_seconds(const struct context *context, const struct cell cell[], unsigned cells)
{
    double seconds = 0;
    for (unsigned i = 0; i < cells; i++) {
        const bool is_first = i == 0 || cell[i].row != cell[i - 1].row;
        const struct problem *problem = &cell[i].problem;
        if (cell[i].refused.status != STATUS_OK)
            continue;
        seconds += start_seconds + cell_opening_seconds(&cell[i]) / 2;
        if (is_first)
            seconds +=
                naive_seconds(context, &cell[i]) + cell_closing_seconds(&cell[i]) +
                (problem_computes(problem) + problem_moves(problem)) * context->terms->rule.budget * slices_twice;
    }
    return seconds + sustained_seconds(context->options);
}

double forecast_block(const struct context *context, const struct cell cell[], unsigned cells)
{
    char key[2 * CELL_TEXT];
    if (run_log_has(&context->run_log, cell[0].block))
        return 0;
    const char *known = context_recall(context, &cell[0], "seconds", seconds_key(key, context, cell, cells));
    const double seconds = known ? strtod(known, NULL) : 0;
    return seconds > 0 ? seconds : guess_seconds(context, cell, cells);
}

void forecast_remember(struct context *context, const struct cell cell[], unsigned cells, double seconds)
{
    char key[2 * CELL_TEXT], value[TEXT_NUMBER];
    snprintf(value, sizeof value, "%.2f", seconds);
    context_remember(context, &cell[0], "seconds", seconds_key(key, context, cell, cells), value);
}
