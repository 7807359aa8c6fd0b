#include "harness/analysis/figure.h"
#include "harness/base/text.h"
#include "harness/journal/record.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(record, .fini = release_kept);

/* Two cells of one block; "b" is compared with "a". */
static struct record *two_cells(void)
{
    struct record *record = new_record();
    cr_assert_neq(record, NULL);
    add(record, "{'line':'journal','schema':'bench-journal/4','seed':1}");
    add(record, "{'line':'cell','key':'a','block':'one','device':'cpu','baseline':'a','flops':2e9,'bytes':1000}");
    add(record, "{'line':'cell','key':'b','block':'one','device':'opencl:0','baseline':'a'}");
    return record;
}

/* Slices in their order: "a 10, b copied 5": of a cell, resident where nothing is said, and of so many milliseconds.
 * "@3 a 10": from here on they are of visit 3. */
static void add_slices(struct record *record, const char *slices)
{
    static unsigned number;
    char text[256], *rest = text, visit[32] = "", cell[8], series[16];
    double ms;
    cr_assert_lt(strlen(slices), sizeof text);
    strcpy(text, slices);
    for (char *one; (one = strsep(&rest, ","));) {
        unsigned of;
        int used = 0;
        if (sscanf(one, " @%u%n", &of, &used) == 1)
            snprintf(visit, sizeof visit, "'visit':%u,", of);
        if (sscanf(one + used, " %7s %15[a-z] %lf", cell, series, &ms) != 3) {
            strcpy(series, "resident");
            cr_assert_eq(sscanf(one + used, " %7s %lf", cell, &ms), 2, "%s", one);
        }
        addf(record, "{'line':'slice','cell':'%s','series':'%s',%s'number':%u,'wall_ns':[%.0f]}", cell, series, visit,
             number++, ms * 1e6);
    }
}

/* By which the slices of a cell are faster than those of its baseline: "2 4". */
static void expect_ratios(const struct record *record, const char *cell, enum series series, const char *wanted)
{
    double ratio[32];
    char text[200] = "";
    const unsigned count = record_ratios(record, record_cell(record, cell), series, ratio, 32);
    for (unsigned i = 0; i < count; i++)
        text_join(text, sizeof text, " ", text_print("%g", ratio[i]).text);
    cr_expect_str_eq(text, wanted, "%s of %s: %s", series_names[series], cell, text);
}

Test(record, keeps_what_the_lines_say)
{
    struct record *record = two_cells();
    add(record, "{'line':'first','cell':'a','open_ns':1000000000,'alloc_ns':2000000000,'compile_ns':null,'repack_ns':7,"
                "'run_ns':5,'detail':'streaming stores'}");
    add(record, "{'line':'verify','cell':'a','pass':'before','checks':[{'checked':1,'name':'exact','smallest_error':0."
                "5,'weak':false},{'name':'random','checked':1,'smallest_error':0.25}]}");
    add(record, "{'line':'state','cell':'a','when':'before','clock':3e9}");
    add(record, "{'line':'state','cell':'a','when':'after','clock':2e9,'steal':1.5,'busy':7,'pressure':3,'temperature':"
                "5,'load':0.5,'governor':'power\\u0007save','on_battery':false}");
    add(record, "{'line':'slice','cell':'a','series':'copied','number':3,'at_ns':2000000000,'wall_ns':[1000000,3000000,"
                "2000000],'event_ns':[500,null,7],'phases':{'upload_ns':[10,20],'repack_ns':[50],'download_ns':[30]},'"
                "cpu_ns':4000000,'elapsed_ns':8000000,'renewing_ns':1500000,'flush_ns':500000}");
    add(record, "{'line':'stop','cell':'a','series':'copied','reason':'precise'}");
    add(record, "{'line':'note','cell':'a','text':'of the cell'}");
    add(record, "{'line':'note','cell':'','text':'of the run'}");
    add(record, "{'line':'outcome','cell':'b','status':'crashed','where':'run','reason':'died'}");
    add(record, "{'line':'end','status':'interrupted','elapsed_ns':3000000000}");

    const struct cell_record *a = record_cell(record, "a"), *b = record_cell(record, "b");
    cr_assert_str_eq(a->device_id, "cpu");
    cr_assert_str_eq(a->first.detail, "streaming stores");
    cr_assert(a->flops == 2e9 && a->bytes == 1000 && isnan(b->flops));
    cr_assert(a->first.open == 1 && isnan(a->first.compile) && isnan(a->first.upload) && a->first.run == 5e-9);
    cr_assert(a->first.alloc == 2 && a->first.repack == 7e-9);
    cr_assert(isnan(b->first.alloc) && isnan(b->first.repack));
    cr_assert(a->verified == 1 && !a->weak && a->smallest_error == 0.25);
    cr_assert(a->before.clock == 3e9 && a->after.clock == 2e9);
    cr_assert(a->before.on_battery == -1 && isnan(a->before.steal));
    cr_assert(a->after.steal == 1.5 && a->after.busy == 7 && a->after.pressure == 3 && a->after.temperature == 5);
    cr_assert(a->after.load == 0.5 && a->after.on_battery == 0);
    cr_assert_str_eq(a->after.governor, "power save");
    cr_assert(b->after.on_battery == -1 && isnan(b->after.clock) && !*b->after.governor);
    const struct track *track = &a->track[SERIES_COPIED];
    cr_assert_eq(track->wall.count, 3);
    cr_assert_eq(track->event.count, 3);
    cr_assert(track->event.value[0] == 5e-7 && isnan(track->event.value[1]));
    cr_assert(track->phase[PHASE_UPLOAD].count == 2 && track->phase[PHASE_COMPUTE].count == 0);
    cr_assert(track->phase[PHASE_REPACK].count == 1 && track->phase[PHASE_REPACK].value[0] == 5e-8);
    cr_assert(track->phase[PHASE_DOWNLOAD].count == 1 && track->phase[PHASE_DOWNLOAD].value[0] == 3e-8);
    cr_assert_eq(track->slices, 1);
    cr_assert(track->slice[0].number == 3 && track->slice[0].median == 0.002 && track->slice[0].at == 2);
    cr_assert(fabs(track->spent - 0.00600011) < 1e-12 && track->cpu == 0.004);
    cr_assert_float_eq(track->elapsed, 0.006, 1e-12, "neither writing inputs nor emptying caches is of the runs");
    cr_assert_eq(track->stop, STOP_PRECISE);
    cr_assert_str_eq(a->note[0], "of the cell");
    cr_assert_str_eq(record->note[0], "of the run");
    cr_assert(b->ended && b->outcome.status == STATUS_CRASHED && !a->ended);
    cr_assert_str_eq(b->outcome.message, "died");
    cr_assert_str_eq(record->end, "interrupted");
    cr_assert_eq(record->elapsed, 3);
}

Test(record, the_result_of_a_link_goes_to_the_next_device)
{
    char line[256];
    struct record *record = new_record();
    add(record, "{'line':'journal','schema':'bench-journal/3','seed':1}");
    add(record,
        "{'line':'device','id':'x','key':'x','backend':'cuda','source':'y','class':'dGPU','index':1,'peers':3}");
    add(record, "{'line':'device','id':'o','key':'o','backend':'opencl','class':'dGPU','index':1,'peers':3}");
    for (unsigned i = 0; i < 3; i++) {
        addf(record, "{'line':'device','id':'cuda:%u','key':'%u','backend':'cuda','class':'dGPU','index':%u,'peers':3}",
             i, i, i);
        addf(record, "{'line':'cell','key':'from %u','block':'one','device':'cuda:%u','link':true}", i, i);
    }
    for (unsigned i = 0; i < 3; i++) {
        const struct device *to = record_destination(record, record->cell[i]);
        snprintf(line, sizeof line, "cuda:%u", (i + 1) % 3);
        cr_assert_not_null(to, "from %u", i);
        cr_expect_str_eq(to->id, line);
    }
    add(record, "{'line':'cell','key':'no link','block':'one','device':'cuda:0'}");
    cr_expect_null(record_destination(record, record->cell[3]));
}

Test(record, a_check_of_a_sample_checks_no_run_whole)
{
    struct record *record = two_cells();
    add(record, "{'line':'slice','cell':'a','series':'resident','number':0,'wall_ns':[5],'runs':9,'check_ns':"
                "1000000000,'check_every':2}");
    add(record, "{'line':'slice','cell':'a','series':'resident','number':1,'wall_ns':[5],'runs':9,'check_ns':"
                "2000000000,'check_every':2,'check_sample':8947}");
    const struct cell_record *a = record_cell(record, "a");
    cr_assert(a->checks.timed == 18 && a->checks.checked == 1 && a->checks.seconds == 3 && a->checks.every == 2);
    cr_assert_not(a->checks.differ);
}

Test(record, one_check_that_found_other_bits_is_kept)
{
    static const char *const checks[] = {
        "{'line':'slice','cell':'a','series':'resident','number':1,'wall_ns':[5],'runs':9,'check_ns':2000000000,'check_"
        "every':2,'check_differs':true}",
        "{'line':'verify','cell':'a','pass':'after','checks':[{'name':'left "
        "behind','checked':5,'weak':false,'differs':true},{'name':'once more','checked':5,'weak':false}]}",
    };
    for (unsigned i = 0; i < 2; i++) {
        struct record *record = two_cells();
        add(record, checks[i]);
        add(record, "{'line':'slice','cell':'a','series':'resident','number':2,'wall_ns':[5],'check_ns':9}");
        cr_assert(record_cell(record, "a")->checks.differ);
        cr_assert_not(record_cell(record, "b")->checks.differ);
    }
}

Test(record, contradictions_are_named_and_leave_it_usable)
{
    static const char *const lines[][2] = {
        { "{'line':'journal'}", "a second journal" },
        { "{'line':'device','id':'cpu','key':'cpu/x','backend':'cpu','class':'CPU'}", "a second device cpu" },
        { "{'line':'cell','key':'a'}", "a second cell 'a'" },
        { "{'line':'cell','key':[]}", "a cell without a key" },
        { "{'line':'slice','cell':'c'}", "a line 'slice' of an unknown cell 'c'" },
        { "{'line':'stop'}", "a line 'stop' of an unknown cell ''" },
        { "{'line':'note','cell':'c'}", "a note on an unknown cell 'c'" },
        { "{'line':'slice','cell':'a','series':'resident','number':5,'wall_ns':[1]}", "slice 5 after slice 5 of 'a'" },
        { "{'line':'slice','cell':'a','series':'resident','number':4,'wall_ns':[1]}", "slice 4 after slice 5 of 'a'" },
        { "{'line':'outcome','cell':'a','status':'ok'}", "a second outcome of 'a'" },
        { "{'line':'baseline','cell':'z'}", "a line 'baseline' of an unknown cell 'z'" },
    };
    struct record *record = two_cells();
    add(record, "{'line':'device','id':'cpu','key':'cpu/x','backend':'cpu','class':'CPU'}");
    add(record, "{'line':'slice','cell':'a','series':'resident','number':5,'wall_ns':[1000000]}");
    add(record, "{'line':'outcome','cell':'a','status':'ok'}");
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        refuse(record, lines[i][0], lines[i][1]);
    add(record, "{'line':'slice','cell':'a','series':'resident','number':6,'wall_ns':[1000000]}");
    cr_assert_eq(record_cell(record, "a")->track[SERIES_RESIDENT].wall.count, 2);
    cr_assert_eq(record->devices, 1);
}

Test(record, members_of_a_wrong_type_are_unknown)
{
    static const char *const lines[] = {
        "{}",
        "{'line':7}",
        "{'line':'plot'}",
        "{'line':'cell','key':'w','block':7,'device':{},'flops':'many','bytes':-5,'repro':null}",
        ("{'line':'first','cell':'w','open_ns':'1','run_ns':-7,'upload_ns':1e300,'detail':[],'memory_node':-1e300,'"
         "device_node':1e300}"),
        "{'line':'verify','cell':'w','checks':[{'checked':1,'smallest_error':'x','weak':7}]}",
        "{'line':'state','cell':'w','when':3,'clock':'fast','governor':7,'on_battery':1}",
        "{'line':'slice','cell':'w','series':9}",
        "{'line':'slice','cell':'w','series':'later','number':1,'wall_ns':[1]}",
        "{'line':'slice','cell':'w','series':'resident','number':-1,'wall_ns':{'a':1},'phases':3}",
        "{'line':'slice','cell':'w','series':'resident','number':1e300,'cpu_ns':'x'}",
        ("{'line':'slice','cell':'w','series':'resident','wall_ns':[0,-5,1e300,'7',null],'event_ns':5}"),
        "{'line':'stop','cell':'w','series':'resident','reason':4}",
        "{'line':'note','text':7}",
        "{'line':'note','cell':7,'text':'run'}",
        "{'line':'absent','backend':7}",
        "{'line':'end','status':[],'elapsed_ns':{}}",
        "{'line':'outcome','cell':'w','status':'splendid'}",
    };
    struct record *record = two_cells();
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        add(record, lines[i]);
    const struct cell_record *cell = record_cell(record, "w");
    cr_assert_str_eq(cell->block, "");
    cr_assert(isnan(cell->flops) && isnan(cell->bytes));
    cr_assert(isnan(cell->first.open) && isnan(cell->first.run) && isnan(cell->first.upload));
    cr_assert(cell->first.memory_node == -1 && cell->first.device_node == -1);
    cr_assert(isnan(cell->smallest_error) && !cell->weak && isnan(cell->before.clock) && cell->after.on_battery == -1);
    cr_assert_eq(cell->track[SERIES_RESIDENT].wall.count, 0);
    cr_assert_eq(cell->track[SERIES_RESIDENT].unusable, 7, "five of one slice, and two slices without times");
    cr_assert_eq(cell->track[SERIES_RESIDENT].stop, STOP_NOT_YET);
    cr_assert(isnan(record_time(cell, SERIES_RESIDENT).value));
    cr_assert_eq(cell->outcome.status, STATUS_FAILED);
    cr_assert_str_eq(cell->outcome.message, "the journal has an unknown outcome");
}

Test(record, keeps_who_raced_and_who_was_chosen)
{
    struct record *record = two_cells();
    add(record, "{'line':'race','block':'one','device':'opencl:0','memory':'mapped','for':'resident','rounds':12,'"
                "origin':'remembered','settled':false,'contenders':[{'method':'portable','kernel_shape':'8x8','status':"
                "'ok','rounds':4,'ratio':0.5,'end':'slower','wall_ns':2000000,'first_ns':3000000},{'method':'clblast','"
                "status':'wrong','end':'failed','reason':'all zeros'},{'method':7,'end':'won','rounds':-1}, 7]}");
    add(record, "{'line':'race','block':'one','device':'opencl:0','memory':'pinned','for':'copied','contenders':[{'"
                "method':'portable'}]}");
    add(record, "{'line':'cell','key':'c','block':'one','device':'opencl:0','memory':'pinned','method':'portable','"
                "kernel_shape':'8x8','tied_with':['onednn','portable "
                "8x16',5],'measures':'copied','baseline':'a','baseline_copied':'b'}");
    const struct cell_record *cell = record_cell(record, "c"), *plain = record_cell(record, "b");
    cr_assert_str_eq(cell->kernel_shape, "8x8");
    cr_assert_str_eq(cell->baseline_copied, "b");
    cr_assert_eq(cell->measures, MEASURES_COPIED);
    cr_assert(plain->measures == MEASURES_BOTH && strcmp(plain->baseline_copied, "a") == 0);

    struct cell_record resident = *cell;
    resident.measures = MEASURES_RESIDENT;
    const struct race_record *race = record_race(&record->block[0], &resident);
    cr_assert_neq(race, NULL);
    cr_assert(race->rounds == 12 && race->contenders == 4 && race->settled == 0);
    const struct contender_record *first = &race->contender[0];
    cr_assert(first->end == RACE_SLOWER && first->run == 0.002 && first->first == 0.003 && first->ratio == 0.5);
    cr_assert(race->contender[1].end == RACE_FAILED && isnan(race->contender[1].run));
    cr_assert_str_eq(race->contender[1].outcome.message, "all zeros");
    cr_assert(race->contender[2].end == RACE_PASSED_OVER && race->contender[2].rounds == 0);
    cr_assert_eq(record_race(&record->block[0], cell), &record->block[0].race[1]);
    cr_assert_eq(record->block[0].race[1].settled, -1);
    cr_assert_eq(record_race(&record->block[0], record_cell(record, "a")), NULL);

    add(record, "{'line':'baseline','cell':'c','measures':'copied'}");
    cr_assert(strcmp(plain->baseline_copied, "c") == 0 && strcmp(plain->baseline, "a") == 0);
    add(record, "{'line':'baseline','cell':'b'}");
    cr_assert(strcmp(plain->baseline_copied, "b") == 0 && strcmp(plain->baseline, "b") == 0);
}

/* Of the two contenders of a race. */
static void expect_race(const struct race_record *race, enum race_end first, enum race_end second, const char *why)
{
    cr_expect(race->contender[0].end == first && race->contender[1].end == second, "%s: %s, %s", why,
              race_end_names[race->contender[0].end], race_end_names[race->contender[1].end]);
}

Test(record, a_race_names_the_method_that_took_the_place_of_the_first)
{
    static const char *const races[][4] = { { "d", "m", "resident", "measured" },
                                            { "e", "m", "resident", "measured" },
                                            { "d", "n", "resident", "measured" },
                                            { "d", "m", "copied", "slower" } };
    struct record *record = two_cells();
    for (unsigned i = 0; i < 4; i++)
        addf(record,
             "{'line':'race','block':'one','device':'%s','memory':'%s','for':'%s','contenders':[{'method':'x','end':"
             "'%s'},{'method':'y','end':'tied'}]}",
             races[i][0], races[i][1], races[i][2], races[i][3]);
    for (const char *const *key = (const char *const[]){ "x", "y", NULL }; *key; key++)
        addf(record, "{'line':'cell','key':'%s','block':'one','device':'d','memory':'m','method':'%s'}", *key, *key);
    add(record, "{'line':'chosen','cell':'y','instead_of':'x'}");
    const struct race_record *race = record->block[0].race;
    expect_race(&race[0], RACE_TIED, RACE_MEASURED, "it is theirs");
    expect_race(&race[1], RACE_MEASURED, RACE_TIED, "another device");
    expect_race(&race[2], RACE_MEASURED, RACE_TIED, "other memory");
    expect_race(&race[3], RACE_SLOWER, RACE_TIED, "it was not chosen");
}

/* One that lost in tuning may have been timed at another size. */
Test(record, a_kernel_shape_that_lost_without_a_worker_has_no_time)
{
    struct record *record = two_cells();
    add(record, "{'line':'race','block':'one','device':'d','for':'resident','contenders':[{'method':'x','kernel_shape':"
                "'8x8','end':'measured','wall_ns':5000},{'method':'x','kernel_shape':'4x4','end':'slower','wall_ns':"
                "6000},{'method':'x','kernel_shape':'2x2','end':'slower','wall_ns':7000,'first_ns':9000},{'method':'y',"
                "'end':'slower','wall_ns':8000}]}");
    const struct contender_record *one = record->block[0].race[0].contender;
    cr_expect(one[0].run == 5e-6 && isnan(one[1].run) && one[2].run == 7e-6 && one[3].run == 8e-6);
}

Test(record, a_wrong_answer_has_no_speed)
{
    static const char *const outcomes[] = { "ok", "wrong", "impossible" };
    for (unsigned i = 0; i < 3; i++) {
        struct record *record = two_cells();
        add_slices(record, "a 10, b 5, b copied 30, a 10");
        add(record, "{'line':'meter','cell':'b','runs':7,'elapsed_ns':2e9,'energy_j':{'gpu':140},'error':0.01}");
        addf(record, "{'line':'outcome','cell':'b','status':'%s'}", outcomes[i]);
        const struct cell_record *a = record_cell(record, "a"), *b = record_cell(record, "b");
        cr_expect_eq(isnan(record_time(b, SERIES_RESIDENT).value), i > 0);
        cr_expect_eq(isnan(record_time(b, SERIES_COPIED).value), i > 0);
        cr_expect_eq(isnan(figure_read(record, b, USE_RESIDENT).speedup.value), i > 0);
        cr_expect_not(isnan(record_time(a, SERIES_RESIDENT).value));
        const double joules = b->meter.energy.of[ENERGY_GPU];
        cr_expect(i > 0 ? isnan(joules) && isnan(b->meter.runs) : joules == 140 && b->meter.error == 0.01, "%s: %g J",
                  outcomes[i], joules);
    }
}

/* Only a worker that died printed something that explains it. */
Test(record, what_a_driver_printed_last_is_told_of_a_death_alone)
{
    static const char *const rows[][2] = { { "crashed", "it was so; it printed last: out of memory" },
                                           { "timeout", "it was so; it printed last: out of memory" },
                                           { "failed", "it was so" } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct record *record = two_cells();
        addf(record, "{'line':'outcome','cell':'b','status':'%s','reason':'it was so','log':'out of memory'}",
             rows[i][0]);
        cr_expect_str_eq(record_cell(record, "b")->outcome.message, rows[i][1]);
    }
}

Test(record, what_a_cell_does_not_say_is_the_usual)
{
    static const struct {
        const char *says, *copied;
        unsigned launches;
    } rows[] = { { "", "a", 1 },
                 { ",'baseline_copied':'b'", "b", 1 },
                 { ",'baseline_copied':''", "", 1 },
                 { ",'launches':7", "a", 7 },
                 { ",'launches':0", "a", 1 } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct record *record = two_cells();
        addf(record, "{'line':'cell','key':'c','block':'one','device':'cpu','baseline':'a'%s}", rows[i].says);
        const struct cell_record *c = record_cell(record, "c");
        cr_expect_str_eq(c->baseline_copied, rows[i].copied, "%s", rows[i].says);
        cr_expect_eq(c->launches, rows[i].launches, "%s: %u", rows[i].says, c->launches);
    }
}

Test(record, the_time_of_a_block_is_that_of_all_its_lines)
{
    struct record *record = two_cells();
    add(record, "{'line':'spent','block':'one','opening_ns':1000000000,'measuring_ns':2000000000}");
    add(record, "{'line':'spent','block':'one','measuring_ns':3000000000,'closing_ns':null}");
    const double *spent = record->block[0].spent;
    cr_expect(spent[SPENT_OPENING] == 1 && spent[SPENT_MEASURING] == 5 && spent[SPENT_CLOSING] == 0);
}

/* At the end of a run, or of any part of one that was resumed. */
Test(record, cores_that_changed_once_have_changed)
{
    struct record *record = two_cells();
    add(record, "{'line':'end','status':'interrupted','cores_changed':true}");
    add(record, "{'line':'resume'}");
    add(record, "{'line':'end','status':'complete','probes_ns':7000000000}");
    cr_expect(record->cores_changed);
    cr_expect_eq(record->probing, 0, "readings after the last figure are no part of it");
}

Test(record, a_suite_is_named_where_no_option_chose_a_part_of_it)
{
    static const char *const narrower[] = { "workload", "size", "dtype", "method", "memory" };
    char line[200];
    for (unsigned i = 0; i <= 5; i++) {
        struct record *record = new_record();
        snprintf(
            line, sizeof line,
            "{'line':'journal','schema':'bench-journal/3','options':{'suite':'quick','device':['cpu'],'%s':['x']}}",
            i < 5 ? narrower[i] : "others");
        add(record, line);
        cr_expect_str_eq(record_suite(record), i < 5 ? "" : "quick", "%s", line);
        add(record, "{'line':'sweep'}");
        cr_expect_str_empty(record_suite(record), "a sweep is of no suite");
    }
}

Test(record, texts_come_in_clean_and_bounded)
{
    struct record *record = new_record();
    char *line = malloc(1 << 20);
    char *end = line + sprintf(line, "{'line':'cell','key':'k\\u001b[2J\\n1','method':'");
    memset(end, 'x', 1 << 19);
    strcpy(end + (1 << 19), "\"}");
    add(record, line);
    free(line);
    add(record, "{'line':'note','cell':'k\\u001b[2J\\n1','text':'a\\u202eb'}");
    const struct cell_record *cell = record_cell(record, "k [2J 1");
    cr_assert_neq(cell, NULL);
    cr_assert_lt(strlen(cell->method), TEXT_ROOM);
    cr_assert_str_eq(cell->note[0], "a b");
}

/* In journals of version 3 slices have no visit; one of copied runs is compared with a resident one where the baseline
 * has no other. Which side is first in a visit alternates; the baseline has a slice for each use, of which the nearest
 * counts.
 */
Test(record, a_slice_is_compared_with_the_baseline_slice_of_its_visit_or_before_it)
{
    static const struct {
        const char *what, *slices, *resident, *copied;
    } rows[] = {
        { "without visits: the first one, and the last", "a 10, b 5, b copied 40, b 3, a 20, b 10", "2 2", "0.25" },
        { "visits: 2, 4, 1, and one whose baseline's worker ended",
          "@0 a 10, b 5, @1 b 5, a 20, @2 a 20, b 20, b copied 60, a 30, @3 b 20", "2 4 1", "0.5" },
        { "few visits have one of the baseline", "@0 b 5, @1 a 10, b 5, @2 b 5", "2", "" },
        { "copied ones of the baseline", "a 10, a copied 14, b 5, b copied 10, a 10, a copied 16", "2", "1.4" },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct record *record = two_cells();
        double one;
        add_slices(record, rows[i].slices);
        expect_ratios(record, "b", SERIES_RESIDENT, rows[i].resident);
        expect_ratios(record, "b", SERIES_COPIED, rows[i].copied);
        expect_ratios(record, "b", SERIES_QUEUED, "");
        expect_ratios(record, "a", SERIES_RESIDENT, "");
        cr_expect(i > 0 || record_ratios(record, record_cell(record, "b"), SERIES_RESIDENT, &one, 1) == 1);
        const struct estimate speedup = figure_read(record, record_cell(record, "b"), USE_RESIDENT).speedup;
        cr_expect(i > 0 || (isnan(speedup.low) && speedup.samples == 2), "%u pairs", speedup.samples);
    }
}

Test(record, several_devices_share_the_baseline_slice_of_a_visit)
{
    struct record *record = two_cells();
    add(record, "{'line':'cell','key':'c','block':'one','device':'opencl:1','baseline':'a'}");
    add_slices(record, "@0 b 5, c 2, @1 a 10, b 5, c 2, @2 b 5, c 2");
    expect_ratios(record, "b", SERIES_RESIDENT, "2");
    expect_ratios(record, "c", SERIES_RESIDENT, "5");
}

Test(record, a_chosen_cell_loses_its_slices_and_takes_the_place_of_the_other)
{
    struct record *record = two_cells();
    add(record, "{'line':'cell','key':'c','block':'one','baseline':'a','baseline_copied':'b'}");
    add(record, "{'line':'cell','key':'z','block':'two','baseline':'z'}");
    add_slices(record, "@0 c 5, b 5");
    refuse(record, "{'line':'chosen','cell':'c','instead_of':'z'}",
           "'c' is chosen instead of 'z', which is no other cell of its block");
    refuse(record, "{'line':'chosen','cell':'c','instead_of':'c'}",
           "'c' is chosen instead of 'c', which is no other cell of its block");
    add(record, "{'line':'chosen','cell':'b','instead_of':null}");
    cr_expect_eq(record_cell(record, "b")->track[SERIES_RESIDENT].slices, 0);
    cr_expect_eq(record->cells, 4);
    add(record, "{'line':'chosen','cell':'c','instead_of':'a'}");
    cr_expect_null(record_cell(record, "a"));
    cr_expect_eq(record->cells, 3);
    cr_expect_eq(record->block[0].cells, 2);
    cr_expect_str_eq(record->block[0].cell[0]->key, "b");
    cr_expect_eq(record_cell(record, "c")->track[SERIES_RESIDENT].slices, 0);
    cr_expect_str_eq(record_cell(record, "b")->baseline, "c");
    cr_expect_str_eq(record_cell(record, "c")->baseline, "c");
    cr_expect_str_eq(record_cell(record, "c")->baseline_copied, "b");
    cr_expect_str_eq(record_cell(record, "z")->baseline, "z");
    refuse(record, "{'line':'outcome','cell':'a','status':'ok'}", "a line 'outcome' of an unknown cell 'a'");
    add_slices(record, "@3 c 5");
    cr_expect_eq(record_cell(record, "c")->track[SERIES_RESIDENT].slices, 1);
}

/* "b" on a device that works in host memory, with one resident slice in turn with both series of "a". */
Test(record, a_cell_in_place_is_compared_with_a_copied_too_unless_it_repacks)
{
    for (unsigned repacks = 0; repacks < 2; repacks++) {
        struct record *record = two_cells();
        add(record,
            "{'line':'device','id':'opencl:0','key':'k','backend':'opencl','class':'CPU','works_in_host_memory':"
            "true}");
        add_slices(record, "a 10, a copied 15, b 5");
        if (repacks)
            add(record, "{'line':'first','cell':'b','repack_ns':5000000}");
        const struct cell_record *cell = record_cell(record, "b");
        cr_assert_eq(record_is_in_place(record, cell), !repacks);
        cr_assert_not(record_is_in_place(record, record_cell(record, "a")));
        expect_ratios(record, "b", SERIES_COPIED, repacks ? "" : "3");
        expect_ratios(record, "b", SERIES_RESIDENT, "2");
        const double speedup = figure_read(record, cell, USE_COPIED).speedup.value;
        cr_expect(repacks ? isnan(speedup) : speedup == 3, "%g", speedup);
    }
}

Test(record, slices_that_do_not_alternate_give_a_ratio_without_an_interval)
{
    struct record *record = two_cells();
    for (unsigned turn = 0; turn < 20; turn++)
        add_slices(record, turn < 10 ? text_print("a %u", 7 + turn).text : "b 10");
    expect_ratios(record, "b", SERIES_RESIDENT, "");
    struct estimate speedup = figure_read(record, record_cell(record, "b"), USE_RESIDENT).speedup;
    cr_assert_float_eq(speedup.value, 11.5 / 10, 1e-12);
    cr_assert(isnan(speedup.low) && isnan(speedup.high) && speedup.samples == 0);
}

/* Which side is first alternates. */
Test(record, drift_of_both_sides_does_not_change_the_ratio)
{
    struct record *record = two_cells();
    for (unsigned turn = 0; turn < 40; turn++) {
        const unsigned visit = turn / 2, is_b = (turn + visit) % 2;
        add_slices(record,
                   text_print("@%u %s %.4f", visit, is_b ? "b" : "a", (is_b ? 1 : 3) * (100 + 0.001 * turn)).text);
    }
    struct estimate speedup = figure_read(record, record_cell(record, "b"), USE_RESIDENT).speedup;
    cr_assert(fabs(speedup.value - 3) < 1e-4 && speedup.low > 2.999 && speedup.high < 3.001, "%g", speedup.value);
    struct estimate time = record_time(record_cell(record, "b"), SERIES_RESIDENT);
    cr_assert(fabs(time.value - 0.1) < 1e-4);
}

Test(record, slices_weigh_alike_however_many_runs_they_have)
{
    struct record *record = two_cells();
    for (unsigned turn = 0; turn < 20; turn++)
        add_slices(record, "a 10");
    char line[1024] = "{'line':'slice','cell':'a','series':'resident','number':9999,'wall_ns':[5000000";
    for (unsigned i = 0; i < 60; i++)
        strcat(line, ",5000000");
    add(record, strcat(line, "]}"));
    struct estimate time = record_time(record_cell(record, "a"), SERIES_RESIDENT);
    cr_assert(time.value == 0.01 && time.low == 0.01 && time.high == 0.01, "%g [%g, %g]", time.value, time.low,
              time.high);
    cr_assert_eq(time.samples, 81);
}

Test(record, a_workload_that_only_moves_data_has_its_headline_in_copied)
{
    struct record *record = two_cells();
    cr_assert_eq(cell_headline(record_cell(record, "a")), USE_RESIDENT);
    add_slices(record, "a copied 2, b copied 1");
    cr_assert_eq(cell_headline(record_cell(record, "a")), USE_COPIED);
    expect_ratios(record, "b", SERIES_COPIED, "2");
    add_slices(record, "a 1");
    cr_assert_eq(cell_headline(record_cell(record, "a")), USE_RESIDENT);
}

Test(record, blocks_come_in_the_order_planned_and_keep_their_cells)
{
    struct record *record = two_cells();
    add(record, "{'line':'cell','key':'c','block':'two'}");
    add(record, "{'line':'cell','key':'d','block':'one'}");
    cr_assert_eq(record->blocks, 2);
    cr_assert_str_eq(record->block[0].name, "one");
    cr_assert_str_eq(record->block[1].name, "two");
    cr_assert_eq(record->block[0].cells, 3);
    cr_assert_str_eq(record->block[0].cell[2]->key, "d");
}

Test(record, a_race_is_kept_with_its_block_before_there_is_a_cell)
{
    struct record *record = new_record();
    add(record, "{'line':'race','block':'one','device':'cpu','for':'resident','contenders':[{'method':'v','status':'"
                "crashed','reason':'killed','log':'last words'}]}");
    cr_assert(record->blocks == 1 && record->block[0].cells == 0 && record->block[0].races == 1);
    cr_assert_str_eq(record->block[0].race[0].contender[0].outcome.message, "killed; it printed last: last words");
    cr_assert_eq(record_find_block(record, "one"), &record->block[0]);
    cr_assert_null(record_find_block(record, "two"));
    add(record, "{'line':'cell','key':'a','block':'one'}");
    cr_assert(record->blocks == 1 && record->block[0].cells == 1);
    add(record, "{'line':'race','block':'one','device':'cpu','for':'resident','rounds':7,'contenders':[]}");
    cr_assert(record->block[0].races == 1 && record->block[0].race[0].rounds == 7);
}

Test(record, a_hostile_race_is_clean_bounded_and_unknown)
{
    char many[2001];
    struct record *record = new_record();
    memset(many, 'x', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    add(record, "{'line':'race','block':7,'device':{},'for':[],'rounds':1e300,'contenders':{'a':1}}");
    addf(record,
         "{'line':'race','block':'','for':'copied','contenders':[{'method':'%s','kernel_shape':'a\\u001b[2J\\nb','wall_"
         "ns':1e300,'first_ns':-5,'ratio':'x'}]}",
         many);
    const struct race_record *race = record->block[0].race;
    cr_assert(record->block[0].races == 2 && race[0].contenders == 0 && race[0].rounds == 0);
    const struct contender_record *contender = race[1].contender;
    cr_assert_eq(strlen(contender->method), strlen(many));
    cr_assert_str_eq(contender->kernel_shape, "a [2J b");
    cr_assert(isnan(contender->run) && isnan(contender->first) && isnan(contender->ratio));
    cr_assert_eq(contender->outcome.status, STATUS_FAILED);
}

Test(record, another_baseline_replaces_the_planned_one_in_its_block)
{
    struct record *record = two_cells();
    add(record, "{'line':'cell','key':'c','block':'two','baseline':'c'}");
    add(record, "{'line':'cell','key':'d','block':'one','baseline':'a'}");
    add(record, "{'line':'baseline','cell':'d'}");
    cr_assert_str_eq(record_cell(record, "a")->baseline, "d");
    cr_assert_str_eq(record_cell(record, "b")->baseline, "d");
    cr_assert_str_eq(record_cell(record, "d")->baseline, "d");
    cr_assert_str_eq(record_cell(record, "c")->baseline, "c");
}

Test(record, a_hundred_thousand_cells_are_found_again)
{
    enum { CELLS = 100000 };
    struct record *record = new_record();
    for (unsigned i = 0; i < CELLS; i++)
        addf(record, "{'line':'cell','key':'%u','block':'%u'}", i, i);
    add_slices(record, "99999 1");
    cr_assert_eq(record->blocks, CELLS);
    cr_assert_eq(record_cell(record, "99999"), record->cell[CELLS - 1]);
}

Test(record, too_many_devices_are_left_out)
{
    struct record *record = new_record();
    for (unsigned i = 0; i < DEVICES_MAX; i++)
        addf(record, "{'line':'device','id':'d%u','key':'k%u','backend':'fake','class':'CPU'}", i, i);
    refuse(record, "{'line':'device','id':'more','key':'k','backend':'fake','class':'CPU'}",
           "more than 64 devices: more is left out");
    cr_assert_eq(record_device(record, "d63"), &record->device[63]);
    cr_assert_eq(record_device(record, "more"), NULL);
}

/* --- what several lines add up to --- */

static void take_slice(struct record *record, unsigned number, const char *more)
{
    addf(record, "{'line':'slice','cell':'a','series':'resident','number':%u,'wall_ns':[1000]%s}", number, more);
}

/* The largest distance of checks, in the first, the second or the last slice that has one. */
Test(record, checks_are_as_far_apart_as_they_were_at_most)
{
    static const unsigned every[3][3] = { { 5, 3, 4 }, { 3, 5, 4 }, { 3, 4, 5 } };
    for (unsigned i = 0; i < 3; i++) {
        struct record *record = two_cells();
        for (unsigned k = 0; k < 3; k++) {
            take_slice(record, 2 * k, text_print(",\"runs\":2,\"check_ns\":1000,\"check_every\":%u", every[i][k]).text);
            take_slice(record, 2 * k + 1, ",\"runs\":2");
        }
        add(record, "{'line':'verify','cell':'a','checked_runs':2,'checks':[{'checked':1}]}");
        add(record, "{'line':'verify','cell':'a','checked_runs':1,'checks':[{'checked':1}]}");
        const struct cell_record *cell = record_cell(record, "a");
        cr_expect_eq(cell->checks.every, 5, "case %u: %g", i, cell->checks.every);
        cr_expect_eq(cell->checks.timed, 12);
        cr_expect_eq(cell->checks.checked, 6, "%g", cell->checks.checked);
    }
}

/* The weak one of three checks is the first, the second or the third, and so is the one with the smallest error. */
Test(record, of_several_checks_the_weakest_counts)
{
    static const char weak[] = "{'checked':1,'weak':true,'smallest_error':1}",
                      good[] = "{'checked':1,'weak':false,'smallest_error':3}";
    for (unsigned i = 0; i < 3; i++) {
        struct record *record = two_cells();
        addf(record, "{'line':'verify','cell':'a','checks':[%s,%s,%s]}", i == 0 ? weak : good, i == 1 ? weak : good,
             i == 2 ? weak : good);
        cr_expect(record_cell(record, "a")->weak, "check %u", i);
        cr_expect_eq(record_cell(record, "a")->smallest_error, 1, "check %u", i);
    }
}

/* Phases, looks and what held the clock down are those of the slice. */
Test(record, a_slice_has_nothing_of_the_slices_before_it)
{
    struct record *record = two_cells();
    static const char *const reasons[] = { "[]", "[\"power cap\"]", "[]" };
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned looks = 0; looks < 2; looks++)
            add(record, "{'line':'look','processor':0,'rate':2}");
        addf(record,
             "{'line':'slice','cell':'a','series':'copied','number':%u,'wall_ns':[5000],'phases':{'upload_ns':[%u,%u],'"
             "compute_ns':[%u]},'gpu':{'before':{'reasons':['heat']},'after':{'reasons':%s}}}",
             3 + i, 1000 * (i + 1), 1000 * (i + 1), 7000 * (i + 1), reasons[i]);
    }
    refuse(record, "{'line':'slice','cell':'a','series':'copied','number':4,'wall_ns':[5000]}",
           "slice 4 after slice 5 of 'a'");
    const struct track *track = &record_cell(record, "a")->track[SERIES_COPIED];
    cr_assert_eq(track->slices, 3);
    for (unsigned i = 0; i < 3; i++) {
        cr_expect_float_eq(track->slice[i].phase[PHASE_UPLOAD], 1e-6 * (i + 1), 1e-12);
        cr_expect_float_eq(track->slice[i].phase[PHASE_COMPUTE], 7e-6 * (i + 1), 1e-12);
        cr_expect_eq(track->slice[i].looks, 2 * (i + 1));
        cr_expect(track->slice[i].knows_held);
        cr_expect_eq(track->slice[i].held != 0, i == 1, "slice %u", i);
    }
}

/* Of three processors, looked at in turn, at 1, 2 and 3. */
Test(record, the_usual_rate_is_that_of_each_processor)
{
    struct record *record = two_cells();
    for (unsigned i = 0; i < 90; i++)
        addf(record, "{'line':'look','processor':%u,'rate':%u}", 4 * (i % 3), i % 3 + 1);
    cr_assert_eq(record->usual_looks, 3);
    for (unsigned i = 0; i < 3; i++) {
        cr_expect_eq(record->usual_look[i].processor, 4 * i);
        cr_expect_float_eq(record->usual_look[i].rate, i + 1, 1e-9, "%g", record->usual_look[i].rate);
    }
}

Test(record, what_is_before_and_after_and_up_and_down_is_kept_apart)
{
    struct record *record = two_cells();
    add(record,
        "{'line':'first','cell':'a','open_ns':1000,'alloc_ns':2000,'compile_ns':3000,'upload_ns':4000,'repack_ns':5000,"
        "'run_ns':6000,'download_ns':7000,'map_ns':8000,'memory_cost':{'device_operands':1,'host_operands':2,'context_"
        "host':3,'held_twice':4,'repacked':5,'peak_host':6,'context_device':7,'held_device':8}}");
    add(record, "{'line':'state','cell':'a','when':'before','busy':1,'gpu':{'power':10}}");
    add(record, "{'line':'state','cell':'a','when':'after','busy':2,'gpu':{'power':20}}");
    const struct cell_record *cell = record_cell(record, "a");
    const struct first *first = &cell->first;
    const struct memory_cost *cost = &first->memory_cost;
    const double parts[] = { first->open,   first->alloc, first->compile,  first->upload,
                             first->repack, first->run,   first->download, first->map },
                 bytes[] = { cost->device_operands, cost->host_operands, cost->context_host,   cost->held_twice,
                             cost->repacked,        cost->peak_host,     cost->context_device, cost->held_device };
    for (unsigned i = 0; i < 8; i++) {
        cr_expect_float_eq(parts[i], 1e-6 * (i + 1), 1e-12, "part %u: %g", i, parts[i]);
        cr_expect_eq(bytes[i], i + 1, "cost %u: %g", i, bytes[i]);
    }
    cr_expect(cell->before.busy == 1 && cell->after.busy == 2);
    cr_expect(cell->gpu_before.power == 10 && cell->gpu_after.power == 20);
}

/* Three races of a device: without one in the cell's memory the first counts. */
Test(record, the_race_of_a_cell_is_that_of_its_memory_or_else_the_first)
{
    static const char *const memories[] = { "mapped", "pinned", "pageable" };
    struct record *record = new_record();
    for (unsigned i = 0; i < 4; i++)
        addf(record, "{'line':'cell','key':'%u','block':'b','device':'d','method':'m','memory':'%s'}", i,
             i < 3 ? memories[i] : "mapped-copy");
    for (unsigned i = 0; i < 3; i++)
        addf(record,
             "{'line':'race','block':'b','device':'d','memory':'%s','for':'resident','contenders':[{'method':'m','end':"
             "'measured'}]}",
             memories[i]);
    const struct block_record *block = record_find_block(record, "b");
    for (unsigned i = 0; i < 4; i++)
        cr_expect_eq(record_race(block, block->cell[i]), &block->race[i < 3 ? i : 0], "cell %u", i);
}

/* Device times of runs of their own have their own wall times. A second worker has no such time stamps, or alone has
 * them: the first decides, and what does not fit is left out. */
Test(record, device_times_are_paired_with_wall_times_or_left_out)
{
    static const char apart[] = ",\"event_wall_ns\":[900,901],\"event_ns\":[800,801]", beside[] = ",\"event_ns\":[700]";
    static const struct {
        const char *more[3];
        unsigned events, walls;
    } rows[] = { { { apart, apart, apart }, 6, 6 },
                 { { apart, beside, apart }, 4, 4 },
                 { { beside, apart, NULL }, 1, 0 } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct record *record = two_cells();
        for (unsigned k = 0; k < 3 && rows[i].more[k]; k++)
            take_slice(record, k, rows[i].more[k]);
        const struct track *track = &record_cell(record, "a")->track[SERIES_RESIDENT];
        cr_expect_eq(track->event.count, rows[i].events, "row %u: %u", i, track->event.count);
        cr_expect_eq(track->event_wall.count, rows[i].walls, "row %u: %u", i, track->event_wall.count);
        for (unsigned k = 0; k < track->event_wall.count; k++)
            cr_expect_float_eq(track->event_wall.value[k] - track->event.value[k], 100e-9, 1e-12, "row %u", i);
    }
}
