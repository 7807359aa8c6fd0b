/* The document of a comparison: what changed, then folded what is on one side only and what did not change. */

#include "harness/report/makers/makers.h"

#include "harness/report/content/columns.h"

#include <math.h>
#include <string.h>

enum {
    COLUMN_VERDICT,
    COLUMN_DEVICE,
    COLUMN_METHOD,
    COLUMN_CHANGES,
    COLUMN_NOTES = COLUMN_CHANGES + QUANTITY_COUNT,
    COLUMNS
};
static const struct column columns[COLUMNS] = {
    { "  verdict", "", ALIGN_LEFT, GROUP_NAME, "verdict" },
    { "device", "", ALIGN_LEFT, GROUP_NAME, "device" },
    { "method", "", ALIGN_LEFT, GROUP_NAME, "method" },
    { "resident", "%", ALIGN_LEFT, GROUP_SPEEDUP, "resident change" },
    { "copied", "%", ALIGN_LEFT, GROUP_SPEEDUP, "copied change" },
    { "time", "%", ALIGN_LEFT, GROUP_TIME, "time change" },
    { "baseline", "time, %", ALIGN_LEFT, GROUP_TIME, "baseline's change" },
    { "note", "", ALIGN_NOTES, GROUP_TIME, "note" },
};
enum { NAME_MOST = 39 };

/* The sections. */
enum part { PART_CHANGED, PART_LONE, PART_SAME, PART_BASELINE, SECTIONS };

static enum part part_of(const struct compared *cell)
{
    if (cell->change == CHANGE_NEW || cell->change == CHANGE_GONE)
        return PART_LONE;
    return cell->change == CHANGE_SAME ? PART_SAME : cell->change == CHANGE_BASELINE ? PART_BASELINE : PART_CHANGED;
}

static bool is_same_problem(const struct cell_record *cell, const struct cell_record *other)
{
    return strcmp(cell->workload, other->workload) == 0 && strcmp(cell->dtype, other->dtype) == 0 &&
           strcmp(cell->shape, other->shape) == 0 && cell->is_cold == other->is_cold;
}

/* The method, with its memory where another row of the device and problem has another; cut to fit the column. */
static const char *method_of(struct pool *pool, const struct comparison *comparison, const struct cell_record *cell)
{
    const char *name = *cell->method ? cell->method : *cell->memory ? cell->memory : "-";
    bool has_other = false;
    for (unsigned i = 0; i < comparison->cells && *cell->method && !has_other; i++) {
        const struct cell_record *other = compared_cell(&comparison->cell[i]);
        has_other = strcmp(other->device_id, cell->device_id) == 0 && is_same_problem(other, cell) &&
                    strcmp(other->memory, cell->memory) != 0;
    }
    return shortened(pool, has_other ? pool_print(pool, "%s, %s", cell->method, cell->memory) : name, NAME_MOST);
}

/* "-5.1 +-0.4", "+0.3": percent and half the 95 % interval, with the digits that it allows. */
static const char *change_of(struct pool *pool, const struct shift *shift)
{
    double percent = 100 * (shift->ratio - 1), half = 50 * (shift->high - shift->low);
    const int decimals = half < 10 && fabs(percent) < 100 ? 1 : 0;
    if (isnan(percent))
        return "-";
    const char *text = pool_print(pool, isnan(half) ? "%+.*f" : "%+.*f +-%.*f", decimals, percent, decimals, half);
    return strspn(text, "+-0.") == strcspn(text, " ") ? text + 1 : text; /* rounded to zero, which has no sign */
}

static void fill_row(const struct comparison *comparison, struct notes *footnotes, const char **field,
                     const struct compared *cell)
{
    const struct cell_record *named = compared_cell(cell);
    struct pool *pool = footnotes->pool;
    const char *verdict = comparison_verdict(comparison, cell->change);
    field[COLUMN_VERDICT] = pool_print(pool, "  %s", *verdict ? verdict : "-");
    field[COLUMN_DEVICE] = shortened(pool, *named->device_id ? named->device_id : "-", NAME_MOST);
    field[COLUMN_METHOD] = method_of(pool, comparison, named);
    for (enum quantity i = 0; i < QUANTITY_COUNT; i++)
        field[COLUMN_CHANGES + i] = change_of(pool, &cell->shift[i]);
    if (*cell->reason)
        field[COLUMN_NOTES] = footnotes_add(footnotes, field[COLUMN_NOTES], cell->reason);
    for (unsigned i = 0; i < cell->notes; i++)
        field[COLUMN_NOTES] = footnotes_add(footnotes, field[COLUMN_NOTES], cell->note[i]);
}

/* A row for each cell of the part, and above the first of a problem one with the problem's name. */
static void add_part(struct document *out, const struct comparison *comparison, enum part part)
{
    struct pool *pool = &out->pool;
    struct table *table = table_open(pool, columns, COLUMNS, 2 * comparison->cells);
    struct notes footnotes = { .pool = pool };
    const struct cell_record *latest = NULL;
    if (!table)
        return;
    table->is_grouped = true;
    table->rows = 0; /* grows below */
    for (unsigned i = 0; i < comparison->cells; i++) {
        const struct cell_record *cell = compared_cell(comparison->order[i]);
        if (part_of(comparison->order[i]) != part)
            continue;
        if (!latest || !is_same_problem(cell, latest)) {
            const char *shape =
                pool_copy(pool, text_shape(cell->shape).text); /* "multiply f32, n = 40,000,000, cold" */
            table->row[table->rows++].span = pool_print(pool, "%s %s%s%s%s", cell->workload, cell->dtype,
                                                        *shape ? ", " : "", shape, cell->is_cold ? ", cold" : "");
        }
        fill_row(comparison, &footnotes, table->row[table->rows++].field, comparison->order[i]);
        latest = cell;
    }
    table_drop_empty(table);
    document_table(out, table);
    document_footnotes(out, &footnotes);
}

bool comparison_document(struct document *out, const struct comparison *comparison, struct error *err)
{
    static const char *const folded[SECTIONS] = { [PART_LONE] = "on one side only",
                                                  [PART_SAME] = "where no change was shown",
                                                  [PART_BASELINE] = "of the baseline: times, not judged" };
    struct pictures pictures = { .pool = &out->pool };
    const unsigned *runs = comparison->runs;
    unsigned cells[SECTIONS] = { 0 };
    char summary[SUMMARY_ROOM], answer[ANSWER_ROOM];
    comparison_summary(summary, comparison);
    comparison_answer(answer, comparison);
    for (unsigned i = 0; i < comparison->cells; i++)
        cells[part_of(&comparison->cell[i])]++;
    document_heading(out, 1, pool_copy(&out->pool, *answer ? answer : summary));
    if (*answer)
        document_line(out, ABOUT_MISSING, "", "%s", summary);
    document_line(out, ABOUT_MISSING, "", "%u run%s before (%s), %u now (%s). %s", runs[OLD], runs[OLD] == 1 ? "" : "s",
                  comparison->files[OLD], runs[NEW], comparison->files[NEW],
                  runs[OLD] == 1 && runs[NEW] == 1
                      ? "With one run on each side the variation between runs is unknown, so a fixed allowance is "
                        "used: five runs on each side find smaller changes."
                      : "The variation between runs decides how certain a change is.");
    for (unsigned i = 0; i < comparison->warnings; i++)
        document_line(out, ABOUT_MISSING, "warning", "%s", comparison->warning[i]);
    if (comparison->cells > 0 && comparison_matched(comparison) == 0)
        document_line(out, ABOUT_MISSING, "warning", "no cell but baselines is on both sides, so nothing was compared");
    if (cells[PART_CHANGED] + cells[PART_SAME] + cells[PART_BASELINE] > 0)
        document_line(
            out, ABOUT_MISSING, "",
            "resident, copied: change of the speed-up, for data that stay and for data that are copied at every "
            "use, + is faster; time: change of the time of a run, + is longer; +-: half of the 95 %% "
            "interval; -: no verdict, on one side only, or not comparable.");
    if (out->medium == MEDIUM_PAGE)
        plot_changes(&pictures, comparison);
    if (pictures.count > 0)
        document_picture(out, pictures.picture);
    out->level = LEVEL_FULL;
    if (cells[PART_CHANGED] > 0) {
        document_heading(out, 2, "Changed or uncertain");
        add_part(out, comparison, PART_CHANGED);
    }
    for (enum part part = PART_LONE; part < SECTIONS; part++) {
        if (cells[part] == 0)
            continue;
        document_fold(out, pool_print(&out->pool, "%u %s", cells[part], folded[part]));
        add_part(out, comparison, part);
        document_end(out);
    }
    return !out->pool.is_short || fail(err, STATUS_NO_MEMORY, "no memory for a table of %u cells", comparison->cells);
}
