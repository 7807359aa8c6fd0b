/* What decides where runs of a side differ, and what is said of it: on made-up journals. */

#include "tests/support/compared_runs.h"

static const struct made one = { "n=1", "portable", "mapped", 2, NULL },
                         slow = { "n=1", "portable", "mapped", 2.4, NULL };

/* "": the status of a run that ended well. */
static struct plan ended(const char *status)
{
    return (struct plan){ .cell = { { "n=1", "portable", "mapped", 2, *status ? status : NULL } } };
}

Test(comparison_words, a_failure_is_worse_than_a_cell_that_is_not_supported)
{
    struct scene scene;
    const struct plan old[] = { ended(""), ended("") };
    const struct plan new[] = { ended("unsupported"), ended("crashed"), ended("") };
    compare_runs(&scene, old, 2, new, 3);
    expect_change(&scene, "n=1", CHANGE_BROKEN);
    cr_expect(notes(found(&scene, "n=1", NULL), "crashed in 2 of 3 runs: it was so"));
    scene_close(&scene);
}

Test(comparison_words, a_side_is_shown_by_a_run_that_ended_well)
{
    struct scene scene;
    const struct plan old[] = { ended("crashed"), ended("") }, new = ended("");
    compare_runs(&scene, old, 2, &new, 1);
    cr_expect_eq(found(&scene, "n=1", NULL)->cell[OLD]->outcome.status, STATUS_OK);
    scene_close(&scene);
}

Test(comparison_words, slower_in_one_use_is_slower_though_it_is_faster_in_the_other)
{
    struct scene scene;
    const struct plan old = { .copied_ms = { 4 }, .cell = { one } };
    const struct plan new = { .copied_ms = { 8 }, .cell = { { "n=1", "portable", "mapped", 1, NULL } } };
    compare_runs(&scene, &old, 1, &new, 1);
    const struct compared *cell = found(&scene, "n=1", NULL);
    cr_expect_eq(cell->shift[QUANTITY_RESIDENT].change, CHANGE_FASTER);
    cr_expect_eq(cell->shift[QUANTITY_COPIED].change, CHANGE_SLOWER);
    expect_change(&scene, "n=1", CHANGE_SLOWER);
    scene_close(&scene);
}

/* Of all the runs of a machine whose clock was halved. */
Test(comparison_words, a_baseline_that_became_slower_counts_as_slower)
{
    struct scene scene;
    struct plan old[5], new[5];
    for (unsigned i = 0; i < 5; i++) {
        old[i] = (struct plan){ .baseline_ms = 1 + 0.01 * i, .cell = { one } };
        new[i] = (struct plan){ .baseline_ms = 4 + 0.04 * i, .cell = { { "n=1", "portable", "mapped", 8, NULL } } };
    }
    compare_runs(&scene, old, 5, new, 5);
    cr_expect_eq(scene.comparison.count[CHANGE_BASELINE], 0);
    cr_expect_geq(scene.comparison.count[CHANGE_SLOWER], 1);
    scene_close(&scene);
}

Test(comparison_words, the_note_on_a_baseline_has_its_time_first)
{
    struct scene scene;
    const struct plan old = { .cell = { one } }, new = { .baseline_ms = 1.5, .cell = { one } };
    compare_runs(&scene, &old, 1, &new, 1);
    cr_expect(notes(found(&scene, "n=1", NULL), "its time is 1.50 times what it was, that of this 1.00 times"));
    scene_close(&scene);
}

Test(comparison_words, a_method_that_works_in_another_way_is_noted)
{
    struct scene scene;
    const struct plan old = { .detail = "tiles of 16", .cell = { one } },
                      new = { .detail = "tiles of 8", .cell = { one } };
    compare_runs(&scene, &old, 1, &new, 1);
    cr_expect(notes(found(&scene, "n=1", NULL), "the same method in another way: tiles of 16 before, tiles of 8 now"));
    scene_close(&scene);
}

Test(comparison_words, power_libraries_options_and_damage_are_warned_of)
{
    struct scene scene;
    const struct plan old = { .head = "\"libraries\": {\"oneDNN\": \"2.0\"}", .cell = { one } };
    const struct plan new = { .head = "\"options\": {\"budget\": 9}, \"libraries\": {\"oneDNN\": \"3.0\"}",
                              .after = "\"on_battery\": true",
                              .is_damaged = true,
                              .cell = { one } };
    compare_runs(&scene, &old, 1, &new, 1);
    cr_expect(warns(&scene, "power: mains or unknown before, battery now"));
    cr_expect(warns(&scene, "oneDNN: 2.0 before, 3.0 now"));
    cr_expect(warns(&scene, "--budget: 3.0 before, 9 now"));
    cr_expect(warns(&scene, "a.jsonl is damaged"));
    scene_close(&scene);
}

/* On either side, and whichever run of it. */
Test(comparison_words, one_run_that_is_other_is_enough_for_a_warning)
{
    for (unsigned i = 0; i < 4; i++) {
        struct scene scene;
        struct plan runs[4] = { { .cell = { one } }, { .cell = { one } }, { .cell = { one } }, { .cell = { one } } };
        runs[i].machine = "another machine";
        compare_runs(&scene, runs, 2, runs + 2, 2);
        cr_expect(warns(&scene, "machine: "), "%u", i);
        scene_close(&scene);
    }
}

/* Peaks are not compared, and neither is a type with another. */
Test(comparison_words, only_what_answers_the_same_question_is_compared)
{
    struct scene scene;
    struct plan old = { .cell = { one, slow, one } }, new = { .cell = { one, slow, one } };
    old.more[1] = "\"dtype\": \"f64\"";
    new.more[1] = "\"dtype\": \"f64\"";
    old.more[2] = new.more[2] = "\"ceiling\": true";
    compare_runs(&scene, &old, 1, &new, 1);
    cr_assert_eq(scene.comparison.cells, 3, "%u cells", scene.comparison.cells);
    for (unsigned i = 0; i < 3; i++)
        cr_expect_eq(scene.comparison.cell[i].runs[OLD], 1, "%u: %u runs", i, scene.comparison.cell[i].runs[OLD]);
    scene_close(&scene);
}

/* Percent and half the interval, the old value first, and the baseline's own change. */
Test(comparison_words, a_row_has_the_change_of_the_speed_up_and_of_the_baseline)
{
    struct scene scene;
    const struct plan old = { .cell = { one } }, new = { .baseline_ms = 1.1, .cell = { slow } };
    compare_runs(&scene, &old, 1, &new, 1);
    const struct compared *cell = found(&scene, "n=1", NULL);
    const struct shift *shift = &cell->shift[QUANTITY_RESIDENT];
    char *markdown = written(&scene.comparison, "markdown"), change[32];
    cr_expect_float_eq(shift->ratio, 1.1 * 2 / 2.4, 1e-3);
    snprintf(change, sizeof change, "%.1f +-%.1f", 100 * (shift->ratio - 1), 50 * (shift->high - shift->low));
    cr_expect(strstr(markdown, change), "no %s: %s", change, markdown);
    snprintf(change, sizeof change, "+10 +-%.0f | 0.500, 0.458 |",
             50 * (cell->shift[QUANTITY_BASELINE].high - cell->shift[QUANTITY_BASELINE].low));
    cr_expect(strstr(markdown, change), "no %s: %s", change, markdown);
    free(markdown);
    scene_close(&scene);
}
