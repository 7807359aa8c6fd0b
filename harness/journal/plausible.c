#include "harness/journal/plausible.h"

#include "harness/base/text.h"
#include "harness/machine/theory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Seconds: two readings of a clock are farther apart, and no run lasts 30 years. */
static const double shortest_run = 1e-8, longest_run = 1e9;
/* By how much a clock may exceed the nominal one, as base clocks are tuned and cpufreq rounds, and two readings of time
 * may differ. */
static const double clock_tolerance = 0.01;
/* Watts: several times what the largest package or board takes. */
static const double most_power = 5000;

/* What no hardware exceeds, several times over. Of a core: FLOP and bytes in a cycle, and hertz. AVX-512 does 64 FLOP
 * in f32, AMX 4096 in i8, and a first-level cache moves 192 bytes. Of a GPU: FLOP and bytes in a second. */
static const double core_flops = 256, core_small_flops = 16384, core_bytes = 512, core_clock = 1e10;
static const double device_flops = 1e17, device_bytes = 1e15;

bool plausible_run(double seconds, double slice)
{
    return seconds >= shortest_run && seconds <= longest_run && !(seconds > slice * (1 + clock_tolerance));
}

bool plausible_energy(double joules, double seconds)
{
    return joules <= most_power * seconds;
}

/* What nothing can exceed. */
struct limit {
    double work, rate; /* FLOP or bytes of a run, and the most of them in a second */
    char what[160];    /* does that much */
    const char *unit;  /* "FLOP", "B" */
};

static bool is_beyond(const struct limit *limit, double seconds)
{
    return limit->work / seconds > limit->rate;
}

static bool refuse(struct error *why, const struct limit *limit, double seconds, const char *where)
{
    return fail_in(why, "peak", STATUS_IMPOSSIBLE, "%s%s, but %s make at most %s",
                   text_flops(limit->work / seconds, limit->unit).text, where, limit->what,
                   text_flops(limit->rate / (1 + clock_tolerance), limit->unit).text);
}

static struct limit any_hardware(const struct device *device, double work, double of_core, double of_device,
                                 const char *unit)
{
    const bool is_cpu = device && device->class == CLASS_CPU && device->units > 0;
    struct limit limit = { work, is_cpu ? device->units * of_core * core_clock : of_device, "", unit };
    snprintf(limit.what, sizeof limit.what, is_cpu ? "%u cores of any kind" : "devices of any kind",
             is_cpu ? device->units : 0);
    limit.rate *= 1 + clock_tolerance;
    return limit;
}

enum { LIMITS = 3 };

/* The limits of a run. NULL: the device is not known. A fast algorithm does fewer operations than are counted, which
 * only the limits of any hardware leave room for. */
static void limits_read(struct limit out[LIMITS], const struct device *device, enum dtype dtype, double flops,
                        double bytes, bool is_fast)
{
    const char *operation = dtype < DTYPE_COUNT ? dtype_operation(dtype_name(dtype)) : "FLOP";
    const bool is_wide = dtype < DTYPE_COUNT && dtype_sums(dtype) == dtype;
    struct theory theory;
    out[1] = any_hardware(device, flops, is_wide ? core_flops : core_small_flops, device_flops, operation);
    out[2] = any_hardware(device, bytes, core_bytes, device_bytes, "B");
    out[0] = out[1];
    if (is_fast || !device || !theory_limit(device, dtype, &theory))
        return;
    out[0].rate = theory.flops * (1 + clock_tolerance);
    text_copy(out[0].what, sizeof out[0].what, theory.formula);
}

bool plausible_time(const struct device *device, enum dtype dtype, double flops, double seconds, struct error *why)
{
    struct limit limit[LIMITS];
    if (!plausible_run(seconds, NAN))
        return fail_in(why, "clock", STATUS_IMPOSSIBLE, "its runs took no time by the clock");
    limits_read(limit, device, dtype, flops, 0, false);
    for (unsigned i = 0; i < LIMITS; i++)
        if (is_beyond(&limit[i], seconds))
            return refuse(why, &limit[i], seconds, "");
    return true;
}

/* Rejects a series with too many runs without a time that is possible. */
static bool times_are_possible(const struct track *track, enum series series, struct error *why)
{
    unsigned runs = track->wall.count + track->unusable;
    if (track->unusable <= runs / RUNS_FOR_ONE_FALSE)
        return true;
    return fail_in(why, "clock", STATUS_IMPOSSIBLE, "%u of %u runs (%s) took no time, or more time than passed",
                   track->unusable, runs, series_names[series]);
}

static bool rate_is_possible(const struct samples *wall, const struct limit *limit, struct error *why)
{
    unsigned beyond = 0;
    double fastest = INFINITY;
    for (unsigned i = 0; i < wall->count; i++)
        beyond += is_beyond(limit, wall->value[i]);
    for (unsigned i = 0; i < wall->count; i++) /* gcc 12 for aarch64 fails with both in one loop (-O3) */
        fastest = fmin(fastest, wall->value[i]);
    if (2 * beyond > wall->count)
        return refuse(why, limit, stats_median(wall->value, wall->count), "");
    return beyond <= wall->count / RUNS_FOR_ONE_FALSE ||
           refuse(why, limit, fastest, text_print(" (%u of %u runs were too fast)", beyond, wall->count).text);
}

/* For a CPU the clocks measured around the cell count as well: it may have been slow when it was listed, and may be
 * clocked higher than nominal. */
bool plausible_cell(const struct record *record, const struct cell_record *cell, struct error *why)
{
    struct limit limit[LIMITS];
    const struct device *found = record_device(record, cell->device_id);
    struct device device = found ? *found : (struct device){ .class = CLASS_COUNT };
    if (device.class == CLASS_CPU)
        device.clock = fmax(device.clock, fmax(cell->before.clock, cell->after.clock));         /* ignores NAN */
    const bool is_mapping = memory_is_mapped(memory_parse(cell->memory)) && !(cell->flops > 0); /* may copy nothing */
    limits_read(limit, &device, dtype_parse(cell->dtype), cell->flops, is_mapping ? 0 : cell->bytes, cell->is_fast);
    for (enum series series = 0; series < SERIES_COUNT; series++)
        if (!times_are_possible(&cell->track[series], series, why))
            return false;
    for (unsigned i = 0; i < LIMITS; i++)
        for (enum series series = 0; series < SERIES_COUNT; series++)
            if (!rate_is_possible(&cell->track[series].wall, &limit[i], why))
                return false;
    return true;
}

bool plausible_elements(const struct cell_record *cell, double elements, struct error *why)
{
    const enum dtype dtype = dtype_parse(cell->dtype);
    const double most = cell->held / (double)(dtype < DTYPE_COUNT ? dtype_bytes(dtype) : 1);
    return !(elements > most) ||
           fail(why, STATUS_IMPOSSIBLE, "a check compared %.0f elements, and all operands have %.0f", elements, most);
}

/* The guarded check has a small problem of its own. Checks that succeeded saw no error that they would catch, and one
 * that compared nothing proves nothing. */
bool plausible_verify(const struct cell_record *cell, const struct verify_line *verify, struct error *why)
{
    const double timed = cell->checks.timed;
    bool has_compared = verify->checks > 0;
    for (const struct check_line *check = verify->check; check < verify->check + verify->checks; check++) {
        if (check->checked > check->of)
            return fail(why, STATUS_IMPOSSIBLE, "a check compared %.0f of %.0f elements", check->checked, check->of);
        if (check->largest_error > check->smallest_error)
            return fail(why, STATUS_IMPOSSIBLE, "a check let an error of %g pass, and catches those from %g on",
                        check->largest_error, check->smallest_error);
        if ((!check->name || strcmp(check->name, "guard") != 0) &&
            !plausible_elements(cell, fmax(check->checked, check->of), why))
            return false;
        has_compared &= check->checked > 0;
    }
    if (!has_compared)
        return fail(why, STATUS_IMPOSSIBLE, "a verification without a check, or with one that compared no element");
    return !(timed > 0 && verify->checked_runs > timed) ||
           fail(why, STATUS_IMPOSSIBLE, "%.0f of %.0f timed runs were checked", verify->checked_runs, timed);
}

void plausible_record(struct record *record)
{
    for (unsigned i = 0; i < record->cells; i++)
        if (record->cell[i]->outcome.status == STATUS_OK)
            plausible_cell(record, record->cell[i], &record->cell[i]->outcome);
}
