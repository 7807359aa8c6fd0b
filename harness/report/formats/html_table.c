#include "harness/report/formats/html_table.h"

#include "harness/base/xml.h"
#include "harness/report/glossary/glossary.h"

#include <stdlib.h>
#include <string.h>

/* The colour of a field: of a verdict, or of a share, from so many percent of what is usual on. */
static const char *tone_of(const struct column *column, const char *field)
{
    static const struct {
        double least;
        const char *tone;
    } shares[] = { { 103, "fast" }, { 99, "s99" }, { 97, "s97" }, { 95, "s95" }, { 90, "s90" }, { 0, "s0" } };
    const unsigned verdict = name_find(field, verdict_words, VERDICT_COUNT);
    const bool is_share = column->align == ALIGN_SHARE && *field >= '0' && *field <= '9';
    unsigned i = 0;
    while (is_share && strtod(field, NULL) < shares[i].least)
        i++;
    return is_share ? shares[i].tone : verdict < VERDICT_COUNT ? verdict_words[verdict] : "";
}

static void put_class(struct string_builder *out, const struct column *column, const char *field)
{
    const bool is_number = column->align == ALIGN_RIGHT || column->align == ALIGN_NUMBER;
    const char *tone = tone_of(column, field);
    if (is_number || *tone)
        xml_append(out, " class=\"%s%s\"", is_number ? "number" : "", tone);
}

/* The title of a column, with an explanation where a reader points at it. */
static void put_words(struct string_builder *out, const struct column *column, bool is_explained)
{
    const struct term term =
        is_explained && *column->title ? glossary_named(column->term) : (struct term){ .name = NULL };
    if (term.name)
        xml_append(out, "<abbr title=\"%s\">", term.explanation);
    xml_append(out, "%s", strcmp(column->title, "+-") == 0 ? "±" : column->title);
    if (term.name)
        xml_append(out, "</abbr>");
    if (*column->below)
        xml_append(out, " <small>%s</small>", column->below);
}

/* Links to the footnotes of a row: "1 2". */
static void put_links(struct string_builder *out, const char *numbers, unsigned section)
{
    char *end;
    for (const char *at = numbers; *at; at = end) {
        const unsigned number = (unsigned)strtoul(at, &end, 10);
        if (end == at) /* of a list that is too long */
            break;
        xml_append(out, "%s<a href=\"#n-%u-%u\">%u</a>", at > numbers ? " " : "", section, number, number);
    }
}

/* Where a window may have no room for columns (`has_labels`), each field has its title beside it. */
static void put_row(struct string_builder *out, const struct table *table, const struct row *row, unsigned section,
                    bool has_labels)
{
    const unsigned end = row->span ? row->span_at : table->columns;
    xml_append(out, "<tr>");
    for (unsigned i = 0; i < end; i++) {
        const struct column *column = &table->column[i];
        xml_append(out, i == 0 ? "<th scope=\"row\"" : "<td");
        put_class(out, column, row->field[i]);
        xml_append(out, has_labels ? "><span class=\"of\">" : ">");
        if (has_labels)
            put_words(out, column, row == table->row);
        xml_append(out, has_labels ? "</span> " : "");
        if (column->align == ALIGN_NOTES)
            put_links(out, row->field[i], section);
        else
            xml_append(out, "%s", row->field[i]);
        xml_append(out, i == 0 ? "</th>" : "</td>");
    }
    if (row->span)
        xml_append(out, "<td class=\"wide\" colspan=\"%u\">%s</td>", table->columns - end, row->span);
    xml_append(out, "</tr>\n");
}

/* What is on a screen has its labels beside its fields on a phone, and so has a table of many columns. */
void html_table_append(struct string_builder *to, const struct table *table, const char *title, unsigned section,
                       enum level level)
{
    enum { COLUMNS_MOST = 10 };
    const char *class = level == LEVEL_SCREEN ? " one" : table->columns > COLUMNS_MOST ? " many" : "";
    const char *caption = level == LEVEL_SCREEN ? table->column[0].title : title;
    xml_append(to,
               "<div class=\"box%s\" tabindex=\"0\" role=\"group\" aria-label=\"%s\"><table>\n"
               "<caption class=\"unseen\">%s</caption>\n<thead><tr>",
               class, caption, caption);
    for (const struct column *column = table->column; column < table->column + table->columns; column++) {
        xml_append(to, "<th scope=\"col\"");
        put_class(to, column, "");
        xml_append(to, ">");
        put_words(to, column, true);
        xml_append(to, "</th>");
    }
    xml_append(to, "</tr></thead>\n<tbody>\n");
    for (unsigned i = 0; i < table->rows; i++)
        put_row(to, table, &table->row[i], section, *class);
    xml_append(to, "</tbody>\n</table></div>\n");
}
