#include "harness/analysis/verdict.h"
#include "harness/base/text.h"
#include "harness/report/content/columns.h"
#include "harness/report/content/heading.h"
#include "harness/report/content/notes.h"

#include <string.h>

enum { WORD_MOST = 31 }; /* of the name of a method; the figures need the rest of the line */

static const char *speedup_of(struct pool *pool, const struct figures *figures, size_t offset)
{
    const struct estimate *speedup = (const void *)((const char *)figures + offset);
    bool is_missing = verdict_of(speedup) == VERDICT_NONE, is_baseline = figures->baseline == figures->cell;
    return is_missing && is_baseline ? "baseline" : speedup_field(pool, speedup);
}

static bool has_note(const struct notes *notes, const char *text)
{
    for (unsigned i = 0; i < notes->count; i++)
        if (strcmp(notes->note[i].text, text) == 0)
            return true;
    return false;
}

static void put_notes(struct footnotes *footnotes, const struct notes *common, struct row *row,
                      const struct figures *figures)
{
    const struct notes notes = notes_read(footnotes->pool, figures);
    for (unsigned i = 0; i < notes.count; i++)
        if (!has_note(common, notes.note[i].text))
            footnotes_add(footnotes, row, notes.note[i].text);
}

const char *row_outcome(struct pool *pool, const struct cell_record *cell)
{
    const struct error *outcome = &cell->outcome;
    bool names_place = outcome->status == STATUS_FAILED && *outcome->where;
    if (outcome->status == STATUS_OK)
        return cell->ended ? "ok, but without a single time" : "not finished";
    return pool_print(pool, "%s%s%s%s%s", status_names[outcome->status], names_place ? ": " : "",
                      names_place ? outcome->where : "", *outcome->message ? ": " : "", outcome->message);
}

/* " to cuda:1", ", cold", ", unsettled"; of a peak the type or the size that its section's title does not have: ", 64
 * MiB" */
static const char *method_end(struct pool *pool, const struct figures *figures)
{
    const struct cell_record *cell = figures->cell;
    const char *of = cell->roof == ROOF_BANDWIDTH ? pool_binary(pool, cell->held) : cell->dtype;
    if (cell->is_ceiling)
        return pool_print(pool, ", %.14s%s", of, cell->roof_serial ? ", serial" : "");
    return pool_print(pool, "%s%.14s%s%s", figures->destination ? " to " : "",
                      figures->destination ? figures->destination->id : "", cell->is_cold ? ", cold" : "",
                      figures->settled == 0 ? ", unsettled" : "");
}

/* "onednn, cold", "peer to cuda:1" */
static const char *method_of(struct pool *pool, const struct figures *figures)
{
    const char *end = method_end(pool, figures), *method = figures->cell->method;
    const unsigned most = WORD_MOST - (unsigned)strlen(end);
    return pool_print(pool, "%s%s", shortened(pool, *method ? method : "-", most), end);
}

/* "12.4 s (compile)" */
static const char *first_time(struct pool *pool, const struct figures *figures)
{
    const char *time = pool_seconds(pool, figures->costs.first), *mostly = figures->costs.first_mostly;
    return mostly ? pool_print(pool, "%s (%s)", time, mostly) : time;
}

static const char *field_of(struct pool *pool, const struct cell_column *column, const struct column_source *source)
{
    const struct figures *figures = source->from[OF_FIGURES];
    const struct column_value value = column_value(column, source);
    switch (column->form) {
    case FORM_METHOD:
        return method_of(pool, figures);
    case FORM_SPEEDUP:
        return speedup_of(pool, figures, column->offset);
    case FORM_FIGURE:
        return pool_figure(pool, column->scale * value.number);
    case FORM_TIME:
        return pool_seconds(pool, value.number);
    case FORM_FIRST:
        return first_time(pool, figures);
    default:
        return shortened(pool, value.text && *value.text ? value.text : "-", WORD_MOST);
    }
}

static void put_row(struct row *row, const struct cell_columns *columns, const struct figures *figures,
                    const char *letter, const struct notes *common, struct footnotes *footnotes)
{
    struct column_source source;
    column_source_read(&source, NULL, figures);
    source.run = letter;
    for (unsigned i = 0; i < columns->count; i++)
        if (columns->column[i].shown.group == GROUP_NAME || figures->measured)
            row->field[i] = field_of(footnotes->pool, &columns->column[i], &source);
        else if (!row->span) {
            row->span = row_outcome(footnotes->pool, figures->cell);
            row->span_at = i;
        }
    put_notes(footnotes, common, row, figures);
}

struct table *rows_open(struct pool *pool, const struct cell_columns *columns, unsigned cells)
{
    struct column *column = pool_take(pool, (columns->count + 1) * sizeof *column);
    for (unsigned i = 0; column && i < columns->count; i++)
        column[i] = columns->column[i].shown;
    return column ? table_open(pool, column, columns->count, cells) : NULL;
}

void rows_fill(struct table *table, const struct cell_columns *columns, unsigned at, const struct figures figures[],
               unsigned count, const char *letter, const struct notes *common, struct footnotes *footnotes)
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
        if (has_note(&notes, kept->note[i].text))
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
