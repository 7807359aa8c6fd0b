#include "harness/base/text.h"
#include "harness/report/content/builder.h"
#include "harness/report/formats/markdown.h"
#include "harness/report/formats/text_table.h"
#include "harness/report/glossary/glossary.h"
#include "harness/report/report.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(pool, .fini = release_kept);
TestSuite(document, .fini = release_kept);
TestSuite(table, .fini = release_kept);
TestSuite(markdown, .fini = release_kept);

/* Runs of made-up journals, and what is made of them. */
enum { RUNS_MAX = 3 };

struct journals {
    struct result run[RUNS_MAX];
    struct results results;
};

static void open_journals(struct journals *journals, const char *const names[])
{
    struct error err = { .status = STATUS_OK };
    *journals = (struct journals){ .results = { .run = journals->run } };
    for (unsigned i = 0; names[i]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.jsonl", GOLDEN, names[i]);
        cr_assert(result_read(&journals->run[i], path, &err), "%s", err.message);
        journals->run[i].path = names[i];
        journals->results.runs++;
    }
}

static void close_journals(struct journals *journals)
{
    for (unsigned i = 0; i < journals->results.runs; i++)
        result_release(&journals->run[i]);
}

static char *written(const struct journals *journals, const struct report *report, unsigned width)
{
    char *text;
    size_t size;
    struct error err = { .status = STATUS_OK };
    FILE *out = open_memstream(&text, &size);
    cr_assert(report->write(&journals->results, &(struct layout){ .width = width }, out, &err), "%s", err.message);
    fclose(out);
    return text;
}

static const struct section *section_of(const struct document *document, const char *title)
{
    for (unsigned i = 0; i < document->sections; i++)
        if (strncmp(document->section[i].title, title, strlen(title)) == 0)
            return &document->section[i];
    cr_assert_fail("no section '%s'", title);
    return NULL;
}

Test(pool, what_it_gives_stays_apart)
{
    enum { MANY = 20000 };
    static const char *text[MANY];
    struct pool pool = { .block = NULL };
    unsigned *number = NULL, room = 0;
    for (unsigned i = 0; i < MANY; i++) {
        text[i] = pool_print(&pool, "%u of %s", i, i % 100 ? "many" : "a text that is a little longer than the others");
        number = pool_grow(&pool, number, i, &room, sizeof *number);
        number[i] = i;
    }
    char *large = pool_take(&pool, 1 << 20), *small = pool_take(&pool, 1);
    cr_assert(large && small);
    for (unsigned i = 0; i < 1 << 20; i++)
        cr_assert_eq(large[i], 0);
    memset(large, 'x', 1 << 20);
    for (unsigned i = 0; i < MANY; i++) {
        cr_assert_eq(strtoul(text[i], NULL, 10), i);
        cr_assert_eq(number[i], i);
    }
    cr_assert_eq(*small, 0);
    cr_assert_str_eq(pool_copy(&pool, ""), "");
    cr_assert_not(pool.is_short);
    pool_release(&pool);
    cr_assert_eq(pool.block, NULL);
}

Test(document, one_run_has_no_letter)
{
    struct journals journals;
    struct document document;
    struct error err = { .status = STATUS_OK };
    open_journals(&journals, (const char *const[]){ "mixed", NULL });
    cr_assert(document_make(&document, &journals.results, &err));
    cr_assert_eq(document.runs, 1);
    cr_assert_str_eq(document.run[0].letter, "");
    for (unsigned i = 0; i < document.sections; i++) {
        cr_assert_str_eq(document.section[i].table.column[0].title, "device");
        for (unsigned k = 0; k < document.section[i].answers.lines; k++)
            cr_assert_str_eq(document.section[i].answers.line[k].letter, "");
    }
    document_release(&document);
    close_journals(&journals);
}

/* The same problem of two runs is one section; speed-ups stay those over the baseline of the row's own run. */
Test(document, runs_stand_side_by_side)
{
    static const char problem[] = "multiply f32, n = 40,000,000";
    struct journals both, alone;
    struct document document, single;
    struct error err = { .status = STATUS_OK };
    open_journals(&both, (const char *const[]){ "mixed", "mixed", NULL });
    open_journals(&alone, (const char *const[]){ "mixed", NULL });
    cr_assert(document_make(&document, &both.results, &err) && document_make(&single, &alone.results, &err));
    cr_assert_eq(document.sections, single.sections);
    const struct section *section = section_of(&document, problem), *other = section_of(&single, problem);
    const struct table *table = &section->table;
    cr_assert_str_eq(table->column[0].title, "run");
    cr_assert_eq(table->columns, other->table.columns + 1);
    cr_assert_eq(table->rows, 2 * other->table.rows);
    cr_assert_eq(section->notes.lines, other->notes.lines);
    cr_assert_eq(section->answers.lines, 2 * other->answers.lines);
    for (unsigned i = 0; i < table->rows; i++) {
        const struct row *row = &table->row[i], *same = &other->table.row[i % other->table.rows];
        cr_assert_str_eq(row->field[0], i < other->table.rows ? "A" : "B");
        for (unsigned k = 0; k < other->table.columns; k++)
            cr_assert_str_eq(row->field[k + 1], same->field[k]);
        cr_assert_eq(row->notes, same->notes);
    }
    cr_assert_str_eq(section->answers.line[0].letter, "A");
    cr_assert_str_eq(section->answers.line[other->answers.lines].letter, "B");
    document_release(&document);
    document_release(&single);
    close_journals(&both);
    close_journals(&alone);
}

/* Problems that one of the runs alone has follow those of the first. */
Test(document, what_one_run_alone_has_is_there_too)
{
    struct journals journals;
    struct document document;
    struct error err = { .status = STATUS_OK };
    open_journals(&journals, (const char *const[]){ "mixed", "interrupted", "hostile", NULL });
    cr_assert(document_make(&document, &journals.results, &err));
    unsigned rows = 0, cells = 0;
    for (unsigned i = 0; i < journals.results.runs; i++)
        cells += journals.run[i].record->cells;
    for (unsigned i = 0; i < document.sections; i++) {
        rows += document.section[i].table.rows;
        for (unsigned k = 0; k < i; k++)
            cr_assert_str_neq(document.section[i].anchor, document.section[k].anchor);
    }
    cr_assert_eq(rows, cells);
    cr_assert_eq(document.head.lines, 4, "that B was broken off, and three faults of C");
    cr_assert_str_eq(document.head.line[0].letter, "B");
    document_release(&document);
    close_journals(&journals);
}

/* Of what its cell counts; the other rows of the document have no such column. */
Test(document, a_row_says_how_many_samples_a_second_it_does)
{
    struct journals journals = { .results = { .runs = 1 } };
    struct document document;
    struct error err = { .status = STATUS_OK };
    struct record *record = journals.run[0].record = new_record();
    journals.results.run = journals.run;
    journals.run[0].path = "made.jsonl";
    for (unsigned i = 0; i < 2; i++) {
        addf(record,
             "{\"line\":\"cell\",\"key\":\"%u\",\"block\":\"%u\",\"device\":\"d\",\"workload\":\"%s\","
             "\"dtype\":\"f32\",\"flops\":1e6%s}",
             i, i, i ? "multiply" : "train", i ? "" : ",\"items\":\"samples\",\"items_per_run\":4096");
        addf(record, "{\"line\":\"slice\",\"cell\":\"%u\",\"series\":\"resident\",\"number\":1,\"wall_ns\":[1000000]}",
             i);
    }
    cr_assert(document_make(&document, &journals.results, &err), "%s", err.message);
    const struct table *of_train = &section_of(&document, "train")->table,
                       *other = &section_of(&document, "multiply")->table;
    unsigned column = 0;
    while (column < of_train->columns && strcmp(of_train->column[column].title, "samples") != 0)
        column++;
    cr_assert_lt(column, of_train->columns);
    cr_expect_str_eq(of_train->column[column].below, "/s");
    cr_expect_str_eq(of_train->row[0].field[column], "4100000");
    for (column = 0; column < other->columns; column++)
        cr_expect_str_neq(other->column[column].below, "/s");
    document_release(&document);
}

static unsigned longest_line(const char *text)
{
    unsigned longest = 0;
    char line[4096];
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
        longest = text_width(line) > longest ? text_width(line) : longest;
    }
    return longest;
}

/* Whoever shows a column can say what it means. */
static void expect_terms(const struct table *table)
{
    for (unsigned i = 0; i < table->columns; i++)
        if (*table->column[i].term)
            cr_expect(glossary_find(NULL, table->column[i].term).name, "nothing explains '%s'", table->column[i].term);
}

Test(document, every_column_is_explained)
{
    struct journals journals;
    struct document document;
    struct error err = { .status = STATUS_OK };
    open_journals(&journals, (const char *const[]){ "mixed", "hostile", NULL });
    cr_assert(document_make(&document, &journals.results, &err));
    for (unsigned i = 0; i < document.sections; i++)
        expect_terms(&document.section[i].table);
    document_release(&document);
    close_journals(&journals);
}

Test(table, fits_the_width_and_loses_nothing)
{
    static const unsigned widths[] = { 60, 70, 80, 100, 120, 200 };
    struct journals journals;
    struct document document;
    struct error err = { .status = STATUS_OK };
    open_journals(&journals, (const char *const[]){ "mixed", NULL });
    cr_assert(document_make(&document, &journals.results, &err));
    for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++) {
        char *text = written(&journals, &report_table, widths[w]);
        cr_assert_leq(longest_line(text), widths[w], "%u", longest_line(text));
        for (unsigned i = 0; i < document.sections; i++) {
            const struct table *table = &document.section[i].table;
            for (unsigned k = 0; k < table->rows * table->columns; k++) {
                const struct row *row = &table->row[k / table->columns];
                if (!row->span || k % table->columns < row->span_at)
                    cr_assert(strstr(text, row->field[k % table->columns]), "%s", row->field[k % table->columns]);
            }
        }
        free(text);
    }
    document_release(&document);
    close_journals(&journals);
}

Test(table, is_cut_into_parts_with_the_answer_first)
{
    struct journals journals;
    struct document document;
    struct error err = { .status = STATUS_OK };
    char *text[2];
    size_t size;
    open_journals(&journals, (const char *const[]){ "mixed", NULL });
    cr_assert(document_make(&document, &journals.results, &err));
    for (unsigned i = 0; i < 2; i++) {
        FILE *out = open_memstream(&text[i], &size);
        text_table_print(&document.section[0].table, &(struct text_style){ .width = i * 88 }, out);
        fclose(out);
    }
    cr_assert_null(strstr(text[0], "\n\n"), "without a limit it has one part");
    const char *end = strstr(text[1], "\n\n");
    cr_assert(end);
    cr_assert_leq(longest_line(text[1]), 88);
    cr_expect(strstr(text[1], "speed-up") < end, "the answer comes first");
    unsigned parts = 1, named = 0;
    for (const char *at = text[1]; (at = strstr(at, "\n\n")); at += 2)
        parts++;
    for (const char *at = text[1]; (at = strstr(at, "device ")); at++)
        named += at == text[1] || at[-1] == '\n';
    cr_expect_eq(named, parts, "%u of %u parts name their rows", named, parts);
    for (unsigned i = 0; i < 2; i++)
        free(text[i]);
    document_release(&document);
    close_journals(&journals);
}

static void expect_markdown(void (*put)(FILE *, const char *), const char *text, const char *wanted)
{
    char *got;
    size_t size;
    FILE *out = open_memstream(&got, &size);
    put(out, text);
    fclose(out);
    cr_expect_str_eq(got, wanted, "\"%s\" instead of \"%s\"", got, wanted);
    free(got);
}

Test(markdown, text_stays_what_it_is)
{
    static const char *const pairs[][2] = {
        { "0.98x [0.95, 1.03]", "0.98x \\[0.95, 1.03\\]" },
        { "[x](javascript:alert(1))", "\\[x\\]\\(javascript:alert(1))" },
        { "![x](y)", "!\\[x\\]\\(y)" },
        { "[1](http://x.y)", "\\[1\\]\\(http\\://x.y)" },
        { "[1]: x", "\\[1\\]: x" },
        { "<script>&lt;&#60;", "&lt;script&gt;&amp;lt;&amp;\\#60;" },
        { "AT & T", "AT & T" },
        { "a|b \\| c", "a\\|b \\\\\\| c" },
        { "`x` **y** ~~z~~ $q$", "\\`x\\` \\*\\*y\\*\\* \\~\\~z\\~\\~ \\$q\\$" },
        { "avx512_core _x_", "avx512_core \\_x\\_" },
        { "@someone me@there.org Xeon @ 2.10GHz", "(at)someone me(at)there.org Xeon @ 2.10GHz" },
        { "see www.x.org, https://x.org", "see www\\.x.org, https\\://x.org" },
    };
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
        expect_markdown(markdown_text, pairs[i][0], pairs[i][1]);
}

Test(markdown, a_line_begins_no_block)
{
    static const char *const pairs[][2] = {
        { "- x", "\\- x" },       { "+x", "\\+x" },
        { "===", "\\===" },       { "# x", "\\# x" },
        { "> x", "&gt; x" },      { "1. x", "1\\. x" },
        { "12) x", "12\\) x" },   { "1.5 x", "1.5 x" },
        { "* x", "\\* x" },       { "[ ] x", "\\[ \\] x" },
        { "```", "\\`\\`\\`" },   { "~~~", "\\~\\~\\~" },
        { "| x |", "\\| x \\|" }, { "", "" },
    };
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
        expect_markdown(markdown_start, pairs[i][0], pairs[i][1]);
}

/* A journal in which every text is an attack, and the report of it: nothing but what the report itself writes stands
 * unescaped. */
Test(markdown, nothing_in_a_journal_becomes_markup)
{
    static const char evil[] =
        "<img src=x onerror=alert(1)> [a](javascript:b) ![c](d) |e| `f` @g http://h &lt; **i** # j";
    struct error err = { .status = STATUS_OK };
    struct journals journals = { .run = { { .path = "x" } }, .results = { journals.run, 1 } };
    struct record *record = journals.run[0].record = new_record();
    cr_assert(record);
    addf(record, "{\"line\":\"journal\",\"started\":\"%s\",\"version\":\"%s\",\"host\":{\"name\":\"%s\"}}", evil, evil,
         evil);
    addf(record,
         "{\"line\":\"device\",\"id\":\"d|<b>\",\"key\":\"k\",\"backend\":\"b\",\"class\":\"dGPU\",\"name\":\"%s\","
         "\"platform\":\"%s\",\"driver_version\":\"%s\"}",
         evil, evil, evil);
    addf(record, "{\"line\":\"absent\",\"backend\":\"%s\",\"source\":\"%s\",\"reason\":\"%s\"}", evil, evil, evil);
    addf(record,
         "{\"line\":\"race\",\"block\":\"x\",\"device\":\"d|<b>\",\"contenders\":[{\"method\":\"%s\","
         "\"kernel_shape\":\"%s\",\"status\":\"failed\",\"reason\":\"%s\"}]}",
         evil, evil, evil);
    addf(record,
         "{\"line\":\"cell\",\"key\":\"a\",\"block\":\"x\",\"device\":\"d|<b>\",\"workload\":\"%s\",\"dtype\":\"%s\","
         "\"shape\":\"%s\",\"method\":\"%s\",\"memory\":\"%s\",\"baseline\":\"a\"}",
         evil, evil, evil, evil, evil);
    add(record, "{\"line\":\"slice\",\"cell\":\"a\",\"series\":\"resident\",\"number\":1,\"wall_ns\":[5]}");
    addf(record, "{\"line\":\"note\",\"cell\":\"a\",\"text\":\"%s\"}", evil);
    addf(record, "{\"line\":\"note\",\"text\":\"%s\"}", evil);
    addf(record, "{\"line\":\"cell\",\"key\":\"b\",\"block\":\"x\",\"device\":\"d|<b>\",\"method\":\"%s\"}", evil);
    addf(record, "{\"line\":\"outcome\",\"cell\":\"b\",\"status\":\"failed\",\"where\":\"%s\",\"reason\":\"%s\"}",
         "w|<x>", evil);
    addf(record, "{\"line\":\"end\",\"status\":\"%s\"}", "<u>|x");
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert(report_markdown.write(&journals.results, &(struct layout){ 0 }, out, &err));
    fclose(out);
    cr_assert(strstr(text, "onerror"), "the attack itself is gone");
    cr_expect_eq(strchr(text, '<'), NULL, "%s", strchr(text, '<'));
    cr_expect_eq(strstr(text, "]("), NULL, "%s", strstr(text, "]("));
    cr_expect_eq(strstr(text, "@g"), NULL);
    cr_expect_eq(strstr(text, "http://"), NULL);
    cr_expect_eq(strstr(text, "&lt; "), NULL);
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        unsigned pipes = 0;
        for (const char *at = line; *at && *at != '\n'; at++)
            pipes += *at == '|' && (at == line || at[-1] != '\\');
        static unsigned cells; /* of the table that the line is in */
        cells = *line != '|' ? 0 : cells == 0 ? pipes : cells;
        cr_expect_eq(pipes, cells, "%u cells instead of %u: %.200s", pipes, cells, line);
    }
    free(text);
}

/* Lines break between words if there are any, whatever the text contains. */
Test(markdown, runs_are_side_by_side_too)
{
    struct journals journals;
    open_journals(&journals, (const char *const[]){ "mixed", "interrupted", NULL });
    char *text = written(&journals, &report_markdown, 0);
    cr_assert(strstr(text, "\n## Runs\n\n### Run A: mixed\n"));
    cr_assert(strstr(text, "\n| run | device |"));
    cr_assert(strstr(text, "\n- **B:** the run was "));
    free(text);
    close_journals(&journals);
}
