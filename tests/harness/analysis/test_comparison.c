/* What is compared with what, what is called what, and what is said beside it: on made-up journals. How often a verdict
 * is wrong is in test_comparison_simulated.c. */

#include "tests/support/compared_runs.h"

TestSuite(comparison, .fini = scene_close);

static const struct made one = { "n=1", "portable", "mapped", 2, NULL },
                         slower = { "n=1", "portable", "mapped", 2.4, NULL };

Test(comparison, each_cell_has_a_verdict)
{
    struct plan old = { .cell = { one,
                                  { "n=2", "portable", "mapped", 2, NULL },
                                  { "n=3", "portable", "mapped", 2, "crashed" },
                                  { "n=4", "portable", "mapped", 2, NULL },
                                  { "n=5", "portable", "mapped", 2, "unsupported" } } };
    struct plan new = { .cell = { one,
                                  { "n=2", "portable", "mapped", 2, "wrong" },
                                  { "n=3", "portable", "mapped", 2, NULL },
                                  { "n=5", "portable", "mapped", 2, "unsupported" },
                                  { "n=6", "portable", "mapped", 2, NULL } } };
    compare_runs(&old, 1, &new, 1);
    expect_change("n=1", CHANGE_SAME);
    expect_change("n=2", CHANGE_BROKEN);
    expect_change("n=3", CHANGE_MENDED);
    expect_change("n=4", CHANGE_GONE);
    expect_change("n=5", CHANGE_SAME);
    expect_change("n=6", CHANGE_NEW);
    cr_expect(notes(found("n=2", NULL), "wrong: it was so"));
    char summary[SUMMARY_ROOM];
    comparison_summary(summary, &scene.comparison);
    cr_expect(
        strstr(summary, "8 cells: 1 broken (multiply n=2 on opencl:0), 1 mended (multiply n=3 on opencl:0), 2 same") ==
            summary,
        "%s", summary);
    char answer[ANSWER_ROOM];
    cr_expect_str_eq(comparison_answer(answer, &scene.comparison), "");
}

/* A row at the least change that would be seen has a verdict, just below it none. */
Test(comparison, says_which_changes_would_not_be_seen)
{
    struct plan old = { .cell = { one } }, same = { .cell = { one } };
    compare_runs(&old, 1, &same, 1);
    char answer[ANSWER_ROOM], expected[ANSWER_ROOM];
    const struct shift *shift = found("n=1", NULL)->shift;
    const double visible = shift[QUANTITY_RESIDENT].visible;
    cr_expect_gt(visible, 0.02);
    snprintf(expected, sizeof expected, "No change shown; changes below %.0f %% would not be seen", 100 * visible);
    cr_expect_str_eq(comparison_answer(answer, &scene.comparison), expected);
    const double just_below = 1 + 0.98 * visible, just_above = 1 + 1.02 * visible;
    const struct {
        double ms;
        enum change change;
    } cases[] = { { 2 * just_below, CHANGE_UNSURE },
                  { 2 * just_above, CHANGE_SLOWER },
                  { 2 / just_below, CHANGE_UNSURE },
                  { 2 / just_above, CHANGE_FASTER } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct plan new = { .cell = { { "n=1", "portable", "mapped", cases[i].ms, NULL } } };
        compare_runs(&old, 1, &new, 1);
        expect_change("n=1", cases[i].change);
    }
}

Test(comparison, a_large_change_is_found_with_one_run_a_side)
{
    struct plan old = { .cell = { one, { "n=2", "portable", "mapped", 2, NULL } } };
    struct plan new = { .cell = { { "n=1", "portable", "mapped", 2.4, NULL },
                                  { "n=2", "portable", "mapped", 1.6, NULL } } };
    compare_runs(&old, 1, &new, 1);
    expect_change("n=1", CHANGE_SLOWER);
    expect_change("n=2", CHANGE_FASTER);
    const struct shift *shift = &found("n=1", NULL)->shift[QUANTITY_RESIDENT];
    cr_expect_float_eq(shift->ratio, 2 / 2.4, 1e-4);
    cr_expect(shift->low < shift->ratio && shift->high > shift->ratio && shift->high < 1);
}

/* Others took a tenth of the processor, or were kept back by the host for as long. */
Test(comparison, a_single_run_that_was_disturbed_needs_a_larger_change)
{
    static const char *const others = "\"busy\": 1, \"idle\": 9, \"own\": 0, \"steal\": 0",
                             *const stolen = "\"busy\": 9, \"idle\": 0, \"own\": 9, \"steal\": 1",
                             *const alone = "\"busy\": 9, \"idle\": 1, \"own\": 9, \"steal\": 0";
    const struct plan quiet = { .after = alone, .baseline_after = alone, .cell = { one } };
    const struct plan slow = { .cell = { slower } };
    for (unsigned i = 0; i < 5; i++) {
        struct plan old = quiet, new = slow;
        struct plan *const disturbed = i == 3 ? &old : &new;
        if (i == 0 || i == 3)
            disturbed->baseline_after = others;
        else if (i < 3)
            disturbed->after = i == 1 ? others : stolen;
        compare_runs(&old, 1, &new, 1);
        expect_change("n=1", i < 4 ? CHANGE_UNSURE : CHANGE_SLOWER);
    }
}

/* Runs whose own intervals are wide, and whose medians are the same. */
Test(comparison, runs_that_agree_by_chance_show_no_small_change)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct plan old = { .noise = 0.08 * i, .cell = { one } };
        const struct plan new = { .noise = 0.08 * i, .cell = { { "n=1", "portable", "mapped", 2.2, NULL } } };
        compare_runs((const struct plan[]){ old, old }, 2, (const struct plan[]){ new, new }, 2);
        expect_change("n=1", i ? CHANGE_UNSURE : CHANGE_SLOWER);
    }
}

Test(comparison, a_time_without_a_baseline_is_slower_where_it_is_longer)
{
    struct plan old[5], new[5];
    for (unsigned i = 0; i < 5; i++) {
        old[i] = (struct plan){ .is_alone = true,
                                .cell = { { "n=1", "portable", "mapped", 2 + 0.01 * i, NULL },
                                          { "n=2", "portable", "mapped", 2 + 0.01 * i, NULL } } };
        new[i] = (struct plan){ .is_alone = true,
                                .cell = { { "n=1", "portable", "mapped", 4 + 0.01 * i, NULL },
                                          { "n=2", "portable", "mapped", 1 + 0.01 * i, NULL } } };
    }
    compare_runs(old, 5, new, 5);
    expect_change("n=1", CHANGE_SLOWER);
    expect_change("n=2", CHANGE_FASTER);
    cr_expect_float_eq(found("n=1", NULL)->shift[QUANTITY_TIME].ratio, 4.02 / 2.02, 1e-3);
}

Test(comparison, a_time_that_has_no_interval_says_why_it_is_not_judged)
{
    struct plan old = { .is_alone = true, .cell = { one } };
    struct plan new = { .is_alone = true, .noise = 0.98, .cell = { one } };
    char answer[ANSWER_ROOM];
    compare_runs(&old, 1, &new, 1);
    cr_expect_str_eq(comparison_answer(answer, &scene.comparison),
                     "Nothing can be said: there is no interval: give the runs more time");
}

Test(comparison, a_cold_row_is_not_compared_with_a_warm_one)
{
    struct plan old = { .cold = 2, .cell = { one, { "n=1", "portable", "mapped", 3, NULL } } };
    struct plan new = { .cold = 1, .cell = { { "n=1", "portable", "mapped", 3, NULL } } };
    compare_runs(&old, 1, &new, 1);
    unsigned cold = 0;
    for (unsigned i = 0; i < scene.comparison.cells; i++) {
        const struct compared *cell = &scene.comparison.cell[i];
        if (cell->is_baseline || !cell->cell[OLD])
            continue;
        cr_expect_eq(cell->change, cell->cell[OLD]->is_cold ? CHANGE_SAME : CHANGE_GONE, "%s",
                     change_names[cell->change]);
        cold += cell->cell[OLD]->is_cold;
    }
    cr_expect_eq(cold, 1);
}

Test(comparison, a_small_change_is_unsure_with_one_run_a_side_and_found_with_five)
{
    struct plan old[5], new[5];
    for (unsigned i = 0; i < 5; i++) {
        old[i] = (struct plan){ .cell = { { "n=1", "portable", "mapped", 2 + 0.01 * i, NULL } } };
        new[i] = (struct plan){ .cell = { { "n=1", "portable", "mapped", 2.1 + 0.01 * i, NULL } } };
    }
    compare_runs(old, 1, new, 1);
    expect_change("n=1", CHANGE_UNSURE);
    compare_runs(old, 5, new, 5);
    expect_change("n=1", CHANGE_SLOWER);
}

Test(comparison, one_disturbed_run_in_five_changes_nothing)
{
    struct plan old[5], new[5];
    for (unsigned i = 0; i < 5; i++) {
        old[i] = (struct plan){ .cell = { { "n=1", "portable", "mapped", 2 + 0.01 * i, NULL } } };
        new[i] = (struct plan){ .cell = { { "n=1", "portable", "mapped", i == 2 ? 7 : 2 + 0.01 * i, NULL } } };
    }
    compare_runs(old, 5, new, 5);
    expect_change("n=1", CHANGE_SAME);
}

Test(comparison, a_baseline_that_changed_is_named)
{
    struct plan old = { .cell = { one } }, new = { .baseline_ms = 1.5, .cell = { one } };
    compare_runs(&old, 1, &new, 1);
    expect_change("n=1", CHANGE_FASTER);
    cr_expect(notes(found("n=1", NULL), "the baseline changed more than this row"));
    cr_expect_float_eq(found("n=1", NULL)->shift[QUANTITY_BASELINE].ratio, 1.5, 1e-3);
}

Test(comparison, the_machine_as_a_whole_may_become_slower)
{
    struct plan old = { .cell = { one } };
    struct plan new = { .baseline_ms = 1.6, .cell = { { "n=1", "portable", "mapped", 3.2, NULL } } };
    compare_runs(&old, 1, &new, 1);
    expect_change("n=1", CHANGE_SAME);
    cr_expect_float_eq(found("n=1", NULL)->shift[QUANTITY_TIME].ratio, 1.6, 1e-3);
    cr_expect_eq(scene.comparison.count[CHANGE_BASELINE], 1, "a time alone is not judged so soon");
}

Test(comparison, a_speed_up_over_another_baseline_is_not_compared)
{
    struct plan old = { .cell = { one } };
    struct plan new = { .baseline_method = "onednn", .baseline_ms = 0.5, .cell = { one } };
    compare_runs(&old, 1, &new, 1);
    cr_expect(isnan(found("n=1", NULL)->shift[QUANTITY_RESIDENT].ratio));
    expect_change("n=1", CHANGE_UNSURE);
    cr_expect(notes(found("n=1", NULL), "its speed-ups cannot be compared"));
}

Test(comparison, a_race_that_found_both_baselines_as_fast_does_not_make_them_one)
{
    struct plan old = { .cell = { one } };
    struct plan new = { .baseline_method = "onednn", .baseline_ties = "[\"native\"]", .cell = { one } };
    compare_runs(&old, 1, &new, 1);
    cr_expect(isnan(found("n=1", NULL)->shift[QUANTITY_RESIDENT].ratio));
    cr_expect(
        notes(found("n=1", NULL), "they are over cpu/one native, pageable on one side and cpu/one onednn, pageable"));
}

Test(comparison, the_baseline_of_copied_data_is_paired_by_its_method_too)
{
    struct plan old = { .cell = { one } }, new = { .copied_method = "onednn", .cell = { one } };
    compare_runs(&old, 1, &new, 1);
    for (enum quantity quantity = QUANTITY_RESIDENT; quantity <= QUANTITY_COPIED; quantity++)
        cr_expect(isnan(found("n=1", NULL)->shift[quantity].ratio), "%u", quantity);
    cr_expect(notes(found("n=1", NULL), "cpu/one native, pageable (copied: cpu/one onednn, pageable) on the other"));
}

/* On either side, and whichever run of it. */
Test(comparison, runs_with_another_baseline_are_left_out)
{
    for (unsigned i = 0; i < 6; i++) {
        const unsigned side = i % 2;
        const struct plan two[2] = { { .cell = { one } }, { .cell = { one } } };
        struct plan three[3] = { { .cell = { one } }, { .cell = { one } }, { .cell = { one } } };
        three[i / 2] = (struct plan){ .baseline_method = "onednn",
                                      .baseline_ms = 0.1,
                                      .cell = { { "n=1", "clblast", "mapped", 2, NULL } } };
        compare_runs(side == OLD ? three : two, side == OLD ? 3 : 2, side == OLD ? two : three, side == OLD ? 2 : 3);
        const struct compared *cell = found("n=1", NULL);
        for (enum quantity quantity = 0; quantity < QUANTITY_COUNT; quantity++)
            if (quantity != QUANTITY_COPIED)
                cr_expect_eq(cell->shift[quantity].runs[side], 2, "%u: %u", i, quantity);
        cr_expect_str_eq(cell->method[side], "portable", "the method of the run that is left out is not told");
        cr_expect_eq(cell->runs[side], 3);
        cr_expect_float_eq(cell->shift[QUANTITY_RESIDENT].ratio, 1, 1e-3, "%u", i);
        cr_expect(notes(cell, "1 of 5 runs are left out: their baseline is cpu/one onednn, pageable instead of cpu/one "
                              "native, pageable"),
                  "%u", i);
    }
}

Test(comparison, a_device_is_known_by_its_key)
{
    struct plan old = { .cell = { one } }, new = { .device_id = "opencl:3", .cell = { one } };
    compare_runs(&old, 1, &new, 1);
    expect_change("n=1", CHANGE_SAME);
}

Test(comparison, another_method_is_compared_and_noted)
{
    struct plan old = { .cell = { one } };
    struct plan new = { .cell = { { "n=1", "clblast", "mapped", 2, NULL } } };
    compare_runs(&old, 1, &new, 1);
    expect_change("n=1", CHANGE_SAME);
    cr_expect(notes(found("n=1", NULL), "another method: portable before, clblast now"));
}

Test(comparison, rows_in_different_memory_are_not_compared)
{
    struct plan old = { .cell = { one } }, new = { .cell = { { "n=1", "portable", "pinned", 2, NULL } } };
    compare_runs(&old, 1, &new, 1);
    cr_expect_eq(scene.comparison.count[CHANGE_GONE], 1);
    cr_expect_eq(scene.comparison.count[CHANGE_NEW], 1);
}

Test(comparison, methods_beside_each_other_are_not_mixed)
{
    struct plan old = { .cell = { one, { "n=1", "clblast", "mapped", 4, NULL } } };
    struct plan new = { .cell = { { "n=1", "clblast", "mapped", 4, NULL }, { "n=1", "portable", "mapped", 3, NULL } } };
    compare_runs(&old, 1, &new, 1);
    cr_expect_eq(found("n=1", "portable")->change, CHANGE_SLOWER);
    cr_expect_eq(found("n=1", "clblast")->change, CHANGE_SAME);
}

Test(comparison, other_differences_are_warned_of)
{
    struct plan old[2] = { { .cell = { one } }, { .machine = "an old machine", .cell = { one } } };
    struct plan new = { .machine = "another machine", .version = "2", .end = "interrupted", .cell = { one } };
    compare_runs(old, 2, &new, 1);
    cr_expect(warns("machine: a machine (1 run), an old machine (1) before, another machine now"));
    cr_expect(warns("version of bench: 1 before, 2 now"));
    cr_expect(warns("driver of opencl:0: a driver 1 before, a driver 2 now"));
    cr_expect(warns("a.jsonl was interrupted"));
    cr_expect(!warns("budget"));
}

Test(comparison, processors_of_one_name_may_differ_otherwise)
{
    struct plan old = { .signature = "\"signature\": \"6-167-1 amx_tile 2c 8g\"", .cell = { one } };
    struct plan new = { .signature = "\"signature\": \"6-207-2 2c 8g\"", .cell = { one } };
    compare_runs(&old, 1, &new, 1);
    cr_expect(warns("model, cores and memory of the machine: 6-167-1 amx_tile 2c 8g before, 6-207-2 2c 8g now"));
}

Test(comparison, runs_of_one_kind_need_no_warning)
{
    struct plan plan = { .cell = { one } };
    compare_runs(&plan, 1, &plan, 1);
    cr_expect_eq(scene.comparison.warnings, 0);
}

Test(comparison, what_an_interrupted_run_did_not_reach_is_gone_and_the_run_is_named)
{
    struct plan old = { .cell = { one, { "n=2", "portable", "mapped", 2, NULL } } };
    struct plan new = { .end = "", .cell = { one, { "n=2", "portable", "mapped", 2, "" } } };
    compare_runs(&old, 1, &new, 1);
    expect_change("n=2", CHANGE_GONE);
    cr_expect(warns("a.jsonl was broken off: what it did not reach is missing"));
    cr_expect_str_eq(scene.comparison.files[NEW], "a.jsonl");
}

Test(comparison, one_bad_run_among_good_ones_breaks_a_cell)
{
    struct plan old[2] = { { .cell = { one } }, { .cell = { one } } };
    struct plan new[2] = { { .cell = { one } }, { .cell = { { "n=1", "portable", "mapped", 2, "wrong" } } } };
    compare_runs(old, 2, new, 2);
    expect_change("n=1", CHANGE_BROKEN);
    cr_expect(notes(found("n=1", NULL), "wrong in 1 of 2 runs"));
}

Test(comparison, a_cell_that_no_run_measures_any_more_is_broken)
{
    struct plan bad = { .cell = { { "n=1", "portable", "mapped", 2, "crashed" } } }, good = { .cell = { one } };
    struct plan old[] = { good, good, bad }, new[] = { bad, bad };
    compare_runs(old, 3, new, 2);
    expect_change("n=1", CHANGE_BROKEN);
    cr_expect(notes(found("n=1", NULL), "crashed in 2 of 2 runs"));
}

Test(comparison, a_mended_cell_may_be_slower)
{
    struct plan bad = { .cell = { { "n=1", "portable", "mapped", 2, "crashed" } } }, good = { .cell = { one } };
    struct plan slow = { .cell = { { "n=1", "portable", "mapped", 3, NULL } } };
    struct plan old[] = { good, good, good, bad }, new[] = { slow, slow, slow, slow };
    compare_runs(old, 4, new, 4);
    expect_change("n=1", CHANGE_SLOWER);
    cr_expect(notes(found("n=1", NULL), "before: crashed in 1 of 4 runs"));
}

Test(comparison, a_cell_that_neither_side_measures_is_not_compared)
{
    struct plan plan = { .cell = { { "n=1", "portable", "mapped", 2, "unsupported" } } };
    compare_runs(&plan, 1, &plan, 1);
    expect_change("n=1", CHANGE_SAME);
    cr_expect_eq(comparison_matched(&scene.comparison), 0);
}

/* A name that is cut at a character of two bytes must not end in half of it. */
Test(comparison, long_names_stay_utf_8)
{
    char name[2][160];
    for (unsigned i = 0; i < 2; i++) {
        memset(name[i], 'x', sizeof name[i]);
        for (unsigned at = 1 + i; at + 2 < sizeof name[i]; at += 2)
            memcpy(name[i] + at, "\u00e9", 2);
        name[i][157 + i] = '\0';
    }
    struct plan old[] = { { .machine = name[0], .cell = { one } }, { .machine = name[1], .cell = { one } } };
    struct plan new = { .machine = "m", .cell = { one } };
    compare_runs(old, 2, &new, 1);
    cr_expect(warns("machine: x\u00e9"));
    free(written(&scene.comparison, "json")); /* which fails on text that is none */
}

/* "": the status of a run that ended well. */
static struct plan ended(const char *status)
{
    return (struct plan){ .cell = { { "n=1", "portable", "mapped", 2, *status ? status : NULL } } };
}

Test(comparison, a_failure_is_worse_than_a_cell_that_is_not_supported)
{
    const struct plan old[] = { ended(""), ended("") };
    const struct plan new[] = { ended("unsupported"), ended("crashed"), ended("") };
    compare_runs(old, 2, new, 3);
    expect_change("n=1", CHANGE_BROKEN);
    cr_expect(notes(found("n=1", NULL), "crashed in 2 of 3 runs: it was so"));
}

Test(comparison, a_cell_that_ended_well_without_a_time_is_not_measured)
{
    const struct plan old = ended(""), new = ended("ok");
    compare_runs(&old, 1, &new, 1);
    expect_change("n=1", CHANGE_BROKEN);
    cr_expect(notes(found("n=1", NULL), "without a single time"));
}

Test(comparison, times_of_a_run_that_failed_count_for_nothing)
{
    const struct plan good = { .copied_ms = { 2 }, .cell = { one } };
    const struct plan crashed = { .copied_ms = { 2 }, .cell = { { "n=1", "portable", "mapped", 2, "crashed" } } };
    const struct plan old[] = { good, crashed };
    compare_runs(old, 2, &good, 1);
    cr_expect_eq(found("n=1", NULL)->shift[QUANTITY_TIME].runs[OLD], 1);
}

Test(comparison, a_side_is_shown_by_a_run_that_ended_well)
{
    const struct plan old[] = { ended("crashed"), ended("") }, new = ended("");
    compare_runs(old, 2, &new, 1);
    cr_expect_eq(found("n=1", NULL)->cell[OLD]->outcome.status, STATUS_OK);
}

Test(comparison, slower_in_one_use_is_slower_though_it_is_faster_in_the_other)
{
    const struct plan old = { .copied_ms = { 4 }, .cell = { one } };
    const struct plan new = { .copied_ms = { 8 }, .cell = { { "n=1", "portable", "mapped", 1, NULL } } };
    compare_runs(&old, 1, &new, 1);
    const struct compared *cell = found("n=1", NULL);
    cr_expect_eq(cell->shift[QUANTITY_RESIDENT].change, CHANGE_FASTER);
    cr_expect_eq(cell->shift[QUANTITY_COPIED].change, CHANGE_SLOWER);
    expect_change("n=1", CHANGE_SLOWER);
}

/* Of all the runs of a machine whose clock was halved. */
Test(comparison, a_baseline_that_became_slower_counts_as_slower)
{
    struct plan old[5], new[5];
    for (unsigned i = 0; i < 5; i++) {
        old[i] = (struct plan){ .baseline_ms = 1 + 0.01 * i, .cell = { one } };
        new[i] = (struct plan){ .baseline_ms = 4 + 0.04 * i, .cell = { { "n=1", "portable", "mapped", 8, NULL } } };
    }
    compare_runs(old, 5, new, 5);
    cr_expect_eq(scene.comparison.count[CHANGE_BASELINE], 0);
    cr_expect_geq(scene.comparison.count[CHANGE_SLOWER], 1);
}

Test(comparison, the_note_on_a_baseline_has_its_time_first)
{
    const struct plan old = { .cell = { one } }, new = { .baseline_ms = 1.5, .cell = { one } };
    compare_runs(&old, 1, &new, 1);
    cr_expect(notes(found("n=1", NULL), "its time is 1.50 times the time before, that of this row 1.00 times"));
}

Test(comparison, a_method_that_works_in_another_way_is_noted)
{
    const struct plan old = { .detail = "tiles of 16", .cell = { one } },
                      new = { .detail = "tiles of 8", .cell = { one } };
    compare_runs(&old, 1, &new, 1);
    cr_expect(notes(found("n=1", NULL), "the same method in another way: tiles of 16 before, tiles of 8 now"));
}

Test(comparison, power_libraries_options_and_damage_are_warned_of)
{
    const struct plan old = { .head = "\"options\": {\"budget\": 3, \"precision\": 0.02, \"suite\": \"full\"}, "
                                      "\"libraries\": {\"oneDNN\": \"2.0\"}",
                              .cell = { one } };
    const struct plan new = { .head = "\"options\": {\"budget\": 9, \"precision\": 0.5, \"suite\": \"quick\"}, "
                                      "\"libraries\": {\"oneDNN\": \"3.0\"}",
                              .after = "\"on_battery\": true",
                              .is_damaged = true,
                              .cell = { one } };
    compare_runs(&old, 1, &new, 1);
    cr_expect(warns("power: mains or unknown before, battery now"));
    cr_expect(warns("oneDNN: 2.0 before, 3.0 now"));
    cr_expect(warns("--budget: 3 before, 9 now"));
    cr_expect(warns("--precision: 0.02 before, 0.5 now"));
    cr_expect(warns("--suite: full before, quick now"));
    cr_expect(warns("a.jsonl is damaged"));
}

/* On either side, and whichever run of it. */
Test(comparison, one_run_that_is_other_is_enough_for_a_warning)
{
    for (unsigned i = 0; i < 4; i++) {
        struct plan runs[4] = { { .cell = { one } }, { .cell = { one } }, { .cell = { one } }, { .cell = { one } } };
        runs[i].machine = "another machine";
        compare_runs(runs, 2, runs + 2, 2);
        cr_expect(warns("machine: "), "%u", i);
    }
}

/* Peaks are not compared, and neither is a type with another. */
Test(comparison, only_what_answers_the_same_question_is_compared)
{
    struct plan old = { .cell = { one, slower, one } }, new = { .cell = { one, slower, one } };
    old.more[1] = "\"dtype\": \"f64\"";
    new.more[1] = "\"dtype\": \"f64\"";
    old.more[2] = new.more[2] = "\"ceiling\": true";
    compare_runs(&old, 1, &new, 1);
    cr_assert_eq(scene.comparison.cells, 3, "%u cells", scene.comparison.cells);
    for (unsigned i = 0; i < 3; i++)
        cr_expect_eq(scene.comparison.cell[i].runs[OLD], 1, "%u: %u runs", i, scene.comparison.cell[i].runs[OLD]);
}

/* Runs that vary by 0.1, 5 and 1 %, in each order: the least and the greatest change that would not be seen. */
Test(comparison, changes_that_would_not_be_seen_go_from_the_least_to_the_greatest)
{
    static const double noise[] = { 0.001, 0.1, 0.04 };
    static const char *const shapes[] = { "n=1", "n=2", "n=3" };
    for (unsigned first = 0; first < 3; first++) {
        struct plan plan[2] = { { .baseline_ms = 1 }, { .baseline_ms = 1 } };
        for (unsigned run = 0; run < 2; run++)
            for (unsigned i = 0; i < 3; i++)
                plan[run].cell[i] = (struct made){ shapes[i], "portable", "mapped",
                                                   2 * (1 + (run ? 1 : -1) * noise[(first + i) % 3]), NULL };
        compare_runs(plan, 2, plan, 2);
        double least = INFINITY, most = 0;
        for (unsigned i = 0; i < 3; i++) {
            const double visible = found(shapes[i], NULL)->shift[QUANTITY_RESIDENT].visible;
            least = fmin(least, visible);
            most = fmax(most, visible);
        }
        char answer[ANSWER_ROOM], wanted[ANSWER_ROOM];
        snprintf(wanted, sizeof wanted, "No change shown; changes below %.0f to %.0f %% would not be seen", 100 * least,
                 100 * most);
        cr_expect_gt(most, 1.1 * least);
        cr_expect_str_eq(comparison_answer(answer, &scene.comparison), wanted, "%s", answer);
    }
}

/* Others left less than half of the only core, or used nearly half of it, which a single run does not forgive. */
Test(comparison, what_is_not_judged_has_its_true_cause)
{
    static const char quiet[] = "\"busy\": 9, \"idle\": 1, \"own\": 9, \"steal\": 0",
                      crowded[] = "\"busy\": 9, \"idle\": 1, \"own\": 0, \"steal\": 0",
                      half[] = "\"busy\": 5, \"idle\": 5, \"own\": 0.2, \"steal\": 0";
    static const struct {
        const char *old, *new, *answer;
    } cases[] = {
        { crowded, quiet, "Nothing can be said: not judged before (too much other load on the cores: measure again)" },
        { quiet, crowded, "Nothing can be said: not judged now (too much other load on the cores: measure again)" },
        { crowded, crowded,
          "Nothing can be said: not judged before (too much other load on the cores: measure again)" },
        { half, half, "Nothing can be said: too noisy, beyond a factor of ten: measure again" },
        { quiet, quiet, "No change shown; changes below 5 % would not be seen" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct plan old = { .after = cases[i].old, .copied_ms = { 4 }, .cell = { one } },
                          new = { .after = cases[i].new, .copied_ms = { 4 }, .cell = { one } };
        char answer[ANSWER_ROOM];
        compare_runs(&old, 1, &new, 1);
        cr_expect_str_eq(comparison_answer(answer, &scene.comparison), cases[i].answer, "%u: %s", i, answer);
        const struct compared *cell = found("n=1", NULL);
        cr_expect_eq(cell->notes, i < 4, "%u: %u notes", i, cell->notes);
        cr_expect(strstr(cases[i].answer, cell->unjudged), "%u: %s", i, cell->unjudged);
    }
}

/* One of two rows is judged. */
Test(comparison, a_row_that_is_not_judged_is_counted_beside_those_that_are)
{
    static const char crowded[] = "\"busy\": 9, \"idle\": 1, \"own\": 0, \"steal\": 0";
    const struct plan plan = { .cell = { one, { "n=2", "portable", "mapped", 2, NULL } } };
    char answer[ANSWER_ROOM];
    compare_runs(&plan, 1, &plan, 1);
    comparison_release(&scene.comparison);
    add_states(scene.side[NEW].run[0].record, "cell 1", crowded);
    cr_assert(comparison_make(&scene.comparison, scene.side, 0.05, &(struct error){ 0 }));
    cr_expect(strstr(comparison_answer(answer, &scene.comparison), "not be seen; nothing can be said of 1 row"), "%s",
              answer);
    char *table = written(&scene.comparison, "table");
    cr_expect(strstr(table, "2 of the baseline: times, not judged"), "%s", table);
    free(table);
}
