/* A document as text, for a terminal or a file. */

#include "harness/base/text.h"
#include "harness/report/formats/formats.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/prose.h"
#include "harness/report/formats/text_table.h"

#include <string.h>

/* The output so far. */
struct page {
    FILE *out;
    unsigned width;
    struct pool pool; /* of texts that are put together here */
};

/* Labels in a column of their own, of at least so many columns, which equal neighbours share; texts beside them. */
static void put_beside(struct page *page, const struct item *line, const struct item *end, unsigned margin)
{
    for (const struct item *one = line; one < end; one++) {
        const unsigned width = text_width(one->label);
        margin = width > 0 && width + 2 > margin ? width + 2 : margin;
    }
    for (const struct item *one = line; one < end; one++) {
        const char *label = one > line && strcmp(one->label, one[-1].label) == 0 ? "" : one->label;
        prose_fit(pool_print(&page->pool, "%-*s", (int)margin, label), one->text, page->width, page->out);
    }
}

/* "tried on cpu: ...", "B, baseline: ...", "A: ...", or numbered. */
static void put_sentences(struct page *page, const struct item *line, const struct item *end)
{
    for (const struct item *one = line; one < end; one++) {
        const bool has_both = *one->letter && *one->label, has_any = *one->letter || *one->label;
        if (one->about == ABOUT_FOOTNOTE)
            prose_fit(pool_print(&page->pool, "  %2u  ", (unsigned)(one - line) + 1), one->text, page->width,
                      page->out);
        else
            prose_fit("",
                      pool_print(&page->pool, "%s%s%s%s%s", one->letter, has_both ? ", " : "", one->label,
                                 has_any ? ": " : "", one->text),
                      page->width, page->out);
    }
}

static void put_lines(struct page *page, const struct item *line, const struct item *end)
{
    enum { MARGIN = 14 };
    switch (line->about) {
    case ABOUT_ANSWER:
    case ABOUT_DEVICE:
    case ABOUT_CLAIM:
        put_beside(page, line, end, 0);
        break;
    case ABOUT_COST:
    case ABOUT_REASON:
        put_beside(page, line, end, MARGIN);
        break;
    case ABOUT_WARNING:
        for (; line < end; line++)
            prose_fit("! ", line->text, page->width, page->out);
        break;
    default:
        put_sentences(page, line, end);
    }
}

bool text_write(const struct document *document, unsigned width, FILE *out, struct error *err)
{
    struct page page = { .out = out, .width = width };
    const struct item *before = NULL;
    for (const struct item *item = document->item, *end; item < document->item + document->items; item = end) {
        const struct text_style style = { width, item->level == LEVEL_SCREEN, document->is_colored };
        end = document_group_end(document, item);
        if (item->kind == ITEM_END || item->kind == ITEM_PICTURE)
            continue;
        /* What a heading begins with stands close to it, and warnings below reasons. */
        const bool is_close = before && item->kind == ITEM_LINE &&
                              (before->kind == ITEM_LINE ? before->about == ABOUT_REASON && item->about == ABOUT_WARNING
                                                         : before->kind != ITEM_TABLE && item->about != ABOUT_VERDICT);
        fputs(before && !is_close ? "\n" : "", out);
        if (item->kind == ITEM_LINE)
            put_lines(&page, item, end);
        else if (item->kind == ITEM_TABLE)
            text_table_print(item->table, &style, &page.pool, out);
        else
            prose_fit(*item->letter ? pool_print(&page.pool, "run %s%s", item->letter, *item->text ? ": " : "") : "",
                      item->text, width, out);
        before = end - 1;
    }
    const bool is_short = page.pool.is_short;
    pool_release(&page.pool);
    return is_short ? fail(err, STATUS_NO_MEMORY, "no memory for the report") : output_end(out, err);
}
