#include "harness/reports/notes_parts.h"

#include "harness/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double quotient_slack = 0.02;  /* beyond the interval of the speed-up */
static const double disturbed = 2;          /* times as long as a few runs took before */
static const double sustained_apart = 0.05; /* from the time in turn with others */

enum { MEMORY_SEEN = 12 }; /* rounds below which stats_estimate cannot see whether they resemble their neighbours */

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

/* A series that the table shows, and what it shows of it. */
struct shown {
    const struct facts *facts;
    const struct track *track;
    const struct estimate *time, *speedup;
    bool is_headline;
};

/* What is true of the headline goes without a name; of another series it is said only where it is not true of both. */
static __attribute__((format(printf, 3, 4))) void note_on(struct notes *notes, const struct shown *shown,
                                                          const char *format, ...)
{
    char text[NOTE_ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (shown->is_headline)
        note_text(notes, text);
    else if (!is_noted(notes, text))
        note(notes, "offload: %.*s", NOTE_ROOM - 10, text);
}

static void note_interval(struct notes *notes, const struct shown *shown)
{
    static const char *const which[] = { NULL, "time", "speed-up", "time and of the speed-up" };
    unsigned slices = shown->track->slices;
    bool in_turn = isnan(shown->speedup->value) || shown->speedup->samples > 0;
    bool no_speedup = !isnan(shown->speedup->value) && isnan(shown->speedup->low);
    unsigned unknown = (unsigned)isnan(estimate_half_width(shown->time)) + 2 * (no_speedup && in_turn);
    if (!in_turn)
        note_on(notes, shown, "not measured in turn with the baseline: drift may have changed the speed-up");
    if (slices < ESTIMATE_BLOCKS_MIN)
        note_on(notes, shown, "n=%u, interval unknown: it takes at least %d slices", slices, ESTIMATE_BLOCKS_MIN);
    else if (unknown > 0)
        note_on(notes, shown, "interval of the %s unknown: the slices resemble their neighbours too much",
                which[unknown]);
    else if (slices < MEMORY_SEEN)
        note_on(notes, shown,
                "few rounds: whether they resemble each other cannot be seen, so an interval may be too narrow");
}

/* The stop rule looks at the speed-up, or at the time where there is none. */
static void note_budget(struct notes *notes, const struct shown *shown)
{
    double half = estimate_half_width(shown->speedup->blocks > 0 ? shown->speedup : shown->time);
    bool is_precise = half <= shown->facts->target;
    if (isnan(shown->facts->target))
        note_on(notes, shown, "stopped by its budget");
    else if (!is_precise)
        note_on(notes, shown, "stopped by its budget, before it was as precise as asked");
    else if (shown->track->slices >= MEMORY_SEEN) /* below, few rounds have a note of their own */
        note_on(notes, shown, "stopped by its budget: as precise as asked, but on too few rounds to be sure of it");
}

static void note_stop(struct notes *notes, const struct shown *shown)
{
    const struct track *track = shown->track;
    if (track->stop == STOP_BUDGET)
        note_budget(notes, shown);
    if (track->stop == STOP_LONG)
        note_on(notes, shown, "fewer than %d rounds fit the budget: --budget gives more", ESTIMATE_BLOCKS_MIN);
    if (track->stop == STOP_INTERRUPTED)
        note_on(notes, shown, "interrupted before it was as precise as asked");
    if (track->unusable > 0)
        note_on(notes, shown, "times that were not positive are left out: %u", track->unusable);
}

double step_below(double change)
{
    static const double steps[] = { 0.5, 0.2, 0.05 };
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
        if (fabs(change) > steps[i])
            return steps[i];
    return 0;
}

/* Relative change from the first third of the slices to the last; 0 for so few that it says nothing. */
static double drift(const struct track *track)
{
    unsigned third = track->slices / 3;
    double *median = malloc((track->slices + 1) * sizeof *median);
    if (track->slices < ESTIMATE_BLOCKS_MIN || !median) {
        free(median);
        return 0;
    }
    for (unsigned i = 0; i < track->slices; i++)
        median[i] = track->slice[i].median;
    double change = stats_median(median + track->slices - third, third) / stats_median(median, third) - 1;
    free(median);
    return change;
}

static void note_shape(struct notes *notes, const struct shown *shown)
{
    const struct track *track = shown->track;
    if (stats_summary(track->wall.value, track->wall.count).two_modes)
        note_on(notes, shown, "two modes: the times gather around two values, and the median is only one of them");
    double change = drift(track);
    if (step_below(change) > 0)
        note_on(notes, shown, "drift: the last third of the slices took over %.0f %% %s than the first",
                100 * step_below(change), change > 0 ? "longer" : "less");
}

static void note_series(struct notes *notes, const struct facts *facts, enum series series)
{
    bool is_headline = series == facts->headline;
    const struct shown shown = {
        .facts = facts,
        .track = &facts->cell->track[series],
        .time = is_headline ? &facts->time : &facts->whole,
        .speedup = series == SERIES_OFFLOAD ? &facts->offload : &facts->resident,
        .is_headline = is_headline,
    };
    if (shown.track->wall.count == 0)
        return;
    note_interval(notes, &shown);
    note_stop(notes, &shown);
    note_shape(notes, &shown);
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
    if (!isnan(facts->compute) && facts->whole.value < facts->compute * (1 - quotient_slack - clock_bins))
        note(notes, "whole is less than its part, compute: the machine changed between the two, so compare neither");
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

/* The quartile of the slices' times that is nearer to so many seconds. A device that heats up slowly has slices that
 * resemble their neighbours, and so no interval; but three in four of them beyond another interval are no accident. */
static double near_quartile(const struct track *track, double seconds)
{
    double *median = malloc((track->slices + 1) * sizeof *median), quartile = NAN;
    for (unsigned i = 0; median && i < track->slices; i++)
        median[i] = track->slice[i].median;
    if (median && track->slices >= ESTIMATE_BLOCKS_MIN) {
        double low = stats_quantile(median, track->slices, 0.25), high = stats_quantile(median, track->slices, 0.75);
        quartile = low > seconds ? low : high < seconds ? high : seconds;
    }
    free(median);
    return quartile;
}

/* By itself a device heats up and spends what its power limit lends it for short; in rounds with others it recovers. */
static void note_sustained(struct notes *notes, const struct facts *facts)
{
    const struct track *track = &facts->cell->track[SERIES_SUSTAINED];
    const struct estimate *rounds = &facts->time;
    char length[TEXT_NUMBER];
    double change = facts->sustained.value / rounds->value - 1, drifted = drift(track);
    double near = near_quartile(track, rounds->value);
    text_seconds(length, track->elapsed);
    if (change > sustained_apart && near > fmax(rounds->value, rounds->high))
        note(notes,
             "by itself for %s a run takes %.0f %% longer than in the rounds before: heat or a power limit holds the "
             "device back, and long work gets this speed",
             length, 100 * change);
    if (change < -sustained_apart && near < fmin(rounds->value, rounds->low))
        note(notes,
             "by itself for %s a run takes %.0f %% less than in the rounds before: clocks and caches need longer to "
             "recover than a slice gives them, and long work gets this speed",
             length, -100 * change);
    if (step_below(drifted) > 0)
        note(notes, "by itself for %s: drift: the last third of the slices took over %.0f %% %s than the first", length,
             100 * step_below(drifted), drifted > 0 ? "longer" : "less");
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
    bool computes = facts->roof.binding == ROOF_FLOPS;
    const struct ceiling *ceiling = computes ? &facts->roof.flops : &facts->roof.bandwidth;
    char rate[TEXT_NUMBER], there[TEXT_NUMBER];
    if (!facts->roof.is_exceeded)
        return;
    text_figure(rate, (computes ? facts->rate : facts->bandwidth) / 1e9, facts->half_width);
    text_figure(there, ceiling->wall / 1e9, ceiling->half_width);
    note(notes, "faster than the ceiling that was measured for it: %s %s, and %s there", rate,
         computes ? "GFLOP/s" : "GB/s", there);
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
        note_series(out, facts, facts->headline);
        if (facts->headline != SERIES_OFFLOAD)
            note_series(out, facts, SERIES_OFFLOAD);
        note_quotient(out, facts);
        note_disturbance(out, facts);
        note_mapping(out, facts);
        note_cold(out, facts);
        note_sustained(out, facts);
        note_launches(out, facts);
        note_algorithm(out, facts);
        note_machine(out, facts);
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
