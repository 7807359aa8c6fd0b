/* What decides where runs of a side differ, and what is said of it: on made-up journals. */

#include "tests/support/compared_runs.h"

TestSuite(comparison_words, .fini = scene_close);

static const struct made one = { "n=1", "portable", "mapped", 2, NULL },
                         slow = { "n=1", "portable", "mapped", 2.4, NULL };

/* "": the status of a run that ended well. */
static struct plan ended(const char *status)
{
    return (struct plan){ .cell = { { "n=1", "portable", "mapped", 2, *status ? status : NULL } } };
}

Test(comparison_words, a_failure_is_worse_than_a_cell_that_is_not_supported)
{
    const struct plan old[] = { ended(""), ended("") };
    const struct plan new[] = { ended("unsupported"), ended("crashed"), ended("") };
    compare_runs(old, 2, new, 3);
    expect_change("n=1", CHANGE_BROKEN);
    cr_expect(notes(found("n=1", NULL), "crashed in 2 of 3 runs: it was so"));
}

Test(comparison_words, a_side_is_shown_by_a_run_that_ended_well)
{
    const struct plan old[] = { ended("crashed"), ended("") }, new = ended("");
    compare_runs(old, 2, &new, 1);
    cr_expect_eq(found("n=1", NULL)->cell[OLD]->outcome.status, STATUS_OK);
}

Test(comparison_words, slower_in_one_use_is_slower_though_it_is_faster_in_the_other)
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
Test(comparison_words, a_baseline_that_became_slower_counts_as_slower)
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

Test(comparison_words, the_note_on_a_baseline_has_its_time_first)
{
    const struct plan old = { .cell = { one } }, new = { .baseline_ms = 1.5, .cell = { one } };
    compare_runs(&old, 1, &new, 1);
    cr_expect(notes(found("n=1", NULL), "its time is 1.50 times what it was, that of this 1.00 times"));
}

/* Others left less than half of the only core, or used nearly half of it, which a single run does not forgive. */
Test(comparison_words, what_is_not_judged_has_its_true_cause)
{
    static const char quiet[] = "\"busy\": 9, \"idle\": 1, \"own\": 9, \"steal\": 0",
                      crowded[] = "\"busy\": 9, \"idle\": 1, \"own\": 0, \"steal\": 0",
                      half[] = "\"busy\": 5, \"idle\": 5, \"own\": 0.2, \"steal\": 0";
    static const struct {
        const char *old, *new, *answer;
    } cases[] = {
        { crowded, quiet,
          "Nothing can be said: not judged before (other load in more than half of the visits: measure again)" },
        { quiet, crowded,
          "Nothing can be said: not judged now (other load in more than half of the visits: measure again)" },
        { crowded, crowded,
          "Nothing can be said: not judged before and now (other load in more than half of the visits: measure "
          "again)" },
        { half, half, "Nothing can be said: too noisy (others used 48 % of the CPU): measure again" },
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

/* Each side has a reason of its own, and one of two rows is judged. */
Test(comparison_words, a_row_that_is_not_judged_is_counted_beside_those_that_are)
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

Test(comparison_words, a_method_that_works_in_another_way_is_noted)
{
    const struct plan old = { .detail = "tiles of 16", .cell = { one } },
                      new = { .detail = "tiles of 8", .cell = { one } };
    compare_runs(&old, 1, &new, 1);
    cr_expect(notes(found("n=1", NULL), "the same method in another way: tiles of 16 before, tiles of 8 now"));
}

Test(comparison_words, power_libraries_options_and_damage_are_warned_of)
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
Test(comparison_words, one_run_that_is_other_is_enough_for_a_warning)
{
    for (unsigned i = 0; i < 4; i++) {
        struct plan runs[4] = { { .cell = { one } }, { .cell = { one } }, { .cell = { one } }, { .cell = { one } } };
        runs[i].machine = "another machine";
        compare_runs(runs, 2, runs + 2, 2);
        cr_expect(warns("machine: "), "%u", i);
    }
}

/* Peaks are not compared, and neither is a type with another. */
Test(comparison_words, only_what_answers_the_same_question_is_compared)
{
    struct plan old = { .cell = { one, slow, one } }, new = { .cell = { one, slow, one } };
    old.more[1] = "\"dtype\": \"f64\"";
    new.more[1] = "\"dtype\": \"f64\"";
    old.more[2] = new.more[2] = "\"ceiling\": true";
    compare_runs(&old, 1, &new, 1);
    cr_assert_eq(scene.comparison.cells, 3, "%u cells", scene.comparison.cells);
    for (unsigned i = 0; i < 3; i++)
        cr_expect_eq(scene.comparison.cell[i].runs[OLD], 1, "%u: %u runs", i, scene.comparison.cell[i].runs[OLD]);
}

/* Percent and half the interval, the old value first, and the baseline's own change. */
Test(comparison_words, a_row_has_the_change_of_the_speed_up_and_of_the_baseline)
{
    const struct plan old = { .cell = { one } }, new = { .baseline_ms = 1.1, .cell = { slow } };
    compare_runs(&old, 1, &new, 1);
    const struct compared *cell = found("n=1", NULL);
    const struct shift *shift = &cell->shift[QUANTITY_RESIDENT];
    char *markdown = written(&scene.comparison, "markdown"), change[32];
    cr_expect_float_eq(shift->ratio, 1.1 * 2 / 2.4, 1e-3);
    snprintf(change, sizeof change, "%.1f +-%.1f", 100 * (shift->ratio - 1), 50 * (shift->high - shift->low));
    cr_expect(strstr(markdown, change), "no %s: %s", change, markdown);
    snprintf(change, sizeof change, "+10 +-%.0f | 0.500, 0.458 |",
             50 * (cell->shift[QUANTITY_BASELINE].high - cell->shift[QUANTITY_BASELINE].low));
    cr_expect(strstr(markdown, change), "no %s: %s", change, markdown);
    free(markdown);
}

static double number_at(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Two runs before and three now, in which the baseline took 1 and 1.1 ms and the device 2 and 2.4. */
/* The headings are problems: of another workload, element type, shape or state of the caches. */
Test(comparison_words, warm_and_cold_rows_have_a_heading_each)
{
    const struct plan plan = { .cold = 2,
                               .cell = { { "n=1", "portable", "mapped", 2, NULL },
                                         { "n=1", "portable", "mapped", 3, NULL },
                                         { "n=2", "portable", "mapped", 3, NULL } } };
    compare_runs(&plan, 1, &plan, 1);
    char *table = written(&scene.comparison, "table");
    const char *const warm = strstr(table, "multiply f32, n = 1\n"), *const cold =
                                                                         strstr(table, "multiply f32, n = 1, cold\n");
    cr_expect(warm && cold && strstr(table, "multiply f32, n = 2\n"), "%s", table);
    free(table);
}

Test(comparison_words, a_program_gets_each_figure_of_its_own_quantity_and_side)
{
    const struct plan old[2] = { { .cell = { one } }, { .cell = { one } } },
                      now = { .baseline_ms = 1.1, .cell = { slow } }, new[3] = { now, now, now };
    compare_runs(old, 2, new, 3);
    char *text = written(&scene.comparison, "json");
    json_t *report = json_loads(text, 0, NULL), *cell = NULL, *each;
    size_t i;
    json_array_foreach (json_object_get(report, "cells"), i, each)
        cell = json_is_true(json_object_get(each, "is_baseline")) ? cell : each;
    static const struct {
        const char *name;
        double old, new;
        bool is_judged;
    } wanted[] = { { "resident_speedup", 0.5, 1.1 / 2.4, true },
                   { "time_s", 2e-3, 2.4e-3, false },
                   { "baseline_time_s", 1e-3, 1.1e-3, false } };
    const struct shift *shifts = found("n=1", NULL)->shift;
    const struct shift *const shift[] = { &shifts[QUANTITY_RESIDENT], &shifts[QUANTITY_TIME],
                                          &shifts[QUANTITY_BASELINE] };
    for (i = 0; i < 3; i++) {
        const json_t *figure = json_object_get(cell, wanted[i].name);
        cr_expect_float_eq(number_at(figure, "old") / wanted[i].old, 1, 1e-3, "%s", wanted[i].name);
        cr_expect_float_eq(number_at(figure, "new") / wanted[i].new, 1, 1e-3, "%s", wanted[i].name);
        cr_expect_float_eq(number_at(figure, "ratio") / (wanted[i].new / wanted[i].old), 1, 1e-3);
        cr_expect_eq(number_at(figure, "old_runs"), 2);
        cr_expect_eq(number_at(figure, "new_runs"), 3);
        cr_expect_float_eq(number_at(figure, "low"), shift[i]->low, 1e-6, "%s", wanted[i].name);
        cr_expect_float_eq(number_at(figure, "high"), shift[i]->high, 1e-6, "%s", wanted[i].name);
        cr_expect_float_eq(number_at(figure, "spread"), shift[i]->spread, 1e-6, "%s", wanted[i].name);
        cr_expect_eq(json_is_string(json_object_get(figure, "verdict")), wanted[i].is_judged, "%s", wanted[i].name);
    }
    json_decref(report);
    free(text);
}

/* What stands in the document of a comparison: in the table of changes, in none, as a warning. */
Test(comparison_words, what_did_not_change_is_folded_and_has_no_sign)
{
    const struct plan run = { .cell = { one } }, runs[5] = { run, run, run, run, run };
    compare_runs(runs, 5, runs, 5);
    char *table = written(&scene.comparison, "table");
    cr_expect_eq(scene.comparison.count[CHANGE_BASELINE], 1);
    cr_expect(!strstr(table, "Changed or uncertain"), "%s", table);
    cr_expect(strstr(table, " 0.0 +-") && !strstr(table, "+0.0 +-") && !strstr(table, "-0.0 +-"), "%s", table);
    cr_expect(strstr(table, "The variation between runs decides"), "%s", table);
    free(table);
}

/* Which of the two sentences there is. */
Test(comparison_words, one_run_on_each_side_has_an_allowance)
{
    const struct plan run = { .cell = { one } }, two[2] = { run, run };
    for (unsigned olds = 1; olds <= 2; olds++)
        for (unsigned news = 1; news <= 2; news++) {
            compare_runs(two, olds, two, news);
            char *table = written(&scene.comparison, "table");
            cr_expect_eq(strstr(table, "a fixed allowance") != NULL, olds == 1 && news == 1, "%u, %u", olds, news);
            free(table);
        }
}

static unsigned times_in(const char *text, const char *words)
{
    unsigned times = 0;
    for (; (text = strstr(text, words)); text++)
        times++;
    return times;
}

Test(comparison_words, memory_is_named_where_it_tells_rows_of_a_problem_apart)
{
    const struct plan plan = { .cell = { { "n=1", "portable", "mapped", 2, NULL },
                                         { "n=1", "portable", "pinned", 3, NULL },
                                         { "n=2", "portable", "mapped", 3, NULL } } };
    compare_runs(&plan, 1, &plan, 1);
    char *table = written(&scene.comparison, "table");
    cr_expect(times_in(table, "portable, mapped") == 1 && times_in(table, "portable, pinned") == 1, "%s", table);
    free(table);
}

Test(comparison_words, where_nothing_is_on_both_sides_nothing_was_compared)
{
    static const char words[] = "no cell but baselines is on both sides";
    const struct plan some = { .cell = { one } }, other = { .cell = { { "n=2", "portable", "mapped", 2, NULL } } },
                      none = { .is_alone = true };
    const struct {
        const struct plan *old, *new;
        bool is_said;
    } cases[] = { { &some, &some, false }, { &some, &other, true }, { &none, &none, false } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        compare_runs(cases[i].old, 1, cases[i].new, 1);
        char *table = written(&scene.comparison, "table");
        cr_expect_eq(strstr(table, words) != NULL, cases[i].is_said, "case %u: %s", i, table);
        free(table);
    }
}

/* Runs that vary by 0.1, 5 and 1 %, in each order: the least and the greatest change that would not be seen. */
Test(comparison_words, changes_that_would_not_be_seen_go_from_the_least_to_the_greatest)
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
