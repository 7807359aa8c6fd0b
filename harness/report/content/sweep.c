#include "harness/report/content/document_parts.h"

#include "harness/base/text.h"
#include "harness/report/content/brief.h"

#include <math.h>
#include <string.h>

enum sweep_column {
    COLUMN_SIZE,
    COLUMN_SPEEDUPS,
    COLUMN_BASELINE_METHOD = COLUMN_SPEEDUPS + MODES,
    COLUMN_BASELINE,
    COLUMN_BASELINE_ITEMS,
    COLUMN_METHOD,
    COLUMN_COMPUTE,
    COLUMN_ITEMS,
    COLUMN_WHOLE,
    COLUMN_MEMORY,
    COLUMNS
};

/* Their terms; titles that depend on the sweep are set in the table's copy. */
static const char *const terms[COLUMNS] = {
    "size",   "resident speed-up", "uses speed-up", "copied speed-up", "method",      "compute", "items/s",
    "method", "compute",           "items/s",       "total",           "memory cost",
};

static const char *time_of(struct pool *pool, double seconds)
{
    char text[TEXT_NUMBER];
    return isnan(seconds) ? "-" : pool_copy(pool, text_seconds(text, seconds));
}

static const char *items_of(struct pool *pool, const struct cell_record *cell, double seconds)
{
    char text[TEXT_NUMBER];
    return pool_copy(pool, text_figure(text, cell->items_per_run / seconds));
}

/* Why a point has no figures: because of the cell itself, or of the baseline. */
static void put_outcome(struct pool *pool, struct row *row, const struct curve_point *point)
{
    bool is_own = !point->baseline || point->cell->outcome.status != STATUS_OK || !point->cell->ended;
    const struct cell_record *cell = is_own ? point->cell : point->baseline;
    const char *what = cell->outcome.status != STATUS_OK ? status_name(cell->outcome.status)
                       : !cell->ended                    ? "not finished"
                       : !point->baseline                ? "no baseline"
                                                         : "not verified";
    row->span = pool_print(pool, "%s%s%s%s", is_own ? "" : "baseline ", what, *cell->outcome.message ? ": " : "",
                           cell->outcome.message);
    row->span_at = COLUMN_SIZE + 1;
}

static void put_row(struct pool *pool, struct row *row, const struct curve *curve, const struct curve_point *point)
{
    char text[TEXT_NUMBER];
    const char **field = row->field;
    field[COLUMN_SIZE] = sweep_size(pool, point->size);
    if (!point->is_sound) {
        put_outcome(pool, row, point);
        return;
    }
    field[COLUMN_BASELINE_METHOD] = pool_copy(pool, point->baseline->method);
    if (!curve->method)
        field[COLUMN_METHOD] = pool_copy(pool, point->cell->method);
    field[COLUMN_BASELINE] = time_of(pool, point->baseline_seconds[MODE_RESIDENT]);
    field[COLUMN_COMPUTE] = time_of(pool, point->seconds[MODE_RESIDENT]);
    if (*point->cell->items) {
        field[COLUMN_BASELINE_ITEMS] = items_of(pool, point->baseline, point->baseline_seconds[MODE_RESIDENT]);
        field[COLUMN_ITEMS] = items_of(pool, point->cell, point->seconds[MODE_RESIDENT]);
        field[COLUMN_MEMORY] = pool_copy(pool, text_bytes(text, point->cell->held + point->cell->workspace));
    }
    if (curve->moves)
        field[COLUMN_WHOLE] = time_of(pool, point->seconds[MODE_COPIED]);
    for (enum mode mode = 0; mode < (curve->moves ? MODES : MODE_RESIDENT + 1); mode++)
        field[COLUMN_SPEEDUPS + mode] = speedup_field(pool, &point->speedup[mode]);
}

/* The title of a column of figures becomes its second line, below the device or the dimension. */
static void put_titles(struct pool *pool, struct table *table, const struct curves *curves, const struct curve *curve)
{
    const char *above[COLUMNS] = { [COLUMN_SIZE] = curves->unit };
    for (unsigned i = COLUMN_BASELINE_METHOD; i < COLUMNS; i++) {
        above[i] = i < COLUMN_METHOD ? curves->baseline->id : curve->device->id;
        table->column[i].below = table->column[i].title;
        table->column[i].group = GROUP_TIME;
    }
    for (unsigned i = 0; i < COLUMNS; i++)
        if (above[i])
            table->column[i].title = pool_copy(pool, above[i]);
    if (curve->points > 0)
        table->column[COLUMN_BASELINE_ITEMS].below = table->column[COLUMN_ITEMS].below =
            pool_print(pool, "%s/s", curve->point[0].cell->items);
    table->column[COLUMN_SPEEDUPS + MODE_USES].title =
        pool_print(pool, "%u use%s", curves->uses, curves->uses == 1 ? "" : "s");
}

/* "sweep of multiply f32: opencl:0 portable (mapped) against cpu"; the method only where each has its own curve */
static const char *title_of(struct pool *pool, const struct curves *curves, const struct curve *curve,
                            const char *letter)
{
    const char *method = curve->method ? curve->method : "";
    return pool_print(pool, "sweep of %s %s: %s%s%s (%s) against %s%s%s", curves->workload, curves->dtype,
                      curve->device->id, *method ? " " : "", method, curve->memory, curves->baseline->id,
                      *letter ? ", run " : "", letter);
}

static void add_table(struct pool *pool, struct table *table, const struct curves *curves, const struct curve *curve)
{
    columns_open(pool, table, terms, COLUMNS, curve->points);
    if (table->columns == 0)
        return;
    put_titles(pool, table, curves, curve);
    for (unsigned i = 0; i < curve->points; i++)
        put_row(pool, &table->row[i], curve, &curve->point[i]);
    table_drop_empty(table);
}

static void add_curve(struct document *document, const struct curves *curves, const struct curve *curve,
                      const char *letter)
{
    struct pool *pool = &document->pool;
    struct section *section = section_add(document, title_of(pool, curves, curve, letter));
    if (!section)
        return;
    lines_add(pool, &section->about, "sizes",
              pool_print(pool, "%s from %s to %s", curves->unit, sweep_size(pool, curves->from),
                         sweep_size(pool, curves->to)));
    add_table(pool, &section->table, curves, curve);
    sweep_thresholds_append(pool, &section->answers, curves, curve);
    lines_set_letter(&section->answers, 0, letter);
}

/* A sweep has too many notes for footnotes: the worst ones, with the number of measurements. */
static void append_notes(struct pool *pool, struct lines *out, const struct answer_set *set, const char *letter)
{
    enum { NOTES_SHOWN = 3 };
    struct notes notes = { .count = 0 };
    const unsigned first = out->lines;
    const unsigned measured = brief_cell_notes(&notes, set);
    for (unsigned i = 0; i < NOTES_SHOWN && i < notes.count; i++) {
        const struct note *one = &notes.note[i];
        bool is_of_all = one->severity == SEVERITY_VAGUE; /* says itself how many */
        lines_add(pool, out, "note",
                  is_of_all ? one->text
                            : pool_print(pool, "on %u of %u measurements: %s", one->times, measured, one->text));
    }
    lines_set_letter(out, first, letter);
    pool->is_short |= notes.pool.is_short;
    notes_release(&notes);
}

void sweep_append(struct document *document, const struct answer_set *set, const char *letter)
{
    struct curves curves;
    struct pool *pool = &document->pool;
    pool->is_short |= !curves_read(&curves, set->record);
    bool is_empty = curves.curves == 0 || !curves.baseline;
    struct section *empty = is_empty ? section_add(document, pool_print(pool, "sweep of %s %s%s%s", curves.workload,
                                                                        curves.dtype, *letter ? ", run " : "", letter))
                                     : NULL;
    if (empty)
        lines_add(pool, &empty->answers, "", "Nothing was measured.");
    for (unsigned i = 0; !is_empty && i < curves.curves; i++)
        add_curve(document, &curves, &curves.curve[i], letter);
    curves_free(&curves);
    append_notes(pool, &document->notes, set, letter);
}
