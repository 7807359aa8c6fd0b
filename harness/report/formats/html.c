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
    FILE *out;
    const char *title; /* of the section */
    char anchor[64];   /* unique within the page */
    unsigned sections;
    bool has_section, has_fold; /* that is open */
};

/* What a browser may do with the page, whatever it contains: only apply the style in it. */
static const char policy[] = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

static void put_head(FILE *out, const char *title)
{
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\"/>\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
            "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
            "<meta name=\"generator\" content=\"bench %s\"/>\n<title>",
            policy, BENCH_VERSION);
    xml_text(out, title);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", html_style);
}

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
    return is_share ? shares[i].tone : verdict < VERDICT_COUNT ? verdict_words[verdict] : "";
}

static void put_class(FILE *out, const struct column *column, const char *field)
{
    const bool is_number = column->align == ALIGN_RIGHT || column->align == ALIGN_NUMBER;
    const char *tone = tone_of(column, field);
    if (is_number || *tone)
        fprintf(out, " class=\"%s%s\"", is_number ? "number" : "", tone);
}

/* Links to the footnotes of a row: "1 2". */
static void put_marks(FILE *out, const char *notes, const char *anchor)
{
    char *end;
    fputs("<td class=\"marks\">", out);
    for (const char *at = notes; *at; at = end) {
        const unsigned number = (unsigned)strtoul(at, &end, 10);
        if (end == at) /* of a list that is too long */
            break;
        fprintf(out, "%s<a href=\"#n-%s-%u\">%u</a>", at > notes ? " " : "", anchor, number, number);
    }
    fputs("</td>", out);
}

/* The title of a column, with an explanation where a reader points at it. */
static void put_words(FILE *out, const struct column *column, bool is_explained)
{
    const struct term term =
        is_explained && *column->title ? glossary_named(column->term) : (struct term){ .name = NULL };
    if (term.name)
        xml_print(out, "<abbr title=\"%s\">", term.explanation);
    xml_print(out, "%s", strcmp(column->title, "+-") == 0 ? "±" : column->title);
    fputs(term.name ? "</abbr>" : "", out);
    if (*column->below)
        xml_print(out, " <small>%s</small>", column->below);
}

/* Where a window may have no room for columns (`has_labels`), each field has its title beside it. */
static void put_row(FILE *out, const struct table *table, const struct row *row, bool has_labels)
{
    unsigned column = 0, end = row->span ? row->span_at : table->columns;
    fputs("<tr>", out);
    for (; column < end; column++) {
        fputs(column == 0 ? "<th scope=\"row\"" : "<td", out);
        put_class(out, &table->column[column], row->field[column]);
        fputs(">", out);
        fputs(has_labels ? "<span class=\"of\">" : "", out);
        if (has_labels)
            put_words(out, &table->column[column], row == table->row);
        fputs(has_labels ? "</span> " : "", out);
        xml_print(out, "%s", row->field[column]);
        fputs(column == 0 ? "</th>" : "</td>", out);
    }
    if (row->span)
        xml_print(out, "<td class=\"wide\" colspan=\"%u\">%s</td>", table->columns - column, row->span);
}

/* Over the columns after it, too, that have no title. Returns how many. */
static unsigned put_title(FILE *out, const struct table *table, unsigned at)
{
    const struct column *column = &table->column[at];
    unsigned span = 1;
    while (at + span < table->columns && !*column[span].title && !*column[span].below)
        span++;
    fputs("<th scope=\"col\"", out);
    if (span > 1)
        fprintf(out, " colspan=\"%u\"", span);
    else
        put_class(out, column, "");
    fputs(">", out);
    put_words(out, column, true);
    fputs("</th>", out);
    return span;
}

/* What is on a screen has its labels beside its fields on a phone, and so has a table of many columns. */
static void put_table(struct page *page, const struct table *table, enum level level)
{
    enum { COLUMNS_MOST = 10 };
    FILE *out = page->out;
    const bool has_marks = table_has_notes(table, true);
    const char *class = level == LEVEL_SCREEN ? " one" : table->columns > COLUMNS_MOST ? " many" : "";
    const char *caption = level == LEVEL_SCREEN ? table->column[0].title : page->title;
    xml_print(out,
              "<div class=\"box%s\" tabindex=\"0\" role=\"group\" aria-label=\"%s\"><table>\n"
              "<caption class=\"unseen\">%s</caption>\n<thead><tr>",
              class, caption, caption);
    for (unsigned i = 0; i < table->columns;)
        i += put_title(out, table, i);
    fprintf(out, "%s</tr></thead>\n<tbody>\n", has_marks ? "<th scope=\"col\">note</th>" : "");
    for (unsigned i = 0; i < table->rows; i++) {
        put_row(out, table, &table->row[i], *class);
        if (has_marks)
            put_marks(out, table->row[i].notes, page->anchor);
        fputs("</tr>\n", out);
    }
    fputs("</tbody>\n</table></div>\n", out);
}

/* Labels, and the letters of runs if there are several, with their texts. Equal neighbours share theirs. */
static void put_facts(FILE *out, const struct item *line, const struct item *end)
{
    fputs("<dl class=\"facts\">\n", out);
    for (const struct item *one = line; one < end; one++) {
        const bool is_repeated =
            one > line && strcmp(one->label, one[-1].label) == 0 && strcmp(one->letter, one[-1].letter) == 0;
        if (!is_repeated && (*one->letter || *one->label))
            xml_print(out,
                      *one->letter ? "<dt><b class=\"letter\">%s</b> <bdi>%s</bdi></dt>\n"
                                   : "<dt>%s<bdi>%s</bdi></dt>\n",
                      one->letter, one->label);
        xml_print(out, "<dd>%s</dd>\n", one->text);
    }
    fputs("</dl>\n", out);
}

/* A card for each GPU; a line that compares two has its own. */
static void put_cards(FILE *out, const struct item *line, const struct item *end)
{
    fputs("<div class=\"cards\">\n<div>\n", out);
    for (const struct item *one = line; one < end; one++) {
        const bool goes_on = one == line || strncmp(one->label, "Copied", strlen("Copied")) == 0;
        fputs(goes_on ? "" : "</div>\n<div>\n", out);
        xml_print(out, "<p class=\"answer%s\"><span>%s</span> %s</p>\n", strchr(one->label, '?') ? " first" : "",
                  one->label, one->text);
    }
    fputs("</div>\n</div>\n", out);
}

static void put_footnotes(struct page *page, const struct item *line, const struct item *end)
{
    fputs("<ol class=\"notes\">\n", page->out);
    for (const struct item *one = line; one < end; one++)
        xml_print(page->out, "<li id=\"n-%s-%u\">%s</li>\n", page->anchor, (unsigned)(one - line) + 1, one->text);
    fputs("</ol>\n", page->out);
}

/* A group of lines: each in an element of its own, or in one way that all of them share. */
static void put_lines(struct page *page, const struct item *line, const struct item *end)
{
    static const char *const elements[][2] = {
        [ABOUT_ALARM] = { "<p class=\"warning\">", "</p>\n" },
        [ABOUT_WARNING] = { "<p class=\"warning\">", "</p>\n" },
        [ABOUT_RUN] = { "<p class=\"about\">", "</p>\n" },
        [ABOUT_METHOD] = { "<p class=\"prose\">", "</p>\n" },
        [ABOUT_COMMAND] = { "<pre>", "</pre>\n" },
        [ABOUT_SOURCE] = { NULL, NULL },
    };
    if (line->about == ABOUT_ANSWER) {
        put_cards(page->out, line, end);
    } else if (line->about == ABOUT_FOOTNOTE) {
        put_footnotes(page, line, end);
    } else if (elements[line->about][0]) {
        for (; line < end; line++) {
            fputs(elements[line->about][0], page->out);
            xml_text(page->out, line->text);
            fputs(elements[line->about][1], page->out);
        }
    } else if (line->about != ABOUT_SOURCE) { /* which is at the foot of the page */
        put_facts(page->out, line, end);
    }
}

static void put_picture(FILE *out, const struct picture *picture)
{
    xml_print(out, "<figure id=\"p-%s\">\n<h2>%s</h2>\n", picture->name, picture->title);
    fprintf(out, "<div class=\"narrow\">\n%s</div>\n<div class=\"broad\">\n%s</div>\n", picture->svg, picture->wide);
    xml_print(out, "<figcaption>%s</figcaption>\n</figure>\n", picture->caption);
}

static void begin_fold(FILE *out, const char *id, const char *title)
{
    xml_print(out, "<details id=\"%s\">\n<summary><h2>%s</h2></summary>\n", id, title);
}

/* A heading ends the section before it; the end of a fold, or of a run's answer, ends a section, too. */
static void end_section(struct page *page)
{
    fputs(page->has_section ? "</section>\n" : "", page->out);
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
        xml_print(page->out, "<section class=\"problem\" id=\"t-%s\">\n<h3>%s</h3>\n", page->anchor, item->text);
        return;
    }
    fputs("<section>\n", page->out);
    if (*item->letter)
        xml_print(page->out, "<h2><b class=\"letter\">%s</b> <bdi>%s</bdi></h2>\n", item->letter, item->text);
}

static void put_fold(struct page *page, const struct item *item)
{
    end_section(page);
    page->has_fold = true;
    if (!*item->label)
        name_section(page, item->text);
    begin_fold(page->out, *item->label ? item->label : page->anchor, item->text);
}

static void put_end(struct page *page)
{
    end_section(page);
    fputs(page->has_fold ? "</details>\n" : "", page->out);
    page->has_fold = false;
}

static void put_item(struct page *page, const struct item *item, const struct item *end)
{
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
        put_picture(page->out, item->picture);
        break;
    case ITEM_FOLD:
        put_fold(page, item);
        break;
    case ITEM_END:
        put_end(page);
    }
}

/* What the columns of all tables mean. */
static void put_glossary(FILE *out)
{
    begin_fold(out, "glossary", "Glossary");
    fputs("<dl class=\"facts\">\n", out);
    for (struct term term = { 0 }; glossary_next(NULL, &term);)
        if (strcmp(term.kind, "column") == 0)
            xml_print(out, "<dt>%s</dt>\n<dd>%s %s</dd>\n", term.name, term.explanation,
                      term.remedy ? term.remedy : "");
    fputs("</dl>\n</details>\n", out);
}

static void put_footer(FILE *out, const struct document *document)
{
    unsigned sources = 0;
    fprintf(out, "</main>\n<footer><p>Made by bench %s", BENCH_VERSION);
    for (const struct item *item = document->item; item < document->item + document->items; item++)
        if (item->kind == ITEM_LINE && item->about == ABOUT_SOURCE)
            xml_print(out, "%s <bdi>%s</bdi>", sources++ > 0 ? "," : " from", item->text);
    fputs(".</p></footer>\n</body>\n</html>\n", out);
}

/* The first item is the title, which is the answer itself where there is no other. What its journals lack is below it.
 */
bool html_write(const struct document *document, unsigned width, FILE *out, struct error *err)
{
    struct page page = { .out = out, .title = document->item->text };
    const struct item *item = document->item, *end = item + 1, *const last = item + document->items;
    (void)width;
    put_head(out, item->text);
    xml_print(
        out, item->level == LEVEL_SCREEN ? "<header>\n<h1 class=\"answer first\">%s</h1>\n" : "<header>\n<h1>%s</h1>\n",
        item->text);
    if (end < last && end->kind == ITEM_LINE && end->about == ABOUT_MISSING) {
        const struct item *first = end;
        end = document_group_end(document, first);
        put_facts(out, first, end);
    }
    fputs("</header>\n<main>\n", out);
    for (item = end; item < last; item = end) {
        end = document_group_end(document, item);
        put_item(&page, item, end);
    }
    end_section(&page);
    put_glossary(out);
    put_footer(out, document);
    return output_end(out, err);
}
