#include "harness/journal/journal.h"
#include "harness/report/report.h"
#include "tests/support/golden.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"
#include "tests/support/printed.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

TestSuite(html, .fini = release_kept);

/* The page of some runs. */
static char *page_text(struct record *const record[], unsigned runs)
{
    struct result run[JOURNALS] = { { .path = "" } };
    for (unsigned i = 0; i < runs; i++)
        run[i] = (struct result){ .path = "a folder/<b>.jsonl", .record = record[i], .faults = { .complete = true } };
    return printed_runs(&(struct results){ run, runs }, "html", &(struct layout){ 0 });
}

Test(html, the_same_journal_gives_the_same_page_anywhere)
{
    struct record *record = read_golden(GOLDEN, "mixed");
    char *here = page_text(&record, 1);
    setenv("TZ", "Pacific/Chatham", 1);
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    setenv("LANGUAGE", "de", 1);
    tzset();
    char *there = page_text(&record, 1);
    cr_expect_str_eq(here, there);
}

static unsigned count_of(const char *text, const char *what)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
        count++;
    return count;
}

Test(html, the_journal_is_named_without_its_folder)
{
    struct record *record = new_record();
    char *text = page_text(&record, 1);
    cr_expect(strstr(text, " from <bdi>&lt;b&gt;.jsonl</bdi>.") && !strstr(text, "a folder"), "%s", text);
}

Test(html, the_answer_is_first_and_what_explains_it_is_folded)
{
    struct record *record = read_golden(GOLDEN, "mixed");
    char *text = page_text(&record, 1);
    const char *answer = strstr(text, "<p class=\"answer first\">"), *table = strstr(text, "<table>");
    const char *picture = strstr(text, "<figure"), *folded = strstr(text, "<details");
    cr_assert(answer && table && picture && folded);
    cr_expect(answer < picture && picture < table && table < folded);
    cr_expect(strstr(folded, "class=\"notes\"") && strstr(folded, "drift") && !strstr(text, "<details open"));
}

Test(html, rows_have_links_to_their_notes)
{
    struct record *record = read_golden(GOLDEN, "mixed");
    char *text = page_text(&record, 1);
    cr_expect_gt(count_of(text, "href=\"#n-"), 3);
    cr_expect_geq(count_of(text, "href=\"#n-"), count_of(text, "<li id=\"n-"));
}

Test(html, a_page_may_apply_its_own_style_and_nothing_else)
{
    struct record *record = new_record();
    char *text = page_text(&record, 1);
    cr_expect(strstr(text, "\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "));
    cr_expect_lt(strstr(text, "Content-Security-Policy"), strstr(text, "<title>"));
    cr_expect(strstr(text, "prefers-color-scheme: dark") && strstr(text, "@media print"));
}

/* A document as HTML. */
static char *document_text(struct document *document)
{
    char *text = NULL;
    size_t size;
    struct error err = { 0 };
    FILE *out = open_memstream(&text, &size);
    cr_assert(report_html.write(document, 0, out, &err), "%s", err.message);
    fclose(out);
    pool_release(&document->pool);
    return kept_text(text);
}

Test(html, each_folded_section_of_a_document_has_an_id_of_its_own)
{
    struct document document = { .medium = MEDIUM_PAGE };
    document_heading(&document, 1, "a comparison");
    for (unsigned i = 0; i < 2; i++) {
        document_fold(&document, "the same title");
        document_end(&document);
    }
    const char *text = document_text(&document);
    cr_expect(strstr(text, "<details id=\"t-1\">") && strstr(text, "<details id=\"t-2\">"), "%s", text);
}

static char *table_text(const struct table *table)
{
    struct document document = { .medium = MEDIUM_PAGE };
    document_heading(&document, 1, "a table");
    document.level = LEVEL_FULL;
    document_table(&document, table);
    return document_text(&document);
}

Test(html, a_wide_table_is_whole_and_a_failed_row_spans_the_rest)
{
    enum { COLUMNS = 12 };
    struct column column[COLUMNS];
    const char *field[COLUMNS];
    for (unsigned i = 0; i < COLUMNS; i++) {
        column[i] = (struct column){ "c", "", ALIGN_NUMBER, i == 0 ? GROUP_NAME : i < 6 ? GROUP_RATE : GROUP_TIME, "" };
        field[i] = i < 6 ? "1" : "2";
    }
    struct row row[] = { { .field = field }, { .field = field, .span = "failed: <why>", .span_at = 2 } };
    const struct table table = { .column = column, .columns = COLUMNS, .row = row, .rows = 2 };
    char *text = table_text(&table);
    cr_expect_eq(count_of(text, "<table>"), 1);
    cr_expect_eq(count_of(text, "<td class=\"wide\" colspan=\"10\">failed: &lt;why&gt;</td>"), 1, "%s", text);
    cr_expect_eq(count_of(text, "<tr>"), 1 + 2);
    cr_expect_eq(count_of(text, "<span class=\"of\">c</span> 2</td>"), 6, "%s", text);
}
