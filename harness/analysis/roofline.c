#include "harness/analysis/roofline.h"

#include "harness/journal/plausible.h"

#include <math.h>
#include <string.h>

const char *const bound_names[BOUND_COUNT] = { "", "memory", "compute", "transfer", "launch" };

/* A smaller excess over the peak counts as reaching it. */
static const double visible = 1.005;

/* An event time that is so much faster than the host's clock allows is not trusted. */
static const double untrusted_above = 1.25;

/* Starting a run takes some ten microseconds by the host's clock but none by the device's: a peak from shorter runs
 * cannot show that an event time is too short. */
static const double shortest_run = 1e-4;

/* A working set has whole elements of whole arrays, so it may be slightly smaller than requested. */
static const double beyond_caches = 0.99 * ROOFLINE_TOP / 2;

/* A run is bound by launches if starting them takes at least this part of its time. */
static const double mostly = 0.5;

static const struct peak unknown = { .wall = NAN, .event = NAN, .half_width = NAN, .run = NAN };

static bool is_peak(const struct cell_record *cell, enum roof_kind kind, const char *device_id)
{
    return cell->roof == kind && cell->outcome.status == STATUS_OK && strcmp(cell->device_id, device_id) == 0 &&
           cell->track[SERIES_RESIDENT].wall.count > 0;
}

/* The rate by the device's own clock; NAN if that is not trusted. */
static double event_rate(const struct cell_record *cell, double work, double run)
{
    const struct event_times events = event_times_read(&cell->track[SERIES_RESIDENT]);
    bool is_credible = events.share * untrusted_above >= 1 || run < shortest_run;
    return is_credible ? work / event_time(cell) : NAN;
}

/* Makes the cell the peak if it is higher. */
static void raise_to(struct peak *peak, const struct record *record, const struct cell_record *cell, double work)
{
    const struct figure figure = figure_read(record, cell, USE_RESIDENT);
    const double time = figure.time.value;
    peak->event = fmax(peak->event, event_rate(cell, work, time)); /* ignores NAN */
    if (!(work > 0) || work / time <= peak->wall)
        return;
    peak->wall = work / time;
    peak->half_width = figure.is_disturbed ? NAN : estimate_half_width(&figure.time);
    peak->run = time;
    peak->cell = cell;
}

struct peak roofline_flops(const struct record *record, const char *device_id, const char *dtype)
{
    struct peak peak = unknown;
    for (unsigned i = 0; i < record->peaks; i++) {
        const struct cell_record *cell = record->peak[i];
        if (is_peak(cell, ROOF_FLOPS, device_id) && strcmp(cell->dtype, dtype) == 0)
            raise_to(&peak, record, cell, cell->flops);
    }
    return peak;
}

static bool is_same_class(double held, double other)
{
    bool both_beyond = held >= beyond_caches && other >= beyond_caches;
    return both_beyond || (held <= 2 * other && other <= 2 * held);
}

struct peak roofline_bandwidth(const struct record *record, const char *device_id, double held)
{
    struct peak peak = unknown;
    for (unsigned i = 0; i < record->peaks; i++) {
        const struct cell_record *cell = record->peak[i];
        if (is_peak(cell, ROOF_BANDWIDTH, device_id) && is_same_class(cell->held, held))
            raise_to(&peak, record, cell, cell->bytes);
    }
    return peak;
}

/* Seconds of the smallest launch measured on the device; NAN: none was. */
static double latency_of(const struct record *record, const char *device_id)
{
    double latency = NAN;
    for (unsigned i = 0; i < record->peaks; i++)
        if (is_peak(record->peak[i], ROOF_LATENCY, device_id))
            latency = fmin(latency, record_time(record->peak[i], SERIES_RESIDENT).value);
    return latency;
}

/* The least time of the work; 0 for no work. */
static double least_time(double work, double rate)
{
    return work > 0 ? work / rate : 0;
}

/* The peak with the longest time. If the bandwidth of the caches is not known, it is at least that of memory, which
 * may show that it does not matter. */
static enum roof_kind binding_of(const struct roofline *roofline, const struct record *record,
                                 const struct cell_record *cell)
{
    double computing = least_time(cell->flops, roofline->flops.wall),
           moving = least_time(cell->bytes, roofline->bandwidth.wall);
    if (isnan(moving) && computing >= cell->bytes / roofline_bandwidth(record, cell->device_id, ROOFLINE_TOP).wall)
        return ROOF_FLOPS;
    if (isnan(moving) || isnan(computing) || moving + computing == 0)
        return ROOF_NONE;
    return computing >= moving ? ROOF_FLOPS : ROOF_BANDWIDTH;
}

/* Whether event times imply more than a peak. If the run exceeds the peak by the host's clock too, the peak is
 * too low and event times that agree with that clock are not to blame. */
static bool is_beyond(const struct peak *peak, double work, double wall, double event)
{
    return peak->run >= shortest_run && work / event > untrusted_above * fmax(peak->wall, work / wall);
}

/* Also more than the confirmed theoretical peak, which nothing can exceed. A fast algorithm does fewer operations than
 * counted, so its rate means nothing here. */
static bool are_impossible(const struct roofline *roofline, const struct device *device, const struct cell_record *cell,
                           double wall, double event)
{
    return is_beyond(&roofline->bandwidth, cell->bytes, wall, event) ||
           (!cell->is_fast &&
            (is_beyond(&roofline->flops, cell->flops, wall, event) ||
             (device && !plausible_time(device, dtype_parse(cell->dtype), cell->flops, event, NULL))));
}

const struct peak *roofline_binding(const struct roofline *roofline)
{
    return roofline->binding == ROOF_FLOPS       ? &roofline->flops
           : roofline->binding == ROOF_BANDWIDTH ? &roofline->bandwidth
                                                 : NULL;
}

/* `event`: the time by the device's clock; NAN: not trusted. */
static void read_share(struct roofline *roofline, const struct cell_record *cell, double time, double event)
{
    const struct peak *peak = roofline_binding(roofline);
    bool is_overcounted = cell->is_fast && roofline->binding == ROOF_FLOPS; /* it needs fewer operations */
    if (!peak || is_overcounted)
        return;
    double work = roofline->binding == ROOF_FLOPS ? cell->flops : cell->bytes;
    double share = work / peak->wall / time;
    roofline->is_exceeded = share > visible;
    roofline->by_event = !roofline->is_event_impossible && !isnan(event) && !isnan(peak->event);
    if (roofline->by_event)
        share = work / peak->event / event;
    roofline->share = fmin(share, 1); /* what beats the peak is the peak */
}

/* By the host's clock, since the device's does not include starting a run. */
static enum bound bound_of(const struct roofline *roofline, const struct cell_record *cell, double time)
{
    static const enum bound bounds[ROOF_KINDS] = { [ROOF_FLOPS] = BOUND_COMPUTE, [ROOF_BANDWIDTH] = BOUND_MEMORY };
    bool is_mostly_launch = roofline->latency * cell->launches > mostly * time;
    bool is_mostly_work = least_time(cell->flops, roofline->flops.wall) > mostly * time ||
                          least_time(cell->bytes, roofline->bandwidth.wall) > mostly * time;
    if (is_mostly_launch && !is_mostly_work) /* launches in a row wait for each other, or do not */
        return BOUND_LAUNCH;
    return bounds[roofline->binding];
}

/* With flushed caches the data come from memory. */
static double working_set(const struct cell_record *cell)
{
    return cell->is_cold ? ROOFLINE_TOP : cell->held;
}

bool roofline_is_beyond_caches(const struct cell_record *cell)
{
    return working_set(cell) >= beyond_caches;
}

void roofline_read(struct roofline *out, const struct record *record, const struct figure *resident)
{
    const struct cell_record *cell = resident->cell;
    const double time = resident->time.value, event = event_time(cell);
    *out = (struct roofline){ .flops = roofline_flops(record, cell->device_id, cell->dtype),
                              .bandwidth = roofline_bandwidth(record, cell->device_id, working_set(cell)),
                              .latency = latency_of(record, cell->device_id),
                              .share = NAN };
    const bool only_moves = cell_headline(cell) == USE_COPIED && cell->measures != MEASURES_COPIED;
    if (only_moves || cell->is_link) /* neither has a peak */
        out->bound = BOUND_TRANSFER;
    if (isnan(time))
        return;
    out->is_event_impossible =
        !isnan(event) && are_impossible(out, record_device(record, cell->device_id), cell, time, event);
    if (cell->roof != ROOF_NONE || cell->is_link)
        return;
    out->binding = binding_of(out, record, cell);
    read_share(out, cell, time, event);
    out->bound = bound_of(out, cell, time);
}
