/* Tables: rows have links to their notes. */

#include "harness/base/text.h"
#include "harness/report/formats/html.h"
#include "harness/report/glossary/glossary.h"

#include <stdlib.h>
#include <string.h>

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
    const bool is_number = column->align == ALIGN_RIGHT || column->align == ALIGN_NUMBER;
    const char *tone = tone_of(column, field);
    const bool is_minor = column->group == GROUP_COST || column->group == GROUP_PEAK; /* a phone has no room for it */
    if (is_minor || is_number || *tone)
        fprintf(out, " class=\"%s%s%s\"", is_minor ? "minor " : "", is_number ? "number" : "", tone);
}

static void put_marks(FILE *out, const struct row *row, const char *anchor)
{
    fputs("<td class=\"marks\">", out);
    for (unsigned i = 0; i < row->notes; i++)
        fprintf(out, "%s<a href=\"#n-%s-%u\">%u</a>", i > 0 ? " " : "", anchor, row->note[i], row->note[i]);
    fputs("</td>", out);
}

static void put_row(FILE *out, const struct table *table, const struct row *row)
{
    unsigned column = 0, end = row->span ? row->span_at : table->columns;
    fputs("<tr>", out);
    for (; column < end; column++) {
        fputs(column == 0 ? "<th scope=\"row\"" : "<td", out);
        put_class(out, &table->column[column], row->field[column]);
        xml_print(out, ">%s", row->field[column]);
        fputs(column == 0 ? "</th>" : "</td>", out);
    }
    if (row->span)
        xml_print(out, "<td class=\"wide\" colspan=\"%u\">%s</td>", table->columns - column, row->span);
}

/* Over the columns after it, too, that have no title. Returns how many. */
static unsigned put_title(FILE *out, const struct table *table, unsigned at)
{
    const struct column *column = &table->column[at];
    const struct term term = glossary_named(column->term);
    unsigned span = 1;
    while (at + span < table->columns && !*column[span].title && !*column[span].below)
        span++;
    fputs("<th scope=\"col\"", out);
    if (span > 1)
        fprintf(out, " colspan=\"%u\"", span);
    else
        put_class(out, column, "");
    if (term.name)
        xml_print(out, "><abbr title=\"%s\"", term.explanation);
    xml_print(out, ">%s", strcmp(column->title, "+-") == 0 ? "±" : column->title);
    fputs(term.name ? "</abbr>" : "", out);
    if (*column->below)
        xml_print(out, "<small>%s</small>", column->below);
    fputs("</th>", out);
    return span;
}

void html_table(FILE *out, const struct table *table, const char *anchor, const char *caption)
{
    const bool has_marks = table_has_notes(table, true);
    if (table->rows == 0)
        return;
    xml_print(out,
              "<div class=\"box%s\" tabindex=\"0\" role=\"group\" aria-label=\"%s\"><table>\n"
              "<caption class=\"unseen\">%s</caption>\n<thead><tr>",
              *anchor ? "" : " one", caption, caption);
    for (unsigned i = 0; i < table->columns;)
        i += put_title(out, table, i);
    fprintf(out, "%s</tr></thead>\n<tbody>\n", has_marks ? "<th scope=\"col\">note</th>" : "");
    for (unsigned i = 0; i < table->rows; i++) {
        put_row(out, table, &table->row[i]);
        if (has_marks)
            put_marks(out, &table->row[i], anchor);
        fputs("</tr>\n", out);
    }
    fputs("</tbody>\n</table></div>\n", out);
}
