#include "harness/report/content/builder.h"

#include "harness/base/text.h"
#include "harness/report/content/document_parts.h"

#include <math.h>
#include <string.h>

/* Of both speed-ups there are the values, old and new. */
enum { COLUMN_VERDICT, COLUMN_DEVICE, COLUMN_METHOD, COLUMN_CHANGES };
enum { COLUMN_SPEEDUPS = COLUMN_CHANGES + QUANTITY_COUNT };
static const char terms[] = "verdict|device|method|resident change|copied change|time change|baseline's change"
                            "|resident speed-up|copied speed-up";

enum { NAME_MOST = 39, SPEEDUPS_FROM = 120 };

/* The sections. */
enum part { PART_CHANGED, PART_LONE, PART_SAME, PARTS };

static enum part part_of(const struct compared *cell)
{
    if (cell->change == CHANGE_NEW || cell->change == CHANGE_GONE)
        return PART_LONE;
    return cell->change == CHANGE_SAME || cell->change == CHANGE_BASELINE ? PART_SAME : PART_CHANGED;
}

static bool is_same_problem(const struct cell_record *cell, const struct cell_record *other)
{
    return strcmp(cell->workload, other->workload) == 0 && strcmp(cell->dtype, other->dtype) == 0 &&
           strcmp(cell->shape, other->shape) == 0 && cell->is_cold == other->is_cold;
}

/* "multiply f32, n = 40,000,000, cold" */
static const char *problem_of(struct pool *pool, const struct cell_record *cell)
{
    const char *shape = pool_shape(pool, cell->shape);
    return pool_print(pool, "%s %s%s%s%s", cell->workload, cell->dtype, *shape ? ", " : "", shape,
                      cell->is_cold ? ", cold" : "");
}

/* Whether another row of the same device, problem and method has another memory. */
static bool needs_memory(const struct comparison *comparison, const struct cell_record *cell)
{
    for (unsigned i = 0; i < comparison->cells; i++) {
        const struct cell_record *other = compared_cell(&comparison->cell[i]);
        if (strcmp(other->device_id, cell->device_id) == 0 && strcmp(other->method, cell->method) == 0 &&
            is_same_problem(other, cell) && strcmp(other->memory, cell->memory) != 0)
            return true;
    }
    return false;
}

/* Long names are cut to fit the column. */
static const char *name_of(struct pool *pool, const char *name)
{
    return shortened(pool, *name ? name : "-", NAME_MOST);
}

static const char *method_of(struct pool *pool, const struct comparison *comparison, const struct cell_record *cell)
{
    if (!*cell->method || !needs_memory(comparison, cell))
        return name_of(pool, *cell->method ? cell->method : cell->memory);
    return name_of(pool, pool_print(pool, "%s, %s", cell->method, cell->memory));
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

/* "0.91, 0.87" */
static const char *values_of(struct pool *pool, const struct shift *shift)
{
    if (isnan(shift->ratio))
        return "";
    return pool_print(pool, "%s, %s", pool_figure(pool, shift->value[OLD]), pool_figure(pool, shift->value[NEW]));
}

struct filler {
    struct pool *pool;
    const struct comparison *comparison;
    unsigned width;
};

static void fill_row(const struct filler *to, struct footnotes *footnotes, struct row *row, const struct compared *cell)
{
    const struct cell_record *named = compared_cell(cell);
    const char **field = row->field;
    const char *verdict = comparison_verdict(to->comparison, cell->change);
    field[COLUMN_VERDICT] = pool_print(to->pool, "  %s", *verdict ? verdict : "-");
    field[COLUMN_DEVICE] = name_of(to->pool, named->device_id);
    field[COLUMN_METHOD] = method_of(to->pool, to->comparison, named);
    for (enum quantity i = 0; i < QUANTITY_COUNT; i++) {
        field[COLUMN_CHANGES + i] = change_of(to->pool, &cell->shift[i]);
        if (i < QUANTITY_TIME && (to->width == 0 || to->width >= SPEEDUPS_FROM))
            field[COLUMN_SPEEDUPS + i] = values_of(to->pool, &cell->shift[i]);
    }
    if (*cell->reason)
        footnotes_add(footnotes, row, cell->reason);
    for (unsigned i = 0; i < cell->notes; i++)
        footnotes_add(footnotes, row, cell->note[i]);
}

/* A row for each cell of the part, and above the first of a problem one with the problem's name. */
static void add_section(struct document *out, const struct filler *to, const char *title, enum part part)
{
    struct section *section = section_add(out, title);
    const struct comparison *comparison = to->comparison;
    const struct cell_record *latest = NULL;
    struct footnotes footnotes = { .pool = to->pool };
    to->pool->is_short |= !section;
    if (!to->pool->is_short) {
        section->is_folded = part != PART_CHANGED;
        columns_open(to->pool, &section->table, terms, 2 * comparison->cells);
        section->table.is_grouped = true;
        section->table.rows = 0; /* grows below */
        footnotes.lines = &section->notes;
    }
    for (unsigned i = 0; i < comparison->cells && !to->pool->is_short; i++) {
        const struct cell_record *cell = compared_cell(comparison->order[i]);
        struct table *table = &section->table;
        if (part_of(comparison->order[i]) != part)
            continue;
        if (!latest || !is_same_problem(cell, latest))
            table->row[table->rows++].span = problem_of(to->pool, cell);
        fill_row(to, &footnotes, &table->row[table->rows++], comparison->order[i]);
        latest = cell;
    }
    if (section)
        table_drop_empty(&section->table);
}

static void add_head(struct document *out, const struct comparison *comparison, bool has_rows)
{
    struct pool *pool = &out->pool;
    const unsigned *runs = comparison->runs;
    bool is_single = runs[OLD] == 1 && runs[NEW] == 1;
    lines_add(pool, &out->head, "",
              pool_print(pool, "%u run%s before (%s), %u now (%s). %s", runs[OLD], runs[OLD] == 1 ? "" : "s",
                         comparison->files[OLD], runs[NEW], comparison->files[NEW],
                         is_single ? "With one run on each side the variation between runs is unknown, so a fixed "
                                     "allowance is used: five runs on each side find smaller changes."
                                   : "The variation between runs decides how certain a change is."));
    for (unsigned i = 0; i < comparison->warnings; i++)
        lines_add(pool, &out->head, "warning", comparison->warning[i]);
    if (comparison->cells > 0 && comparison_matched(comparison) == 0)
        lines_add(pool, &out->head, "warning", "no cell but baselines is on both sides, so nothing was compared");
    if (has_rows)
        lines_add(pool, &out->head, "",
                  "resident, copied: change of the speed-up with data that stay, or are copied at every use, + is "
                  "faster; time: change of that "
                  "of a run, + is longer; +- is half the 95 % interval.");
}

bool comparison_document_make(struct document *out, const struct comparison *comparison, unsigned width,
                              struct error *err)
{
    static const char *const titles[PARTS] = { "Changed or uncertain", "%u on one side only",
                                               "%u where no change was shown" };
    *out = (struct document){ .runs = 0 };
    const struct filler to = { &out->pool, comparison, width };
    unsigned cells[PARTS] = { 0 };
    for (unsigned i = 0; i < comparison->cells; i++)
        cells[part_of(&comparison->cell[i])]++;
    char summary[SUMMARY_ROOM], answer[ANSWER_ROOM];
    comparison_summary(summary, comparison);
    comparison_answer(answer, comparison);
    out->title = pool_copy(&out->pool, *answer ? answer : summary);
    if (*answer)
        lines_add(&out->pool, &out->head, "", pool_copy(&out->pool, summary));
    add_head(out, comparison, cells[PART_CHANGED] + cells[PART_SAME] > 0);
    for (enum part part = 0; part < PARTS; part++)
        if (cells[part] > 0)
            add_section(out, &to, pool_print(&out->pool, titles[part], cells[part]), part);
    return !out->pool.is_short || fail(err, STATUS_NO_MEMORY, "no memory for a table of %u cells", comparison->cells);
}
