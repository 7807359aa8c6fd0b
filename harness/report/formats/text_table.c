#include "harness/report/formats/text_table.h"

#include "harness/base/text.h"
#include "harness/report/formats/prose.h"

#include <limits.h>
#include <string.h>

enum { NARROWEST_SPAN = 24 };

/* Colours of the words: green, cyan, red, yellow. */
static const char paint_end[] = "\033[0m", *const paints[VERDICT_COUNT] = {
    [VERDICT_NONE] = "",           [VERDICT_UNJUDGED] = "\033[33m", [VERDICT_UNCLEAR] = "\033[33m",
    [VERDICT_SLOWER] = "\033[31m", [VERDICT_EQUAL] = "\033[36m",    [VERDICT_FASTER] = "\033[32m",
};

/* A table, of each column the widths before the decimal point, of figures, and of all fields, and the columns that are
 * shown. One column more may have the numbers of notes. */
struct text_table {
    const struct table *table;
    const struct text_style *style;
    struct column column[TEXT_TABLE_COLUMNS];
    unsigned before[TEXT_TABLE_COLUMNS], figures[TEXT_TABLE_COLUMNS], width[TEXT_TABLE_COLUMNS];
    unsigned shown[TEXT_TABLE_COLUMNS], count, names; /* the first `names` of them name a row */
    unsigned gap;                                     /* blanks between columns */
    bool has_notes;                                   /* in the last of them */
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

/* A field, "" below an outcome; of the column after the last the numbers of notes. */
static const char *field_of(const struct table *table, const struct row *row, unsigned column)
{
    if (row->span && column >= row->span_at)
        return "";
    return column < table->columns ? row->field[column] : row->notes;
}

static void measure_field(struct text_table *text_table, unsigned column, const char *field)
{
    unsigned width = text_width(field);
    const enum align align = text_table->column[column].align;
    if ((align == ALIGN_NUMBER || align == ALIGN_RATIO) && is_figure(field)) {
        const unsigned before = wider(text_table->before[column], width_before(field)),
                       after =
                           wider(text_table->figures[column] - text_table->before[column], width - width_before(field));
        text_table->before[column] = before;
        text_table->figures[column] = width = before + after;
    }
    text_table->width[column] = wider(text_table->width[column], width);
}

/* Of some shown columns with the gaps between them. */
static unsigned width_between(const struct text_table *text_table, unsigned from, unsigned to)
{
    unsigned width = 0;
    for (unsigned i = from; i < to; i++)
        width += text_table->width[text_table->shown[i]] + (i > from ? text_table->gap : 0);
    return width;
}

/* Widens columns to their titles; one is over the columns after it, too, that have none. */
static void measure_titles(struct text_table *text_table)
{
    for (unsigned i = 0, end; i < text_table->count; i = end) {
        const unsigned title = text_width(text_table->column[text_table->shown[i]].title);
        for (end = i + 1; end < text_table->count && !*text_table->column[text_table->shown[end]].title; end++)
            ;
        const unsigned width = width_between(text_table, i, end);
        text_table->width[text_table->shown[end - 1]] += title > width ? title - width : 0;
    }
}

static void measure(struct text_table *out, const struct table *table, const struct text_style *style)
{
    *out = (struct text_table){ .table = table, .style = style, .gap = 2, .has_notes = table_has_notes(table, false) };
    if (table->columns > 0) /* memcpy takes no NULL, not even for nothing */
        memcpy(out->column, table->column, table->columns * sizeof *out->column);
    out->column[table->columns] = (struct column){ .title = "note", .below = "", .group = GROUP_COUNT, .term = "" };
    for (unsigned column = 0; column < table->columns + out->has_notes; column++) {
        out->shown[out->count++] = column;
        out->names += out->column[column].group == GROUP_NAME;
        measure_field(out, column, out->column[column].below);
        for (unsigned i = 0; i < table->rows; i++)
            measure_field(out, column, field_of(table, &table->row[i], column));
    }
    measure_titles(out);
}

/* Below its width a brief table has no methods, then no intervals, then no rates. One that is not cut may have narrower
 * gaps. */
static void choose_columns(struct text_table *text_table)
{
    static const enum column_group order[] = { GROUP_COST, GROUP_PEAK, GROUP_RATE };
    const bool is_brief = text_table->style->is_brief;
    const unsigned width = text_table->style->width > 0 ? text_table->style->width : UINT_MAX / 2;
    for (unsigned i = 0; is_brief && i < sizeof order / sizeof *order; i++) {
        const unsigned count = text_table->count;
        if (width_between(text_table, 0, count) <= width + count - 1)
            continue;
        text_table->count = 0;
        for (unsigned k = 0; k < count; k++)
            if (text_table->column[text_table->shown[k]].group != order[i])
                text_table->shown[text_table->count++] = text_table->shown[k];
        measure_titles(text_table);
    }
    if ((is_brief || text_table->table->is_grouped) && width_between(text_table, 0, text_table->count) > width)
        text_table->gap = 1;
}

static void blanks(unsigned count, FILE *out)
{
    fprintf(out, "%*s", (int)count, "");
}

/* The blanks before a field. */
static unsigned lead_of(const struct text_table *text_table, unsigned column, const char *field)
{
    const enum align align = text_table->column[column].align;
    const unsigned width = text_table->width[column];
    if (align == ALIGN_LEFT || (align == ALIGN_RATIO && !is_figure(field)))
        return 0;
    if (align == ALIGN_RIGHT || !is_figure(field))
        return width - text_width(field);
    return (align == ALIGN_NUMBER ? width - text_table->figures[column] : 0) + text_table->before[column] -
           width_before(field);
}

/* Writes a line; blanks are written only when something follows them. */
struct line_writer {
    const struct text_table *text_table;
    unsigned column, owed; /* the columns written, and those with pending blanks */
    FILE *out;
};

static void put(struct line_writer *line, unsigned column, const char *field, unsigned lead)
{
    const struct text_table *text_table = line->text_table;
    if (*field) {
        const unsigned verdict = name_find(field, verdict_words, VERDICT_COUNT);
        const char *paint = text_table->style->is_colored && verdict < VERDICT_COUNT ? paints[verdict] : "";
        blanks(line->owed - line->column + lead, line->out);
        fprintf(line->out, "%s%s%s", paint, field, *paint ? paint_end : "");
        line->column = line->owed + lead + text_width(field);
    }
    line->owed += text_table->width[column] + text_table->gap;
}

/* Columns side by side. */
struct part {
    unsigned column[TEXT_TABLE_COLUMNS], count;
    bool is_first;
};

/* Takes the columns from `from` on that have room beside the names, at least one, and fewer names where that needs it;
 * the first part has the numbers of notes, too. Returns the end of them. */
static unsigned take_columns(struct part *part, const struct text_table *text_table, unsigned from)
{
    const bool is_cut = !text_table->style->is_brief && !text_table->table->is_grouped && text_table->style->width > 0;
    const unsigned width = is_cut ? text_table->style->width : UINT_MAX, gap = text_table->gap;
    const unsigned last = text_table->count - text_table->has_notes; /* the end of all but the notes */
    const unsigned notes = part->is_first ? width_between(text_table, last, text_table->count) + gap : 0;
    unsigned end = from + (from < last && !part->is_first), names = text_table->names;
    while (names > 1 && width_between(text_table, 0, names) + 2 * gap + width_between(text_table, from, end) > width)
        names--;
    while (end < last &&
           width_between(text_table, 0, names) + gap + width_between(text_table, from, end + 1) + notes <= width)
        end++;
    part->count = 0;
    for (unsigned i = 0; i < text_table->count; i++)
        if (i < names || (i >= from && i < end) || (i >= last && part->is_first))
            part->column[part->count++] = text_table->shown[i];
    return end;
}

static void print_titles(const struct text_table *text_table, const struct part *part, FILE *out)
{
    for (unsigned i = 0; i < 2; i++) {
        struct line_writer line = { .text_table = text_table, .out = out };
        for (unsigned k = 0; k < part->count; k++) {
            const unsigned column = part->column[k];
            const struct column *of = &text_table->column[column];
            const char *title = i == 0 ? of->title : of->below;
            const bool is_over_others = column + 1 < text_table->table->columns && !*of[1].title && !*of[1].below;
            put(&line, column, title, *title && !is_over_others ? lead_of(text_table, column, title) : 0);
        }
        if (line.column > 0)
            fputc('\n', out);
    }
}

/* Wrapped below its start. */
static void print_span(const struct line_writer *line, const struct row *row, unsigned width)
{
    struct pool pool = { 0 };
    const char *text = *row->notes ? pool_print(&pool, "%s [%s]", row->span, row->notes) : row->span;
    blanks(line->owed - line->column, line->out);
    if (width > 0 && width < line->owed + NARROWEST_SPAN)
        width = line->owed + NARROWEST_SPAN;
    prose_flow(line->owed, line->owed, text, width, line->out);
    pool_release(&pool);
}

static void print_row(const struct text_table *text_table, const struct part *part, const struct row *row, FILE *out)
{
    struct line_writer line = { .text_table = text_table, .out = out };
    for (unsigned i = 0; i < part->count && !(row->span && part->column[i] >= row->span_at); i++) {
        const char *field = field_of(text_table->table, row, part->column[i]);
        put(&line, part->column[i], field, *field ? lead_of(text_table, part->column[i], field) : 0);
    }
    if (row->span)
        print_span(&line, row, text_table->style->width);
    else
        fputc('\n', out);
}

void text_table_print(const struct table *table, const struct text_style *style, FILE *out)
{
    struct text_table text_table;
    struct part part = { .is_first = true };
    struct table bounded = *table;
    if (bounded.columns >= TEXT_TABLE_COLUMNS)
        bounded.columns = TEXT_TABLE_COLUMNS - 1;
    table = &bounded;
    measure(&text_table, table, style);
    choose_columns(&text_table);
    for (unsigned from = text_table.names; part.is_first || from < text_table.count - text_table.has_notes;
         part.is_first = false) {
        from = take_columns(&part, &text_table, from);
        fputs(part.is_first ? "" : "\n", out);
        print_titles(&text_table, &part, out);
        for (unsigned i = 0; i < table->rows; i++)
            if (part.is_first || !table->row[i].span)
                print_row(&text_table, &part, &table->row[i], out);
    }
}
