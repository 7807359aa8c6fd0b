/* What a record keeps of slices, and how much memory that takes. */

#include "tests/support/kept.h"
#include "tests/support/lines.h"

#include <math.h>

TestSuite(record_slices, .fini = release_kept);

static struct record *two_cells(void)
{
    struct record *record = new_record();
    cr_assert(record);
    add(record, "{'line':'cell','key':'a','block':'one','device':'cpu','roof':'flops'}");
    add(record, "{'line':'cell','key':'b','block':'one','device':'cpu','roof':'sky'}");
    return record;
}

Test(record_slices, absent_times_use_no_memory)
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

Test(record_slices, many_slices_add_up)
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

/* What of a slice of one run of 5 us, in 8 us, is a time, and what is none. */
Test(record_slices, times_that_are_not_possible_are_no_times)
{
    static const struct {
        const char *more;
        unsigned runs, unusable;
        double enqueue, kept, spent; /* seconds; NAN: none */
        unsigned uploads;
    } rows[] = {
        { "'wall_ns':[5000]", 1, 0, NAN, NAN, 5e-6, 0 },
        { "'wall_ns':[5000],'enqueue_ns':[0]", 1, 0, 0, NAN, 5e-6, 0 },
        { "'wall_ns':[5000],'enqueue_ns':[4000]", 1, 0, 4e-6, NAN, 5e-6, 0 },
        { "'wall_ns':[5000],'enqueue_ns':[6000]", 0, 1, NAN, NAN, 0, 0 },
        { "'wall_ns':[5000],'kept_ns':3000", 1, 0, NAN, 3e-6, 5e-6, 0 },
        { "'wall_ns':[5000],'kept_ns':9000", 1, 0, NAN, NAN, 5e-6, 0 },
        { "'wall_ns':[5000],'kept_ns':0", 1, 0, NAN, NAN, 5e-6, 0 },
        { "'wall_ns':[5000],'phases':{'upload_ns':[0]}", 1, 0, NAN, NAN, 5e-6, 0 },
        { "'wall_ns':[5000],'phases':{'upload_ns':[1000]}", 1, 0, NAN, NAN, 6e-6, 1 },
        { "'wall_ns':[5000],'phases':{'upload_ns':[9000]}", 1, 1, NAN, NAN, 5e-6, 0 },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct record *record = two_cells();
        addf(record, "{'line':'slice','cell':'b','series':'copied','number':0,'elapsed_ns':8000,%s}", rows[i].more);
        const struct track *track = &record_cell(record, "b")->track[SERIES_COPIED];
        const double enqueue = track->enqueue.count > 0 ? track->enqueue.value[0] : NAN,
                     again = track->slices > 0 ? track->slice[0].kept : NAN;
        cr_expect(track->wall.count == rows[i].runs && track->unusable == rows[i].unusable, "%s: %u, %u", rows[i].more,
                  track->wall.count, track->unusable);
        cr_expect(isnan(rows[i].enqueue) ? isnan(enqueue) : fabs(enqueue - rows[i].enqueue) < 1e-12, "%s: %g",
                  rows[i].more, enqueue);
        cr_expect(isnan(rows[i].kept) ? isnan(again) : fabs(again - rows[i].kept) < 1e-12, "%s: %g", rows[i].more,
                  again);
        cr_expect_float_eq(track->spent, rows[i].spent, 1e-12, "%s: %g", rows[i].more, track->spent);
        cr_expect_eq(track->phase[PHASE_UPLOAD].count, rows[i].uploads, "%s", rows[i].more);
    }
}

/* Journals of version 3 have none; a run that was resumed may begin with them. */
Test(record_slices, visits_may_follow_slices_without_one)
{
    struct record *record = two_cells();
    add(record, "{'line':'slice','cell':'b','series':'resident','number':0,'wall_ns':[5000]}");
    add(record, "{'line':'slice','cell':'b','series':'resident','number':1,'visit':0,'wall_ns':[5000]}");
    cr_expect_eq(record_cell(record, "b")->track[SERIES_RESIDENT].slices, 2);
}

Test(record_slices, a_name_with_signs_that_nobody_sees_is_found)
{
    struct record *record = two_cells();
    add(record, "{'line':'cell','key':'c\\u0007d','block':'one','device':'cpu'}");
    add(record, "{'line':'slice','cell':'c\\u0007d','series':'resident','number':0,'wall_ns':[5000]}");
    cr_assert_not_null(record_cell(record, "c d"));
    cr_expect_eq(record_cell(record, "c d")->track[SERIES_RESIDENT].slices, 1);
}

Test(record_slices, cells_that_measure_a_peak_are_listed)
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
