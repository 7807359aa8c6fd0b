/* Tables: figures are aligned at the decimal point, rows have links to their notes. */

#include "harness/base/text.h"
#include "harness/report/formats/html.h"

#include <string.h>

/* A wide table is split in two, results and costs, so that both fit a page or a window. */
enum half { HALF_RESULT, HALF_COST, HALVES };
enum { WHOLE_COLUMNS = 10 }; /* the widest table that is not split */

static const char *const part_titles[HALVES] = { "How fast", "What a run takes" };

/* One of the two parts. */
struct table_part {
    const struct table *table;
    const struct html_terms *terms;
    const char *anchor;
    const unsigned *decimals; /* of each column, the most */
    enum half half;
    bool is_whole; /* all columns are in one part */
};

/* Colours are not the only sign: a table with verdicts has a symbol in each row. */
static const char *const tones[VERDICT_COUNT] = {
    [VERDICT_NONE] = "",
    [VERDICT_UNCLEAR] = " class=\"unclear\"",
    [VERDICT_SLOWER] = " class=\"slower\"",
    [VERDICT_EQUAL] = " class=\"equal\"",
    [VERDICT_FASTER] = " class=\"faster\"",
};

/* Columns that a narrow window has no room for. */
static const char *const groups[GROUP_COUNT] = {
    [GROUP_RATE] = "rate ", [GROUP_COST] = "method ", [GROUP_TIME] = "time "
};

static bool is_shown(const struct table_part *part, unsigned column)
{
    const struct column *at = &part->table->column[column];
    return part->is_whole || at->group == GROUP_NAME ||
           (at->group < GROUP_COST ? HALF_RESULT : HALF_COST) == part->half;
}

static unsigned decimals_of(const char *field)
{
    const char *point = strchr(field, '.');
    return point ? (unsigned)strspn(point + 1, "0123456789") : 0;
}

static unsigned most_decimals(const struct table *table, unsigned column)
{
    unsigned most = 0;
    for (unsigned i = 0; i < table->rows; i++) {
        const struct row *row = &table->row[i];
        const unsigned own = row->span && row->span_at <= column ? 0 : decimals_of(row->field[column]);
        most = own > most ? own : most;
    }
    return most;
}

/* Blanks as wide as a point and as digits, so that the points of a column are below each other. */
static void put_padding(FILE *out, const char *field, unsigned decimals)
{
    const unsigned own = decimals_of(field);
    if (*field < '0' || *field > '9' || own == decimals)
        return;
    fputs(strchr(field, '.') ? "" : "\u2008", out);
    for (unsigned i = own; i < decimals; i++)
        fputs("\u2007", out);
}

/* The interval of a speed-up has a line of its own in a narrow window. */
static void put_text(FILE *out, const char *field)
{
    const char *interval = strstr(field, " [");
    char before[64];
    if (!interval || (size_t)(interval - field) >= sizeof before) {
        html_text(out, field);
        return;
    }
    text_copy(before, (size_t)(interval - field) + 1, field);
    html_print(out, "%s <span class=\"range\">%s</span>", before, interval + 1);
}

static void put_class(FILE *out, const struct column *column)
{
    const char *group = groups[column->group] ? groups[column->group] : "";
    bool is_number = column->align == ALIGN_RIGHT || column->align == ALIGN_NUMBER;
    if (*group || is_number)
        fprintf(out, " class=\"%s%s\"", group, is_number ? "number" : "");
}

static void put_field(FILE *out, const struct table_part *part, const struct row *row, unsigned column)
{
    const struct column *of = &part->table->column[column];
    fputs(column == 0 ? "<th scope=\"row\"" : "<td", out);
    put_class(out, of);
    fputc('>', out);
    put_text(out, row->field[column]);
    if (of->align == ALIGN_NUMBER)
        put_padding(out, row->field[column], part->decimals[column]);
    fputs(column == 0 ? "</th>" : "</td>", out);
}

/* The number of columns from one on. */
static unsigned columns_from(const struct table_part *part, unsigned column)
{
    unsigned columns = 0;
    for (unsigned i = column; i < part->table->columns; i++)
        columns += is_shown(part, i);
    return columns;
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
        fprintf(out, "%s<a href=\"#n-%s-%u\">%u</a>", i > 0 ? " " : "", part->anchor, at->note[i], at->note[i]);
    fputs("</td>", out);
}

static void put_row(FILE *out, const struct table_part *part, unsigned row, bool has_marks)
{
    const struct row *at = &part->table->row[row];
    unsigned column = 0, end = at->span ? at->span_at : part->table->columns;
    fprintf(out, "<tr%s>", tones[at->tone]);
    for (; column < end; column++)
        if (is_shown(part, column))
            put_field(out, part, at, column);
    if (at->span) {
        html_print(out, "<td class=\"wide\" colspan=\"%u\">%s</td>", columns_from(part, column), at->span);
    }
    if (has_marks)
        put_marks(out, part, row);
    fputs("</tr>\n", out);
}

static void put_head(FILE *out, const struct table_part *part, unsigned at)
{
    const struct column *column = &part->table->column[at];
    const struct term *term = html_terms_get(part->terms, column->term);
    fputs("<th scope=\"col\"", out);
    put_class(out, column);
    fputc('>', out);
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
    fprintf(out, "<div class=\"box%s\" tabindex=\"0\" role=\"group\" aria-label=\"", *part->anchor ? "" : " one");
    html_text(out, caption);
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
    unsigned decimals[COLUMNS_MAX];
    struct table_part part[HALVES] = { { table, terms, anchor, decimals, HALF_RESULT, false },
                                       { table, terms, anchor, decimals, HALF_COST, false } };
    if (table->rows == 0 || table->columns > COLUMNS_MAX)
        return;
    for (unsigned i = 0; i < table->columns; i++)
        decimals[i] = most_decimals(table, i);
    bool is_whole = table->is_grouped || !*anchor || table->columns <= WHOLE_COLUMNS || !has_half(&part[HALF_RESULT]) ||
                    !has_half(&part[HALF_COST]);
    part[HALF_RESULT].is_whole = is_whole;
    put_half(out, &part[HALF_RESULT], caption);
    if (!is_whole)
        put_half(out, &part[HALF_COST], caption);
}

void html_notes(FILE *out, const struct section *section)
{
    if (section->notes.lines == 0)
        return;
    fputs("<ol class=\"notes\">\n", out);
    for (unsigned i = 0; i < section->notes.lines; i++) {
        html_print(out, "<li id=\"n-%s-%u\">%s</li>\n", section->anchor, i + 1, section->notes.line[i].text);
    }
    fputs("</ol>\n", out);
}
