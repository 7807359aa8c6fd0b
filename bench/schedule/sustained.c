#include "bench/schedule/sustained.h"

#include "harness/base/text.h"

#include <math.h>

static const double in_full = 10; /* seconds, where nothing is asked for */

/* Slices of a series: enough to see a drift, and few enough that requests are no pause. */
static const double slices_of_run = 40;

double sustained_seconds(const struct options *options)
{
    if (isnan(options->sustained))
        return options->suite == SUITE_FULL && !options->cold ? in_full : 0;
    return options->sustained;
}

/* Whether the cell has this series: it was asked for, computes, is no ceiling, and its caches stay warm. */
static bool takes(const struct options *options, const struct cell *cell)
{
    const struct workload *workload = cell->problem.workload;
    return sustained_seconds(options) > 0 && !workload->is_untyped && !workload->roof && cell->flush == 0;
}

/* One row for each device is enough. */
static bool is_fastest_of_device(const struct rounds *rounds, const struct runner *runner)
{
    for (unsigned i = 0; i < rounds->runners; i++) {
        const struct runner *other = rounds->runner[i];
        if (other->series[SERIES_SUSTAINED].spent > 0 && other->cell->device == runner->cell->device)
            return false;
        double slower = runner->series[SERIES_RESIDENT].run - other->series[SERIES_RESIDENT].run;
        if (other->client && other->measures != MEASURES_COPIED && other->cell->device == runner->cell->device &&
            (slower > 0 || (slower == 0 && other < runner)))
            return false;
    }
    return true;
}

static void run_sustained(struct rounds *rounds, struct runner *runner, double seconds)
{
    struct series_state *state = &runner->series[SERIES_SUSTAINED];
    state->run = runner->series[SERIES_RESIDENT].run;
    state->active = true;
    double length = fmax(sampler_slice(&rounds->context->terms->rule, state->run), seconds / slices_of_run);
    while (state->active && state->spent < seconds && !rounds->context->interrupted) {
        progress_step(&rounds->context->progress, false, runner->cell, "by itself for another %s",
                      text_seconds(TEXT_HERE, seconds - state->spent));
        rounds_slice(rounds, runner, SERIES_SUSTAINED, length, seconds);
    }
    rounds_stop(rounds, runner, SERIES_SUSTAINED, rounds->context->interrupted ? STOP_INTERRUPTED : STOP_BUDGET);
}

void sustained_run(struct rounds *rounds)
{
    double seconds = sustained_seconds(rounds->context->options);
    for (unsigned i = 0; i < rounds->runners && !rounds->context->interrupted; i++) {
        struct runner *runner = rounds->runner[i];
        if (runner->client && runner->measures != MEASURES_COPIED && takes(rounds->context->options, runner->cell) &&
            is_fastest_of_device(rounds, runner))
            run_sustained(rounds, runner, seconds);
    }
}
