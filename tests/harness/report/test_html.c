#include "harness/journal/journal.h"
#include "harness/report/report.h"
#include "tests/support/golden.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"
#include "tests/support/page.h"
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

static void expect_sound(const char *name, const char *text)
{
    struct page page;
    page_read(&page, text);
    cr_expect_str_eq(page.fault, "", "%s: %s", name, page.fault);
    cr_expect_gt(json_array_size(page.tags), 30, "%s", name);
    cr_expect(json_object_get(page.ids, "tables") && json_object_get(page.ids, "glossary"), "%s", name);
    page_release(&page);
}

Test(html, a_page_is_well_formed_and_all_of_its_links_lead_somewhere)
{
    struct record *record[JOURNALS], *empty = new_record();
    for (unsigned i = 0; i < JOURNALS; i++) {
        record[i] = read_golden(GOLDEN, journals[i]);
        char *text = page_text(&record[i], 1);
        expect_sound(journals[i], text);
    }
    char *all = page_text(record, JOURNALS), *none = page_text(&empty, 1);
    expect_sound("several runs", all);
    expect_sound("an empty run", none);
    cr_expect(strstr(all, "<b class=\"letter\">C</b>") && !strstr(none, "class=\"letter\""));
}

Test(html, faults_of_a_page_are_seen)
{
    static const char *const faulty[] = {
        "<html></html>",
        "<!DOCTYPE html>\n<p>",
        "<!DOCTYPE html>\n<p><b></p></b>",
        "<!DOCTYPE html>\n</p>",
        "<!DOCTYPE html>\n<p>a & b</p>",
        "<!DOCTYPE html>\n<p>&nbsp;</p>",
        "<!DOCTYPE html>\n<p>\x1b[1m</p>",
        "<!DOCTYPE html>\n<p>\xef\xbf\xbe</p>",
        "<!DOCTYPE html>\n<p class=a></p>",
        "<!DOCTYPE html>\n<p class=\"a<b\"></p>",
        "<!DOCTYPE html>\n<p id=\"a\"></p><p id=\"a\"></p>",
        "<!DOCTYPE html>\n<p><a href=\"#a\">a</a></p>",
        "<!DOCTYPE html>\n<a href=\"http://a\">a</a>",
        "<!DOCTYPE html>\n<a href=\"javascript:a\">a</a>",
        "<!DOCTYPE html>\n<a href=\"file://host/a\">a</a>",
        "<!DOCTYPE html>\n<p onclick=\"a\"></p>",
        "<!DOCTYPE html>\n<p style=\"a\"></p>",
        "<!DOCTYPE html>\n<script></script>",
        "<!DOCTYPE html>\n<img src=\"a\"/>",
        "<!DOCTYPE html>\n<iframe></iframe>",
        "<!DOCTYPE html>\n<!-- a -->",
        "<!DOCTYPE html>\n<style>a { b: url(c) }</style>",
        "<!DOCTYPE html>\n<style>@import 'a';</style>",
        "<!DOCTYPE html>\n<svg class=\"picture wide\"><foreignObject></foreignObject></svg>",
        "<!DOCTYPE html>\n<svg class=\"picture wide\"><path onload=\"a\"/></svg>",
        "<!DOCTYPE html>\n<svg class=\"picture wide\"><use href=\"http://a\"/></svg>",
    };
    struct page page;
    page_read(&page, "<!DOCTYPE html>\n<p id=\"a\"><a href=\"#a\">a &amp; b</a><br/></p>\n");
    cr_expect_str_eq(page.fault, "", "%s", page.fault);
    page_release(&page);
    for (unsigned i = 0; i < sizeof faulty / sizeof *faulty; i++) {
        page_read(&page, faulty[i]);
        cr_expect_str_neq(page.fault, "", "%s", faulty[i]);
        page_release(&page);
    }
}

/* A journal all of whose texts say the same. */
static struct record *record_of(const char *word)
{
    struct record *record = new_record();
    json_t *text = json_string(word);
    cr_assert(text);
    json_t *line = json_pack("{s:s, s:O, s:O, s:{s:O, s:i}, s:[O, O]}", "line", "journal", "version", text, "started",
                             text, "host", "name", text, "cores", 2, "command", text, text);
    add_line(record, line);
    for (unsigned i = 0; i < 2; i++) {
        char id[8];
        snprintf(id, sizeof id, "d%u", i);
        add_line(record, json_pack("{s:s, s:s, s:s, s:s, s:s, s:O, s:O, s:O}", "line", "device", "id", id, "key", id,
                                   "class", i == 0 ? "CPU" : "dGPU", "backend", "fake", "name", text, "platform", text,
                                   "driver_version", text));
        add_line(record,
                 json_pack("{s:s, s:s, s:s, s:s, s:O, s:O, s:O, s:O, s:O, s:O, s:s, s:f, s:f}", "line", "cell", "key",
                           id, "block", "b", "device", id, "workload", text, "dtype", text, "shape", text, "method",
                           text, "memory", text, "detail", text, "baseline", "d0", "flops", 1e9, "bytes", 1e6));
        add_line(record,
                 json_pack("{s:s, s:s, s:s, s:[{s:O, s:O, s:s, s:i}]}", "line", "race", "block", "b", "device", id,
                           "contenders", "method", text, "kernel_shape", text, "status", "ok", "wall_ns", 5));
    }
    for (int turn = 0; turn < 20; turn++)
        add_line(record, json_pack("{s:s, s:s, s:s, s:i, s:[i]}", "line", "slice", "cell", turn % 2 ? "d1" : "d0",
                                   "series", "resident", "number", turn, "wall_ns", 1000 + 7 * turn % 5));
    add_line(record, json_pack("{s:s, s:s, s:s, s:i}", "line", "outcome", "cell", "d0", "status", "ok", "x", 0));
    add_line(record, json_pack("{s:s, s:s, s:s, s:O, s:O}", "line", "outcome", "cell", "d1", "status", "failed",
                               "where", text, "reason", text));
    add_line(record, json_pack("{s:s, s:s, s:O}", "line", "note", "cell", "d0", "text", text));
    add_line(record, json_pack("{s:s, s:s, s:O}", "line", "note", "cell", "", "text", text));
    add_line(record,
             json_pack("{s:s, s:O, s:O, s:O}", "line", "absent", "backend", text, "source", text, "reason", text));
    add_line(record, json_pack("{s:s, s:s}", "line", "end", "status", "complete"));
    json_decref(text);
    return record;
}

static json_t *tags_of(const char *word, char **text)
{
    struct page page;
    struct record *record = record_of(word);
    *text = page_text(&record, 1);
    page_read(&page, *text);
    cr_expect_str_eq(page.fault, "", "%s: %s", word, page.fault);
    json_t *tags = json_incref(page.tags);
    page_release(&page);
    return tags;
}

Test(html, texts_of_a_journal_add_no_element_and_no_attribute)
{
    static const char *const terms[] = {
        "<script>alert(1)</script>",
        "</style></title></td></table><script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "\" onfocus=\"alert(1)\" autofocus=\"",
        "<!--",
        "-->]]>",
        "<![CDATA[",
        "javascript:alert(1)",
        "http://example.org/a.png",
        "&lt;script&gt;&#60;b&#62;&amp;",
        "&",
        "\u202e\u2066\u05d0\u05d1\u05d2\u200f",
        "\x1b]8;;http://example.org\x07",
        "\ufffe\uffff",
        "|=1+1",
        "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"
        "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"
        "w",
    };
    char *harmless, *text;
    json_t *wanted = tags_of("a", &harmless);
    cr_assert_gt(json_array_size(wanted), 60);
    for (unsigned i = 0; i < sizeof terms / sizeof *terms; i++) {
        json_t *tags = tags_of(terms[i], &text);
        cr_expect(json_equal(tags, wanted), "%s", terms[i]);
        cr_expect_eq(strstr(text, "<script"), NULL);
        json_decref(tags);
    }
    json_decref(wanted);
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
    struct page page;
    document_heading(&document, 1, "a comparison");
    for (unsigned i = 0; i < 2; i++) {
        document_fold(&document, "", "the same title");
        document_end(&document);
    }
    const char *text = document_text(&document);
    page_read(&page, text);
    cr_expect_str_eq(page.fault, "", "%s", page.fault);
    cr_expect_eq(count_of(text, "<details id="), 3, "%s", text);
    page_release(&page);
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
    struct row row[] = { { .field = field, .notes = "" },
                         { .field = field, .span = "failed: <why>", .span_at = 2, .notes = "" } };
    const struct table table = { .column = column, .columns = COLUMNS, .row = row, .rows = 2 };
    char *text = table_text(&table);
    cr_expect_eq(count_of(text, "<table>"), 1);
    cr_expect_eq(count_of(text, "<td class=\"wide\" colspan=\"10\">failed: &lt;why&gt;</td>"), 1, "%s", text);
    cr_expect_eq(count_of(text, "<tr>"), 1 + 2);
    cr_expect_eq(count_of(text, "<span class=\"of\">c</span> 2</td>"), 6, "%s", text);
}
