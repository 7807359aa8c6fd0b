#include "harness/report/content/notes.h"

#include "harness/analysis/figures.h"
#include "harness/analysis/verdict.h"
#include "harness/base/text.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const double alike = 0.03;  /* times that differ by less are called equal */
static const double apart = 0.05;  /* of a run by itself, from one in the rounds with other cells */
static const double disturbed = 2; /* times as long as the trial before */

/* Whether the answer was verified, and how strictly. */
static void note_verification(struct notes *notes, const struct figures *figures)
{
    const struct cell_record *cell = figures->cell;
    if (cell->verified == 0)
        note(notes, SEVERITY_WRONG, "never verified: the result may be wrong, so measure again");
    else if (!figures->verified && !cell->weak)
        note(notes, SEVERITY_WRONG, "not verified both before and after timing: measure again");
    if (cell->weak)
        note(notes, SEVERITY_WRONG,
             "a check of the result proves nothing: the error it allows is as large as the values, so use a smaller "
             "size or f64");
    if (cell->checks.differ)
        note(notes, SEVERITY_NONE,
             "results differ in bits from run to run, within the error bound: use another method where they must be "
             "the same");
    if (!cell->ended)
        note(notes, SEVERITY_NONE, "not finished: what was measured until then; --resume JOURNAL completes it");
}

/* The stop rule uses the speed-up, or the time if there is none. */
static enum doubt doubt_on(const struct figures *figures, enum use use)
{
    const enum stop stop = figures->cell->track[use_series[use]].stop;
    const struct estimate *time = &figures->use[use].time, *speedup = &figures->use[use].speedup;
    const bool is_wide = estimate_half_width(isnan(speedup->low) ? time : speedup) > figures->target;
    const enum doubt doubt = figure_doubt(&figures->use[use]);
    return doubt == DOUBT_NONE && is_wide && (stop == STOP_BUDGET || stop == STOP_LONG) ? DOUBT_WIDE : doubt;
}

/* Of the headline, and of the copied series where that is worse. */
static void note_doubt(struct notes *notes, const struct figures *figures)
{
    const bool has_both = figures->headline != USE_COPIED && figures->cell->track[SERIES_COPIED].wall.count > 0;
    const enum doubt first = doubt_on(figures, figures->headline);
    const enum doubt second = has_both ? doubt_on(figures, USE_COPIED) : DOUBT_NONE;
    const char *on = second > first ? "copied: " : "";
    const enum use use = second > first ? USE_COPIED : figures->headline;
    const unsigned own = figures->cell->track[use_series[use]].slices, pairs = figures->use[use].speedup.samples;
    const unsigned slices = pairs > 0 && pairs < own ? pairs : own;
    switch (second > first ? second : first) {
    case DOUBT_NONE:
        break;
    case DOUBT_WIDE:
        note(notes, SEVERITY_VAGUE, "%sstopped by its budget, before it was as precise as asked: --budget gives more",
             on);
        break;
    case DOUBT_APART:
        note(notes, SEVERITY_VAGUE,
             "%snot measured in turn with the baseline, so drift may have changed the speed-up: a smaller --size may "
             "fit beside it",
             on);
        break;
    case DOUBT_FEW:
        note(notes, SEVERITY_VAGUE, "%s%u slice%s: too few for an interval, which takes %d: give the run more time", on,
             slices, slices == 1 ? "" : "s", ESTIMATE_VALUES_MIN);
        break;
    case DOUBT_NOISY:
        note(notes, SEVERITY_DISTURBED,
             "%stoo noisy: the interval spans more than a factor of %.0f, and is not shown: measure again", on,
             INTERVAL_WIDEST);
        break;
    }
}

/* Times that contradict each other were disturbed, whatever the intervals say. */
static void note_disturbance(struct notes *notes, const struct figures *figures)
{
    const struct figure *stays = &figures->use[USE_RESIDENT], *moves = &figures->use[USE_COPIED];
    const char *holds = figures->device ? figures->device->note : "";
    if (figures->time.value > disturbed * figures->tried)
        note(notes, SEVERITY_WRONG,
             "a run takes over %.0f times as long as when the method was tried: something disturbs it, so measure "
             "again",
             disturbed);
    if (moves->is_below_part)
        note(notes, SEVERITY_WRONG,
             "the copied runs took less time than computing alone: they were disturbed, and are not judged: measure "
             "again");
    if (figures->cell->first.cores_computing < figures->cell->first.cores_planned)
        note(notes, SEVERITY_HELD, "not judged: CPU held back: %.0f of %.0f planned cores computed%s%s%s",
             figures->cell->first.cores_computing, figures->cell->first.cores_planned, *holds ? ": " : "", holds,
             *holds ? ": unset it" : "");
    else if (stays->is_held_back || moves->is_held_back)
        note(notes, SEVERITY_NONE, "not judged: CPU held back");
    const enum disturbance most = stays->disturbance > moves->disturbance ? stays->disturbance : moves->disturbance;
    if (most == DISTURBANCE_DECIDES)
        note(notes, SEVERITY_WRONG, "not judged: too much other load on the cores: measure again");
    else if (most == DISTURBANCE_MATTERS)
        note(notes, SEVERITY_NONE, "the visits without other load give another verdict: measure again");
    else if (stays->is_beside_others || moves->is_beside_others)
        note(notes, SEVERITY_NONE, "much other load on the cores: times may be too long");
}

/* The row is faster than its measured peak, which was measured at another time or with a slower method. */
static void note_peak(struct notes *notes, const struct figures *figures)
{
    const struct peak *peak = roofline_binding(&figures->roof);
    const bool computes = figures->roof.binding == ROOF_FLOPS;
    if (figures->cell->is_fast)
        note(notes, SEVERITY_NONE,
             "a fast algorithm: it needs fewer operations than GFLOP/s counts, and is less exact: compare times");
    if (!figures->roof.is_exceeded || !peak)
        return;
    note(notes, SEVERITY_NONE, "the peak of this device: %s G%s/s; the loop that measures peaks reached %s",
         text_figure((computes ? figures->rate : figures->bandwidth) / 1e9).text,
         computes ? dtype_operation(figures->cell->dtype) : "B", text_figure(peak->wall / 1e9).text);
}

const char *note_untried(const struct cell_record *cell)
{
    const bool is_small = strcmp(cell->dtype, "f32") != 0 && strcmp(cell->dtype, "f64") != 0;
    return !cell->lacks_library ? ""
           : is_small           ? "without a library of its vendor, and without matrix units"
                                : "without a library of its vendor";
}

static void note_device(struct notes *notes, const struct figures *figures)
{
    if (figures->cell->lacks_library)
        note(notes, SEVERITY_NONE, "measured %s: this GPU may be faster with one", note_untried(figures->cell));
    if (!isnan(figures->use[USE_RESIDENT].in_f32.value) && figures->baseline == figures->cell)
        note(notes, SEVERITY_NONE, "faster in f32 on this device (%s): use f32 if you can",
             text_seconds(figures->use[USE_RESIDENT].in_f32.value).text);
    if (figures->costs.event_clock == EVENT_DOUBTFUL)
        note(notes, SEVERITY_NONE, "event clock not trustworthy: do not time programs with this driver's events");
}

/* What launches cost, and whether it pays to move and compute at once. */
static void note_launches(struct notes *notes, const struct figures *figures)
{
    const struct launch_overhead *launches = &figures->launches;
    const double time = figures->time.value;
    if (launches->count > 1 && time / launches->uncut > 1 + alike)
        note(notes, SEVERITY_NONE,
             "%u launches take %s times as long as one does for the same work: %s more for each, so do more per launch",
             launches->count, text_figure(time / launches->uncut).text,
             text_seconds((time - launches->uncut) / (launches->count - 1)).text);
    if (launch_overhead_is_felt(launches, time))
        note(notes, SEVERITY_NONE,
             "a run takes %s with a wait after each, and %s among many with one wait for all: wait once for many",
             text_seconds(time).text, text_seconds(launches->queued).text);
    if (launches->chunks > 1 && !isnan(launches->apart) && !isnan(figures->use[USE_COPIED].time.value))
        note(notes, SEVERITY_NONE,
             "in %u chunks on %u queue%s the whole takes %s; all uploads, then all computing, then all downloads "
             "take %s",
             launches->chunks, launches->queues, launches->queues == 1 ? "" : "s",
             text_seconds(figures->use[USE_COPIED].time.value).text, text_seconds(launches->apart).text);
}

/* The quartile of the slices' times that is nearer to `seconds`. The slices of a device that heats up slowly are
 * correlated, so their interval is wide; but if three in four of them are outside another interval that is not
 * chance. */
static double near_quartile(const struct track *track, double seconds)
{
    double *median = track_values(track, offsetof(struct slice, median)), quartile = NAN;
    if (median && track->slices >= ESTIMATE_VALUES_MIN) {
        double low = stats_quantile(median, track->slices, 0.25), high = stats_quantile(median, track->slices, 0.75);
        quartile = low > seconds ? low : high < seconds ? high : seconds;
    }
    free(median);
    return quartile;
}

/* Alone, a device heats up and uses up its short-term power limit; in rounds with others it recovers. Without a clear
 * difference there is a note too: the user asked for it. */
static void note_sustained(struct notes *notes, const struct figures *figures)
{
    const struct track *track = &figures->cell->track[SERIES_SUSTAINED];
    const struct estimate *rounds = &figures->time;
    const double alone = figures->sustained.value, change = alone / rounds->value - 1;
    const double near = near_quartile(track, rounds->value);
    const bool is_longer = change > apart && near > fmax(rounds->value, rounds->high);
    const bool is_less = change < -apart && near < fmin(rounds->value, rounds->low);
    if (isnan(change))
        return;
    const char *length = pool_copy(notes->pool, text_seconds(track->elapsed).text),
               *time = pool_copy(notes->pool, text_seconds(alone).text);
    if (is_longer || is_less)
        note(notes, SEVERITY_NONE,
             "without pauses for %s a run takes %s, %.0f %% %s than in the visits before: use this time for long work",
             length, time, 100 * fabs(change), is_longer ? "longer" : "less");
    else
        note(notes, SEVERITY_NONE,
             "without pauses for %s a run takes %s: no difference from the visits before was shown", length, time);
}

/* States of a machine outlast a run. */
static void note_earlier(struct notes *notes, const struct figures *figures)
{
    const struct earlier *earlier = &figures->cell->earlier;
    const bool is_copied = figures->headline == USE_COPIED;
    const struct estimate *speedup =
        is_copied ? &figures->use[USE_COPIED].speedup : &figures->use[USE_RESIDENT].speedup;
    if (earlier->runs == 0 || isnan(speedup->value) || !(earlier->low > 0))
        return;
    const struct estimate least = { earlier->low, NAN, NAN, 0 }, most = { earlier->high, NAN, NAN, 0 };
    const char *low = speedup_value(notes->pool, &least), *high = speedup_value(notes->pool, &most);
    const bool is_surely_other = speedup->high < earlier->median || speedup->low > earlier->median;
    if (is_surely_other && (speedup->value < earlier->low || speedup->value > earlier->high))
        note(notes, SEVERITY_WARNING, "%s%s here, %s to %s in %u earlier runs: %s differed",
             is_copied ? "copied: " : "", speedup_value(notes->pool, speedup), low, high, earlier->runs,
             note_has_load(figures) ? "other load" : "the machine or its settings");
    else
        note(notes, SEVERITY_NONE, "%s%s to %s in %u earlier runs on this machine", is_copied ? "copied: " : "", low,
             high, earlier->runs);
}

/* What of the row's journal entered no figure. */
static void note_left_out(struct notes *notes, const struct cell_record *cell)
{
    unsigned runs = 0;
    for (enum series series = 0; series < SERIES_COUNT; series++)
        runs += cell->track[series].unusable;
    if (runs > 0)
        note(notes, SEVERITY_WARNING, "the times of %u run%s are impossible and were left out", runs,
             runs == 1 ? "" : "s");
    if (cell->left_out > 0)
        note(notes, SEVERITY_WRONG, "%u value%s of its journal could not be used: use the file as bench wrote it",
             cell->left_out, cell->left_out == 1 ? "" : "s");
}

struct notes notes_read(struct pool *pool, const struct figures *figures)
{
    static const char died[] = "its worker died once", cut_off[] = "the run ended before it was verified again";
    struct notes notes = { .pool = pool };
    note_left_out(&notes, figures->cell);
    if (figures->measured) {
        note_verification(&notes, figures);
        note_doubt(&notes, figures);
        note_disturbance(&notes, figures);
        note_peak(&notes, figures);
        note_device(&notes, figures);
        note_launches(&notes, figures);
        note_sustained(&notes, figures);
        note_machine(&notes, figures);
        note_earlier(&notes, figures);
    }
    for (unsigned i = 0; i < figures->cell->notes; i++) {
        const char *text = figures->cell->note[i];
        const bool has_died = strncmp(text, died, strlen(died)) == 0;
        if (figures->cell->verified > 1 && strcmp(text, cut_off) == 0) /* it was, once the run was resumed */
            continue;
        notes_add(&notes, &(struct note){ .text = text, .severity = has_died ? SEVERITY_WARNING : SEVERITY_NONE },
                  NULL);
    }
    return notes;
}
