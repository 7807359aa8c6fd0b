#include "harness/report/content/builder.h"

#include "harness/base/text.h"

#include <math.h>
#include <string.h>

struct line *lines_add(struct pool *pool, struct lines *lines, const char *label, const char *text)
{
    lines->line = pool_grow(pool, lines->line, lines->lines, &lines->room, sizeof *lines->line);
    if (lines->lines == lines->room)
        return NULL;
    struct line *line = &lines->line[lines->lines++];
    *line = (struct line){ .label = pool_copy(pool, label), .letter = "", .text = pool_copy(pool, text) };
    return line;
}

void lines_set_letter(struct lines *lines, unsigned first, const char *letter)
{
    for (unsigned i = first; i < lines->lines; i++)
        lines->line[i].letter = letter;
}

/* "multiply-f32-n-40-000-000-3": the number makes equal titles unique. */
static const char *anchor_of(struct pool *pool, const char *title, unsigned number)
{
    char slug[49];
    text_slug(slug, sizeof slug, pool_print(pool, "%.*s", (int)strcspn(title, "("), title));
    return pool_print(pool, "%s%s%u", slug, *slug ? "-" : "", number);
}

struct section *section_add(struct document *document, const char *title)
{
    struct pool *pool = &document->pool;
    document->section =
        pool_grow(pool, document->section, document->sections, &document->section_room, sizeof *document->section);
    if (document->sections == document->section_room)
        return NULL;
    struct section *section = &document->section[document->sections++];
    *section = (struct section){ .title = title, .anchor = anchor_of(pool, title, document->sections) };
    return section;
}

void table_open(struct pool *pool, struct table *table, const struct column column[], unsigned columns, unsigned rows)
{
    *table = (struct table){ .column = pool_take(pool, columns * sizeof *column),
                             .row = pool_take(pool, rows * sizeof *table->row) };
    const char **field = pool_take(pool, (size_t)rows * columns * sizeof *field);
    if (!table->column || !table->row || !field)
        return;
    memcpy(table->column, column, columns * sizeof *column);
    table->columns = columns;
    table->rows = rows;
    for (unsigned i = 0; i < rows; i++) {
        table->row[i].field = field + (size_t)i * columns;
        for (unsigned k = 0; k < columns; k++)
            table->row[i].field[k] = "";
    }
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

void document_release(struct document *document)
{
    for (unsigned i = 0; document->answers && i < document->runs; i++)
        answer_set_release(&document->answers[i]);
    pool_release(&document->pool);
    *document = (struct document){ .runs = 0 };
}

bool table_has_notes(const struct table *table, bool of_outcomes)
{
    for (unsigned i = 0; i < table->rows; i++)
        if (table->row[i].notes > 0 && (of_outcomes || !table->row[i].span))
            return true;
    return false;
}

const char *row_notes(char to[ROW_NOTES], const struct row *row)
{
    enum { REST = 8 }; /* room for a number and the dots */
    bool fits = true;
    *to = '\0';
    for (unsigned i = 0; i < row->notes && fits; i++) {
        fits = strlen(to) + REST < ROW_NOTES;
        if (fits)
            text_append(to, ROW_NOTES, "%s%u", i > 0 ? " " : "", row->note[i]);
        else
            text_append(to, ROW_NOTES, " ...");
    }
    return to;
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
