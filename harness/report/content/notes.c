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
static void note_verification(struct notes *notes, const struct facts *facts)
{
    const struct cell_record *cell = facts->cell;
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
static void note_quotient(struct notes *notes, const struct facts *facts)
{
    const struct cell_record *baseline = facts->baseline;
    if (!baseline || baseline == facts->cell || isnan(facts->resident.low))
        return;
    double quotient = record_time(baseline, cell_headline(baseline)).value / facts->time.value;
    if (quotient < facts->resident.low * (1 - quotient_slack) || quotient > facts->resident.high * (1 + quotient_slack))
        note(notes, "the speed-up is of slices side by side; the times of the two rows drifted apart from it");
}

/* What contradicts itself was measured while something else went on, whatever the intervals say. */
static void note_disturbance(struct notes *notes, const struct facts *facts)
{
    if (facts->time.value > disturbed * facts->tried)
        note(notes,
             "a run takes over %g times as long as when the method was tried: something disturbs it, and its "
             "speed-up may be an accident",
             disturbed);
    double longer = step_below(facts->stretch);
    if (facts->is_offload_disturbed)
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

static void note_mapping(struct notes *notes, const struct facts *facts)
{
    char fixed[TEXT_NUMBER];
    text_seconds(fixed, facts->moved);
    if (facts->no_copy && facts->only_moves)
        note(notes, "no copy, %s fixed: the buffer is only handed over", fixed);
    else if (facts->no_copy)
        note(notes, "no copy: upload and download only hand the buffers over, a fixed cost");
    else if (facts->is_fixed && facts->only_moves)
        note(notes, "no bandwidth: so little is moved that it takes no longer than handing over a page");
}

static void note_cold(struct notes *notes, const struct facts *facts)
{
    char size[TEXT_NUMBER];
    const struct cell_record *cell = facts->cell;
    if (cell->is_cold && isnan(cell->flushed))
        note(notes, "cold: caches are flushed before each run, untimed");
    else if (cell->is_cold)
        note(notes, "cold: caches are flushed before each run, untimed, by going through %s",
             text_bytes(size, cell->flushed));
}

static void note_algorithm(struct notes *notes, const struct facts *facts)
{
    if (facts->cell->is_fast)
        note(notes, "a fast algorithm: GFLOP/s counts the operations of the definition, of which it leaves some out; "
                    "whole numbers are checked after rounding");
}

/* What the ceiling was measured with, at another moment or in another way, was not the best that the device can do. */
static void note_ceiling(struct notes *notes, const struct facts *facts)
{
    bool computes = facts->roof.binding == ROOF_FLOPS, by_event = facts->roof.is_exceeded_by_event;
    const struct ceiling *ceiling = roofline_binding(&facts->roof);
    char rate[TEXT_NUMBER], there[TEXT_NUMBER];
    if (!facts->roof.is_exceeded || !ceiling)
        return;
    double work = computes ? facts->cell->flops : facts->cell->bytes;
    text_measured(rate, work / (by_event ? facts->event : facts->time.value) / 1e9, facts->half_width);
    text_measured(there, (by_event ? ceiling->event : ceiling->wall) / 1e9, ceiling->half_width);
    note(notes, "faster than the ceiling that was measured for it: %s %s, and %s there%s, %s", rate,
         computes ? "GFLOP/s" : "GB/s", there, by_event ? ", by the device's own clock" : "",
         ceiling->is_repeated ? "although it was measured again" : "and it was not measured again");
}

/* Nobody knows what to hold it against: of the small types no ceiling is measured (bench/ceilings.c). */
static void note_no_ceiling(struct notes *notes, const struct facts *facts)
{
    const struct cell_record *cell = facts->cell;
    enum dtype dtype;
    bool is_small = dtype_parse(cell->dtype, &dtype) && dtype_sums(dtype) != dtype;
    if (is_small && cell->flops > 0 && isnan(facts->share) && !cell->is_link && cell->roof == ROOF_NONE)
        note(notes, "no ceiling for %s: its arithmetic is f32's on one device and a matrix unit's on the next",
             cell->dtype);
}

/* The baseline's detail is in the heading of its block, that of the others only in the JSON. */
static void note_arithmetic(struct notes *notes, const struct facts *facts)
{
    const char *computed = strstr(facts->cell->detail, "computed in f"); /* and not in several launches */
    if (computed)
        note(notes, "%.*s", (int)strcspn(computed, ","), computed);
}

static void note_event_clock(struct notes *notes, const struct facts *facts)
{
    bool is_host = facts->device && facts->device->works_in_host_memory;
    char wall[TEXT_NUMBER];
    if (facts->event_clock == EVENT_DOUBTFUL && *facts->roof.doubt)
        note(notes, "event clock not trustworthy: %s", facts->roof.doubt);
    else if (facts->event_clock == EVENT_DOUBTFUL && facts->doubtful_events == 0)
        note(notes,
             "event clock not trustworthy: it tells of %.2g %% of a run of %s, and starting one takes no such time",
             100 * facts->event_share, text_seconds(wall, facts->time.value));
    else if (facts->event_clock == EVENT_DOUBTFUL)
        note(notes, "event clock not trustworthy: %u of %u times were not positive, or longer than the wall time",
             facts->doubtful_events, facts->events);
    else if (facts->event_clock == EVENT_ABSENT && !facts->only_moves && !is_host && facts->launches.queues <= 1)
        note(notes, "no time by the device's own clock");
}

void notes_read(struct notes *out, const struct facts *facts)
{
    *out = (struct notes){ 0 };
    if (facts->measured) {
        note_verification(out, facts);
        note_series(out, facts);
        note_quotient(out, facts);
        note_disturbance(out, facts);
        note_mapping(out, facts);
        note_cold(out, facts);
        note_sustained(out, facts);
        note_launches(out, facts);
        note_algorithm(out, facts);
        note_machine(out, facts);
        note_gpu(out, facts);
        note_arithmetic(out, facts);
        note_no_ceiling(out, facts);
        note_ceiling(out, facts);
        note_event_clock(out, facts);
    }
    for (unsigned i = 0; i < facts->cell->notes; i++)
        note_text(out, facts->cell->note[i]);
}

void notes_release(struct notes *notes)
{
    for (unsigned i = 0; i < notes->count; i++)
        free(notes->text[i]);
    free(notes->text);
    *notes = (struct notes){ 0 };
}
