/* When the device's own times are believed, and which of them are left out. */

#include "harness/analysis/figure.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"

#include <math.h>

TestSuite(event_clock, .fini = release_kept);

/* `count` runs of so many seconds whose events take `event`; of the first `odd` they take `odd_event`. */
static struct event_times times_of(double wall, unsigned count, double event, unsigned odd, double odd_event)
{
    struct record *record = new_record();
    json_t *walls = json_array(), *events = json_array();
    for (unsigned i = 0; i < count; i++) {
        json_array_append_new(walls, json_real(1e9 * wall));
        const double own = i < odd ? odd_event : event;
        json_array_append_new(events, isnan(own) ? json_null() : json_real(1e9 * own));
    }
    add(record, "{'line':'cell','key':'a'}");
    add_line(record, json_pack("{s:s, s:s, s:s, s:i, s:o, s:o}", "line", "slice", "cell", "a", "series", "resident",
                               "number", 0, "wall_ns", walls, "event_ns", events));
    struct event_times times = event_times_read(&record_cell(record, "a")->track[SERIES_RESIDENT]);
    return times;
}

Test(times, may_differ_from_the_hosts_by_its_rate_and_a_tick)
{
    static const struct {
        double wall, event;
        enum event_clock clock;
    } rows[] = {
        { 1, 1, EVENT_TRUSTED },
        { 1, 1.0002, EVENT_TRUSTED },
        { 1, 1.00021, EVENT_DOUBTFUL },
        { 1, 0.9, EVENT_TRUSTED },
        { 1, 0, EVENT_DOUBTFUL },
        { 1, -1, EVENT_DOUBTFUL },
        { 5e-6, 6.9e-6, EVENT_TRUSTED },
        { 5e-6, 7.1e-6, EVENT_DOUBTFUL },
        { 1e-2, 10.003e-3, EVENT_TRUSTED },
        { 1e-2, 2e-2, EVENT_DOUBTFUL },
        { 1e-2, 10.005e-3, EVENT_DOUBTFUL },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct event_times times = times_of(rows[i].wall, 100, rows[i].event, 0, 0);
        cr_expect_eq(times.clock, rows[i].clock, "%g of %g: %s", rows[i].event, rows[i].wall,
                     event_clock_names[times.clock]);
    }
}

Test(times, an_impossible_time_spoils_its_sample_and_no_other)
{
    static const double impossible[] = { 0, -0.01, 0.0101, 5 };
    for (unsigned i = 0; i < sizeof impossible / sizeof *impossible; i++)
        for (unsigned odd = 0; odd <= 20; odd++) {
            struct event_times times = times_of(0.01, 20, 0.009, odd, impossible[i]);
            cr_expect_eq(times.count, 20);
            cr_expect_eq(times.doubtful, odd);
            cr_expect_eq(times.clock, odd <= 2 ? EVENT_TRUSTED : EVENT_DOUBTFUL, "%u of 20 are %g s", odd,
                         impossible[i]);
            cr_expect(odd == 20 ? isnan(times.share) : fabs(times.share - 0.9) < 1e-12, "%u of 20: %g", odd,
                      times.share);
        }
    cr_expect_eq(times_of(0.01, 2, 0.009, 1, 1).clock, EVENT_TRUSTED);
    cr_expect_eq(times_of(0.01, 1, 0.009, 1, 1).clock, EVENT_DOUBTFUL);
}

Test(times, without_times_there_is_none)
{
    cr_expect_eq(times_of(0.01, 5, NAN, 0, 0).clock, EVENT_ABSENT);
    cr_expect_eq(times_of(0.01, 0, 0, 0, 0).clock, EVENT_ABSENT);
}

Test(times, a_run_without_a_time_is_no_run_with_a_false_one)
{
    struct event_times times = times_of(0.01, 20, 0.009, 15, NAN);
    cr_expect(times.clock == EVENT_TRUSTED && times.count == 5 && times.doubtful == 0, "%u of %u are doubtful",
              times.doubtful, times.count);
    cr_expect_float_eq(times.share, 0.9, 1e-12);
}

Test(times, falls_short_where_it_leaves_out_most_of_a_run_and_more_than_a_start_takes)
{
    struct event_times events = { .clock = EVENT_TRUSTED, .share = 0.3 };
    cr_expect(event_times_fall_short(&events, 1));
    cr_expect_not(event_times_fall_short(&events, 0.012));
    cr_expect(event_times_fall_short(&events, 0.02)); /* it leaves out 14 ms */
    events.share = 0.7;
    cr_expect_not(event_times_fall_short(&events, 1));
    events = (struct event_times){ .clock = EVENT_DOUBTFUL, .share = 0.3 };
    cr_expect_not(event_times_fall_short(&events, 1));
}

Test(times, visits_are_those_of_rows_and_no_peaks)
{
    static const struct {
        const char *key, *more;
        unsigned slices;
    } cells[] = { { "a", "", 6 }, { "b", "", 10 }, { "peak", ",'ceiling':true", 18 } };
    struct record *record = new_record();
    for (unsigned i = 0; i < 3; i++) {
        addf(record, "{'line':'cell','key':'%s'%s}", cells[i].key, cells[i].more);
        for (unsigned k = 0; k < cells[i].slices; k++)
            addf(record,
                 "{'line':'slice','cell':'%s','series':'resident','visit':%u,'number':%u,'wall_ns':[2000000,3000000]}",
                 cells[i].key, k, 20 * i + k);
    }
    const struct visits visits = record_visits(record);
    cr_expect(visits.least == 6 && visits.most == 10, "%u to %u", visits.least, visits.most);
    cr_expect_eq(record_time(record_cell(record, "a"), SERIES_RESIDENT).samples, 12, "samples are runs");
    cr_expect_eq(record_time(record_cell(record, "a"), SERIES_COPIED).samples, 0);
}

/* Of twelve slices from 100 to 111 us nine tenths less one tenth are 8.8 us, and the median is 105.5. The peak and the
 * GPU vary more. */
Test(times, the_spread_of_a_run_is_that_of_rows_on_the_host)
{
    static const struct {
        const char *key, *device, *more;
        double step;
    } cells[] = { { "a", "cpu", "", 1 }, { "peak", "cpu", ",'ceiling':true", 50 }, { "g", "gpu", "", 20 } };
    struct record *record = new_record();
    add(record, "{'line':'device','id':'cpu','key':'cpu','backend':'cpu','class':'CPU','works_in_host_memory':true}");
    add(record, "{'line':'device','id':'gpu','key':'gpu','backend':'cuda','class':'dGPU'}");
    cr_expect(isnan(record_spread(record)));
    for (unsigned i = 0; i < 3; i++) {
        addf(record, "{'line':'cell','key':'%s','device':'%s'%s}", cells[i].key, cells[i].device, cells[i].more);
        for (unsigned k = 0; k < 12; k++)
            addf(record, "{'line':'slice','cell':'%s','series':'resident','number':%u,'wall_ns':[%.0f]}", cells[i].key,
                 20 * i + k, 1e3 * (100 + cells[i].step * (k * 5 % 12)));
    }
    cr_expect_float_eq(record_spread(record), 8.8 / 105.5, 1e-9, "%.9g", record_spread(record));
}
