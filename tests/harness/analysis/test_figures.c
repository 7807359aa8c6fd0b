/* What reports work out of a cell's lines: whether its answer counts as verified, whether what it moved was copied, and
 * what copied runs that were disturbed leave of its break-even. */

#include "harness/analysis/figures.h"
#include "harness/report/content/notes.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(figures, .fini = release_kept);

static bool counts_as_verified(const char *end, unsigned passes, bool weak)
{
    struct record *record = new_record();
    struct figures metrics;
    add(record, "{'line':'cell','key':'a'}");
    for (unsigned i = 0; i < passes; i++)
        add(record, weak ? "{'line':'verify','cell':'a','checks':[{'checked':1,'weak':true}]}"
                         : "{'line':'verify','cell':'a','checks':[{'checked':1}]}");
    addf(record, "{'line':'end','status':'%s'}", end);
    figures_read_cell(&metrics, record, record_cell(record, "a"));
    return metrics.verified;
}

Test(figures, only_an_interrupted_run_need_not_verify_again)
{
    cr_assert(counts_as_verified("complete", 2, false));
    cr_assert_not(counts_as_verified("complete", 1, false));
    cr_assert(counts_as_verified("interrupted", 1, false));
    cr_assert_not(counts_as_verified("interrupted", 0, false));
    cr_assert_not(counts_as_verified("complete", 2, true));
}

Test(figures, of_a_first_run_a_part_is_named_that_takes_more_than_half)
{
    static const int compile[] = { 30, 60, 61 };
    for (unsigned i = 0; i < 3; i++) {
        struct record *record = new_record();
        struct figures metrics;
        add(record, "{'line':'cell','key':'a'}");
        addf(record, "{'line':'first','cell':'a','open_ns':20,'compile_ns':%d,'run_ns':40}", compile[i]);
        figures_read_cell(&metrics, record, record_cell(record, "a"));
        cr_expect_float_eq(metrics.costs.first, (60 + compile[i]) * 1e-9, 1e-15);
        cr_expect_eq(metrics.costs.first_mostly != NULL, i == 2, "%d", compile[i]);
        cr_expect(i < 2 || strcmp(metrics.costs.first_mostly, "compile") == 0);
    }
}

/* A row that only moves so many bytes in mapped memory, each time so many ns, where a page takes `page` ns. */
static struct record *moved(double bytes, double ns, const char *page)
{
    struct record *record = new_record();
    add(record, "{'line':'device','id':'d','key':'d','backend':'fake','class':'dGPU'}");
    addf(record, "{'line':'cell','key':'a','device':'d','memory':'mapped','bytes':%.1f}", bytes);
    addf(record, "{'line':'first','cell':'a','map_ns':%s}", page);
    for (int turn = 0; turn < 12; turn++) {
        addf(record, "{'line':'slice','cell':'a','series':'copied','number':%d,'wall_ns':[%.0f]}", turn,
             ns * (1 + 1e-3 * (turn * 7 % 11)));
    }
    add(record, "{'line':'verify','cell':'a','pass':'before','checks':[{'checked':1}]}");
    return record;
}

/* Whether such a row has a bandwidth. */
static void expect_moved(double bytes, double ns, const char *page, bool has_bandwidth, bool no_copy)
{
    struct figures metrics;
    struct record *record = moved(bytes, ns, page);
    figures_read_cell(&metrics, record, record_cell(record, "a"));
    cr_expect_eq(isfinite(metrics.bandwidth), has_bandwidth, "%.0f bytes in %.0f ns: %g bytes/s", bytes, ns,
                 metrics.bandwidth);
    cr_expect_eq(metrics.costs.no_copy, no_copy, "%.0f bytes in %.0f ns", bytes, ns);
}

Test(figures, a_map_as_fast_as_a_page_was_not_copied)
{
    expect_moved(64e6, 20e3, "15000", false, true);
    expect_moved(64e6, 29e3, "15000", false, true);
    expect_moved(1e12, 20e3, "null", false, true); /* no memory is as fast */
}

Test(figures, a_map_that_depends_on_the_size_was_copied)
{
    expect_moved(64e6, 5e6, "15000", true, false);
    expect_moved(64e6, 31e3, "15000", true, false); /* twice as long as a page: that cannot be decided */
    expect_moved(64e6, 29e3, "null", true, false);  /* nor without the page */
}

Test(figures, a_map_of_too_few_bytes_has_no_bandwidth)
{
    expect_moved(1024, 20e3, "15000", false, false);
}

/* Of a cell with runs of a millisecond, and a whole with its upload of so many, beside a baseline of so many. */
static struct breakeven breakeven_of(double whole, double baseline)
{
    struct figures metrics;
    struct record *record = new_record();
    add(record, "{'line':'device','id':'d','key':'d','backend':'fake','class':'dGPU'}");
    add(record, "{'line':'cell','key':'b','device':'c','baseline':'b'}");
    add(record, "{'line':'cell','key':'a','device':'d','baseline':'b'}");
    for (int turn = 0; turn < 12; turn++) {
        static const char begin[] = "{'line':'slice','cell':";
        addf(record, "%s\"b\",\"series\":\"resident\",\"number\":%d,\"wall_ns\":[%.0f]}", begin, turn, 1e6 * baseline);
        addf(record, "%s\"a\",\"series\":\"resident\",\"number\":%d,\"wall_ns\":[1000000]}", begin, turn);
        addf(record,
             "%s\"a\",\"series\":\"copied\",\"number\":%d,\"wall_ns\":[%.0f],\"phases\":{\"upload_ns\":[100000],"
             "\"compute_ns\":[1000000]}}",
             begin, turn, 1e6 * whole);
    }
    figures_read_cell(&metrics, record, record_cell(record, "a"));
    return metrics.breakeven;
}

Test(figures, a_whole_shorter_than_its_part_gives_no_break_even)
{
    cr_expect_eq(breakeven_of(1.1, 2).outcome, BREAKEVEN_KNOWN);
    cr_expect_eq(breakeven_of(0.8, 2).outcome, BREAKEVEN_UNCLEAR);
    cr_expect(isnan(breakeven_of(0.8, 2).uses));
    cr_expect_eq(breakeven_of(0.3, 0.5).outcome, BREAKEVEN_UNCLEAR); /* nor a "never" */
}

/* A row of a CPU in a type. Seconds 0: there is no such series. */
struct cpu_row {
    const char *key, *dtype, *shape, *measures;
    double resident, copied;
    bool is_disturbed; /* the series with transfers is */
};

static void add_times(struct record *record, const char *key, const char *series, double seconds, unsigned turn,
                      bool is_disturbed)
{
    for (unsigned i = 0; seconds > 0 && i < 24; i++) {
        addf(record, "{'line':'look','processor':0,'rate':%d}", is_disturbed ? 1 : 2);
        addf(record,
             "{'line':'slice','cell':'%s','series':'%s','number':%u,'wall_ns':[%.0f],'phases':{'compute_ns':[%.0f]}}",
             key, series, 20 * i + turn, 1e9 * seconds * (1 + 1e-4 * (i * 7 % 5)), 0.5e9 * seconds);
    }
}

static void add_cpu_row(struct record *record, const struct cpu_row *row, const char *device, unsigned turn)
{
    addf(record,
         "{'line':'cell','key':'%s','block':'%s "
         "%s','device':'%s','workload':'w','dtype':'%s','shape':'%s','memory':'pageable','method':'m','flops':1e6,'"
         "bytes':1e6,'measures':'%s','baseline':'f16 stays','baseline_copied':'f16 moves'}",
         row->key, row->dtype, row->shape, device, row->dtype, row->shape, row->measures);
    add_times(record, row->key, "resident", row->resident, turn, false);
    add_times(record, row->key, "copied", row->copied, turn + 1, row->is_disturbed);
    end_well(record, row->key);
}

/* The CPU takes 50 and 60 ms in f16. In f32 the fastest of three rows of the same size counts, for each use that it was
 * measured for: 20 ms, and 55 ms with transfers, of which those may be disturbed. */
static struct figures metrics_beside(unsigned fastest, bool is_disturbed)
{
    static const double times[3][3] = { { 20e-3, 25e-3, 22e-3 }, { 25e-3, 20e-3, 22e-3 }, { 25e-3, 22e-3, 20e-3 } };
    const struct cpu_row rows[] = {
        { "f32 a", "f32", "n=9", "resident", times[fastest][0], 0, false },
        { "f32 b", "f32", "n=9", "resident", times[fastest][1], 0, false },
        { "f32 c", "f32", "n=9", "resident", times[fastest][2], 0, false },
        { "f32 moves", "f32", "n=9", "copied", 0, 55e-3, is_disturbed },
        { "f32 of another size", "f32", "n=8", "both", 1e-3, 1e-3, false },
        { "f16 moves", "f16", "n=9", "copied", 0, 60e-3, false },
        { "f16 stays", "f16", "n=9", "resident", 50e-3, 0, false },
    };
    struct record *record = new_record();
    struct figures metrics;
    add(record, "{'line':'device','id':'cpu','key':'c','backend':'cpu','class':'CPU','works_in_host_memory':true}");
    add(record, "{'line':'device','id':'gpu','key':'g','backend':'fake','class':'dGPU'}");
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        add_cpu_row(record, &rows[i], "cpu", 2 * i);
    add_cpu_row(record, &(struct cpu_row){ "own", "f16", "n=9", "both", 10e-3, 190e-3, false }, "gpu", 14);
    figures_read_cell(&metrics, record, record_cell(record, "own"));
    return metrics;
}

Test(figures, the_fastest_f32_of_the_same_size_and_use_counts)
{
    for (unsigned fastest = 0; fastest < 3; fastest++)
        for (unsigned disturbed = 0; disturbed < 2; disturbed++) {
            const struct figures metrics = metrics_beside(fastest, disturbed);
            cr_expect_float_eq(metrics.use[USE_RESIDENT].in_f32.value, 20e-3, 1e-4, "%g",
                               metrics.use[USE_RESIDENT].in_f32.value);
            cr_expect_float_eq(metrics.use[USE_COPIED].in_f32.value, 55e-3, 1e-4, "%g",
                               metrics.use[USE_COPIED].in_f32.value);
            cr_expect_float_eq(metrics.costs.compute, 95e-3, 1e-6, "a phase of the runs with transfers: %g",
                               metrics.costs.compute);
            cr_expect_float_eq(metrics.use[USE_RESIDENT].time.value, 10e-3, 1e-4);
            cr_expect_not(metrics.use[USE_RESIDENT].is_disturbed);
            cr_expect_eq(metrics.use[USE_COPIED].is_disturbed, disturbed == 1);
            cr_expect_eq(metrics.breakeven.uses, 5, "60 + 4 * 50 ms against 190 + 4 * 10 ms: %g",
                         metrics.breakeven.uses);
        }
}

/* Its transfers are those of another cell. */
Test(figures, a_row_is_disturbed_in_the_use_whose_cell_was)
{
    for (unsigned disturbed = 0; disturbed < 2; disturbed++) {
        struct record *record = new_record();
        struct figures metrics;
        add(record, "{'line':'device','id':'gpu','key':'g','backend':'fake','class':'dGPU'}");
        add_cpu_row(record, &(struct cpu_row){ "stays", "f16", "n=9", "resident", 10e-3, 0, false }, "gpu", 0);
        add_cpu_row(record, &(struct cpu_row){ "moves", "f16", "n=9", "copied", 0, 30e-3, disturbed }, "gpu", 2);
        figures_read_cell(&metrics, record, record_cell(record, "stays"));
        cr_expect_not(metrics.use[USE_RESIDENT].is_disturbed);
        cr_expect_eq(metrics.use[USE_COPIED].is_disturbed, disturbed == 1);
    }
}

/* 345 GB/s by the bytes of one direction: a link may be so fast, and twice as fast as that is none. */
Test(figures, a_transfer_is_judged_by_the_bytes_that_it_moves_and_not_by_those_that_are_held)
{
    struct record *record = moved(10e6, 29e3, "15000");
    struct cell_record *cell = record_cell(record, "a");
    struct figures metrics;
    cell->held = 2 * cell->bytes;
    figures_read_cell(&metrics, record, cell);
    cr_expect(isnan(metrics.bandwidth));
    cr_expect_not(metrics.costs.no_copy);
}

/* A journal may not have them. */
Test(figures, uploads_of_kept_data_have_a_rate_of_their_own)
{
    for (unsigned has = 0; has < 2; has++) {
        struct record *record = new_record();
        struct figures metrics;
        add(record, "{'line':'cell','key':'a','memory':'pinned','bytes':64000}");
        for (unsigned k = 0; k < 12; k++)
            addf(record,
                 "{'line':'slice','cell':'a','series':'copied','number':%u,'wall_ns':[1600],'elapsed_ns':99999%s}", k,
                 has ? ",'kept_ns':1280" : "");
        figures_read_cell(&metrics, record, record_cell(record, "a"));
        cr_expect(has ? fabs(metrics.kept_bandwidth / 5e10 - 1) < 1e-9 : isnan(metrics.kept_bandwidth), "%g",
                  metrics.kept_bandwidth);
    }
}

/* A cell with 12 slices of eleven runs of 2 ms, 22 ms in all, that burn so many processor seconds a second. */
static double host_cpu_of(double cpu, const char *more)
{
    struct record *record = new_record();
    struct figures metrics;
    add(record, "{'line':'cell','key':'a','device':'d','memory':'pageable'}");
    for (unsigned turn = 0; turn < 12; turn++)
        addf(record,
             "{'line':'slice','cell':'a','series':'resident','number':%u,'elapsed_ns':22000000,'cpu_ns':%.0f,'wall_ns':"
             "[2000000,2000000,2000000,2000000,2000000,2000000,2000000,2000000,2000000,2000000,2000000]%s}",
             turn, cpu * 22e6, more);
    figures_read_cell(&metrics, record, record_cell(record, "a"));
    return metrics.costs.host_cpu;
}

/* Half a core of 22 ms, in the 11 that are left of them. */
Test(figures, emptying_caches_is_no_time_of_the_runs)
{
    cr_expect_float_eq(host_cpu_of(0.5, ""), 0.5, 1e-9);
    cr_expect_float_eq(host_cpu_of(0.5, ",\"flush_ns\":11000000"), 1, 1e-9);
}
