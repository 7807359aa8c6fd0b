/* Tables: figures are aligned at the decimal point, notes are linked in both directions. */

#include "harness/report/formats/html.h"

#include <string.h>

/* A wide table is split in two, results and costs, so that both fit a page or a window. */
enum half { HALF_RESULT, HALF_COST, HALVES };
enum { WHOLE_COLUMNS = 10 }; /* the widest table that is not split */

static const char *const part_titles[HALVES] = { "How fast", "What a run takes" };

/* What the fields of a column have in common. */
struct column_style {
    unsigned decimals; /* the maximum */
    bool is_split;     /* text after the figure, such as an interval or a unit, gets a cell of its own */
};

/* One of the two parts. */
struct table_part {
    const struct table *table;
    const struct html_terms *terms;
    const char *anchor;
    const struct column_style *style; /* of each column */
    enum half half;
    bool is_whole; /* all columns are in one part */
};

static bool is_shown(const struct table_part *part, unsigned column)
{
    const struct column *at = &part->table->column[column];
    return part->is_whole || at->group == GROUP_NAME ||
           (at->group < GROUP_COST ? HALF_RESULT : HALF_COST) == part->half;
}

/* Digits with at most one decimal point. */
static bool is_number(const char *text, size_t length)
{
    size_t whole = strspn(text, "0123456789,"), at = whole;
    if (text[at] == '.')
        at += 1 + strspn(text + at + 1, "0123456789");
    return whole > 0 && at == length;
}

/* The length of a field's figure: "0.97" of "0.97x [0.95, 0.99]", "65.1" of "65.1 run", all of "65.1"; 0 if it does not
 * begin with one. */
static size_t figure_length(const char *field)
{
    size_t length = strcspn(field, " x");
    return is_number(field, length) ? length : 0;
}

static unsigned decimals_of(const char *field)
{
    size_t length = figure_length(field);
    const char *point = memchr(field, '.', length);
    return point ? (unsigned)(field + length - point - 1) : 0;
}

static struct column_style style_of(const struct table *table, unsigned column)
{
    enum align align = table->column[column].align;
    struct column_style style = { .is_split = align == ALIGN_RATIO };
    for (unsigned i = 0; i < table->rows; i++) {
        const struct row *row = &table->row[i];
        if (row->span && row->span_at <= column)
            continue;
        const char *field = row->field[column];
        unsigned decimals = decimals_of(field);
        size_t length = figure_length(field);
        style.decimals = decimals > style.decimals ? decimals : style.decimals;
        style.is_split |= align == ALIGN_NUMBER && length > 0 && field[length] != '\0';
    }
    return style;
}

/* A cell with the class that pads a figure with fewer decimals than others in its column. */
static void put_class(FILE *out, const char *class, const char *field, unsigned decimals)
{
    enum { PADS = 6 }; /* classes in the style sheet */
    unsigned own = decimals_of(field), missing = decimals - own;
    bool has_point = memchr(field, '.', figure_length(field)) != NULL;
    if (missing > PADS)
        missing = PADS;
    if (figure_length(field) == 0 || missing == 0)
        fprintf(out, "<td class=\"%s\">", class);
    else
        fprintf(out, "<td class=\"%s %c%u\">", class, has_point ? 'p' : 'd', missing);
}

/* A figure and the text after it, in two cells: both are aligned. */
static void put_split(FILE *out, const char *field, unsigned decimals)
{
    size_t length = figure_length(field);
    char figure[64];
    if (length == 0 || length + 2 > sizeof figure) {
        html_print(out, "<td class=\"word\" colspan=\"2\">%s</td>", field);
        return;
    }
    const char *rest = field + length;
    memcpy(figure, field, length);
    figure[length] = '\0';
    put_class(out, "number ratio", field, decimals);
    fprintf(out, "%s</td><td class=\"range\">", figure);
    if (*rest == 'x') {
        fputs("×", out);
        rest++;
    }
    html_print(out, "%s</td>", rest);
}

static void put_field(FILE *out, const struct table_part *part, const struct row *row, unsigned column)
{
    enum align align = part->table->column[column].align;
    const struct column_style *style = &part->style[column];
    const char *field = row->field[column];
    if (style->is_split) {
        put_split(out, field, style->decimals);
        return;
    }
    if (column == 0)
        fprintf(out, "<th scope=\"row\"%s>", align == ALIGN_LEFT ? "" : " class=\"number\"");
    else if (align == ALIGN_NUMBER)
        put_class(out, "number", field, style->decimals);
    else
        fputs(align == ALIGN_LEFT ? "<td>" : "<td class=\"number\">", out);
    html_text(out, field);
    fputs(column == 0 ? "</th>" : "</td>", out);
}

/* The number of cells of the columns from one on. */
static unsigned cells_from(const struct table_part *part, unsigned column)
{
    unsigned cells = 0;
    for (unsigned i = column; i < part->table->columns; i++)
        if (is_shown(part, i))
            cells += part->style[i].is_split ? 2 : 1;
    return cells;
}

static bool has_notes(const struct table *table)
{
    for (unsigned i = 0; i < table->rows; i++)
        if (table->row[i].notes > 0)
            return true;
    return false;
}

static void put_marks(FILE *out, const struct table_part *part, unsigned row)
{
    const struct row *at = &part->table->row[row];
    fputs("<td class=\"marks\">", out);
    for (unsigned i = 0; i < at->notes; i++)
        fprintf(out, "%s<a href=\"#n-%s-%u\" id=\"r-%s-%u-%u\">%u</a>", i > 0 ? " " : "", part->anchor, at->note[i],
                part->anchor, row + 1, at->note[i], at->note[i]);
    fputs("</td>", out);
}

static void put_row(FILE *out, const struct table_part *part, unsigned row, bool has_marks)
{
    const struct row *at = &part->table->row[row];
    unsigned column = 0, end = at->span ? at->span_at : part->table->columns;
    fputs("<tr>", out);
    for (; column < end; column++)
        if (is_shown(part, column))
            put_field(out, part, at, column);
    if (at->span) {
        html_print(out, "<td class=\"wide\" colspan=\"%u\">%s</td>", cells_from(part, column), at->span);
    }
    if (has_marks)
        put_marks(out, part, row);
    fputs("</tr>\n", out);
}

static void put_head(FILE *out, const struct table_part *part, unsigned at)
{
    const struct column *column = &part->table->column[at];
    const struct term *term = html_terms_get(part->terms, column->term);
    bool is_split = part->style[at].is_split;
    fprintf(out, "<th scope=\"col\"%s>",
            is_split                      ? " class=\"ratio\" colspan=\"2\""
            : column->align == ALIGN_LEFT ? ""
                                          : " class=\"number\"");
    if (term) {
        html_print(out, "<abbr title=\"%s\">", term->explanation);
    }
    html_text(out, strcmp(column->title, "+-") == 0 ? "±" : column->title);
    fputs(term ? "</abbr>" : "", out);
    if (*column->below) {
        html_print(out, "<small>%s</small>", column->below);
    }
    fputs("</th>", out);
}

/* Rows without figures are only in the first part. */
static bool has_row(const struct table_part *part, unsigned row)
{
    return part->is_whole || part->half == HALF_RESULT || !part->table->row[row].span;
}

static void put_half(FILE *out, const struct table_part *part, const char *caption)
{
    const struct table *table = part->table;
    bool has_marks = has_notes(table) && (part->is_whole || part->half == HALF_RESULT);
    const char *title = part->is_whole ? NULL : part_titles[part->half];
    html_print(out, "<div class=\"box\" tabindex=\"0\" role=\"group\" aria-label=\"%s", caption);
    fprintf(out, "%s%s\"><table>\n<caption%s>", title ? ": " : "", title ? title : "",
            title ? "" : " class=\"unseen\"");
    html_print(out, "%s</caption>\n<thead><tr>", title ? title : caption);
    for (unsigned i = 0; i < table->columns; i++)
        if (is_shown(part, i))
            put_head(out, part, i);
    fprintf(out, "%s</tr></thead>\n<tbody>\n", has_marks ? "<th scope=\"col\">note</th>" : "");
    for (unsigned i = 0; i < table->rows; i++)
        if (has_row(part, i))
            put_row(out, part, i, has_marks);
    fputs("</tbody>\n</table></div>\n", out);
}

/* Whether the part has any column besides the names, and any row. */
static bool has_half(const struct table_part *part)
{
    bool has_columns = false, has_rows = false;
    for (unsigned i = 0; i < part->table->columns; i++)
        has_columns |= part->table->column[i].group != GROUP_NAME && is_shown(part, i);
    for (unsigned i = 0; i < part->table->rows; i++)
        has_rows |= has_row(part, i);
    return has_columns && has_rows;
}

void html_table(FILE *out, const struct table *table, const struct html_terms *terms, const char *anchor,
                const char *caption)
{
    enum { COLUMNS_MAX = 64 };
    struct column_style style[COLUMNS_MAX];
    struct table_part part[HALVES] = { { table, terms, anchor, style, HALF_RESULT, false },
                                       { table, terms, anchor, style, HALF_COST, false } };
    if (table->rows == 0 || table->columns > COLUMNS_MAX)
        return;
    for (unsigned i = 0; i < table->columns; i++)
        style[i] = style_of(table, i);
    bool is_whole = table->is_grouped || table->columns <= WHOLE_COLUMNS || !has_half(&part[HALF_RESULT]) ||
                    !has_half(&part[HALF_COST]);
    part[HALF_RESULT].is_whole = is_whole;
    put_half(out, &part[HALF_RESULT], caption);
    if (!is_whole)
        put_half(out, &part[HALF_COST], caption);
}

/* Links from a note back to its rows. */
static void put_back(FILE *out, const struct section *section, unsigned note)
{
    for (unsigned i = 0; i < section->table.rows; i++)
        for (unsigned k = 0; k < section->table.row[i].notes; k++)
            if (section->table.row[i].note[k] == note)
                fprintf(out, " <a class=\"back\" href=\"#r-%s-%u-%u\" aria-label=\"back to row %u\">↑</a>",
                        section->anchor, i + 1, note, i + 1);
}

void html_notes(FILE *out, const struct section *section)
{
    if (section->notes.lines == 0)
        return;
    fputs("<ol class=\"notes\">\n", out);
    for (unsigned i = 0; i < section->notes.lines; i++) {
        html_print(out, "<li id=\"n-%s-%u\">%s", section->anchor, i + 1, section->notes.line[i].text);
        put_back(out, section, i + 1);
        fputs("</li>\n", out);
    }
    fputs("</ol>\n", out);
}
