#include "harness/report/report.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"
#include "tests/support/printed.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(report_unjudged, .fini = release_kept);

/* No output concludes anything from a row that is not judged: too few rounds for an interval, or runs with transfers
 * that took less time than computing alone. */

/* `slices` slices around `ms`, by turns longer and shorter by `spread`. */
static void add_series(struct record *record, const char *key, const char *series, unsigned slices, double ms,
                       double spread, unsigned turn)
{
    for (unsigned i = 0; i < slices; i++) {
        static const int step[] = { 1, -1, -1, 1, 0 };
        addf(record, "{'line':'slice','cell':'%s','series':'%s','number':%u,'wall_ns':[%.0f]%s}", key, series,
             3 * i + turn, 1e6 * ms * (1 + spread * step[i % 5]),
             strcmp(series, "copied") == 0
                 ? ",\"phases\":{\"upload_ns\":[100000],\"compute_ns\":[200000],\"download_ns\":[100000]}"
                 : "");
    }
}

static void add_cell(struct record *record, const char *key, const char *device)
{
    addf(record,
         "{'line':'cell','key':'%s','block':'b','device':'%s','workload':'matmul','dtype':'f32','shape':'m=64,n=64,k="
         "64','method':'portable','memory':'pinned','flops':1e6,'bytes':1e5,'baseline':'c'}",
         key, device);
    for (unsigned i = 0; i < 2; i++)
        addf(record, "{'line':'verify','cell':'%s','checks':[{'checked':1}]}", key);
}

/* A CPU of 4 ms a run, and a GPU of so many with data that stay and with transfers. */
static struct record *run_of(unsigned slices, double stays, double moves, double spread)
{
    struct record *record = new_record();
    addf(record, "{'line':'device','id':'cpu','key':'cpu','backend':'cpu','name':'a "
                 "CPU','class':'CPU','works_in_host_memory':true}");
    addf(record,
         "{'line':'device','id':'cuda:0','key':'g','backend':'cuda','name':'a GPU','class':'dGPU','silicon':'pci 1'}");
    add_cell(record, "c", "cpu");
    add_cell(record, "g", "cuda:0");
    add_series(record, "c", "resident", slices, 4, 0, 0);
    add_series(record, "g", "resident", slices, stays, spread, 1);
    add_series(record, "g", "copied", slices, moves, 0, 2);
    addf(record, "{'line':'outcome','cell':'c','status':'ok'}");
    addf(record, "{'line':'outcome','cell':'g','status':'ok'}");
    addf(record, "{'line':'end','status':'complete'}");
    return record;
}

static char *report_text(const struct report *report, struct record *record, unsigned width, bool brief)
{
    return printed_as(record, report->name, &(struct layout){ .width = width, .all_columns = true, .is_brief = brief });
}

/* The number of outputs in which a conclusion is drawn. */
static unsigned conclusions(struct record *record)
{
    static const char *const words[] = { "x faster", "x slower", "Yes for", "No for", "of the same data on" };
    unsigned found = 0;
    for (const struct report *const *report = reports; *report; report++)
        for (unsigned brief = 0; brief < 2; brief++) {
            char *text = report_text(*report, record, 100, brief);
            bool is_said = false;
            for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
                is_said |= strstr(text, words[i]) != NULL;
            found += is_said;
        }
    return found;
}

Test(report_unjudged, no_output_concludes_from_a_row_without_an_interval)
{
    cr_expect_eq(conclusions(run_of(2, 1, 2, 0)), 0, "faster by two rounds");
    cr_expect_eq(conclusions(run_of(2, 9, 12, 0)), 0, "slower by two rounds");
    cr_expect_gt(conclusions(run_of(24, 1, 2, 0)), 5, "so would every output otherwise");
}

Test(report_unjudged, no_output_concludes_from_a_total_below_its_part)
{
    cr_expect_eq(conclusions(run_of(24, 4, 1, 0.5)), 0);
    cr_expect_gt(conclusions(run_of(24, 4, 12, 0.5)), 3, "a total above its part does conclude");
}

/* In how many outputs some words are. */
static unsigned outputs_with(struct record *record, const char *words)
{
    unsigned found = 0;
    for (const struct report *const *report = reports; *report; report++)
        for (unsigned brief = 0; brief < 2; brief++) {
            char *text = report_text(*report, record, 300, brief);
            found += strstr(text, words) != NULL;
        }
    return found;
}

/* Every format says why, on the screen and in full. */
Test(report_unjudged, no_output_concludes_from_a_cpu_that_was_held_back)
{
    static const struct {
        const char *line;
        bool is_held_back;
    } rows[] = {
        { "{'line':'first','cell':'c','cores_planned':2,'cores_computing':1}", true },
        { "{'line':'first','cell':'g','cores_planned':64,'cores_computing':63}", true },
        { "{'line':'first','cell':'c','cores_planned':2,'cores_computing':2}", false },
        { "{'line':'first','cell':'c','cores_planned':2}", false },
        { "{'line':'end','status':'complete','cores_changed':true}", true },
        { "{'line':'end','status':'complete','cores_changed':false}", false },
    };
    unsigned outputs = 0;
    for (const struct report *const *report = reports; *report; report++)
        outputs += 2;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct record *record = run_of(24, 1, 2, 0);
        addf(record, "%s", rows[i].line);
        cr_expect(!rows[i].is_held_back || outputs_with(record, "not judged") == outputs, "%s", rows[i].line);
        cr_expect_eq(outputs_with(record, "CPU held back"), rows[i].is_held_back ? outputs : 0, "%s", rows[i].line);
        cr_expect_eq(conclusions(record) == 0, rows[i].is_held_back, "%s", rows[i].line);
    }
}
