/* A sweep: for each device a row for each size, the thresholds in sentences, and the notes on its measurements. */

#include "harness/report/makers/makers.h"

#include "harness/analysis/threshold.h"
#include "harness/report/content/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIZE, SPEEDUPS, BASELINE = SPEEDUPS + MODES, DEVICE = BASELINE + 3, WHOLE = DEVICE + 3, MEMORY, COLUMNS };
/* From BASELINE and from DEVICE on a method, the time of a run, and items a second. */
enum { METHOD, COMPUTE, ITEMS };

/* "40,000,000"; "-" for NAN. */
static const char *size_of(struct pool *pool, double size)
{
    if (!(size >= 0 && size < 1e18))
        return "-";
    return pool_copy(pool, text_shape(pool_print(pool, "%.0f", size)).text);
}

/* The method unless it is that of all points. */
static void put_side(struct pool *pool, const char **field, const struct cell_record *cell, double seconds,
                     bool has_method)
{
    if (has_method)
        field[METHOD] = pool_copy(pool, cell->method);
    field[COMPUTE] = pool_copy(pool, text_seconds(seconds).text);
    if (*cell->items)
        field[ITEMS] = pool_copy(pool, text_figure(cell->items_per_run / seconds).text);
}

static bool has_ended_well(const struct cell_record *cell)
{
    return cell->ended && cell->outcome.status == STATUS_OK;
}

static void put_row(struct pool *pool, struct row *row, const struct curve *curve, const struct curve_point *point)
{
    const struct figure *stays = &point->use[USE_RESIDENT];
    const struct cell_record *baseline = stays->baseline, *cell = point->cell;
    const char **field = row->field;
    field[SIZE] = size_of(pool, point->size);
    if (!point->is_sound) { /* because of the cell itself, or of the baseline */
        row->span_at = SIZE + 1;
        row->span = !has_ended_well(cell)       ? outcome_words(pool, cell)
                    : !baseline                 ? "no baseline"
                    : !has_ended_well(baseline) ? pool_print(pool, "baseline %s", outcome_words(pool, baseline))
                                                : "not verified";
        return;
    }
    put_side(pool, &field[BASELINE], baseline, stays->baseline_seconds, true);
    put_side(pool, &field[DEVICE], cell, stays->time.value, !curve->method);
    if (*cell->items)
        field[MEMORY] = pool_copy(pool, text_bytes(cell->held + cell->workspace).text);
    if (curve->moves)
        field[WHOLE] = pool_copy(pool, text_seconds(point->use[USE_COPIED].time.value).text);
    for (enum mode mode = 0; mode < (curve->moves ? MODES : MODE_RESIDENT + 1); mode++)
        field[SPEEDUPS + mode] = speedup_field(pool, &point->speedup[mode]);
}

static struct table *open_table(struct pool *pool, const struct curves *curves, const struct curve *curve)
{
    const char *baseline = pool_copy(pool, curves->baseline->id), *device = pool_copy(pool, curve->device->id);
    const char *items = curve->points > 0 ? pool_print(pool, "%s/s", curve->point[0].cell->items) : "";
    const struct column column[COLUMNS] = {
        { pool_copy(pool, curves->unit), "", ALIGN_RIGHT, GROUP_NAME, "size" },
        { "resident", "speed-up", ALIGN_RATIO, GROUP_SPEEDUP, "resident speed-up" },
        { mode_words(pool, curves, MODE_USES), "speed-up", ALIGN_RATIO, GROUP_SPEEDUP, "uses speed-up" },
        { "copied", "speed-up", ALIGN_RATIO, GROUP_SPEEDUP, "copied speed-up" },
        { baseline, "method", ALIGN_LEFT, GROUP_TIME, "method" },
        { baseline, "compute", ALIGN_NUMBER, GROUP_TIME, "compute" },
        { baseline, items, ALIGN_NUMBER, GROUP_TIME, "items/s" },
        { device, "method", ALIGN_LEFT, GROUP_TIME, "method" },
        { device, "compute", ALIGN_NUMBER, GROUP_TIME, "compute" },
        { device, items, ALIGN_NUMBER, GROUP_TIME, "items/s" },
        { device, "total", ALIGN_NUMBER, GROUP_TIME, "total" },
        { device, "memory", ALIGN_NUMBER, GROUP_TIME, "memory cost" },
    };
    return table_open(pool, column, COLUMNS, curve->points);
}

/* "n = 1,000", "m = n = k = 512" */
static const char *sized(struct pool *pool, const struct curves *curves, double size)
{
    return pool_copy(pool, text_shape(pool_print(pool, "%s=%.0f", curves->unit, size)).text);
}

/* "from somewhere between n = 98,500 and 104,000 on" */
static const char *threshold_words(struct pool *pool, const struct curves *curves, const struct threshold *threshold)
{
    struct string_builder to = { .pool = pool };
    if (threshold->outcome == THRESHOLD_UNSURE)
        return "not known: no difference could be shown at any size";
    if (threshold->crossings == 0)
        string_append(&to, "%s", threshold->outcome == THRESHOLD_NEVER ? "at no size" : "at every size");
    for (unsigned i = 0; i < threshold->crossings; i++) {
        const struct crossing *crossing = &threshold->crossing[i];
        string_append(&to, "%s%s somewhere between %s and %s%s", i > 0 ? ", " : "", crossing->is_up ? "from" : "up to",
                      sized(pool, curves, crossing->low), size_of(pool, crossing->high),
                      crossing->is_up && i + 1 == threshold->crossings ? " on" : "");
    }
    if (threshold->sure_from > threshold->first || threshold->sure_to < threshold->last)
        string_append(&to, "; certain from %s to %s only", sized(pool, curves, threshold->sure_from),
                      size_of(pool, threshold->sure_to));
    if (!isnan(threshold->lone))
        string_append(&to, "; the opposite at %s only, which is ignored", sized(pool, curves, threshold->lone));
    return string_text(&to);
}

/* "faster, resident" */
static void add_thresholds(struct document *out, const struct curves *curves, const struct curve *curve)
{
    struct pool *pool = &out->pool;
    for (enum mode mode = 0; mode < (curve->moves ? MODES : MODE_RESIDENT + 1); mode++) {
        struct threshold threshold;
        threshold_find(&threshold, curve, mode);
        const char *label = curve->moves ? pool_print(pool, "faster, %s", mode_words(pool, curves, mode)) : "faster";
        document_line(out, ABOUT_MISSING,
                      curves->curves > 1 ? pool_print(pool, "%s, %s", curve->device->id, label) : label, "%s",
                      threshold_words(pool, curves, &threshold));
    }
}

static void add_curve(struct document *out, const struct curves *curves, const struct curve *curve, const char *letter)
{
    struct pool *pool = &out->pool;
    struct table *table = open_table(pool, curves, curve);
    const char *method = curve->method ? curve->method : ""; /* where each has its own curve */
    document_heading(out, 2,
                     pool_print(pool, "sweep of %s %s: %s%s%s (%s) against %s%s%s", curves->workload, curves->dtype,
                                curve->device->id, *method ? " " : "", method, curve->memory, curves->baseline->id,
                                *letter ? ", run " : "", letter));
    document_line(out, ABOUT_BASIS, "sizes", "%s from %s to %s", curves->unit, size_of(pool, curves->from),
                  size_of(pool, curves->to));
    if (!table)
        return;
    for (unsigned i = 0; i < curve->points; i++)
        put_row(pool, &table->row[i], curve, &curve->point[i]);
    table_drop_empty(table);
    document_table(out, table);
}

void sweep_add_thresholds(struct document *out, const struct answer_set *set)
{
    struct curves curves;
    out->pool.is_short |= !curves_read(&curves, set->record);
    for (unsigned i = 0; i < curves.curves && curves.baseline; i++)
        add_thresholds(out, &curves, &curves.curve[i]);
    curves_free(&curves);
}

void sweep_add(struct document *out, const struct answer_set *set, const char *letter)
{
    struct curves curves;
    out->pool.is_short |= !curves_read(&curves, set->record);
    for (unsigned i = 0; i < curves.curves && curves.baseline; i++)
        add_curve(out, &curves, &curves.curve[i], letter);
    if (curves.curves == 0 || !curves.baseline) {
        document_heading(out, 2,
                         pool_print(&out->pool, "sweep of %s %s%s%s", curves.workload, curves.dtype,
                                    *letter ? ", run " : "", letter));
        document_line(out, ABOUT_VERDICT, "", "Nothing was measured.");
    }
    curves_free(&curves);
}

/* A sweep has too many notes for footnotes: each once, with the number of measurements. */
void sweep_add_notes(struct document *out, const struct answer_set *set)
{
    struct notes notes = { .pool = &out->pool };
    const unsigned measured = cell_notes(&notes, set);
    for (unsigned i = 0; i < notes.count; i++) {
        const struct note *one = &notes.note[i];
        if (one->rows == 0)
            document_line(out, ABOUT_NOTE, "note", "%s: %s", notes_places(&out->pool, one), one->text);
        else
            document_line(out, ABOUT_NOTE, "note", "on %u of %u measurements: %s", one->rows, measured, one->text);
    }
}
