#include "harness/report/content/notes.h"

#include "harness/analysis/figures.h"
#include "harness/analysis/verdict.h"
#include "harness/base/text.h"

#include <math.h>

static const double alike = 0.03; /* times that differ by less are called equal */

/* Whether the answer was verified, and how strictly. Where a run ended early, once is enough for a claim. */
static void note_verification(struct notes *notes, const struct figures *figures)
{
    const struct cell_record *cell = figures->cell;
    if (cell->verified == 0)
        note(notes, SEVERITY_WRONG, "never verified: the result may be wrong, so measure again");
    else if (cell->verified == 1 && cell->ended)
        note(notes, figures->verified ? SEVERITY_NONE : SEVERITY_WRONG,
             "verified once only, not both before and after timing: measure again, or complete the run with --resume");
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

/* Why a speed-up is not judged. Of a CPU that is held back its own row says how, or the notes on the run. */
static void note_unjudged(struct notes *notes, const struct figures *figures)
{
    const double computing = figures->cell->first.cores_computing, planned = figures->cell->first.cores_planned;
    if (computing < planned)
        note(notes, SEVERITY_HELD, "not judged: CPU held back: %.0f of %.0f planned cores computed", computing,
             planned);
    for (enum use use = 0; use < USES && !(computing < planned); use++) {
        const struct figure *figure = &figures->use[use];
        if (figure->verdict == VERDICT_UNJUDGED)
            note(notes, figure->is_held_back ? SEVERITY_NONE : SEVERITY_WRONG, "not judged: %s",
                 figure_unjudged(figure));
    }
}

/* The stop rule uses the speed-up, or the time if there is none. */
static void note_precision(struct notes *notes, const struct figures *figures)
{
    const struct figure *figure = &figures->use[figures->headline];
    const enum stop stop = figures->cell->track[use_series[figures->headline]].stop;
    const struct estimate *stops = isnan(figure->speedup.low) ? &figure->time : &figure->speedup;
    if (estimate_half_width(stops) > figures->target && (stop == STOP_BUDGET || stop == STOP_LONG))
        note(notes, SEVERITY_NONE, "stopped by its budget, before it was as precise as asked: --budget gives more");
}

static void note_disturbance(struct notes *notes, const struct figures *figures)
{
    const struct figure *stays = &figures->use[USE_RESIDENT], *moves = &figures->use[USE_COPIED];
    if (stays->disturbance == DISTURBANCE_MATTERS || moves->disturbance == DISTURBANCE_MATTERS)
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

static void note_device(struct notes *notes, const struct figures *figures)
{
    if (figures->cell->lacks_library)
        note(notes, SEVERITY_NONE, "measured without a library of its vendor: this GPU may be faster with one");
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

/* Alone, a device heats up and uses up its short-term power limit; in rounds with others it recovers. Without a sure
 * difference there is a note too: the user asked for it. */
static void note_sustained(struct notes *notes, const struct figures *figures)
{
    const struct estimate *alone = &figures->sustained, *visits = &figures->time;
    const bool is_longer = alone->low > visits->high, is_less = alone->high < visits->low;
    const double change = 100 * (alone->value / visits->value - 1);
    const char *words =
        is_longer || is_less
            ? pool_print(notes->pool, ", %.0f %% %s than in the visits before: use this time for long work",
                         fabs(change), is_longer ? "longer" : "less")
            : ": no difference from the visits before was shown";
    if (!isnan(change))
        note(notes, SEVERITY_NONE, "without pauses for %s a run takes %s%s",
             text_seconds(figures->cell->track[SERIES_SUSTAINED].elapsed).text, text_seconds(alone->value).text, words);
}

/* States of a machine outlast a run. */
static void note_earlier(struct notes *notes, const struct figures *figures)
{
    const struct earlier *earlier = &figures->cell->earlier;
    const struct estimate *speedup = &figures->use[figures->headline].speedup;
    const char *on = figures->headline == USE_COPIED ? "copied: " : "";
    if (earlier->runs == 0 || isnan(speedup->value) || !(earlier->low > 0))
        return;
    const bool is_surely_other = speedup->high < earlier->median || speedup->low > earlier->median;
    if (is_surely_other && (speedup->value < earlier->low || speedup->value > earlier->high))
        note(notes, SEVERITY_WARNING, "%s%s here, %s to %s in %u earlier runs: the machine was in another state", on,
             speedup_value(notes->pool, speedup), text_figure(earlier->low).text, text_figure(earlier->high).text,
             earlier->runs);
    else
        note(notes, SEVERITY_NONE, "%s%s to %s in %u earlier runs on this machine", on, text_figure(earlier->low).text,
             text_figure(earlier->high).text, earlier->runs);
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
    struct notes notes = { .pool = pool };
    note_left_out(&notes, figures->cell);
    if (figures->measured) {
        note_verification(&notes, figures);
        note_unjudged(&notes, figures);
        note_precision(&notes, figures);
        note_disturbance(&notes, figures);
        note_peak(&notes, figures);
        note_device(&notes, figures);
        note_launches(&notes, figures);
        note_sustained(&notes, figures);
        note_machine(&notes, figures);
        note_earlier(&notes, figures);
    }
    for (unsigned i = 0; i < figures->cell->notes; i++)
        note_recorded(&notes, figures->cell->note[i]);
    return notes;
}
