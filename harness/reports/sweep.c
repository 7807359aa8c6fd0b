#include "harness/reports/sweep.h"

#include "harness/curve.h"
#include "harness/reports/grid.h"
#include "harness/reports/prose.h"
#include "harness/reports/speedup.h"
#include "harness/reports/sweep_notes.h"
#include "harness/reports/sweep_words.h"
#include "harness/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum column {
    COLUMN_SIZE,
    COLUMN_BASELINE_METHOD,
    COLUMN_BASELINE,
    COLUMN_METHOD,
    COLUMN_COMPUTE,
    COLUMN_WHOLE,
    COLUMN_RESIDENT,
    COLUMN_USES,
    COLUMN_OFFLOAD,
    COLUMNS
};

static const enum column speedup_column[MODES] = {
    [MODE_RESIDENT] = COLUMN_RESIDENT,
    [MODE_USES] = COLUMN_USES,
    [MODE_OFFLOAD] = COLUMN_OFFLOAD,
};

/* Where the method is always the same the sentence above the table says so, and not each row. */
static bool has_one_method(const struct curve *curve, bool of_baseline)
{
    const char *first = NULL;
    for (unsigned i = 0; i < curve->points; i++) {
        const struct cell_record *cell = of_baseline ? curve->point[i].baseline : curve->point[i].cell;
        if (!cell || !curve->point[i].is_sound)
            continue;
        if (first && strcmp(first, cell->variant) != 0)
            return false;
        first = cell->variant;
    }
    return true;
}

static const char *only_method(const struct curve *curve, bool of_baseline)
{
    for (unsigned i = 0; i < curve->points; i++)
        if (curve->point[i].is_sound && has_one_method(curve, of_baseline))
            return (of_baseline ? curve->point[i].baseline : curve->point[i].cell)->variant;
    return "";
}

static void put_time(struct grid_row *row, enum column column, double seconds)
{
    char text[TEXT_NUMBER];
    text_copy(row->field[column], GRID_FIELD, text_seconds(text, seconds));
}

static void put_speedup(struct grid_row *row, enum column column, const struct estimate *speedup)
{
    struct speedup_text text;
    speedup_write(&text, speedup);
    switch (speedup_side(speedup)) {
    case SIDE_MISSING:
        text_copy(row->field[column], GRID_FIELD, "-");
        break;
    case SIDE_UNCERTAIN:
        snprintf(row->field[column], GRID_FIELD, "%.20sx [?]", text.value);
        break;
    default:
        snprintf(row->field[column], GRID_FIELD, "%.20sx %.48s", text.value, text.interval);
    }
}

/* Why there is nothing to show: of the cell itself, or of the baseline. */
static void put_outcome(struct grid_row *row, const struct curve_point *point)
{
    bool is_own = !point->baseline || point->cell->outcome.status != STATUS_OK || !point->cell->ended;
    const struct cell_record *cell = is_own ? point->cell : point->baseline;
    const char *what = cell->outcome.status != STATUS_OK ? status_name(cell->outcome.status)
                       : !cell->ended                    ? "not finished"
                       : !point->baseline                ? "no baseline"
                                                         : "not verified";
    snprintf(row->span, sizeof row->span, "%s%s%s%.120s", is_own ? "" : "baseline ", what,
             *cell->outcome.message ? ": " : "", cell->outcome.message);
    row->span_at = COLUMN_BASELINE;
}

/* To the right: the grid takes a figure's first comma for its point. */
static void put_size(struct grid_row *row, const struct curves *curves, const char *text)
{
    char longest[TEXT_NUMBER];
    sweep_size(longest, sizeof longest, curves->to);
    size_t width = strlen(longest) > strlen(curves->unit) ? strlen(longest) : strlen(curves->unit);
    snprintf(row->field[COLUMN_SIZE], GRID_FIELD, "%*s", (int)width, text);
}

static void put_row(struct grid_row *row, const struct curves *curves, const struct curve *curve,
                    const struct curve_point *point)
{
    char size[TEXT_NUMBER];
    *row = (struct grid_row){ .span_at = 0 };
    sweep_size(size, sizeof size, point->size);
    put_size(row, curves, size);
    if (!point->is_sound) {
        put_outcome(row, point);
        return;
    }
    if (!has_one_method(curve, true))
        text_copy(row->field[COLUMN_BASELINE_METHOD], 32, point->baseline->variant);
    if (!has_one_method(curve, false))
        text_copy(row->field[COLUMN_METHOD], 32, point->cell->variant);
    put_time(row, COLUMN_BASELINE, point->baseline_seconds[MODE_RESIDENT]);
    put_time(row, COLUMN_COMPUTE, point->seconds[MODE_RESIDENT]);
    if (curve->moves)
        put_time(row, COLUMN_WHOLE, point->seconds[MODE_OFFLOAD]);
    for (enum mode mode = 0; mode < MODES; mode++)
        if (curve->moves || mode == MODE_RESIDENT)
            put_speedup(row, speedup_column[mode], &point->speedup[mode]);
}

/* Two lines of title; what a column of times is of stands in the second. */
static void put_titles(struct grid_row title[2], const struct curves *curves, const struct curve *curve)
{
    static const char *const below[COLUMNS] = {
        [COLUMN_BASELINE_METHOD] = "method", [COLUMN_METHOD] = "method",    [COLUMN_BASELINE] = "compute",
        [COLUMN_COMPUTE] = "compute",        [COLUMN_WHOLE] = "whole",      [COLUMN_RESIDENT] = "speed-up",
        [COLUMN_USES] = "speed-up",          [COLUMN_OFFLOAD] = "speed-up",
    };
    const char *above[COLUMNS] = {
        [COLUMN_BASELINE_METHOD] = curves->baseline->id,
        [COLUMN_BASELINE] = curves->baseline->id,
        [COLUMN_METHOD] = curve->device->id,
        [COLUMN_COMPUTE] = curve->device->id,
        [COLUMN_WHOLE] = curve->device->id,
        [COLUMN_RESIDENT] = "resident",
        [COLUMN_OFFLOAD] = "offload",
    };
    for (unsigned i = 0; i < COLUMNS; i++) {
        title[0].is_title = title[1].is_title = true;
        text_copy(title[0].field[i], GRID_FIELD, above[i] ? above[i] : "");
        text_copy(title[1].field[i], GRID_FIELD, below[i] ? below[i] : "");
    }
    put_size(&title[0], curves, curves->unit);
    snprintf(title[0].field[COLUMN_USES], GRID_FIELD, "%u use%s", curves->uses, curves->uses == 1 ? "" : "s");
}

/* "opencl:0 portable (mapped) against cpu native" */
static void print_heading(const struct curves *curves, const struct curve *curve, FILE *out)
{
    const char *own = only_method(curve, false), *other = only_method(curve, true);
    fprintf(out, "\n%s%s%s (%s) against %s%s%s\n\n", curve->device->id, *own ? " " : "", own, curve->memory,
            curves->baseline->id, *other ? " " : "", other);
}

static bool print_table(const struct curves *curves, const struct curve *curve, FILE *out)
{
    struct grid grid = { .columns = COLUMNS };
    struct grid_row *row = calloc(curve->points + 2, sizeof *row);
    bool used[GRID_COLUMNS] = { false };
    if (!row)
        return false;
    for (unsigned i = 0; i < COLUMNS; i++)
        grid.align[i] = i >= COLUMN_RESIDENT ? ALIGN_RATIO : ALIGN_NUMBER;
    grid.align[COLUMN_SIZE] = grid.align[COLUMN_BASELINE_METHOD] = grid.align[COLUMN_METHOD] = ALIGN_LEFT;
    put_titles(row, curves, curve);
    for (unsigned i = 0; i < curve->points; i++)
        put_row(&row[i + 2], curves, curve, &curve->point[i]);
    for (unsigned i = 0; i < curve->points + 2; i++) {
        grid_measure(&grid, &row[i]);
        grid_mark(&grid, &row[i], used);
    }
    for (unsigned i = 0; i < curve->points + 2; i++)
        grid_print(&grid, &row[i], used, out);
    free(row);
    return true;
}

static bool print_words(const struct curves *curves, const struct curve *curve, FILE *out)
{
    struct sweep_words words;
    if (!sweep_words(&words, curves, curve))
        return false;
    const char *unsure = sweep_unsure(curve);
    fputc('\n', out);
    if (unsure) {
        prose_print("[?] ", unsure, out);
        fputc('\n', out);
    }
    for (unsigned i = 0; i < words.sentences; i++)
        prose_print(words.is_below[i] ? "  " : "", words.sentence[i], out);
    return true;
}

bool sweep_print(const struct record *record, FILE *out)
{
    struct curves curves;
    char from[TEXT_NUMBER], to[TEXT_NUMBER];
    bool complete = curves_read(&curves, record);
    sweep_size(from, sizeof from, curves.from);
    sweep_size(to, sizeof to, curves.to);
    if (complete)
        fprintf(out, "\nsweep of %s %s, %s from %s to %s\n", curves.workload, curves.dtype, curves.unit, from, to);
    if (complete && (curves.curves == 0 || !curves.baseline))
        fputs("\nNothing was measured.\n", out);
    for (unsigned i = 0; complete && curves.baseline && i < curves.curves; i++) {
        print_heading(&curves, &curves.curve[i], out);
        complete = print_table(&curves, &curves.curve[i], out) && print_words(&curves, &curves.curve[i], out);
    }
    curves_free(&curves);
    return complete && sweep_notes_print(record, out);
}
