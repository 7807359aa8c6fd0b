/* The report as text, for a terminal or a file: the answer on one screen, and in a full report for each problem a
 * section with its rows and the answer to it. */

#include "harness/base/text.h"
#include "harness/report/content/comparison_document.h"
#include "harness/report/formats/contents.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/prose.h"
#include "harness/report/formats/text_table.h"
#include "harness/report/report.h"

#include <stdlib.h>
#include <string.h>

/* The output so far. */
struct page {
    FILE *out;
    unsigned width;
    bool has_begun, is_colored;
};

/* An empty line between two parts. */
static void blank_line(struct page *page)
{
    fputs(page->has_begun ? "\n" : "", page->out);
    page->has_begun = true;
}

static void print_table(struct page *page, const struct table *table)
{
    struct text_style style = { .width = table->is_grouped ? 0 : page->width, .gap = 2 };
    if (table->rows == 0)
        return;
    style.gap -= table->is_grouped && page->width > 0 && text_table_width(table, &style) > page->width;
    blank_line(page);
    text_table_print(table, &style, page->out);
}

/* A text starts beside a label of at most this many columns, and below a longer one. */
enum { LABEL_MAX = 24, COLUMN_MAX = 40, TEXT_MIN = 30 };

static unsigned label_width(const struct lines *lines)
{
    unsigned widest = 0;
    for (unsigned i = 0; i < lines->lines; i++) {
        unsigned width = text_width(lines->line[i].label);
        widest = width <= COLUMN_MAX && width > widest ? width : widest;
    }
    return widest;
}

/* Labels in a column of their own, which equal neighbours share, texts wrapped beside them; below them where there is
 * no room beside. The heading is before the first. */
static void print_columns(const struct page *page, const char *heading, const struct lines *lines)
{
    const unsigned head = text_width(heading), widest = label_width(lines);
    const bool is_narrow = page->width > 0 && head + widest + 2 + TEXT_MIN > page->width;
    for (unsigned i = 0; i < lines->lines; i++) {
        char lead[256];
        const bool is_repeated = i > 0 && *heading && strcmp(lines->line[i].label, lines->line[i - 1].label) == 0;
        const char *label = is_repeated ? "" : lines->line[i].label, *first = i == 0 ? heading : "";
        unsigned width = text_width(label), margin = widest > 0 ? widest + 2 : 0;
        snprintf(lead, sizeof lead, "%-*s", (int)head, first);
        if (width > COLUMN_MAX || (is_narrow && width > 0)) {
            prose_fit(lead, label, page->width, page->out);
            snprintf(lead, sizeof lead, "%*s", (int)(head + (is_narrow ? 2 : margin)), "");
        } else
            snprintf(lead, sizeof lead, "%-*s%s%*s", (int)head, first, label, (int)(is_narrow ? 2 : margin - width),
                     "");
        prose_fit(lead, lines->line[i].text, page->width, page->out);
    }
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
        bool is_long = text_width(label) > LABEL_MAX;
        if (is_long)
            prose_fit("", label, page->width, page->out);
        else if (any)
            text_append(label, sizeof label, " ");
        prose_fit(is_long ? "  " : label, line->text, page->width, page->out);
    }
}

/* Leaves out the columns that a narrow page has no room for: methods first, then intervals, then rates. */
static void narrow(struct table *table, unsigned width)
{
    static const enum column_group order[] = { GROUP_COST, GROUP_PEAK, GROUP_RATE };
    const struct text_style style = { .gap = 1 };
    for (unsigned i = 0; i < sizeof order / sizeof *order && text_table_width(table, &style) > width; i++) {
        for (unsigned column = 0; column < table->columns; column++)
            for (unsigned row = 0; row < table->rows && table->column[column].group == order[i]; row++)
                table->row[row].field[column] = "";
        table_drop_empty(table);
    }
}

static void print_brief_table(struct page *page, struct table *table)
{
    struct text_style style = { .gap = 2, .is_colored = page->is_colored };
    narrow(table, page->width);
    style.gap -= text_table_width(table, &style) > page->width;
    if (table->rows > 0)
        blank_line(page);
    text_table_print(table, &style, page->out);
}

static void print_brief(struct page *page, const struct brief *brief)
{
    const struct lines *const groups[] = { &brief->claims,    &brief->costs,    &brief->why,
                                           &brief->breakeven, &brief->warnings, &brief->pointers };
    static const char *const headings[] = { "", "", "Why         ", "Break-even  ", "", "" };
    if (*brief->alarm)
        prose_fit("", brief->alarm, page->width, page->out);
    page->has_begun = *brief->alarm != '\0';
    blank_line(page);
    print_columns(page, "", &brief->answers);
    blank_line(page);
    print_columns(page, "", &brief->devices);
    for (unsigned i = 0; i < brief->tables; i++)
        print_brief_table(page, &brief->table[i]);
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (groups[i]->lines > 0 && !(groups[i] == &brief->breakeven && brief->why.lines > 0))
            blank_line(page);
        if (groups[i] == &brief->pointers && groups[i]->lines > 0)
            prose_fit("", brief->title, page->width, page->out);
        print_columns(page, headings[i], groups[i]);
    }
}

/* As the first part of a full report its pointers would lead to that report. */
static void print_briefs(struct page *page, const struct contents *contents, const struct results *results)
{
    struct page brief_page = { page->out, page->width > 0 ? page->width : PROSE_WIDTH, false, page->is_colored };
    for (unsigned i = 0; i < results->runs; i++) {
        struct brief *brief = &contents->brief[i];
        char letter[LETTER_ROOM] = "";
        if (!brief->title)
            continue;
        if (contents->is_full)
            brief->pointers.lines = 0;
        if (page->has_begun)
            blank_line(page);
        if (results->runs > 1)
            fprintf(page->out, "run %s\n", results_letter(letter, i));
        if (contents->is_full) {
            prose_fit("", brief->title, brief_page.width, page->out);
            fputc('\n', page->out);
        }
        print_brief(&brief_page, brief);
        page->has_begun = true;
    }
}

static void print_section(struct page *page, const struct section *section)
{
    blank_line(page);
    prose_fit("", section->title, page->width, page->out);
    print_lines(page, &section->about);
    print_table(page, &section->table);
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
    print_columns(page, "", &run->about);
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
    return made && output_end(out, err);
}

static bool table_document(const struct document *document, unsigned width, FILE *out, struct error *err)
{
    struct page page = { .out = out, .width = width };
    print_document(&page, document);
    return output_end(out, err);
}

static bool table_compare(const struct comparison *comparison, unsigned width, FILE *out, struct error *err)
{
    struct document document;
    bool written =
        comparison_document_make(&document, comparison, width, err) && table_document(&document, width, out, err);
    document_release(&document);
    return written;
}

const struct report report_table = {
    .name = "table",
    .extension = "txt",
    .write = table_write,
    .compare = table_compare,
    .document = table_document,
};
