#include "harness/reports/notes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double drift_worth_a_note = 0.05;

static void append(struct notes *notes, const char *text)
{
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

static __attribute__((format(printf, 2, 3))) void note(struct notes *notes, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    append(notes, text);
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

static void note_stop(struct notes *notes, const struct facts *facts)
{
    const struct track *track = &facts->cell->track[facts->headline];
    if (isnan(facts->half_width) && track->slices < ESTIMATE_BLOCKS_MIN)
        note(notes, "n=%u, interval unknown: it takes at least %d slices", track->slices, ESTIMATE_BLOCKS_MIN);
    else if (isnan(facts->half_width))
        note(notes, "interval of the time unknown: the slices resemble their neighbours too much");
    if (track->stop == STOP_BUDGET)
        note(notes, "stopped by its budget, before it was as precise as asked");
    if (track->stop == STOP_LONG)
        note(notes, "a single run is long: as many rounds as the budget allows");
    if (track->stop == STOP_INTERRUPTED)
        note(notes, "interrupted before it was as precise as asked");
    if (track->unusable > 0)
        note(notes, "%u times were not positive and are left out", track->unusable);
}

/* Relative change from the first third of the slices to the last. */
static double drift(const struct track *track)
{
    unsigned third = track->slices / 3;
    double *median = malloc((track->slices + 1) * sizeof *median);
    if (third == 0 || !median) {
        free(median);
        return 0;
    }
    for (unsigned i = 0; i < track->slices; i++)
        median[i] = track->slice[i].median;
    double change = stats_median(median + track->slices - third, third) / stats_median(median, third) - 1;
    free(median);
    return change;
}

static void note_shape(struct notes *notes, const struct facts *facts)
{
    const struct cell_record *cell = facts->cell;
    const struct track *track = &cell->track[facts->headline];
    if (stats_summary(track->wall.value, track->wall.count).two_modes)
        note(notes, "two modes: the times gather around two values, and the median is only one of them");
    double change = drift(track);
    if (fabs(change) > drift_worth_a_note)
        note(notes, "drift: the last third of the slices took %.0f %% %s than the first", 100 * fabs(change),
             change > 0 ? "longer" : "less");
    double clock = cell->clock_after / cell->clock_before - 1;
    if (fabs(clock) > drift_worth_a_note)
        note(notes, "the processor's clock %s by %.0f %% meanwhile", clock < 0 ? "fell" : "rose", 100 * fabs(clock));
}

static void note_event_clock(struct notes *notes, const struct facts *facts)
{
    bool is_host = facts->device && facts->device->works_in_host_memory;
    if (facts->event_clock == EVENT_DOUBTFUL)
        note(notes, "event clock not trustworthy: %u of %u times were not positive, or longer than the wall time",
             facts->doubtful_events, facts->events);
    else if (facts->event_clock == EVENT_ABSENT && !facts->only_moves && !is_host)
        note(notes, "the device tells no time of its own");
}

void notes_read(struct notes *out, const struct facts *facts)
{
    *out = (struct notes){ 0 };
    if (facts->measured) {
        note_verification(out, facts);
        note_stop(out, facts);
        note_shape(out, facts);
        note_event_clock(out, facts);
    }
    for (unsigned i = 0; i < facts->cell->notes; i++)
        append(out, facts->cell->note[i]);
}

void notes_release(struct notes *notes)
{
    for (unsigned i = 0; i < notes->count; i++)
        free(notes->text[i]);
    free(notes->text);
    *notes = (struct notes){ 0 };
}
