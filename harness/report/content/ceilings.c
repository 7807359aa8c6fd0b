#include "harness/report/content/ceilings.h"

#include "harness/analysis/roofline.h"
#include "harness/base/text.h"

#include <math.h>
#include <string.h>

enum { COLUMN_RUN, COLUMN_DEVICE, COLUMN_WHAT, COLUMN_BEST, COLUMN_UNIT, COLUMN_PRECISION, COLUMNS };

static const struct column columns[COLUMNS] = {
    [COLUMN_RUN] = { "run", "", ALIGN_LEFT, GROUP_NAME, "run" },
    [COLUMN_DEVICE] = { "device", "", ALIGN_LEFT, GROUP_NAME, "device" },
    [COLUMN_WHAT] = { "ceiling of", "", ALIGN_LEFT, GROUP_NAME, "ceiling of" },
    [COLUMN_BEST] = { "best", "", ALIGN_NUMBER, GROUP_CEILING, "best" },
    [COLUMN_UNIT] = { "", "", ALIGN_LEFT, GROUP_CEILING, "" },
    [COLUMN_PRECISION] = { "+-", "%", ALIGN_NUMBER, GROUP_CEILING, "+-" },
};

bool ceilings_only(const struct block_record *block)
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

/* Whether an earlier cell has the row of this ceiling: it was measured twice, or with several methods. */
static bool is_shown(const struct record *record, unsigned at)
{
    for (unsigned i = 0; i < at; i++)
        if (record->cell[i]->is_ceiling && is_same(record->cell[i], record->cell[at]))
            return true;
    return false;
}

static const char *what_of(struct pool *pool, const struct device *device, const struct cell_record *cell)
{
    char what[TEXT_NUMBER];
    const unsigned threads = device->threads;
    if (cell->roof == ROOF_FLOPS)
        text_copy(what, 17, cell->dtype);
    else
        text_binary(what, cell->held);
    return threads > 0 ? pool_print(pool, "%s, %u thread%s", what, threads, threads == 1 ? "" : "s")
                       : pool_copy(pool, what);
}

/* Why a ceiling has no figure. */
static void put_outcome(struct pool *pool, struct row *row, const struct error *outcome)
{
    bool is_ok = outcome->status == STATUS_OK;
    row->span = pool_print(pool, "%s%s%s", is_ok ? "not measured" : status_name(outcome->status),
                           *outcome->message ? ": " : "", outcome->message);
    row->span_at = COLUMN_BEST;
}

static void put_row(struct pool *pool, struct row *row, const struct record *record, const struct device *device,
                    const struct cell_record *cell)
{
    const struct ceiling ceiling = cell->roof == ROOF_FLOPS ? roofline_flops(record, cell->device_id, cell->dtype)
                                                            : roofline_bandwidth(record, cell->device_id, cell->held);
    char figure[TEXT_NUMBER];
    row->field[COLUMN_DEVICE] = pool_copy(pool, cell->device_id);
    row->field[COLUMN_WHAT] = what_of(pool, device, cell);
    if (!ceiling.cell) {
        put_outcome(pool, row, &cell->outcome);
        return;
    }
    row->field[COLUMN_BEST] = pool_copy(pool, text_measured(figure, ceiling.wall / 1e9, ceiling.half_width));
    row->field[COLUMN_UNIT] = cell->roof != ROOF_FLOPS                          ? "GB/s"
                              : strcmp(dtype_operation(cell->dtype), "OP") == 0 ? "GOP/s"
                                                                                : "GFLOP/s";
    row->field[COLUMN_PRECISION] = pool_copy(pool, text_figure(figure, 100 * ceiling.half_width, 0.3));
}

unsigned ceilings_count(const struct record *record)
{
    unsigned count = 0;
    for (unsigned i = 0; i < record->cells; i++)
        count += record->cell[i]->is_ceiling;
    return count;
}

void ceilings_begin(struct pool *pool, struct table *table, unsigned rows)
{
    table_open(pool, table, columns, COLUMNS, rows);
    table->rows = 0; /* grows below: a ceiling that was measured twice has one row */
}

void ceilings_fill(struct pool *pool, struct table *table, const struct record *record, const char *letter)
{
    for (unsigned at = 0; at < record->devices && table->columns > 0; at++) {
        const struct device *device = &record->device[at];
        for (unsigned i = 0; i < record->cells; i++) {
            const struct cell_record *cell = record->cell[i];
            if (!cell->is_ceiling || strcmp(cell->device_id, device->id) != 0 || is_shown(record, i))
                continue;
            struct row *row = &table->row[table->rows++];
            row->field[COLUMN_RUN] = letter;
            put_row(pool, row, record, device, cell);
        }
    }
}
