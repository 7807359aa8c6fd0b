#include "harness/report/content/notes.h"

#include "harness/analysis/figures.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double quotient_slack = 0.02; /* outside the interval of the speed-up */
static const double alike = 0.03;          /* times that differ by less are called equal */
static const double few_launches = 20;     /* a run that takes less time than these is partly launch and wait */
static const double disturbed = 2;         /* times as long as the trial before */

/* Whether the answer was verified, and how strictly. */
static void note_verification(struct notes *notes, const struct cell_record *cell)
{
    if (cell->verified == 0)
        note(notes, "never verified", 1, (struct with){ 0 });
    else if (cell->verified == 1)
        note(notes, "verified once", 1, (struct with){ 0 });
    if (cell->weak)
        note(notes, "weak check", 1, (struct with){ 0 });
    if (cell->checks.differ)
        note(notes, "bits differ", 1, (struct with){ 0 });
    if (!cell->ended)
        note(notes, "not finished", 1, (struct with){ 0 });
}

/* Times are medians over all rounds, a speed-up is the median of the ratios within each round. After drift the two can
 * disagree; the ratios are reliable. */
static void note_quotient(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct cell_record *baseline = metrics->baseline;
    if (metrics->contradicts_times)
        note(notes, "rounds disagree with times", 1, (struct with){ 0 });
    if (!baseline || baseline == metrics->cell || isnan(metrics->resident.low))
        return;
    double quotient = record_time(baseline, cell_headline(baseline)).value / metrics->time.value;
    if (quotient < metrics->resident.low * (1 - quotient_slack) ||
        quotient > metrics->resident.high * (1 + quotient_slack))
        note(notes, "slices side by side", 1, (struct with){ 0 });
}

/* Times that contradict each other were disturbed, whatever the intervals say. */
static void note_disturbance(struct notes *notes, const struct cell_metrics *metrics)
{
    double longer = step_below(metrics->compute_increase);
    if (metrics->time.value > disturbed * metrics->tried)
        note(notes, "slower than when tried", 1, (struct with){ .number = { disturbed } });
    if (metrics->is_copied_disturbed)
        note(notes, "total is less than its part", 1, (struct with){ 0 });
    if (longer > 0)
        note(notes, "computation longer between transfers", isnan(metrics->moved) ? 1 : 2,
             (struct with){ .number = { longer } });
}

static void note_mapping(struct notes *notes, const struct cell_metrics *metrics)
{
    if (metrics->no_copy)
        note(notes, "only handed over", metrics->only_moves ? 1 : 2, (struct with){ .number = { metrics->moved } });
    else if (metrics->is_fixed && metrics->only_moves)
        note(notes, "no bandwidth", 1, (struct with){ 0 });
    if (metrics->cell->is_cold)
        note(notes, "cold", isnan(metrics->cell->flushed) ? 1 : 2,
             (struct with){ .number = { metrics->cell->flushed } });
}

/* The cell is faster than its measured peak, which was measured at another time or with a slower method. */
static void note_peak(struct notes *notes, const struct cell_metrics *metrics)
{
    bool computes = metrics->roof.binding == ROOF_FLOPS, by_event = metrics->roof.is_exceeded_by_event;
    const struct ceiling *ceiling = roofline_binding(&metrics->roof);
    char rate[TEXT_NUMBER], there[TEXT_NUMBER], unit[TEXT_NUMBER];
    if (!metrics->roof.is_exceeded || !ceiling)
        return;
    double work = computes ? metrics->cell->flops : metrics->cell->bytes;
    text_figure(rate, work / (by_event ? metrics->event : metrics->time.value) / 1e9);
    text_figure(there, (by_event ? ceiling->event : ceiling->wall) / 1e9);
    snprintf(unit, sizeof unit, "G%s/s", computes ? dtype_operation(metrics->cell->dtype) : "B");
    note(notes, "above its peak", 1,
         (struct with){ .text = { rate, unit, there, by_event ? ", by the device's own clock" : "" } });
}

/* Peaks of the small types are not measured (bench/schedule/ceilings.c), so the share is unknown. */
static void note_no_peak(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    enum dtype dtype;
    bool is_small = dtype_parse(cell->dtype, &dtype) && dtype_sums(dtype) != dtype;
    if (is_small && cell->flops > 0 && isnan(metrics->share) && !cell->is_link && cell->roof == ROOF_NONE)
        note(notes, "no peak for small types", 1, (struct with){ .text = { cell->dtype } });
}

/* The heading of the block has the baseline's detail; that of other cells is only in the JSON. */
static void note_arithmetic(struct notes *notes, const struct cell_metrics *metrics)
{
    const char *computed = strstr(metrics->cell->detail, "computed in f"); /* not "computed in several launches" */
    if (computed)
        note_text(notes, pool_print(&notes->pool, "%.*s", (int)strcspn(computed, ","), computed));
}

/* Against the faster of both types, with the baseline's times of the two blocks. */
static void note_wider(struct notes *notes, const struct cell_metrics *metrics)
{
    const double time = metrics->baseline_in_f32.value;
    if (!isnan(time) && metrics->baseline == metrics->cell)
        note(notes, "faster in f32", 1, (struct with){ .number = { time } });
    else if (!isnan(time) && !isnan(metrics->compute))
        note(notes, "faster in f32", 2, (struct with){ .number = { time, time / metrics->compute } });
}

static bool is_on_host(const struct cell_metrics *metrics)
{
    return metrics->device && metrics->device->works_in_host_memory;
}

static void note_event_clock(struct notes *notes, const struct cell_metrics *metrics)
{
    static const char doubtful[] = "event clock not trustworthy";
    char share[TEXT_NUMBER];
    snprintf(share, sizeof share, "%.2g", 100 * metrics->event_share);
    if (metrics->event_clock == EVENT_DOUBTFUL && *metrics->roof.doubt)
        note(notes, doubtful, 1, (struct with){ .text = { metrics->roof.doubt } });
    else if (metrics->event_clock == EVENT_DOUBTFUL && metrics->doubtful_events == 0)
        note(notes, doubtful, 2, (struct with){ .number = { metrics->time.value }, .text = { share } });
    else if (metrics->event_clock == EVENT_DOUBTFUL)
        note(notes, doubtful, 3, (struct with){ .number = { metrics->doubtful_events, metrics->events } });
    else if (metrics->event_clock == EVENT_ABSENT && metrics->headline == SERIES_RESIDENT && !is_on_host(metrics) &&
             metrics->launches.queues <= 1 && metrics->cell->roof != ROOF_LATENCY) /* which is timed without */
        note(notes, "no time by the device's own clock", 1, (struct with){ 0 });
}

/* What launches cost: without a wait, many small ones, and with one wait for all. */
static void note_launches(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct launch_overhead *launches = &metrics->launches;
    const double count = launches->count, time = metrics->time.value, uncut = launches->uncut;
    const double early =
        is_on_host(metrics) ? NAN : time / launches->enqueue; /* there it is the time to read a clock */
    if (time / launches->one_wait > 1 + alike)
        note(notes, "wait after each kernel", 1,
             (struct with){ .number = { time / launches->one_wait, launches->one_wait } });
    else if (!isnan(time / launches->one_wait))
        note(notes, "wait after each kernel", 2, (struct with){ .number = { launches->one_wait } });
    if (!launches->is_launch) {
        if (launches->queued < time * (1 - 1 / few_launches))
            note(notes, "one wait for all", 2, (struct with){ .number = { time, launches->queued } });
        return;
    }
    if (launches->enqueue > 0 && early > 1 + alike)
        note(notes, "seems faster without the wait", 1, (struct with){ .number = { early, launches->enqueue, time } });
    if (count > 1 && time / uncut > 1 + alike)
        note(notes, "price of many launches", 1,
             (struct with){ .number = { count, time / uncut, uncut, (time - uncut) / (count - 1) } });
    else if (count > 1 && !isnan(time / uncut))
        note(notes, "price of many launches", 2, (struct with){ .number = { count, uncut } });
    if (launches->queued < time * (1 - alike))
        note(notes, "one wait for all", 1, (struct with){ .number = { time, launches->queued } });
}

/* The gain from overlapping transfers and computing, compared with the same run with a wait after each phase. By the
 * interval of the whole, as the row's speed-up; without one nothing is claimed. */
static void note_overlap(struct notes *notes, const struct cell_metrics *metrics)
{
    static const char id[] = "moving and computing at once";
    const struct launch_overhead *launches = &metrics->launches;
    const struct estimate *whole = &metrics->whole;
    const double apart = launches->apart, times = apart / whole->value;
    const double chunks = launches->chunks, queues = launches->queues;
    if (chunks <= 1 || isnan(times))
        return;
    if (isnan(whole->low))
        note(notes, id, 1, (struct with){ .number = { chunks, queues, apart } });
    else if (apart > whole->high * (1 + alike))
        note(notes, id, 2, (struct with){ .number = { chunks, queues, times, apart } });
    else if (apart < whole->low * (1 - alike))
        note(notes, id, 3, (struct with){ .number = { chunks, queues, 1 / times, apart } });
    else
        note(notes, id, 4, (struct with){ .number = { chunks, queues, apart } });
}

void notes_read(struct notes *out, const struct cell_metrics *metrics)
{
    *out = (struct notes){ .count = 0 };
    if (metrics->measured) {
        note_verification(out, metrics->cell);
        note_series(out, metrics);
        note_quotient(out, metrics);
        note_disturbance(out, metrics);
        note_mapping(out, metrics);
        note_sustained(out, metrics);
        note_launches(out, metrics);
        note_overlap(out, metrics);
        if (metrics->cell->is_fast)
            note(out, "fast algorithm", 1, (struct with){ 0 });
        note_machine(out, metrics);
        note_gpu(out, metrics);
        note_arithmetic(out, metrics);
        note_wider(out, metrics);
        note_no_peak(out, metrics);
        note_peak(out, metrics);
        note_event_clock(out, metrics);
    }
    for (unsigned i = 0; i < metrics->cell->notes; i++)
        note_text(out, metrics->cell->note[i]);
}
