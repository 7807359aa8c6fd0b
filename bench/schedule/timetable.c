#include "bench/schedule/timetable.h"

#include "harness/base/pool.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- which problems --- */

bool timetable_add(struct timetable *timetable, struct cell cell[], unsigned cells, struct error *err)
{
    struct context *context = timetable->context;
    if (run_log_has(&context->run_log, cell->block))
        return true;
    if (!grow(&timetable->entry, timetable->entries, &timetable->room, sizeof *timetable->entry))
        return fail(err, STATUS_NO_MEMORY, "no memory for %u problems", timetable->entries + 1);
    struct entry *entry = &timetable->entry[timetable->entries++];
    *entry = (struct entry){ .cell = cell, .cells = cells };
    entry->forecast = forecast_block(context, &context->rule, cell, cells);
    entry->room = room_needed(context, cell, cells);
    entry->room.seconds = forecast_seconds(&entry->forecast);
    timetable->seconds += entry->room.seconds;
    context->blocks++;
    return true;
}

bool timetable_make(struct timetable *out, struct context *context, const struct plan *plan, struct error *err)
{
    const bool by_worth = isfinite(context->options->time);
    *out = (struct timetable){ .context = context };
    for (unsigned turn = 0, left = 1; left > 0; turn++) {
        const struct workload *latest = NULL;
        left = 0;
        for (unsigned first = 0, of_workload = 0, end; first < plan->cells; first = end) {
            const struct workload *workload = plan->cell[first].problem.workload;
            end = plan_block_end(plan, first);
            of_workload = workload == latest ? of_workload + 1 : 0;
            latest = workload;
            left += by_worth && of_workload > turn;
            if ((!by_worth || of_workload == turn) && !timetable_add(out, &plan->cell[first], end - first, err))
                return false;
        }
    }
    return true;
}

void timetable_free(struct timetable *timetable)
{
    free(timetable->entry);
}

static void leave_out(struct timetable *timetable, struct entry *entry)
{
    entry->is_left_out = true;
    timetable->seconds -= entry->room.seconds;
    timetable->context->progress.planned -= entry->room.seconds;
}

/* --- which rotations --- */

/* Whether the device of a planned cell takes a single process. */
static bool takes_one_process(const struct timetable *timetable)
{
    for (unsigned i = 0; i < timetable->entries; i++)
        for (unsigned k = 0; k < timetable->entry[i].cells; k++)
            if (timetable->entry[i].cell[k].device->takes_one_process)
                return true;
    return false;
}

/* Of what is left of the time, problems get their shortest part in order; the others are left out. */
void timetable_cut(struct timetable *timetable)
{
    struct context *context = timetable->context;
    double memory[POOLS_MAX], left = context_time_left(context) - context->reserved;
    struct room_problem *problem = malloc((timetable->entries + 1) * sizeof *problem);
    unsigned problems = 0;
    for (unsigned i = 0; i < timetable->entries; i++) {
        struct entry *entry = &timetable->entry[i];
        const double least = forecast_least(&entry->forecast);
        if (least > left)
            leave_out(timetable, entry);
        else if (problem)
            problem[problems++] = entry->room;
        left -= entry->is_left_out ? 0 : least;
    }
    room_memory(&context->listing, 0, memory);
    timetable->rotations = problem ? room_plan(problem, problems, memory, takes_one_process(timetable)) : 1;
    for (unsigned i = 0, k = 0; problem && i < timetable->entries; i++)
        if (!timetable->entry[i].is_left_out)
            timetable->entry[i].room = problem[k++];
    free(problem);
    if (timetable->rotations > 1)
        run_log_note(&context->run_log, "",
                     "measured in %u rotations, as not all problems fit into memory, or into a device, at once: "
                     "intervals may be too narrow",
                     timetable->rotations);
}

bool timetable_has_room(const struct timetable *timetable, const struct rotation *rotation, const struct cell cell[],
                        unsigned cells)
{
    double memory[POOLS_MAX];
    struct room_problem both[2] = { { .rotation = 0 }, room_needed(timetable->context, cell, cells) };
    for (unsigned i = 0; i < rotation->blocks; i++) {
        for (unsigned pool = 0; pool < POOLS_MAX; pool++)
            both[0].kept[pool] += rotation->block[i]->room.kept[pool];
    }
    room_memory(&timetable->context->listing, both[0].kept[0], memory);
    return room_plan(both, 2, memory, takes_one_process(timetable)) == 1;
}

/* --- the run --- */

/* One note for the problems that were not measured. It names as many as fit. */
static void note_left_out(const struct timetable *timetable, bool is_interrupted)
{
    struct context *context = timetable->context;
    const char *why = is_interrupted ? "not begun" : "left out, as --time would not allow for it";
    char names[850] = "", more[32] = "", label[CELL_TEXT];
    unsigned unnamed = 0, named = 0;
    for (unsigned i = 0; i < timetable->entries; i++) {
        const struct entry *entry = &timetable->entry[i];
        if (!entry->is_left_out && !(is_interrupted && !record_find_block(context->run_log.record, entry->cell->block)))
            continue;
        const size_t used = strlen(names);
        if (unnamed > 0 || !text_join(names, sizeof names, "; ", cell_label(entry->cell, label))) {
            names[used] = '\0'; /* part of a name */
            unnamed++;
        }
        named++;
    }
    if (unnamed > 0)
        snprintf(more, sizeof more, "; and %u more", unnamed);
    if (named == 0)
        return;
    run_log_note(&context->run_log, "", "%s: %s%s", why, names, more);
    progress_note(&context->progress, "%s: %s%s", why, names, more);
}

/* Opens the problems of one rotation. One that would keep those before it from having their interval is left out. */
static bool open_all(struct timetable *timetable, struct rotation *rotation, unsigned number, struct error *err)
{
    struct context *context = timetable->context;
    for (unsigned i = 0; i < timetable->entries && !context->interrupted; i++) {
        struct entry *entry = &timetable->entry[i];
        if (entry->is_left_out || entry->room.rotation != number)
            continue;
        if (!rotation_has_time(rotation, &entry->forecast))
            leave_out(timetable, entry);
        else if (!rotation_add(rotation, &context->rule, context->baseline, entry->cell, entry->cells, &entry->room,
                               i + 1, err))
            return false;
    }
    return true;
}

/* Seconds of the rotations after this one. */
static double seconds_after(const struct timetable *timetable, unsigned number, bool is_this)
{
    double seconds = 0;
    for (unsigned i = 0; i < timetable->entries; i++)
        if (!timetable->entry[i].is_left_out && (timetable->entry[i].room.rotation == number) == is_this &&
            timetable->entry[i].room.rotation >= number)
            seconds += timetable->entry[i].room.seconds;
    return seconds;
}

bool timetable_run(struct timetable *timetable, timetable_join *join, void *with, struct error *err)
{
    struct context *context = timetable->context;
    bool ok = true;
    for (unsigned number = 0; ok && number < timetable->rotations && !context->interrupted; number++) {
        const double mine = seconds_after(timetable, number, true), after = seconds_after(timetable, number, false),
                     left = context_time_left(context) - context->reserved;
        struct rotation rotation = { .context = context, .end = context->reserved };
        if (isfinite(left) && after > 0) /* each has its part of the time */
            rotation.end += left * after / (mine + after);
        ok = open_all(timetable, &rotation, number, err) && join(with, &rotation, err);
        while (ok && rotation.blocks > 0) {
            rotation_turn(&rotation);
            ok = join(with, &rotation, err);
        }
        rotation_finish(&rotation);
    }
    note_left_out(timetable, context->interrupted);
    return ok;
}
