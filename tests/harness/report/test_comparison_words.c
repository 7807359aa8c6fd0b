/* What the reports of a comparison say: on made-up journals. */

#include "tests/support/compared_runs.h"

TestSuite(comparison_words, .fini = scene_close);

static const struct made one = { "n=1", "portable", "mapped", 2, NULL },
                         slow = { "n=1", "portable", "mapped", 2.4, NULL };

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
    snprintf(change, sizeof change, "+10 +-%.0f |",
             50 * (cell->shift[QUANTITY_BASELINE].high - cell->shift[QUANTITY_BASELINE].low));
    cr_expect(strstr(markdown, change), "no %s: %s", change, markdown);
    free(markdown);
}

static double number_at(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

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

/* Two runs before and three now, in which the baseline took 1 and 1.1 ms and the device 2 and 2.4. */
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
        cr_expect_eq(json_is_string(json_object_get(figure, "verdict")), wanted[i].is_judged, "%s", wanted[i].name);
    }
    json_decref(report);
    free(text);
}

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

Test(comparison_words, a_row_names_method_and_memory)
{
    const struct plan plan = { .cell = { { "n=1", "portable", "mapped", 2, NULL },
                                         { "n=1", "portable", "pinned", 3, NULL } } };
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
        unsigned matched;
        bool is_said;
    } cases[] = { { &some, &some, 1, false }, { &some, &other, 0, true }, { &none, &none, 0, false } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        compare_runs(cases[i].old, 1, cases[i].new, 1);
        char *table = written(&scene.comparison, "table");
        cr_expect_eq(comparison_matched(&scene.comparison), cases[i].matched, "case %u", i);
        cr_expect_eq(strstr(table, words) != NULL, cases[i].is_said, "case %u: %s", i, table);
        free(table);
    }
}

Test(comparison_words, untrusted_texts_are_harmless_in_all_formats)
{
    const char *const evil = "<script>alert(1)</script>|`@all` [x](http://y) \\u202e \\u001b[31m";
    struct plan old = { .machine = evil, .cell = { { "n=1", "<b>|", "mapped", 2, NULL } } };
    struct plan new = { .machine = "m", .cell = { { "n=1", "=cmd|\\u0027/c\\u0027!A1", "mapped", 2, NULL } } };
    compare_runs(&old, 1, &new, 1);
    char *markdown = written(&scene.comparison, "markdown"), *table = written(&scene.comparison, "table");
    char *json = written(&scene.comparison, "json");
    cr_expect(!strstr(markdown, "<script") && !strstr(markdown, "`@all`") && !strstr(markdown, "](http://"));
    cr_expect(!strstr(markdown, "<b>"));
    cr_expect(!strchr(markdown, 0x1b) && !strchr(table, 0x1b) && !strstr(table, "\u202e"));
    json_t *parsed = json_loads(json, 0, NULL);
    cr_expect(parsed && json_array_size(json_object_get(parsed, "cells")) == 2);
    for (char *line = strtok(markdown, "\n"); line; line = strtok(NULL, "\n")) {
        unsigned bars = 0;
        for (const char *at = line; *at; at++)
            bars += *at == '|' && (at == line || at[-1] != '\\');
        cr_expect(bars == 0 || bars == 5 || bars == 8, "%u bars: %s", bars, line);
    }
    json_decref(parsed);
    free(markdown);
    free(table);
    free(json);
}

Test(comparison_words, empty_journals_are_compared)
{
    struct plan plan = { .cell = { { 0 } } };
    compare_runs(&plan, 1, &plan, 1);
    cr_expect_eq(scene.comparison.cells, 0);
    for (unsigned i = 0; reports[i]; i++)
        if (report_compares(reports[i]))
            free(written(&scene.comparison, reports[i]->name));
}
