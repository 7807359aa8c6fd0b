/* How a method is chosen, and a kernel shape: on scripted workers, and by a clock on which each request takes a
 * hundredth of a second. */

#include "bench/schedule/choice.h"
#include "tests/support/scripted_workers.h"

#include <math.h>

TestSuite(choice, .fini = scene_close);

double __wrap_clock_wall(void);

double __wrap_clock_wall(void)
{
    return 0.01 * seen.requests;
}

static const struct {
    const char *what;
    struct script script[METHODS];
    const char *stay, *move; /* ends; NULL: there is no such choice */
    const char *measured[2]; /* for data that stay, and for data that move */
} rows[] = {
    { "the fastest is measured",
      { { "onednn", .run = 0.004 },
        { "onednn-gemm", .run = 0.003 },
        { "openblas", .run = 0.002 },
        { "native", .run = 0.005 } },
      "onednn slower, onednn-gemm slower, openblas measured, native slower",
      NULL,
      { "openblas", "openblas" } },
    { "of a tie the first of the table",
      { { "onednn", .run = 0.0025 },
        { "onednn-gemm", .run = 0.00201 },
        { "openblas", .run = 0.002 },
        { "native", .run = 0.004 } },
      "onednn slower, onednn-gemm measured, openblas tied, native slower",
      NULL,
      { "onednn-gemm", "onednn-gemm" } },
    { "of a tie no one that is over one percent slower",
      { { "onednn", .run = 0.002 * 1.014 },
        { "onednn-gemm", .run = 0.01 },
        { "openblas", .run = 0.002 },
        { "native", .run = 0.01 } },
      "onednn tied, onednn-gemm slower, openblas measured, native slower",
      NULL,
      { "openblas", "openblas" } },
    { "data that stay and data that move have a method each",
      { { "onednn", .run = 0.001, .repack = 0.002 },
        { "onednn-gemm", .run = 0.002 },
        { "openblas", .run = 0.004 },
        { "native", .run = 0.008 } },
      "onednn measured, onednn-gemm slower, openblas slower, native slower",
      "onednn slower, onednn-gemm measured, openblas slower, native slower",
      { "onednn", "onednn-gemm" } },
    { "what ties for data that stay and leads for data that move is measured for both",
      { { "onednn", .run = 0.002, .repack = 0.002 },
        { "onednn-gemm", .run = 0.00201 },
        { "openblas", .run = 0.004 },
        { "native", .run = 0.008 } },
      "onednn tied, onednn-gemm measured, openblas slower, native slower",
      "onednn slower, onednn-gemm measured, openblas slower, native slower",
      { "onednn-gemm", "onednn-gemm" } },
    { "what leads for data that stay and ties for data that move is measured for both",
      { { "onednn", .run = 0.00221 },
        { "onednn-gemm", .run = 0.004 },
        { "openblas", .run = 0.002, .repack = 0.0002 },
        { "native", .run = 0.008 } },
      "onednn slower, onednn-gemm slower, openblas measured, native slower",
      "onednn tied, onednn-gemm slower, openblas measured, native slower",
      { "openblas", "openblas" } },
    { "what is wrong, dies or is refused costs itself",
      { { "onednn", .run = 0.001, .fails_in = "verify", .fails_with = STATUS_WRONG },
        { "onednn-gemm", .run = 0.001, .fails_in = "slice", .fails_with = STATUS_CRASHED, .fails_from = 1 },
        { "openblas", .run = 0.001, .fails_in = "open", .fails_with = STATUS_UNSUPPORTED },
        { "native", .run = 0.004 } },
      "onednn failed, onednn-gemm failed, openblas passed-over, native measured",
      NULL,
      { "native", "native" } },
    { "what hangs, runs out of memory or fails costs itself",
      { { "onednn", .run = 0.001, .fails_in = "verify", .fails_with = STATUS_TIMEOUT },
        { "onednn-gemm", .run = 0.001, .fails_in = "slice", .fails_with = STATUS_FAILED },
        { "openblas", .run = 0.004 },
        { "native", .run = 0.001, .fails_in = "slice", .fails_with = STATUS_NO_MEMORY, .fails_from = 1 } },
      "onednn failed, onednn-gemm failed, openblas measured, native passed-over",
      NULL,
      { "openblas", "openblas" } },
    { "what fails once it is to be measured costs itself, and the next is measured",
      { { "onednn", .run = 0.002, .fails_in = "warmup", .fails_with = STATUS_CRASHED },
        { "onednn-gemm", .run = 0.005 },
        { "openblas", .run = 0.004 },
        { "native", .run = 0.005 } },
      "onednn failed, onednn-gemm slower, openblas measured, native slower",
      NULL,
      { "openblas", "openblas" } },
    { "what takes below a third of the leader's speed may be the best for data that move",
      { { "onednn", .run = 0.1, .repack = 1 },
        { "onednn-gemm", .run = 0.45 },
        { "openblas", .run = 0.6 },
        { "native", .run = 30 } },
      "onednn measured, onednn-gemm slower, openblas slower, native slower",
      "onednn slower, onednn-gemm measured, openblas slower, native slower",
      { "onednn", "onednn-gemm" } },
};

Test(choice, ends_as_the_table_states)
{
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene_run("cpu", rows[i].script, NULL, NULL);
        cr_expect_str_eq(ends(MEASURES_RESIDENT), rows[i].stay, "%s: %s", rows[i].what, ends(MEASURES_RESIDENT));
        cr_expect_str_eq(ends(MEASURES_COPIED), rows[i].move ? rows[i].move : "", "%s: %s", rows[i].what,
                         ends(MEASURES_COPIED));
        cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), rows[i].measured[0], "%s", rows[i].what);
        cr_expect_str_eq(measured(0, MEASURES_COPIED, "cpu"), rows[i].measured[1], "%s", rows[i].what);
        const struct race_record *race = choice_of(0, MEASURES_RESIDENT);
        for (unsigned k = 0; k < race->contenders; k++)
            cr_expect_str_eq(race->contender[k].log, race->contender[k].end == RACE_FAILED ? "printed last" : "",
                             "%s: %s", rows[i].what, race->contender[k].method);
    }
}

/* Planted: the same table with the last method a hundred times as fast. */
Test(choice, the_table_notices_a_wrong_time)
{
    for (unsigned i = 0; i < 5; i++) {
        struct script changed[METHODS];
        memcpy(changed, rows[i].script, sizeof changed);
        changed[3].run /= 100;
        scene_run("cpu", changed, NULL, NULL);
        cr_expect_str_neq(ends(MEASURES_RESIDENT), rows[i].stay, "%s", rows[i].what);
        cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), "native", "%s", rows[i].what);
    }
}

/* --- opened once --- */

Test(choice, the_worker_that_wins_is_the_one_that_is_measured)
{
    static const char *const methods[] = { "onednn", "onednn-gemm", "openblas", "native" };
    scene_run("cpu", rows[0].script, NULL, NULL);
    for (unsigned i = 0; i < 4; i++)
        cr_expect_eq(count_requests(methods[i], "open", NULL), 1, "%s", methods[i]);
    cr_expect_eq(seen.opened, 4);
    cr_expect_eq(seen.most, 4, "they are not open beside each other");
    cr_expect_eq(count_requests(NULL, "verify", "before"), 1, "only what is measured is verified");
    cr_expect_eq(count_requests("openblas", "verify", "before"), 1);
    const unsigned warmup = first_request(NULL, "warmup", NULL);
    cr_assert_lt(warmup, seen.requests);
    cr_expect_str_eq(seen.request[warmup].method, "openblas");
    for (unsigned i = 0; i < seen.requests; i++)
        if (i > warmup)
            cr_expect_str_eq(seen.request[i].method, "openblas", "%s is asked while another is measured",
                             seen.request[i].method);
    cr_expect_eq(seen.request[seen.requests - 1].open, 1, "losers are open while the winner is measured");
}

/* No slice of the choice is a sample. */
Test(choice, slices_of_a_choice_enter_no_figure)
{
    scene_run("cpu", rows[0].script, NULL, NULL);
    const struct cell_record *cell = scene->context.run_log.record->cell[0];
    unsigned measuring = 0;
    for (unsigned i = first_request(NULL, "warmup", NULL); i < seen.requests; i++)
        measuring += strcmp(seen.request[i].what, "slice") == 0 && strcmp(seen.request[i].detail, "resident") == 0;
    cr_expect_geq(count_requests("openblas", "slice", "resident"), measuring + 2 + 4);
    cr_expect_eq(cell->track[SERIES_RESIDENT].slices, measuring);
}

/* --- who leaves --- */

Test(choice, what_is_slower_leaves_and_what_is_hopeless_is_out_after_one_warm_run)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.002 },
                                                   { "onednn-gemm", .run = 0.00201 },
                                                   { "openblas", .run = 0.003 },
                                                   { "native", .run = 0.0063 } };
    scene_run("cpu", script, NULL, NULL);
    cr_expect_eq(count_requests("native", "slice", NULL), 2, "one warms up, one counts");
    cr_expect_eq(contender_named("native", "")->rounds, 0);
    cr_expect_float_eq(contender_named("native", "")->ratio, 0.317, 0.02);
    cr_expect_eq(contender_named("openblas", "")->rounds, RACE_FIRST_LOOK);
    cr_expect_float_eq(contender_named("openblas", "")->ratio, 0.667, 0.02);
    cr_expect_eq(choice_of(0, MEASURES_RESIDENT)->rounds, contender_named("onednn", "")->rounds);
    cr_expect_leq(contender_named("onednn", "")->rounds, RACE_ROUNDS_MAX);
}

/* Both of a tie for data that move are surely slower for data that stay. */
Test(choice, what_is_slower_in_one_line_goes_on_in_the_other)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.001, .repack = 0.004 },
                                                   { "onednn-gemm", .run = 0.002, .noise = 0.1 },
                                                   { "openblas", .run = 0.002, .noise = 0.1 },
                                                   { "native", .run = 0.008 } };
    scene_run("cpu", script, NULL, NULL);
    const struct race_record *stay = choice_of(0, MEASURES_RESIDENT), *move = choice_of(0, MEASURES_COPIED);
    cr_assert_not_null(move);
    for (unsigned i = 1; i < 3; i++) {
        cr_expect_eq(stay->contender[i].end, RACE_SLOWER, "%s", stay->contender[i].method);
        cr_expect_gt(move->contender[i].rounds, RACE_FIRST_LOOK, "%s", move->contender[i].method);
    }
}

/* The first warm run counts neither compilation nor first touch. */
Test(choice, what_compiles_and_warms_up_for_long_is_not_hopeless)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.002 },
                                                   { "onednn-gemm", .run = 0.003 },
                                                   { "openblas", .run = 0.001, .disturbed = 1, .compile = 1 },
                                                   { "native", .run = 0.003 } };
    scene_run("cpu", script, NULL, NULL);
    cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), "openblas");
}

/* The fastest is wrong, and so much faster that the others would be hopeless. */
Test(choice, the_leader_is_verified_before_another_leaves_because_of_it)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.004 },
                                                   { "onednn-gemm", .run = 0.003 },
                                                   { "openblas", .run = 0.0005, .fails_in = "verify",
                                                     .fails_with = STATUS_WRONG },
                                                   { "native", .run = 0.0036 } };
    scene_run("cpu", script, NULL, NULL);
    cr_expect_str_eq(ends(MEASURES_RESIDENT), "onednn slower, onednn-gemm measured, openblas failed, native slower");
    cr_expect_eq(contender_named("openblas", "")->outcome.status, STATUS_WRONG, "it is told");
    cr_expect_gt(contender_named("native", "")->rounds, 0, "it left because of a wrong leader");
    cr_expect_gt(contender_named("onednn", "")->rounds, 0);
    cr_expect_float_eq(contender_named("onednn-gemm", "")->ratio, 1, 1e-9);
    cr_expect_eq(count_requests("openblas", "slice", NULL), 2, "it takes no part in rounds");
    cr_expect_eq(count_requests("openblas", "verify", NULL), 1);
}

/* It is not the leader, so that only the choice itself verifies it. */
Test(choice, the_first_of_a_tie_is_verified_before_it_is_taken)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.004 },
                                                   { "onednn-gemm", .run = 0.00201, .fails_in = "verify",
                                                     .fails_with = STATUS_WRONG },
                                                   { "openblas", .run = 0.002 },
                                                   { "native", .run = 0.005 } };
    scene_run("cpu", script, NULL, NULL);
    cr_expect_str_eq(ends(MEASURES_RESIDENT), "onednn slower, onednn-gemm failed, openblas measured, native slower");
    cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), "openblas");
    cr_expect_eq(scene->context.run_log.record->cells, 1, "the wrong one has a row");
}

/* Slow at first, it leads once rounds have begun, and is wrong. */
Test(choice, a_leader_of_later_rounds_is_verified_too)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.004 },
                                                   { "onednn-gemm", .run = 0.003 },
                                                   { "openblas", .run = 0.0015, .disturbed = 2, .fails_in = "verify",
                                                     .fails_with = STATUS_WRONG },
                                                   { "native", .run = 0.0041 } };
    scene_run("cpu", script, NULL, NULL);
    cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), "onednn-gemm");
    cr_expect_eq(contender_named("openblas", "")->end, RACE_FAILED);
    cr_expect_eq(count_requests("openblas", "slice", NULL), 2 + 4, "%u slices",
                 count_requests("openblas", "slice", NULL));
}

Test(choice, a_row_without_a_method_that_works_is_the_first_failure)
{
    static const struct script script[METHODS] = {
        { "onednn", .run = 1, .fails_in = "open", .fails_with = STATUS_UNSUPPORTED },
        { "onednn-gemm", .run = 1, .fails_in = "verify", .fails_with = STATUS_CRASHED },
        { "openblas", .run = 1, .fails_in = "verify", .fails_with = STATUS_WRONG },
        { "native", .run = 1, .fails_in = "open", .fails_with = STATUS_FAILED }
    };
    scene_run("cpu", script, NULL, NULL);
    cr_expect_str_eq(ends(MEASURES_RESIDENT), "onednn passed-over, onednn-gemm failed, openblas failed, native failed");
    const struct record *record = scene->context.run_log.record;
    cr_assert_eq(record->cells, 1);
    cr_expect_eq(record->cell[0]->outcome.status, STATUS_CRASHED);
    cr_expect_eq(scene->context.losses[0], 1);
}

/* --- how long it goes on --- */

/* Sixteen rounds, or the seconds of two budgets, at most two. */
Test(choice, rounds_end_after_sixteen_or_when_their_time_is_over)
{
    struct script script[METHODS] = { { "onednn", .run = 0.002, .noise = 0.3 },
                                      { "onednn-gemm", .run = 0.002, .noise = 0.3 },
                                      { "openblas", .run = 0.002, .noise = 0.3 },
                                      { "native", .run = 0.002, .noise = 0.3 } };
    scene_run("cpu", script, NULL, NULL);
    cr_expect_eq(choice_of(0, MEASURES_RESIDENT)->rounds, RACE_ROUNDS_MAX);
    cr_expect(journal_says("\"settled\":false"));
    for (unsigned i = 0; i < 4; i++)
        script[i].run = 0.05; /* a round of four slices of two runs takes 0.4 s */
    scene_run("cpu", script, NULL, NULL);
    const unsigned rounds = choice_of(0, MEASURES_RESIDENT)->rounds;
    cr_expect(rounds == 4 || rounds == 5, "%u rounds", rounds);
    scene_open((const char *const[]){ "cpu", NULL }, script, (const char *const[]){ NULL });
    scene->context.rule.budget = 0.25;
    scene_measure();
    cr_expect_eq(choice_of(0, MEASURES_RESIDENT)->rounds, 1, "%u", choice_of(0, MEASURES_RESIDENT)->rounds);
}

Test(choice, what_is_settled_is_told)
{
    scene_run("cpu", rows[0].script, NULL, NULL);
    cr_expect(journal_says("\"settled\":true"));
    cr_expect_not(journal_says("\"settled\":false"));
}

/* Where other programs compute a short run that was six times as long has another chance, in rounds, and what they tell
 * is not settled. One that takes longer than the system stops a thread has none. A fifth of two cores, and a tick of
 * each, are 0.65 of a core over the eight requests before the rounds, and less over the rounds, too. */
Test(choice, what_others_disturbed_is_not_settled)
{
    static const struct {
        double others, run;
        unsigned rounds;
        const char *settled;
    } loads[] = { { 0, 0.0012, 0, "\"settled\":true" },    { 0.6, 0.0012, 0, "\"settled\":true" },
                  { 0.7, 0.0012, 4, "\"settled\":false" }, { 0.7, 0.12, 0, "\"settled\":false" },
                  { 0.4, 0.0004, 4, "\"settled\":true" },  { 0.6, 0.0004, 4, "\"settled\":false" } };
    for (unsigned i = 0; i < sizeof loads / sizeof *loads; i++) {
        const struct script script[METHODS] = { { "onednn", .run = 0.0002 },
                                                { "onednn-gemm", .run = loads[i].run },
                                                { "openblas", .run = loads[i].run },
                                                { "native", .run = loads[i].run } };
        others_use = loads[i].others;
        scene_run("cpu", script, NULL, NULL);
        cr_expect_eq(contender_named("openblas", "")->rounds, loads[i].rounds, "%u: %u rounds", i,
                     contender_named("openblas", "")->rounds);
        cr_expect(journal_says(loads[i].settled), "%u", i);
    }
}

/* The threads of a GPU do not wait for a core. */
Test(choice, what_others_compute_does_not_disturb_a_gpu)
{
    static const struct script script[] = { { "portable", .run = 0.0002 },
                                            { "clblast", .run = 0.0012 },
                                            { .method = NULL } };
    others_use = 2;
    scene_run("opencl:0", script, NULL, NULL);
    others_use = 0;
    cr_expect_eq(contender_named("clblast", "")->rounds, 0);
    cr_expect(journal_says("\"settled\":true"));
}

/* Nothing but the rule says so: its speed is within five percent. */
Test(choice, what_is_surely_slower_does_not_tie)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.002 },
                                                   { "onednn-gemm", .run = 0.00208 },
                                                   { "openblas", .run = 0.004 },
                                                   { "native", .run = 0.005 } };
    scene_run("cpu", script, NULL, NULL);
    cr_expect_eq(contender_named("onednn-gemm", "")->end, RACE_SLOWER, "%s", ends(MEASURES_RESIDENT));
    cr_expect_gt(contender_named("onednn-gemm", "")->ratio, 0.95);
}

/* With 30 % of noise nobody leaves, or almost nobody. The one at 0.9 is told as slower whatever the rounds. */
Test(choice, ties_are_named_by_one_rule_whatever_the_number_of_rounds)
{
    static const double runs[] = { 0.002, 0.04, 0.1 };
    unsigned counts = 0;
    for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
        const struct script script[METHODS] = { { "onednn", .run = runs[i] },
                                                { "onednn-gemm", .run = runs[i] * 1.015 },
                                                { "openblas", .run = runs[i] / 0.9, .noise = 0.05 },
                                                { "native", .run = runs[i] * 4 } };
        scene_run("cpu", script, NULL, NULL);
        cr_expect_str_eq(ends(MEASURES_RESIDENT), "onednn measured, onednn-gemm tied, openblas slower, native slower",
                         "%u rounds: %s", choice_of(0, MEASURES_RESIDENT)->rounds, ends(MEASURES_RESIDENT));
        counts |= 1u << choice_of(0, MEASURES_RESIDENT)->rounds;
    }
    cr_expect_neq(counts & (counts - 1), 0, "all had the same number of rounds");
}

Test(choice, an_interrupt_ends_it_and_blames_nobody)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.003 },
                                                   { "onednn-gemm", .run = 0.003, .fails_in = "slice",
                                                     .fails_with = STATUS_ABANDONED, .fails_from = 1 },
                                                   { "openblas", .run = 0.002 },
                                                   { "native", .run = 0.01 } };
    scene_run("cpu", script, NULL, NULL);
    cr_expect(scene->context.interrupted);
    cr_expect_leq(count_requests(NULL, "slice", NULL), 5);
    cr_expect_eq(contender_named("onednn-gemm", "")->end, RACE_PASSED_OVER);
    const struct record *record = scene->context.run_log.record;
    for (unsigned i = 0; i < record->cells; i++)
        cr_expect_eq(record->cell[i]->outcome.status, STATUS_ABANDONED, "%s", record->cell[i]->outcome.message);
    cr_expect_eq(scene->context.losses[0], 0);
}

/* --- remembered methods --- */

/* openblas is the fastest in a first run, by far. */
static void remember_openblas(struct tuning_cache *own)
{
    cache_begin(own);
    scene_run("cpu", rows[0].script, NULL, NULL);
    cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), "openblas");
    cr_expect(journal_says("\"origin\":\"tuned\""));
}

Test(choice, a_remembered_method_stays_unless_another_is_one_percent_faster)
{
    static const struct {
        double onednn;
        const char *measured;
    } cases[] = { { 0.00199, "openblas" }, { 0.00197, "onednn" }, { 0.0018, "onednn" }, { 0.0004, "onednn" } };
    struct tuning_cache own;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct script script[METHODS];
        memcpy(script, rows[0].script, sizeof script);
        script[0].run = cases[i].onednn;
        remember_openblas(&own);
        scene_run("cpu", script, NULL, NULL);
        cr_expect(journal_says("\"origin\":\"remembered\""));
        cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), cases[i].measured, "%g s", cases[i].onednn);
        const struct record *record = scene->context.run_log.record;
        unsigned notes = 0;
        for (unsigned k = 0; k < record->cell[0]->notes; k++)
            notes += strstr(record->cell[0]->note[k], "measured with onednn; earlier runs chose openblas") != NULL;
        cr_expect_eq(notes, strcmp(cases[i].measured, "onednn") == 0, "%g s: %u", cases[i].onednn, notes);
        scene_run("cpu", script, NULL, NULL);
        cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), cases[i].measured, "%g s", cases[i].onednn);
        cr_expect_not(journal_says("earlier runs chose"), "a change is told once");
        cache_end();
    }
}

Test(choice, a_remembered_method_that_fails_is_replaced)
{
    struct script script[METHODS];
    struct tuning_cache own;
    memcpy(script, rows[0].script, sizeof script);
    script[2].fails_in = "verify";
    script[2].fails_with = STATUS_WRONG;
    remember_openblas(&own);
    scene_run("cpu", script, NULL, NULL);
    cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), "onednn-gemm");
    cr_expect_eq(contender_named("openblas", "")->outcome.status, STATUS_WRONG);
    cr_expect(journal_says("measured with onednn-gemm; earlier runs chose openblas"));
    cache_end();
}

Test(choice, what_was_not_settled_is_not_remembered)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.002, .noise = 0.3 },
                                                   { "onednn-gemm", .run = 0.002, .noise = 0.3 },
                                                   { "openblas", .run = 0.002, .noise = 0.3 },
                                                   { "native", .run = 0.002, .noise = 0.3 } };
    struct tuning_cache own;
    cache_begin(&own);
    for (unsigned run = 0; run < 2; run++) {
        scene_run("cpu", script, NULL, NULL);
        cr_expect(journal_says("\"origin\":\"tuned\""), "run %u", run);
    }
    cache_end();
}

Test(choice, what_was_chosen_under_other_terms_is_not_remembered)
{
    static const char *const options[][2] = {
        { "--dtype", "f64" }, { "--cold", NULL }, { "--threads", "7" }, { "--size", "500" }
    };
    struct tuning_cache own;
    remember_openblas(&own);
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
        scene_run("cpu", rows[0].script, options[i][0], options[i][1]);
        cr_expect(journal_says("\"origin\":\"tuned\""), "%s", options[i][0]);
    }
    cache_end();
}

/* --- long runs --- */

/* Of the first size the fastest is chosen; at the second a run is predicted to take 0.6 s. */
Test(choice, where_runs_are_long_the_method_of_the_next_smaller_size_is_taken)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.01 },
                                                   { "onednn-gemm", .run = 0.011 },
                                                   { "openblas", .run = 0.0094 },
                                                   { "native", .run = 0.012 } };
    scene_open((const char *const[]){ "cpu", NULL }, script,
               (const char *const[]){ "--size", "512", "--size", "2048", NULL });
    scene_measure();
    cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), "openblas");
    cr_expect_str_eq(measured(1, MEASURES_RESIDENT, "cpu"), "openblas");
    cr_expect_eq(count_requests(NULL, "open", NULL), 4 + 1, "%u", count_requests(NULL, "open", NULL));
    const struct race_record *choice = choice_of(1, MEASURES_RESIDENT);
    cr_assert_not_null(choice, "what was not tried is not told");
    cr_expect_eq(choice->contenders, 4);
    cr_expect_eq(choice->rounds, 0);
    for (unsigned i = 0; i < choice->contenders; i++)
        if (strcmp(choice->contender[i].method, "openblas") != 0)
            cr_expect_eq(choice->contender[i].end, RACE_PASSED_OVER, "%s", choice->contender[i].method);
}

/* A larger one is no reason to leave out a method. */
Test(choice, where_runs_are_long_a_larger_size_says_nothing)
{
    static const struct script script[METHODS] = {
        { "onednn", .run = 2 }, { "onednn-gemm", .run = 2.1 }, { "openblas", .run = 1.9 }, { "native", .run = 2.2 }
    };
    scene_open((const char *const[]){ "cpu", NULL }, script,
               (const char *const[]){ "--size", "1024", "--size", "512", NULL });
    scene_measure();
    cr_expect_eq(seen.opened, 4 + 4, "%u", seen.opened);
}

/* Data that stay and data that move had different methods: both are tried. */
Test(choice, where_runs_are_long_each_line_has_the_method_of_its_own)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.01, .repack = 0.02 },
                                                   { "onednn-gemm", .run = 0.015 },
                                                   { "openblas", .run = 0.02 },
                                                   { "native", .run = 0.02 } };
    scene_open((const char *const[]){ "cpu", NULL }, script,
               (const char *const[]){ "--size", "512", "--size", "2048", NULL });
    scene_measure();
    for (unsigned block = 0; block < 2; block++) {
        cr_expect_str_eq(measured(block, MEASURES_RESIDENT, "cpu"), "onednn", "%u", block);
        cr_expect_str_eq(measured(block, MEASURES_COPIED, "cpu"), "onednn-gemm", "%u", block);
    }
    cr_expect_eq(seen.opened, 4 + 2);
}

/* Without a smaller size all are tried once: a first slice of one run each. */
Test(choice, where_runs_are_long_and_nothing_is_known_each_method_runs_once)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.7, .repack = 0.2 },
                                                   { "onednn-gemm", .run = 0.9 },
                                                   { "openblas", .run = 0.6 },
                                                   { "native", .run = 0.8 } };
    scene_run("cpu", script, NULL, NULL);
    cr_expect_str_eq(ends(MEASURES_RESIDENT), "onednn slower, onednn-gemm slower, openblas measured, native slower");
    cr_expect_eq(count_requests("onednn", "slice", NULL), 1);
    cr_expect_eq(choice_of(0, MEASURES_RESIDENT)->rounds, 0);
}

/* The deadline of a run is 30 s, and at 2048 it takes 64 times as long as at 512. */
Test(choice, a_run_that_is_predicted_to_be_too_long_is_not_tried)
{
    static const struct {
        const char *first, *second;
        double run; /* at 512 */
        bool is_tried;
    } cases[] = {
        { "512", "2048", 0.46, true },     { "512", "2048", 0.48, false },
        { "2048", "512", 0.46, true },    /* a larger problem predicts no smaller one */
        { "512", "16384", 0.0046, true }, /* a short run may be mostly launch overhead */
        { "512", "16384", 0.0054, false },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct script script[METHODS] = { { "onednn", .run = cases[i].run },
                                                { "onednn-gemm", .run = 2 * cases[i].run },
                                                { "openblas", .run = 2 * cases[i].run },
                                                { "native", .run = 2 * cases[i].run } };
        scene_open((const char *const[]){ "cpu", NULL }, script,
                   (const char *const[]){ "--size", cases[i].first, "--size", cases[i].second, NULL });
        scene_measure();
        const struct record *record = scene->context.run_log.record;
        cr_assert_eq(record->cells, 2);
        cr_expect_eq(record->cell[0]->outcome.status, STATUS_OK, "case %u", i);
        const struct error *second = &record->cell[1]->outcome;
        cr_expect_eq(strncmp(second->message, "predicted", 9) != 0, cases[i].is_tried, "case %u: %s", i,
                     second->message);
        if (!cases[i].is_tried)
            cr_expect_eq(second->status, STATUS_TOO_SLOW, "case %u", i);
    }
}

/* What takes 0.48 s at 512 is predicted to take too long at 2048, whatever another type, memory or device takes. */
Test(choice, a_run_is_predicted_by_its_own_type_memory_and_device)
{
    static const struct {
        struct script fast, slow;
        const char *words[3], *second;
    } cases[] = {
        { { .dtype = "f32" }, { .dtype = "f64" }, { "--dtype", "f32,f64", NULL }, NULL },
        { { .memory = "pageable" }, { .memory = "pinned" }, { "--memory", "pageable,pinned", NULL }, NULL },
        { { .device = "opencl:0" }, { .device = "opencl:1" }, { NULL }, "opencl:1" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct script script[] = { cases[i].fast, cases[i].slow, { .method = NULL } };
        unsigned too_slow = 0;
        for (unsigned k = 0; k < 2; k++) {
            script[k].method = "portable";
            script[k].run = k ? 0.48 : 0.1;
        }
        scene_open((const char *const[]){ "opencl:0", cases[i].second, NULL }, script,
                   (const char *const[]){ "--method", "portable", "--size", "512", "--size", "2048", cases[i].words[0],
                                          cases[i].words[1], NULL });
        scene_measure();
        const struct record *record = scene->context.run_log.record;
        cr_assert_eq(record->cells, 4);
        for (unsigned k = 0; k < record->cells; k++)
            too_slow += strncmp(record->cell[k]->outcome.message, "predicted", 9) == 0;
        cr_expect_eq(too_slow, 1, "case %u: %u", i, too_slow);
    }
}

/* Planted: of rows that are one method each, the slow one alone is refused. */
Test(choice, a_row_of_one_method_is_predicted_by_that_method_alone)
{
    static const struct script script[METHODS] = {
        { "onednn", .run = 0.3 }, { "onednn-gemm", .run = 0.1 }, { "openblas", .run = 0.2 }, { "native", .run = 0.48 }
    };
    scene_open((const char *const[]){ "cpu", NULL }, script,
               (const char *const[]){ "--method", "all", "--size", "512", "--size", "2048", NULL });
    scene_measure();
    const struct record *record = scene->context.run_log.record;
    cr_assert_eq(record->cells, 8);
    for (unsigned i = 0; i < record->cells; i++) {
        const bool is_too_slow = i >= 4 && strcmp(record->cell[i]->method, "native") == 0;
        cr_expect_eq(record->cell[i]->outcome.status, is_too_slow ? STATUS_TOO_SLOW : STATUS_OK, "%u: %s", i,
                     record->cell[i]->outcome.message);
        cr_expect_eq(strncmp(record->cell[i]->outcome.message, "predicted", 9) == 0, is_too_slow);
    }
}

/* --- what compiles for long --- */

static const struct script slow_to_compile[METHODS] = { { "onednn", .run = 0.003 },
                                                        { "onednn-gemm", .run = 0.001, .compile = 7 },
                                                        { "openblas", .run = 0.002 },
                                                        { "native", .run = 0.005 } };

/* One run may have been hampered: the second tries again. Where the driver's cache has the kernels by then it takes
 * part.
 */
Test(choice, what_compiles_for_too_long_in_two_runs_is_left_out_by_name)
{
    static const struct {
        const char *suite;
        double compile[4]; /* seconds, in each run */
        const char *says[4];
        bool retunes; /* the third run */
    } cases[] = {
        { "quick",
          { 7, 7, 0, 0 },
          { "not compiled within 2 s", "not compiled within 2 s", "in two earlier runs", "in two earlier runs" },
          false },
        { "standard",
          { 7, 7, 0, 0 },
          { "not compiled within 2 s", "not compiled within 2 s", "in two earlier", "in two earlier" },
          false },
        { "quick", { 7, 0, 7, 0 }, { "not compiled within 2 s", "", "its kernels were not compiled", "" }, false },
        { "quick", { 7, 0, 0, 7 }, { "not compiled within 2 s", "", "", "its kernels were not compiled" }, false },
        { "quick", { 7, 7, 0, 0 }, { "not compiled within 2 s", "not compiled within 2 s", "", "" }, true },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tuning_cache own;
        struct script script[METHODS];
        memcpy(script, slow_to_compile, sizeof script);
        cache_begin(&own);
        for (unsigned run = 0; run < 4; run++) {
            script[1].compile = cases[i].compile[run];
            scene_open((const char *const[]){ "cpu", NULL }, script,
                       (const char *const[]){ "--suite", cases[i].suite,
                                              cases[i].retunes && run == 2 ? "--retune" : NULL, NULL });
            scene_measure();
            const char *message = contender_named("onednn-gemm", "")->outcome.message;
            cr_expect(*cases[i].says[run] ? strstr(message, cases[i].says[run]) != NULL : !*message, "%u, run %u: %s",
                      i, run, message);
            cr_expect_eq(count_requests("onednn-gemm", "slice", NULL) > 0, !*cases[i].says[run], "%u, run %u", i, run);
        }
        cache_end();
    }
}

/* Planted: nothing is left out that is named, that is the first, or that a long suite waits for. */
Test(choice, what_compiles_for_long_is_waited_for_where_it_is_needed)
{
    struct script script[METHODS];
    memcpy(script, slow_to_compile, sizeof script);
    for (const char *const *named = (const char *const[]){ "onednn-gemm", "all", NULL }; *named; named++) {
        scene_run("cpu", script, "--method", *named);
        cr_expect_gt(count_requests("onednn-gemm", "warmup", NULL), 0, "%s", *named);
    }
    scene_open((const char *const[]){ "cpu", NULL }, script,
               (const char *const[]){ "--suite", "full", "--dtype", "f32", NULL });
    scene_measure();
    cr_expect_gt(count_requests("onednn-gemm", "warmup", NULL), 0);
    script[0].compile = 7;
    script[0].run = 0.0005;
    scene_run("cpu", script, NULL, NULL);
    cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), "onednn", "nothing else was ready");
}

/* A large library that loads slowly is waited for; kernels are, on a GPU, for ten seconds. */
Test(choice, on_a_gpu_libraries_are_waited_for_and_kernels_for_longer)
{
    static const struct script script[] = { { "portable", .run = 0.002 },
                                            { "cublas", .run = 0.001, .compile = 27 },
                                            { "cublaslt", .run = 0.003 },
                                            { .method = NULL } };
    scene_run("cuda:0", script, "--suite", "quick");
    cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cuda:0"), "cublas");
    for (unsigned i = 0; i < 2; i++) {
        const struct script kernels[] = { { "portable", .run = 0.002 },
                                          { "clblast", .run = 0.001, .compile = i == 0 ? 8 : 12 },
                                          { .method = NULL } };
        scene_run("opencl:0", kernels, NULL, NULL);
        cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "opencl:0"), i == 0 ? "clblast" : "portable");
    }
}

/* --- clocks that stumble --- */

Test(choice, a_method_that_takes_no_time_is_impossible)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct script script[METHODS] = { { "onednn", .run = i == 0 ? 0 : 1e-12 },
                                                { "onednn-gemm", .run = 0.004 },
                                                { "openblas", .run = 0.003 },
                                                { "native", .run = 0.005 } };
        scene_run("cpu", script, NULL, NULL);
        cr_expect_eq(contender_named("onednn", "")->outcome.status, STATUS_IMPOSSIBLE);
        cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), "openblas");
    }
}
