#include "harness/base/text.h"
#include "harness/report/formats/text_table.h"
#include "harness/report/report.h"
#include "tests/support/lines.h"
#include "tests/support/printed.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(run, .fini = release_kept);

/* The document of runs of made-up journals. */
enum { RUNS_MAX = 3 };

struct made {
    struct result run[RUNS_MAX];
    struct results results;
    struct answer_set set[RUNS_MAX];
    struct document document;
};

static void make(struct made *made)
{
    struct error err = { .status = STATUS_OK };
    made->results.run = made->run;
    made->document = (struct document){ .medium = MEDIUM_TEXT };
    for (unsigned i = 0; i < made->results.runs; i++)
        cr_assert(answer_set_read(&made->set[i], made->run[i].record));
    cr_assert(run_document(&made->document, &made->results, made->set, &(struct layout){ .width = 0 }, &err));
}

static void make_of(struct made *made, const char *const names[])
{
    struct error err = { .status = STATUS_OK };
    *made = (struct made){ .results = { .runs = 0 } };
    for (unsigned i = 0; names[i]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.jsonl", GOLDEN, names[i]);
        cr_assert(result_read(&made->run[i], path, &err), "%s", err.message);
        made->run[i].path = names[i];
        made->results.runs++;
    }
    make(made);
}

static void release(struct made *made)
{
    pool_release(&made->document.pool);
    for (unsigned i = 0; i < made->results.runs; i++) {
        answer_set_release(&made->set[i]);
        result_release(&made->run[i]);
    }
}

/* What is below a heading of the full report, up to the next one. */
struct section {
    const char *title;
    const struct table *table;
    unsigned verdicts, footnotes;
    const struct item *verdict; /* the first */
};

static unsigned sections_of(const struct made *made, struct section out[], unsigned room)
{
    const struct document *document = &made->document;
    unsigned count = 0;
    for (const struct item *item = document->item; item < document->item + document->items; item++) {
        if (item->kind == ITEM_HEADING && item->depth == 2 && item->level == LEVEL_FULL && count < room)
            out[count++] = (struct section){ .title = item->text };
        struct section *section = &out[count - 1];
        if (count == 0)
            continue;
        section->table = item->kind == ITEM_TABLE ? item->table : section->table;
        if (item->kind == ITEM_LINE && item->about == ABOUT_VERDICT && section->verdicts++ == 0)
            section->verdict = item;
        section->footnotes += item->kind == ITEM_LINE && item->about == ABOUT_FOOTNOTE;
    }
    return count;
}

enum { SECTIONS_MAX = 64 };

static struct section section_of(const struct made *made, const char *title)
{
    struct section section[SECTIONS_MAX];
    const unsigned count = sections_of(made, section, SECTIONS_MAX);
    for (unsigned i = 0; i < count; i++)
        if (strncmp(section[i].title, title, strlen(title)) == 0)
            return section[i];
    cr_assert_fail("no section '%s'", title);
    return (struct section){ .title = NULL };
}

Test(run, one_run_has_no_letter)
{
    struct made made;
    make_of(&made, (const char *const[]){ "mixed", NULL });
    for (unsigned i = 0; i < made.document.items; i++)
        cr_expect_str_eq(made.document.item[i].letter, "");
    cr_expect_str_eq(section_of(&made, "multiply").table->column[0].title, "device");
    release(&made);
}

/* The same problem of two runs is one section; speed-ups stay those over the baseline of the row's own run. */
Test(run, runs_stand_side_by_side)
{
    static const char problem[] = "multiply f32, n = 40,000,000";
    struct made both, alone;
    struct section all[2][SECTIONS_MAX];
    make_of(&both, (const char *const[]){ "mixed", "mixed", NULL });
    make_of(&alone, (const char *const[]){ "mixed", NULL });
    const struct section section = section_of(&both, problem), other = section_of(&alone, problem);
    const struct table *table = section.table;
    cr_assert_eq(sections_of(&both, all[0], SECTIONS_MAX), sections_of(&alone, all[1], SECTIONS_MAX));
    cr_assert_str_eq(table->column[0].title, "run");
    cr_assert_eq(table->columns, other.table->columns + 1);
    cr_assert_eq(table->rows, 2 * other.table->rows);
    cr_assert_eq(section.footnotes, other.footnotes);
    cr_assert_eq(section.verdicts, 2 * other.verdicts);
    for (unsigned i = 0; i < table->rows; i++) {
        const struct row *row = &table->row[i], *same = &other.table->row[i % other.table->rows];
        cr_assert_str_eq(row->field[0], i < other.table->rows ? "A" : "B");
        for (unsigned k = 0; k < other.table->columns; k++)
            cr_assert_str_eq(row->field[k + 1], same->field[k]);
    }
    cr_assert_str_eq(section.verdict[0].letter, "A");
    cr_assert_str_eq(section.verdict[other.verdicts].letter, "B");
    release(&both);
    release(&alone);
}

/* Problems that one of the runs alone has follow those of the first. */
Test(run, what_one_run_alone_has_is_there_too)
{
    struct made made;
    struct section section[SECTIONS_MAX];
    make_of(&made, (const char *const[]){ "mixed", "interrupted", "hostile", NULL });
    unsigned rows = 0, cells = 0, missing = 0;
    const unsigned sections = sections_of(&made, section, SECTIONS_MAX);
    for (unsigned i = 0; i < made.results.runs; i++)
        cells += made.run[i].record->cells;
    for (unsigned i = 0; i < sections; i++)
        rows +=
            section[i].table && strcmp(section[i].table->column[0].title, "problem") != 0 ? section[i].table->rows : 0;
    cr_assert_eq(rows, cells);
    for (const struct item *item = made.document.item; item < made.document.item + made.document.items; item++)
        if (item->kind == ITEM_LINE && item->about == ABOUT_MISSING && missing++ == 0)
            cr_assert_str_eq(item->letter, "B");
    cr_assert_eq(missing, 4, "that B was broken off, and three faults of C");
    release(&made);
}

Test(run, a_row_says_how_many_samples_a_second_it_does)
{
    struct made made = { .results = { .runs = 1 } };
    struct record *record = made.run[0].record = record_new();
    made.run[0].path = "made.jsonl";
    for (unsigned i = 0; i < 2; i++) {
        addf(record, "{'line':'cell','key':'%u','block':'%u','device':'d','workload':'%s','dtype':'f32','flops':1e6%s}",
             i, i, i ? "multiply" : "train", i ? "" : ",\"items\":\"samples\",\"items_per_run\":4096");
        addf(record, "{'line':'slice','cell':'%u','series':'resident','number':1,'wall_ns':[1000000]}", i);
    }
    make(&made);
    const struct table *of_train = section_of(&made, "train").table, *other = section_of(&made, "multiply").table;
    unsigned column = 0;
    while (column < of_train->columns && strcmp(of_train->column[column].title, "samples") != 0)
        column++;
    cr_assert_lt(column, of_train->columns);
    cr_expect_str_eq(of_train->column[column].below, "/s");
    cr_expect_str_eq(of_train->row[0].field[column], "4100000");
    for (column = 0; column < other->columns; column++)
        cr_expect_str_neq(other->column[column].below, "/s");
    release(&made);
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

/* In full, with all fields of all tables. */
Test(run, fits_the_width_and_loses_nothing)
{
    static const unsigned widths[] = { 60, 70, 80, 100, 120, 200 };
    struct made made;
    make_of(&made, (const char *const[]){ "mixed", NULL });
    for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++) {
        const char *text = printed_runs(&made.results, "table", &(struct layout){ .width = widths[w] });
        cr_assert_leq(longest_line(text), widths[w], "%u", longest_line(text));
        for (const struct item *item = made.document.item; item < made.document.item + made.document.items; item++)
            for (unsigned k = 0;
                 item->kind == ITEM_TABLE && item->level == LEVEL_FULL && k < item->table->rows * item->table->columns;
                 k++) {
                const unsigned columns = item->table->columns;
                const struct row *row = &item->table->row[k / columns];
                if (!row->span || k % columns < row->span_at)
                    cr_assert(strstr(text, row->field[k % columns]), "%s", row->field[k % columns]);
            }
    }
    release(&made);
}

Test(run, a_table_is_cut_into_parts_with_the_answer_first)
{
    struct made made;
    char *text[2];
    size_t size;
    make_of(&made, (const char *const[]){ "mixed", NULL });
    for (unsigned i = 0; i < 2; i++) {
        FILE *out = open_memstream(&text[i], &size);
        text_table_print(section_of(&made, "").table, &(struct text_style){ .width = i * 88 }, &made.document.pool,
                         out);
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
    release(&made);
}

/* The line of a table that begins with this, with single blanks; "": there is none. */
static const char *squeezed(char to[256], const char *text, const char *begin)
{
    size_t used = 0;
    const char *at = strstr(text, begin);
    for (; at && *at && *at != '\n' && used < 255; at++)
        if (*at != ' ' || (used > 0 && at[-1] != ' '))
            to[used++] = *at;
    to[used] = '\0';
    return to;
}

/* The CPU of each, then the fastest GPU of each; of two runs how many times as fast the second is. A problem is there
 * that the first run and any other have. */
Test(run, machines_stand_side_by_side_by_problem)
{
    static const struct {
        const char *runs[4], *lines[3];
    } cases[] = {
        { { "made-uhd620", "made-laptop", NULL },
          { "multiply 40M 17.8 ms 8.60 ms 2.1x 18.1 ms 2.10 ms 8.6x",
            "matmul 1024 7.90 ms 3.30 ms 2.4x 10.2 ms 290 us 35x", "" } },
        { { "made-uhd620", "made-rare", NULL },
          { "multiply 40M 17.8 ms 4.60 ms 3.9x 18.1 ms 600 us 30x",
            "matmul 1024 7.90 ms 2.30 ms 3.4x 10.2 ms 110 us 93x",
            "matmul 4096 492 ms 139 ms 3.5x 540 ms 5.40 ms 100x" } },
        { { "made-uhd620", "made-laptop", "made-apart", NULL },
          { "multiply 40M 17.8 ms 8.60 ms 18.1 ms 2.10 ms", "matmul 1024 7.90 ms 3.30 ms 10.2 ms 290 us", "" } },
        { { "made-laptop", "made-uhd620", NULL },
          { "multiply 40M 8.60 ms 17.8 ms 0.48x 2.10 ms 18.1 ms 0.12x",
            "matmul 1024 3.30 ms 7.90 ms 0.42x 290 us 10.2 ms 0.028x", "" } },
    };
    static const char *const problems[] = { "  multiply 40M ", "  matmul 1024 ", "  matmul 4096 " };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made made;
        char line[256];
        make_of(&made, cases[i].runs);
        const char *text = printed_runs(&made.results, "table", &(struct layout){ .is_brief = true });
        const char *table = strstr(text, "Side by side"), *end = table ? strstr(table, "\n\n") : NULL;
        cr_assert(end);
        char *alone = strndup(table, (size_t)(end - table));
        for (unsigned k = 0; k < 3; k++)
            cr_expect_str_eq(squeezed(line, alone, problems[k]), cases[i].lines[k], "case %u: %s", i, line);
        free(alone);
        release(&made);
    }
}

Test(run, runs_without_a_common_problem_say_so)
{
    static const char *const runs[][4] = { { "mixed", "interrupted", "hostile", NULL },
                                           { "made-uhd620", "made-laptop", NULL },
                                           { "mixed", NULL } };
    for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct made made;
        make_of(&made, runs[i]);
        const char *text = printed_runs(&made.results, "table", &(struct layout){ .is_brief = true });
        cr_expect_eq(strstr(text, "No problem of run A is in another run") != NULL, i == 0, "case %u: %s", i, text);
        release(&made);
    }
}

/* A spreadsheet of several runs: each row with the letter and the damage of its own. */
Test(run, a_row_of_a_spreadsheet_is_of_its_run)
{
    struct made made;
    unsigned rows[2] = { 0 };
    make_of(&made, (const char *const[]){ "mixed", "made-uhd620", NULL });
    made.run[1].faults.bad_lines = 7777;
    const char *text = printed_runs(&made.results, "csv", &(struct layout){ .all_columns = true });
    for (const char *line = strchr(text, '\n') + 1; *line; line += strcspn(line, "\n") + 1) {
        char own[8192];
        snprintf(own, sizeof own, "%.*s", (int)strcspn(line, "\n"), line);
        const bool is_second = strstr(own, ",7777,") != NULL || strstr(own, ",7777\r") != NULL;
        cr_expect_eq(strncmp(own, is_second ? "B," : "A,", 2), 0, "%s", own);
        rows[is_second]++;
    }
    cr_expect(rows[0] == made.run[0].record->cells && rows[1] == made.run[1].record->cells, "%u and %u", rows[0],
              rows[1]);
    release(&made);
}

Test(run, runs_are_side_by_side_in_markdown_too)
{
    struct made made;
    make_of(&made, (const char *const[]){ "mixed", "interrupted", NULL });
    const char *text = printed_runs(&made.results, "markdown", &(struct layout){ .width = 0 });
    cr_assert(strstr(text, "\n## Runs\n\n### Run A: mixed\n"));
    cr_assert(strstr(text, "\n| run | device |"));
    cr_assert(strstr(text, "\n- **B:** the run was "));
    release(&made);
}
