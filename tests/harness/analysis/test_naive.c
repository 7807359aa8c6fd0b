/* Timings of processes that run a problem once: of their lines, the median and a ratio. */

#include "harness/analysis/naive.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"

#include <math.h>

TestSuite(naive, .fini = release_kept);

/* "1a" is the baseline of the others; "1c" is never timed. */
static struct record *three_cells(void)
{
    struct record *record = new_record();
    for (unsigned cell = 0; cell < 3; cell++)
        addf(record, "{'line':'cell','key':'1%c','block':'block 1','baseline':'1a'}", 'a' + cell);
    return record;
}

static void see(struct record *record, const char *cell, double alloc, double run, double fetch)
{
    addf(record, "{'line':'naive','cell':'%s','status':'ok','alloc_ns':%.0f,'run_ns':%.0f,'fetch_ns':%.0f,'faults':10}",
         cell, alloc * 1e9, run * 1e9, fetch * 1e9);
}

Test(naive, is_the_median_of_its_processes_with_the_extremes)
{
    struct record *record = three_cells();
    struct naive naive;
    see(record, "1a", 1, 4, 1);
    see(record, "1a", 1, 1, 1);
    see(record, "1a", 1, 2, 1);
    naive_read(&naive, record_cell(record, "1a"));
    cr_expect_eq(naive.processes, 3);
    cr_expect_eq(naive.failed, 0);
    cr_expect_float_eq(naive.wall, 4, 1e-9);
    cr_expect_float_eq(naive.least, 3, 1e-9);
    cr_expect_float_eq(naive.most, 6, 1e-9);
    cr_expect_float_eq(naive.middle.run, 2, 1e-9);
    cr_expect_eq(naive.middle.faults, 10);
}

Test(naive, a_ratio_lies_between_the_quotients_of_the_extremes)
{
    struct record *record = three_cells();
    see(record, "1a", 0, 2, 0);
    see(record, "1a", 0, 4, 0);
    see(record, "1b", 0, 1, 0);
    see(record, "1b", 0, 2, 0);
    const struct estimate ratio = naive_speedup(record, record_cell(record, "1b"));
    cr_expect_float_eq(ratio.value, 2, 1e-9);
    cr_expect_float_eq(ratio.low, 1, 1e-9);
    cr_expect_float_eq(ratio.high, 4, 1e-9);
    cr_expect(isnan(naive_speedup(record, record_cell(record, "1a")).value), "of itself there is none");
    cr_expect(isnan(naive_speedup(record, record_cell(record, "1c")).value), "it was not timed");
}

Test(naive, a_failed_process_has_no_time)
{
    struct record *record = three_cells();
    struct naive naive;
    see(record, "1a", 0, 2, 0);
    add(record, "{'line':'naive','cell':'1a','status':'no-memory','reason':'2.1 GB','run_ns':1}");
    naive_read(&naive, record_cell(record, "1a"));
    cr_expect_eq(naive.failed, 1);
    cr_expect_float_eq(naive.wall, 2, 1e-9);
    cr_expect_eq(naive.outcome.status, STATUS_NO_MEMORY);
}
