/* A document as one self-contained page: no script, no font, no picture from elsewhere. Well-formed XML, so that a
 * browser and an XML parser read the same tree. Names in any script are within <bdi>, which contains their direction of
 * writing. */

#include "harness/base/text.h"
#include "harness/base/xml.h"
#include "harness/report/formats/formats.h"
#include "harness/report/formats/output.h"
#include "harness/report/glossary/glossary.h"
#include "harness/report/plots/plot.h"

#include <stdlib.h>
#include <string.h>

/* The style sheet, as the build embeds it. */
extern const char html_style[];

/* The output so far. An id has a letter for its kind, a slug of the heading, and numbers: "t-multiply-1",
 * "n-multiply-1-2". Those of chapters have no '-', so they differ. */
struct page {
    struct string_builder text;
    const char *title; /* of the section */
    char anchor[64];   /* unique within the page */
    unsigned sections;
    bool has_section, has_fold; /* that is open */
};

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

/* One title is over the columns after it, too, that have none. */
static void put_titles(struct string_builder *out, const struct table *table)
{
    for (unsigned at = 0, end; at < table->columns; at = end) {
        const struct column *column = table->column;
        for (end = at + 1; end < table->columns && !*column[end].title && !*column[end].below;)
            end++;
        xml_append(out, "<th scope=\"col\"");
        if (end > at + 1)
            xml_append(out, " colspan=\"%u\"", end - at);
        else
            put_class(out, &column[at], "");
        xml_append(out, ">");
        put_words(out, &column[at], true);
        xml_append(out, "</th>");
    }
}

/* Where a window may have no room for columns (`has_labels`), each field has its title beside it. */
static void put_row(struct string_builder *out, const struct table *table, const struct row *row, bool has_labels)
{
    const unsigned end = row->span ? row->span_at : table->columns;
    xml_append(out, "<tr>");
    for (unsigned column = 0; column < end; column++) {
        xml_append(out, column == 0 ? "<th scope=\"row\"" : "<td");
        put_class(out, &table->column[column], row->field[column]);
        xml_append(out, has_labels ? "><span class=\"of\">" : ">");
        if (has_labels)
            put_words(out, &table->column[column], row == table->row);
        xml_append(out, has_labels ? "</span> %s" : "%s", row->field[column]);
        xml_append(out, column == 0 ? "</th>" : "</td>");
    }
    if (row->span)
        xml_append(out, "<td class=\"wide\" colspan=\"%u\">%s</td>", table->columns - end, row->span);
}

/* Links to the footnotes of a row: "1 2". */
static void put_marks(struct string_builder *out, const char *notes, const char *anchor)
{
    char *end;
    xml_append(out, "<td class=\"marks\">");
    for (const char *at = notes; *at; at = end) {
        const unsigned number = (unsigned)strtoul(at, &end, 10);
        if (end == at) /* of a list that is too long */
            break;
        xml_append(out, "%s<a href=\"#n-%s-%u\">%u</a>", at > notes ? " " : "", anchor, number, number);
    }
    xml_append(out, "</td>");
}

/* What is on a screen has its labels beside its fields on a phone, and so has a table of many columns. */
static void put_table(struct page *page, const struct table *table, enum level level)
{
    enum { COLUMNS_MOST = 10 };
    struct string_builder *out = &page->text;
    const bool has_marks = table_has_notes(table, true);
    const char *class = level == LEVEL_SCREEN ? " one" : table->columns > COLUMNS_MOST ? " many" : "";
    const char *caption = level == LEVEL_SCREEN ? table->column[0].title : page->title;
    xml_append(out,
               "<div class=\"box%s\" tabindex=\"0\" role=\"group\" aria-label=\"%s\"><table>\n"
               "<caption class=\"unseen\">%s</caption>\n<thead><tr>",
               class, caption, caption);
    put_titles(out, table);
    xml_append(out, has_marks ? "<th scope=\"col\">note</th></tr></thead>\n<tbody>\n" : "</tr></thead>\n<tbody>\n");
    for (unsigned i = 0; i < table->rows; i++) {
        put_row(out, table, &table->row[i], *class);
        if (has_marks)
            put_marks(out, table->row[i].notes, page->anchor);
        xml_append(out, "</tr>\n");
    }
    xml_append(out, "</tbody>\n</table></div>\n");
}

/* Labels, and the letters of runs if there are several, with their texts. Equal neighbours share theirs. */
static void put_facts(struct string_builder *out, const struct item *line, const struct item *end)
{
    xml_append(out, "<dl class=\"facts\">\n");
    for (const struct item *one = line; one < end; one++) {
        const bool is_repeated =
            one > line && strcmp(one->label, one[-1].label) == 0 && strcmp(one->letter, one[-1].letter) == 0;
        if (!is_repeated && (*one->letter || *one->label))
            xml_append(out,
                       *one->letter ? "<dt><b class=\"letter\">%s</b> <bdi>%s</bdi></dt>\n"
                                    : "<dt>%s<bdi>%s</bdi></dt>\n",
                       one->letter, one->label);
        xml_append(out, "<dd>%s</dd>\n", one->text);
    }
    xml_append(out, "</dl>\n");
}

/* A card for each GPU; a line that compares two has its own. */
static void put_cards(struct string_builder *out, const struct item *line, const struct item *end)
{
    xml_append(out, "<div class=\"cards\">\n<div>\n");
    for (const struct item *one = line; one < end; one++) {
        const bool goes_on = one == line || strncmp(one->label, "Copied", strlen("Copied")) == 0;
        xml_append(out, goes_on ? "" : "</div>\n<div>\n");
        xml_append(out, "<p class=\"answer%s\"><span>%s</span> %s</p>\n", strchr(one->label, '?') ? " first" : "",
                   one->label, one->text);
    }
    xml_append(out, "</div>\n</div>\n");
}

/* A group of lines: each in an element of its own, or in one way that all of them share. */
static void put_lines(struct page *page, const struct item *line, const struct item *end)
{
    struct string_builder *out = &page->text;
    switch (line->about) {
    case ABOUT_SOURCE: /* at the foot of the page */
        break;
    case ABOUT_ANSWER:
        put_cards(out, line, end);
        break;
    case ABOUT_FOOTNOTE:
        xml_append(out, "<ol class=\"notes\">\n");
        for (const struct item *one = line; one < end; one++)
            xml_append(out, "<li id=\"n-%s-%u\">%s</li>\n", page->anchor, (unsigned)(one - line) + 1, one->text);
        xml_append(out, "</ol>\n");
        break;
    case ABOUT_ALARM:
    case ABOUT_WARNING:
    case ABOUT_RUN:
    case ABOUT_METHOD:
        for (; line < end; line++)
            xml_append(out, "<p class=\"%s\">%s</p>\n",
                       line->about == ABOUT_RUN      ? "about"
                       : line->about == ABOUT_METHOD ? "prose"
                                                     : "warning",
                       line->text);
        break;
    case ABOUT_COMMAND:
        for (; line < end; line++)
            xml_append(out, "<pre>%s</pre>\n", line->text);
        break;
    default:
        put_facts(out, line, end);
    }
}

/* A heading ends the section before it; the end of a fold, or of a run's answer, ends a section, too. */
static void end_section(struct page *page)
{
    if (page->has_section)
        xml_append(&page->text, "</section>\n");
    page->has_section = false;
}

/* The name of the section, for what is in it. */
static void name_section(struct page *page, const char *title)
{
    char slug[49], words[200];
    snprintf(words, sizeof words, "%.*s", (int)strcspn(title, "("), title);
    text_slug(slug, sizeof slug, words);
    snprintf(page->anchor, sizeof page->anchor, "%s%s%u", slug, *slug ? "-" : "", ++page->sections);
    page->title = title;
}

static void put_heading(struct page *page, const struct item *item)
{
    end_section(page);
    page->has_section = true;
    if (item->level == LEVEL_FULL) {
        name_section(page, item->text);
        xml_append(&page->text, "<section class=\"problem\" id=\"t-%s\">\n<h3>%s</h3>\n", page->anchor, item->text);
        return;
    }
    xml_append(&page->text, "<section>\n");
    if (*item->letter)
        xml_append(&page->text, "<h2><b class=\"letter\">%s</b> <bdi>%s</bdi></h2>\n", item->letter, item->text);
}

static void put_item(struct page *page, const struct item *item, const struct item *end)
{
    struct string_builder *out = &page->text;
    const struct picture *picture = item->picture;
    switch (item->kind) {
    case ITEM_HEADING:
        put_heading(page, item);
        break;
    case ITEM_LINE:
        put_lines(page, item, end);
        break;
    case ITEM_TABLE:
        put_table(page, item->table, item->level);
        break;
    case ITEM_PICTURE:
        xml_append(out, "<figure id=\"p-%s\">\n<h2>%s</h2>\n", picture->name, picture->title);
        string_append(out, "<div class=\"narrow\">\n%s</div>\n<div class=\"broad\">\n%s</div>\n", picture->svg,
                      picture->wide);
        xml_append(out, "<figcaption>%s</figcaption>\n</figure>\n", picture->caption);
        break;
    case ITEM_FOLD:
        end_section(page);
        page->has_fold = true;
        if (!*item->label)
            name_section(page, item->text);
        xml_append(out, "<details id=\"%s\">\n<summary><h2>%s</h2></summary>\n",
                   *item->label ? item->label : page->anchor, item->text);
        break;
    case ITEM_END:
        end_section(page);
        if (page->has_fold)
            xml_append(out, "</details>\n");
        page->has_fold = false;
    }
}

/* The title is the answer itself where there is no other. What its journals lack is below it. Returns the item after.
 */
static const struct item *put_head(struct string_builder *out, const struct document *document)
{
    const struct item *title = document->item, *end = title + 1;
    /* Whatever the page contains, a browser only applies the style in it. */
    xml_append(out,
               "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
               "base-uri 'none'; form-action 'none'\"/>\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
               "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
               "<meta name=\"generator\" content=\"bench %s\"/>\n<title>%s</title>\n<style>\n",
               BENCH_VERSION, title->text);
    string_append(out, "%s", html_style);
    xml_append(out, "</style>\n</head>\n<body>\n<header>\n");
    xml_append(out, title->level == LEVEL_SCREEN ? "<h1 class=\"answer first\">%s</h1>\n" : "<h1>%s</h1>\n",
               title->text);
    if (end < title + document->items && end->kind == ITEM_LINE && end->about == ABOUT_MISSING) {
        end = document_group_end(document, end);
        put_facts(out, title + 1, end);
    }
    xml_append(out, "</header>\n<main>\n");
    return end;
}

/* What the columns of all tables mean, and from which journals the page is. */
static void put_foot(struct string_builder *out, const struct document *document)
{
    unsigned sources = 0;
    xml_append(out, "<details id=\"glossary\">\n<summary><h2>Glossary</h2></summary>\n<dl class=\"facts\">\n");
    for (struct term term = { 0 }; glossary_next(NULL, &term);)
        if (strcmp(term.kind, "column") == 0)
            xml_append(out, "<dt>%s</dt>\n<dd>%s %s</dd>\n", term.name, term.explanation,
                       term.remedy ? term.remedy : "");
    xml_append(out, "</dl>\n</details>\n</main>\n<footer><p>Made by bench %s", BENCH_VERSION);
    for (const struct item *item = document->item; item < document->item + document->items; item++)
        if (item->kind == ITEM_LINE && item->about == ABOUT_SOURCE)
            xml_append(out, "%s <bdi>%s</bdi>", sources++ > 0 ? "," : " from", item->text);
    xml_append(out, ".</p></footer>\n</body>\n</html>\n");
}

bool html_write(const struct document *document, unsigned width, FILE *out, struct error *err)
{
    struct pool pool = { 0 };
    struct page page = { .text = { .pool = &pool }, .title = document->item->text };
    for (const struct item *item = put_head(&page.text, document), *end; item < document->item + document->items;
         item = end) {
        end = document_group_end(document, item);
        put_item(&page, item, end);
    }
    end_section(&page);
    put_foot(&page.text, document);
    return output_put_text(&page.text, out, err);
}
