/* How a method is chosen, and a kernel shape: on scripted workers, and by a clock on which each request takes a
 * hundredth of a second. */

#include "bench/schedule/choice.h"
#include "harness/base/text.h"
#include "tests/support/scripted_workers.h"

#include <math.h>

TestSuite(choice, .fini = scene_close);

double __wrap_clock_wall(void);

double __wrap_clock_wall(void)
{
    return 0.01 * seen.requests;
}

static const char usual[] = "onednn 0.004, onednn-gemm 0.003, openblas 0.002, native 0.005",
                  /* with 30 % of noise, in which nobody is told from another */
    alike[] = "onednn 0.002 noise=0.3, onednn-gemm 0.002 noise=0.3, openblas 0.002 noise=0.3, native 0.002 noise=0.3";

static void expect_ends(const char *what, const char *stay)
{
    cr_expect_str_eq(ends(MEASURES_RESIDENT), stay, "%s: %s", what, ends(MEASURES_RESIDENT));
}

/* What is measured in a block, for data that stay and for data that move. */
static void expect_measured(const char *what, unsigned block, const char *stay, const char *move)
{
    const char *stays = measured(block, MEASURES_RESIDENT, "cpu"), *moves = measured(block, MEASURES_COPIED, "cpu");
    cr_expect(strcmp(stays, stay) == 0 && strcmp(moves, move) == 0, "%s, block %u: %s and %s, should be %s and %s",
              what, block, stays, moves, stay, move);
}

static const struct {
    const char *what, *script;
    const char *stay, *move;   /* ends; "": there is no such choice */
    const char *stays, *moves; /* what is measured for data that stay, and for data that move */
} rows[] = {
    { "the fastest is measured", usual, "onednn slower, onednn-gemm slower, openblas measured, native slower", "",
      "openblas", "openblas" },
    { "of a tie the first of the table", "onednn 0.0025, onednn-gemm 0.00201, openblas 0.002, native 0.004",
      "onednn slower, onednn-gemm measured, openblas tied, native slower", "", "onednn-gemm", "onednn-gemm" },
    { "of a tie no one that is over one percent slower",
      "onednn 0.002028, onednn-gemm 0.01, openblas 0.002, native 0.01",
      "onednn tied, onednn-gemm slower, openblas measured, native slower", "", "openblas", "openblas" },
    { "data that stay and data that move have a method each",
      "onednn 0.001 repack=0.002, onednn-gemm 0.002, openblas 0.004, native 0.008",
      "onednn measured, onednn-gemm slower, openblas slower, native slower",
      "onednn slower, onednn-gemm measured, openblas slower, native slower", "onednn", "onednn-gemm" },
    { "what ties for data that stay and leads for data that move is measured for both",
      "onednn 0.002 repack=0.002, onednn-gemm 0.00201, openblas 0.004, native 0.008",
      "onednn tied, onednn-gemm measured, openblas slower, native slower",
      "onednn slower, onednn-gemm measured, openblas slower, native slower", "onednn-gemm", "onednn-gemm" },
    { "what leads for data that stay and ties for data that move is measured for both",
      "onednn 0.00221, onednn-gemm 0.004, openblas 0.002 repack=0.0002, native 0.008",
      "onednn slower, onednn-gemm slower, openblas measured, native slower",
      "onednn tied, onednn-gemm slower, openblas measured, native slower", "openblas", "openblas" },
    { "what is wrong, dies or is refused costs itself",
      "onednn 0.001 fails=verify with=wrong, onednn-gemm 0.001 fails=slice with=crashed from=1, "
      "openblas 0.001 fails=open with=unsupported, native 0.004",
      "onednn failed, onednn-gemm failed, openblas passed-over, native measured", "", "native", "native" },
    { "what hangs, runs out of memory or fails costs itself",
      "onednn 0.001 fails=verify with=timeout, onednn-gemm 0.001 fails=slice with=failed, openblas 0.004, "
      "native 0.001 fails=slice with=no-memory from=1",
      "onednn failed, onednn-gemm failed, openblas measured, native passed-over", "", "openblas", "openblas" },
    { "what fails once it is to be measured costs itself, and the next is measured",
      "onednn 0.002 fails=warmup with=crashed, onednn-gemm 0.005, openblas 0.004, native 0.005",
      "onednn failed, onednn-gemm slower, openblas measured, native slower", "", "openblas", "openblas" },
    { "what takes below a third of the leader's speed may be the best for data that move",
      "onednn 0.1 repack=1, onednn-gemm 0.45, openblas 0.6, native 30",
      "onednn measured, onednn-gemm slower, openblas slower, native slower",
      "onednn slower, onednn-gemm measured, openblas slower, native slower", "onednn", "onednn-gemm" },
    /* the first of a tie is not the leader, so that only the choice itself verifies it */
    { "the first of a tie is verified before it is taken",
      "onednn 0.004, onednn-gemm 0.00201 fails=verify with=wrong, openblas 0.002, native 0.005",
      "onednn slower, onednn-gemm failed, openblas measured, native slower", "", "openblas", "openblas" },
    { "the first warm run counts neither compilation nor first touch",
      "onednn 0.002, onednn-gemm 0.003, openblas 0.001 disturbed=1 compile=1, native 0.003",
      "onednn slower, onednn-gemm slower, openblas measured, native slower", "", "openblas", "openblas" },
};

Test(choice, ends_as_the_table_states)
{
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene_run("cpu", rows[i].script, "");
        expect_ends(rows[i].what, rows[i].stay);
        cr_expect_str_eq(ends(MEASURES_COPIED), rows[i].move, "%s: %s", rows[i].what, ends(MEASURES_COPIED));
        expect_measured(rows[i].what, 0, rows[i].stays, rows[i].moves);
        const struct race_record *race = choice_of(0, MEASURES_RESIDENT);
        for (unsigned k = 0; k < race->contenders; k++)
            cr_expect_str_eq(race->contender[k].log, race->contender[k].end == RACE_FAILED ? "printed last" : "",
                             "%s: %s", rows[i].what, race->contender[k].method);
        const struct record *record = scene->context.run_log.record;
        for (unsigned k = 0; k < record->cells; k++)
            cr_expect(record->cell[k]->outcome.status == STATUS_OK || strstr(rows[i].what, "once it is to be"),
                      "%s: what was not chosen has a row", rows[i].what);
    }
}

/* --- opened once --- */

Test(choice, the_worker_that_wins_is_the_one_that_is_measured)
{
    scene_run("cpu", usual, "");
    cr_expect_eq(seen.opened, 4);
    cr_expect_eq(seen.most, 4, "they are not open beside each other");
    cr_expect_eq(count_requests(NULL, "verify", "before"), 1, "only what is measured is verified");
    cr_expect_eq(count_requests("openblas", "verify", "before"), 1);
    const unsigned warmup = first_request(NULL, "warmup", NULL);
    cr_assert_lt(warmup, seen.requests);
    for (unsigned i = warmup; i < seen.requests; i++)
        cr_expect_str_eq(seen.request[i].method, "openblas", "%s is asked while another is measured",
                         seen.request[i].method);
    cr_expect_eq(seen.request[seen.requests - 1].open, 1, "losers are open while the winner is measured");
}

/* No slice of the choice is a sample. */
Test(choice, slices_of_a_choice_enter_no_figure)
{
    const struct record *record = scene_run("cpu", usual, "");
    unsigned measuring = 0;
    for (unsigned i = first_request(NULL, "warmup", NULL); i < seen.requests; i++)
        measuring += strcmp(seen.request[i].what, "slice") == 0 && strcmp(seen.request[i].detail, "resident") == 0;
    cr_expect_geq(count_requests("openblas", "slice", "resident"), measuring + 2 + 4);
    cr_expect_eq(record->cell[0]->track[SERIES_RESIDENT].slices, measuring);
}

/* --- who leaves --- */

Test(choice, what_is_slower_leaves_and_what_is_hopeless_is_out_after_one_warm_run)
{
    scene_run("cpu", "onednn 0.002, onednn-gemm 0.00201, openblas 0.003, native 0.0063", "");
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
    scene_run("cpu", "onednn 0.001 repack=0.004, onednn-gemm 0.002 noise=0.1, openblas 0.002 noise=0.1, native 0.008",
              "");
    const struct race_record *stay = choice_of(0, MEASURES_RESIDENT), *move = choice_of(0, MEASURES_COPIED);
    cr_assert_not_null(move);
    for (unsigned i = 1; i < 3; i++) {
        cr_expect_eq(stay->contender[i].end, RACE_SLOWER, "%s", stay->contender[i].method);
        cr_expect_gt(move->contender[i].rounds, RACE_FIRST_LOOK, "%s", move->contender[i].method);
    }
}

/* The fastest is wrong, and so much faster that the others would be hopeless. */
Test(choice, the_leader_is_verified_before_another_leaves_because_of_it)
{
    scene_run("cpu", "onednn 0.004, onednn-gemm 0.003, openblas 0.0005 fails=verify with=wrong, native 0.0036", "");
    expect_ends("a wrong leader", "onednn slower, onednn-gemm measured, openblas failed, native slower");
    cr_expect_eq(contender_named("openblas", "")->outcome.status, STATUS_WRONG, "it is told");
    cr_expect_gt(contender_named("native", "")->rounds, 0, "it left because of a wrong leader");
    cr_expect_gt(contender_named("onednn", "")->rounds, 0);
    cr_expect_float_eq(contender_named("onednn-gemm", "")->ratio, 1, 1e-9);
    cr_expect_eq(count_requests("openblas", "slice", NULL), 2, "it takes no part in rounds");
    cr_expect_eq(count_requests("openblas", "verify", NULL), 1);
}

/* Slow at first, it leads once rounds have begun, and is wrong. */
Test(choice, a_leader_of_later_rounds_is_verified_too)
{
    scene_run("cpu",
              "onednn 0.004, onednn-gemm 0.003, openblas 0.0015 disturbed=2 fails=verify with=wrong, native 0.0041",
              "");
    expect_ends("a late leader", "onednn slower, onednn-gemm measured, openblas failed, native slower");
    cr_expect_eq(count_requests("openblas", "slice", NULL), 2 + 4, "%u slices",
                 count_requests("openblas", "slice", NULL));
}

Test(choice, a_row_without_a_method_that_works_is_the_first_failure)
{
    const struct record *record =
        scene_run("cpu",
                  "onednn fails=open with=unsupported, onednn-gemm 1 fails=verify with=crashed, "
                  "openblas 1 fails=verify with=wrong, native fails=open with=failed",
                  "");
    expect_ends("nothing works", "onednn passed-over, onednn-gemm failed, openblas failed, native failed");
    cr_assert_eq(record->cells, 1);
    cr_expect_eq(record->cell[0]->outcome.status, STATUS_CRASHED);
    cr_expect_eq(scene->context.losses[0], 1);
}

/* --- how long it goes on --- */

/* Sixteen rounds, or the seconds of two budgets, at most two. A round of four slices of two runs of 0.05 s takes 0.4 s.
 */
Test(choice, rounds_end_after_sixteen_or_when_their_time_is_over)
{
    static const struct {
        double run, budget;
        unsigned least, most;
    } cases[] = { { 0.002, 1, RACE_ROUNDS_MAX, RACE_ROUNDS_MAX }, { 0.05, 1, 4, 5 }, { 0.05, 0.25, 1, 1 } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_open("cpu", alike, "");
        for (const char *const *method = (const char *const[]){ "onednn", "onednn-gemm", "openblas", "native", NULL };
             *method; method++)
            script_of(*method)->run = cases[i].run;
        scene->context.rule.budget = cases[i].budget;
        scene_measure();
        const unsigned rounds = choice_of(0, MEASURES_RESIDENT)->rounds;
        cr_expect(rounds >= cases[i].least && rounds <= cases[i].most, "case %u: %u rounds", i, rounds);
        cr_expect(journal_says("\"settled\":false"), "case %u", i);
    }
}

/* Where other programs compute a short run that was six times as long has another chance, in rounds, and what they tell
 * is not settled. One that takes longer than the system stops a thread has none. A fifth of two cores, and a tick of
 * each, are 0.65 of a core over the eight requests before the rounds, and less over the rounds, too. The threads of a
 * GPU do not wait for a core. */
Test(choice, what_others_disturbed_is_not_settled)
{
    static const struct {
        const char *device;
        double others, run;
        unsigned rounds;
        bool is_settled;
    } loads[] = { { "cpu", 0, 0.0012, 0, true },     { "cpu", 0.6, 0.0012, 0, true }, { "cpu", 0.7, 0.0012, 4, false },
                  { "cpu", 0.7, 0.12, 0, false },    { "cpu", 0.4, 0.0004, 4, true }, { "cpu", 0.6, 0.0004, 4, false },
                  { "opencl:0", 2, 0.0012, 0, true } };
    for (unsigned i = 0; i < sizeof loads / sizeof *loads; i++) {
        const bool is_cpu = strcmp(loads[i].device, "cpu") == 0;
        others_use = loads[i].others;
        scene_run(loads[i].device, text_print("onednn 0.0002, portable 0.0002, * %g", loads[i].run).text, "");
        const struct contender_record *other = contender_named(is_cpu ? "openblas" : "clblast", "");
        cr_expect_eq(other->rounds, loads[i].rounds, "load %u: %u rounds", i, other->rounds);
        cr_expect_eq(journal_says("\"settled\":false"), !loads[i].is_settled, "load %u", i);
    }
    others_use = 0;
}

/* Nothing but the rule says so: its speed is within five percent. */
Test(choice, what_is_surely_slower_does_not_tie)
{
    scene_run("cpu", "onednn 0.002, onednn-gemm 0.00208, openblas 0.004, native 0.005", "");
    cr_expect_eq(contender_named("onednn-gemm", "")->end, RACE_SLOWER, "%s", ends(MEASURES_RESIDENT));
    cr_expect_gt(contender_named("onednn-gemm", "")->ratio, 0.95);
}

/* The one at 0.9 is told as slower whatever the rounds. */
Test(choice, ties_are_named_by_one_rule_whatever_the_number_of_rounds)
{
    static const double runs[] = { 0.002, 0.04, 0.1 };
    unsigned counts = 0;
    for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
        scene_run("cpu",
                  text_print("onednn %g, onednn-gemm %g, openblas %g noise=0.05, native %g", runs[i], runs[i] * 1.015,
                             runs[i] / 0.9, runs[i] * 4)
                      .text,
                  "");
        expect_ends(text_print("%g s", runs[i]).text,
                    "onednn measured, onednn-gemm tied, openblas slower, native slower");
        counts |= 1u << choice_of(0, MEASURES_RESIDENT)->rounds;
    }
    cr_expect_neq(counts & (counts - 1), 0, "all had the same number of rounds");
}

Test(choice, an_interrupt_ends_it_and_blames_nobody)
{
    const struct record *record = scene_run(
        "cpu", "onednn 0.003, onednn-gemm 0.003 fails=slice with=abandoned from=1, openblas 0.002, native 0.01", "");
    cr_expect(scene->context.interrupted);
    cr_expect_leq(count_requests(NULL, "slice", NULL), 5);
    cr_expect_eq(contender_named("onednn-gemm", "")->end, RACE_PASSED_OVER);
    for (unsigned i = 0; i < record->cells; i++)
        cr_expect_eq(record->cell[i]->outcome.status, STATUS_ABANDONED, "%s", record->cell[i]->outcome.message);
    cr_expect_eq(scene->context.losses[0], 0);
}

/* --- remembered methods --- */

/* openblas is the fastest in a first run, by far. */
static void remember_openblas(void)
{
    cache_begin();
    scene_run("cpu", usual, "");
    expect_measured("a first run", 0, "openblas", "openblas");
    cr_expect(journal_says("\"origin\":\"tuned\""));
}

Test(choice, a_remembered_method_stays_unless_another_is_one_percent_faster)
{
    static const struct {
        double onednn;
        const char *measured;
        unsigned notes;
    } cases[] = {
        { 0.00199, "openblas", 0 }, { 0.00197, "onednn", 1 }, { 0.0018, "onednn", 1 }, { 0.0004, "onednn", 1 }
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct text script =
            text_print("onednn %g, onednn-gemm 0.003, openblas 0.002, native 0.005", cases[i].onednn);
        remember_openblas();
        const struct record *record = scene_run("cpu", script.text, "");
        cr_expect(journal_says("\"origin\":\"remembered\""));
        expect_measured(script.text, 0, cases[i].measured, cases[i].measured);
        unsigned notes = 0;
        for (unsigned k = 0; k < record->cell[0]->notes; k++)
            notes += strstr(record->cell[0]->note[k], "measured with onednn; earlier runs chose openblas") != NULL;
        cr_expect_eq(notes, cases[i].notes, "%g s: %u", cases[i].onednn, notes);
        scene_run("cpu", script.text, "");
        expect_measured(script.text, 0, cases[i].measured, cases[i].measured);
        cr_expect_not(journal_says("earlier runs chose"), "a change is told once");
        cache_end();
    }
}

Test(choice, a_remembered_method_that_fails_is_replaced)
{
    remember_openblas();
    scene_run("cpu", "onednn 0.004, onednn-gemm 0.003, openblas 0.002 fails=verify with=wrong, native 0.005", "");
    expect_ends("it fails", "onednn slower, onednn-gemm measured, openblas failed, native slower");
    cr_expect(journal_says("measured with onednn-gemm; earlier runs chose openblas"));
    cache_end();
}

/* And not what was chosen under other terms. */
Test(choice, what_was_not_settled_is_not_remembered)
{
    static const char *const words[] = { "--dtype f64", "--cold", "--threads 7", "--size 500" };
    cache_begin();
    for (unsigned run = 0; run < 2; run++) {
        scene_run("cpu", alike, "");
        cr_expect(journal_says("\"origin\":\"tuned\""), "run %u", run);
    }
    cache_end();
    remember_openblas();
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        scene_run("cpu", usual, words[i]);
        cr_expect(journal_says("\"origin\":\"tuned\""), "%s", words[i]);
    }
    cache_end();
}

/* --- long runs --- */

/* Of the first size the fastest is chosen; at the second a run is predicted to take 0.6 s. */
Test(choice, where_runs_are_long_the_method_of_the_next_smaller_size_is_taken)
{
    scene_run("cpu", "onednn 0.01, onednn-gemm 0.011, openblas 0.0094, native 0.012", "--size 512 --size 2048");
    for (unsigned block = 0; block < 2; block++)
        expect_measured("the fastest at 512", block, "openblas", "openblas");
    cr_expect_eq(seen.opened, 4 + 1, "%u", seen.opened);
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
    scene_run("cpu", "onednn 2, onednn-gemm 2.1, openblas 1.9, native 2.2", "--size 1024 --size 512");
    cr_expect_eq(seen.opened, 4 + 4, "%u", seen.opened);
}

/* Data that stay and data that move had different methods: both are tried. */
Test(choice, where_runs_are_long_each_line_has_the_method_of_its_own)
{
    scene_run("cpu", "onednn 0.01 repack=0.02, onednn-gemm 0.015, * 0.02", "--size 512 --size 2048");
    for (unsigned block = 0; block < 2; block++)
        expect_measured("each of its own", block, "onednn", "onednn-gemm");
    cr_expect_eq(seen.opened, 4 + 2);
}

/* Without a smaller size all are tried once: a first slice of one run each. */
Test(choice, where_runs_are_long_and_nothing_is_known_each_method_runs_once)
{
    scene_run("cpu", "onednn 0.7 repack=0.2, onednn-gemm 0.9, openblas 0.6, native 0.8", "");
    expect_ends("by one run", "onednn slower, onednn-gemm slower, openblas measured, native slower");
    cr_expect_eq(count_requests("onednn", "slice", NULL), 1);
    cr_expect_eq(choice_of(0, MEASURES_RESIDENT)->rounds, 0);
}

/* The deadline of a run is 30 s, and at 2048 it takes 64 times as long as at 512. */
Test(choice, a_run_that_is_predicted_to_be_too_long_is_not_tried)
{
    static const struct {
        const char *sizes;
        double run; /* at 512 */
        bool is_tried;
    } cases[] = {
        { "--size 512 --size 2048", 0.46, true },     { "--size 512 --size 2048", 0.48, false },
        { "--size 2048 --size 512", 0.46, true },    /* a larger problem predicts no smaller one */
        { "--size 512 --size 16384", 0.0046, true }, /* a short run may be mostly launch overhead */
        { "--size 512 --size 16384", 0.0054, false },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct record *record =
            scene_run("cpu", text_print("onednn %g, * %g", cases[i].run, 2 * cases[i].run).text, cases[i].sizes);
        cr_assert_eq(record->cells, 2);
        cr_expect_eq(record->cell[0]->outcome.status, STATUS_OK, "case %u", i);
        const struct error *second = &record->cell[1]->outcome;
        cr_expect_eq(strncmp(second->message, "predicted", 9) != 0, cases[i].is_tried, "case %u: %s", i,
                     second->message);
        cr_expect(cases[i].is_tried || second->status == STATUS_TOO_SLOW, "case %u", i);
    }
}

/* What takes 0.48 s at 512 is predicted to take too long at 2048, whatever another type, memory or device takes. */
Test(choice, a_run_is_predicted_by_its_own_type_memory_and_device)
{
    static const struct {
        const char *devices, *script, *words;
    } cases[] = {
        { "opencl:0", "portable 0.1 dtype=f32, portable 0.48 dtype=f64", " --dtype f32,f64" },
        { "opencl:0", "portable 0.1 memory=pageable, portable 0.48 memory=pinned", " --memory pageable,pinned" },
        { "opencl:0 opencl:1", "portable 0.1 device=opencl:0, portable 0.48 device=opencl:1", "" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned too_slow = 0;
        const struct record *record =
            scene_run(cases[i].devices, cases[i].script,
                      text_print("--method portable --size 512 --size 2048%s", cases[i].words).text);
        cr_assert_eq(record->cells, 4);
        for (unsigned k = 0; k < record->cells; k++)
            too_slow += strncmp(record->cell[k]->outcome.message, "predicted", 9) == 0;
        cr_expect_eq(too_slow, 1, "%s: %u", cases[i].script, too_slow);
    }
}

/* Of rows that are one method each, the slow one alone is refused. */
Test(choice, a_row_of_one_method_is_predicted_by_that_method_alone)
{
    const struct record *record = scene_run("cpu", "onednn 0.3, onednn-gemm 0.1, openblas 0.2, native 0.48",
                                            "--method all --size 512 --size 2048");
    cr_assert_eq(record->cells, 8);
    for (unsigned i = 0; i < record->cells; i++) {
        const bool is_too_slow = i >= 4 && strcmp(record->cell[i]->method, "native") == 0;
        cr_expect_eq(record->cell[i]->outcome.status, is_too_slow ? STATUS_TOO_SLOW : STATUS_OK, "%u: %s", i,
                     record->cell[i]->outcome.message);
        cr_expect_eq(strncmp(record->cell[i]->outcome.message, "predicted", 9) == 0, is_too_slow);
    }
}

/* --- what compiles for long --- */

static const char slow_to_compile[] = "onednn 0.003, onednn-gemm 0.001 compile=7, openblas 0.002, native 0.005";

/* One run may have been hampered: the second tries again. Where the driver's cache has the kernels by then it takes
 * part.
 */
Test(choice, what_compiles_for_too_long_in_two_runs_is_left_out_by_name)
{
    static const char slow[] = "not compiled within 2 s", known[] = "in two earlier runs",
                      once[] = "its kernels were not compiled";
    static const struct {
        const char *suite;
        double compile[4]; /* seconds, in each run */
        const char *says[4];
        bool retunes; /* the third run */
    } cases[] = {
        { "quick", { 7, 7, 0, 0 }, { slow, slow, known, known }, false },
        { "standard", { 7, 7, 0, 0 }, { slow, slow, known, known }, false },
        { "quick", { 7, 0, 7, 0 }, { slow, "", once, "" }, false },
        { "quick", { 7, 0, 0, 7 }, { slow, "", "", once }, false },
        { "quick", { 7, 7, 0, 0 }, { slow, slow, "", "" }, true },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        cache_begin();
        for (unsigned run = 0; run < 4; run++) {
            const bool retunes = cases[i].retunes && run == 2;
            scene_open("cpu", slow_to_compile,
                       text_print("--suite %s%s", cases[i].suite, retunes ? " --retune" : "").text);
            script_of("onednn-gemm")->compile = cases[i].compile[run];
            scene_measure();
            const char *message = contender_named("onednn-gemm", "")->outcome.message, *says = cases[i].says[run];
            cr_expect(*says ? strstr(message, says) != NULL : !*message, "%u, run %u: %s", i, run, message);
            cr_expect_eq(count_requests("onednn-gemm", "slice", NULL) > 0, !*says, "%u, run %u", i, run);
        }
        cache_end();
    }
}

/* Nothing is left out that is named, that a long suite waits for, or that is the first. */
Test(choice, what_compiles_for_long_is_waited_for_where_it_is_needed)
{
    static const char *const words[] = { "--method onednn-gemm", "--method all", "--suite full --dtype f32" };
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        scene_run("cpu", slow_to_compile, words[i]);
        cr_expect_gt(count_requests("onednn-gemm", "warmup", NULL), 0, "%s", words[i]);
    }
    scene_run("cpu", "onednn 0.0005 compile=7, onednn-gemm 0.001 compile=7, openblas 0.002, native 0.005", "");
    expect_measured("nothing else was ready", 0, "onednn", "onednn");
}

/* A large library that loads slowly is waited for; kernels are, on a GPU, for ten seconds. */
Test(choice, on_a_gpu_libraries_are_waited_for_and_kernels_for_longer)
{
    static const struct {
        const char *device, *script, *measured;
    } cases[] = { { "cuda:0", "portable 0.002, cublas 0.001 compile=27, cublaslt 0.003", "cublas" },
                  { "opencl:0", "portable 0.002, clblast 0.001 compile=8", "clblast" },
                  { "opencl:0", "portable 0.002, clblast 0.001 compile=12", "portable" } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_run(cases[i].device, cases[i].script, "--suite quick");
        cr_expect_str_eq(measured(0, MEASURES_RESIDENT, cases[i].device), cases[i].measured, "%s", cases[i].script);
    }
}

/* --- clocks that stumble --- */

Test(choice, a_method_that_takes_no_time_is_impossible)
{
    static const char *const scripts[] = { "onednn 0, openblas 0.003, * 0.004",
                                           "onednn 1e-12, openblas 0.003, * 0.004" };
    for (unsigned i = 0; i < 2; i++) {
        scene_run("cpu", scripts[i], "");
        cr_expect_eq(contender_named("onednn", "")->outcome.status, STATUS_IMPOSSIBLE, "%s", scripts[i]);
        expect_measured(scripts[i], 0, "openblas", "openblas");
    }
}
