/* Figures that others build on, by worked values: which slices a ratio is made of, whose ratio there is none, the
 * interval of a quotient, and how busy other programs were. */

#include "harness/analysis/figures.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <math.h>

/* Cell "b" of one device, compared with "a" of another, whose outcomes are these. */
static struct record *pair(const char *outcome_a, const char *outcome_b)
{
    struct record *record = record_new();
    add(record, "{\"line\":\"journal\",\"host\":{\"cores\":2,\"threads\":4}}");
    add(record, "{\"line\":\"cell\",\"key\":\"a\",\"device\":\"d\"}");
    add(record, "{\"line\":\"cell\",\"key\":\"b\",\"device\":\"e\",\"baseline\":\"a\"}");
    addf(record, "{\"line\":\"outcome\",\"cell\":\"a\",\"status\":\"%s\"}", outcome_a);
    addf(record, "{\"line\":\"outcome\",\"cell\":\"b\",\"status\":\"%s\"}", outcome_b);
    return record;
}

static void add_slice(struct record *record, const char *cell, int number, int nanoseconds)
{
    addf(record, "{\"line\":\"slice\",\"cell\":\"%s\",\"series\":\"resident\",\"number\":%d,\"wall_ns\":[%d]}", cell,
         number, nanoseconds);
}

static unsigned ratios_of(const struct record *record, double out[8])
{
    return record_ratios(record, record_cell(record, "b"), SERIES_RESIDENT, out, 8);
}

Test(figures, a_ratio_takes_the_mean_of_the_slices_on_both_sides)
{
    double ratio[8];
    struct record *record = pair("ok", "ok");
    add_slice(record, "a", 0, 1000);
    add_slice(record, "b", 1, 500);
    add_slice(record, "a", 2, 3000);
    add_slice(record, "b", 3, 1000);
    cr_assert_eq(ratios_of(record, ratio), 2);
    cr_expect_float_eq(ratio[0], 4, 1e-12, "%g", ratio[0]);
    cr_expect_float_eq(ratio[1], 3, 1e-12, "%g", ratio[1]);
    record_free(record);
}

Test(figures, a_slice_long_after_those_of_the_baseline_has_no_ratio)
{
    double ratio[8];
    struct record *record = pair("ok", "ok");
    add_slice(record, "a", 0, 1000);
    add_slice(record, "b", 1, 1000);
    add_slice(record, "b", 2, 1000);
    add_slice(record, "b", 100000, 100);
    cr_assert_eq(ratios_of(record, ratio), 2);
    cr_expect_float_eq(ratio[0], 1, 1e-12);
    cr_expect_float_eq(ratio[1], 1, 1e-12);
    record_free(record);
}

Test(figures, a_speed_up_needs_two_right_answers)
{
    static const char *const outcomes[][2] = { { "ok", "wrong" }, { "wrong", "ok" }, { "ok", "ok" } };
    for (unsigned i = 0; i < 3; i++) {
        double ratio[8];
        struct record *record = pair(outcomes[i][0], outcomes[i][1]);
        for (int turn = 0; turn < 7; turn++)
            add_slice(record, turn % 2 ? "b" : "a", turn, turn % 2 ? 500 : 1000);
        struct estimate speedup = record_speedup(record, record_cell(record, "b"), SERIES_RESIDENT, NULL);
        cr_expect_eq(ratios_of(record, ratio), i == 2 ? 3 : 0);
        cr_expect_eq(isnan(speedup.value), i < 2);
        record_free(record);
    }
}

/* One that ended well; else transfers are those of the cell that computes. */
Test(figures, transfers_are_those_of_a_cell_that_ended_well)
{
    static const char *const outcomes[] = { "ok", "crashed" };
    for (unsigned i = 0; i < 2; i++) {
        struct record *record = record_new();
        for (unsigned copied = 0; copied < 2; copied++)
            addf(record,
                 "{\"line\":\"cell\",\"key\":\"%u\",\"block\":\"b\",\"device\":\"d\",\"memory\":\"m\",\"measures\":\"%"
                 "s\"}",
                 copied, copied ? "copied" : "resident");
        addf(record, "{\"line\":\"outcome\",\"cell\":\"1\",\"status\":\"%s\"}", outcomes[i]);
        cr_expect_eq(record_copied_of(record, record_cell(record, "0")), record_cell(record, i == 0 ? "1" : "0"));
        record_free(record);
    }
}

Test(figures, the_interval_of_a_quotient_has_the_corners_of_both)
{
    struct estimate of = { .value = 10, .low = 8, .high = 12 }, by = { .value = 2, .low = 1, .high = 4 };
    struct estimate quotient = figures_quotient(of, by);
    cr_expect_float_eq(quotient.value, 5, 1e-12);
    cr_expect_float_eq(quotient.low, 2, 1e-12);
    cr_expect_float_eq(quotient.high, 12, 1e-12);
}

/* Two cores with two threads each: of 4 x 10 s the threads were busy for 14 s, 4 s of them by this run. The others'
 * 10 s are half of the two cores' 10 s each. */
Test(figures, what_others_used_is_a_share_of_the_cores_without_what_the_run_used)
{
    struct record *record = pair("ok", "ok");
    add(record,
        "{\"line\":\"state\",\"cell\":\"b\",\"when\":\"before\",\"busy\":5,\"idle\":100,\"steal\":0,\"own\":1}");
    add(record,
        "{\"line\":\"state\",\"cell\":\"b\",\"when\":\"after\",\"busy\":19,\"idle\":126,\"steal\":0,\"own\":5}");
    double others = record_others(record, record_cell(record, "b"));
    cr_expect_float_eq(others, 0.5, 1e-12, "%g", others);
    record_free(record);
}
