#include "bench/schedule/timetable.h"

#include "harness/base/pool.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- which problems --- */

/* Adds a problem, unless a resumed journal has it. False only when memory is short. */
static bool add_problem(struct timetable *timetable, struct cell cell[], unsigned cells, struct error *err)
{
    struct context *context = timetable->context;
    if (run_log_has(&context->run_log, cell->block))
        return true;
    if (!grow(&timetable->entry, timetable->entries, sizeof *timetable->entry))
        return fail(err, STATUS_NO_MEMORY, "no memory for %u problems", timetable->entries + 1);
    struct entry *entry = &timetable->entry[timetable->entries++];
    *entry = (struct entry){ .cell = cell, .cells = cells };
    entry->forecast = forecast_block(context, timetable->rule, cell, cells);
    entry->needs = room_needed(context, cell, cells);
    entry->needs.seconds = forecast_seconds(&entry->forecast);
    timetable->seconds += entry->needs.seconds;
    context->blocks += !timetable->is_of_peaks;
    return true;
}

bool timetable_add_plan(struct timetable *timetable, const struct plan *plan, struct error *err)
{
    const bool by_worth = isfinite(timetable->context->options->time);
    for (unsigned turn = 0, left = 1; left > 0; turn++) {
        const struct workload *latest = NULL;
        left = 0;
        for (unsigned first = 0, of_workload = 0, end; first < plan->cells; first = end) {
            const struct workload *workload = plan->cell[first].problem.workload;
            end = plan_block_end(plan, first);
            of_workload = workload == latest ? of_workload + 1 : 0;
            latest = workload;
            left += by_worth && of_workload > turn;
            if ((!by_worth || of_workload == turn) && !add_problem(timetable, &plan->cell[first], end - first, err))
                return false;
        }
    }
    return true;
}

void timetable_free(struct timetable *timetable)
{
    free(timetable->entry);
    free(timetable->block);
}

static void leave_out(struct timetable *timetable, struct entry *entry)
{
    entry->is_left_out = true;
    timetable->context->progress.planned -= entry->needs.seconds;
    timetable->context->blocks -= !timetable->is_of_peaks;
}

/* Names the problems that were left out, or others that were not begun, in a note: as many as fit. */
static void note_names(const struct timetable *timetable, const char *why, bool are_left_out)
{
    struct context *context = timetable->context;
    char names[850] = "", more[32] = "", shape[SHAPE_MAX];
    struct pool pool = { 0 };
    unsigned unnamed = 0;
    for (unsigned i = 0; i < timetable->entries; i++) {
        const struct entry *entry = &timetable->entry[i];
        const struct cell_record problem = cell_stated(entry->cell, shape);
        const size_t used = strlen(names);
        const bool is_begun = record_find_block(context->run_log.record, entry->cell->block);
        if (entry->is_left_out != are_left_out || (!are_left_out && is_begun) ||
            (unnamed == 0 && text_join(names, sizeof names, ", ", cell_words(&pool, &problem))))
            continue;
        names[used] = '\0'; /* part of a name */
        unnamed++;
    }
    if (unnamed > 0)
        snprintf(more, sizeof more, " and %u more", unnamed);
    pool_release(&pool);
    if (!*names)
        return;
    context_note(context, "%s: %s%s", why, names, more);
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

static void fit_into_time(struct timetable *timetable)
{
    double left = context_time_left(timetable->context);
    for (unsigned i = 0; i < timetable->entries; i++) {
        const double least = forecast_least(&timetable->entry[i].forecast);
        if (least <= left)
            left -= least;
        else
            leave_out(timetable, &timetable->entry[i]);
    }
}

bool timetable_cut(struct timetable *timetable, struct error *err)
{
    struct context *context = timetable->context;
    struct room_problem **problem = malloc((timetable->entries + 1) * sizeof *problem);
    double memory[POOLS_MAX];
    unsigned problems = 0;
    bool has_rows_in_turn = false;
    if (!problem)
        return fail(err, STATUS_NO_MEMORY, "no memory to plan %u problems", timetable->entries);
    fit_into_time(timetable);
    for (unsigned i = 0; i < timetable->entries; i++)
        if (!timetable->entry[i].is_left_out)
            problem[problems++] = &timetable->entry[i].needs;
    room_memory(&context->listing, 0, memory);
    if (isnan(memory[0]) && !timetable->is_of_peaks)
        run_log_note(&context->run_log, "", "free memory is unknown: rows that need more than is free may crash");
    timetable->rotations = room_plan(problem, problems, memory, takes_one_process(timetable));
    for (unsigned i = 0; i < problems; i++) {
        problem[i]->rotation = timetable->is_of_peaks ? i : problem[i]->rotation;
        has_rows_in_turn |= problem[i]->in_turn == ROWS_IN_TURN;
    }
    free(problem);
    if (timetable->is_of_peaks)
        timetable->rotations = problems;
    else if (timetable->rotations > 1 || has_rows_in_turn)
        run_log_note(&context->run_log, "",
                     "measured in parts (rotations: %u), as not everything fits into memory, or a device takes one "
                     "process at a time: intervals may be too narrow",
                     timetable->rotations);
    return true;
}

/* Whether the workers of an entry fit beside those of the rotation; any do where none are open. */
static bool has_room(const struct timetable *timetable, struct entry *entry)
{
    double memory[POOLS_MAX];
    struct room_problem open = { .rotation = 0 }, added = entry->needs, *both[] = { &open, &added };
    for (unsigned i = 0; i < timetable->blocks; i++)
        for (unsigned pool = 0; pool < POOLS_MAX; pool++)
            open.kept[pool] += timetable->block[i]->entry.needs.kept[pool];
    room_memory(&timetable->context->listing, open.kept[0], memory);
    const bool fits = room_plan(both, 2, memory, takes_one_process(timetable)) == 1;
    entry->needs.in_turn = added.in_turn;
    return fits || timetable->blocks == 0;
}

/* --- the run --- */

/* Opens an entry, or leaves it out where it would keep those that are open from having their interval. */
static bool open_entry(struct timetable *timetable, struct entry *entry, struct error *err)
{
    if (rotation_has_time(timetable, &entry->forecast))
        return rotation_add(timetable, entry, timetable->is_of_peaks ? 0 : timetable->context->begun + 1, err);
    leave_out(timetable, entry);
    return true;
}

bool timetable_extend(struct timetable *timetable, struct cell cell[], unsigned cells, struct error *err)
{
    const unsigned before = timetable->entries;
    if (!add_problem(timetable, cell, cells, err))
        return false;
    if (timetable->entries == before)
        return true;
    struct entry *entry = &timetable->entry[before];
    timetable->context->progress.planned += entry->needs.seconds;
    if (has_room(timetable, entry))
        return open_entry(timetable, entry, err);
    entry->needs.rotation = timetable->rotations++;
    return true;
}

/* Each rotation has the time that its problems need at least, and its part of the rest: what is kept of it for those
 * after this one. */
static double kept_for_later(const struct timetable *timetable, unsigned number)
{
    double least[2] = { 0 }, seconds[2] = { 0 }; /* of this one, and of all later ones */
    for (unsigned i = 0; i < timetable->entries; i++) {
        const struct entry *entry = &timetable->entry[i];
        const bool is_later = entry->needs.rotation > number;
        if (entry->is_left_out || entry->needs.rotation < number)
            continue;
        least[is_later] += forecast_least(&entry->forecast);
        seconds[is_later] += entry->needs.seconds;
    }
    const double left = context_time_left(timetable->context), spare = fmax(0, left - least[false] - least[true]);
    return isfinite(left) && seconds[true] > 0 ? least[true] + spare * seconds[true] / (seconds[false] + seconds[true])
                                               : 0;
}

bool timetable_run(struct timetable *timetable, timetable_join *join, void *with, struct error *err)
{
    struct context *context = timetable->context;
    const double reserved = context->reserved;
    bool ok = true;
    for (unsigned number = 0; ok && number < timetable->rotations && !context->interrupted; number++) {
        context->reserved += kept_for_later(timetable, number);
        for (unsigned i = 0; ok && i < timetable->entries && !context->interrupted; i++)
            if (timetable->entry[i].needs.rotation == number && !timetable->entry[i].is_left_out)
                ok = open_entry(timetable, &timetable->entry[i], err);
        ok = ok && (!join || join(with, err));
        while (timetable->blocks > 0) {
            rotation_turn(timetable);
            ok = ok && (!join || join(with, err));
        }
        context->reserved = reserved;
    }
    if (timetable->is_of_peaks)
        return ok;
    for (unsigned i = 0; i < timetable->entries; i++)
        context->finished += run_log_has(&context->run_log, timetable->entry[i].cell->block);
    note_names(timetable, "left out, as --time would not allow for it", true);
    if (context->interrupted)
        note_names(timetable, "not begun", false);
    return ok;
}

/* Seconds until the first problem is opened: the head of the journal, and a look at the clock. */
static const double until_first = 0.3;

double timetable_least(const struct timetable *timetable)
{
    double least = INFINITY;
    for (unsigned i = 0; i < timetable->entries; i++)
        least = fmin(least, forecast_least(&timetable->entry[i].forecast));
    return until_first + least;
}

bool timetable_has_time(const struct timetable *timetable, struct error *err)
{
    const double least = timetable_least(timetable);
    const struct entry *shortest = NULL;
    char label[CELL_TEXT];
    for (unsigned i = 0; i < timetable->entries; i++)
        if (until_first + forecast_least(&timetable->entry[i].forecast) == least)
            shortest = &timetable->entry[i];
    return !shortest || least <= context_time_left(timetable->context) ||
           fail(err, STATUS_USAGE,
                "nothing to measure: --time %s allows no problem; the shortest, %s, is predicted to take %s: give more",
                text_seconds(timetable->context->options->time).text, cell_label(shortest->cell, label),
                text_seconds(least).text);
}
