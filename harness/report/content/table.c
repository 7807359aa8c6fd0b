#include "harness/report/content/table.h"

#include "harness/base/text.h"

#include <string.h>

struct table *table_open(struct pool *pool, const struct column column[], unsigned columns, unsigned rows)
{
    struct table *table = pool_take(pool, sizeof *table);
    const char **field = pool_take(pool, (size_t)rows * columns * sizeof *field);
    if (!table || !field)
        return NULL;
    *table = (struct table){ .column = pool_take(pool, columns * sizeof *column),
                             .columns = columns,
                             .row = pool_take(pool, rows * sizeof *table->row),
                             .rows = rows };
    if (!table->column || !table->row)
        return NULL;
    memcpy(table->column, column, columns * sizeof *column);
    for (unsigned i = 0; i < rows * columns; i++)
        field[i] = "";
    for (unsigned i = 0; i < rows; i++)
        table->row[i] = (struct row){ .field = field + (size_t)i * columns, .notes = "" };
    return table;
}

static bool is_used(const struct table *table, unsigned column)
{
    for (unsigned i = 0; i < table->rows; i++) {
        const struct row *row = &table->row[i];
        if ((!row->span || column < row->span_at) && *row->field[column] && strcmp(row->field[column], "-") != 0)
            return true;
    }
    return false;
}

static void drop(struct table *table, unsigned column)
{
    unsigned after = table->columns - column - 1;
    memmove(&table->column[column], &table->column[column + 1], after * sizeof *table->column);
    for (unsigned i = 0; i < table->rows; i++) {
        struct row *row = &table->row[i];
        memmove(&row->field[column], &row->field[column + 1], after * sizeof *row->field);
        row->span_at -= row->span_at > column;
    }
    table->columns--;
}

static bool begins_span(const struct table *table, unsigned column)
{
    for (unsigned i = 0; i < table->rows; i++)
        if (table->row[i].span && table->row[i].span_at == column)
            return true;
    return false;
}

/* Where no row has figures the last column stays, without a title, for the outcomes. */
void table_drop_empty(struct table *table)
{
    for (unsigned i = table->columns; i-- > 0;) {
        if (is_used(table, i))
            continue;
        if (i + 1 == table->columns && begins_span(table, i))
            table->column[i] = (struct column){ "", "", ALIGN_LEFT, GROUP_SPEEDUP, "" };
        else
            drop(table, i);
    }
}

bool table_has_notes(const struct table *table, bool of_outcomes)
{
    for (unsigned i = 0; i < table->rows; i++)
        if (*table->row[i].notes && (of_outcomes || !table->row[i].span))
            return true;
    return false;
}

const char *speedup_field(struct pool *pool, const struct estimate *speedup)
{
    struct speedup_text text;
    speedup_write(&text, speedup);
    if (verdict_of(speedup) == VERDICT_NONE)
        return "-";
    return pool_print(pool, "%s %s", text.value, *text.interval ? text.interval : "(not judged)");
}

const char *shortened(struct pool *pool, const char *text, unsigned most)
{
    char *cut = strlen(text) > most ? pool_take(pool, most) : NULL;
    if (!cut)
        return pool_copy(pool, text);
    text_copy(cut, most - 1, text);
    return pool_print(pool, "%s..", cut);
}
