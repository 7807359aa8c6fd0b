/* What reports work out of a cell's lines: whether its answer counts as verified, whether what it moved was copied, and
 * what copied runs that were disturbed leave of its break-even. */

#include "harness/analysis/figures.h"
#include "harness/report/content/notes.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool counts_as_verified(const char *end, unsigned passes, bool weak)
{
    struct record *record = record_new();
    struct cell_metrics metrics;
    char line[128];
    add(record, "{\"line\":\"cell\",\"key\":\"a\"}");
    for (unsigned i = 0; i < passes; i++)
        add(record, weak ? "{\"line\":\"verify\",\"cell\":\"a\",\"checks\":[{\"weak\":true}]}"
                         : "{\"line\":\"verify\",\"cell\":\"a\"}");
    snprintf(line, sizeof line, "{\"line\":\"end\",\"status\":\"%s\"}", end);
    add(record, line);
    cell_metrics_read(&metrics, record, record_cell(record, "a"), NULL);
    record_free(record);
    return metrics.verified;
}

Test(metrics, only_an_interrupted_run_need_not_verify_again)
{
    cr_assert(counts_as_verified("complete", 2, false));
    cr_assert_not(counts_as_verified("complete", 1, false));
    cr_assert(counts_as_verified("interrupted", 1, false));
    cr_assert_not(counts_as_verified("interrupted", 0, false));
    cr_assert_not(counts_as_verified("complete", 2, true));
}

Test(metrics, of_a_first_run_a_part_is_named_that_takes_more_than_half)
{
    static const int compile[] = { 30, 60, 61 };
    for (unsigned i = 0; i < 3; i++) {
        struct record *record = record_new();
        struct cell_metrics metrics;
        add(record, "{\"line\":\"cell\",\"key\":\"a\"}");
        addf(record, "{\"line\":\"first\",\"cell\":\"a\",\"open_ns\":20,\"compile_ns\":%d,\"run_ns\":40}", compile[i]);
        cell_metrics_read(&metrics, record, record_cell(record, "a"), NULL);
        cr_expect_float_eq(metrics.first, (60 + compile[i]) * 1e-9, 1e-15);
        cr_expect_eq(metrics.first_mostly != NULL, i == 2, "%d", compile[i]);
        cr_expect(i < 2 || strcmp(metrics.first_mostly, "compile") == 0);
        record_free(record);
    }
}

/* Two rounds, while one slice of the baseline was disturbed. */
Test(metrics, a_ratio_of_few_rounds_does_not_contradict_the_times_beside_it)
{
    for (int slow = 1; slow <= 41; slow += 40) {
        struct record *record = record_new();
        add(record, "{\"line\":\"cell\",\"key\":\"a\",\"device\":\"d\"}");
        add(record, "{\"line\":\"cell\",\"key\":\"b\",\"device\":\"e\",\"baseline\":\"a\"}");
        for (int turn = 0; turn < 5; turn++)
            addf(record, "{\"line\":\"slice\",\"cell\":\"%s\",\"series\":\"resident\",\"number\":%d,\"wall_ns\":[%d]}",
                 turn % 2 ? "b" : "a", turn,
                 turn == 2  ? 1000 * slow
                 : turn % 2 ? 990
                            : 1000);
        add(record, "{\"line\":\"outcome\",\"cell\":\"a\",\"status\":\"ok\"}");
        add(record, "{\"line\":\"outcome\",\"cell\":\"b\",\"status\":\"ok\"}");
        struct cell_metrics metrics;
        cell_metrics_read(&metrics, record, record_cell(record, "b"), NULL);
        cr_expect(fabs(metrics.resident.value - 1000 / 990.) < 1e-9, "%d: %g", slow, metrics.resident.value);
        cr_expect(isnan(metrics.resident.low));
        record_free(record);
    }
}

/* A row that only moves so many bytes in mapped memory, each time so many ns, where a page takes `page` ns. */
static struct record *moved(double bytes, double ns, const char *page)
{
    char line[256];
    struct record *record = record_new();
    add(record, "{\"line\":\"device\",\"id\":\"d\",\"key\":\"d\",\"backend\":\"fake\",\"class\":\"dGPU\"}");
    snprintf(line, sizeof line,
             "{\"line\":\"cell\",\"key\":\"a\",\"device\":\"d\",\"memory\":\"mapped\",\"bytes\":%.1f}", bytes);
    add(record, line);
    snprintf(line, sizeof line, "{\"line\":\"first\",\"cell\":\"a\",\"map_ns\":%s}", page);
    add(record, line);
    for (int turn = 0; turn < 12; turn++) {
        snprintf(line, sizeof line,
                 "{\"line\":\"slice\",\"cell\":\"a\",\"series\":\"copied\",\"number\":%d,\"wall_ns\":[%.0f]}", turn,
                 ns * (1 + 1e-3 * (turn * 7 % 11)));
        add(record, line);
    }
    add(record, "{\"line\":\"verify\",\"cell\":\"a\",\"pass\":\"before\"}");
    return record;
}

/* Whether such a row has a bandwidth. */
static void expect_moved(double bytes, double ns, const char *page, bool has_bandwidth, bool no_copy)
{
    struct cell_metrics metrics;
    struct record *record = moved(bytes, ns, page);
    cell_metrics_read(&metrics, record, record_cell(record, "a"), NULL);
    cr_expect_eq(isfinite(metrics.bandwidth), has_bandwidth, "%.0f bytes in %.0f ns: %g bytes/s", bytes, ns,
                 metrics.bandwidth);
    cr_expect_eq(metrics.no_copy, no_copy, "%.0f bytes in %.0f ns", bytes, ns);
    record_free(record);
}

Test(metrics, a_map_as_fast_as_a_page_was_not_copied)
{
    expect_moved(64e6, 20e3, "15000", false, true);
    expect_moved(64e6, 29e3, "15000", false, true);
    expect_moved(1e12, 20e3, "null", false, true); /* no memory is as fast */
}

Test(metrics, a_map_that_depends_on_the_size_was_copied)
{
    expect_moved(64e6, 5e6, "15000", true, false);
    expect_moved(64e6, 31e3, "15000", true, false); /* twice as long as a page: that cannot be decided */
    expect_moved(64e6, 29e3, "null", true, false);  /* nor without the page */
}

Test(metrics, a_map_of_too_few_bytes_has_no_bandwidth)
{
    expect_moved(1024, 20e3, "15000", false, false);
}

/* Of a cell with runs of a millisecond, and a whole with its upload of so many, beside a baseline of so many. */
static struct breakeven breakeven_of(double whole, double baseline)
{
    struct cell_metrics metrics;
    struct record *record = record_new();
    add(record, "{\"line\":\"device\",\"id\":\"d\",\"key\":\"d\",\"backend\":\"fake\",\"class\":\"dGPU\"}");
    add(record, "{\"line\":\"cell\",\"key\":\"b\",\"device\":\"c\",\"baseline\":\"b\"}");
    add(record, "{\"line\":\"cell\",\"key\":\"a\",\"device\":\"d\",\"baseline\":\"b\"}");
    for (int turn = 0; turn < 12; turn++) {
        static const char begin[] = "{\"line\":\"slice\",\"cell\":";
        char line[256];
        snprintf(line, sizeof line, "%s\"b\",\"series\":\"resident\",\"number\":%d,\"wall_ns\":[%.0f]}", begin, turn,
                 1e6 * baseline);
        add(record, line);
        snprintf(line, sizeof line, "%s\"a\",\"series\":\"resident\",\"number\":%d,\"wall_ns\":[1000000]}", begin,
                 turn);
        add(record, line);
        snprintf(line, sizeof line,
                 "%s\"a\",\"series\":\"copied\",\"number\":%d,\"wall_ns\":[%.0f],\"phases\":{\"upload_ns\":[100000],"
                 "\"compute_ns\":[1000000]}}",
                 begin, turn, 1e6 * whole);
        add(record, line);
    }
    cell_metrics_read(&metrics, record, record_cell(record, "a"), NULL);
    record_free(record);
    return metrics.breakeven;
}

Test(metrics, a_whole_shorter_than_its_part_gives_no_break_even)
{
    cr_expect_eq(breakeven_of(1.1, 2).outcome, BREAKEVEN_KNOWN);
    cr_expect_eq(breakeven_of(0.8, 2).outcome, BREAKEVEN_UNCLEAR);
    cr_expect(isnan(breakeven_of(0.8, 2).uses));
    cr_expect_eq(breakeven_of(0.3, 0.5).outcome, BREAKEVEN_UNCLEAR); /* nor a "never" */
}
