#include "harness/reports/ceilings.h"

#include "harness/reports/grid.h"
#include "harness/roofline.h"
#include "harness/text.h"
#include "harness/theory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum column { COLUMN_DEVICE, COLUMN_WHAT, COLUMN_BEST, COLUMN_UNIT, COLUMN_PRECISION, COLUMN_THEORY, COLUMNS };

static const struct {
    const char *title;
    enum align align;
} columns[COLUMNS] = {
    [COLUMN_DEVICE] = { "ceilings", ALIGN_LEFT }, [COLUMN_WHAT] = { "", ALIGN_LEFT },
    [COLUMN_BEST] = { "best", ALIGN_NUMBER },     [COLUMN_UNIT] = { "", ALIGN_LEFT },
    [COLUMN_PRECISION] = { "+-%", ALIGN_NUMBER }, [COLUMN_THEORY] = { "by its facts", ALIGN_LEFT },
};

bool ceilings_hold(const struct block_record *block)
{
    for (unsigned i = 0; i < block->cells; i++)
        if (!block->cell[i]->is_ceiling)
            return false;
    return block->cells > 0;
}

static bool is_same(const struct cell_record *one, const struct cell_record *other)
{
    if (strcmp(one->device_id, other->device_id) != 0 || one->roof != other->roof)
        return false;
    return one->roof == ROOF_FLOPS ? strcmp(one->dtype, other->dtype) == 0
                                   : roofline_same_class(one->held, other->held);
}

/* Whether an earlier cell stands for the same ceiling: it was measured again, or with another method. */
static bool is_shown(const struct record *record, unsigned at)
{
    for (unsigned i = 0; i < at; i++)
        if (record->cell[i]->is_ceiling && is_same(record->cell[i], record->cell[at]))
            return true;
    return false;
}

static void put_what(struct grid_row *row, const struct device *device, const struct cell_record *cell)
{
    char what[TEXT_NUMBER];
    const unsigned threads = device->threads;
    if (cell->roof == ROOF_FLOPS)
        snprintf(what, sizeof what, "%.16s", cell->dtype);
    else
        text_binary(what, cell->held);
    if (threads > 0)
        snprintf(row->field[COLUMN_WHAT], GRID_FIELD, "%s, %u thread%s", what, threads, threads == 1 ? "" : "s");
    else
        text_copy(row->field[COLUMN_WHAT], GRID_FIELD, what);
}

/* The longest of a formula that fits behind its figure. */
static void put_formula(char to[GRID_FIELD], double value, const char *formula)
{
    char figure[TEXT_NUMBER], shown[GRID_FIELD - 12];
    text_copy(shown, sizeof shown, formula);
    snprintf(to, GRID_FIELD, "%.8s = %s", text_figure(figure, value / 1e9, 1e-4), shown);
}

/* "230.4 = 2 cores x ...". Of the memory it is known only beyond the caches. */
static void put_theory(char to[GRID_FIELD], const struct device *device, const struct cell_record *cell)
{
    enum dtype dtype;
    struct theory theory;
    struct theory_memory memory;
    if (cell->roof == ROOF_FLOPS && dtype_parse(cell->dtype, &dtype) && theory_peak(device, dtype, &theory))
        put_formula(to, theory.flops, theory.formula);
    if (cell->roof == ROOF_BANDWIDTH && roofline_same_class(cell->held, ROOFLINE_TOP) &&
        theory_bandwidth(device, &memory))
        put_formula(to, memory.bandwidth, memory.formula);
}

/* What became of a ceiling that is not there. */
static void put_outcome(struct grid_row *row, const struct error *outcome)
{
    bool is_ok = outcome->status == STATUS_OK;
    snprintf(row->span, sizeof row->span, "%s%s%.120s", is_ok ? "not measured" : status_name(outcome->status),
             *outcome->message ? ": " : "", outcome->message);
    row->span_at = COLUMN_BEST;
}

static void put_row(struct grid_row *row, const struct record *record, const struct device *device,
                    const struct cell_record *cell)
{
    const struct ceiling ceiling = cell->roof == ROOF_FLOPS ? roofline_flops(record, cell->device_id, cell->dtype)
                                                            : roofline_bandwidth(record, cell->device_id, cell->held);
    char figure[TEXT_NUMBER];
    text_copy(row->field[COLUMN_DEVICE], GRID_FIELD, cell->device_id);
    put_what(row, device, cell);
    if (!ceiling.cell) {
        put_outcome(row, &cell->outcome);
        return;
    }
    text_copy(row->field[COLUMN_BEST], GRID_FIELD, text_figure(figure, ceiling.wall / 1e9, ceiling.half_width));
    text_copy(row->field[COLUMN_UNIT], GRID_FIELD, cell->roof == ROOF_FLOPS ? "GFLOP/s" : "GB/s");
    text_copy(row->field[COLUMN_PRECISION], GRID_FIELD, text_figure(figure, 100 * ceiling.half_width, 0.3));
    put_theory(row->field[COLUMN_THEORY], device, cell);
}

static unsigned put_device(struct grid_row row[], const struct record *record, const struct device *device)
{
    unsigned rows = 0;
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *cell = record->cell[i];
        if (cell->is_ceiling && strcmp(cell->device_id, device->id) == 0 && !is_shown(record, i))
            put_row(&row[rows++], record, device, cell);
    }
    return rows;
}

static void print_rows(const struct grid_row row[], unsigned rows, FILE *out)
{
    struct grid grid = { .columns = COLUMNS };
    bool used[GRID_COLUMNS] = { false };
    for (unsigned i = 0; i < COLUMNS; i++)
        grid.align[i] = columns[i].align;
    for (unsigned i = 0; i < rows; i++) {
        grid_measure(&grid, &row[i]);
        grid_mark(&grid, &row[i], used);
    }
    fputc('\n', out);
    for (unsigned i = 0; i < rows; i++)
        grid_print(&grid, &row[i], used, out);
}

bool ceilings_print(const struct record *record, FILE *out)
{
    struct grid_row *row = calloc(record->cells + 1, sizeof *row);
    unsigned rows = 1;
    if (!row)
        return false;
    row[0].is_title = true;
    for (unsigned i = 0; i < COLUMNS; i++)
        text_copy(row[0].field[i], GRID_FIELD, columns[i].title);
    for (unsigned i = 0; i < record->devices; i++)
        rows += put_device(&row[rows], record, &record->device[i]);
    if (rows > 1)
        print_rows(row, rows, out);
    free(row);
    return true;
}
