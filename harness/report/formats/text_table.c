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

/* A column that is shown: the widths before the decimal point, of figures, and of all fields. */
struct shown {
    const struct column *column;
    unsigned at; /* in the table */
    unsigned before, figures, width;
};

struct text_table {
    const struct table *table;
    const struct text_style *style;
    struct shown *shown;
    unsigned count, names; /* the first `names` of them name a row */
    unsigned gap;          /* blanks between columns */
    FILE *out;
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

static void measure_field(struct shown *shown, const char *field)
{
    unsigned width = text_width(field);
    const enum align align = shown->column->align;
    if ((align == ALIGN_NUMBER || align == ALIGN_RATIO) && is_figure(field)) {
        const unsigned before = width_before(field), after = shown->figures - shown->before;
        width = wider(shown->before, before) + wider(after, width - before);
        shown->before = wider(shown->before, before);
        shown->figures = width;
    }
    shown->width = wider(shown->width, width);
}

/* Of some shown columns with the gaps between them. */
static unsigned width_between(const struct text_table *of, unsigned from, unsigned to)
{
    unsigned width = 0;
    for (unsigned i = from; i < to; i++)
        width += of->shown[i].width + (i > from ? of->gap : 0);
    return width;
}

/* Widens columns to their titles; one is over the columns after it, too, that have none. */
static void measure_titles(struct text_table *of)
{
    for (unsigned i = 0, end; i < of->count; i = end) {
        const unsigned title = text_width(of->shown[i].column->title);
        for (end = i + 1; end < of->count && !*of->shown[end].column->title; end++)
            ;
        const unsigned width = width_between(of, i, end);
        of->shown[end - 1].width += title > width ? title - width : 0;
    }
}

static void measure(struct text_table *of)
{
    for (const struct column *column = of->table->column; of->count < of->table->columns; column++) {
        struct shown *shown = &of->shown[of->count];
        *shown = (struct shown){ .column = column, .at = of->count++ };
        of->names += column->group == GROUP_NAME;
        measure_field(shown, column->below);
        for (const struct row *row = of->table->row; row < of->table->row + of->table->rows; row++)
            if (!row->span || shown->at < row->span_at)
                measure_field(shown, row->field[shown->at]);
    }
    measure_titles(of);
}

/* Below its width a brief table has no methods, then no intervals, then no rates. One that is not cut may have narrower
 * gaps. */
static void choose_columns(struct text_table *of)
{
    static const enum column_group order[] = { GROUP_COST, GROUP_PEAK, GROUP_RATE };
    const bool is_brief = of->style->is_brief;
    const unsigned width = of->style->width > 0 ? of->style->width : UINT_MAX / 2;
    for (unsigned i = 0; is_brief && i < sizeof order / sizeof *order; i++) {
        const unsigned count = of->count;
        if (width_between(of, 0, count) <= width + count - 1)
            continue;
        of->count = 0;
        for (unsigned k = 0; k < count; k++)
            if (of->shown[k].column->group != order[i])
                of->shown[of->count++] = of->shown[k];
        measure_titles(of);
    }
    if ((is_brief || of->table->is_grouped) && width_between(of, 0, of->count) > width)
        of->gap = 1;
}

/* The blanks before a field. */
static unsigned lead_of(const struct shown *shown, const char *field)
{
    const enum align align = shown->column->align;
    if ((align == ALIGN_NUMBER || align == ALIGN_RATIO) && is_figure(field))
        return (align == ALIGN_NUMBER ? shown->width - shown->figures : 0) + shown->before - width_before(field);
    return align == ALIGN_NUMBER || align == ALIGN_RIGHT ? shown->width - text_width(field) : 0;
}

/* A line of it; blanks are written only when something follows them. */
struct line {
    const struct text_table *of;
    unsigned column, owed; /* the columns written, and those with pending blanks */
};

static void put(struct line *line, const struct shown *shown, const char *field, unsigned lead)
{
    if (*field) {
        const unsigned verdict = name_find(field, verdict_words, VERDICT_COUNT);
        const char *paint = line->of->style->is_colored && verdict < VERDICT_COUNT ? paints[verdict] : "";
        fprintf(line->of->out, "%*s%s%s%s", (int)(line->owed - line->column + lead), "", paint, field,
                *paint ? paint_end : "");
        line->column = line->owed + lead + text_width(field);
    }
    line->owed += shown->width + line->of->gap;
}

/* Columns side by side: those that name the rows, others, and in the first part the numbers of notes. */
struct part {
    unsigned from, end;
    bool is_first;
};

static bool is_notes(const struct text_table *of, unsigned shown)
{
    return of->shown[shown].column->align == ALIGN_NOTES;
}

static bool has_column(const struct text_table *of, const struct part *part, unsigned shown)
{
    return shown < of->names || (shown >= part->from && shown < part->end) || (part->is_first && is_notes(of, shown));
}

/* The end of the columns that are cut. */
static unsigned end_of(const struct text_table *of)
{
    return of->count - (of->count > 0 && is_notes(of, of->count - 1));
}

/* Takes the columns after those of a part that have room beside the names, at least one. */
static void take_columns(struct part *part, const struct text_table *of)
{
    const bool is_cut = !of->style->is_brief && !of->table->is_grouped && of->style->width > 0;
    const unsigned width = is_cut ? of->style->width : UINT_MAX / 2, end = end_of(of);
    const unsigned notes = part->is_first ? width_between(of, end, of->count) + of->gap : 0;
    const unsigned beside = width_between(of, 0, of->names) + of->gap + notes;
    part->from = part->end;
    part->end += !part->is_first;
    while (part->end < end && beside + width_between(of, part->from, part->end + 1) <= width)
        part->end++;
}

static void print_titles(const struct text_table *of, const struct part *part)
{
    for (unsigned is_below = 0; is_below < 2; is_below++) {
        struct line line = { .of = of };
        for (unsigned i = 0; i < of->count; i++) {
            const struct shown *shown = &of->shown[i];
            const struct column *column = shown->column, *next = column + 1;
            const char *title = is_below ? column->below : column->title;
            const bool is_over_others = shown->at + 1 < of->table->columns && !*next->title && !*next->below;
            if (has_column(of, part, i))
                put(&line, shown, title, *title && !is_over_others ? lead_of(shown, title) : 0);
        }
        if (line.column > 0)
            fputc('\n', of->out);
    }
}

/* An outcome is wrapped below its start. */
static void print_row(const struct text_table *of, const struct part *part, const struct row *row)
{
    struct line line = { .of = of };
    for (unsigned i = 0; i < of->count && !(row->span && of->shown[i].at >= row->span_at); i++) {
        const char *field = row->field[of->shown[i].at];
        if (has_column(of, part, i))
            put(&line, &of->shown[i], field, *field ? lead_of(&of->shown[i], field) : 0);
    }
    if (!row->span) {
        fputc('\n', of->out);
        return;
    }
    const unsigned width = of->style->width, least = line.owed + NARROWEST_SPAN;
    fprintf(of->out, "%*s", (int)(line.owed - line.column), "");
    prose_flow(line.owed, line.owed, row->span, width > 0 && width < least ? least : width, of->out);
}

void text_table_print(const struct table *table, const struct text_style *style, struct pool *pool, FILE *out)
{
    struct text_table of = { .table = table, .style = style, .gap = 2, .out = out };
    of.shown = pool_take(pool, (table->columns + 1) * sizeof *of.shown);
    if (!of.shown)
        return;
    measure(&of);
    choose_columns(&of);
    for (struct part part = { .end = of.names, .is_first = true }; part.is_first || part.end < end_of(&of);
         part.is_first = false) {
        take_columns(&part, &of);
        fputs(part.is_first ? "" : "\n", out);
        print_titles(&of, &part);
        for (const struct row *row = table->row; row < table->row + table->rows; row++)
            if (part.is_first || !row->span)
                print_row(&of, &part, row);
    }
}
