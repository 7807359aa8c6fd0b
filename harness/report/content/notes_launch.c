#include "harness/report/content/notes_parts.h"

#include "harness/base/text.h"

#include <math.h>

/* Two times that differ by less are told as alike. */
static const double alike = 0.03;

static void note_naive(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct launches *launches = &metrics->launches;
    char ratio[TEXT_NUMBER], returned[TEXT_NUMBER], done[TEXT_NUMBER];
    const double times = metrics->time.value / launches->enqueue;
    const bool is_host =
        metrics->device && metrics->device->works_in_host_memory; /* the rest is what reading a clock takes */
    if (!is_host && launches->enqueue > 0 && times > 1 + alike)
        note(
            notes,
            "without the wait it would seem %s times as fast: the calls had returned after %s, the work was done after "
            "%s",
            text_figure(ratio, times, NAN), text_seconds(returned, launches->enqueue),
            text_seconds(done, metrics->time.value));
}

/* The price of many small operations. */
static void note_count(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct launches *launches = &metrics->launches;
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

/* What doing both at once brings, against the same run with a wait after each phase. The two take turns. */
static void note_overlap(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct launches *launches = &metrics->launches;
    char ratio[TEXT_NUMBER], apart[TEXT_NUMBER], cut[64];
    const double times = launches->apart / metrics->whole.value;
    if (launches->chunks <= 1 || isnan(times))
        return;
    snprintf(cut, sizeof cut, "in %u chunks on %u queue%s", launches->chunks, launches->queues,
             launches->queues == 1 ? "" : "s");
    text_seconds(apart, launches->apart);
    if (times > 1 + alike)
        note(notes, "%s the whole is %s times as fast as all uploads, then all that computes, then all downloads (%s)",
             cut, text_figure(ratio, times, NAN), apart);
    else if (times < 1 - alike)
        note(notes,
             "%s the whole takes %s times as long as all uploads, then all that computes, then all downloads (%s)", cut,
             text_figure(ratio, 1 / times, NAN), apart);
    else
        note(notes, "%s the whole takes as long as all uploads, then all that computes, then all downloads (%s)", cut,
             apart);
}

void note_launches(struct notes *notes, const struct cell_metrics *metrics)
{
    if (metrics->launches.is_launch) {
        note_naive(notes, metrics);
        note_count(notes, metrics);
        note_queued(notes, metrics);
    }
    note_overlap(notes, metrics);
}
