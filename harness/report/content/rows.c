#include "harness/analysis/verdict.h"
#include "harness/base/text.h"
#include "harness/report/content/columns.h"
#include "harness/report/content/heading.h"
#include "harness/report/content/notes.h"

#include <string.h>

const char *row_outcome(struct pool *pool, const struct cell_record *cell)
{
    const struct error *outcome = &cell->outcome;
    bool names_place = outcome->status == STATUS_FAILED && *outcome->where;
    if (outcome->status == STATUS_OK)
        return cell->ended ? "ok, but without a single time" : "not finished";
    return pool_print(pool, "%s%s%s%s%s", status_names[outcome->status], names_place ? ": " : "",
                      names_place ? outcome->where : "", *outcome->message ? ": " : "", outcome->message);
}

static void put_row(struct row *row, const struct cell_columns *columns, const struct figures *figures,
                    const char *letter, const struct notes *common, struct notes *footnotes)
{
    struct column_source source;
    const char *numbers = "";
    column_source_read(&source, NULL, figures);
    source.run = letter;
    for (unsigned i = 0; i < columns->count; i++)
        if (columns->column[i].shown.group == GROUP_NAME || figures->measured)
            row->field[i] = column_field(footnotes->pool, &columns->column[i], &source);
        else if (!row->span) {
            row->span = row_outcome(footnotes->pool, figures->cell);
            row->span_at = i;
        }
    const struct notes notes = notes_read(footnotes->pool, figures);
    for (unsigned i = 0; i < notes.count; i++)
        if (notes_find(common, notes.note[i].text) == common->count)
            numbers = footnotes_add(footnotes, numbers, notes.note[i].text);
    if (!row->span)
        row->field[columns->count - 1] = numbers; /* the last column */
    else if (*numbers)
        row->span = pool_print(footnotes->pool, "%s [%s]", row->span, numbers);
}

struct table *rows_open(struct pool *pool, const struct cell_columns *columns, unsigned cells)
{
    struct column *column = pool_take(pool, (columns->count + 1) * sizeof *column);
    for (unsigned i = 0; column && i < columns->count; i++)
        column[i] = columns->column[i].shown;
    return column ? table_open(pool, column, columns->count, cells) : NULL;
}

void rows_fill(struct table *table, const struct cell_columns *columns, unsigned at, const struct figures figures[],
               unsigned count, const char *letter, const struct notes *common, struct notes *footnotes)
{
    for (unsigned i = 0; i < count && at + i < table->rows; i++) {
        for (unsigned k = 0; k < table->columns; k++) {
            struct column *column = &table->column[k];
            if (strcmp(column->title, "GFLOP/s") == 0 && strcmp(dtype_operation(figures[i].cell->dtype), "OP") == 0)
                column->title = "GOP/s"; /* as all rows of the problem */
            if (strcmp(column->term, "items/s") == 0 && *figures[i].cell->items)
                column->title = figures[i].cell->items;
        }
        put_row(&table->row[at + i], columns, &figures[i], letter, common, footnotes);
    }
}

/* Keeps the notes that this row has, too. */
static void keep_shared(struct notes *kept, const struct figures *figures)
{
    const struct notes notes = notes_read(kept->pool, figures);
    unsigned count = 0;
    for (unsigned i = 0; i < kept->count; i++)
        if (notes_find(&notes, kept->note[i].text) < notes.count)
            kept->note[count++] = kept->note[i];
    kept->count = count;
}

struct notes rows_common_notes(struct pool *pool, const struct answer_set *set)
{
    unsigned rows = 0, blocks = 0;
    struct notes common = { .pool = pool };
    for (unsigned i = 0; i < set->record->blocks; i++) {
        const struct block_record *block = &set->record->block[i];
        const unsigned before = rows, cells = heading_is_peaks(block) ? 0 : block->cells;
        for (unsigned k = 0; k < cells; k++) {
            const struct figures *figures = &set->figures[i][k];
            if (figures->measured && rows++ == 0)
                common = notes_read(pool, figures);
            else if (figures->measured && common.count > 0)
                keep_shared(&common, figures);
        }
        blocks += rows > before;
    }
    if (blocks < 2)
        common.count = 0;
    return common;
}
