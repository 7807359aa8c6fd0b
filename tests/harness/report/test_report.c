#include "harness/base/text.h"
#include "harness/journal/journal.h"
#include "harness/report/content/columns.h"
#include "harness/report/formats/prose.h"
#include "harness/report/report.h"
#include "tests/support/golden.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"
#include "tests/support/printed.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(report, .fini = release_kept);
TestSuite(table, .fini = release_kept);
TestSuite(prose, .fini = release_kept);

/* The report as text. */
static char *report_text(struct record *record, const struct report *report)
{
    return printed_as(record, report->name, &(struct layout){ .width = 100, .all_columns = true });
}

/* The page has tests of its own. */
Test(report, the_same_journal_gives_the_same_bytes)
{
    for (unsigned i = 0; i <= JOURNALS; i++) {
        const char *name = i < JOURNALS ? journals[i] : "made-full";
        struct record *record = read_golden(GOLDEN, name);
        for (const struct report *const *report = reports; *report; report++) {
            char *text = report_text(record, *report);
            char file[128];
            snprintf(file, sizeof file, "%s.%s", name, (*report)->extension);
            if (*report != &report_html)
                expect_golden(GOLDEN, file, text);
        }
    }
}

/* The values of a column in three cells. Whether one of them is known. */
static bool column_words(const struct cell_column *column, const struct column_source source[3], char words[3000])
{
    bool is_known = false;
    words[0] = '\0';
    for (unsigned i = 0; i < 3; i++) {
        const struct column_value value = column_value(column, &source[i]);
        const size_t used = strlen(words);
        const bool is_text = value.kind == VALUE_TEXT;
        snprintf(words + used, 3000 - used, "%.9g %.900s;", is_text ? NAN : value.number, is_text ? value.text : "");
        is_known |= is_text ? *value.text != '\0' : value.kind > VALUE_UNKNOWN;
    }
    return is_known;
}

static const char *last_part(const struct cell_column *column)
{
    const char *name = column->json ? column->json : column->csv ? column->csv : "", *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

/* By what they are: the headline is the resident series, and each group may have all its samples. */
static bool may_be_alike(const struct cell_column *one, const struct cell_column *other)
{
    const char *a = last_part(one), *b = last_part(other);
    return strcmp(a, b) == 0 || (one->origin == other->origin && one->offset == other->offset) ||
           (strcmp(a, "samples") == 0 && strcmp(b, "count") == 0) ||
           (strcmp(a, "value") == 0 && strcmp(b, "median_s") == 0);
}

/* So that a column that shows what belongs to another differs from the expected report. */
Test(report, in_one_journal_every_column_is_known_and_like_no_other)
{
    struct record *record = read_golden(GOLDEN, "made-full");
    struct pool pool = { 0 };
    struct figures metrics[3];
    static struct column_source source[3];
    static char words[400][3000];
    const struct cell_columns columns = columns_read(&pool, FORMAT_ALL);
    cr_assert(columns.count > 200 && columns.count <= 400, "%u columns", columns.count);
    figures_read(metrics, record, record_find_block(record, "multiply/f32/n=9"));
    for (unsigned i = 0; i < 3; i++) {
        column_source_read(&source[i], &pool, &metrics[i]);
        source[i].run = "A", source[i].machine = "the machine", source[i].started = "today", source[i].left_out = 77;
    }
    for (unsigned i = 0; i < columns.count; i++) {
        const struct cell_column *column = &columns.column[i];
        if (!column->csv && !column->json)
            continue;
        cr_expect(column_words(column, source, words[i]), "%s is not known", last_part(column));
        for (unsigned k = 0; k < i; k++)
            cr_expect(strcmp(words[i], words[k]) != 0 || may_be_alike(column, &columns.column[k]), "%s and %s: %s",
                      last_part(&columns.column[k]), last_part(column), words[i]);
    }
    pool_release(&pool);
}

/* Nothing that a terminal would act on: no control characters but line breaks, no C1, no marks that turn the direction
 * of writing. */
static void expect_harmless(const char *text)
{
    static const char *const marks[] = { "\u200e", "\u200f", "\u2028", "\u2029", "\u202e", "\u2066",
                                         "\u061c", "\u200b", "\u200d", "\u2060", "\u206f", "\ufeff" };
    for (const char *at = text; *at; at++) {
        unsigned char byte = (unsigned char)*at;
        cr_assert((byte >= 0x20 && byte != 0x7f) || byte == '\n' || (byte == '\r' && at[1] == '\n'),
                  "byte %02x before "
                  "\"%.40s\"",
                  byte, at);
        cr_assert_not(byte == 0xc2 && (unsigned char)at[1] < 0xa0, "a C1 control");
    }
    for (unsigned i = 0; i < sizeof marks / sizeof *marks; i++)
        cr_assert_eq(strstr(text, marks[i]), NULL);
}

Test(report, nothing_in_a_journal_acts_on_the_terminal)
{
    struct record *record = read_golden(GOLDEN, "hostile");
    for (const struct report *const *report = reports; *report; report++) {
        char *text = report_text(record, *report);
        expect_harmless(text);
    }
}

Test(report, an_empty_record_is_reported_too)
{
    struct record *record = new_record();
    for (const struct report *const *report = reports; *report; report++) {
        char *text = report_text(record, *report);
        cr_assert_gt(strlen(text), 0);
        expect_harmless(text);
    }
}

Test(report, the_last_line_ends_and_nothing_follows)
{
    for (unsigned i = 0; i <= JOURNALS; i++) {
        struct record *record = i < JOURNALS ? read_golden(GOLDEN, journals[i]) : new_record();
        for (const struct report *const *report = reports; *report; report++) {
            const char *text = report_text(record, *report);
            const size_t size = strlen(text);
            cr_assert(size > 1 && text[size - 1] == '\n' && text[size - 2] != '\n', "%s %u", (*report)->name, i);
        }
    }
}

/* Which of jansson's next allocations fails, and it alone. Criterion runs each test in a process of its own. */
static long failing_in = -1;

static void *short_malloc(size_t size)
{
    bool fails = failing_in == 0;
    failing_in -= failing_in >= 0;
    return fails ? NULL : malloc(size);
}

/* Whatever allocation fails: the report is complete, or an error is returned; never a part. */
Test(report, a_report_short_of_memory_drops_nothing_silently)
{
    json_set_alloc_funcs(short_malloc, free);
    struct record *record = read_golden(GOLDEN, "interrupted");
    char *whole = report_text(record, &report_json);
    long failures = 0, allowed = 0;
    for (bool is_past = false; !is_past; allowed++) {
        char *text = NULL;
        size_t size;
        struct error err = { 0 };
        FILE *out = open_memstream(&text, &size);
        failing_in = allowed;
        struct result run = { .path = "", .record = record };
        bool written = report_runs(&report_json, &(struct results){ &run, 1 }, &(struct layout){ 0 }, out, &err);
        is_past = failing_in >= 0;
        failing_in = -1;
        fclose(out);
        failures += !written;
        cr_assert(written || err.status == STATUS_NO_MEMORY, "allocation %ld: %s", allowed, err.message);
        cr_assert(!written || strcmp(text, whole) == 0, "allocation %ld is lost", allowed);
        free(text);
    }
    cr_assert_gt(failures, 500);
}

Test(report, a_full_disk_is_an_error)
{
    struct result run = { .path = "", .record = read_golden(GOLDEN, "mixed") };
    for (const struct report *const *report = reports; *report; report++) {
        struct error err = { 0 };
        FILE *full = fopen("/dev/full", "w");
        if (!full)
            cr_skip_test("there is no /dev/full here");
        cr_assert_not(report_runs(*report, &(struct results){ &run, 1 }, &(struct layout){ 0 }, full, &err), "%s",
                      (*report)->name);
        cr_assert_str_eq(err.message, "cannot write the report: No space left on device");
        fclose(full);
    }
}

Test(report, formats_are_found_by_name)
{
    for (const struct report *const *report = reports; *report; report++)
        cr_assert_eq(report_find(reports, (*report)->name), *report);
    cr_assert_eq(report_find(reports, "html5"), NULL);
    cr_assert_eq(report_find(reports, ""), NULL);
}

/* Fields of the CSV line at *at as RFC 4180 has them, with *at moved to the next; 0 for a line without an end. */
static unsigned fields_of(char **at)
{
    unsigned fields = 1;
    bool quoted = false;
    for (; **at; ++*at) {
        if (**at == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        fields += **at == ',';
        if ((*at)[0] == '\r' && (*at)[1] == '\n') {
            *at += 2;
            return fields;
        }
    }
    return 0;
}

Test(report, every_csv_row_has_every_column_and_no_formula)
{
    for (unsigned i = 0; i < JOURNALS; i++) {
        struct record *record = read_golden(GOLDEN, journals[i]);
        char *text = report_text(record, report_find(reports, "csv")), *at = text;
        unsigned columns = fields_of(&at), rows = 0;
        cr_assert_gt(columns, 50);
        for (; *at; rows++) {
            cr_assert_eq(strchr("=+-@", *at), NULL, "a formula: %.20s", at);
            cr_assert_eq(fields_of(&at), columns);
        }
        cr_assert_eq(rows, record->cells);
        for (const char *formula = ",=\0,+\0,@\0,-\0,\"=\0,\"+\0,\"@\0"; *formula; formula += strlen(formula) + 1)
            cr_assert_eq(strstr(text, formula), NULL, "%s in %s", formula, journals[i]);
    }
}

Test(report, json_is_json_and_knows_every_cell)
{
    for (unsigned i = 0; i < JOURNALS; i++) {
        struct record *record = read_golden(GOLDEN, journals[i]);
        size_t k, cells = 0;
        char *text = report_text(record, report_find(reports, "json"));
        json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *block;
        cr_assert_neq(json, NULL);
        cr_assert_str_eq(json_string_value(json_object_get(json, "schema")), "bench-report/4");
        cr_assert_eq(json_array_size(json_object_get(json, "runs")), 1);
        const json_t *run = json_array_get(json_object_get(json, "runs"), 0);
        json_array_foreach (json_object_get(run, "blocks"), k, block) {
            cells += json_array_size(json_object_get(block, "cells"));
        }
        cr_assert_eq(cells, record->cells);
        json_decref(json);
    }
}

static void expect_text(struct record *record, const char *format, const char *wanted)
{
    char *text = report_text(record, report_find(reports, format));
    cr_expect_neq(strstr(text, wanted), NULL, "the %s has no %s", format, wanted);
}

Test(report, a_text_that_a_spreadsheet_would_compute_is_none)
{
    struct record *record = new_record();
    add(record, "{'line': 'journal', 'host': {'name': '=HYPERLINK(1)'}, 'started': '@today'}");
    add(record, "{'line': 'cell', 'key': '+1;=2', 'block': 'b', 'device': '-d', 'workload': 'a\\'b,c'}");
    expect_text(record, "csv", "\r\nA,'=HYPERLINK(1),'@today,\"'+1;=2\",b,\"a\"\"b,c\",");
    expect_text(record, "csv", ",'-d,");
}

Test(report, runs_have_different_letters)
{
    struct result run[] = { { .path = "a", .record = read_golden(GOLDEN, "mixed") },
                            { .path = "b", .record = read_golden(GOLDEN, "interrupted") } };
    for (unsigned i = 0; i < 2; i++) {
        const char *text =
            printed_runs(&(struct results){ run, 2 }, i ? "json" : "csv", &(struct layout){ .all_columns = true });
        cr_assert(strstr(text, i == 0 ? "\r\nA," : "\"letter\": \"A\""));
        cr_assert(strstr(text, i == 0 ? "\r\nB," : "\"letter\": \"B\""));
    }
}

/* More digits than a real is written with. */
Test(report, whole_numbers_are_exact)
{
    struct record *record = new_record();
    add(record, "{'line':'cell','key':'a','device':'d','flops':7928807424,'bytes':12345678901}");
    expect_text(record, "json", "\"work_flop\": 7928807424,");
    expect_text(record, "csv", ",7928807424,12345678901,");
}

/* The table's line that begins with `start`, from `*from` on, which moves behind it. */
static const char *line_of(char **from, const char *start, char line[512])
{
    while (**from) {
        size_t length = strcspn(*from, "\n");
        snprintf(line, 512, "%.*s", (int)length, *from);
        *from += length + 1;
        if (strncmp(line, start, strlen(start)) == 0)
            return line;
    }
    cr_assert_fail("no line begins with '%s'", start);
    return NULL;
}

Test(table, a_long_list_of_note_numbers_ends_with_dots)
{
    struct record *record = new_record();
    char line[512];
    add(record, "{'line':'cell','key':'a','device':'d'}");
    add(record, "{'line':'slice','cell':'a','series':'resident','number':1,'wall_ns':[5000]}");
    for (unsigned i = 0; i < 143; i++) {
        addf(record, "{'line':'note','cell':'a','text':'remark %u'}", i);
    }
    char *text = report_text(record, &report_table), *at = text;
    const char *row = line_of(&at, "d ", line);
    cr_assert(strcmp(strrchr(row, ' '), " ...") == 0, "%s", row);
    unsigned expected = 1;
    for (const char *number = strstr(row, " 1 "); *++number >= '0' && *number <= '9'; number = strchr(number, ' '))
        cr_assert_eq(strtoul(number, NULL, 10), expected++, "%s", row);
    cr_assert_gt(expected, 15);
    line_of(&at, "  145  remark 142", line);
}

Test(table, a_block_has_no_column_for_what_others_have)
{
    struct record *record = read_golden(GOLDEN, "mixed");
    char line[512], *text = report_text(record, &report_table), *at = text;
    static const char *const none[] = { "method", "first", "resident", "event", "GFLOP/s", "speed-up" };
    cr_assert(strstr(line_of(&at, "device ", line), "resident"));
    line_of(&at, "transfer ", line);
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        char *rest = at;
        cr_assert_eq(strstr(line_of(&rest, "device ", line), none[i]), NULL, "%s", line);
    }
}

Test(table, without_figures_there_is_no_line_of_units)
{
    struct record *record = new_record();
    add(record, "{'line':'cell','key':'a','device':'d','memory':'pinned'}");
    char *text = report_text(record, &report_table);
    cr_assert(strstr(text, "\ndevice  memory\nd       pinned  not finished\n"), "%s", text);
}

static void expect_prose(const char *lead, const char *text, const char *wanted)
{
    char *got = NULL;
    size_t size;
    FILE *out = open_memstream(&got, &size);
    prose_fit(lead, text, 0, out);
    fclose(out);
    cr_assert_str_eq(got, wanted, "\"%s\" instead of \"%s\"", got, wanted);
    free(got);
}

#define WORDS "aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii jjjj kkkk llll mmmm nnnn oooo pppp qqqq rrrr"

Test(prose, lines_are_broken_between_words_and_hang)
{
    cr_assert_eq(text_width(WORDS), 89);
    expect_prose("", "", "\n");
    expect_prose("   1  ", "short", "   1  short\n");
    expect_prose("", WORDS " 1234567890", WORDS " 1234567890\n");
    expect_prose("", WORDS " 12345678901 x", WORDS "\n  12345678901 x\n");
    expect_prose("note: ", WORDS " 123456 x", "note: " WORDS "\n      123456 x\n");
    expect_prose("", WORDS " ±±±±±±±±±±", WORDS " ±±±±±±±±±±\n");
}

Test(prose, an_interval_stays_in_one_piece)
{
    expect_prose("", WORDS " (0.9 - 1.10) x", WORDS "\n  (0.9 - 1.10) x\n");
    expect_prose("", WORDS " (0.9 - 1.10), x", WORDS "\n  (0.9 - 1.10), x\n");
    expect_prose("", WORDS " 1 (0.9 - 1.10), x", WORDS " 1\n  (0.9 - 1.10), x\n");
    expect_prose("", WORDS " (0.9 -", WORDS " (0.9 -\n");
    expect_prose("", WORDS " (0.95 a 1.10)", WORDS " (0.95 a\n  1.10)\n");
}

Test(prose, a_word_longer_than_a_line_has_its_own_line)
{
    char word[PROSE_WIDTH + 20], text[2 * sizeof word], wanted[2 * sizeof word];
    memset(word, 'w', sizeof word);
    word[sizeof word - 1] = '\0';
    snprintf(text, sizeof text, "a %s b", word);
    snprintf(wanted, sizeof wanted, "a\n  %s\n  b\n", word);
    expect_prose("", text, wanted);
}
