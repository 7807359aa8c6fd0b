#include "tests/support/kept.h"
#include "tests/support/lines.h"
#include "tests/support/noted.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(launch_overhead, .fini = release_kept);

/* What asking costs, and what cutting a run brings: from the lines of a journal to the words of its report. */

static struct record *record_of_devices(void)
{
    struct record *record = new_record();
    cr_assert(record);
    add(record, "{'line':'device','id':'d','key':'d','backend':'fake','class':'dGPU'}");
    add(record, "{'line':'device','id':'e','key':'e','backend':'fake','class':'dGPU'}");
    add(record, "{'line':'device','id':'cpu','key':'cpu','backend':'cpu','class':'CPU','works_in_host_memory':true}");
    return record;
}

static void add_cell(struct record *record, const char *key, const char *device, const char *workload,
                     const char *shape)
{
    addf(record,
         "{'line':'cell','key':'%s','block':'%s','device':'%s','workload':'%s','dtype':'f32','shape':'%s','method':'v',"
         "'memory':'pinned'}",
         key, key, device, workload, shape);
}

/* Twelve slices of three runs each; `enqueue` is a JSON array, or null. */
static void add_slices(struct record *record, const char *key, const char *series, double seconds, const char *enqueue)
{
    for (int turn = 0; turn < 12; turn++) {
        double ns = 1e9 * seconds;
        addf(record,
             "{'line':'slice','cell':'%s','series':'%s','number':%d,'wall_ns':[%.0f,%.0f,%.0f],'enqueue_ns':%s}", key,
             series, turn, ns, ns, ns, enqueue);
    }
}

static void add_phases(struct record *record, const char *key, double upload, double compute, double download)
{
    addf(record,
         "{'line':'slice','cell':'%s','series':'copied','number':100,'wall_ns':[%.0f],'phases':{'upload_ns':[%.0f],'"
         "compute_ns':[%.0f],'download_ns':[%.0f]}}",
         key, 1e9 * (upload + compute + download), 1e9 * upload, 1e9 * compute, 1e9 * download);
}

/* Whether a note on the cell begins with these words. */
static bool is_said(const struct record *record, const char *key, const char *words)
{
    const char *all = noted_on(record, key), *found = strstr(all, words);
    return found && (found == all || found[-1] == '\n');
}

static struct launch_overhead launches_of(const struct record *record, const char *key)
{
    struct launch_overhead launches;
    const struct figure resident = figure_read(record, record_cell(record, key), USE_RESIDENT);
    launch_overhead_read(&launches, record, &resident);
    return launches;
}

Test(launch_overhead, the_time_of_the_calls_is_a_share_of_the_run)
{
    static const struct {
        const char *enqueue;
        double seconds;
    } times[] = {
        { "[100000,100000,100000]", 1e-4 },
        { "[100000,300000,200000]", 2e-4 },
        { "[0,0,0]", 0 },
        { "[null,\"x\",100000]", 1e-4 },
        { "[-5,-5,-5]", NAN },
        { "[]", NAN },
        { "null", NAN }, /* a journal that knows nothing of it */
    };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct record *record = record_of_devices();
        add_cell(record, "a", "d", "launch", "n=1,count=1");
        add_slices(record, "a", "resident", 1e-3, times[i].enqueue);
        double seconds = launches_of(record, "a").enqueue;
        cr_expect(isnan(times[i].seconds) ? isnan(seconds) : fabs(seconds - times[i].seconds) < 1e-12, "%s: %g s",
                  times[i].enqueue, seconds);
    }
}

Test(launch_overhead, a_run_without_a_time_has_no_time_of_its_calls)
{
    struct record *record = record_of_devices();
    add_cell(record, "a", "d", "launch", "n=1,count=1");
    for (int turn = 0; turn < 12; turn++) {
        addf(record,
             "{'line':'slice','cell':'a','series':'resident','number':%d,'wall_ns':[0,1000000],'enqueue_ns':[999,"
             "100000]}",
             turn);
    }
    cr_expect_float_eq(launches_of(record, "a").enqueue, 1e-4, 1e-12);
}

Test(launch_overhead, many_are_compared_with_one_of_the_same_work_on_the_same_device)
{
    static const struct {
        const char *device, *workload, *shape;
        double seconds;
        const char *words;
    } ones[] = {
        { "d", "launch", "n=9000,count=1", 1e-3,
          "101 launches take 3.00 times as long as one does for the same work: 20.0 us more for each, so do more per "
          "launch" },
        { "d", "multiply", "n=9000", 1.5e-3, "101 launches take 2.00 times as long as one" },
        { "d", "launch", "n=9000,count=1", 2.99e-3, NULL },
        { "d", "launch", "n=900,count=1", 1e-3, NULL },
        { "d", "launch", "n=9000,count=10", 1e-3, NULL },
        { "e", "launch", "n=9000,count=1", 1e-3, NULL },
    };
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) {
        struct record *record = record_of_devices();
        add_cell(record, "one", ones[i].device, ones[i].workload, ones[i].shape);
        add_slices(record, "one", "resident", ones[i].seconds, "null");
        add_cell(record, "many", "d", "launch", "n=9000,count=101");
        add_slices(record, "many", "resident", 3e-3, "null");
        cr_expect_eq(is_said(record, "many", ones[i].words ? ones[i].words : "101 launches"), ones[i].words != NULL,
                     "%s %s %s", ones[i].device, ones[i].workload, ones[i].shape);
    }
}

/* What went wrong is compared with nothing. */
Test(launch_overhead, two_are_compared_with_one_that_ended_well)
{
    for (unsigned wrong = 0; wrong < 2; wrong++) {
        struct record *record = record_of_devices();
        add_cell(record, "one", "d", "launch", "n=9000,count=1");
        add_slices(record, "one", "resident", 1e-3, "null");
        addf(record, "{'line':'outcome','cell':'one','status':'%s'}", wrong ? "failed" : "ok");
        add_cell(record, "two", "d", "launch", "n=9000,count=2");
        add_slices(record, "two", "resident", 3e-3, "null");
        const double uncut = launches_of(record, "two").uncut;
        cr_expect(wrong ? isnan(uncut) : fabs(uncut - 1e-3) < 1e-9, "%g", uncut);
    }
}

Test(launch_overhead, many_with_warm_caches_are_not_compared_with_one_with_cold_ones)
{
    struct record *record = record_of_devices();
    add(record, "{'line':'cell','key':'one','block':'one','device':'d','workload':'launch','dtype':'f32','shape':'n="
                "9000,count=1','method':'v','memory':'pinned','cold':true}");
    add_slices(record, "one", "resident", 2e-3, "null");
    add_cell(record, "many", "d", "launch", "n=9000,count=101");
    add_slices(record, "many", "resident", 3e-3, "null");
    cr_expect(isnan(launches_of(record, "many").uncut));
}

Test(launch_overhead, the_cost_of_a_wait_after_each_is_noted)
{
    struct record *record = record_of_devices();
    add_cell(record, "a", "d", "launch", "n=1,count=1");
    add_slices(record, "a", "resident", 2e-5, "null");
    add_slices(record, "a", "queued", 5e-6, "null");
    cr_expect(is_said(record, "a", "a run takes 20.0 us with a wait after each, and 5.00 us among many with one wait"));
}

/* Not where a launch and its wait are less than a twentieth of the run. */
Test(launch_overhead, a_short_run_says_that_its_figures_include_a_wait)
{
    static const char words[] = "a run takes 100 us with a wait after each, and ";
    static const struct {
        double queued;
        bool is_said;
    } cases[] = { { 9.4e-5, true }, { 9.6e-5, false }, { 1.1e-4, false } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = record_of_devices();
        add_cell(record, "a", "d", "matmul", "m=1024,n=1024,k=1024");
        add_slices(record, "a", "resident", 1e-4, "null");
        add_slices(record, "a", "queued", cases[i].queued, "null");
        cr_expect_eq(is_said(record, "a", words), cases[i].is_said, "%g", cases[i].queued);
    }
}

Test(launch_overhead, overlapping_is_compared_with_one_thing_after_the_other)
{
    static const struct {
        const char *workload, *shape;
        double whole;
        const char *words;
    } cases[] = {
        { "overlap", "n=9000,chunks=8,queues=2", 5e-3,
          "in 8 chunks on 2 queues the whole takes 5.00 ms; all uploads, then all computing, then all downloads "
          "take 8.00 ms" },
        { "overlap", "n=9000,chunks=8,queues=1", 8.1e-3, "in 8 chunks on 1 queue the whole takes 8.10 ms" },
        { "overlap", "n=9000,chunks=1,queues=1", 5e-3, NULL },
        { "multiply", "n=9000", 5e-3, NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = record_of_devices();
        add_cell(record, "a", "d", cases[i].workload, cases[i].shape);
        add_slices(record, "a", "resident", 1e-3, "null");
        add_slices(record, "a", "copied", cases[i].whole, "null");
        add_phases(record, "a", 4e-3, 2e-3, 2e-3);
        cr_expect_eq(is_said(record, "a", cases[i].words ? cases[i].words : "in "), cases[i].words != NULL, "%s",
                     cases[i].shape);
    }
}
