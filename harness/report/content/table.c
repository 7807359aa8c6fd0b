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
        table->row[i] = (struct row){ .field = field + (size_t)i * columns };
    return table;
}

/* Where no row has figures the last column stays, without a title, for the outcomes. */
void table_drop_empty(struct table *table)
{
    for (unsigned at = table->columns; at-- > 0;) {
        bool is_used = false, begins_span = false;
        for (const struct row *row = table->row; row < table->row + table->rows; row++) {
            const bool has_field = !row->span || at < row->span_at;
            is_used |= has_field && *row->field[at] && strcmp(row->field[at], "-") != 0;
            begins_span |= row->span && row->span_at == at;
        }
        const unsigned after = table->columns - at - 1;
        if (!is_used && begins_span && after == 0)
            table->column[at] = (struct column){ "", "", ALIGN_LEFT, GROUP_SPEEDUP, "" };
        if (is_used || (begins_span && after == 0))
            continue;
        memmove(&table->column[at], &table->column[at + 1], after * sizeof *table->column);
        for (struct row *row = table->row; row < table->row + table->rows; row++) {
            memmove(&row->field[at], &row->field[at + 1], after * sizeof *row->field);
            row->span_at -= row->span_at > at;
        }
        table->columns--;
    }
}

const char *speedup_field(struct pool *pool, const struct estimate *speedup)
{
    const char *interval = speedup_interval(pool, speedup);
    return verdict_of(speedup) == VERDICT_NONE
               ? "-"
               : pool_print(pool, "%s %s", speedup_value(pool, speedup), *interval ? interval : "(not judged)");
}

const char *shortened(struct pool *pool, const char *text, unsigned most)
{
    char *cut = strlen(text) > most ? pool_take(pool, most) : NULL;
    if (!cut)
        return pool_copy(pool, text);
    text_copy(cut, most - 1, text);
    return pool_print(pool, "%s..", cut);
}
