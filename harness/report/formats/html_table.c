/* Tables: figures are aligned at the decimal point, rows have links to their notes. */

#include "harness/base/text.h"
#include "harness/report/formats/html.h"

#include <stdlib.h>
#include <string.h>

/* A table on its way out. */
struct written {
    const struct table *table;
    const char *anchor;
    const unsigned *decimals; /* of each column, the most */
};

/* Colours of the words. */
static const char *const tones[VERDICT_COUNT] = {
    [VERDICT_NONE] = "",         [VERDICT_UNJUDGED] = "unclear", [VERDICT_UNCLEAR] = "unclear",
    [VERDICT_SLOWER] = "slower", [VERDICT_EQUAL] = "equal",      [VERDICT_FASTER] = "faster",
};

/* Colours of shares, from so many percent of what is usual on. */
static const struct {
    double least;
    const char *tone;
} shares[] = { { 103, "fast" }, { 99, "s99" }, { 97, "s97" }, { 95, "s95" }, { 90, "s90" }, { 0, "s0" } };

/* Columns that a narrow window has no room for. */
static const char *const groups[GROUP_COUNT] = {
    [GROUP_RATE] = "rate ", [GROUP_COST] = "method ", [GROUP_TIME] = "time "
};

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

/* What stands in parentheses, as the interval of a speed-up, has a line of its own in a narrow window. */
static void put_text(FILE *out, const char *field)
{
    const char *interval = strstr(field, " (");
    char before[64];
    if (!interval || (size_t)(interval - field) >= sizeof before) {
        xml_text(out, field);
        return;
    }
    text_copy(before, (size_t)(interval - field) + 1, field);
    xml_print(out, "%s <span class=\"range\">%s</span>", before, interval + 1);
}

static const char *tone_of(const struct column *column, const char *field)
{
    const unsigned verdict = name_find(field, verdict_words, VERDICT_COUNT);
    const bool is_share = column->align == ALIGN_SHARE && *field >= '0' && *field <= '9';
    unsigned i = 0;
    while (is_share && strtod(field, NULL) < shares[i].least)
        i++;
    return is_share ? shares[i].tone : verdict < VERDICT_COUNT ? tones[verdict] : "";
}

static void put_class(FILE *out, const struct column *column, const char *field)
{
    const char *group = groups[column->group] ? groups[column->group] : "";
    const bool is_number = column->align == ALIGN_RIGHT || column->align == ALIGN_NUMBER;
    const char *tone = tone_of(column, field);
    if (*group || is_number || *tone)
        fprintf(out, " class=\"%s%s%s\"", group, is_number ? "number" : "", tone);
}

static void put_field(FILE *out, const struct written *to, const struct row *row, unsigned column)
{
    const struct column *of = &to->table->column[column];
    fputs(column == 0 ? "<th scope=\"row\"" : "<td", out);
    put_class(out, of, row->field[column]);
    fputc('>', out);
    put_text(out, row->field[column]);
    if (of->align == ALIGN_NUMBER)
        put_padding(out, row->field[column], to->decimals[column]);
    fputs(column == 0 ? "</th>" : "</td>", out);
}

static void put_marks(FILE *out, const struct written *to, unsigned row)
{
    const struct row *at = &to->table->row[row];
    fputs("<td class=\"marks\">", out);
    for (unsigned i = 0; i < at->notes; i++)
        fprintf(out, "%s<a href=\"#n-%s-%u\">%u</a>", i > 0 ? " " : "", to->anchor, at->note[i], at->note[i]);
    fputs("</td>", out);
}

static void put_row(FILE *out, const struct written *to, unsigned row, bool has_marks)
{
    const struct row *at = &to->table->row[row];
    unsigned column = 0, end = at->span ? at->span_at : to->table->columns;
    fputs("<tr>", out);
    for (; column < end; column++)
        put_field(out, to, at, column);
    if (at->span)
        xml_print(out, "<td class=\"wide\" colspan=\"%u\">%s</td>", to->table->columns - column, at->span);
    if (has_marks)
        put_marks(out, to, row);
    fputs("</tr>\n", out);
}

static void put_head(FILE *out, const struct written *to, unsigned at)
{
    const struct column *column = &to->table->column[at];
    const struct term term = glossary_named(column->term);
    fputs("<th scope=\"col\"", out);
    put_class(out, column, "");
    fputc('>', out);
    if (term.name)
        xml_print(out, "<abbr title=\"%s\">", term.explanation);
    xml_text(out, strcmp(column->title, "+-") == 0 ? "±" : column->title);
    fputs(term.name ? "</abbr>" : "", out);
    if (*column->below)
        xml_print(out, "<small>%s</small>", column->below);
    fputs("</th>", out);
}

void html_table(FILE *out, const struct table *table, const char *anchor, const char *caption)
{
    enum { COLUMNS_MAX = 1024 };
    unsigned decimals[COLUMNS_MAX];
    const struct written to = { table, anchor, decimals };
    const bool has_marks = table_has_notes(table, true);
    if (table->rows == 0 || table->columns > COLUMNS_MAX)
        return;
    for (unsigned i = 0; i < table->columns; i++)
        decimals[i] = most_decimals(table, i);
    xml_print(out,
              "<div class=\"box%s\" tabindex=\"0\" role=\"group\" aria-label=\"%s\"><table>\n"
              "<caption class=\"unseen\">%s</caption>\n<thead><tr>",
              *anchor ? "" : " one", caption, caption);
    for (unsigned i = 0; i < table->columns; i++)
        put_head(out, &to, i);
    fprintf(out, "%s</tr></thead>\n<tbody>\n", has_marks ? "<th scope=\"col\">note</th>" : "");
    for (unsigned i = 0; i < table->rows; i++)
        put_row(out, &to, i, has_marks);
    fputs("</tbody>\n</table></div>\n", out);
}

void html_notes(FILE *out, const struct section *section)
{
    if (section->notes.lines == 0)
        return;
    fputs("<ol class=\"notes\">\n", out);
    for (unsigned i = 0; i < section->notes.lines; i++)
        xml_print(out, "<li id=\"n-%s-%u\">%s</li>\n", section->anchor, i + 1, section->notes.line[i].text);
    fputs("</ol>\n", out);
}
