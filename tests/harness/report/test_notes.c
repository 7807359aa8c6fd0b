#include "harness/analysis/figures.h"
#include "tests/support/lines.h"
#include "tests/support/noted.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(notes, .fini = release_kept);

/* Notes on a cell of which everything is fine but what the lines say. */
static struct record *plain_cell(void)
{
    struct record *record = new_record();
    add(record, "{'line':'journal','options':{'precision':0.02}}");
    add(record, "{'line':'device','id':'d','key':'d','backend':'fake','class':'dGPU'}");
    add(record, "{'line':'cell','key':'a','device':'d'}");
    add(record, "{'line':'verify','cell':'a','pass':'before','checks':[{'checked':1}]}");
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
        char wall[256] = "", event[256] = "";
        for (int i = 0; i < 8; i++) {
            /* Wiggles that repeat neither with the runs nor with the slices. */
            double wiggle = 1e-3 * ((turn * 7 + i * 5) % 11) + look.swing * ((turn * 7) % 11 / 10.0);
            double ns = floor(1e6 * (1 + look.drift * turn / 11) * (1 + look.step * (i % 2)) * (1 + wiggle));
            sprintf(wall + strlen(wall), "%s%.0f", i ? "," : "", ns);
            sprintf(event + strlen(event), "%s%.0f", i ? "," : "", turn < look.late ? 1.1 * ns : ns - 10);
        }
        addf(record, "{'line':'slice','cell':'a','series':'%s','number':%d,'wall_ns':[%s],'%s':[%s]}", series, turn,
             wall, has_event ? "event_ns" : "ignored", event);
    }
}

static void add_slices(struct record *record, double step, double drift, int late)
{
    add_series(record, "resident", (struct look){ .slices = 12, .step = step, .drift = drift, .late = late });
}

/* The notes on a cell that ended well, up to as many lines; NULL: none. */
static void expect_note(struct record *record, const char *wanted)
{
    add(record, "{'line':'verify','cell':'a','pass':'after','checks':[{'checked':1}]}");
    add(record, "{'line':'outcome','cell':'a','status':'ok'}");
    const char *all = noted_on(record, "a");
    cr_assert_str_eq(all, wanted ? wanted : "", "\"%s\" instead of \"%s\"", all, wanted ? wanted : "");
}

static void take(struct notes *notes, const char *text, enum severity severity, unsigned rows, const char *place)
{
    notes_add(notes, &(struct note){ .text = text, .severity = severity, .rows = rows }, place);
}

/* The worst come first, then those of most rows, then by their words. */
Test(notes, a_list_has_each_once_with_its_rows_and_places)
{
    static const char *const places[] = { "one", "two", "three", "four" };
    static const char *const order[] = { "the worst", "often", "b, once", "a, once" };
    struct pool pool = { 0 };
    struct notes notes = { .pool = &pool };
    take(&notes, "b, once", SEVERITY_WARNING, 1, places[0]);
    take(&notes, "a, once", SEVERITY_WARNING, 0, NULL);
    take(&notes, "the worst", SEVERITY_WRONG, 1, places[0]);
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 0; k < 2; k++) /* two rows of a problem */
            take(&notes, "often", SEVERITY_WARNING, 1, places[i]);
    notes_sort(&notes);
    cr_assert_eq(notes.count, 4);
    for (unsigned i = 0; i < 4; i++)
        cr_expect_str_eq(notes.note[i].text, order[i]);
    const struct note *often = &notes.note[1];
    cr_expect(often->rows == 8 && often->places == 4, "%u, %u", often->rows, often->places);
    cr_expect_str_eq(notes_places(&pool, often), "one, two, three and others");
    cr_expect_str_eq(notes_places(&pool, &notes.note[0]), "one");
    pool_release(&pool);
}

Test(notes, a_sound_cell_has_none)
{
    struct record *record = plain_cell();
    add_slices(record, 0, 0, 0);
    add(record, "{'line':'stop','cell':'a','series':'resident','reason':'precise'}");
    add(record, "{'line':'state','cell':'a','when':'before','clock':3e9}");
    add(record, "{'line':'state','cell':'a','when':'after','clock':2.9e9}");
    expect_note(record, NULL);
}

static const char once[] =
    "verified once only, not both before and after timing: measure again, or complete the run with --resume";

/* The row of an interrupted run, before and after the run was resumed. */
Test(notes, a_row_that_was_verified_again_is_no_longer_said_to_be_verified_once)
{
    struct record *record = plain_cell();
    add_slices(record, 0, 0, 0);
    add(record, "{'line':'outcome','cell':'a','status':'ok'}");
    add(record, "{'line':'end','status':'interrupted'}");
    cr_expect_str_eq(noted_on(record, "a"), once);
    add(record, "{'line':'resume'}");
    add(record, "{'line':'verify','cell':'a','pass':'before','checks':[{'checked':1}]}");
    expect_note(record, NULL);
}

Test(notes, a_gpu_that_no_library_of_its_vendor_was_tried_on_says_so)
{
    struct record *record = plain_cell();
    add_slices(record, 0, 0, 0);
    record->cell[0]->lacks_library = true;
    expect_note(record, "measured without a library of its vendor: this GPU may be faster with one");
}

/* A cell whose runs take a millisecond, and with all transfers, of so many ns up and half of that down, a whole of
 * which computing is so much, in ns. */
static struct record *moved_cell(double whole, double inside, double up)
{
    struct record *record = plain_cell();
    add_slices(record, 0, 0, 0);
    for (int turn = 0; turn < 12; turn++) {
        double wiggle = 1 + 1e-3 * ((turn * 7) % 11);
        addf(record,
             "{'line':'slice','cell':'a','series':'copied','number':%d,'wall_ns':[%.0f],'phases':{'upload_ns':[%.0f],'"
             "compute_ns':[%.0f],'download_ns':[%.0f]}}",
             turn, whole * wiggle, up, inside * wiggle, up / 2);
    }
    return record;
}

Test(notes, a_whole_shorter_than_its_part_is_disturbed)
{
    static const double whole[] = { 0.9e6, 0.98e6, 2e6 };
    for (unsigned i = 0; i < 3; i++) {
        struct record *record = moved_cell(whole[i], 0.9e6, 100000);
        cr_assert_eq(figure_read(record, record_cell(record, "a"), USE_COPIED).is_disturbed, i == 0, "%g", whole[i]);
    }
    struct record *record = moved_cell(0.9e6, 0.9e6, 100000);
    cr_assert_not(figure_read(record, record_cell(record, "a"), USE_RESIDENT).is_disturbed, "computing alone was not");
    add(record, "{'line':'slice','cell':'a','series':'queued','number':0,'wall_ns':[300000]}");
    cr_assert_not(figure_read(record, record_cell(record, "a"), USE_COPIED).is_disturbed,
                  "a short run is mostly a wait");
}

Test(notes, events_that_outlast_their_calls_are_left_out_and_many_of_them_are_noted)
{
    struct record *record = plain_cell();
    add_slices(record, 0, 0, 1);
    expect_note(record, NULL);
    record = plain_cell();
    add_slices(record, 0, 0, 2);
    struct figures metrics;
    figures_read_cell(&metrics, record, record_cell(record, "a"));
    cr_assert(metrics.costs.event_clock == EVENT_DOUBTFUL && isnan(metrics.costs.event) &&
              !isnan(metrics.use[USE_RESIDENT].time.value));
    expect_note(record, "event clock not trustworthy: do not time programs with this driver's events");
}

static void stop_series(struct record *record, const char *series, const char *reason)
{
    addf(record, "{'line':'stop','cell':'a','series':'%s','reason':'%s'}", series, reason);
}

static const char early[] = "stopped by its budget, before it was as precise as asked: --budget gives more";

Test(notes, a_spent_budget_is_noted_with_the_precision_reached)
{
    static const struct {
        struct look look;
        const char *wanted;
    } cases[] = {
        { { .slices = 12, .swing = 0.2 }, early },
        { { .slices = 12 }, NULL },
        { { .slices = 11, .swing = 0.2 }, early },
        { { .slices = 6 }, NULL },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned is_long = 0; is_long < 2; is_long++) { /* its runs are too long for the budget */
            struct record *record = plain_cell();
            add_series(record, "resident", cases[i].look);
            stop_series(record, "resident", is_long ? "long" : "budget");
            expect_note(record, cases[i].wanted);
        }
    struct record *record = plain_cell();
    add_series(record, "resident", (struct look){ .slices = 12, .swing = 0.2 });
    stop_series(record, "resident", "visits");
    expect_note(record, NULL);
}

Test(notes, a_journal_that_does_not_tell_the_precision_asked_claims_nothing_of_it)
{
    struct record *record = new_record();
    add(record, "{'line':'device','id':'d','key':'d','backend':'fake','class':'dGPU'}");
    add(record, "{'line':'cell','key':'a','device':'d'}");
    add(record, "{'line':'verify','cell':'a','pass':'before','checks':[{'checked':1}]}");
    add_slices(record, 0, 0, 0);
    stop_series(record, "resident", "budget");
    expect_note(record, NULL);
}

Test(notes, an_interrupt_is_not_noted_on_each_row)
{
    struct record *record = plain_cell();
    add_series(record, "resident", (struct look){ .slices = 8 });
    add_series(record, "copied", (struct look){ .slices = 7 });
    stop_series(record, "resident", "interrupted");
    stop_series(record, "copied", "interrupted");
    expect_note(record, NULL); /* the report says first that the run was interrupted */
}

/* A cell of which only the order of turns differs from one that is fine; or whose baseline died after some visits. */
static void expect_speedup_note(unsigned apart, unsigned visits, const char *wanted)
{
    struct record *record = new_record();
    add(record, "{'line':'cell','key':'b','baseline':'b'}");
    add(record, "{'line':'cell','key':'a','baseline':'b'}");
    add(record, "{'line':'verify','cell':'a','pass':'before','checks':[{'checked':1}]}");
    for (unsigned turn = 0; turn < 12; turn++)
        for (unsigned i = turn >= visits; i < 2; i++) {
            addf(record, "{'line':'slice','cell':'%s','series':'copied','number':%u,'visit':%s,'wall_ns':[%u]}",
                 i ? "a" : "b", 2 * turn + i + i * apart, visits < 12 ? text_print("%u", turn).text : "null",
                 1000000 + turn * 7 % 11);
        }
    expect_note(record, wanted);
}

Test(notes, a_speedup_that_is_not_judged_says_why)
{
    expect_speedup_note(0, 12, NULL);
    expect_speedup_note(1000, 12,
                        "not judged: not measured in turn with the baseline: a smaller --size may fit beside it");
    expect_speedup_note(0, 4, "not judged: too few visits for an interval: give the run more time");
}

/* One that was broken off had no time for the second check. */
Test(notes, a_result_that_was_checked_once_is_worse_in_a_complete_run)
{
    for (unsigned is_complete = 0; is_complete < 2; is_complete++) {
        struct pool pool = { 0 };
        struct figures figures;
        struct record *record = plain_cell();
        add_slices(record, 0, 0, 0);
        add(record, "{'line':'outcome','cell':'a','status':'ok'}");
        addf(record, "{'line':'end','status':'%s'}", is_complete ? "complete" : "interrupted");
        figures_read_cell(&figures, record, record_cell(record, "a"));
        const struct notes notes = notes_read(&pool, &figures);
        cr_assert_eq(notes.count, 1);
        cr_expect_str_eq(notes.note[0].text, once);
        cr_expect_eq(notes.note[0].severity, is_complete ? SEVERITY_WRONG : SEVERITY_NONE);
        pool_release(&pool);
    }
}

Test(notes, a_weak_check_is_noted)
{
    struct record *record = plain_cell();
    add_slices(record, 0, 0, 0);
    add(record, "{'line':'verify','cell':'a','checks':[{'checked':1,'name':'random','weak':true}]}");
    expect_note(record, "a check of the result proves nothing: the error it allows is as large as the values, so use a "
                        "smaller size or f64");
}

Test(notes, bits_that_differ_from_run_to_run_are_noted)
{
    struct record *record = plain_cell();
    add_slices(record, 0, 0, 0);
    add(record, "{'line':'verify','cell':'a','checks':[{'checked':1,'name':'random','weak':false,'differs':true}]}");
    expect_note(record, "results differ in bits from run to run, within the error bound: use another method where they "
                        "must be the same");
}

/* The fault: any other kind of memory with such times is impossible, not free. */
Test(notes, only_what_is_mapped_in_place_can_go_without_a_copy)
{
    struct figures metrics;
    struct record *record = plain_cell();
    struct cell_record *cell = record_cell(record, "a");
    cell->bytes = 64e6;
    cell->first.map = 15e-6;
    add_series(record, "copied", (struct look){ .slices = 12 });
    figures_read_cell(&metrics, record, cell);
    cr_expect_not(metrics.costs.no_copy);
    cr_expect(metrics.bandwidth > 0);
}

/* The device in turn with others takes a millisecond and up to `swing` more; by itself so much; NAN: it was not
 * measured. */
static void expect_sustained(double swing, double factor, const char *words)
{
    struct record *record = plain_cell();
    add_series(record, "resident", (struct look){ .slices = 12, .swing = swing });
    for (int i = 0; i < 40 && !isnan(factor); i++)
        addf(record,
             "{'line':'slice','cell':'a','series':'sustained','number':%d,'wall_ns':[%.0f],'elapsed_ns':250000000}",
             100 + i, 1e6 * factor * (1 + 1e-3 * (i * 7 % 11)));
    expect_note(record, words);
}

Test(notes, a_sustained_series_is_noted)
{
    expect_sustained(0, NAN, NULL);
    expect_sustained(0, 1.20,
                     "without pauses for 10.0 s a run takes 1.21 ms, 20 % longer than in the visits before: use "
                     "this time for long work");
    expect_sustained(0.5, 1.25,
                     "without pauses for 10.0 s a run takes 1.26 ms: no difference from the visits before was shown");
    expect_sustained(0, 0.80,
                     "without pauses for 10.0 s a run takes 804 us, 20 % less than in the visits before: use this "
                     "time for long work");
}

/* --- types --- */

/* A problem in one type on the CPU and on a GPU, six rounds in turn: milliseconds of a run. */
static void add_problem(struct record *record, const char *dtype, const char *shape, double cpu, double gpu)
{
    const struct {
        const char *device;
        double ms;
    } side[] = { { "cpu", cpu }, { "gpu", gpu } };
    for (unsigned i = 0; i < 2; i++)
        addf(record,
             "{'line':'cell','key':'%s/%s/%s','block':'%s/"
             "%s','device':'%s','workload':'matmul','dtype':'%s','shape':'%s','baseline':'%s/%s/cpu'}",
             dtype, shape, side[i].device, dtype, shape, side[i].device, dtype, shape, dtype, shape);
    for (unsigned turn = 0; turn < 12; turn++)
        addf(record, "{'line':'slice','cell':'%s/%s/%s','series':'resident','number':%u,'wall_ns':[%.0f]}", dtype,
             shape, side[turn % 2].device, turn, 1e6 * side[turn % 2].ms * (1 + 1e-3 * (turn * 7 % 11)));
}

static void expect_wider(const struct record *record, const char *key, const char *wanted)
{
    const char *all = noted_on(record, key), *found = strstr(all, "faster in f32");
    cr_expect(*wanted ? found && strncmp(found, wanted, strlen(wanted)) == 0 : !found, "%s: no \"%s\" in \"%s\"", key,
              wanted, all);
}

Test(notes, a_processor_that_is_faster_in_f32_is_noted)
{
    struct record *record = new_record();
    add(record, "{'line':'device','id':'cpu','key':'cpu','backend':'cpu','class':'CPU'}");
    add(record, "{'line':'device','id':'gpu','key':'gpu','backend':'cuda','class':'dGPU'}");
    add_problem(record, "f32", "m=1", 10, 4);
    add_problem(record, "f16", "m=1", 40, 5);
    add_problem(record, "bf16", "m=1", 5, 2);
    add_problem(record, "f16", "m=2", 40, 5);
    add_problem(record, "tf32", "m=1", 40, 5);
    add_problem(record, "f64", "m=1", 40, 5);
    add_problem(record, "f32", "m=3", 10, 4);
    add_problem(record, "f16", "m=3", 10.03, 5); /* not surely slower */
    expect_wider(record, "f16/m=1/cpu", "faster in f32 on this device (10.0 ms): use f32 if you can");
    expect_wider(record, "f16/m=3/cpu", "");
    expect_wider(record, "f16/m=1/gpu", "");
    expect_wider(record, "f32/m=1/gpu", "");
    expect_wider(record, "bf16/m=1/gpu", "");
    expect_wider(record, "f16/m=2/gpu", "");
    expect_wider(record, "tf32/m=1/cpu", "");
    expect_wider(record, "f64/m=1/cpu", "");
}
