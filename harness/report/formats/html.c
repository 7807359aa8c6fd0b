/* A document as one self-contained page: no script, no font, no picture from elsewhere. Well-formed XML, so that a
 * browser and an XML parser read the same tree. Names in any script are within <bdi>, which contains their direction of
 * writing. */

#include "harness/base/text.h"
#include "harness/base/xml.h"
#include "harness/report/formats/formats.h"
#include "harness/report/formats/html_table.h"
#include "harness/report/formats/output.h"
#include "harness/report/glossary/glossary.h"
#include "harness/report/plots/plot.h"

#include <string.h>

/* The style sheet, as the build embeds it. */
extern const char html_style[];

/* The output so far. An id has a letter for its kind and the number of its section: "t-3", "n-3-1". */
struct page {
    struct string_builder text;
    const char *title; /* of the section */
    unsigned section;
};

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

/* A group of lines: each in a paragraph of its own, or in one way that all of them share. */
static void put_lines(struct page *page, const struct item *line, const struct item *end)
{
    static const char *const classes[ABOUT_SOURCE] = { [ABOUT_ALARM] = "warning",
                                                       [ABOUT_WARNING] = "warning",
                                                       [ABOUT_RUN] = "about",
                                                       [ABOUT_METHOD] = "prose",
                                                       [ABOUT_COMMAND] = "command" };
    struct string_builder *out = &page->text;
    if (line->about == ABOUT_SOURCE) /* at the foot of the page */
        return;
    if (line->about == ABOUT_ANSWER)
        put_cards(out, line, end);
    else if (line->about == ABOUT_FOOTNOTE) {
        xml_append(out, "<ol class=\"notes\">\n");
        for (const struct item *one = line; one < end; one++)
            xml_append(out, "<li id=\"n-%u-%u\">%s</li>\n", page->section, (unsigned)(one - line) + 1, one->text);
        xml_append(out, "</ol>\n");
    } else if (classes[line->about])
        for (; line < end; line++)
            xml_append(out, "<p class=\"%s\">%s</p>\n", classes[line->about], line->text);
    else
        put_facts(out, line, end);
}

/* Begins a section: what follows is named by it. */
static void put_heading(struct page *page, const struct item *item)
{
    if (item->level == LEVEL_FULL) {
        page->title = item->text;
        xml_append(&page->text, "<h3 id=\"t-%u\">%s</h3>\n", ++page->section, item->text);
    } else if (*item->letter)
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
        html_table_append(out, item->table, page->title, page->section, item->level);
        break;
    case ITEM_PICTURE:
        xml_append(out, "<figure id=\"p-%s\">\n<h2>%s</h2>\n", picture->name, picture->title);
        string_append(out, "<div class=\"narrow\">\n%s</div>\n<div class=\"broad\">\n%s</div>\n", picture->svg,
                      picture->wide);
        xml_append(out, "<figcaption>%s</figcaption>\n</figure>\n", picture->caption);
        break;
    case ITEM_FOLD:
        page->title = item->text;
        xml_append(out, "<details id=\"t-%u\">\n<summary><h2>%s</h2></summary>\n", ++page->section, item->text);
        break;
    case ITEM_END:
        xml_append(out, "</details>\n");
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
    put_foot(&page.text, document);
    return output_put_text(&page.text, out, err);
}
