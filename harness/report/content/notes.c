#include "harness/report/content/notes.h"

#include "harness/analysis/figures.h"
#include "harness/base/text.h"
#include "harness/report/content/notes_machine.h"
#include "harness/report/content/notes_series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double quotient_slack = 0.02; /* outside the interval of the speed-up */
static const double alike = 0.03;          /* times that differ by less are called equal */
static const double disturbed = 2;         /* times as long as the trial before */

/* Whether the answer was verified, and how strictly. */
static void note_verification(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    if (cell->verified == 0)
        note_warning(notes, SEVERITY_WRONG, "never verified: the answer may be wrong");
    else if (cell->verified == 1)
        note(notes, "verified once: not again after it was timed");
    if (cell->weak)
        note_warning(notes, SEVERITY_WRONG,
                     "a check of the answer proves nothing: the error it allows is as large as the values");
    if (!cell->ended)
        note(notes, "not finished: what was measured until then");
}

/* Times are medians over all rounds, a speed-up is the median of the ratios within each round. After drift the two can
 * disagree; the ratios are reliable. */
static void note_quotient(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct cell_record *baseline = metrics->baseline;
    if (!baseline || baseline == metrics->cell || isnan(metrics->resident.low))
        return;
    double quotient = record_time(baseline, cell_headline(baseline)).value / metrics->time.value;
    if (quotient < metrics->resident.low * (1 - quotient_slack) ||
        quotient > metrics->resident.high * (1 + quotient_slack))
        note(notes, "the speed-up is of slices side by side; the times of the two rows drifted apart from it");
}

/* Times that contradict each other were disturbed, whatever the intervals say. */
static void note_disturbance(struct notes *notes, const struct cell_metrics *metrics)
{
    if (metrics->time.value > disturbed * metrics->tried)
        note_warning(notes, SEVERITY_WRONG,
                     "a run takes over %g times as long as when the method was tried: something disturbs it, and its "
                     "speed-up may be an accident",
                     disturbed);
    double longer = step_below(metrics->compute_increase);
    if (metrics->is_offload_disturbed)
        note_warning(
            notes, SEVERITY_WRONG,
            "whole is less than its part, compute: the machine changed between the two, and the offload was too "
            "disturbed to judge");
    if (longer > 0 && isnan(metrics->moved))
        note(notes,
             "offload: the computation took over %g %% longer on operands that were just written: caches held less of "
             "them, or the machine changed",
             100 * longer);
    else if (longer > 0)
        note(
            notes,
            "offload: the computation took over %g %% longer between transfers than by itself: the machine changed, or "
            "the caches did",
            100 * longer);
}

static void note_mapping(struct notes *notes, const struct cell_metrics *metrics)
{
    char fixed[TEXT_NUMBER];
    text_seconds(fixed, metrics->moved);
    if (metrics->no_copy && metrics->only_moves)
        note(notes, "no copy, %s fixed: the buffer is only handed over", fixed);
    else if (metrics->no_copy)
        note(notes, "no copy: upload and download only hand the buffers over, a fixed cost");
    else if (metrics->is_fixed && metrics->only_moves)
        note(notes, "no bandwidth: so little is moved that it takes no longer than handing over a page");
}

static void note_cold(struct notes *notes, const struct cell_metrics *metrics)
{
    char size[TEXT_NUMBER];
    const struct cell_record *cell = metrics->cell;
    if (cell->is_cold && isnan(cell->flushed))
        note(notes, "cold: caches are flushed before each run, untimed");
    else if (cell->is_cold)
        note(notes, "cold: caches are flushed before each run, untimed, by going through %s",
             text_bytes(size, cell->flushed));
}

static void note_algorithm(struct notes *notes, const struct cell_metrics *metrics)
{
    if (metrics->cell->is_fast)
        note(notes, "a fast algorithm: GFLOP/s counts the operations of the definition, of which it leaves some out; "
                    "whole numbers are checked after rounding");
}

/* The cell is faster than its ceiling: the ceiling was measured at another time or with a slower method. */
static void note_ceiling(struct notes *notes, const struct cell_metrics *metrics)
{
    bool computes = metrics->roof.binding == ROOF_FLOPS, by_event = metrics->roof.is_exceeded_by_event;
    const struct ceiling *ceiling = roofline_binding(&metrics->roof);
    char rate[TEXT_NUMBER], there[TEXT_NUMBER];
    if (!metrics->roof.is_exceeded || !ceiling)
        return;
    double work = computes ? metrics->cell->flops : metrics->cell->bytes;
    text_measured(rate, work / (by_event ? metrics->event : metrics->time.value) / 1e9, metrics->half_width);
    text_measured(there, (by_event ? ceiling->event : ceiling->wall) / 1e9, ceiling->half_width);
    note(notes, "faster than the ceiling that was measured for it: %s %s, and %s there%s, %s", rate,
         computes ? "GFLOP/s" : "GB/s", there, by_event ? ", by the device's own clock" : "",
         ceiling->is_repeated ? "although it was measured again" : "and it was not measured again");
}

/* Ceilings of the small types are not measured (bench/schedule/ceilings.c), so the share is unknown. */
static void note_no_ceiling(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    enum dtype dtype;
    bool is_small = dtype_parse(cell->dtype, &dtype) && dtype_sums(dtype) != dtype;
    if (is_small && cell->flops > 0 && isnan(metrics->share) && !cell->is_link && cell->roof == ROOF_NONE)
        note(notes, "no ceiling for %s: its arithmetic is f32's on one device and a matrix unit's on the next",
             cell->dtype);
}

/* The heading of the block has the baseline's detail; that of other cells is only in the JSON. */
static void note_arithmetic(struct notes *notes, const struct cell_metrics *metrics)
{
    const char *computed = strstr(metrics->cell->detail, "computed in f"); /* not "computed in several launches" */
    if (computed)
        note(notes, "%.*s", (int)strcspn(computed, ","), computed);
}

/* Against the faster of both types, with the baseline's times of the two blocks. */
static void note_wider(struct notes *notes, const struct cell_metrics *metrics)
{
    char time[TEXT_NUMBER], ratio[TEXT_NUMBER];
    if (isnan(metrics->baseline_in_f32))
        return;
    text_seconds(time, metrics->baseline_in_f32);
    if (metrics->baseline == metrics->cell)
        note(notes, "faster in f32 on this device: %s", time);
    else if (!isnan(metrics->compute))
        note(notes, "the baseline is faster in f32 (%s), and against that this is %s times as fast", time,
             text_figure(ratio, metrics->baseline_in_f32 / metrics->compute, NAN));
}

static void note_event_clock(struct notes *notes, const struct cell_metrics *metrics)
{
    bool is_host = metrics->device && metrics->device->works_in_host_memory;
    char wall[TEXT_NUMBER];
    if (metrics->event_clock == EVENT_DOUBTFUL && *metrics->roof.doubt)
        note(notes, "event clock not trustworthy: %s", metrics->roof.doubt);
    else if (metrics->event_clock == EVENT_DOUBTFUL && metrics->doubtful_events == 0)
        note(notes,
             "event clock not trustworthy: it reports %.2g %% of a run of %s, and a launch does not take the rest",
             100 * metrics->event_share, text_seconds(wall, metrics->time.value));
    else if (metrics->event_clock == EVENT_DOUBTFUL)
        note(notes, "event clock not trustworthy: %u of %u times were not positive, or longer than the wall time",
             metrics->doubtful_events, metrics->events);
    else if (metrics->event_clock == EVENT_ABSENT && metrics->headline == SERIES_RESIDENT && !is_host &&
             metrics->launches.queues <= 1)
        note(notes, "no time by the device's own clock");
}

static void note_no_wait(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct launch_overhead *launches = &metrics->launches;
    char ratio[TEXT_NUMBER], returned[TEXT_NUMBER], done[TEXT_NUMBER];
    const double times = metrics->time.value / launches->enqueue;
    const bool is_host =
        metrics->device && metrics->device->works_in_host_memory; /* on the host the rest is the time to read a clock */
    if (!is_host && launches->enqueue > 0 && times > 1 + alike)
        note(
            notes,
            "without the wait it would seem %s times as fast: the calls had returned after %s, the work was done after "
            "%s",
            text_figure(ratio, times, NAN), text_seconds(returned, launches->enqueue),
            text_seconds(done, metrics->time.value));
}

/* The cost of many small launches. */
static void note_launch_count(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct launch_overhead *launches = &metrics->launches;
    char ratio[TEXT_NUMBER], uncut[TEXT_NUMBER], each[TEXT_NUMBER];
    const double times = metrics->time.value / launches->uncut, more = metrics->time.value - launches->uncut;
    if (launches->count <= 1 || isnan(times))
        return;
    text_seconds(uncut, launches->uncut);
    if (times > 1 + alike)
        note(notes, "%u launches take %s times as long as one does for the same work (%s): %s more for each",
             launches->count, text_figure(ratio, times, NAN), uncut, text_seconds(each, more / (launches->count - 1)));
    else
        note(notes, "%u launches take no longer than one does for the same work (%s)", launches->count, uncut);
}

static void note_queued(struct notes *notes, const struct cell_metrics *metrics)
{
    char queued[TEXT_NUMBER], waited[TEXT_NUMBER];
    if (metrics->launches.queued < metrics->time.value * (1 - alike))
        note(notes, "a run takes %s with a wait after each, and %s among many with one wait for all",
             text_seconds(waited, metrics->time.value), text_seconds(queued, metrics->launches.queued));
}

/* The gain from overlapping transfers and computing, compared with the same run with a wait after each phase. By the
 * interval of the whole, as the row's speed-up; without one nothing is claimed. */
static void note_overlap(struct notes *notes, const struct cell_metrics *metrics)
{
    static const char then[] = "all uploads, then all that computes, then all downloads";
    const struct launch_overhead *launches = &metrics->launches;
    const struct estimate *whole = &metrics->whole;
    char ratio[TEXT_NUMBER], apart[TEXT_NUMBER], cut[64];
    const double times = launches->apart / whole->value;
    if (launches->chunks <= 1 || isnan(times))
        return;
    snprintf(cut, sizeof cut, "in %u chunks on %u queue%s", launches->chunks, launches->queues,
             launches->queues == 1 ? "" : "s");
    text_seconds(apart, launches->apart);
    if (isnan(whole->low))
        note(notes, "%s: too few rounds to compare the whole with %s (%s)", cut, then, apart);
    else if (launches->apart > whole->high * (1 + alike))
        note(notes, "%s the whole is %s times as fast as %s (%s)", cut, text_figure(ratio, times, NAN), then, apart);
    else if (launches->apart < whole->low * (1 - alike))
        note(notes, "%s the whole takes %s times as long as %s (%s)", cut, text_figure(ratio, 1 / times, NAN), then,
             apart);
    else
        note(notes, "%s the whole takes as long as %s (%s)", cut, then, apart);
}

static void note_launches(struct notes *notes, const struct cell_metrics *metrics)
{
    if (metrics->launches.is_launch) {
        note_no_wait(notes, metrics);
        note_launch_count(notes, metrics);
        note_queued(notes, metrics);
    }
    note_overlap(notes, metrics);
}

void notes_read(struct notes *out, const struct cell_metrics *metrics)
{
    *out = (struct notes){ .count = 0 };
    if (metrics->measured) {
        note_verification(out, metrics);
        note_series(out, metrics);
        note_quotient(out, metrics);
        note_disturbance(out, metrics);
        note_mapping(out, metrics);
        note_cold(out, metrics);
        note_sustained(out, metrics);
        note_launches(out, metrics);
        note_algorithm(out, metrics);
        note_machine(out, metrics);
        note_gpu(out, metrics);
        note_arithmetic(out, metrics);
        note_wider(out, metrics);
        note_no_ceiling(out, metrics);
        note_ceiling(out, metrics);
        note_event_clock(out, metrics);
    }
    for (unsigned i = 0; i < metrics->cell->notes; i++)
        note_text(out, metrics->cell->note[i]);
}
