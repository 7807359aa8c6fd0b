#include "harness/analysis/compare/comparison.h"

#include "harness/analysis/compare/comparison_parts.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const change_names[CHANGE_COUNT] = { "broken", "slower", "unsure", "gone",    "faster",
                                                 "mended", "new",    "same",   "baseline" };

static void add_note(struct compared *cell, const char *note)
{
    if (cell->notes < COMPARED_NOTES)
        cell->note[cell->notes++] = note;
}

/* Runs with these baselines, on the side that has fewer of them. */
static unsigned runs_over(const struct compared *cell, const char *over)
{
    unsigned count[SIDES] = { 0 };
    for (unsigned i = 0; i < cell->entries; i++)
        count[cell->entry[i].side] += strcmp(cell->entry[i].over, over) == 0;
    return count[OLD] < count[NEW] ? count[OLD] : count[NEW];
}

/* Keeps the runs over the baselines that most have on both sides. */
static void choose_baseline(struct compared *cell, struct pool *pool)
{
    const struct entry *best = cell->entry, *other = NULL;
    unsigned others = 0;
    for (unsigned i = 1; i < cell->entries; i++)
        if (runs_over(cell, cell->entry[i].over) > runs_over(cell, best->over))
            best = &cell->entry[i];
    cell->has_common_baseline = runs_over(cell, best->over) > 0;
    for (unsigned i = 0; i < cell->entries; i++) {
        struct entry *entry = &cell->entry[i];
        const bool is_other = strcmp(entry->over, best->over) != 0;
        entry->is_left_out = is_other && cell->has_common_baseline;
        others += is_other;
        other = is_other ? entry : other;
    }
    if (others > 0 && cell->has_common_baseline)
        add_note(cell, pool_print(pool, "%u of %u runs are left out: their baseline is %s instead of %s", others,
                                  cell->entries, other->over, best->over));
    else if (others > 0)
        add_note(cell,
                 pool_print(pool, "its speed-ups cannot be compared: they are over %s on one side and %s on the other",
                            best->over, other->over));
}

/* Severity of an outcome: 0 measured, 1 not measured for a good reason, 2 failed. */
static unsigned badness(const struct entry *entry)
{
    enum status status = entry->cell->outcome.status;
    bool has_time = entry->cell->track[use_series[cell_headline(entry->cell)]].slices > 0;
    return status == STATUS_OK && has_time ? 0 : status_is_bad(status) ? 2 : 1;
}

/* The worst outcome of a side; NULL: none. */
static const struct entry *worst_of(const struct compared *cell, unsigned side)
{
    const struct entry *worst = NULL;
    for (unsigned i = 0; i < cell->entries; i++)
        if (cell->entry[i].side == side && (!worst || badness(&cell->entry[i]) > badness(worst)))
            worst = &cell->entry[i];
    return worst;
}

static const char *describe_outcome(const struct entry *worst, unsigned bad, unsigned runs, struct pool *pool)
{
    const struct error *outcome = &worst->cell->outcome;
    const char *name = outcome->status == STATUS_OK ? "without a single time" : status_names[outcome->status];
    const char *colon = *outcome->message ? ": " : "";
    if (runs == 1)
        return pool_print(pool, "%s%s%s", name, colon, outcome->message);
    return pool_print(pool, "%s in %u of %u runs%s%s", name, bad, runs, colon, outcome->message);
}

/* A speed-up that any run has, or the time where there is none. */
static bool is_judged(const struct compared *cell, enum quantity quantity)
{
    unsigned runs[QUANTITY_COUNT];
    for (unsigned q = 0; q < QUANTITY_COUNT; q++)
        runs[q] = cell->shift[q].runs[OLD] + cell->shift[q].runs[NEW];
    return runs[quantity] > 0 && (quantity < QUANTITY_TIME ||
                                  (quantity == QUANTITY_TIME && runs[QUANTITY_RESIDENT] + runs[QUANTITY_COPIED] == 0));
}

static enum change of_shifts(const struct compared *cell)
{
    bool has[CHANGE_COUNT] = { false };
    for (enum quantity q = 0; q < QUANTITY_COUNT; q++)
        has[cell->shift[q].change] |= is_judged(cell, q);
    return has[CHANGE_SLOWER]                        ? CHANGE_SLOWER
           : has[CHANGE_FASTER]                      ? CHANGE_FASTER
           : has[CHANGE_UNSURE] || !has[CHANGE_SAME] ? CHANGE_UNSURE
                                                     : CHANGE_SAME;
}

/* Why no run of a side that counts has an interval, by the first of them; "": one has it, or no figure. */
static const char *side_unjudged(const struct compared *cell, unsigned side, enum use use)
{
    const char *first = "";
    for (unsigned i = 0; i < cell->entries; i++) {
        const struct entry *entry = &cell->entry[i];
        const struct figure *figure = &entry->figure[use];
        if (entry->side != side || entry->is_left_out || entry->cell->outcome.status != STATUS_OK)
            continue;
        if (verdict_is_judged(figure->verdict))
            return "";
        first = *first ? first : figure_unjudged(figure);
    }
    return first;
}

/* Of both speed-ups, or of the time where there is none, the first reason. */
static const char *unjudged_words(const struct compared *cell, struct pool *pool)
{
    for (enum quantity q = 0; q < QUANTITY_BASELINE; q++) {
        const char *use = q == QUANTITY_COPIED ? "copied: " : "";
        if (!isnan(cell->shift[q].low) || (q == QUANTITY_TIME && !is_judged(cell, q)))
            continue;
        for (unsigned s = 0; s < SIDES && q < QUANTITY_TIME; s++) {
            const char *why = side_unjudged(cell, s, (enum use)q);
            if (*why)
                return pool_print(pool, "%snot judged %s (%s)", use, s == OLD ? "before" : "now", why);
        }
        if (!isnan(cell->shift[q].ratio))
            return pool_print(pool, "%s%s", use,
                              cell->shift[q].is_noisy ? "too noisy, beyond a factor of ten: measure again"
                                                      : "there is no interval: give the runs more time");
    }
    return "";
}

/* Notes that a speed-up changed because its baseline did. */
static void note_baseline(struct compared *cell, struct pool *pool)
{
    double own = log(cell->shift[QUANTITY_TIME].ratio), held = log(cell->shift[QUANTITY_BASELINE].ratio);
    bool is_moved = cell->change == CHANGE_SLOWER || cell->change == CHANGE_FASTER;
    if (is_moved && fabs(held) > fabs(own))
        add_note(cell,
                 pool_print(pool,
                            "the baseline changed more than this row: its time is %.2f times the time before, that of "
                            "this row %.2f times",
                            exp(held), exp(own)));
}

static void note_methods(struct compared *cell, struct pool *pool)
{
    const struct cell_record *old = cell->cell[OLD], *new = cell->cell[NEW];
    if (strcmp(cell->method[OLD], cell->method[NEW]) != 0)
        add_note(cell, pool_print(pool, "another method: %s before, %s now", cell->method[OLD], cell->method[NEW]));
    else if (strcmp(old->method, new->method) == 0 && strcmp(old->first.detail, new->first.detail) != 0)
        add_note(cell, pool_print(pool, "the same method in another way: %s before, %s now",
                                  *old->first.detail ? old->first.detail : "unknown",
                                  *new->first.detail ? new->first.detail : "unknown"));
}

/* Outcomes decide before figures: a side without a measured run has none. */
static void judge(struct compared *cell, struct pool *pool)
{
    const struct entry *old = worst_of(cell, OLD), *new = worst_of(cell, NEW);
    if (!old || !new) {
        cell->change = new ? CHANGE_NEW : CHANGE_GONE;
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
    cell->unjudged = cell->is_baseline ? "" : unjudged_words(cell, pool);
    if (*cell->unjudged)
        add_note(cell, cell->unjudged);
    note_methods(cell, pool);
    note_baseline(cell, pool);
}

/* Of the runs of a side that count. */
static void read_methods(struct compared *cell, unsigned side, struct pool *pool)
{
    const char **method = pool_take(pool, cell->entries * sizeof *method);
    unsigned methods = 0;
    for (unsigned i = 0; i < cell->entries && !pool->is_short; i++)
        if (cell->entry[i].side == side && !cell->entry[i].is_left_out)
            method[methods++] = cell->entry[i].cell->method;
    cell->method[side] = comparison_tally(method, methods, pool);
}

static void describe(struct compared *cell, struct pool *pool)
{
    cell->is_baseline = true;
    cell->reason = cell->unjudged = "";
    for (unsigned i = 0; i < cell->entries; i++)
        cell->runs[cell->entry[i].side]++;
    if (cell->runs[OLD] > 0 && cell->runs[NEW] > 0)
        choose_baseline(cell, pool);
    for (unsigned i = 0; i < cell->entries; i++) {
        const struct entry *entry = &cell->entry[i];
        const struct cell_record *named = cell->cell[entry->side];
        cell->good[entry->side] += badness(entry) == 0;
        if (!entry->is_left_out && (!named || (named->outcome.status != STATUS_OK && badness(entry) == 0)))
            cell->cell[entry->side] = entry->cell;
        if (!cell->device)
            cell->device = record_device(entry->record, entry->cell->device_id);
        cell->is_baseline &= strcmp(entry->cell->baseline, entry->cell->key) == 0;
    }
    for (unsigned s = 0; s < SIDES; s++)
        read_methods(cell, s, pool);
}

bool comparison_make(struct comparison *out, const struct results side[SIDES], double margin, struct error *err)
{
    *out = (struct comparison){ .margin = margin, .runs = { side[OLD].runs, side[NEW].runs } };
    struct pool *pool = &out->pool;
    unsigned placed = 0;
    comparison_match(out, side);
    out->order = pool_take(pool, (out->cells + 1) * sizeof *out->order);
    for (unsigned i = 0; i < out->cells && !pool->is_short; i++)
        describe(&out->cell[i], pool);
    for (enum quantity q = 0; q < QUANTITY_COUNT; q++)
        comparison_shift(out, q);
    for (unsigned i = 0; i < out->cells && !pool->is_short; i++) {
        judge(&out->cell[i], pool);
        out->count[out->cell[i].change]++;
    }
    for (enum change change = 0; change < CHANGE_COUNT && !pool->is_short; change++)
        for (unsigned i = 0; i < out->cells; i++)
            if (out->cell[i].change == change)
                out->order[placed++] = &out->cell[i];
    comparison_warn(out, side);
    return !pool->is_short ||
           fail(err, STATUS_NO_MEMORY, "no memory to compare %u runs with %u", side[NEW].runs, side[OLD].runs);
}

void comparison_release(struct comparison *comparison)
{
    pool_release(&comparison->pool);
    *comparison = (struct comparison){ 0 };
}

const struct cell_record *compared_cell(const struct compared *cell)
{
    return cell->cell[NEW] ? cell->cell[NEW] : cell->cell[OLD];
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

/* " (matmul m=64,n=64,k=64 on cuda:0 and others)" */
static void name_first(char to[SUMMARY_ROOM], const struct comparison *comparison, enum change change)
{
    unsigned at = 0;
    for (unsigned i = 0; i < change; i++)
        at += comparison->count[i];
    const struct cell_record *cell = comparison->order[at]->cell[NEW];
    text_append(to, SUMMARY_ROOM, " (%.40s %.80s on %s%s)", cell->workload, cell->shape, cell->device_id,
                comparison->count[change] > 1 ? " and others" : "");
}

const char *comparison_summary(char to[SUMMARY_ROOM], const struct comparison *comparison)
{
    enum { NAMED = 4 };
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
        if (i < NAMED)
            name_first(to, comparison, order[i]);
        before = ", ";
    }
    if (baselines > 0)
        text_append(to, SUMMARY_ROOM, "; %u baseline%s", baselines, baselines == 1 ? "" : "s");
    return to;
}

/* The least and the greatest change of the cell that would not be seen. Whether there is any. */
static bool add_visible(const struct compared *cell, double *least, double *most)
{
    bool is_seen = false;
    for (enum quantity q = 0; q < QUANTITY_COUNT; q++) {
        const double visible = is_judged(cell, q) ? cell->shift[q].visible : NAN;
        *least = fmin(*least, visible); /* ignores NAN */
        *most = fmax(*most, visible);
        is_seen |= !isnan(visible);
    }
    return is_seen;
}

const char *comparison_answer(char to[ANSWER_ROOM], const struct comparison *comparison)
{
    double least = INFINITY, most = 0;
    unsigned unjudged = 0;
    const char *why = NULL;
    *to = '\0';
    for (unsigned i = 0; i < comparison->cells; i++) {
        const struct compared *cell = &comparison->cell[i];
        if (cell->change == CHANGE_BASELINE)
            continue;
        if (cell->change != CHANGE_SAME && cell->change != CHANGE_UNSURE)
            return to;
        if (add_visible(cell, &least, &most) || cell->change == CHANGE_SAME)
            continue;
        unjudged++;
        why = !why || strcmp(why, cell->unjudged) == 0 ? cell->unjudged : "each row has the reason";
    }
    if (most > 0) {
        snprintf(to, ANSWER_ROOM, "No change shown; changes below %.0f", 100 * least);
        if (round(100 * most) > round(100 * least))
            text_append(to, ANSWER_ROOM, " to %.0f", 100 * most);
        text_append(to, ANSWER_ROOM, " %% would not be seen");
        if (unjudged > 0)
            text_append(to, ANSWER_ROOM, "; nothing can be said of %u row%s", unjudged, unjudged == 1 ? "" : "s");
    } else if (unjudged > 0)
        snprintf(to, ANSWER_ROOM, "Nothing can be said: %s", *why ? why : "no speed-up is on both sides");
    return to;
}
