#include "harness/report/formats/text_table.h"

#include "harness/base/text.h"
#include "harness/report/formats/prose.h"

#include <jansson.h>
#include <string.h>

enum { GAP = 2, NARROWEST_SPAN = 24 };

static bool is_figure(const char *field)
{
    return (*field >= '0' && *field <= '9') || strcmp(field, "-") == 0;
}

/* Columns before a figure's point. */
static unsigned width_before(const char *figure)
{
    return *figure == '-' ? 1 : (unsigned)strspn(figure, "0123456789");
}

static unsigned wider(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static enum align align_of(const struct grid *grid, unsigned column)
{
    return column < grid->sheet->columns ? grid->sheet->column[column].align : ALIGN_LEFT;
}

static enum column_group group_of(const struct grid *grid, unsigned column)
{
    return column < grid->sheet->columns ? grid->sheet->column[column].group : GROUP_COUNT;
}

static const char *title_of(const struct grid *grid, unsigned column, unsigned line)
{
    if (column == grid->sheet->columns)
        return line == 0 ? "note" : "";
    return line == 0 ? grid->sheet->column[column].title : grid->sheet->column[column].below;
}

static bool is_spanned(const struct row *row, unsigned column)
{
    return row->span && column >= row->span_at;
}

const char *grid_field(const struct grid *grid, const struct row *row, unsigned column, char room[ROW_NOTES])
{
    if (is_spanned(row, column))
        return "";
    return column < grid->sheet->columns ? row->field[column] : row_notes(room, row);
}

static bool aligns_points(enum align align)
{
    return align == ALIGN_NUMBER || align == ALIGN_RATIO;
}

static void measure_field(struct grid *grid, unsigned column, const char *field)
{
    unsigned width = text_width(field);
    if (aligns_points(align_of(grid, column)) && is_figure(field)) {
        unsigned before = width_before(field);
        grid->before[column] = wider(grid->before[column], before);
        grid->after[column] = wider(grid->after[column], width - before);
    } else {
        grid->words[column] = wider(grid->words[column], width);
    }
}

void grid_measure(struct grid *out, const struct sheet *sheet)
{
    char room[ROW_NOTES];
    *out = (struct grid){ .sheet = sheet };
    for (unsigned i = 0; i < sheet->rows; i++)
        out->has_notes |= sheet->row[i].notes > 0 && !sheet->row[i].span;
    out->columns = sheet->columns + out->has_notes;
    for (unsigned column = 0; column < out->columns; column++) {
        measure_field(out, column, title_of(out, column, 0));
        measure_field(out, column, title_of(out, column, 1));
        for (unsigned i = 0; i < sheet->rows; i++)
            measure_field(out, column, grid_field(out, &sheet->row[i], column, room));
    }
}

static unsigned width_of(const struct grid *grid, unsigned column)
{
    return wider(grid->before[column] + grid->after[column], grid->words[column]);
}

/* The columns that a part takes on a line. */
static unsigned part_width(const struct grid *grid, const struct grid_part *part)
{
    unsigned width = 0, shown = 0;
    for (unsigned i = 0; i < grid->columns; i++)
        if (part->shows[i])
            width += width_of(grid, i) + (shown++ > 0 ? GAP : 0);
    return width;
}

/* Whether no two rows are the same in the columns that are shown. */
static bool tells_apart(const struct grid *grid, const struct grid_part *part)
{
    json_t *seen = json_object();
    bool unique = seen != NULL;
    for (unsigned i = 0; i < grid->sheet->rows && unique; i++) {
        char key[256], room[ROW_NOTES];
        size_t used = 0;
        for (unsigned k = 0; k < grid->columns; k++)
            if (part->shows[k] && used < sizeof key)
                used += (size_t)snprintf(key + used, sizeof key - used, "%s\n",
                                         grid_field(grid, &grid->sheet->row[i], k, room));
        text_clean(key, sizeof key, key); /* may have been cut within a character */
        unique = !json_object_get(seen, key) && json_object_set_new(seen, key, json_true()) == 0;
    }
    json_decref(seen);
    return unique;
}

/* All of them, or those that it takes to know a row again. */
static struct grid_part names_only(const struct grid *grid, bool are_all)
{
    struct grid_part part = { .is_first = are_all };
    for (unsigned i = 0; i < grid->columns; i++)
        part.shows[i] = group_of(grid, i) == GROUP_NAME;
    for (unsigned i = grid->columns; i-- > 1 && !are_all;) {
        bool is_name = part.shows[i];
        part.shows[i] = false;
        part.shows[i] = is_name && !tells_apart(grid, &part);
    }
    return part;
}

static bool fits(const struct grid *grid, struct grid_part part, unsigned from, unsigned to, unsigned width)
{
    for (unsigned i = from; i < to; i++)
        part.shows[i] = true;
    return part_width(grid, &part) <= width;
}

/* The column behind the last of the group that a column is in. */
static unsigned group_end(const struct grid *grid, unsigned column)
{
    unsigned end = column + 1;
    while (end < grid->columns && group_of(grid, end) == group_of(grid, column))
        end++;
    return end;
}

/* Shows the columns that fit, from `from` on and before `end`: whole groups, or, where the first of them is too wide by
 * itself, as much of it as there is room for, and one column at least. Returns the first that is left. */
static unsigned fill(const struct grid *grid, struct grid_part *part, unsigned from, unsigned end, unsigned width)
{
    unsigned to = from;
    while (to < end && fits(grid, *part, from, group_end(grid, to), width))
        to = group_end(grid, to);
    if (to == from)
        for (to = from + 1; to < group_end(grid, from) && fits(grid, *part, from, to + 1, width);)
            to++;
    for (unsigned i = from; i < to; i++)
        part->shows[i] = true;
    return to;
}

unsigned grid_cut(const struct grid *grid, unsigned width, struct grid_part out[GRID_COLUMNS])
{
    unsigned parts = 1, at = 0;
    while (at < grid->columns && group_of(grid, at) == GROUP_NAME)
        at++;
    out[0] = names_only(grid, true);
    if (width == 0) {
        for (unsigned i = 0; i < grid->columns; i++)
            out[0].shows[i] = true;
        return 1;
    }
    const unsigned end = grid->sheet->columns; /* the notes are always in the first part: there they are looked for,
                                                * and met in their order */
    out[0].shows[end] = grid->has_notes;
    bool has_room = at < end && fits(grid, out[0], at, at + 1, width);
    if (has_room)
        at = fill(grid, &out[0], at, end, width);
    const struct grid_part names = at < end ? names_only(grid, false) : out[0];
    if (!has_room && at < end && part_width(grid, &names) >= part_width(grid, &out[0]))
        at = fill(grid, &out[0], at, end, width); /* it would have no more room in a part of its own */
    while (at < end) {
        out[parts] = names;
        at = fill(grid, &out[parts++], at, end, width);
    }
    return parts;
}

static void blanks(unsigned count, FILE *out)
{
    for (; count > 0; count--)
        fputc(' ', out);
}

/* Blanks that go before a field. */
static unsigned lead_of(const struct grid *grid, unsigned column, const char *field)
{
    unsigned figures = grid->before[column] + grid->after[column], width = width_of(grid, column);
    enum align align = align_of(grid, column);
    if (align == ALIGN_LEFT)
        return 0;
    if (align == ALIGN_RIGHT || !is_figure(field))
        return align == ALIGN_RATIO ? 0 : width - text_width(field);
    unsigned slack = align == ALIGN_NUMBER ? width - figures : 0;
    return slack + grid->before[column] - width_before(field);
}

/* A line in the making: blanks are owed, and written only once something follows. */
struct making {
    const struct grid *grid;
    unsigned column, owed; /* where the line has come to without and with what is owed, from 0 */
    FILE *out;
};

static void put(struct making *line, unsigned column, const char *field)
{
    unsigned width = width_of(line->grid, column), lead = *field ? lead_of(line->grid, column, field) : 0;
    if (*field) {
        blanks(line->owed - line->column + lead, line->out);
        fputs(field, line->out);
        line->column = line->owed + lead + text_width(field);
    }
    line->owed += width + GAP;
}

static void print_titles(const struct grid *grid, const struct grid_part *part, FILE *out)
{
    for (unsigned i = 0; i < 2; i++) {
        struct making line = { .grid = grid, .out = out };
        for (unsigned column = 0; column < grid->columns; column++)
            if (part->shows[column])
                put(&line, column, title_of(grid, column, i));
        if (line.column > 0)
            fputc('\n', out);
    }
}

/* In as many lines as it takes, one below the other. */
static void print_span(const struct making *line, const struct row *row, unsigned width)
{
    char notes[ROW_NOTES], text[1024];
    row_notes(notes, row);
    snprintf(text, sizeof text, "%s%s%s%s", row->span, *notes ? " [" : "", notes, *notes ? "]" : "");
    blanks(line->owed - line->column, line->out);
    if (width > 0 && width < line->owed + NARROWEST_SPAN)
        width = line->owed + NARROWEST_SPAN;
    prose_below(line->owed, text, width, line->out);
}

bool grid_row_shows(const struct grid *grid, const struct grid_part *part, const struct row *row)
{
    char room[ROW_NOTES];
    bool shows = part->is_first;
    for (unsigned i = 0; i < grid->columns && !shows; i++)
        shows = part->shows[i] && group_of(grid, i) != GROUP_NAME && *grid_field(grid, row, i, room) &&
                strcmp(grid_field(grid, row, i, room), "-") != 0;
    return shows;
}

static void print_row(const struct grid *grid, const struct grid_part *part, const struct row *row, unsigned width,
                      FILE *out)
{
    struct making line = { .grid = grid, .out = out };
    char room[ROW_NOTES];
    for (unsigned column = 0; column < grid->columns && !is_spanned(row, column); column++)
        if (part->shows[column])
            put(&line, column, grid_field(grid, row, column, room));
    if (row->span && part->is_first)
        print_span(&line, row, width);
    else
        fputc('\n', out);
}

void grid_print(const struct grid *grid, const struct grid_part *part, unsigned width, FILE *out)
{
    print_titles(grid, part, out);
    for (unsigned i = 0; i < grid->sheet->rows; i++)
        if (grid_row_shows(grid, part, &grid->sheet->row[i]))
            print_row(grid, part, &grid->sheet->row[i], width, out);
}
