#include "harness/analysis/compare/comparison.h"

#include "harness/analysis/compare/comparison_parts.h"
#include "harness/analysis/figures.h"
#include "harness/base/text.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *const change_names[CHANGE_COUNT] = { "broken", "slower", "unsure", "gone",    "faster",
                                                 "mended", "new",    "same",   "baseline" };

const char *const quantity_names[QUANTITY_COUNT] = { "resident", "copied", "time" };

static void add_note(struct compared *cell, const char *note)
{
    if (cell->notes < COMPARED_NOTES)
        cell->note[cell->notes++] = note;
}

/* Whether the race of a cell found the contender of the other cell as fast. */
static bool has_tie_with(const struct cell_record *cell, const struct cell_record *other)
{
    char contender[160];
    snprintf(contender, sizeof contender, "%s%s%s", other->method, *other->kernel_shape ? " " : "",
             other->kernel_shape);
    return name_find(contender, cell->tied, cell->ties) < cell->ties;
}

/* Whether both have the same method, or methods that a race found as fast: either may be chosen in the next run. */
static bool are_as_fast(const struct cell_record *a, const struct cell_record *b)
{
    return strcmp(a->method, b->method) == 0 || has_tie_with(a, b) || has_tie_with(b, a);
}

/* Whether both have the same baseline, or one that is as fast. */
static bool has_same_baseline(const struct entry *a, const struct entry *b)
{
    return a->baseline && b->baseline && strcmp(a->baseline_device_key, b->baseline_device_key) == 0 &&
           are_as_fast(a->baseline, b->baseline) && strcmp(a->baseline->memory, b->baseline->memory) == 0;
}

/* The smaller number, of both sides, of runs with the same baseline as this one. */
static unsigned runs_over(const struct group *group, const struct entry *entry)
{
    unsigned count[SIDES] = { 0 };
    for (unsigned i = 0; i < group->entries; i++)
        if (has_same_baseline(&group->entry[i], entry))
            count[group->entry[i].side]++;
    return count[OLD] < count[NEW] ? count[OLD] : count[NEW];
}

/* Keeps the runs over the most common baseline on both sides, or one as fast, and notes which others are left out. */
static void choose_baseline(struct compared *cell, const struct group *group, struct pool *pool)
{
    const struct entry *best = NULL, *another = NULL, *as_fast = NULL;
    unsigned most = 0, left_out = 0, tied = 0;
    for (unsigned i = 0; i < group->entries; i++) {
        unsigned runs = runs_over(group, &group->entry[i]);
        if (runs > most || (group->entry[i].baseline && !best)) {
            most = runs;
            best = &group->entry[i];
        }
    }
    for (unsigned i = 0; best && i < group->entries; i++) {
        struct entry *entry = &group->entry[i];
        entry->is_in = has_same_baseline(entry, best);
        entry->is_left_out = !entry->is_in && most > 0;
        if (!entry->is_in) {
            left_out++;
            another = entry;
        } else if (strcmp(entry->baseline->method, best->baseline->method) != 0) {
            tied++;
            as_fast = entry;
        }
    }
    if (tied > 0)
        add_note(cell, pool_print(pool, "in %u of %u runs the baseline is %s instead of %s, which was as fast there",
                                  tied, group->entries, as_fast->baseline->method, best->baseline->method));
    if (left_out == 0)
        return;
    const struct cell_record *one = best->baseline, *other = another->baseline ? another->baseline : another->cell;
    add_note(cell, most > 0 ? pool_print(pool, "%u of %u runs are left out: their baseline is %s %s instead of %s %s",
                                         left_out, group->entries, other->device_id, other->method, one->device_id,
                                         one->method)
                            : pool_print(pool,
                                         "its speed-ups cannot be compared: they are over %s %s on one side and %s %s "
                                         "on the other",
                                         one->device_id, one->method, other->device_id, other->method));
}

/* Severity of an outcome: 0 measured, 1 not measured for a good reason, 2 failed. */
static unsigned badness(const struct entry *entry)
{
    enum status status = entry->cell->outcome.status;
    bool has_time = entry->cell->track[cell_headline(entry->cell)].slices > 0;
    return status == STATUS_OK && has_time ? 0 : status_is_bad(status) ? 2 : 1;
}

/* The worst outcome of a side; NULL: none. */
static const struct entry *worst_of(const struct group *group, unsigned side)
{
    const struct entry *worst = NULL;
    for (unsigned i = 0; i < group->entries; i++)
        if (group->entry[i].side == side && (!worst || badness(&group->entry[i]) > badness(worst)))
            worst = &group->entry[i];
    return worst;
}

static const char *describe_outcome(const struct entry *worst, unsigned bad, unsigned runs, struct pool *pool)
{
    const struct error *outcome = &worst->cell->outcome;
    const char *name = outcome->status == STATUS_OK ? "without a single time" : status_name(outcome->status);
    const char *colon = *outcome->message ? ": " : "";
    if (runs == 1)
        return pool_print(pool, "%s%s%s", name, colon, outcome->message);
    return pool_print(pool, "%s in %u of %u runs%s%s", name, bad, runs, colon, outcome->message);
}

static enum change of_shifts(const struct compared *cell)
{
    bool has_ratio = false, is_faster = false, is_slower = false, is_unsure = false;
    for (unsigned q = 0; q < QUANTITY_COUNT; q++) {
        const struct shift *shift = &cell->shift[q];
        if (shift->runs[OLD] + shift->runs[NEW] == 0 || (q == QUANTITY_TIME && has_ratio))
            continue;
        has_ratio = true;
        is_faster |= shift->change == CHANGE_FASTER;
        is_slower |= shift->change == CHANGE_SLOWER;
        is_unsure |= shift->change == CHANGE_UNSURE;
    }
    if (is_slower || is_faster)
        return is_slower ? CHANGE_SLOWER : CHANGE_FASTER;
    return is_unsure || !has_ratio ? CHANGE_UNSURE : CHANGE_SAME;
}

/* Notes that a speed-up changed because its baseline did. */
static void note_baseline(struct compared *cell, struct pool *pool)
{
    double own = log(cell->shift[QUANTITY_TIME].ratio), held = log(cell->baseline_shift.ratio);
    bool is_moved = cell->change == CHANGE_SLOWER || cell->change == CHANGE_FASTER;
    if (is_moved && fabs(held) > fabs(own))
        add_note(cell,
                 pool_print(pool,
                            "the baseline changed more than this did: its time is %.2f times what it was, that of "
                            "this %.2f times",
                            exp(held), exp(own)));
}

/* A speed-up of only one side cannot be compared, a reason to be unsure. If a common baseline is missing, that is noted
 * already. */
static void note_one_sided(struct compared *cell, struct pool *pool)
{
    bool has_baseline = cell->baseline_shift.runs[OLD] > 0 && cell->baseline_shift.runs[NEW] > 0;
    for (unsigned q = QUANTITY_RESIDENT; has_baseline && q <= QUANTITY_COPIED; q++) {
        const unsigned *runs = cell->shift[q].runs;
        if ((runs[OLD] == 0) != (runs[NEW] == 0))
            add_note(cell, pool_print(pool, "only the %s side has its %s speed-up", runs[OLD] > 0 ? "old" : "new",
                                      quantity_names[q]));
    }
}

static void note_methods(struct compared *cell, struct pool *pool)
{
    const struct cell_record *old = cell->cell[OLD], *new = cell->cell[NEW];
    if (strcmp(cell->method[OLD], cell->method[NEW]) != 0 && !are_as_fast(old, new))
        add_note(cell, pool_print(pool, "another method: %s before, %s now", cell->method[OLD], cell->method[NEW]));
    else if (strcmp(old->method, new->method) == 0 && strcmp(old->detail, new->detail) != 0)
        add_note(cell, pool_print(pool, "the same method in another way: %s before, %s now",
                                  *old->detail ? old->detail : "not told", *new->detail ? new->detail : "not told"));
    if (strcmp(cell->memory[OLD], cell->memory[NEW]) != 0)
        add_note(cell, pool_print(pool, "other memory: %s before, %s now", cell->memory[OLD], cell->memory[NEW]));
}

/* Outcomes decide before figures: a side without a measured run has none. */
static void judge(struct compared *cell, const struct group *group, bool new_is_complete, struct pool *pool)
{
    const struct entry *old = worst_of(group, OLD), *new = worst_of(group, NEW);
    if (!old || !new) {
        cell->change = new ? CHANGE_NEW : CHANGE_GONE;
        cell->reason = !new && !new_is_complete ? "the run ended before it was measured" : "";
        return;
    }
    unsigned before = badness(old), now = badness(new);
    enum change change = of_shifts(cell);
    if (now > 0)
        cell->reason = describe_outcome(new, cell->runs[NEW] - cell->good[NEW], cell->runs[NEW], pool);
    else if (before > 0)
        cell->reason = pool_print(pool, "before: %s",
                                  describe_outcome(old, cell->runs[OLD] - cell->good[OLD], cell->runs[OLD], pool));
    if (now > before || (cell->good[OLD] > 0 && cell->good[NEW] == 0))
        cell->change = CHANGE_BROKEN;
    else if (cell->good[NEW] == 0)
        cell->change = CHANGE_SAME;
    else /* a slow-down stays one, even if a broken cell was mended */
        cell->change = now < before && change != CHANGE_SLOWER ? CHANGE_MENDED : change;
    if (cell->is_baseline && (cell->change == CHANGE_SAME || cell->change == CHANGE_UNSURE))
        cell->change = CHANGE_BASELINE;
    note_methods(cell, pool);
    if (cell->good[OLD] > 0 && cell->good[NEW] > 0)
        note_one_sided(cell, pool);
    note_baseline(cell, pool);
}

static void describe(struct compared *cell, const struct group *group, struct pool *pool)
{
    bool is_baseline = true;
    for (unsigned i = 0; i < group->entries; i++) {
        struct entry *entry = &group->entry[i];
        const struct cell_record *named = cell->cell[entry->side];
        cell->runs[entry->side]++;
        cell->good[entry->side] += badness(entry) == 0;
        if (!named || (named->outcome.status != STATUS_OK && badness(entry) == 0))
            cell->cell[entry->side] = entry->cell;
        if (!cell->device)
            cell->device = record_device(entry->record, entry->cell->device_id);
        is_baseline &= strcmp(entry->cell->baseline, entry->cell->key) == 0;
    }
    cell->is_baseline = is_baseline;
    cell->reason = "";
    choose_baseline(cell, group, pool);
}

/* A text of the side's cells, by its offset in a record. */
static const char *tally_of(const struct group *group, unsigned side, size_t member, const char **word,
                            struct pool *pool)
{
    unsigned words = 0;
    for (unsigned i = 0; i < group->entries; i++)
        if (group->entry[i].side == side)
            memcpy(&word[words++], (const char *)group->entry[i].cell + member, sizeof *word);
    return comparison_tally(word, words, pool);
}

static bool is_complete(const struct results *results)
{
    for (unsigned i = 0; i < results->runs; i++)
        if (strcmp(results->run[i].record->end, "complete") != 0)
            return false;
    return true;
}

static bool compare_all(struct comparison *out, const struct results side[SIDES])
{
    struct matched matched;
    if (!comparison_match(&matched, side, &out->pool))
        return false;
    out->cells = matched.groups;
    out->cell = pool_take(&out->pool, (out->cells + 1) * sizeof *out->cell);
    out->order = pool_take(&out->pool, (out->cells + 1) * sizeof *out->order);
    const char **word = pool_take(&out->pool, (matched.entries + 1) * sizeof *word);
    if (!out->cell || !out->order || !word)
        return false;
    for (unsigned i = 0; i < out->cells; i++) {
        describe(&out->cell[i], &matched.group[i], &out->pool);
        for (unsigned s = 0; s < SIDES; s++) {
            out->cell[i].method[s] =
                tally_of(&matched.group[i], s, offsetof(struct cell_record, method), word, &out->pool);
            out->cell[i].memory[s] =
                tally_of(&matched.group[i], s, offsetof(struct cell_record, memory), word, &out->pool);
        }
    }
    bool complete = comparison_shift(out->cell, matched.group, out->cells, QUANTITY_TIME, true, out->margin);
    for (unsigned q = 0; complete && q < QUANTITY_COUNT; q++)
        complete = comparison_shift(out->cell, matched.group, out->cells, (enum quantity)q, false, out->margin);
    for (unsigned i = 0; complete && i < out->cells; i++) {
        judge(&out->cell[i], &matched.group[i], is_complete(&side[NEW]), &out->pool);
        out->count[out->cell[i].change]++;
    }
    for (unsigned change = 0, placed = 0; complete && change < CHANGE_COUNT; change++)
        for (unsigned i = 0; i < out->cells; i++)
            if (out->cell[i].change == (enum change)change)
                out->order[placed++] = &out->cell[i];
    return complete;
}

bool comparison_make(struct comparison *out, const struct results side[SIDES], double margin, struct error *err)
{
    *out = (struct comparison){ .margin = margin, .runs = { side[OLD].runs, side[NEW].runs } };
    if (compare_all(out, side) && comparison_warn(out, side) && !out->pool.is_short)
        return true;
    return fail(err, STATUS_NO_MEMORY, "no memory to compare %u runs with %u", side[NEW].runs, side[OLD].runs);
}

void comparison_release(struct comparison *comparison)
{
    pool_release(&comparison->pool);
    *comparison = (struct comparison){ 0 };
}

unsigned comparison_matched(const struct comparison *comparison)
{
    unsigned matched = 0;
    for (unsigned i = 0; i < comparison->cells; i++) {
        const struct compared *cell = &comparison->cell[i];
        bool is_on_both = cell->cell[OLD] && cell->cell[NEW];
        matched += is_on_both && cell->good[OLD] + cell->good[NEW] > 0 && cell->change != CHANGE_BASELINE;
    }
    return matched;
}

const char *comparison_verdict(const struct comparison *comparison, enum change change)
{
    const bool is_single = comparison->runs[OLD] == 1 && comparison->runs[NEW] == 1;
    return is_single && change == CHANGE_UNSURE ? "" : change_names[change];
}

const char *comparison_summary(char to[SUMMARY_ROOM], const struct comparison *comparison)
{
    static const enum change order[] = { CHANGE_BROKEN, CHANGE_SLOWER, CHANGE_FASTER, CHANGE_MENDED,
                                         CHANGE_SAME,   CHANGE_UNSURE, CHANGE_GONE,   CHANGE_NEW };
    unsigned baselines = comparison->count[CHANGE_BASELINE], cells = comparison->cells - baselines;
    const char *before = ": ";
    snprintf(to, SUMMARY_ROOM, "%u cell%s", cells, cells == 1 ? "" : "s");
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
        if (comparison->count[order[i]] == 0)
            continue;
        const char *verdict = comparison_verdict(comparison, order[i]);
        text_append(to, SUMMARY_ROOM, "%s%u %s", before, comparison->count[order[i]],
                    *verdict ? verdict : "without a verdict");
        before = ", ";
    }
    if (baselines > 0)
        text_append(to, SUMMARY_ROOM, "; %u baseline%s", baselines, baselines == 1 ? "" : "s");
    return to;
}

/* The least change that would be a verdict of a cell, and the greatest that might be none. A time is judged only if
 * there is no speed-up. */
static void widen_by_visible(double *least, double *most, const struct compared *cell)
{
    bool has_ratio = false;
    for (unsigned q = 0; q < QUANTITY_COUNT; q++) {
        const double visible = cell->shift[q].visible;
        if (isnan(visible) || (q == QUANTITY_TIME && has_ratio))
            continue;
        has_ratio = true;
        *least = fmin(*least, visible);
        *most = fmax(*most, visible);
    }
}

const char *comparison_answer(char to[ANSWER_ROOM], const struct comparison *comparison)
{
    double least = INFINITY, most = 0;
    *to = '\0';
    for (unsigned i = 0; i < comparison->cells; i++) {
        const struct compared *cell = &comparison->cell[i];
        if (cell->change == CHANGE_SAME || cell->change == CHANGE_UNSURE)
            widen_by_visible(&least, &most, cell);
        else if (cell->change != CHANGE_BASELINE)
            return to;
    }
    if (!(most > 0))
        return to;
    snprintf(to, ANSWER_ROOM, "No change shown; changes below %.0f", 100 * least);
    if (round(100 * most) > round(100 * least))
        text_append(to, ANSWER_ROOM, " to %.0f", 100 * most);
    text_append(to, ANSWER_ROOM, " %% would not be seen");
    return to;
}
