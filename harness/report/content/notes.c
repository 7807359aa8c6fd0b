#include "harness/report/content/notes_parts.h"

#include "harness/base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double quotient_slack = 0.02; /* beyond the interval of the speed-up */
static const double disturbed = 2;         /* times as long as a few runs took before */

static bool is_noted(const struct notes *notes, const char *text)
{
    for (unsigned i = 0; i < notes->count; i++)
        if (strcmp(notes->text[i], text) == 0)
            return true;
    return false;
}

void note_text(struct notes *notes, const char *text)
{
    if (is_noted(notes, text))
        return;
    if (notes->count == notes->room) {
        unsigned room = notes->room ? 2 * notes->room : 8;
        char **grown = realloc(notes->text, room * sizeof *grown);
        if (!grown)
            return;
        notes->text = grown;
        notes->room = room;
    }
    notes->text[notes->count] = strdup(text);
    notes->count += notes->text[notes->count] != NULL;
}

void note(struct notes *notes, const char *format, ...)
{
    char text[NOTE_ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    note_text(notes, text);
}

/* Whether the answer was right, and how sure that is. */
static void note_verification(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    if (cell->verified == 0)
        note(notes, "never verified: the answer may be wrong");
    else if (cell->verified == 1)
        note(notes, "verified once: not again after it was timed");
    if (cell->weak)
        note(notes, "a check of the answer proves nothing: the error it allows is as large as the values");
    if (!cell->ended)
        note(notes, "not finished: what was measured until then");
}

double step_below(double change)
{
    static const double steps[] = { 0.5, 0.2, 0.05 };
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
        if (fabs(change) > steps[i])
            return steps[i];
    return 0;
}

/* Times are medians over all rounds, a speed-up is the median of ratios within each: where the machine drifted the two
 * can tell different stories, and the ratios are the ones to believe. */
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

/* What contradicts itself was measured while something else went on, whatever the intervals say. */
static void note_disturbance(struct notes *notes, const struct cell_metrics *metrics)
{
    if (metrics->time.value > disturbed * metrics->tried)
        note(notes,
             "a run takes over %g times as long as when the method was tried: something disturbs it, and its "
             "speed-up may be an accident",
             disturbed);
    double longer = step_below(metrics->stretch);
    if (metrics->is_offload_disturbed)
        note(notes,
             "whole is less than its part, compute: the machine changed between the two, and the offload was too "
             "disturbed to judge");
    if (longer > 0)
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

/* What the ceiling was measured with, at another moment or in another way, was not the best that the device can do. */
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

/* Nobody knows what to hold it against: of the small types no ceiling is measured (bench/ceilings.c). */
static void note_no_ceiling(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    enum dtype dtype;
    bool is_small = dtype_parse(cell->dtype, &dtype) && dtype_sums(dtype) != dtype;
    if (is_small && cell->flops > 0 && isnan(metrics->share) && !cell->is_link && cell->roof == ROOF_NONE)
        note(notes, "no ceiling for %s: its arithmetic is f32's on one device and a matrix unit's on the next",
             cell->dtype);
}

/* The baseline's detail is in the heading of its block, that of the others only in the JSON. */
static void note_arithmetic(struct notes *notes, const struct cell_metrics *metrics)
{
    const char *computed = strstr(metrics->cell->detail, "computed in f"); /* and not in several launches */
    if (computed)
        note(notes, "%.*s", (int)strcspn(computed, ","), computed);
}

static void note_event_clock(struct notes *notes, const struct cell_metrics *metrics)
{
    bool is_host = metrics->device && metrics->device->works_in_host_memory;
    char wall[TEXT_NUMBER];
    if (metrics->event_clock == EVENT_DOUBTFUL && *metrics->roof.doubt)
        note(notes, "event clock not trustworthy: %s", metrics->roof.doubt);
    else if (metrics->event_clock == EVENT_DOUBTFUL && metrics->doubtful_events == 0)
        note(notes,
             "event clock not trustworthy: it tells of %.2g %% of a run of %s, and starting one takes no such time",
             100 * metrics->event_share, text_seconds(wall, metrics->time.value));
    else if (metrics->event_clock == EVENT_DOUBTFUL)
        note(notes, "event clock not trustworthy: %u of %u times were not positive, or longer than the wall time",
             metrics->doubtful_events, metrics->events);
    else if (metrics->event_clock == EVENT_ABSENT && !metrics->only_moves && !is_host && metrics->launches.queues <= 1)
        note(notes, "no time by the device's own clock");
}

void notes_read(struct notes *out, const struct cell_metrics *metrics)
{
    *out = (struct notes){ 0 };
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
        note_no_ceiling(out, metrics);
        note_ceiling(out, metrics);
        note_event_clock(out, metrics);
    }
    for (unsigned i = 0; i < metrics->cell->notes; i++)
        note_text(out, metrics->cell->note[i]);
}

void notes_release(struct notes *notes)
{
    for (unsigned i = 0; i < notes->count; i++)
        free(notes->text[i]);
    free(notes->text);
    *notes = (struct notes){ 0 };
}
