#include "harness/report/formats/text_table.h"

#include "harness/base/text.h"
#include "harness/report/formats/prose.h"

#include <string.h>

enum { NARROWEST_SPAN = 24 };

/* Colours of the words: green, cyan, red, yellow. */
static const char paint_end[] = "\033[0m", *const paints[VERDICT_COUNT] = {
    [VERDICT_NONE] = "",           [VERDICT_UNJUDGED] = "\033[33m", [VERDICT_UNCLEAR] = "\033[33m",
    [VERDICT_SLOWER] = "\033[31m", [VERDICT_EQUAL] = "\033[36m",    [VERDICT_FASTER] = "\033[32m",
};

/* A table and the widths of its columns: before and after the decimal point, and of text. The last column has the
 * numbers of notes. */
struct text_table {
    const struct table *table;
    const struct text_style *style;
    struct column column[TEXT_TABLE_COLUMNS];
    unsigned names, columns; /* columns that name a row; all of them */
    unsigned before[TEXT_TABLE_COLUMNS], after[TEXT_TABLE_COLUMNS], text[TEXT_TABLE_COLUMNS];
};

/* Columns side by side: names, those between two places, and in the first part the notes, so that they come in order.
 */
struct part {
    unsigned names, from, to;
    bool is_first;
};

static bool is_figure(const char *field)
{
    return (*field >= '0' && *field <= '9') || strcmp(field, "-") == 0;
}

/* Columns before the decimal point. */
static unsigned width_before(const char *figure)
{
    return *figure == '-' ? 1 : (unsigned)strspn(figure, "0123456789");
}

static unsigned wider(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static bool is_spanned(const struct row *row, unsigned column)
{
    return row->span && column >= row->span_at;
}

/* A field; for the column after the last the numbers of its notes, written to `room`. */
static const char *field_of(const struct text_table *text_table, const struct row *row, unsigned column,
                            char room[ROW_NOTES])
{
    if (is_spanned(row, column))
        return "";
    return column < text_table->table->columns ? row->field[column] : row_notes(room, row);
}

/* How many columns a title is over: its own, and those after it that have none. */
static unsigned spanned(const struct text_table *text_table, unsigned column)
{
    unsigned count = 1;
    while (*text_table->column[column].title && column + count < text_table->table->columns &&
           !*text_table->column[column + count].title && !*text_table->column[column + count].below)
        count++;
    return count;
}

static void measure_field(struct text_table *text_table, unsigned column, const char *field)
{
    unsigned width = text_width(field);
    enum align align = text_table->column[column].align;
    if ((align == ALIGN_NUMBER || align == ALIGN_RATIO) && is_figure(field)) {
        unsigned before = width_before(field);
        text_table->before[column] = wider(text_table->before[column], before);
        text_table->after[column] = wider(text_table->after[column], width - before);
    } else {
        text_table->text[column] = wider(text_table->text[column], width);
    }
}

static unsigned width_of(const struct text_table *text_table, unsigned column)
{
    return wider(text_table->before[column] + text_table->after[column], text_table->text[column]);
}

/* Of some columns with the gaps behind them. */
static unsigned width_between(const struct text_table *text_table, unsigned from, unsigned to)
{
    unsigned width = 0;
    for (unsigned i = from; i < to; i++)
        width += width_of(text_table, i) + text_table->style->gap;
    return width;
}

static void measure(struct text_table *out, const struct table *table, const struct text_style *style)
{
    char room[ROW_NOTES];
    *out = (struct text_table){ .table = table,
                                .style = style,
                                .columns = table->columns + table_has_notes(table, false) };
    if (table->columns > 0) /* memcpy takes no NULL, not even for nothing */
        memcpy(out->column, table->column, table->columns * sizeof *out->column);
    out->column[table->columns] = (struct column){ .title = "note", .below = "", .group = GROUP_COUNT, .term = "" };
    while (out->names < out->columns && out->column[out->names].group == GROUP_NAME)
        out->names++;
    for (unsigned column = 0; column < out->columns; column++) {
        if (spanned(out, column) == 1)
            measure_field(out, column, out->column[column].title);
        measure_field(out, column, out->column[column].below);
        for (unsigned i = 0; i < table->rows; i++)
            measure_field(out, column, field_of(out, &table->row[i], column, room));
    }
    for (unsigned column = 0; column < out->columns; column++) {
        const unsigned last = column + spanned(out, column) - 1, title = text_width(out->column[column].title);
        const unsigned width = width_between(out, column, last + 1) - style->gap;
        if (last > column && title > width)
            out->text[last] = width_of(out, last) + title - width;
    }
}

unsigned text_table_width(const struct table *table, const struct text_style *style)
{
    struct text_table text_table;
    measure(&text_table, table, style);
    return width_between(&text_table, 0, text_table.columns) - style->gap;
}

/* Chooses the columns from `from` on that fit beside the names: whole groups, or a part of one that is too wide by
 * itself. The first part may have names alone; others have at least one column, and fewer names where that needs it. */
static void choose_columns(const struct text_table *text_table, struct part *part)
{
    const struct text_style *style = text_table->style;
    const unsigned end = text_table->table->columns, limit = style->width + style->gap;
    const unsigned notes = part->is_first ? width_between(text_table, end, text_table->columns) : 0;
    part->names = text_table->names;
    part->to = style->width > 0 ? part->from : end;
    for (unsigned i = part->from; i < end && style->width > 0; i++) {
        const unsigned width = notes + width_between(text_table, part->from, i + 1);
        while (i == part->from && !part->is_first && part->names > 1 &&
               width_between(text_table, 0, part->names) + width > limit)
            part->names--;
        bool fits = width_between(text_table, 0, part->names) + width <= limit;
        bool is_whole = i + 1 == end || text_table->column[i + 1].group != text_table->column[i].group;
        bool is_only = text_table->column[i].group == text_table->column[part->from].group;
        if (!fits && (i > part->from || part->is_first))
            return;
        if (is_whole || is_only)
            part->to = i + 1;
    }
}

static bool shows(const struct text_table *text_table, const struct part *part, unsigned column)
{
    return column < part->names || (column >= part->from && column < part->to) ||
           (part->is_first && column >= text_table->table->columns);
}

static void blanks(unsigned count, FILE *out)
{
    for (; count > 0; count--)
        fputc(' ', out);
}

/* The blanks before a field. */
static unsigned lead_of(const struct text_table *text_table, unsigned column, const char *field)
{
    unsigned figures = text_table->before[column] + text_table->after[column], width = width_of(text_table, column);
    enum align align = text_table->column[column].align;
    if (align == ALIGN_LEFT)
        return 0;
    if (align == ALIGN_RIGHT || !is_figure(field))
        return align == ALIGN_RATIO ? 0 : width - text_width(field);
    unsigned slack = align == ALIGN_NUMBER ? width - figures : 0;
    return slack + text_table->before[column] - width_before(field);
}

/* Writes a line; blanks are written only when something follows them. */
struct line_writer {
    const struct text_table *text_table;
    unsigned column, owed; /* the columns written, and those with pending blanks */
    FILE *out;
};

static void put(struct line_writer *line, unsigned column, const char *field, unsigned lead)
{
    const unsigned width = width_of(line->text_table, column);
    if (*field) {
        const unsigned verdict = name_find(field, verdict_words, VERDICT_COUNT);
        const char *paint = line->text_table->style->is_colored && verdict < VERDICT_COUNT ? paints[verdict] : "";
        blanks(line->owed - line->column + lead, line->out);
        fprintf(line->out, "%s%s%s", paint, field, *paint ? paint_end : "");
        line->column = line->owed + lead + text_width(field);
    }
    line->owed += width + line->text_table->style->gap;
}

static void print_titles(const struct text_table *text_table, const struct part *part, FILE *out)
{
    for (unsigned i = 0; i < 2; i++) {
        struct line_writer line = { .text_table = text_table, .out = out };
        for (unsigned column = 0; column < text_table->columns; column++) {
            const char *title = i == 0 ? text_table->column[column].title : text_table->column[column].below;
            const bool is_left = spanned(text_table, column) > 1;
            if (shows(text_table, part, column))
                put(&line, column, title, *title && !is_left ? lead_of(text_table, column, title) : 0);
        }
        if (line.column > 0)
            fputc('\n', out);
    }
}

/* Wrapped below its start. */
static void print_span(const struct line_writer *line, const struct row *row, unsigned width)
{
    char notes[ROW_NOTES], text[1024];
    row_notes(notes, row);
    snprintf(text, sizeof text, "%s%s%s%s", row->span, *notes ? " [" : "", notes, *notes ? "]" : "");
    blanks(line->owed - line->column, line->out);
    if (width > 0 && width < line->owed + NARROWEST_SPAN)
        width = line->owed + NARROWEST_SPAN;
    prose_flow(line->owed, line->owed, text, width, line->out);
}

/* Whether the part has a figure of that row. Rows that are not fully named are known by their order: all are there. */
static bool has_figure(const struct text_table *text_table, const struct part *part, const struct row *row)
{
    char room[ROW_NOTES];
    bool has_one = part->is_first || part->names < text_table->names;
    for (unsigned i = part->from; i < part->to && !has_one; i++) {
        const char *field = field_of(text_table, row, i, room);
        has_one = *field && strcmp(field, "-") != 0;
    }
    return has_one;
}

static void print_row(const struct text_table *text_table, const struct part *part, const struct row *row, FILE *out)
{
    struct line_writer line = { .text_table = text_table, .out = out };
    char room[ROW_NOTES];
    for (unsigned column = 0; column < text_table->columns && !is_spanned(row, column); column++)
        if (shows(text_table, part, column)) {
            const char *field = field_of(text_table, row, column, room);
            put(&line, column, field, *field ? lead_of(text_table, column, field) : 0);
        }
    if (row->span && part->is_first)
        print_span(&line, row, text_table->style->width);
    else
        fputc('\n', out);
}

void text_table_print(const struct table *table, const struct text_style *style, FILE *out)
{
    struct text_table text_table;
    struct part part = { .is_first = true };
    measure(&text_table, table, style);
    for (part.from = text_table.names; part.is_first || part.from < table->columns; part.from = part.to) {
        choose_columns(&text_table, &part);
        fputs(part.is_first ? "" : "\n", out);
        print_titles(&text_table, &part, out);
        for (unsigned i = 0; i < table->rows; i++)
            if (has_figure(&text_table, &part, &table->row[i]))
                print_row(&text_table, &part, &table->row[i], out);
        part.is_first = false;
    }
}

void text_table_notes(const struct lines *notes, unsigned width, FILE *out)
{
    for (unsigned i = 0; i < notes->lines; i++) {
        char lead[TEXT_NUMBER];
        snprintf(lead, sizeof lead, "  %2u  ", i + 1);
        prose_fit(lead, notes->line[i].text, width, out);
    }
}
