#include "harness/analysis/verdict.h"
#include "harness/base/text.h"
#include "harness/report/content/answer_words.h"
#include "harness/report/content/columns.h"
#include "harness/report/content/notes.h"

#include <string.h>

enum { WORD_MOST = 31 }; /* of the name of a method; the figures need the rest of the line */

/* " to cuda:1", ", cold", ", unsettled"; of a peak the type or the size that its section's title does not have: ", 64
 * MiB" */
static const char *method_end(struct pool *pool, const struct figures *figures)
{
    const struct cell_record *cell = figures->cell;
    const char *of = cell->roof == ROOF_BANDWIDTH ? pool_copy(pool, text_binary(cell->held).text) : cell->dtype;
    if (cell->is_peak)
        return pool_print(pool, ", %.14s", of);
    return pool_print(pool, "%s%.14s%s%s", figures->destination ? " to " : "",
                      figures->destination ? figures->destination->id : "", cell->is_cold ? ", cold" : "",
                      figures->settled == 0 ? ", unsettled" : "");
}

/* The field of a cell. */
static const char *column_field(struct pool *pool, const struct cell_column *column, const struct column_source *source)
{
    const struct column_value value = column_value(column, source);
    const struct figures *figures = source->from[OF_FIGURES];
    switch (column->show) {
    case SHOW_NOT:
    case SHOW_NOTES: /* their numbers are of the table (put_row) */
        break;
    case SHOW_WORD:
        return shortened(pool, value.text && *value.text ? value.text : "-", WORD_MOST);
    case SHOW_METHOD: { /* "onednn, cold", "peer to cuda:1" */
        const char *end = method_end(pool, figures), *method = *value.text ? value.text : "-";
        return pool_print(pool, "%s%s", shortened(pool, method, WORD_MOST - (unsigned)strlen(end)), end);
    }
    case SHOW_SPEEDUP: { /* "0.97 (0.95 - 0.99)" */
        const struct estimate *speedup = (const void *)((const char *)figures + column->offset);
        const bool is_missing = verdict_of(speedup) == VERDICT_NONE, is_baseline = figures->baseline == figures->cell;
        return is_missing && is_baseline ? "baseline" : speedup_field(pool, speedup);
    }
    case SHOW_FIGURE:
        return pool_copy(pool, text_figure(column->scale * value.number).text);
    case SHOW_TIME:
        return pool_copy(pool, text_seconds(value.number).text);
    case SHOW_FIRST: { /* "12.4 s (compile)" */
        const char *time = pool_copy(pool, text_seconds(value.number).text), *mostly = figures->costs.first_mostly;
        return mostly ? pool_print(pool, "%s (%s)", time, mostly) : time;
    }
    }
    return "";
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
            row->span = outcome_words(footnotes->pool, figures->cell);
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
