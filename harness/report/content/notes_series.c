/* What the samples of a series show: how certain its figures are, and whether they changed over time. */

#include "harness/report/content/notes.h"

#include "harness/analysis/figures.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static const double sustained_apart = 0.05; /* relative to the time in the rounds with other cells */

/* A series of which the table shows a time or a speed-up. */
struct shown_series {
    const struct track *track;
    const struct estimate *time, *speedup;
    double target;      /* the requested half width; NAN unknown */
    const char *prefix; /* "copied: " if it is not the headline */
};

/* Why figures are uncertain. A series has one reason, the last one of these that applies. */
enum doubt {
    DOUBT_NONE,
    DOUBT_BUDGET, /* budget spent; the journal does not have the requested precision */
    DOUBT_UNSURE, /* budget spent at the requested precision, but that is not certain */
    DOUBT_EARLY,  /* budget spent below the requested precision */
    DOUBT_ALIKE,  /* no interval: slices are correlated */
    DOUBT_NUMBER, /* no interval: slices are too few */
};

static bool has_no_interval(const struct estimate *estimate)
{
    return isnan(estimate_half_width(estimate));
}

static bool is_in_turn(const struct shown_series *shown)
{
    return isnan(shown->speedup->value) || shown->speedup->samples > 0;
}

/* A speed-up that could have an interval, but has none. */
static bool lacks_speedup(const struct shown_series *shown)
{
    return !isnan(shown->speedup->value) && isnan(shown->speedup->low) && is_in_turn(shown);
}

static enum doubt doubt_on(const struct shown_series *shown)
{
    if (shown->track->slices < ESTIMATE_GROUPS_MIN)
        return DOUBT_NUMBER;
    if (has_no_interval(shown->time) || lacks_speedup(shown))
        return DOUBT_ALIKE;
    if (shown->track->stop != STOP_BUDGET && shown->track->stop != STOP_LONG)
        return DOUBT_NONE;
    if (isnan(shown->target))
        return DOUBT_BUDGET;
    /* The stop rule uses the speed-up, or the time if there is none. */
    double half = estimate_half_width(shown->speedup->groups > 0 ? shown->speedup : shown->time);
    return half <= shown->target ? DOUBT_UNSURE : DOUBT_EARLY;
}

/* `other`: a series with the same reason, or NULL. */
static void note_doubt(struct notes *notes, const struct shown_series *shown, enum doubt doubt,
                       const struct shown_series *other)
{
    const double slices = shown->track->slices, copied = other ? other->track->slices : slices;
    const char *more = shown->track->stop == STOP_INTERRUPTED ? "" : ", and --budget gives more";
    if (doubt == DOUBT_NUMBER && copied == slices)
        note_after(notes, shown->prefix, "too few for an interval", 1,
                   (struct with){ .number = { slices, ESTIMATE_GROUPS_MIN }, .text = { more } });
    else if (doubt == DOUBT_NUMBER)
        note_after(notes, shown->prefix, "too few for an interval", 2,
                   (struct with){ .number = { slices, copied, ESTIMATE_GROUPS_MIN }, .text = { more } });
    else if (doubt == DOUBT_ALIKE)
        note_after(notes, shown->prefix, "interval unknown",
                   lacks_speedup(shown) ? 2 + has_no_interval(shown->time) : 1, (struct with){ 0 });
    else if (doubt > DOUBT_NONE)
        note_after(notes, shown->prefix, "stopped by its budget", 1 + doubt - DOUBT_BUDGET, (struct with){ 0 });
}

/* Relative change from the first third of the slices to the last; 0 for too few slices. */
static double drift(const struct track *track)
{
    unsigned third = track->slices / 3;
    double *median = track->slices < ESTIMATE_GROUPS_MIN ? NULL : track_values(track, offsetof(struct slice, median));
    double change = median ? stats_median(median + track->slices - third, third) / stats_median(median, third) - 1 : 0;
    free(median);
    return change;
}

static void note_unusable(struct notes *notes, const struct shown_series *shown)
{
    if (shown->track->unusable > 0)
        note_after(notes, shown->prefix, "not positive", 1, (struct with){ .number = { shown->track->unusable } });
}

static bool has_modes(const struct shown_series *shown)
{
    return stats_summary(shown->track->wall.value, shown->track->wall.count).two_modes;
}

static void note_drift(struct notes *notes, const struct shown_series *shown, double change)
{
    note_after(notes, shown->prefix, "drift", change > 0 ? 1 : 2, (struct with){ .number = { step_below(change) } });
}

static struct shown_series shown_of(const struct cell_metrics *metrics, enum series series)
{
    bool is_headline = series == metrics->headline;
    return (struct shown_series){
        .track = &metrics->cell->track[series],
        .time = is_headline ? &metrics->time : &metrics->whole,
        .speedup = series == SERIES_COPIED ? &metrics->copied : &metrics->resident,
        .target = metrics->target,
        .prefix = is_headline ? "" : "copied: ",
    };
}

/* Notes on the headline have no prefix. Those on the copied are added only where it is worse. */
void note_series(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct shown_series shown[] = { shown_of(metrics, metrics->headline), shown_of(metrics, SERIES_COPIED) };
    const struct shown_series *headline = &shown[0], *copied = &shown[shown[1].track->wall.count > 0];
    enum doubt first = doubt_on(headline), second = doubt_on(copied);
    double drifted = drift(headline->track), copied_drifted = drift(copied->track);
    const struct shown_series *either = is_in_turn(headline) ? copied : headline;
    const struct shown_series *in_modes = has_modes(headline) ? headline : copied;
    const struct shown_series *interrupted = headline->track->stop == STOP_INTERRUPTED ? headline : copied;
    if (!is_in_turn(either))
        note_after(notes, either->prefix, "not in turn", 1, (struct with){ 0 });
    note_doubt(notes, headline, first, second == first ? copied : NULL);
    if (second > first)
        note_doubt(notes, copied, second, NULL);
    if (interrupted->track->stop == STOP_INTERRUPTED)
        note_after(notes, interrupted->prefix, "interrupted early", 1, (struct with){ 0 });
    note_unusable(notes, headline);
    if (copied->track != headline->track)
        note_unusable(notes, copied);
    if (has_modes(in_modes))
        note_after(notes, in_modes->prefix, "times gather around two values", 1, (struct with){ 0 });
    if (step_below(drifted) > 0)
        note_drift(notes, headline, drifted);
    if (step_below(copied_drifted) > step_below(drifted))
        note_drift(notes, copied, copied_drifted);
}

/* The quartile of the slices' times that is nearer to `seconds`. The slices of a device that heats up slowly are
 * correlated, so they have no interval; but if three in four of them are outside another interval that is not
 * chance. */
static double near_quartile(const struct track *track, double seconds)
{
    double *median = track_values(track, offsetof(struct slice, median)), quartile = NAN;
    if (median && track->slices >= ESTIMATE_GROUPS_MIN) {
        double low = stats_quantile(median, track->slices, 0.25), high = stats_quantile(median, track->slices, 0.75);
        quartile = low > seconds ? low : high < seconds ? high : seconds;
    }
    free(median);
    return quartile;
}

/* Alone, a device heats up and uses up its short-term power limit; in rounds with others it recovers. Without a clear
 * difference there is a note too: the user asked for it. */
void note_sustained(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct track *track = &metrics->cell->track[SERIES_SUSTAINED];
    const struct estimate *rounds = &metrics->time;
    const double alone = metrics->sustained.value, length = track->elapsed, change = alone / rounds->value - 1;
    const double near = near_quartile(track, rounds->value), drifted = drift(track);
    const char *longer = change > 0 ? "longer" : "less", *chance = "";
    if (isnan(change))
        return;
    if (fabs(change) > sustained_apart)
        chance = ", which may be chance: their times vary as much";
    if (change > sustained_apart && near > fmax(rounds->value, rounds->high))
        note(notes, "longer by itself", 1, (struct with){ .number = { length, change } });
    else if (change < -sustained_apart && near < fmin(rounds->value, rounds->low))
        note(notes, "less by itself", 1, (struct with){ .number = { length, -change } });
    else if (fabs(change) < 0.005)
        note(notes, "by itself as in turn", 1, (struct with){ .number = { length, alone } });
    else
        note(notes, "by itself as in turn", 2,
             (struct with){ .number = { length, alone, fabs(change) }, .text = { longer, chance } });
    if (step_below(drifted) > 0)
        note(notes, "drift", drifted > 0 ? 3 : 4, (struct with){ .number = { length, step_below(drifted) } });
}
