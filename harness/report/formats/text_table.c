#include "harness/report/formats/text_table.h"

#include "harness/base/text.h"
#include "harness/report/formats/prose.h"

#include <jansson.h>
#include <string.h>

enum { GAP = 2, NARROWEST_SPAN = 24 };

/* Colours beside the symbols: green, cyan, red, yellow. */
static const char paint_end[] = "\033[0m", *const paints[VERDICT_COUNT] = {
    [VERDICT_NONE] = "",          [VERDICT_UNCLEAR] = "\033[33m", [VERDICT_SLOWER] = "\033[31m",
    [VERDICT_EQUAL] = "\033[36m", [VERDICT_FASTER] = "\033[32m",
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

const char *text_table_field(const struct text_table *text_table, const struct row *row, unsigned column,
                             char room[ROW_NOTES])
{
    if (is_spanned(row, column))
        return "";
    return column < text_table->table->columns ? row->field[column] : row_notes(room, row);
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

void text_table_measure(struct text_table *out, const struct table *table)
{
    char room[ROW_NOTES];
    *out = (struct text_table){ .table = table, .gap = GAP };
    for (unsigned i = 0; i < table->rows; i++)
        out->has_notes |= table->row[i].notes > 0 && !table->row[i].span;
    out->columns = table->columns + out->has_notes;
    if (table->columns > 0) /* memcpy takes no NULL, not even for nothing */
        memcpy(out->column, table->column, table->columns * sizeof *out->column);
    out->column[table->columns] = (struct column){ .title = "note", .below = "", .group = GROUP_COUNT, .term = "" };
    for (unsigned column = 0; column < out->columns; column++) {
        measure_field(out, column, out->column[column].title);
        measure_field(out, column, out->column[column].below);
        for (unsigned i = 0; i < table->rows; i++)
            measure_field(out, column, text_table_field(out, &table->row[i], column, room));
    }
}

static unsigned width_of(const struct text_table *text_table, unsigned column)
{
    return wider(text_table->before[column] + text_table->after[column], text_table->text[column]);
}

/* The width of a part on a line. */
static unsigned part_width(const struct text_table *text_table, const struct text_table_part *part)
{
    unsigned width = 0, shown = 0;
    for (unsigned i = 0; i < text_table->columns; i++)
        if (part->shows[i])
            width += width_of(text_table, i) + (shown++ > 0 ? text_table->gap : 0);
    return width;
}

unsigned text_table_width(const struct text_table *text_table)
{
    unsigned width = 0;
    for (unsigned i = 0; i < text_table->columns; i++)
        width += width_of(text_table, i) + (i > 0 ? text_table->gap : 0);
    return width;
}

/* Whether the shown columns identify each row. */
static bool is_unique(const struct text_table *text_table, const struct text_table_part *part)
{
    json_t *seen = json_object();
    bool unique = seen != NULL;
    for (unsigned i = 0; i < text_table->table->rows && unique; i++) {
        char key[256], room[ROW_NOTES];
        size_t used = 0;
        for (unsigned k = 0; k < text_table->columns; k++)
            if (part->shows[k] && used < sizeof key)
                used += (size_t)snprintf(key + used, sizeof key - used, "%s\n",
                                         text_table_field(text_table, &text_table->table->row[i], k, room));
        text_clean(key, sizeof key, key); /* may have been cut within a character */
        unique = !json_object_get(seen, key) && json_object_set_new(seen, key, json_true()) == 0;
    }
    json_decref(seen);
    return unique;
}

/* All names, or those that are needed to identify a row. */
static struct text_table_part names_only(const struct text_table *text_table, bool are_all)
{
    struct text_table_part part = { .is_first = are_all };
    for (unsigned i = 0; i < text_table->columns; i++)
        part.shows[i] = text_table->column[i].group == GROUP_NAME;
    for (unsigned i = text_table->columns; i-- > 1 && !are_all;) {
        bool is_name = part.shows[i];
        part.shows[i] = false;
        part.shows[i] = is_name && !is_unique(text_table, &part);
    }
    return part;
}

static bool fits(const struct text_table *text_table, struct text_table_part part, unsigned from, unsigned to,
                 unsigned width)
{
    for (unsigned i = from; i < to; i++)
        part.shows[i] = true;
    return part_width(text_table, &part) <= width;
}

/* The first column after the group of a column. */
static unsigned group_end(const struct text_table *text_table, unsigned column)
{
    unsigned end = column + 1;
    while (end < text_table->columns && text_table->column[end].group == text_table->column[column].group)
        end++;
    return end;
}

/* Shows the columns that fit, between `from` and `end`: whole groups, or part of the first one if it is too wide, at
 * least one column. Returns the next column to show. */
static unsigned fill(const struct text_table *text_table, struct text_table_part *part, unsigned from, unsigned end,
                     unsigned width)
{
    unsigned to = from;
    while (to < end && fits(text_table, *part, from, group_end(text_table, to), width))
        to = group_end(text_table, to);
    if (to == from)
        for (to = from + 1; to < group_end(text_table, from) && fits(text_table, *part, from, to + 1, width);)
            to++;
    for (unsigned i = from; i < to; i++)
        part->shows[i] = true;
    return to;
}

unsigned text_table_cut(const struct text_table *text_table, unsigned width,
                        struct text_table_part out[TEXT_TABLE_COLUMNS])
{
    unsigned parts = 1, at = 0;
    while (at < text_table->columns && text_table->column[at].group == GROUP_NAME)
        at++;
    out[0] = names_only(text_table, true);
    if (width == 0) {
        for (unsigned i = 0; i < text_table->columns; i++)
            out[0].shows[i] = true;
        return 1;
    }
    const unsigned end =
        text_table->table->columns; /* the notes are always in the first part, so that they come in order */
    out[0].shows[end] = text_table->has_notes;
    bool has_room = at < end && fits(text_table, out[0], at, at + 1, width);
    if (has_room)
        at = fill(text_table, &out[0], at, end, width);
    const struct text_table_part names = at < end ? names_only(text_table, false) : out[0];
    if (!has_room && at < end && part_width(text_table, &names) >= part_width(text_table, &out[0]))
        at = fill(text_table, &out[0], at, end, width); /* a part of its own would have no more room */
    while (at < end) {
        out[parts] = names;
        at = fill(text_table, &out[parts++], at, end, width);
    }
    return parts;
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
    const char *paint;     /* of speed-ups; "" none */
    FILE *out;
};

static void put(struct line_writer *line, unsigned column, const char *field)
{
    unsigned width = width_of(line->text_table, column), lead = *field ? lead_of(line->text_table, column, field) : 0;
    if (*field) {
        blanks(line->owed - line->column + lead, line->out);
        bool is_painted = *line->paint && line->text_table->column[column].group == GROUP_SPEEDUP;
        fprintf(line->out, "%s%s%s", is_painted ? line->paint : "", field, is_painted ? paint_end : "");
        line->column = line->owed + lead + text_width(field);
    }
    line->owed += width + line->text_table->gap;
}

static void print_titles(const struct text_table *text_table, const struct text_table_part *part, FILE *out)
{
    for (unsigned i = 0; i < 2; i++) {
        struct line_writer line = { .text_table = text_table, .paint = "", .out = out };
        for (unsigned column = 0; column < text_table->columns; column++)
            if (part->shows[column])
                put(&line, column, i == 0 ? text_table->column[column].title : text_table->column[column].below);
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
    prose_below(line->owed, text, width, line->out);
}

bool text_table_row_shows(const struct text_table *text_table, const struct text_table_part *part,
                          const struct row *row)
{
    char room[ROW_NOTES];
    bool shows = part->is_first;
    for (unsigned i = 0; i < text_table->columns && !shows; i++)
        shows = part->shows[i] && text_table->column[i].group != GROUP_NAME &&
                *text_table_field(text_table, row, i, room) &&
                strcmp(text_table_field(text_table, row, i, room), "-") != 0;
    return shows;
}

static void print_row(const struct text_table *text_table, const struct text_table_part *part, const struct row *row,
                      unsigned width, FILE *out)
{
    struct line_writer line = { .text_table = text_table,
                                .paint = text_table->is_colored ? paints[row->tone] : "",
                                .out = out };
    char room[ROW_NOTES];
    for (unsigned column = 0; column < text_table->columns && !is_spanned(row, column); column++)
        if (part->shows[column])
            put(&line, column, text_table_field(text_table, row, column, room));
    if (row->span && part->is_first)
        print_span(&line, row, width);
    else
        fputc('\n', out);
}

void text_table_print(const struct text_table *text_table, const struct text_table_part *part, unsigned width,
                      FILE *out)
{
    print_titles(text_table, part, out);
    for (unsigned i = 0; i < text_table->table->rows; i++)
        if (text_table_row_shows(text_table, part, &text_table->table->row[i]))
            print_row(text_table, part, &text_table->table->row[i], width, out);
}

void text_table_notes(const struct lines *notes, unsigned width, FILE *out)
{
    for (unsigned i = 0; i < notes->lines; i++) {
        char lead[TEXT_NUMBER];
        snprintf(lead, sizeof lead, "  %2u  ", i + 1);
        prose_fit(lead, notes->line[i].text, width, out);
    }
}
