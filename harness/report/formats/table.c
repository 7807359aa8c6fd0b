/* The report as text, for a terminal or a file: for each problem a section with its rows and the answer in words. */

#include "harness/base/text.h"
#include "harness/report/content/brief.h"
#include "harness/report/content/comparison_document.h"
#include "harness/report/content/document.h"
#include "harness/report/formats/brief_text.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/prose.h"
#include "harness/report/formats/text_table.h"
#include "harness/report/report.h"

#include <string.h>

/* The output so far. */
struct page {
    FILE *out;
    unsigned width;
    bool has_begun;
};

/* An empty line between two parts. */
static void blank_line(struct page *page)
{
    fputs(page->has_begun ? "\n" : "", page->out);
    page->has_begun = true;
}

static void print_table(struct page *page, const struct table *table)
{
    struct text_table text_table;
    struct text_table_part parts[TEXT_TABLE_COLUMNS];
    if (table->rows == 0)
        return;
    text_table_measure(&text_table, table);
    for (unsigned i = 0, count = text_table_cut(&text_table, table->is_grouped ? 0 : page->width, parts); i < count;
         i++) {
        blank_line(page);
        text_table_print(&text_table, &parts[i], page->width, page->out);
    }
}

/* A text starts beside a label of at most this many columns, and below a longer one. */
enum { LABEL_MAX = 24 };

/* All lines of the text are indented by `margin`. */
static void print_labelled(const struct page *page, const char *label, unsigned margin, const char *text)
{
    char lead[4 * LABEL_MAX + TEXT_NUMBER];
    unsigned width = text_width(label);
    if (width > LABEL_MAX) {
        prose_fit("", label, page->width, page->out);
        label = "";
        width = 0;
    }
    snprintf(lead, sizeof lead, "%.*s%*s", 4 * LABEL_MAX, label, (int)(margin - width), "");
    prose_fit(lead, text, page->width, page->out);
}

static unsigned label_width(const struct lines *lines)
{
    unsigned widest = 0;
    for (unsigned i = 0; i < lines->lines; i++) {
        unsigned width = text_width(lines->line[i].label);
        widest = width <= LABEL_MAX && width > widest ? width : widest;
    }
    return widest;
}

/* "raced on cpu: ...", "B, baseline: ...", "A: ..." */
static void print_lines(const struct page *page, const struct lines *lines)
{
    char label[512];
    for (unsigned i = 0; i < lines->lines; i++) {
        const struct line *line = &lines->line[i];
        bool both = *line->letter && *line->label, any = *line->letter || *line->label;
        snprintf(label, sizeof label, "%s%s%s%s", line->letter, both ? ", " : "", line->label, any ? ":" : "");
        text_clean(label, sizeof label, label); /* may have been cut within a character */
        unsigned width = text_width(label);
        print_labelled(page, label, !any ? 0 : width > LABEL_MAX ? 2 : width + 1, line->text);
    }
}

static void print_section(struct page *page, const struct section *section)
{
    blank_line(page);
    prose_fit("", section->title, page->width, page->out);
    print_lines(page, &section->about);
    print_table(page, &section->table);
    if (section->legend.lines > 0)
        blank_line(page);
    for (unsigned i = 0; i < section->legend.lines; i++) {
        char lead[TEXT_NUMBER];
        snprintf(lead, sizeof lead, "%.16s ", section->legend.line[i].label);
        prose_fit(lead, section->legend.line[i].text, page->width, page->out);
    }
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
        char lead[LETTER_ROOM + TEXT_NUMBER];
        snprintf(lead, sizeof lead, "run %s%s", run->letter, *run->name ? ": " : "");
        prose_fit(lead, run->name, page->width, page->out);
    }
    for (unsigned i = 0, width = label_width(&run->about); i < run->about.lines; i++)
        print_labelled(page, run->about.line[i].label, width + 2, run->about.line[i].text);
}

static void print_document(struct page *page, const struct document *document)
{
    if (document->runs == 0) {
        prose_fit("", document->title, page->width, page->out);
        page->has_begun = true;
    }
    print_lines(page, &document->head);
    for (unsigned i = 0; i < document->runs; i++)
        print_run(page, &document->run[i]);
    print_table(page, &document->ceilings);
    for (unsigned i = 0; i < document->sections; i++)
        print_section(page, &document->section[i]);
    if (document->notes.lines > 0)
        blank_line(page);
    print_lines(page, &document->notes);
    if (document->missing.lines > 0)
        blank_line(page);
    print_lines(page, &document->missing);
}

static bool table_write(const struct results *results, const struct layout *layout, FILE *out, struct error *err)
{
    struct document document;
    struct page page = { .out = out, .width = layout->width };
    if (brief_fits(results) && !brief_text_write(results, layout, out, err))
        return false;
    if (layout->is_brief && brief_fits(results))
        return output_end(out, err);
    page.has_begun = brief_fits(results) && results->runs > 0;
    bool made = document_make(&document, results, err);
    if (made)
        print_document(&page, &document);
    document_release(&document);
    return made && output_end(out, err);
}

static bool table_compare(const struct comparison *comparison, unsigned width, FILE *out, struct error *err)
{
    struct document document;
    struct page page = { .out = out, .width = width };
    bool made = comparison_document_make(&document, comparison, width, err);
    if (made)
        print_document(&page, &document);
    document_release(&document);
    return made && output_end(out, err);
}

const struct report report_table = {
    .name = "table",
    .extension = "txt",
    .write = table_write,
    .compare = table_compare,
};
