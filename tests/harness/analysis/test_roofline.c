#include "harness/analysis/figures.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"
#include "tests/support/noted.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(roofline, .fini = release_kept);

#define MIB (1024.0 * 1024)

/* A cell as in a journal, with 12 slices of a run each. Its device is "d" unless another is named. */
struct made {
    const char *key, *device, *dtype;
    const char *roof; /* what it measures; NULL: nothing */
    double flops, bytes, held;
    double ms, event; /* of a run, and the part of it by the device's clock; 0: no event time */
    double queued_ms; /* of a run, where many share a wait; 0: not measured */
    double swing;     /* of the times, relative, up and down */
    unsigned launches;
    bool fast, cold, link;
    const char *status; /* NULL: ok */
};

static void add_device(struct record *record, const char *id, bool in_place)
{
    add_line(record, json_pack("{s:s, s:s, s:s, s:s, s:s, s:b}", "line", "device", "id", id, "key", id, "backend",
                               "fake", "class", "dGPU", "works_in_host_memory", in_place));
}

static void add_runs(struct record *record, const struct made *made)
{
    for (int turn = 0; turn < 12; turn++) {
        double ns = made->ms * 1e6 * (1 + made->swing * (turn % 2 ? 1 : -1) * (1 + turn % 3) / 3);
        json_t *line = json_pack("{s:s, s:s, s:s, s:i, s:[I]}", "line", "slice", "cell", made->key, "series",
                                 "resident", "number", turn, "wall_ns", (json_int_t)ns);
        if (made->event > 0)
            json_object_set_new(line, "event_ns", json_pack("[I]", (json_int_t)(ns * made->event)));
        add_line(record, line);
        if (made->queued_ms > 0)
            add_line(record, json_pack("{s:s, s:s, s:s, s:i, s:[I]}", "line", "slice", "cell", made->key, "series",
                                       "queued", "number", turn, "wall_ns", (json_int_t)(made->queued_ms * 1e6)));
    }
}

static void add_cell(struct record *record, struct made made)
{
    json_t *line = json_pack("{s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:b}", "line", "cell", "key", made.key, "block", "b",
                             "device", made.device ? made.device : "d", "dtype", made.dtype ? made.dtype : "f32",
                             "flops", made.flops, "bytes", made.bytes, "fast_algorithm", made.fast);
    if (made.held > 0)
        json_object_set_new(line, "held", json_real(made.held));
    if (made.cold)
        json_object_set_new(line, "cold", json_true());
    if (made.link)
        json_object_set_new(line, "link", json_true());
    if (made.launches > 0)
        json_object_set_new(line, "launches", json_integer(made.launches));
    if (made.roof)
        json_object_set_new(line, "roof", json_string(made.roof));
    add_line(record, line);
    add_runs(record, &made);
    add_line(record, json_pack("{s:s, s:s, s:s}", "line", "outcome", "cell", made.key, "status",
                               made.status ? made.status : "ok"));
}

/* 200 GFLOP/s in f32, and half of that in f64; 40 GB/s beyond the caches, 160 within a megabyte. */
static const struct made
    fma32 = { .key = "fma32", .roof = "flops", .flops = 2e8, .bytes = 8, .held = 8, .ms = 1 },
    fma64 = { .key = "fma64", .dtype = "f64", .roof = "flops", .flops = 1e8, .bytes = 8, .held = 8, .ms = 1 },
    beyond = { .key = "beyond", .roof = "bandwidth", .bytes = 4e8, .held = 512 * MIB, .ms = 10 },
    within = { .key = "within", .roof = "bandwidth", .bytes = 8e5, .held = MIB, .ms = 0.005 };

static struct record *measured(void)
{
    struct record *record = new_record();
    add_line(record, json_pack("{s:s, s:s}", "line", "journal", "schema", "bench-journal/3"));
    add_device(record, "d", false);
    add_device(record, "other", true);
    add_cell(record, fma32);
    add_cell(record, fma64);
    add_cell(record, beyond);
    add_cell(record, within);
    return record;
}

/* What is read of a cell "a" that is added to them; frees the record. */
static struct roofline roofline_of(struct record *record, struct made made)
{
    struct roofline roofline;
    made.key = "a";
    add_cell(record, made);
    const struct figure resident = figure_read(record, record_cell(record, "a"), USE_RESIDENT);
    roofline_read(&roofline, record, &resident);
    return roofline;
}

static bool is_near(double value, double wanted)
{
    return fabs(value - wanted) < 1e-6 * wanted;
}

Test(roofline, much_work_on_few_bytes_is_bound_by_compute)
{
    struct roofline roofline =
        roofline_of(measured(), (struct made){ .flops = 2e9, .bytes = 1e7, .held = 12 * MIB, .ms = 20 });
    cr_assert(roofline.bound == BOUND_COMPUTE && roofline.binding == ROOF_FLOPS);
    cr_assert(is_near(roofline.share, 0.5), "%g", roofline.share);
    cr_assert(isnan(roofline.bandwidth.wall), "no peak of its class was needed");
    cr_assert(!roofline.by_event && !roofline.is_exceeded && !roofline.is_event_impossible);
}

Test(roofline, an_element_type_has_its_own_peak)
{
    struct roofline roofline = roofline_of(
        measured(), (struct made){ .dtype = "f64", .flops = 2e9, .bytes = 1e7, .held = 12 * MIB, .ms = 25 });
    cr_assert(is_near(roofline.share, 0.8), "%g", roofline.share);
    roofline = roofline_of(measured(),
                           (struct made){ .dtype = "f16", .flops = 2e9, .bytes = 1e7, .held = 12 * MIB, .ms = 25 });
    cr_assert(isnan(roofline.share) && roofline.bound == BOUND_UNKNOWN);
}

Test(roofline, little_work_on_many_bytes_is_bound_by_the_memory_that_they_lie_in)
{
    static const struct {
        double held, share; /* of 20 GB/s; NAN: no peak of its class */
    } cases[] = {
        { 4096 * MIB, 0.5 }, { 480e6, 0.5 },     { 256 * MIB, 0.5 },   { 253 * MIB, NAN }, { 64 * MIB, NAN },
        { 2.1 * MIB, NAN },  { 2 * MIB, 0.125 }, { 0.5 * MIB, 0.125 }, { 0.4 * MIB, NAN },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct roofline roofline =
            roofline_of(measured(), (struct made){ .flops = 1e6, .bytes = 2e7, .held = cases[i].held, .ms = 1 });
        bool is_known = !isnan(cases[i].share);
        cr_assert_eq(roofline.bound, is_known ? BOUND_MEMORY : BOUND_UNKNOWN, "held %g", cases[i].held);
        cr_assert(is_known ? is_near(roofline.share, cases[i].share) : isnan(roofline.share), "held %g: %g",
                  cases[i].held, roofline.share);
    }
}

Test(roofline, with_flushed_caches_the_data_come_from_memory)
{
    const struct made small = { .flops = 1e5, .bytes = 8e5, .held = MIB, .ms = 0.04 };
    struct made cold = small;
    cold.cold = true;
    cr_assert(is_near(roofline_of(measured(), small).share, 0.125));
    cr_assert(is_near(roofline_of(measured(), cold).share, 0.5));
}

Test(roofline, a_run_of_hardly_more_than_its_launches_is_bound_by_them)
{
    static const struct made launch = {
        .key = "launch", .roof = "latency", .flops = 1, .bytes = 12, .held = 12, .ms = 0.02
    };
    struct record *record = measured();
    add_cell(record, launch);
    struct roofline roofline =
        roofline_of(record, (struct made){ .flops = 1e3, .bytes = 1e4, .held = MIB, .ms = 0.03 });
    cr_assert(roofline.bound == BOUND_LAUNCH && is_near(roofline.latency, 2e-5));
    record = measured();
    add_cell(record, launch);
    struct made slower = launch;
    slower.key = "launch again";
    slower.ms = 0.04;
    add_cell(record, slower);
    roofline = roofline_of(record, (struct made){ .flops = 1e3, .bytes = 1e4, .held = MIB, .ms = 0.05 });
    cr_assert(is_near(roofline.latency, 2e-5), "the shorter of two measured launches: %g", roofline.latency);
    record = measured();
    add_cell(record, launch);
    roofline = roofline_of(record, (struct made){ .flops = 1e3, .bytes = 1e4, .held = MIB, .ms = 0.05 });
    cr_assert_eq(roofline.bound, BOUND_MEMORY);
    record = measured();
    add_cell(record, launch);
    roofline =
        roofline_of(record, (struct made){ .flops = 1e6, .bytes = 4e8, .held = 512 * MIB, .ms = 30, .launches = 1000 });
    cr_assert_eq(roofline.bound, BOUND_LAUNCH, "a thousand launches");
    cr_assert(is_near(roofline.share, 1.0 / 3), "its share is known all the same");
    record = measured();
    add_cell(record, launch);
    struct made with_event = beyond;
    with_event.key = "with_event";
    with_event.event = 0.9;
    add_cell(record, with_event);
    roofline =
        roofline_of(record, (struct made){ .flops = 1e3, .bytes = 4e5, .held = 512 * MIB, .ms = 0.03, .event = 0.4 });
    cr_assert(roofline.by_event && is_near(roofline.share, 0.75), "it computes well: %g", roofline.share);
    cr_assert_eq(roofline.bound, BOUND_LAUNCH, "but two thirds of the time is starting it, which no event counts");
}

/* Launches of 20 us each would take 20 ms one after the other. */
Test(roofline, launches_that_overlap_with_most_of_the_work_do_not_bind)
{
    static const struct made launch = {
        .key = "launch", .roof = "latency", .flops = 1, .bytes = 12, .held = 12, .ms = 0.02
    };
    static const struct {
        double flops, bytes;
        enum bound bound;
    } cases[] = { { 1e6, 4e8, BOUND_MEMORY }, { 2e9, 1e7, BOUND_COMPUTE }, { 1e6, 2e8, BOUND_LAUNCH } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = measured();
        add_cell(record, launch);
        struct roofline roofline = roofline_of(
            record,
            (struct made){
                .flops = cases[i].flops, .bytes = cases[i].bytes, .held = 512 * MIB, .ms = 15, .launches = 1000 });
        cr_expect_eq(roofline.bound, cases[i].bound, "case %u: %d", i, (int)roofline.bound);
    }
}

Test(roofline, a_fast_algorithm_may_be_above_its_peak)
{
    const struct made made = { .flops = 2e9, .bytes = 1e7, .held = 12 * MIB, .ms = 5, .event = 0.7, .swing = 0.001 };
    struct made fast = made;
    fast.fast = true;
    struct roofline roofline = roofline_of(measured(), made);
    cr_assert(is_near(roofline.share, 1) && roofline.is_exceeded && roofline.is_event_impossible);
    roofline = roofline_of(measured(), fast);
    cr_assert(isnan(roofline.share) && !roofline.is_exceeded && !roofline.is_event_impossible);
}

Test(roofline, a_peak_is_exceeded_by_more_than_half_a_percent)
{
    static const struct {
        double ms, swing;
        bool is_exceeded;
    } cases[] = {
        { 10, 0.001, false },
        { 9.97, 0.001, false },
        { 9.94, 0.001, true },
        { 9.6, 0.1, true },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct roofline roofline = roofline_of(
            measured(),
            (struct made){ .flops = 1e6, .bytes = 4e8, .held = 512 * MIB, .ms = cases[i].ms, .swing = cases[i].swing });
        cr_assert_eq(roofline.is_exceeded, cases[i].is_exceeded, "%g ms", cases[i].ms);
    }
}

Test(roofline, measured_again_the_best_of_both_counts)
{
    struct record *record = measured();
    struct made again = beyond;
    again.key = "beyond again";
    again.ms = 8;
    add_cell(record, again);
    struct roofline roofline =
        roofline_of(record, (struct made){ .flops = 1e6, .bytes = 4e8, .held = 512 * MIB, .ms = 8, .swing = 0.001 });
    cr_assert(is_near(roofline.share, 1) && !roofline.is_exceeded);
    cr_assert(is_near(roofline.bandwidth.run, 8e-3), "the run of the best: %g s", roofline.bandwidth.run);
    record = measured();
    again.ms = 20;
    add_cell(record, again);
    roofline = roofline_of(record, (struct made){ .flops = 1e6, .bytes = 4e8, .held = 512 * MIB, .ms = 10 });
    cr_assert(is_near(roofline.share, 1), "the slower second time lowers nothing");
}

Test(roofline, only_peaks_of_the_device_count)
{
    static const struct made strays[] = {
        { .key = "wrong", .roof = "flops", .flops = 9e9, .bytes = 8, .held = 8, .ms = 1, .status = "wrong" },
        { .key = "crashed", .roof = "flops", .flops = 9e9, .bytes = 8, .held = 8, .ms = 1, .status = "crashed" },
        { .key = "elsewhere", .device = "other", .roof = "flops", .flops = 9e9, .bytes = 8, .held = 8, .ms = 1 },
        { .key = "later", .roof = "of a later version", .flops = 9e9, .bytes = 8, .held = 8, .ms = 1 },
        { .key = "plain", .flops = 9e9, .bytes = 8, .held = 8, .ms = 1 },
    };
    for (unsigned i = 0; i < sizeof strays / sizeof *strays; i++) {
        struct record *record = measured();
        add_cell(record, strays[i]);
        struct roofline roofline =
            roofline_of(record, (struct made){ .flops = 2e9, .bytes = 1e7, .held = 12 * MIB, .ms = 20 });
        cr_assert(is_near(roofline.share, 0.5), "%s: %g", strays[i].key, roofline.share);
    }
}

/* Its FLOP are those of the definition, of which it leaves some out; its bytes it moves all. */
Test(roofline, a_fast_algorithm_has_no_share_of_arithmetic)
{
    const struct made made = { .flops = 2e9, .bytes = 1e7, .held = 12 * MIB, .ms = 20, .fast = true };
    struct roofline roofline = roofline_of(measured(), made);
    cr_assert(isnan(roofline.share) && !roofline.is_exceeded, "%g", roofline.share);
    cr_assert_eq(roofline.bound, BOUND_COMPUTE);
    roofline =
        roofline_of(measured(), (struct made){ .flops = 1e6, .bytes = 4e8, .held = 512 * MIB, .ms = 20, .fast = true });
    cr_assert(is_near(roofline.share, 0.5), "%g", roofline.share);
}

Test(roofline, without_peaks_nothing_is_known)
{
    struct record *record = new_record();
    add_device(record, "d", false);
    struct roofline roofline = roofline_of(record, (struct made){ .flops = 2e9, .bytes = 1e7, .ms = 20, .event = 0.9 });
    cr_assert(isnan(roofline.share) && isnan(roofline.flops.wall) && isnan(roofline.bandwidth.wall));
    cr_assert_eq(roofline.bound, BOUND_UNKNOWN);
    cr_assert(!roofline.is_exceeded && !roofline.is_event_impossible);
    record = new_record();
    add_device(record, "d", false);
    add_cell(record, beyond);
    roofline = roofline_of(record, (struct made){ .flops = 2e9, .bytes = 4e8, .held = 512 * MIB, .ms = 20 });
    cr_assert(isnan(roofline.share), "FLOP may bind it, at a rate that is not known");
    record = new_record();
    add_device(record, "d", false);
    add_cell(record, beyond);
    roofline = roofline_of(record, (struct made){ .flops = 0, .bytes = 4e8, .held = 512 * MIB, .ms = 20 });
    cr_assert(is_near(roofline.share, 0.5), "without FLOP nothing but memory can");
}

Test(roofline, a_peak_has_no_share_of_itself)
{
    struct record *record = measured();
    struct roofline roofline;
    const struct figure resident = figure_read(record, record_cell(record, "beyond"), USE_RESIDENT);
    roofline_read(&roofline, record, &resident);
    cr_assert(isnan(roofline.share) && roofline.bound == BOUND_UNKNOWN && !roofline.is_exceeded);
}

/* What copies to another device has no peak of its own. */
Test(roofline, a_link_is_bound_by_its_transfer)
{
    struct roofline roofline =
        roofline_of(measured(), (struct made){ .flops = 1e6, .bytes = 4e8, .held = 512 * MIB, .ms = 20, .link = true });
    cr_assert(roofline.bound == BOUND_TRANSFER && isnan(roofline.share) && roofline.binding == ROOF_NONE);
}

/* The allowed cores changed during the run. */
Test(roofline, a_peak_that_was_disturbed_has_no_interval)
{
    for (unsigned changed = 0; changed < 2; changed++) {
        struct record *record = measured();
        add_line(record, json_pack("{s:s, s:s, s:b}", "line", "end", "status", "complete", "cores_changed", changed));
        const struct peak peak = roofline_flops(record, "d", "f32");
        cr_assert(is_near(peak.wall, 2e11) && isnan(peak.half_width) == (changed == 1), "%u: %g", changed,
                  peak.half_width);
    }
}

Test(roofline, event_times_are_compared_with_a_peak_by_the_same_clock)
{
    struct record *record = measured();
    struct made with_event = beyond;
    with_event.key = "with_event";
    with_event.event = 0.8;
    add_cell(record, with_event);
    struct roofline roofline =
        roofline_of(record, (struct made){ .flops = 1e6, .bytes = 4e8, .held = 512 * MIB, .ms = 20, .event = 0.5 });
    cr_assert(roofline.by_event && is_near(roofline.bandwidth.event, 5e10));
    cr_assert(is_near(roofline.share, 0.8), "8 ms at the peak, 10 ms here: %g", roofline.share);
    roofline =
        roofline_of(measured(), (struct made){ .flops = 1e6, .bytes = 4e8, .held = 512 * MIB, .ms = 20, .event = 0.6 });
    cr_assert(!roofline.by_event && is_near(roofline.share, 0.5), "the peak has no such clock");
    record = measured();
    add_cell(record, with_event);
    roofline =
        roofline_of(record, (struct made){ .flops = 1e6, .bytes = 4e8, .held = 512 * MIB, .ms = 20, .event = 0.01 });
    cr_assert(roofline.is_event_impossible && !roofline.by_event && is_near(roofline.share, 0.5), "%g", roofline.share);
}

/* Starting one takes some ten microseconds, which no event has. */
Test(roofline, a_peak_of_short_runs_may_have_far_shorter_events)
{
    struct record *record = measured();
    struct made with_event = within;
    with_event.key = "with_event";
    with_event.event = 0.1;
    add_cell(record, with_event);
    cr_assert(is_near(roofline_bandwidth(record, "d", MIB).event, 1.6e12));
}

/* A span of a library's call has 10 us in which the host launches it. A run of many that share a wait has not. */
Test(roofline, a_run_takes_no_longer_by_the_devices_clock_than_one_of_a_batch)
{
    static const struct {
        double ms, event, queued_ms, expected_us;
    } runs[] = { { 0.1, 0.6, 0.05, 50 },
                 { 0.1, 0.6, 0.07, 60 },
                 { 0.1, 0.6, 0, 60 },
                 { 0.1, 0, 0.05, NAN },
                 { 0.1, 1.5, 0.05, NAN } };
    for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct record *record = measured();
        struct figures metrics;
        add_cell(record, (struct made){ .key = "a",
                                        .flops = 1,
                                        .held = 512 * MIB,
                                        .ms = runs[i].ms,
                                        .event = runs[i].event,
                                        .queued_ms = runs[i].queued_ms });
        figures_read_cell(&metrics, record, record_cell(record, "a"));
        cr_expect(is_near(1e6 * metrics.costs.event, runs[i].expected_us) ||
                      (isnan(metrics.costs.event) && isnan(runs[i].expected_us)),
                  "%u: %g us", i, 1e6 * metrics.costs.event);
    }
}

Test(roofline, a_peak_with_implausible_event_times_is_by_the_hosts_clock_only)
{
    struct record *record = measured();
    struct made lie = beyond;
    lie.key = "lie";
    lie.event = 0.001;
    add_cell(record, lie);
    struct peak peak = roofline_bandwidth(record, "d", 512 * MIB);
    cr_assert(isnan(peak.event) && is_near(peak.wall, 4e10));
}

/* The event clock of a cell "a". */
static enum event_clock event_clock_of(struct made made)
{
    struct figures metrics;
    struct record *record = measured();
    made.key = "a";
    add_cell(record, made);
    figures_read_cell(&metrics, record, record_cell(record, "a"));
    const bool is_noted = strstr(noted(&metrics, record), "event clock not trustworthy");
    cr_assert_eq(is_noted, metrics.costs.event_clock == EVENT_DOUBTFUL);
    cr_assert_eq(isnan(metrics.costs.event), metrics.costs.event_clock != EVENT_TRUSTED);
    cr_assert(metrics.time.value > 0, "the headline stays");
    return metrics.costs.event_clock;
}

/* The event that CLBlast returns covers only the last of its kernels: matmul of 2048 in 963 ms, of which it reports 2.4
 * to 13 ms. */
Test(roofline, the_event_of_only_the_last_kernel_is_doubted)
{
    const double work = 2.0 * 2048 * 2048 * 2048, held = 3 * 4.0 * 2048 * 2048;
    struct made made = { .flops = work, .bytes = held, .held = held, .ms = 963, .event = 0.0132 };
    cr_assert_eq(event_clock_of(made), EVENT_DOUBTFUL);
    made.event = 0.0025;
    cr_assert_eq(event_clock_of(made), EVENT_DOUBTFUL);
    made.event = 0.99;
    cr_assert_eq(event_clock_of(made), EVENT_TRUSTED);
}

/* Intel's UHD 620, with values of the table and of the kernel driver: 24 EU x 16 FLOP x 1.1 GHz, 422.4 GFLOP/s. */
static bool is_doubted_on_known_hardware(bool is_limit, double event)
{
    struct device device = { .id = "uhd",
                             .key = "uhd",
                             .backend = "opencl",
                             .class = CLASS_IGPU,
                             .architecture = "intel gen9",
                             .units = 24,
                             .max_clock = 1.1e9,
                             .max_clock_is_limit = is_limit };
    struct record *record = new_record();
    json_t *line = device_to_json(&device);
    json_object_set_new(line, "line", json_string("device"));
    add_line(record, line);
    return roofline_of(record, (struct made){ .device = "uhd", .flops = 2e9, .bytes = 1e7, .ms = 10, .event = event })
        .is_event_impossible;
}

Test(roofline, event_times_above_what_the_hardware_can_do_are_doubted_without_any_peak)
{
    cr_assert(is_doubted_on_known_hardware(true, 0.4), "500 GFLOP/s");
    cr_assert_not(is_doubted_on_known_hardware(true, 0.5));
    cr_assert_not(is_doubted_on_known_hardware(false, 0.4), "its clock may go higher");
}

Test(roofline, event_times_are_doubted_by_the_bytes_they_move_too)
{
    struct made made = { .flops = 1e6, .bytes = 4e8, .held = 512 * MIB, .ms = 10, .event = 0.81 };
    cr_assert_eq(event_clock_of(made), EVENT_TRUSTED);
    made.event = 0.79;
    cr_assert_eq(event_clock_of(made), EVENT_DOUBTFUL, "50.6 GB/s of 40");
}

/* 50 GB/s by the host's clock, where the peak says 40: the machine was slower then. */
Test(roofline, event_times_that_agree_with_the_host_are_trusted_above_a_low_peak)
{
    struct made made = { .flops = 1e6, .bytes = 4e8, .held = 512 * MIB, .ms = 8, .event = 0.81 };
    cr_assert_eq(event_clock_of(made), EVENT_TRUSTED);
    made.event = 0.79;
    cr_assert_eq(event_clock_of(made), EVENT_DOUBTFUL, "a fifth of the call is not in them");
    made.event = 0.001;
    cr_assert_eq(event_clock_of(made), EVENT_DOUBTFUL);
}

Test(roofline, a_peak_of_very_short_runs_doubts_no_event)
{
    /* Eight times the 160 GB/s that the peak's runs of 5 us gave. */
    struct made made = { .flops = 1e3, .bytes = 8e5, .held = MIB, .ms = 0.01, .event = 0.0625 };
    cr_assert_eq(event_clock_of(made), EVENT_TRUSTED);
}

Test(roofline, cell_metrics_and_notes_have_it)
{
    struct figures metrics;
    struct record *record = measured();
    add_cell(record,
             (struct made){ .key = "a", .flops = 1e6, .bytes = 4e8, .held = 512 * MIB, .ms = 8, .swing = 0.001 });
    figures_read_cell(&metrics, record, record_cell(record, "a"));
    cr_assert(is_near(metrics.roof.share, 1));
    cr_assert_eq(metrics.roof.bound, BOUND_MEMORY);
    cr_assert(strstr(noted(&metrics, record),
                     "the peak of this device: 50.0 GB/s; the loop that measures peaks reached 40.0"));
    record = measured();
    add_cell(record,
             (struct made){ .key = "a", .flops = 2e9, .bytes = 1e7, .held = 512 * MIB, .ms = 8, .swing = 0.001 });
    figures_read_cell(&metrics, record, record_cell(record, "a"));
    cr_assert(strstr(noted(&metrics, record),
                     "the peak of this device: 250 GFLOP/s; the loop that measures peaks reached 200"));
}
