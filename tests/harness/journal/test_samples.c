/* What a record keeps of slices, and how much memory that takes. */

#include "tests/support/kept.h"
#include "tests/support/lines.h"

#include <math.h>

TestSuite(samples, .fini = release_kept);

static struct record *two_cells(void)
{
    struct record *record = new_record();
    cr_assert(record);
    add(record, "{'line':'cell','key':'a','block':'one','device':'cpu','roof':'flops'}");
    add(record, "{'line':'cell','key':'b','block':'one','device':'cpu','roof':'sky'}");
    return record;
}

Test(samples, absent_times_use_no_memory)
{
    struct record *record = two_cells();
    const struct track *track = &record_cell(record, "b")->track[SERIES_RESIDENT];
    add(record, "{'line':'slice','cell':'b','series':'resident','number':0,'wall_ns':[5000,6000],'event_ns':null}");
    cr_expect(track->wall.count == 2 && track->event.count == 0 && track->enqueue.count == 0);
    cr_expect_null(track->event.value);
    add(record, "{'line':'slice','cell':'b','series':'resident','number':1,'wall_ns':[7000,-1,8000,9000],'event_ns':["
                "null,3,4]}");
    cr_assert(track->wall.count == 5 && track->event.count == 5 && track->enqueue.count == 0);
    for (unsigned i = 0; i < 5; i++)
        cr_expect(i == 3 ? track->event.value[i] == 4e-9 : isnan(track->event.value[i]), "place %u", i);
}

Test(samples, many_slices_add_up)
{
    struct record *record = two_cells();
    const struct track *track = &record_cell(record, "b")->track[SERIES_COPIED];
    for (unsigned turn = 0; turn < 1000; turn++) {
        addf(record,
             "{'line':'slice','cell':'b','series':'copied','number':%u,'wall_ns':[7000,8000,9000],'phases':{'upload_ns'"
             ":[1000,2000,3000]}}",
             turn);
    }
    cr_expect(track->wall.count == 3000 && track->phase[PHASE_UPLOAD].count == 3000 && track->slices == 1000);
    cr_expect_null(track->phase[PHASE_DOWNLOAD].value);
}

Test(samples, cells_that_measure_a_peak_are_listed)
{
    struct record *record = two_cells();
    cr_assert_eq(record->peaks, 1);
    cr_expect_eq(record->peak[0], record_cell(record, "a"));
    add(record, "{'line':'cell','key':'c','block':'two','device':'cpu','roof':'flops'}");
    add(record, "{'line':'done','block':'two'}");
    add(record, "{'line':'resume'}");
    cr_assert_eq(record->peaks, 1);
    cr_expect_eq(record->peak[0], record_cell(record, "c"), "what is forgotten is no peak any more");
}
