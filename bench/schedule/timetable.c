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
    entry->forecast = forecast_block(context, timetable->rule, cell, cells);
    entry->room = room_needed(context, cell, cells);
    entry->room.seconds = forecast_seconds(&entry->forecast);
    timetable->seconds += entry->room.seconds;
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
            if ((!by_worth || of_workload == turn) && !timetable_add(timetable, &plan->cell[first], end - first, err))
                return false;
        }
    }
    return true;
}

void timetable_free(struct timetable *timetable)
{
    free(timetable->entry);
}

/* Adds a name to a list for a note, if it fits. */
static void add_name(char names[], size_t room, unsigned *unnamed, const struct entry *entry)
{
    char label[CELL_TEXT];
    const size_t used = strlen(names);
    if (*unnamed == 0 && text_join(names, room, "; ", cell_label(entry->cell, label)))
        return;
    names[used] = '\0'; /* part of a name */
    ++*unnamed;
}

static void note_names(struct context *context, const char *why, const char *names, unsigned unnamed)
{
    char more[32] = "";
    if (unnamed > 0)
        snprintf(more, sizeof more, "; and %u more", unnamed);
    if (!*names)
        return;
    run_log_note(&context->run_log, "", "%s: %s%s", why, names, more);
    progress_note(&context->progress, "%s: %s%s", why, names, more);
}

static void leave_out(struct timetable *timetable, unsigned i)
{
    struct entry *entry = &timetable->entry[i];
    timetable->seconds -= entry->room.seconds;
    timetable->context->progress.planned -= entry->room.seconds;
    timetable->context->blocks -= !timetable->is_of_peaks;
    add_name(timetable->left_out, sizeof timetable->left_out, &timetable->unnamed, entry);
    memmove(entry, entry + 1, (--timetable->entries - i) * sizeof *entry);
}

static void note_not_begun(const struct timetable *timetable)
{
    struct context *context = timetable->context;
    char names[sizeof timetable->left_out] = "";
    unsigned unnamed = 0;
    for (unsigned i = 0; context->interrupted && i < timetable->entries; i++)
        if (!record_find_block(context->run_log.record, timetable->entry[i].cell->block))
            add_name(names, sizeof names, &unnamed, &timetable->entry[i]);
    note_names(context, "not begun", names, unnamed);
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
    double left = context_time_left(timetable->context) - timetable->context->reserved;
    for (unsigned i = 0; i < timetable->entries;) {
        const double least = forecast_least(&timetable->entry[i].forecast);
        if (least <= left) {
            left -= least;
            i++;
        } else
            leave_out(timetable, i);
    }
}

void timetable_cut(struct timetable *timetable)
{
    struct context *context = timetable->context;
    struct room_problem *problem = malloc((timetable->entries + 1) * sizeof *problem);
    double memory[POOLS_MAX];
    fit_into_time(timetable);
    timetable->rotations = 1;
    for (unsigned i = 0; problem && i < timetable->entries; i++)
        problem[i] = timetable->entry[i].room;
    room_memory(&context->listing, 0, memory);
    if (problem)
        timetable->rotations = room_plan(problem, timetable->entries, memory, takes_one_process(timetable));
    bool is_cut = timetable->rotations > 1;
    for (unsigned i = 0; problem && i < timetable->entries; i++) {
        timetable->entry[i].room = problem[i];
        is_cut |= problem[i].in_turn == ROWS_IN_TURN;
        if (timetable->is_of_peaks)
            timetable->entry[i].room.rotation = i;
    }
    free(problem);
    if (timetable->is_of_peaks)
        timetable->rotations = timetable->entries;
    else if (is_cut)
        run_log_note(&context->run_log, "",
                     "measured in %u rotation%s, as not everything fits into memory, or into a device, at once: "
                     "intervals may be too narrow",
                     timetable->rotations, timetable->rotations == 1 ? "" : "s");
}

/* Whether the workers of an entry fit beside those of the rotation; any do where none are open. */
static bool has_room(const struct timetable *timetable, const struct rotation *rotation, struct entry *entry)
{
    double memory[POOLS_MAX];
    struct room_problem both[2] = { { .rotation = 0 }, entry->room };
    for (unsigned i = 0; i < rotation->blocks; i++)
        for (unsigned pool = 0; pool < POOLS_MAX; pool++)
            both[0].kept[pool] += rotation->block[i]->room.kept[pool];
    room_memory(&timetable->context->listing, both[0].kept[0], memory);
    const bool fits = room_plan(both, 2, memory, takes_one_process(timetable)) == 1;
    entry->room.in_turn = both[1].in_turn;
    return fits || rotation->blocks == 0;
}

/* --- the run --- */

/* Opens an entry, or leaves it out where it would keep those that are open from having their interval. */
static bool open_entry(struct timetable *timetable, struct rotation *rotation, unsigned i, struct error *err)
{
    struct context *context = timetable->context;
    const struct entry entry = timetable->entry[i];
    if (rotation_has_time(rotation, &entry.forecast))
        return rotation_add(rotation, timetable->rule, timetable->compared, entry.cell, entry.cells, &entry.room,
                            timetable->is_of_peaks ? 0 : context->finished + 1, err);
    leave_out(timetable, i);
    return true;
}

bool timetable_extend(struct timetable *timetable, struct rotation *rotation, struct cell cell[], unsigned cells,
                      struct error *err)
{
    const unsigned before = timetable->entries;
    if (!timetable_add(timetable, cell, cells, err))
        return false;
    if (timetable->entries == before)
        return true;
    struct entry *entry = &timetable->entry[before];
    timetable->context->progress.planned += entry->room.seconds;
    if (has_room(timetable, rotation, entry))
        return open_entry(timetable, rotation, before, err);
    entry->room.rotation = timetable->rotations++;
    return true;
}

/* Seconds of the rotation of that number, and of those after it. */
static double seconds_of(const struct timetable *timetable, unsigned number, bool is_later)
{
    double seconds = 0;
    for (unsigned i = 0; i < timetable->entries; i++) {
        const unsigned rotation = timetable->entry[i].room.rotation;
        seconds += (is_later ? rotation > number : rotation == number) ? timetable->entry[i].room.seconds : 0;
    }
    return seconds;
}

/* Each rotation has its part of the time. */
static double end_of(const struct timetable *timetable, unsigned number)
{
    const double left = context_time_left(timetable->context) - timetable->context->reserved,
                 later = seconds_of(timetable, number, true);
    if (!isfinite(left) || !(later > 0))
        return timetable->context->reserved;
    return timetable->context->reserved + left * later / (later + seconds_of(timetable, number, false));
}

bool timetable_run(struct timetable *timetable, timetable_join *join, void *with, struct error *err)
{
    struct context *context = timetable->context;
    bool ok = true;
    for (unsigned number = 0; ok && number < timetable->rotations && !context->interrupted; number++) {
        struct rotation rotation = { .context = context, .end = end_of(timetable, number) };
        for (unsigned i = 0, left; ok && i < timetable->entries && !context->interrupted;
             i += timetable->entries == left) {
            left = timetable->entries; /* one fewer where this one is left out */
            if (timetable->entry[i].room.rotation == number)
                ok = open_entry(timetable, &rotation, i, err);
        }
        ok = ok && (!join || join(with, &rotation, err));
        while (ok && rotation.blocks > 0) {
            rotation_turn(&rotation);
            ok = !join || join(with, &rotation, err);
        }
        rotation_finish(&rotation);
    }
    if (timetable->is_of_peaks)
        return ok;
    note_names(context, "left out, as --time would not allow for it", timetable->left_out, timetable->unnamed);
    note_not_begun(timetable);
    return ok;
}
