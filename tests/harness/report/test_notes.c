#include "harness/analysis/figures.h"
#include "harness/report/content/notes.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Notes on a cell of which everything is fine but what the lines say. */
static struct record *plain_cell(void)
{
    struct record *record = record_new();
    add(record, "{\"line\":\"journal\",\"options\":{\"precision\":0.02}}");
    add(record, "{\"line\":\"device\",\"id\":\"d\",\"key\":\"d\",\"backend\":\"fake\",\"class\":\"dGPU\"}");
    add(record, "{\"line\":\"cell\",\"key\":\"a\",\"device\":\"d\"}");
    add(record, "{\"line\":\"verify\",\"cell\":\"a\",\"pass\":\"before\"}");
    return record;
}

/* What the slices of a series look like. */
struct look {
    int slices;
    double step, drift, swing; /* relative: from run to run, over all slices, from slice to slice */
    int late;                  /* slices whose events outlast their calls by a tenth */
};

/* Eight runs a slice. */
static void add_series(struct record *record, const char *series, struct look look)
{
    bool has_event = strcmp(series, "resident") == 0;
    for (int turn = 0; turn < look.slices; turn++) {
        char wall[256] = "", event[256] = "", line[1024];
        for (int i = 0; i < 8; i++) {
            /* Wiggles that repeat neither with the runs nor with the slices. */
            double wiggle = 1e-3 * ((turn * 7 + i * 5) % 11) + look.swing * ((turn * 7) % 11 / 10.0);
            double ns = floor(1e6 * (1 + look.drift * turn / 11) * (1 + look.step * (i % 2)) * (1 + wiggle));
            sprintf(wall + strlen(wall), "%s%.0f", i ? "," : "", ns);
            sprintf(event + strlen(event), "%s%.0f", i ? "," : "", turn < look.late ? 1.1 * ns : ns - 10);
        }
        snprintf(line, sizeof line,
                 "{\"line\":\"slice\",\"cell\":\"a\",\"series\":\"%s\",\"number\":%d,\"wall_ns\":[%s],\"%s\":[%s]}",
                 series, turn, wall, has_event ? "event_ns" : "ignored", event);
        add(record, line);
    }
}

static void add_slices(struct record *record, double step, double drift, int late)
{
    add_series(record, "resident", (struct look){ .slices = 12, .step = step, .drift = drift, .late = late });
}

/* The notes on a cell that ended well, up to as many lines; NULL: none. */
static void expect_note(struct record *record, const char *wanted)
{
    struct cell_metrics metrics;
    struct notes notes;
    char all[2048] = "";
    add(record, "{\"line\":\"verify\",\"cell\":\"a\",\"pass\":\"after\"}");
    add(record, "{\"line\":\"outcome\",\"cell\":\"a\",\"status\":\"ok\"}");
    cell_metrics_read(&metrics, record, record_cell(record, "a"), NULL);
    notes_read(&notes, &metrics);
    for (unsigned i = 0; i < notes.count; i++)
        sprintf(all + strlen(all), "%s%s", i > 0 ? "\n" : "", notes.note[i].text);
    cr_assert_str_eq(all, wanted ? wanted : "", "\"%s\" instead of \"%s\"", all, wanted ? wanted : "");
    notes_release(&notes);
    record_free(record);
}

Test(notes, a_sound_cell_has_none)
{
    struct record *record = plain_cell();
    add_slices(record, 0, 0, 0);
    add(record, "{\"line\":\"stop\",\"cell\":\"a\",\"series\":\"resident\",\"reason\":\"precise\"}");
    add(record, "{\"line\":\"state\",\"cell\":\"a\",\"when\":\"before\",\"clock\":3e9}");
    add(record, "{\"line\":\"state\",\"cell\":\"a\",\"when\":\"after\",\"clock\":2.9e9}");
    expect_note(record, NULL);
}

/* How many notes on the cell have these words; frees the record. */
static unsigned notes_that_say(const char *words, const struct cell_metrics *metrics, struct record *record)
{
    struct notes notes;
    unsigned found = 0;
    notes_read(&notes, metrics);
    for (unsigned i = 0; i < notes.count; i++)
        found += strstr(notes.note[i].text, words) != NULL;
    notes_release(&notes);
    record_free(record);
    return found;
}

/* A cell whose runs took a millisecond, and how long one took when it was tried. */
static unsigned notes_when_tried(double tried)
{
    struct cell_metrics metrics;
    struct record *record = plain_cell();
    add_slices(record, 0, 0, 0);
    cell_metrics_read(&metrics, record, record_cell(record, "a"), NULL);
    metrics.tried = tried;
    return notes_that_say("as when the method was tried", &metrics, record);
}

Test(notes, a_run_that_takes_far_longer_than_its_trial_is_noted)
{
    cr_assert_eq(notes_when_tried(0.4e-3), 1);
    cr_assert_eq(notes_when_tried(0.6e-3), 0);
    cr_assert_eq(notes_when_tried(NAN), 0);
}

/* A cell whose runs take a millisecond, and with all transfers, of so many ns up and half of that down, a whole of
 * which computing is so much, in ns. */
static struct record *moved_cell(double whole, double inside, double up)
{
    struct record *record = plain_cell();
    add_slices(record, 0, 0, 0);
    for (int turn = 0; turn < 12; turn++) {
        char line[256];
        double wiggle = 1 + 1e-3 * ((turn * 7) % 11);
        snprintf(line, sizeof line,
                 "{\"line\":\"slice\",\"cell\":\"a\",\"series\":\"copied\",\"number\":%d,\"wall_ns\":[%.0f],\"phases\":"
                 "{\"upload_ns\":[%.0f],\"compute_ns\":[%.0f],\"download_ns\":[%.0f]}}",
                 turn, whole * wiggle, up, inside * wiggle, up / 2);
        add(record, line);
    }
    return record;
}

static unsigned notes_on_whole(double whole, double inside, const char *words)
{
    struct cell_metrics metrics;
    struct record *record = moved_cell(whole, inside, strstr(words, "just written") ? 0 : 100000);
    cell_metrics_read(&metrics, record, record_cell(record, "a"), NULL);
    return notes_that_say(words, &metrics, record);
}

Test(notes, a_whole_shorter_than_its_part_is_noted)
{
    static const char less[] = "total is less than its part";
    cr_assert_eq(notes_on_whole(0.9e6, 0.9e6, less), 1);
    cr_assert_eq(notes_on_whole(0.98e6, 0.9e6, less), 0);
    cr_assert_eq(notes_on_whole(2e6, 0.9e6, less), 0);
}

Test(notes, a_computation_that_takes_longer_between_transfers_is_noted)
{
    static const char longer[] = "the computation took over 20 % longer between transfers than by itself";
    cr_assert_eq(notes_on_whole(1.45e6, 1.3e6, longer), 1);
    cr_assert_eq(notes_on_whole(1.16e6, 1.001e6, "between transfers"), 0);
    cr_assert_eq(notes_on_whole(1.1e6, 1.3e6, "between transfers"), 0); /* the whole is no longer than its parts */
    cr_assert_eq(notes_on_whole(9e6, 1.001e6, "between transfers"), 0); /* it is not the computation */
    static const char fresh[] = "the computation took over 20 % longer on operands that were just written";
    cr_assert_eq(notes_on_whole(1.3e6, 1.3e6, fresh), 1);
    cr_assert_eq(notes_on_whole(1.001e6, 1.001e6, fresh), 0);
}

static void add_slice(struct record *record, const char *cell, int turn, int milliseconds)
{
    char line[256];
    snprintf(line, sizeof line,
             "{\"line\":\"slice\",\"cell\":\"%s\",\"series\":\"resident\",\"number\":%d,\"wall_ns\":[%d000000]}", cell,
             turn, milliseconds);
    add(record, line);
}

/* In 60 of 100 rounds twice as fast as the baseline beside it, in the others as fast; the times are such that the
 * medians of the two rows are equal all the same. */
Test(notes, times_that_contradict_the_speed_up_are_noted)
{
    static const int base[] = { 10, 40, 15 }, own[] = { 5, 20, 15 };
    struct record *record = record_new();
    add(record, "{\"line\":\"journal\",\"options\":{\"precision\":0.02}}");
    add(record, "{\"line\":\"device\",\"id\":\"d\",\"key\":\"d\",\"backend\":\"fake\",\"class\":\"dGPU\"}");
    add(record, "{\"line\":\"cell\",\"key\":\"b\",\"device\":\"d\",\"baseline\":\"b\"}");
    add(record, "{\"line\":\"cell\",\"key\":\"a\",\"device\":\"d\",\"baseline\":\"b\"}");
    add(record, "{\"line\":\"verify\",\"cell\":\"a\",\"pass\":\"before\"}");
    for (int round = 0; round < 100; round++) {
        int place = round * 37 % 100, kind = place < 35 ? 0 : place < 60 ? 1 : 2;
        add_slice(record, "b", 3 * round, base[kind]);
        add_slice(record, "a", 3 * round + 1, own[kind]);
        add_slice(record, "b", 3 * round + 2, base[kind]);
    }
    struct estimate speedup = record_speedup(record, record_cell(record, "a"), SERIES_RESIDENT);
    cr_assert(speedup.value == 2 && speedup.low > 1.1, "%g [%g, %g]", speedup.value, speedup.low, speedup.high);
    cr_assert_eq(record_time(record_cell(record, "a"), SERIES_RESIDENT).value,
                 record_time(record_cell(record, "b"), SERIES_RESIDENT).value);
    expect_note(record, "the speed-up is of slices side by side; the times of the two rows drifted apart from it\n"
                        "no time by the device's own clock");
}

/* One slice of the baseline was disturbed, and is in both rounds. */
Test(notes, a_speed_up_that_contradicts_the_times_is_not_shown)
{
    struct record *record = record_new();
    add(record, "{\"line\":\"device\",\"id\":\"d\",\"key\":\"d\",\"backend\":\"fake\",\"class\":\"dGPU\"}");
    add(record, "{\"line\":\"cell\",\"key\":\"b\",\"device\":\"d\",\"baseline\":\"b\"}");
    add(record, "{\"line\":\"cell\",\"key\":\"a\",\"device\":\"d\",\"baseline\":\"b\"}");
    add(record, "{\"line\":\"verify\",\"cell\":\"a\",\"pass\":\"before\"}");
    for (int turn = 0; turn < 5; turn++)
        add_slice(record, turn % 2 ? "a" : "b", turn, turn == 2 ? 410 : 10);
    add(record, "{\"line\":\"outcome\",\"cell\":\"a\",\"status\":\"ok\"}");
    add(record, "{\"line\":\"outcome\",\"cell\":\"b\",\"status\":\"ok\"}");
    struct cell_metrics metrics;
    cell_metrics_read(&metrics, record, record_cell(record, "a"), NULL);
    cr_expect(isnan(metrics.resident.value));
    cr_expect_eq(notes_that_say("a speed-up is not shown", &metrics, record), 1);
}

Test(notes, a_falling_clock_is_noted_in_coarse_steps)
{
    struct record *record = plain_cell();
    add_slices(record, 0, 0, 0);
    add(record, "{\"line\":\"state\",\"cell\":\"a\",\"when\":\"before\",\"clock\":3e9}");
    add(record, "{\"line\":\"state\",\"cell\":\"a\",\"when\":\"after\",\"clock\":1.4e9}");
    expect_note(record, "the processor's clock fell by over 50 % meanwhile");
}

Test(notes, two_modes_are_noted)
{
    struct record *record = plain_cell();
    add_slices(record, 0.3, 0, 0);
    expect_note(record, "two modes: the times gather around two values, and the median is only one of them");
}

Test(notes, events_that_outlast_their_calls_are_left_out_and_many_of_them_are_noted)
{
    struct record *record = plain_cell();
    add_slices(record, 0, 0, 1);
    expect_note(record, NULL);
    record = plain_cell();
    add_slices(record, 0, 0, 2);
    struct cell_metrics metrics;
    cell_metrics_read(&metrics, record, record_cell(record, "a"), NULL);
    cr_assert(metrics.event_clock == EVENT_DOUBTFUL && isnan(metrics.event) && !isnan(metrics.compute));
    expect_note(record, "event clock not trustworthy: 16 of 96 times were not positive, or longer than the wall time");
}

Test(notes, a_clock_within_its_turbo_steps_is_not_noted)
{
    struct record *record = plain_cell();
    add_slices(record, 0, 0, 0);
    add(record, "{\"line\":\"state\",\"cell\":\"a\",\"when\":\"before\",\"clock\":3e9}");
    add(record, "{\"line\":\"state\",\"cell\":\"a\",\"when\":\"after\",\"clock\":2.7e9}");
    expect_note(record, NULL);
}

static void stop_series(struct record *record, const char *series, const char *reason)
{
    char line[128];
    snprintf(line, sizeof line, "{\"line\":\"stop\",\"cell\":\"a\",\"series\":\"%s\",\"reason\":\"%s\"}", series,
             reason);
    add(record, line);
}

static const char early[] = "stopped by its budget, before it was as precise as asked: --budget gives more";
static const char unsure[] = "stopped by its budget: precise, but after few rounds, so the interval may be too narrow";

Test(notes, a_spent_budget_is_noted_with_the_precision_reached)
{
    static const struct {
        struct look look;
        const char *wanted;
    } cases[] = {
        { { .slices = 12, .swing = 0.2 }, early },
        { { .slices = 12 }, unsure },
        { { .slices = 11, .swing = 0.2 }, early },
        { { .slices = 11 }, unsure },
        { { .slices = 6 }, unsure },
        { { .slices = 5 }, "5 slices: too few for an interval, which takes 6, and --budget gives more" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = plain_cell();
        add_series(record, "resident", cases[i].look);
        stop_series(record, "resident", "budget");
        expect_note(record, cases[i].wanted);
    }
}

Test(notes, a_journal_that_does_not_tell_the_precision_asked_claims_nothing_of_it)
{
    struct record *record = record_new();
    add(record, "{\"line\":\"device\",\"id\":\"d\",\"key\":\"d\",\"backend\":\"fake\",\"class\":\"dGPU\"}");
    add(record, "{\"line\":\"cell\",\"key\":\"a\",\"device\":\"d\"}");
    add(record, "{\"line\":\"verify\",\"cell\":\"a\",\"pass\":\"before\"}");
    add_slices(record, 0, 0, 0);
    stop_series(record, "resident", "budget");
    expect_note(record, "stopped by its budget");
}

Test(notes, the_copied_series_has_notes_too)
{
    struct record *record = plain_cell();
    add_slices(record, 0, 0, 0);
    add_series(record, "copied", (struct look){ .slices = 30, .step = 0.5, .drift = 0.09 });
    add(record, "{\"line\":\"slice\",\"cell\":\"a\",\"series\":\"copied\",\"number\":999,\"wall_ns\":[-1]}");
    expect_note(record, "copied: interval of the time unknown: times change slowly, as on a busy or warming machine, "
                        "and slices resemble their neighbours: a larger --budget may help\n"
                        "copied: times that were not positive are left out: 1\n"
                        "copied: two modes: the times gather around two values, and the median is only one of them\n"
                        "copied: drift: the last third of the slices took over 5 % longer than the first");
}

Test(notes, a_note_on_both_series_is_given_once)
{
    struct record *record = plain_cell();
    add_series(record, "resident", (struct look){ .slices = 8 });
    add_series(record, "copied", (struct look){ .slices = 7 });
    stop_series(record, "resident", "interrupted");
    stop_series(record, "copied", "interrupted");
    expect_note(record, "interrupted before it was as precise as asked");
}

/* Of two incomplete series, the note is about the one that lacks more. */
Test(notes, the_copied_series_has_notes_if_it_is_worse)
{
    static const struct {
        struct look resident, copied;
        const char *wanted;
    } cases[] = {
        { { .slices = 5 },
          { .slices = 3 },
          "5 slices (copied 3): too few for an interval, which takes 6, and --budget gives more" },
        { { .slices = 5 },
          { .slices = 5 },
          "5 slices: too few for an interval, which takes 6, and --budget gives more" },
        { { .slices = 5 },
          { .slices = 8 },
          "5 slices: too few for an interval, which takes 6, and --budget gives more" },
        { { .slices = 8 },
          { .slices = 5 },
          "copied: 5 slices: too few for an interval, which takes 6, and --budget gives more" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = plain_cell();
        add_series(record, "resident", cases[i].resident);
        add_series(record, "copied", cases[i].copied);
        expect_note(record, cases[i].wanted);
    }
}

Test(notes, drift_of_the_copied_series_is_noted_if_it_is_larger)
{
    struct record *record = plain_cell();
    add_series(record, "resident", (struct look){ .slices = 60, .drift = 0.09 });
    add_series(record, "copied", (struct look){ .slices = 60, .drift = 0.08 });
    struct cell_metrics metrics;
    cell_metrics_read(&metrics, record, record_cell(record, "a"), NULL);
    cr_assert_eq(notes_that_say("drift: ", &metrics, record), 1);
}

/* A cell of which only the order of turns differs from one that is fine. */
static void expect_speedup_note(unsigned apart, const char *wanted)
{
    struct record *record = record_new();
    char line[160];
    add(record, "{\"line\":\"cell\",\"key\":\"b\",\"baseline\":\"b\"}");
    add(record, "{\"line\":\"cell\",\"key\":\"a\",\"baseline\":\"b\"}");
    add(record, "{\"line\":\"verify\",\"cell\":\"a\",\"pass\":\"before\"}");
    for (unsigned turn = 0; turn < 12; turn++)
        for (unsigned i = 0; i < 2; i++) {
            snprintf(line, sizeof line,
                     "{\"line\":\"slice\",\"cell\":\"%s\",\"series\":\"copied\",\"number\":%u,\"wall_ns\":[%u]}",
                     i ? "a" : "b", 2 * turn + i + i * apart, 1000000 + turn * 7 % 11);
            add(record, line);
        }
    expect_note(record, wanted);
}

Test(notes, a_speedup_not_measured_in_turn_is_noted)
{
    expect_speedup_note(0, NULL);
    expect_speedup_note(1000, "not measured in turn with the baseline: drift may have changed the speed-up");
}

static void expect_machine_note(const char *before, const char *after, const char *wanted)
{
    struct record *record = plain_cell();
    char line[256];
    add_slices(record, 0, 0, 0);
    snprintf(line, sizeof line, "{\"line\":\"state\",\"cell\":\"a\",\"when\":\"before\",%s}", before);
    add(record, line);
    snprintf(line, sizeof line, "{\"line\":\"state\",\"cell\":\"a\",\"when\":\"after\",%s}", after);
    add(record, line);
    expect_note(record, wanted);
}

Test(notes, other_load_on_the_machine_is_noted_with_a_remedy)
{
    expect_machine_note("\"steal\":100,\"busy\":1000", "\"steal\":110,\"busy\":1090",
                        "the hypervisor kept back over 5 % of the processor time wanted: try when its host is idle");
    expect_machine_note("\"steal\":100,\"busy\":1000", "\"steal\":105,\"busy\":1095", NULL);
    expect_machine_note("\"steal\":100,\"busy\":1000", "\"steal\":null,\"busy\":2000", NULL);
    expect_machine_note("\"pressure\":25.1", "\"pressure\":0",
                        "something else wanted the processors too: close other programs");
    expect_machine_note("\"pressure\":null", "\"pressure\":25", NULL);
    expect_machine_note("\"on_battery\":false", "\"on_battery\":true",
                        "ran on battery, which may hold the clock down: plug in");
    expect_machine_note("\"on_battery\":false", "\"on_battery\":null", NULL);
    expect_machine_note("\"governor\":\"powersave\"", "\"governor\":\"powersave\"",
                        "the governor is powersave, so the clock follows the load: sudo cpupower frequency-set -g "
                        "performance makes it steadier");
    expect_machine_note("\"governor\":\"schedutil\"", "\"governor\":\"performance\"", NULL);
}

/* Of `looks` looks each of two processors has so many in a hundred at half its rate, which is another for each. */
static void expect_neighbours(const char *host, unsigned looks, unsigned shared, const char *wanted)
{
    struct record *record = record_new();
    struct notes notes;
    char line[128], all[2048] = "";
    snprintf(line, sizeof line, "{\"line\":\"journal\",\"host\":{%s\"cores\":2,\"threads\":2}}", host);
    add(record, line);
    for (unsigned i = 0; i < looks; i++) {
        const double rate = (i % 2 ? 6 : 2) * (i % 3 ? 1 : 0.85); /* a core alone varies by this much */
        snprintf(line, sizeof line, "{\"line\":\"look\",\"processor\":%u,\"rate\":%.1f}", i % 2,
                 i / 2 % 50 < shared / 2 ? rate / 2 : rate * (i == 199 ? 3 : 1)); /* the last of many is too high */
        add(record, line);
    }
    notes_read_run(&notes, record);
    for (unsigned i = 0; i < notes.count; i++)
        if (strstr(notes.note[i].text, "of the looks"))
            snprintf(all, sizeof all, "%s", notes.note[i].text);
    cr_expect_str_eq(all, wanted, "\"%s\" instead of \"%s\"", all, wanted);
    notes_release(&notes);
    record_free(record);
}

Test(notes, who_used_the_same_cores_is_told_with_the_share_of_the_looks)
{
    const char *guest = "\"hypervisor\":\"KVM\",";
    expect_neighbours(guest, 200, 38,
                      "another virtual machine used these cores in 38 % of the looks: nothing here can be closed, so "
                      "repeat at another time");
    expect_neighbours("", 200, 38,
                      "other programs used the same cores in 38 % of the looks: close them (top shows which)");
    expect_neighbours(guest, 200, 10, "");
    expect_neighbours(guest, 200, 0, "");
    expect_neighbours(guest, 19, 38, "");
    expect_neighbours(guest, 20, 12,
                      "another virtual machine used these cores in 60 % of the looks: nothing here can be closed, so "
                      "repeat at another time");
}

Test(notes, a_weak_check_is_noted)
{
    struct record *record = plain_cell();
    add_slices(record, 0, 0, 0);
    add(record, "{\"line\":\"verify\",\"cell\":\"a\",\"checks\":[{\"name\":\"random\",\"weak\":true}]}");
    expect_note(record, "a check of the answer proves nothing: the error it allows is as large as the values");
}

Test(notes, bits_that_differ_from_run_to_run_are_noted)
{
    struct record *record = plain_cell();
    add_slices(record, 0, 0, 0);
    add(record,
        "{\"line\":\"verify\",\"cell\":\"a\",\"checks\":[{\"name\":\"random\",\"weak\":false,\"differs\":true}]}");
    expect_note(record, "results differ in bits from run to run, within the error bound");
}

static bool has_drift(double drift)
{
    struct record *record = plain_cell();
    struct cell_metrics metrics;
    struct notes notes;
    bool found = false;
    add_slices(record, 0, drift, 0);
    cell_metrics_read(&metrics, record, record_cell(record, "a"), NULL);
    notes_read(&notes, &metrics);
    for (unsigned i = 0; i < notes.count; i++)
        found |= strncmp(notes.note[i].text, "drift: the last third", 21) == 0;
    notes_release(&notes);
    record_free(record);
    return found;
}

Test(notes, drift_above_five_percent_is_noted)
{
    cr_assert(has_drift(0.1));
    cr_assert(has_drift(-0.1));
    cr_assert_not(has_drift(0.05));
}

/* The fault: any other kind of memory with such times is impossible, not free. */
Test(notes, only_what_is_mapped_in_place_can_go_without_a_copy)
{
    struct cell_metrics metrics;
    struct record *record = plain_cell();
    struct cell_record *cell = record_cell(record, "a");
    cell->bytes = 64e6;
    cell->first.map = 15e-6;
    add_series(record, "copied", (struct look){ .slices = 12 });
    cell_metrics_read(&metrics, record, cell, NULL);
    cr_expect_not(metrics.is_fixed || metrics.no_copy);
    cr_expect(metrics.bandwidth > 0);
    record_free(record);
}

Test(notes, a_cold_cell_says_what_was_done_to_it)
{
    struct record *record = record_new();
    add(record, "{\"line\":\"cell\",\"key\":\"a\",\"cold\":true}");
    add(record, "{\"line\":\"first\",\"cell\":\"a\",\"flush_bytes\":268435456}");
    add(record, "{\"line\":\"verify\",\"cell\":\"a\",\"pass\":\"before\"}");
    add_slices(record, 0, 0, 0);
    struct cell_metrics metrics;
    cell_metrics_read(&metrics, record, record_cell(record, "a"), NULL);
    cr_assert_eq(
        notes_that_say("cold: caches are flushed before each run, untimed, by going through 268 MB", &metrics, record),
        1);
}

/* The device in turn with others takes a millisecond; by itself so much, with so much drift; NAN: it was not. */
static void expect_sustained_after(double swing, double factor, double drift, const char *words)
{
    struct record *record = plain_cell();
    struct cell_metrics metrics;
    add_series(record, "resident", (struct look){ .slices = 12, .swing = swing });
    for (int i = 0; i < 40 && !isnan(factor); i++) {
        char line[256];
        double ns = 1e6 * factor * (1 + drift * i / 39) * (1 + 1e-3 * (i * 7 % 11));
        snprintf(line, sizeof line,
                 "{\"line\":\"slice\",\"cell\":\"a\",\"series\":\"sustained\",\"number\":%d,\"wall_ns\":[%.0f],"
                 "\"elapsed_ns\":250000000}",
                 100 + i, ns);
        add(record, line);
    }
    cell_metrics_read(&metrics, record, record_cell(record, "a"), NULL);
    cr_expect_eq(notes_that_say(words ? words : "by itself", &metrics, record), words != NULL, "%g %g: %s", factor,
                 drift, words ? words : "by itself");
}

static void expect_sustained(double factor, double drift, const char *words)
{
    expect_sustained_after(0, factor, drift, words);
}

Test(notes, a_sustained_series_is_noted)
{
    expect_sustained(0.995, 0, "by itself for 10.0 s a run takes 1.00 ms, as in the rounds before");
    expect_sustained(1.04, 0, "by itself for 10.0 s a run takes 1.05 ms, 4 % longer than in the rounds before");
    expect_sustained(0.97, 0, "by itself for 10.0 s a run takes 975 us, 3 % less than in the rounds before");
    expect_sustained_after(0.5, 1.35, 0, "which may be chance: their times vary as much");
    expect_sustained(NAN, 0, NULL);
    expect_sustained(1.20, 0, "by itself for 10.0 s a run takes 20 % longer than in the rounds before: heat");
    expect_sustained(0.80, 0, "by itself for 10.0 s a run takes 20 % less than in the rounds before: clocks");
    expect_sustained(0.99, 0.09, "by itself for 10.0 s: drift: the last third of the slices took over 5 % longer");
}
