/* The report as text, for a terminal or a file: the answer on one screen, and in a full report for each problem a
 * section with its rows and the answer to it. */

#include "harness/base/text.h"
#include "harness/report/formats/contents.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/prose.h"
#include "harness/report/formats/text_table.h"
#include "harness/report/report.h"

#include <string.h>

/* The output so far. */
struct page {
    FILE *out;
    unsigned width;
    bool has_begun, is_colored;
    struct pool pool; /* of texts that are put together here */
};

static bool page_end(struct page *page, struct error *err)
{
    const bool is_short = page->pool.is_short;
    pool_release(&page->pool);
    return is_short ? fail(err, STATUS_NO_MEMORY, "no memory for the report") : output_end(page->out, err);
}

/* An empty line between two parts. */
static void blank_line(struct page *page)
{
    fputs(page->has_begun ? "\n" : "", page->out);
    page->has_begun = true;
}

static void print_table(struct page *page, const struct table *table, bool is_brief)
{
    if (table->rows == 0)
        return;
    blank_line(page);
    text_table_print(table, &(struct text_style){ page->width, is_brief, page->is_colored }, page->out);
}

/* After an empty line: labels in a column of their own, of at least so many columns, which equal neighbours share;
 * texts wrapped beside them. */
static void print_columns(struct page *page, unsigned least, const struct lines *lines)
{
    unsigned margin = least;
    if (lines->lines > 0)
        blank_line(page);
    for (unsigned i = 0; i < lines->lines; i++) {
        const unsigned width = text_width(lines->line[i].label);
        margin = width > 0 && width + 2 > margin ? width + 2 : margin;
    }
    for (unsigned i = 0; i < lines->lines; i++) {
        const char *label = lines->line[i].label;
        const bool is_repeated = i > 0 && strcmp(label, lines->line[i - 1].label) == 0;
        prose_fit(PRINTED(256, "%-*s", (int)margin, is_repeated ? "" : label), lines->line[i].text, page->width,
                  page->out);
    }
}

/* "raced on cpu: ...", "B, baseline: ...", "A: ..." */
static void print_lines(struct page *page, const struct lines *lines)
{
    for (unsigned i = 0; i < lines->lines; i++) {
        const struct line *line = &lines->line[i];
        bool both = *line->letter && *line->label, any = *line->letter || *line->label;
        prose_fit("",
                  pool_print(&page->pool, "%s%s%s%s%s", line->letter, both ? ", " : "", line->label, any ? ": " : "",
                             line->text),
                  page->width, page->out);
    }
}

static void print_brief(struct page *page, const struct brief *brief)
{
    enum { MARGIN = 14 };
    if (*brief->alarm) {
        blank_line(page);
        prose_fit("", brief->alarm, page->width, page->out);
    }
    print_columns(page, 0, &brief->answers);
    print_columns(page, 0, &brief->devices);
    for (unsigned i = 0; i < brief->tables; i++)
        print_table(page, &brief->table[i], true);
    print_columns(page, 0, &brief->claims);
    print_columns(page, MARGIN, &brief->costs);
    print_columns(page, MARGIN, &brief->reasons);
    if (brief->reasons.lines == 0 && brief->warnings.lines > 0)
        blank_line(page);
    for (unsigned i = 0; i < brief->warnings.lines; i++)
        prose_fit("! ", brief->warnings.line[i].text, page->width, page->out);
    blank_line(page);
    prose_fit("", brief->title, page->width, page->out);
}

/* As the first part of a full report its pointers would lead to that report. */
static void print_briefs(struct page *page, const struct contents *contents, const struct results *results)
{
    print_table(page, &contents->beside, true);
    for (unsigned i = 0; i < results->runs; i++) {
        if (!contents->brief[i].title)
            continue;
        if (results->runs > 1) {
            blank_line(page);
            fprintf(page->out, "run %s\n", results_letter(i));
            page->has_begun = false;
        }
        print_brief(page, &contents->brief[i]);
        if (!contents->is_full)
            print_lines(page, &contents->brief[i].pointers);
    }
}

static void print_section(struct page *page, const struct section *section)
{
    blank_line(page);
    prose_fit("", section->title, page->width, page->out);
    print_lines(page, &section->about);
    print_table(page, &section->table, false);
    if (section->answers.lines > 0)
        blank_line(page);
    print_lines(page, &section->answers);
    if (section->notes.lines > 0)
        blank_line(page);
    text_table_notes(&section->notes, page->width, page->out);
}

static void print_run(struct page *page, const struct run_heading *run)
{
    blank_line(page);
    if (*run->letter) {
        const char *lead = pool_print(&page->pool, "run %s%s", run->letter, *run->name ? ": " : "");
        prose_fit(lead, run->name, page->width, page->out);
    }
    print_lines(page, &run->about);
}

static void print_document(struct page *page, const struct document *document)
{
    if (document->runs == 0) {
        prose_fit("", document->title, page->width, page->out);
        page->has_begun = true;
    }
    if (document->head.lines > 0 && page->has_begun && document->runs > 0)
        blank_line(page);
    print_lines(page, &document->head);
    page->has_begun |= document->head.lines > 0;
    for (unsigned i = 0; i < document->runs; i++)
        print_run(page, &document->run[i]);
    for (unsigned i = 0; i < document->sections; i++)
        print_section(page, &document->section[i]);
    if (document->notes.lines > 0)
        blank_line(page);
    print_lines(page, &document->notes);
}

static bool table_write(const struct results *results, const struct layout *layout, FILE *out, struct error *err)
{
    struct contents contents;
    struct page page = { .out = out, .width = layout->width, .is_colored = layout->is_colored };
    const bool made = contents_make(&contents, results, layout, false, err);
    if (made)
        print_briefs(&page, &contents, results);
    if (made && contents.is_full)
        print_document(&page, &contents.document);
    contents_release(&contents, results);
    return made && page_end(&page, err);
}

static bool table_document(const struct document *document, unsigned width, FILE *out, struct error *err)
{
    struct page page = { .out = out, .width = width };
    print_document(&page, document);
    return page_end(&page, err);
}

const struct report report_table = {
    .name = "table",
    .extension = "txt",
    .write = table_write,
    .document = table_document,
};
