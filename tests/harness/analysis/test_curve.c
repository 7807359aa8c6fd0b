/* Curves of a sweep's record: each mode's speed-ups, thresholds and model follow from the times that went in. */

#include "harness/analysis/curve.h"
#include "harness/analysis/threshold.h"
#include "harness/report/formats/thresholds.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"
#include "tests/support/printed.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct curves curves;

static void curves_end(void)
{
    curves_free(&curves);
    release_kept();
}

TestSuite(curve, .fini = curves_end);

static void read_curves(const struct record *record)
{
    curves_free(&curves);
    cr_assert(curves_read(&curves, record));
}

enum { ROUNDS = 8 };

static void add_device(struct record *record, const char *id, const char *class, bool in_host_memory)
{
    add_line(record, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b}", "line", "device", "id", id, "backend", "fake",
                               "key", id, "name", id, "class", class, "works_in_host_memory", in_host_memory));
}

static void add_slice(struct record *record, const char *key, const char *series, unsigned turn, double seconds)
{
    add_line(record, json_pack("{s:s, s:s, s:s, s:i, s:[I]}", "line", "slice", "cell", key, "series", series, "number",
                               (int)turn, "wall_ns", (json_int_t)round(seconds * 1e9)));
}

/* What one size takes, seconds; copied 0: there is no such series. */
struct times {
    double resident, copied;
};

static struct record *sweep_new(const char *dim, const char *unit, unsigned uses, bool each_method)
{
    struct record *record = new_record();
    cr_assert(record);
    add_device(record, "cpu", "CPU", true);
    add_device(record, "gpu", "dGPU", false);
    add_line(record, json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:s, s:b}", "line", "sweep", "workload",
                               "multiply", "dtype", "f32", "dim", dim, "unit", unit, "from", 1, "to", 1000000, "uses",
                               (int)uses, "baseline", "cpu", "each_method", each_method));
    return record;
}

static void add_cell_in(struct record *record, const char *memory, const char *key, const char *device,
                        const char *shape, double size, const char *method, const char *baseline)
{
    const bool is_baseline = strcmp(key, baseline) == 0;
    add_line(record, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:s, s:s, s:f}",
                               "line", "cell", "key", key, "block", shape, "device", device, "workload", "multiply",
                               "dtype", "f32", "shape", shape, "method", method, "memory", memory, "flops", size,
                               "bytes", 12 * size, "held", 12 * size, "workspace", is_baseline ? 0.0 : 3000.0,
                               "baseline", baseline, "items", "samples", "items_per_run", size));
}

static void add_cell(struct record *record, const char *key, const char *device, const char *shape, double size,
                     const char *method, const char *baseline)
{
    add_cell_in(record, "pinned", key, device, shape, size, method, baseline);
}

static void end_cell(struct record *record, const char *key, const char *status)
{
    for (unsigned i = 0; i < 2; i++)
        add_line(record, json_pack("{s:s, s:s, s:[{s:i}]}", "line", "verify", "cell", key, "checks", "checked", 1));
    add_line(record, json_pack("{s:s, s:s, s:s, s:s, s:s}", "line", "outcome", "cell", key, "status", status, "where",
                               "", "reason", ""));
}

/* One size on both, in turn. */
static void add_size(struct record *record, double n, const struct times *base, const struct times *own,
                     const char *method, const char *status)
{
    char shape[64], base_key[96], own_key[96];
    snprintf(shape, sizeof shape, "n=%.0f", n);
    snprintf(base_key, sizeof base_key, "%s/cpu", shape);
    snprintf(own_key, sizeof own_key, "%s/gpu/%s", shape, method);
    bool is_new = !record_cell(record, base_key);
    if (is_new)
        add_cell(record, base_key, "cpu", shape, n, "native", base_key);
    add_cell(record, own_key, "gpu", shape, n, method, base_key);
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned turn = 4 * i;
        if (is_new)
            add_slice(record, base_key, "resident", turn, base->resident);
        if (is_new && base->copied > 0)
            add_slice(record, base_key, "copied", turn + 1, base->copied);
        add_slice(record, own_key, "resident", turn + 2, own->resident);
        add_slice(record, own_key, "copied", turn + 3, own->copied);
    }
    if (is_new)
        end_cell(record, base_key, "ok");
    end_cell(record, own_key, status);
}

static const double rounding = 1e-4; /* of times to whole nanoseconds */

static void expect_speedup(const struct curve_point *point, enum mode mode, double should)
{
    const struct estimate *is = &point->speedup[mode];
    cr_expect(fabs(is->value / should - 1) < rounding && fabs(is->low / should - 1) < rounding &&
                  fabs(is->high / should - 1) < rounding,
              "%s at %g: %g [%g, %g], should be %g", mode_names[mode], point->size, is->value, is->low, is->high,
              should);
}

Test(curve, uses_lie_between_always_moved_and_never)
{
    struct record *record = sweep_new("n", "n", 10, false);
    const double c = 0.010, g = 0.002, moves = 0.050;
    add_size(record, 1000, &(struct times){ c, 0 }, &(struct times){ g, moves + g }, "portable", "ok");
    read_curves(record);
    cr_assert_eq(curves.curves, 1);
    cr_assert_eq(curves.curve[0].points, 1);
    const struct curve_point *point = &curves.curve[0].point[0];
    expect_speedup(point, MODE_RESIDENT, c / g);
    expect_speedup(point, MODE_COPIED, c / (moves + g));
    expect_speedup(point, MODE_USES, 10 * c / (moves + 10 * g));
}

/* The baseline keeps its data in a layout of its own. */
Test(curve, a_baseline_that_repacks_does_so_once_for_all_uses)
{
    struct record *record = sweep_new("n", "n", 5, false);
    const double c = 0.010, repack = 0.030, g = 0.004, moves = 0.020;
    add_size(record, 1000, &(struct times){ c, repack + c }, &(struct times){ g, moves + g }, "portable", "ok");
    read_curves(record);
    const struct curve_point *point = &curves.curve[0].point[0];
    expect_speedup(point, MODE_COPIED, (repack + c) / (moves + g));
    expect_speedup(point, MODE_USES, (repack + 5 * c) / (moves + 5 * g));
}

/* One size, of which the device has so many resident and copied rounds. Resident runs vary by `spread`, copied ones do
 * not. */
static struct record *one_size(unsigned resident, unsigned copied, double spread)
{
    struct record *record = sweep_new("n", "n", 10, false);
    add_cell(record, "base", "cpu", "n=9", 9, "native", "base");
    add_cell(record, "own", "gpu", "n=9", 9, "portable", "base");
    for (unsigned i = 0; i < 2 * ROUNDS; i++) {
        add_slice(record, "base", "resident", 3 * i, 0.010);
        if (i < resident)
            add_slice(record, "own", "resident", 3 * i + 1, 0.002 + (i % 4 == 1 || i % 4 == 2 ? spread : -spread));
        if (i < copied)
            add_slice(record, "own", "copied", 3 * i + 2, 0.050);
    }
    end_cell(record, "base", "ok");
    end_cell(record, "own", "ok");
    return record;
}

Test(curve, the_interval_of_uses_is_made_of_both)
{
    struct record *record = one_size(2 * ROUNDS, ROUNDS, 0.0001);
    read_curves(record);
    const struct estimate *speedup = curves.curve[0].point[0].speedup, *resident = &speedup[MODE_RESIDENT],
                          *uses = &speedup[MODE_USES];
    cr_expect_lt(resident->low, 0.98 * resident->value);
    cr_expect_float_eq(uses->low, 10 / (1 / speedup[MODE_COPIED].low + 9 / resident->low), 1e-6);
    cr_expect_float_eq(uses->high, 10 / (1 / speedup[MODE_COPIED].high + 9 / resident->high), 1e-6);
    cr_expect_lt(speedup[MODE_COPIED].samples, resident->samples);
    cr_expect_eq(uses->samples, speedup[MODE_COPIED].samples);
}

/* Fewer rounds of the resident series: 8 of 16. */
Test(curve, the_rounds_of_uses_are_those_of_the_series_that_has_fewer)
{
    struct record *record = one_size(ROUNDS, 2 * ROUNDS, 0);
    read_curves(record);
    const struct estimate *speedup = curves.curve[0].point[0].speedup;
    cr_expect_lt(speedup[MODE_RESIDENT].samples, speedup[MODE_COPIED].samples);
    cr_expect_eq(speedup[MODE_USES].samples, speedup[MODE_RESIDENT].samples);
}

/* The CPU computes by one method where data stay, and by another where they are copied: 10 and 16 ms. */
Test(curve, each_use_is_compared_with_the_baseline_of_that_use)
{
    struct record *record = sweep_new("n", "n", 4, false);
    add_cell(record, "stays", "cpu", "n=9", 9, "native", "stays");
    add_cell(record, "moves", "cpu", "n=9", 9, "other", "stays");
    add_cell(record, "own", "gpu", "n=9", 9, "portable", "stays");
    add_line(record, json_pack("{s:s, s:s, s:s}", "line", "baseline", "cell", "moves", "measures", "copied"));
    for (unsigned i = 0; i < ROUNDS; i++) {
        add_slice(record, "stays", "resident", 4 * i, 0.010);
        add_slice(record, "own", "resident", 4 * i + 1, 0.002);
        add_slice(record, "moves", "resident", 4 * i + 2, 0.016);
        add_slice(record, "own", "copied", 4 * i + 3, 0.050);
    }
    end_cell(record, "stays", "ok");
    end_cell(record, "moves", "ok");
    end_cell(record, "own", "ok");
    read_curves(record);
    const struct curve_point *point = &curves.curve[0].point[0];
    cr_expect_float_eq(point->use[USE_RESIDENT].baseline_seconds, 0.010, 1e-9);
    cr_expect_float_eq(point->use[USE_COPIED].baseline_seconds, 0.016, 1e-9, "%g",
                       point->use[USE_COPIED].baseline_seconds);
    expect_speedup(point, MODE_RESIDENT, 5);
    expect_speedup(point, MODE_COPIED, 0.016 / 0.050);
    expect_speedup(point, MODE_USES, (0.016 + 3 * 0.010) / (0.050 + 3 * 0.002));
}

Test(curve, each_kind_of_memory_has_a_curve_of_its_own)
{
    struct record *record = sweep_new("n", "n", 10, false);
    add_cell(record, "base", "cpu", "n=9", 9, "native", "base");
    add_cell_in(record, "pinned", "one", "gpu", "n=9", 9, "portable", "base");
    add_cell_in(record, "mapped", "other", "gpu", "n=9", 9, "portable", "base");
    read_curves(record);
    cr_assert_eq(curves.curves, 2);
    cr_expect_str_eq(curves.curve[1].memory, "mapped");
}

/* Its transfers are those of the point of the cell that computes. */
Test(curve, a_cell_of_transfers_alone_is_no_point)
{
    struct record *record = sweep_new("n", "n", 10, true);
    add_cell(record, "base", "cpu", "n=9", 9, "native", "base");
    add_cell(record, "stays", "gpu", "n=9", 9, "one", "base");
    add_cell(record, "moves", "gpu", "n=9", 9, "other", "base");
    record_cell(record, "stays")->measures = MEASURES_RESIDENT;
    record_cell(record, "moves")->measures = MEASURES_COPIED;
    read_curves(record);
    cr_assert_eq(curves.curves, 1);
    cr_expect_str_eq(curves.curve[0].method, "one");
}

Test(curve, one_use_is_always_moved)
{
    struct record *record = sweep_new("n", "n", 1, false);
    add_size(record, 1000, &(struct times){ 0.01, 0 }, &(struct times){ 0.002, 0.03 }, "portable", "ok");
    read_curves(record);
    expect_speedup(&curves.curve[0].point[0], MODE_USES, 0.01 / 0.03);
}

/* c = 0.1 ms + 10 ns n, g = 1 ms + 1 ns n: the same at 100,000. */
static void add_crossing(struct record *record, const char *status_of_last)
{
    static const double size[] = { 1000, 420000, 13000, 180000, 56000, 1000000 }; /* not in order, as in a journal */
    for (unsigned i = 0; i < sizeof size / sizeof *size; i++) {
        const struct times base = { 1e-4 + 1e-8 * size[i], 0 }, own = { 1e-3 + 1e-9 * size[i], 1e-3 + 7e-9 * size[i] };
        add_size(record, size[i], &base, &own, "portable", i == 5 ? status_of_last : "ok");
    }
}

Test(curve, points_are_sorted_by_size_and_show_the_threshold)
{
    struct record *record = sweep_new("n", "n", 10, false);
    struct threshold threshold;
    add_crossing(record, "ok");
    read_curves(record);
    const struct curve *curve = &curves.curve[0];
    cr_assert_eq(curve->points, 6);
    for (unsigned i = 1; i < curve->points; i++)
        cr_expect_lt(curve->point[i - 1].size, curve->point[i].size);
    threshold_find(&threshold, curve, MODE_RESIDENT);
    cr_assert_eq(threshold.crossings, 1);
    cr_expect(threshold.crossing[0].low == 56000 && threshold.crossing[0].high == 180000);
}

/* The memory is that of operands and workspace. */
Test(curve, a_size_that_counts_items_has_their_rate_on_both_sides_and_its_memory)
{
    struct record *record = sweep_new("n", "batch", 10, false);
    add_size(record, 1000, &(struct times){ 1e-2, 0 }, &(struct times){ 1e-3, 2e-3 }, "portable", "ok");
    add_size(record, 32000, &(struct times){ 32e-2, 0 }, &(struct times){ 4e-3, 5e-3 }, "portable", "ok");
    char *text = printed(record, "table");
    cr_expect(strstr(text, "samples/s"), "%s", text);
    const char *first = strstr(strstr(text, "samples/s"), " 1,000 "), *last = first ? strstr(first, "32,000 ") : NULL;
    cr_assert(last, "%s", text);
    cr_expect(strstr(first, "100000 ") < last && strstr(first, "1000000 ") < last && strstr(first, "15.0 kB") < last);
    cr_expect(strstr(last, "100000 ") && strstr(last, "8000000 ") && strstr(last, "387 kB"), "%s", last);
}

Test(curve, wrong_answers_have_no_speed_up)
{
    struct record *record = sweep_new("n", "n", 10, false);
    add_crossing(record, "wrong");
    read_curves(record);
    const struct curve_point *last = &curves.curve[0].point[5];
    cr_expect_not(last->is_sound);
    cr_expect(isnan(last->speedup[MODE_RESIDENT].value) && isnan(last->speedup[MODE_USES].value) &&
              isnan(last->use[USE_COPIED].time.value));
    /* The method that replaced it gives the time of the size. */
    add_size(record, 1000000, &(struct times){ 0.01, 0 }, &(struct times){ 0.002, 0.03 }, "other", "ok");
    read_curves(record);
    cr_assert_eq(curves.curve[0].points, 6);
    cr_expect_str_eq(curves.curve[0].point[5].cell->method, "other");
    cr_expect(curves.curve[0].point[5].is_sound);
    /* One that works stays. */
    add_size(record, 1000000, &(struct times){ 0.01, 0 }, &(struct times){ 0.002, 0.03 }, "late", "ok");
    read_curves(record);
    cr_expect_str_eq(curves.curve[0].point[5].cell->method, "other");
}

Test(curve, a_size_without_a_right_answer_of_the_baseline_has_no_point)
{
    struct record *record = sweep_new("n", "n", 10, false);
    add_cell(record, "n=1000/cpu", "cpu", "n=1000", 1000, "native", "n=1000/cpu");
    add_slice(record, "n=1000/cpu", "resident", 0, 0.01);
    end_cell(record, "n=1000/cpu", "wrong");
    add_size(record, 1000, &(struct times){ 0.01, 0 }, &(struct times){ 0.002, 0.03 }, "portable", "ok");
    read_curves(record);
    cr_assert_eq(curves.curve[0].points, 1);
    cr_expect_not(curves.curve[0].point[0].is_sound);
}

Test(curve, methods_by_name_have_curves_of_their_own)
{
    struct record *record = sweep_new("n", "n", 10, true);
    for (double n = 1000; n < 1e6; n *= 10) {
        add_size(record, n, &(struct times){ 0.01, 0 }, &(struct times){ 0.002, 0.03 }, "one", "ok");
        add_size(record, n, &(struct times){ 0.01, 0 }, &(struct times){ 0.002, 0.03 }, "other", "ok");
    }
    read_curves(record);
    cr_assert_eq(curves.curves, 2);
    cr_expect(curves.curve[0].points == 3 && curves.curve[1].points == 3);
    cr_expect_str_eq(curves.curve[0].method, "one");
}

Test(curve, a_record_without_a_valid_sweep_has_none)
{
    struct record *record = new_record();
    read_curves(record);
    cr_expect_eq(curves.curves, 0);
    record = sweep_new("", "n", 10, false); /* the journal does not name what was swept */
    add_crossing(record, "ok");
    read_curves(record);
    cr_expect_eq(curves.curves, 0);
    record = sweep_new("k", "k", 10, false); /* a dimension that no shape has */
    add_crossing(record, "ok");
    read_curves(record);
    cr_expect_eq(curves.curves, 0);
}

/* A sweep from 1000 on, each size twice the one before, on which the device is surely faster, surely slower, or unsure.
 * With transfers it is always slower. */
static struct record *sweep_of(const char *sides)
{
    struct record *record = sweep_new("n", "n", 4, false);
    double size = 1000;
    for (; *sides; sides++, size *= 2)
        add_size(record, size, &(struct times){ 0.010, 0.013 },
                 &(struct times){ *sides == 'f'   ? 0.005
                                  : *sides == 's' ? 0.020
                                                  : 0.010,
                                  0.050 },
                 "portable", "ok");
    return record;
}

/* The text without line breaks: of spaces one is left. */
static char *flat(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ' && *from != '\n')
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
    return text;
}

Test(curve, a_file_of_thresholds_has_every_range_in_which_the_device_is_faster)
{
    static const struct {
        const char *sides, *pays, *says;
    } cases[] = {
        { "sssfff", "[{\"from\":[4000,8000],\"until\":null}]",
          "faster, resident: from somewhere between n = 4,000 and 8,000 on faster, " },
        { "fffsss", "[{\"from\":[1000,1000],\"until\":[4000,8000]}]",
          "faster, resident: up to somewhere between n = 4,000 and 8,000 faster, " },
        { "sssfffsss", "[{\"from\":[4000,8000],\"until\":[32000,64000]}]",
          "faster, resident: from somewhere between n = 4,000 and 8,000, up to somewhere between n = 32,000 and "
          "64,000 faster, " },
        { "fffsssfff", "[{\"from\":[1000,1000],\"until\":[4000,8000]},{\"from\":[32000,64000],\"until\":null}]",
          "faster, resident: up to somewhere between n = 4,000 and 8,000, from somewhere between n = 32,000 and 64,000 "
          "on faster, " },
        { "sssffuu", "[{\"from\":[4000,8000],\"until\":[16000,64000]}]",
          "faster, resident: from somewhere between n = 4,000 and 8,000 on; certain from n = 1,000 to 16,000 only" },
        { "ffffff", "[{\"from\":[1000,1000],\"until\":null}]", "at every size" },
        { "uuffff", "[{\"from\":[4000,4000],\"until\":null}]", "at every size; certain from n = 4,000 to 32,000 only" },
        { "ssssuu", "[]", "at no size; certain from n = 1,000 to 8,000 only" },
        { "ssssss", "[]", "at no size" },
        { "uuuuuu", "[]", "not known: no difference could be shown at any size" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = sweep_of(cases[i].sides);
        json_t *devices = thresholds_to_json(record), *memory = NULL;
        json_t *entry = json_object_get(json_object_get(devices, "gpu"), "multiply f32");
        cr_assert((memory = json_object_get(json_object_get(entry, "memory"), "pinned")), "case %u", i);
        json_t *resident = json_object_get(memory, "resident"), *copied = json_object_get(memory, "copied");
        char *pays = json_dumps(json_object_get(resident, "pays"), JSON_COMPACT);
        cr_expect_str_eq(pays, cases[i].pays, "%s: %s", cases[i].sides, pays);
        cr_expect_eq(json_array_size(json_object_get(copied, "pays")), 0, "%s", cases[i].sides);
        cr_expect_null(json_object_get(copied, "count"));
        cr_expect_eq(json_integer_value(json_object_get(json_object_get(memory, "uses"), "count")), 4);
        char *text = printed(record, "table");
        cr_expect(strstr(flat(text), cases[i].says), "%s: no %s: %s", cases[i].sides, cases[i].says, text);
        free(pays);
        json_decref(devices);
    }
}

/* The times beside a speed-up are those of data that stay; the total is that of one use with transfers. */
Test(curve, a_row_of_a_sweep_has_the_times_of_data_that_stay_and_the_total_of_one_use)
{
    struct record *record = sweep_of("fff");
    char *text = printed(record, "table");
    cr_expect(strstr(flat(text), "native 10.0 ms 100000 portable 5.00 ms 200000 50.0 ms"), "%s", text);
}
