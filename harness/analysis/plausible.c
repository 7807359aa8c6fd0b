#include "harness/analysis/plausible.h"

#include "harness/analysis/figures.h"
#include "harness/base/text.h"
#include "harness/machine/theory.h"

#include <math.h>
#include <stdio.h>

/* How much faster than nominal a clock may be: base clocks are tuned, and cpufreq rounds. */
static const double clock_tolerance = 0.01;

static bool refuse(struct error *why, const struct theory *limit, double rate, const char *dtype, const char *where)
{
    return fail_in(why, "peak", STATUS_IMPOSSIBLE, "%s%s, but %s make at most %s",
                   text_flops(TEXT_HERE, rate, dtype_operation(dtype)), where, limit->formula,
                   text_flops(TEXT_HERE, limit->flops, dtype_operation(dtype)));
}

static bool is_beyond(const struct theory *limit, double flops, double seconds)
{
    return flops / seconds > limit->flops * (1 + clock_tolerance);
}

bool plausible_time(const struct device *device, enum dtype dtype, double flops, double seconds, struct error *why)
{
    struct theory limit;
    if (!(seconds > 0) || isinf(seconds))
        return fail_in(why, "clock", STATUS_IMPOSSIBLE, "its runs took no time by the clock");
    if (!theory_limit(device, dtype, &limit) || !is_beyond(&limit, flops, seconds))
        return true;
    return refuse(why, &limit, flops / seconds, dtype_name(dtype), "");
}

/* Rejects a series with too many runs that took no time. */
static bool times_are_positive(const struct track *track, enum series series, struct error *why)
{
    unsigned runs = track->wall.count + track->unusable;
    if (track->unusable <= runs / RUNS_FOR_ONE_FALSE)
        return true;
    return fail_in(why, "clock", STATUS_IMPOSSIBLE, "%u of %u runs (%s) took no time, or less, by the clock",
                   track->unusable, runs, series_names[series]);
}

static bool rate_is_possible(const struct cell_record *cell, enum series series, const struct theory *limit,
                             struct error *why)
{
    const struct samples *wall = &cell->track[series].wall;
    unsigned beyond = 0;
    double typical = record_time(cell, series).value, fastest = INFINITY;
    for (unsigned i = 0; i < wall->count; i++) {
        beyond += is_beyond(limit, cell->flops, wall->value[i]);
        fastest = fmin(fastest, wall->value[i]);
    }
    if (is_beyond(limit, cell->flops, typical))
        return refuse(why, limit, cell->flops / typical, cell->dtype, "");
    if (beyond <= wall->count / RUNS_FOR_ONE_FALSE)
        return true;
    return refuse(why, limit, cell->flops / fastest, cell->dtype,
                  PRINTED(64, " (%u of %u runs were too fast)", beyond, wall->count));
}

/* For a CPU the clocks measured around the cell count as well: it may have been slow when it was listed, and may be
 * clocked higher than nominal. */
static bool limit_of(const struct record *record, const struct cell_record *cell, struct theory *out)
{
    const struct device *found = record_device(record, cell->device_id);
    if (!found || cell->is_fast || !(cell->flops > 0))
        return false;
    struct device device = *found;
    if (device.class == CLASS_CPU)
        device.clock = fmax(device.clock, fmax(cell->before.clock, cell->after.clock)); /* ignores NAN */
    return theory_limit(&device, dtype_parse(cell->dtype), out);
}

bool plausible_cell(const struct record *record, const struct cell_record *cell, struct error *why)
{
    struct theory limit;
    bool is_limited = limit_of(record, cell, &limit);
    for (enum series series = 0; series < SERIES_COUNT; series++) {
        if (!times_are_positive(&cell->track[series], series, why))
            return false;
        if (is_limited && !rate_is_possible(cell, series, &limit, why))
            return false;
    }
    return true;
}
