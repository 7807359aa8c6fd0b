/* Figures that others build on, by worked values: which slices a ratio is made of, whose ratio there is none, the
 * interval of a quotient, and how busy other programs were. */

#include "harness/analysis/figure.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

TestSuite(figure, .fini = release_kept);

/* Cell "b" of one device, compared with "a" of another, whose outcomes are these. */
static void add_cells(struct record *record, const char *outcome_a, const char *outcome_b)
{
    add(record, "{'line':'cell','key':'a','device':'d'}");
    add(record, "{'line':'cell','key':'b','device':'e','baseline':'a'}");
    addf(record, "{'line':'outcome','cell':'a','status':'%s'}", outcome_a);
    addf(record, "{'line':'outcome','cell':'b','status':'%s'}", outcome_b);
}

static struct record *pair(const char *outcome_a, const char *outcome_b)
{
    struct record *record = new_record();
    add(record, "{'line':'journal','host':{'cores':2,'threads':4}}");
    add_cells(record, outcome_a, outcome_b);
    return record;
}

static void add_slice(struct record *record, const char *cell, int number, int nanoseconds)
{
    addf(record, "{'line':'slice','cell':'%s','series':'resident','number':%d,'wall_ns':[%d]}", cell, number,
         nanoseconds);
}

static unsigned ratios_of(const struct record *record, double out[8])
{
    return record_ratios(record, record_cell(record, "b"), SERIES_RESIDENT, out, 8);
}

Test(figure, a_slice_long_after_those_of_the_baseline_has_no_ratio)
{
    double ratio[8];
    struct record *record = pair("ok", "ok");
    add_slice(record, "a", 0, 1000);
    add_slice(record, "b", 1, 1000);
    add_slice(record, "a", 2, 1000);
    add_slice(record, "b", 3, 1000);
    add_slice(record, "a", 4, 1000);
    add_slice(record, "b", 100000, 100);
    cr_assert_eq(ratios_of(record, ratio), 2);
    cr_expect_float_eq(ratio[0], 1, 1e-12);
    cr_expect_float_eq(ratio[1], 1, 1e-12);
}

Test(figure, a_speed_up_needs_two_right_answers)
{
    static const char *const outcomes[][2] = { { "ok", "wrong" }, { "wrong", "ok" }, { "ok", "ok" } };
    for (unsigned i = 0; i < 3; i++) {
        double ratio[8];
        struct record *record = pair(outcomes[i][0], outcomes[i][1]);
        for (int turn = 0; turn < 7; turn++)
            add_slice(record, turn % 2 ? "b" : "a", turn, turn % 2 ? 500 : 1000);
        struct estimate speedup = figure_read(record, record_cell(record, "b"), USE_RESIDENT).speedup;
        cr_expect_eq(ratios_of(record, ratio), i == 2 ? 3 : 0);
        cr_expect_eq(isnan(speedup.value), i < 2);
    }
}

/* One that ended well; else transfers are those of the cell that computes. */
Test(figure, transfers_are_those_of_a_cell_that_ended_well)
{
    static const char *const outcomes[] = { "ok", "crashed" };
    for (unsigned i = 0; i < 2; i++) {
        struct record *record = new_record();
        for (unsigned copied = 0; copied < 2; copied++)
            addf(record, "{'line':'cell','key':'%u','block':'b','device':'d','memory':'m','measures':'%s'}", copied,
                 copied ? "copied" : "resident");
        addf(record, "{'line':'outcome','cell':'1','status':'%s'}", outcomes[i]);
        cr_expect_eq(record_cell_for(record, record_cell(record, "0"), USE_COPIED),
                     record_cell(record, i == 0 ? "1" : "0"));
    }
}

/* Fewer cores computed for its transfers than were planned. */
Test(figure, what_held_back_the_cell_of_the_transfers_holds_back_that_use)
{
    struct record *record = new_record();
    for (unsigned copied = 0; copied < 2; copied++)
        addf(record, "{'line':'cell','key':'%u','block':'b','device':'d','memory':'m','measures':'%s'}", copied,
             copied ? "copied" : "resident");
    add(record, "{'line':'first','cell':'1','cores_planned':4,'cores_computing':1}");
    add(record, "{'line':'outcome','cell':'1','status':'ok'}");
    const struct figure stays = figure_read(record, record_cell(record, "0"), USE_RESIDENT),
                        moves = figure_read(record, record_cell(record, "0"), USE_COPIED);
    cr_expect(!stays.is_held_back && !stays.is_disturbed);
    cr_expect(moves.is_held_back && moves.is_disturbed);
}

Test(figure, the_interval_of_a_quotient_has_the_corners_of_both)
{
    struct figure figure = { .in_f32 = { 10, 8, 12, 9 }, .time = { 2, 1, 4, 9 }, .speedup = { 7, 7, 7, 9 } };
    figure_turn_to_f32(&figure);
    cr_expect_float_eq(figure.speedup.value, 5, 1e-12);
    cr_expect_float_eq(figure.speedup.low, 2, 1e-12);
    cr_expect_float_eq(figure.speedup.high, 12, 1e-12);
    cr_expect_float_eq(figure.baseline_seconds, 10, 1e-12);
    cr_expect_eq(figure.verdict, VERDICT_FASTER);
    cr_expect_eq(figure.speedup.samples, 0, "no pairs");
}

/* Two cores with two threads each: of 4 x 10 s the threads were busy for 14 s, 4 s of them by this run. The others'
 * 10 s are half of the two cores' 10 s each. Where the hypervisor kept 20 of 40 s, the others' 5 s are a quarter of the
 * cores in 10 s. */
Test(figure, what_others_used_is_a_share_of_the_cores_without_the_run_and_with_what_the_hypervisor_kept)
{
    static const struct {
        const char *before, *after;
        double others;
    } rows[] = {
        { "'busy':5,'idle':100,'steal':0,'own':1", "'busy':19,'idle':126,'steal':0,'own':5", 0.5 },
        { "'busy':0,'idle':0,'steal':7,'own':0", "'busy':6,'idle':14,'steal':27,'own':1", 0.25 },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct record *record = pair("ok", "ok");
        addf(record, "{'line':'state','cell':'b','when':'before',%s}", rows[i].before);
        addf(record, "{'line':'state','cell':'b','when':'after',%s}", rows[i].after);
        const double others = record_others(record, record_cell(record, "b"));
        cr_expect_float_eq(others, rows[i].others, 1e-12, "%g", others);
    }
}

/* Of cores that the run may use, others have on average the share that the counters show, whatever looks saw. */
Test(figure, nothing_is_judged_where_others_left_less_than_half_of_the_cores)
{
    static const struct {
        const char *cell;
        unsigned threads;
        double busy; /* processor seconds of others in 5 s */
        bool is_withheld;
    } rows[] = {
        { "b", 2, 4.5, false }, { "b", 2, 5.5, true }, { "a", 2, 5.5, true },
        { "b", 1, 5.5, false }, { "b", 1, 8, true },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct record *record = new_record();
        addf(record, "{'line':'journal','host':{'cores':2,'threads':4,'worker_threads':%u}}", rows[i].threads);
        add_cells(record, "ok", "ok");
        for (unsigned visit = 0; visit < 24; visit++)
            for (unsigned b = 0; b < 2; b++)
                addf(record, "{'line':'slice','cell':'%c','series':'resident','visit':%u,'number':%u,'wall_ns':[%u]}",
                     b ? 'b' : 'a', visit, 2 * visit + b, (b ? 1000 : 2000) + visit * 5 % 7);
        addf(record, "{'line':'state','cell':'%s','when':'before','busy':0,'idle':0,'own':0}", rows[i].cell);
        addf(record, "{'line':'state','cell':'%s','when':'after','busy':%g,'idle':%g,'own':1}", rows[i].cell,
             rows[i].busy + 1, 19 - rows[i].busy);
        const struct figure figure = figure_read(record, record_cell(record, "b"), USE_RESIDENT);
        cr_expect_eq(figure.verdict, rows[i].is_withheld ? VERDICT_UNJUDGED : VERDICT_FASTER, "%u", i);
        cr_expect_eq(figure.disturbance, rows[i].is_withheld ? DISTURBANCE_DECIDES : DISTURBANCE_NONE, "%u", i);
        cr_expect_eq(figure.is_disturbed, rows[i].is_withheld, "%u", i);
    }
}

/* A row's memory decides which of two cells with transfers is its own: the last of three here. */
Test(figure, transfers_are_those_of_the_same_memory)
{
    static const char *const memories[] = { "pinned", "pageable", "mapped", "pinned" };
    struct record *record = new_record();
    for (unsigned i = 0; i < 4; i++) {
        addf(record, "{'line':'cell','key':'%u','block':'b','device':'d','memory':'%s','measures':'%s'}", i,
             memories[i], i > 0 ? "copied" : "resident");
        addf(record, "{'line':'outcome','cell':'%u','status':'ok'}", i);
    }
    cr_expect_str_eq(record_cell_for(record, record_cell(record, "0"), USE_COPIED)->key, "3");
}

Test(figure, the_reason_why_it_is_not_judged_is_the_first_that_applies)
{
    static const struct estimate few = { 2, NAN, NAN, 3 }, none = { 2, NAN, NAN, 0 }, pairs = { 2, NAN, NAN, 9 };
    struct cell_record cell = { .track[SERIES_RESIDENT].slices = 9 };
    const struct {
        struct figure figure;
        const char *words;
    } rows[] = {
        { { .verdict = VERDICT_FASTER, .is_held_back = true }, "" },
        { { .is_held_back = true, .is_disturbed = true, .disturbance = DISTURBANCE_DECIDES }, "CPU held back" },
        { { .is_below_part = true, .is_disturbed = true }, "the copied runs took less time than computing alone" },
        { { .disturbance = DISTURBANCE_DECIDES, .is_disturbed = true }, "too much other load on the cores" },
        { { .disturbance = DISTURBANCE_MATTERS, .is_disturbed = true }, "its runs were disturbed" },
        { { .speedup = none }, "not measured in turn with the baseline" },
        { { .speedup = few }, "too few visits" },
        { { .speedup = pairs }, "too noisy" },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct figure figure = rows[i].figure;
        figure.cell = &cell;
        figure.verdict = figure.verdict ? figure.verdict : VERDICT_UNJUDGED;
        const char *words = figure_unjudged(&figure);
        cr_expect(strstr(words, rows[i].words) == words && !*words == !*rows[i].words, "%u: %s", i, words);
    }
}

/* Of 24 visits some follow a look beside others. Undisturbed ones have one ratio, the others another. */
Test(figure, a_class_is_withheld_where_it_rests_on_disturbed_visits)
{
    enum { VISITS = 24 };
    static const struct {
        unsigned disturbed;
        double alone, beside;
        enum disturbance found;
    } cases[] = {
        { 0, 2, 0.5, DISTURBANCE_NONE },  { 1, 2, 0.5, DISTURBANCE_NONE },     { 10, 2, 0.5, DISTURBANCE_MATTERS },
        { 10, 2, 2.2, DISTURBANCE_NONE }, { 14, 2, 2.2, DISTURBANCE_NONE },    { 14, 2, 0.5, DISTURBANCE_DECIDES },
        { 18, 2, 2.2, DISTURBANCE_NONE }, { 19, 2, 2.2, DISTURBANCE_DECIDES }, { 24, 2, 2, DISTURBANCE_DECIDES },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = pair("ok", "ok");
        for (unsigned look = 0; look < 40; look++)
            add(record, "{'line':'look','processor':0,'rate':4}");
        for (unsigned visit = 0; visit < VISITS; visit++) {
            const bool is_disturbed = visit * 7 % VISITS < cases[i].disturbed;
            addf(record, "{'line':'look','processor':0,'rate':%d}", is_disturbed ? 2 : 4);
            for (unsigned b = 0; b < 2; b++)
                addf(record, "{'line':'slice','cell':'%c','series':'resident','visit':%u,'number':%u,'wall_ns':[%.0f]}",
                     b ? 'b' : 'a', visit, 2 * visit + b,
                     1e6 * (b              ? 1
                            : is_disturbed ? cases[i].beside
                                           : cases[i].alone) +
                         visit * 5 % 7);
        }
        const struct cell_record *cell = record_cell(record, "b");
        cr_expect_eq(figure_read(record, cell, USE_RESIDENT).disturbance, cases[i].found, "case %u: %d", i,
                     figure_read(record, cell, USE_RESIDENT).disturbance);
        const struct estimate speedup = figure_read(record, cell, USE_RESIDENT).speedup;
        cr_expect_eq(isnan(speedup.low), cases[i].found == DISTURBANCE_DECIDES, "case %u", i);
    }
}
