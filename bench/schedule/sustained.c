#include "bench/schedule/sustained.h"

#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>

static const double in_full = 10; /* seconds, where nothing is asked for */

/* Slices of a stretch: enough to see a drift, and few enough that asking for them is no pause. */
static const double slices_of_stretch = 40;

double sustained_seconds(const struct options *options)
{
    if (isnan(options->sustained))
        return options->suite == SUITE_FULL && !options->cold ? in_full : 0;
    return options->sustained;
}

bool sustained_takes(const struct options *options, const struct cell *cell)
{
    const struct workload *workload = cell->problem.workload;
    return sustained_seconds(options) > 0 && !workload->is_untyped && !workload->roof && cell->flush == 0;
}

/* One row of a device is enough: the device is the same in the others. */
static bool is_fastest_of_device(const struct rounds *rounds, const struct contender *contender)
{
    for (unsigned i = 0; i < rounds->contenders; i++) {
        const struct contender *other = &rounds->contender[i];
        double slower = contender->course[SERIES_RESIDENT].run - other->course[SERIES_RESIDENT].run;
        if (other->remote && other->cell->device == contender->cell->device &&
            (slower > 0 || (slower == 0 && other < contender)))
            return false;
    }
    return true;
}

static void show(struct rounds *rounds, const struct contender *contender, double left)
{
    char label[CELL_TEXT], doing[CELL_TEXT], time[TEXT_NUMBER];
    snprintf(doing, sizeof doing, "%s  by itself for another %s", contender->cell->device->id,
             text_seconds(time, left));
    progress_show(rounds->progress, cell_label(contender->cell, label), doing);
}

static void stretch(struct rounds *rounds, struct contender *contender, double seconds)
{
    struct course *course = &contender->course[SERIES_SUSTAINED];
    course->run = contender->course[SERIES_RESIDENT].run;
    course->active = true;
    double length = fmax(sampler_slice(&rounds->rule, course->run), seconds / slices_of_stretch);
    while (course->active && course->spent < seconds && !rounds->interrupted) {
        show(rounds, contender, seconds - course->spent);
        rounds_slice(rounds, contender, SERIES_SUSTAINED, length);
    }
    rounds_stop(rounds, contender, SERIES_SUSTAINED, rounds->interrupted ? STOP_INTERRUPTED : STOP_BUDGET);
}

void sustained_run(struct rounds *rounds)
{
    double seconds = sustained_seconds(rounds->options);
    for (unsigned i = 0; i < rounds->contenders && !rounds->interrupted; i++) {
        struct contender *contender = &rounds->contender[i];
        if (contender->remote && sustained_takes(rounds->options, contender->cell) &&
            is_fastest_of_device(rounds, contender))
            stretch(rounds, contender, seconds);
    }
}
