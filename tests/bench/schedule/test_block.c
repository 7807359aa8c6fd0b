/* How the rows of a problem are opened and measured: on scripted workers. */

#include "bench/plan/resume.h"
#include "bench/schedule/block.h"
#include "harness/analysis/figure.h"
#include "tests/support/scripted_workers.h"

#include <math.h>

TestSuite(block, .fini = scene_close);

static const struct script four[METHODS] = { { "onednn", .run = 0.004 },
                                             { "onednn-gemm", .run = 0.003 },
                                             { "openblas", .run = 0.002 },
                                             { "native", .run = 0.005 } };

/* --- room --- */

/* Whether the methods take turns because memory is short, or because a device takes one process: the first slices
 * decide, and the winner is opened again. */
Test(block, where_methods_take_turns_one_worker_is_open_and_first_slices_decide)
{
    for (unsigned is_exclusive = 0; is_exclusive < 2; is_exclusive++) {
        scene_open((const char *const[]){ "cpu", NULL }, four, (const char *const[]){ NULL });
        double largest = 0;
        for (unsigned i = 0; i < scene->made.plan.cells; i++)
            largest = fmax(largest, cell_host_bytes(&scene->made.plan.cell[i]) + 40e6);
        if (is_exclusive)
            scene->made.device[0].takes_one_process = true;
        else
            memory_available = 1.5 * largest / 0.7;
        scene_measure();
        memory_available = 1e12;
        cr_expect_eq(seen.most, 1, "%u are open", seen.most);
        cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), "openblas");
        cr_expect_eq(choice_of(0, MEASURES_RESIDENT)->rounds, 0);
        cr_expect_float_eq(contender_named("onednn-gemm", "")->ratio, 0.667, 0.03);
    }
}

Test(block, a_row_of_one_method_is_opened_once_where_methods_take_turns)
{
    scene_open((const char *const[]){ "cpu", NULL }, four, (const char *const[]){ "--method", "openblas", NULL });
    scene->made.device[0].takes_one_process = true;
    scene_measure();
    cr_expect_eq(seen.opened, 1, "%u", seen.opened);
}

/* One is refused while others are open; it costs that method alone. */
Test(block, what_has_no_memory_beside_others_is_left_out)
{
    struct script script[METHODS];
    memcpy(script, four, sizeof script);
    script[2].beside = STATUS_NO_MEMORY;
    scene_run("cpu", script, NULL, NULL);
    cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), "onednn-gemm");
    cr_expect_eq(contender_named("openblas", "")->outcome.status, STATUS_NO_MEMORY);
}

Test(block, what_the_plan_refuses_is_not_opened_and_told)
{
    scene_open((const char *const[]){ "cpu", NULL }, four, (const char *const[]){ NULL });
    for (unsigned i = 0; i < scene->made.plan.cells; i++)
        if (strcmp(scene->made.plan.cell[i].method->name, "openblas") == 0)
            fail(&scene->made.plan.cell[i].refused, STATUS_NO_MEMORY, "too large");
    scene_measure();
    cr_expect_eq(contender_named("openblas", "")->outcome.status, STATUS_NO_MEMORY);
    cr_expect_eq(count_requests("openblas", "open", NULL), 0);
    cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), "onednn-gemm");
}

/* --- lines and cells --- */

/* Two cells, each for its line, and what the device's row is compared with in each. */
Test(block, different_methods_for_data_that_stay_and_that_move_make_two_cells)
{
    static const struct script script[] = { { "onednn", .run = 0.001, .repack = 0.002 },
                                            { "onednn-gemm", .run = 0.002 },
                                            { "openblas", .run = 0.004 },
                                            { "native", .run = 0.008 },
                                            { "portable", .run = 0.0005 },
                                            { "clblast", .run = 0.002 },
                                            { .method = NULL } };
    scene_open((const char *const[]){ "cpu", "opencl:0", NULL }, script, (const char *const[]){ NULL });
    scene_measure();
    const struct record *record = scene->context.run_log.record;
    cr_assert_eq(record->cells, 3, "%u cells", record->cells);
    cr_expect_str_eq(record->cell[0]->method, "onednn");
    cr_expect_eq(record->cell[0]->measures, MEASURES_RESIDENT);
    cr_expect_str_eq(record->cell[1]->method, "onednn-gemm");
    cr_expect_eq(record->cell[1]->measures, MEASURES_COPIED);
    cr_expect_eq(record->cell[0]->track[SERIES_COPIED].slices, 0);
    cr_expect_eq(record->cell[1]->track[SERIES_RESIDENT].slices, 0, "it answers for the copied line alone");
    cr_expect_eq(record->cell[2]->measures, MEASURES_BOTH, "one worker serves both lines");
    cr_expect_str_eq(record->cell[2]->baseline, record->cell[0]->key);
    cr_expect_str_eq(record->cell[2]->baseline_copied, record->cell[1]->key);
    cr_expect_gt(record->cell[2]->track[SERIES_RESIDENT].slices, 5);
    cr_expect_gt(record->cell[2]->track[SERIES_COPIED].slices, 5);
}

Test(block, a_cell_for_data_that_move_is_measured_with_transfers_alone)
{
    static const struct script script[] = { { "openblas", .run = 0.004 },
                                            { "portable", .run = 0.0005, .repack = 0.003 },
                                            { "clblast", .run = 0.001 },
                                            { .method = NULL } };
    scene_open((const char *const[]){ "cpu", "opencl:0", NULL }, script,
               (const char *const[]){ "--size", "512", NULL });
    for (unsigned i = 0; i < scene->made.plan.cells; i++)
        if (scene->made.plan.cell[i].device == scene->context.baseline &&
            strcmp(scene->made.plan.cell[i].method->name, "openblas") != 0)
            fail(&scene->made.plan.cell[i].refused, STATUS_UNSUPPORTED, "not in this test");
    scene_measure();
    const struct record *record = scene->context.run_log.record;
    cr_assert_eq(record->cells, 3, "%u cells", record->cells);
    const struct cell_record *moves = record->cell[2];
    cr_expect_str_eq(moves->method, "clblast");
    cr_expect_eq(moves->measures, MEASURES_COPIED);
    cr_expect_gt(moves->track[SERIES_COPIED].slices, 5);
    cr_expect_eq(moves->track[SERIES_RESIDENT].slices, 0, "%u", moves->track[SERIES_RESIDENT].slices);
}

/* The one for data that stay fails once it is to be measured: the other is measured for both. The one for data that
 * move fails when the first is ready: the next is measured for these, and the first is left as it is. */
Test(block, of_two_methods_one_is_measured_for_both_if_the_first_fails)
{
    for (unsigned bad = 0; bad < 2; bad++) {
        struct script script[METHODS] = { { "onednn", .run = 0.001, .repack = 0.002 },
                                          { "onednn-gemm", .run = 0.002 },
                                          { "openblas", .run = 0.004 },
                                          { "native", .run = 0.008 } };
        script[bad].fails_in = "warmup";
        script[bad].fails_with = STATUS_CRASHED;
        scene_run("cpu", script, NULL, NULL);
        const struct record *record = scene->context.run_log.record;
        cr_assert_eq(record->cells, 2 + bad);
        cr_expect_eq(record->cell[bad]->outcome.status, STATUS_CRASHED);
        cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), script[1 - bad].method, "%u", bad);
        cr_expect_str_eq(measured(0, MEASURES_COPIED, "cpu"), bad == 0 ? "onednn-gemm" : "openblas", "%u", bad);
        for (unsigned i = 0; i < record->cells; i++)
            cr_expect(i == bad || record->cell[i]->outcome.status == STATUS_OK, "%u", i);
    }
}

/* Nothing is left for data that move: the method for data that stay is not measured for these. */
Test(block, a_method_that_is_measured_for_one_use_is_not_taken_for_the_other)
{
    static const struct script script[] = {
        { "onednn", .run = 0.001, .repack = 0.002 },
        { "onednn-gemm", .run = 0.002, .fails_in = "warmup", .fails_with = STATUS_CRASHED },
        { "openblas", .fails_in = "open", .fails_with = STATUS_UNSUPPORTED },
        { "native", .fails_in = "open", .fails_with = STATUS_UNSUPPORTED },
        { "portable", .run = 0.0005 },
        { "clblast", .run = 0.002 },
        { .method = NULL },
    };
    scene_open((const char *const[]){ "cpu", "opencl:0", NULL }, script, (const char *const[]){ NULL });
    scene_measure();
    const struct record *record = scene->context.run_log.record;
    cr_assert_eq(record->cells, 3, "%u cells", record->cells);
    cr_expect_eq(record->cell[0]->outcome.status, STATUS_OK);
    cr_expect_eq(record->cell[0]->measures, MEASURES_RESIDENT);
    cr_expect_eq(record->cell[1]->outcome.status, STATUS_CRASHED);
    cr_expect_str_eq(record->cell[2]->baseline, record->cell[0]->key);
    const char *copied = record->cell[2]->baseline_copied;
    cr_expect(!copied || strcmp(copied, record->cell[0]->key) != 0, "its copied runs are no baseline: %s", copied);
}

/* Each method is a row of its own, and the baseline is the fastest of them. */
Test(block, with_every_method_the_baseline_is_chosen_of_all_rows)
{
    static const struct script script[] = {
        { "onednn", .run = 0.004 }, { "onednn-gemm", .run = 0.003 }, { "openblas", .run = 0.002 },
        { "native", .run = 0.005 }, { "portable", .run = 0.0005 },   { "clblast", .run = 0.002 },
        { .method = NULL }
    };
    scene_open((const char *const[]){ "cpu", "opencl:0", NULL }, script,
               (const char *const[]){ "--method", "all", NULL });
    scene_measure();
    const struct record *record = scene->context.run_log.record;
    const char *baseline = NULL;
    cr_assert_eq(record->cells, 6, "%u cells", record->cells);
    for (unsigned i = 0; i < record->cells; i++)
        if (strcmp(record->cell[i]->method, "openblas") == 0)
            baseline = record->cell[i]->key;
    cr_assert_not_null(baseline);
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *cell = record->cell[i];
        cr_expect_eq(cell->outcome.status, STATUS_OK, "%s: %s", cell->method, cell->outcome.message);
        cr_expect_str_eq(cell->baseline, baseline, "%s", cell->method);
        cr_expect_gt(cell->track[SERIES_RESIDENT].slices, 5, "%s", cell->method);
        cr_expect_eq(count_requests(cell->method, "open", NULL), 1, "%s", cell->method);
    }
}

/* The second fastest is the baseline of the rows that come later. */
Test(block, where_the_baseline_of_all_rows_fails_as_it_begins_the_next_takes_its_place)
{
    static const struct script script[] = { { "onednn", .run = 0.004 },
                                            { "onednn-gemm", .run = 0.003 },
                                            { "openblas", .run = 0.002, .fails_in = "warmup",
                                              .fails_with = STATUS_CRASHED },
                                            { "native", .run = 0.005 },
                                            { "portable", .run = 0.0005 },
                                            { "clblast", .run = 0.002 },
                                            { .method = NULL } };
    double ratio[64];
    scene_open((const char *const[]){ "cpu", "opencl:0", NULL }, script,
               (const char *const[]){ "--method", "all", NULL });
    scene_measure();
    const struct record *record = scene->context.run_log.record;
    cr_assert_eq(record->cells, 6, "%u cells", record->cells);
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *cell = record->cell[i];
        cr_expect_eq(cell->outcome.status, strcmp(cell->method, "openblas") == 0 ? STATUS_CRASHED : STATUS_OK);
        if (cell->device_id[0] != 'o')
            continue;
        const struct cell_record *baseline = record_cell(record, cell->baseline);
        cr_assert_not_null(baseline, "%s: %s", cell->method, cell->baseline);
        cr_expect_str_eq(baseline->method, "onednn-gemm", "%s", baseline->method);
        cr_expect_gt(record_ratios(record, cell, SERIES_RESIDENT, ratio, 64), 5);
    }
}

/* A long run is timed once by phase, and that slice serves both lines. It has warmed up by itself. */
Test(block, above_half_a_second_one_phased_run_serves_both_lines)
{
    static const struct script script[] = { { "openblas", .run = 0.7 },
                                            { "portable", .run = 0.6 },
                                            { .method = NULL } };
    scene_open((const char *const[]){ "cpu", "opencl:0", NULL }, script,
               (const char *const[]){ "--method", "openblas,portable", NULL });
    scene_measure();
    const struct record *record = scene->context.run_log.record;
    cr_assert_eq(record->cells, 2);
    const struct track *track = record->cell[1]->track;
    cr_expect_geq(track[SERIES_RESIDENT].slices, 6);
    cr_expect_eq(track[SERIES_RESIDENT].slices, track[SERIES_COPIED].slices);
    cr_expect_eq(count_requests(NULL, "warmup", NULL), 0);
    const unsigned measuring = first_request("portable", "verify", "before");
    cr_assert_lt(measuring, seen.requests);
    for (unsigned i = measuring; i < seen.requests; i++)
        if (strcmp(seen.request[i].method, "portable") == 0 && strcmp(seen.request[i].what, "slice") == 0)
            cr_expect(seen.request[i].is_phased, "%s", seen.request[i].detail);
}

/* Which series a row has: many runs with one wait where they are short and a device waits for them, but not with cold
 * caches or in a sweep; runs with transfers unless one takes too long. */
Test(block, a_row_has_the_series_that_its_runs_allow)
{
    static const struct {
        const char *device, *method;
        double run, repack;
        bool is_cold, is_sweep, is_queued, is_copied, is_phased;
    } cases[] = {
        { "opencl:0", "portable", 0.0005, 0, false, false, true, true, false },
        { "opencl:0", "portable", 0.002, 0, false, false, false, true, false },
        { "opencl:0", "portable", 0.0005, 0, true, false, false, true, false },
        { "opencl:0", "portable", 0.0005, 0, false, true, false, true, false },
        { "cpu", "openblas", 0.0005, 0, false, false, false, true, false },
        { "cpu", "onednn", 0.4, 0.3, false, false, false, true, false },
        { "cpu", "onednn", 0.6, 0.3, false, false, false, true, true },
        { "cpu", "onednn", 0.01, 40, false, false, false, false, false },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct script script[] = { { cases[i].method, .run = cases[i].run, .repack = cases[i].repack },
                                         { .method = NULL } };
        scene_open((const char *const[]){ cases[i].device, NULL }, script,
                   (const char *const[]){ "--method", cases[i].method, cases[i].is_cold ? "--cold" : NULL, NULL });
        if (cases[i].is_cold)
            scene->made.plan.cell[0].flush = 4096;
        if (cases[i].is_sweep)
            scene->made.options.verb = VERB_SWEEP;
        scene_measure();
        const struct cell_record *cell = scene->context.run_log.record->cell[0];
        cr_expect_eq(cell->outcome.status, STATUS_OK, "case %u: %s", i, cell->outcome.message);
        cr_expect_gt(cell->track[SERIES_RESIDENT].slices, 5, "case %u", i);
        cr_expect_eq(cell->track[SERIES_QUEUED].slices > 0, cases[i].is_queued, "case %u", i);
        cr_expect_eq(cell->track[SERIES_COPIED].slices > 0, cases[i].is_copied, "case %u", i);
        const struct request_seen *last = &seen.request[seen.requests - 1];
        while (strcmp(last->what, "slice") != 0)
            last--;
        cr_expect_eq(last->is_phased, cases[i].is_phased, "case %u", i);
    }
}

/* Of two kinds of memory the first cannot be opened. */
Test(block, a_kind_of_memory_has_a_choice_where_the_one_before_it_had_none)
{
    for (unsigned bad = 0; bad < 2; bad++) {
        const char *memory = bad ? "pageable" : NULL;
        const struct script script[] = { { "portable", .run = 0.001, .bad_memory = memory },
                                         { "clblast", .run = 0.002, .bad_memory = memory },
                                         { .method = NULL } };
        scene_run("opencl:0", script, "--memory", "pageable,pinned");
        const struct record *record = scene->context.run_log.record;
        cr_assert_eq(record->cells, 2);
        cr_expect_eq(record->cell[0]->outcome.status, bad ? STATUS_UNSUPPORTED : STATUS_OK);
        cr_expect_eq(record->cell[1]->outcome.status, STATUS_OK);
        cr_expect_str_eq(record->cell[1]->method, "portable");
        cr_expect_eq(count_requests("clblast", "slice", NULL) > 0, true);
        cr_expect_eq(count_requests("clblast", "open", NULL), 1 + bad, "what was slower is not opened again");
    }
}

/* --- kernel shapes --- */

static const struct script shapes[] = { { "portable", .kernel_shapes = "abcd",
                                          .shape_run = { 0.004, 0.0039, 0.002, 0.006 } },
                                        { "clblast", .run = 0.003 },
                                        { .method = NULL } };

/* From its warm-up on a worker runs the kernel shape that it verified last. */
static void expect_measured_as_verified(void)
{
    char verified[64] = "";
    bool is_warm[64] = { false };
    for (unsigned i = 0; i < seen.requests; i++) {
        const struct request_seen *one = &seen.request[i];
        cr_assert_lt(one->worker, sizeof verified);
        if (strcmp(one->what, "verify") == 0)
            verified[one->worker] = one->kernel_shape;
        is_warm[one->worker] |= strcmp(one->what, "warmup") == 0;
        if (is_warm[one->worker])
            cr_expect_eq(one->kernel_shape, verified[one->worker], "%s of %c", one->what, one->kernel_shape);
    }
}

/* Each leads at times, and each is right. */
Test(block, the_kernel_shape_that_is_measured_was_verified_last)
{
    const struct script script[] = { { "portable", .noise = 0.1, .kernel_shapes = "abcd",
                                       .shape_run = { 0.00201, 0.002, 0.00202, 0.00201 } },
                                     { "clblast", .run = 0.02 },
                                     { .method = NULL } };
    scene_run("opencl:0", script, NULL, NULL);
    cr_expect_gt(count_requests("portable", "verify", "before"), 1, "several were verified");
    expect_measured_as_verified();
}

Test(block, kernel_shapes_are_tuned_once_and_the_best_is_used_at_all_sizes)
{
    scene_open((const char *const[]){ "opencl:0", NULL }, shapes,
               (const char *const[]){ "--size", "512", "--size", "1024", "--size", "1280", NULL });
    scene_measure();
    const struct record *record = scene->context.run_log.record;
    cr_assert_eq(record->cells, 3, "%u cells", record->cells);
    for (unsigned i = 0; i < 3; i++) {
        cr_expect_str_eq(record->cell[i]->method, "portable");
        cr_expect_str_eq(record->cell[i]->kernel_shape, "c", "%u: %s", i, record->cell[i]->kernel_shape);
    }
    for (unsigned i = 0; i < seen.requests; i++)
        if (seen.request[i].size > 512 && strcmp(seen.request[i].method, "portable") == 0)
            cr_expect_eq(seen.request[i].kernel_shape, 'c', "%s", seen.request[i].what);
    expect_measured_as_verified();
    cr_expect_eq(count_requests("portable", "open", NULL), 3, "all shapes share one worker, which is measured");
    cr_expect_eq(count_requests("portable", "kernel_shape", "d"), 1, "what is hopeless is tried once");
    cr_expect_eq(contender_named("portable", "c")->end, RACE_MEASURED);
    cr_expect_eq(contender_named("portable", "a")->end, RACE_SLOWER);
    cr_expect_float_eq(contender_named("portable", "a")->ratio, 0.5, 0.02);
    cr_expect_eq(choice_of(0, MEASURES_RESIDENT)->contenders, 5, "each shape and the other method, once");
}

/* Half as fast as the leader is the best one, and a quarter as fast the first. */
Test(block, the_speed_of_a_kernel_shape_is_told_by_that_of_the_leader)
{
    struct script script[3];
    memcpy(script, shapes, sizeof script);
    script[1].run = 0.001;
    scene_run("opencl:0", script, NULL, NULL);
    cr_expect_float_eq(contender_named("portable", "c")->ratio, 0.5, 0.02);
    cr_expect_float_eq(contender_named("portable", "a")->ratio, 0.25, 0.02);
}

/* A larger problem that cannot be opened, or that is of another type, tells nothing of this one; and where a device
 * takes one process none is opened beside it. */
Test(block, kernel_shapes_are_tuned_at_a_larger_problem_only_if_it_can_be_opened)
{
    struct script script[] = { { "portable", .kernel_shapes = "abc", .shape_run = { 4e-4, 2e-4, 3e-4 } },
                               { .method = NULL } };
    for (unsigned i = 0; i < 3; i++) {
        scene_open((const char *const[]){ "opencl:0", NULL }, script,
                   (const char *const[]){ "--method", "portable", "--dtype", "f32,f64", "--size", "512", "--size",
                                          "1280", NULL });
        struct plan *plan = &scene->made.plan;
        for (unsigned k = 0; k < plan->cells && i == 1; k++)
            if (plan->cell[k].problem.dtype == DTYPE_F32 && plan->cell[k].problem.dim[0] == 1280)
                fail(&plan->cell[k].refused, STATUS_NO_MEMORY, "too large");
        scene->made.device[0].takes_one_process = i == 2;
        scene_measure();
        const unsigned first = first_request(NULL, "kernel_shape", NULL);
        cr_assert_lt(first, seen.requests);
        cr_expect_eq(seen.request[first].size, i == 0 ? 1280 : 512, "%u: %g", i, seen.request[first].size);
        cr_expect(i < 2 || seen.most == 1, "%u at once", seen.most);
    }
}

/* The first size takes 0.2 ms, the second 1.6 ms, the third 5.4 ms: that is long enough. */
Test(block, kernel_shapes_are_tuned_at_the_first_problem_of_two_milliseconds)
{
    struct script script[3];
    memcpy(script, shapes, sizeof script);
    for (unsigned i = 0; i < 4; i++)
        script[0].shape_run[i] /= 10;
    script[1].run /= 10;
    scene_open((const char *const[]){ "opencl:0", NULL }, script,
               (const char *const[]){ "--size", "512", "--size", "768", "--size", "1280", "--size", "2048", NULL });
    scene_measure();
    for (unsigned i = 0; i < seen.requests; i++)
        if (strcmp(seen.request[i].what, "kernel_shape") == 0 && strcmp(seen.request[i].detail, "c") != 0)
            cr_expect_eq(seen.request[i].size, 1280, "%s at %g", seen.request[i].detail, seen.request[i].size);
    for (unsigned i = 0; i < seen.requests; i++)
        cr_expect(seen.request[i].size != 1280 || strcmp(seen.request[i].detail, "queued") != 0,
                  "runs of that problem are long enough to be waited for one by one");
    cr_expect_gt(count_requests("portable", "kernel_shape", "b"), 0);
    const struct record *record = scene->context.run_log.record;
    for (unsigned i = 0; i < record->cells; i++)
        cr_expect_str_eq(record->cell[i]->kernel_shape, "c", "%u: %s", i, record->cell[i]->kernel_shape);
}

/* The first of two kinds of memory cannot be opened, at the larger size either. */
Test(block, kernel_shapes_are_tuned_at_a_problem_in_memory_of_the_same_kind)
{
    struct script script[] = { { "portable", .kernel_shapes = "abc", .shape_run = { 4e-4, 2e-4, 3e-4 },
                                 .bad_memory = "pageable" },
                               { .method = NULL } };
    scene_open((const char *const[]){ "opencl:0", NULL }, script,
               (const char *const[]){ "--method", "portable", "--memory", "pageable,pinned", "--size", "512", "--size",
                                      "1280", NULL });
    scene_measure();
    const unsigned first = first_request(NULL, "kernel_shape", NULL);
    cr_assert_lt(first, seen.requests);
    cr_expect_eq(seen.request[first].size, 1280, "%g", seen.request[first].size);
}

/* Blocks of 128 x 128, on 132 units: up to 1024 there is less than one for each, at 2048 there are two, at 4096 eight.
 * Each class has another best kernel shape. Runs are shorter than 2 ms but at 4096 and 8192: a class is tuned at its
 * largest problem, or at the first of that length. */
static const struct {
    const char *size, *kernel_shape;
    double tuned_at;
} classes[] = {
    { "512", "a", 1024 }, { "1024", "a", 1024 }, { "2048", "b", 2048 }, { "4096", "c", 4096 }, { "8192", "c", 4096 }
};
enum { CLASS_SIZES = sizeof classes / sizeof *classes };

static bool is_tuned_at(double size)
{
    for (unsigned i = 0; i < CLASS_SIZES; i++)
        if (classes[i].tuned_at == size)
            return true;
    return false;
}

Test(block, kernel_shapes_are_tuned_once_for_each_size_class)
{
    static const struct script script[] = { { "portable", .kernel_shapes = "abc", .shape_run = { 10e-6, 7e-6, 5e-6 },
                                              .shape_begin = { 0, 50e-6, 300e-6 } },
                                            { "clblast", .run = 0.001 },
                                            { .method = NULL } };
    const char *words[2 * CLASS_SIZES + 1] = { NULL };
    struct tuning_cache own;
    cache_begin(&own);
    for (unsigned i = 0; i < CLASS_SIZES; i++)
        words[2 * i] = "--size", words[2 * i + 1] = classes[i].size;
    for (unsigned run = 0; run < 2; run++) {
        scene_open((const char *const[]){ "opencl:0", NULL }, script, words);
        scene->made.device[0].units = 132;
        scene_measure();
        const struct record *record = scene->context.run_log.record;
        cr_assert_eq(record->cells, CLASS_SIZES, "%u cells", record->cells);
        for (unsigned i = 0; i < CLASS_SIZES; i++)
            cr_expect_str_eq(record->cell[i]->kernel_shape, classes[i].kernel_shape, "%s: %s", record->cell[i]->shape,
                             record->cell[i]->kernel_shape);
        for (unsigned i = 0; i < seen.requests; i++)
            if (strcmp(seen.request[i].what, "kernel_shape") == 0 && seen.request[i].kernel_shape == 'b')
                cr_expect(run == 0 && is_tuned_at(seen.request[i].size), "run %u at %g", run, seen.request[i].size);
        cr_expect_eq(count_requests("portable", "kernel_shape", NULL) > 0, run == 0, "run %u", run);
    }
    cache_end();
}

Test(block, kernel_shapes_are_remembered_across_runs)
{
    struct tuning_cache own;
    cache_begin(&own);
    for (unsigned run = 0; run < 2; run++) {
        scene_run("opencl:0", shapes, NULL, NULL);
        const struct cell_record *cell = scene->context.run_log.record->cell[0];
        cr_expect_str_eq(cell->kernel_shape, "c");
        cr_expect_eq(count_requests("portable", "kernel_shape", NULL) > 0, run == 0, "run %u", run);
        cr_expect_eq(count_requests("portable", "open", NULL), 1);
    }
    cache_end();
}

/* The interrupt comes as the second one is tried, so that only the first, which is slower, is left. */
Test(block, a_kernel_shape_that_was_left_by_an_interrupt_is_not_remembered)
{
    struct script script[] = { { "portable", .kernel_shapes = "ab", .shape_run = { 0.004, 0.002 }, .bad_shape = "b",
                                 .fails_in = "slice", .fails_with = STATUS_ABANDONED },
                               { .method = NULL } };
    struct tuning_cache own;
    cache_begin(&own);
    scene_run("opencl:0", script, "--method", "portable");
    cr_expect(scene->context.interrupted);
    script[0].fails_in = NULL;
    scene_run("opencl:0", script, "--method", "portable");
    cr_expect_str_eq(scene->context.run_log.record->cell[0]->kernel_shape, "b");
    cache_end();
}

/* Another version of a library may have it no longer, and another program may have the memory for its workspace. */
Test(block, a_kernel_shape_of_an_earlier_run_that_is_refused_now_is_forgotten)
{
    static const enum status refusals[] = { STATUS_OK, STATUS_UNSUPPORTED, STATUS_NO_MEMORY };
    struct tuning_cache own;
    cache_begin(&own);
    for (unsigned run = 0; run < 3; run++) {
        struct script script[3];
        memcpy(script, shapes, sizeof script);
        if (run > 0) {
            script[0].bad_shape = "c";
            script[0].fails_in = "open";
            script[0].fails_with = refusals[run];
        }
        scene_run("opencl:0", script, NULL, NULL);
        const struct cell_record *cell = scene->context.run_log.record->cell[0];
        cr_expect_eq(cell->outcome.status, STATUS_OK, "run %u: %s", run, cell->outcome.message);
        cr_expect_str_eq(cell->method, "portable");
        cr_expect_gt(count_requests("portable", "kernel_shape", NULL), 0, "run %u", run);
        cr_expect_eq(count_requests("portable", "open", NULL), run > 0 ? 2 : 1, "run %u", run);
    }
    cache_end();
}

/* A driver that fails costs the worker. The next one takes longer to open than there is time for kernel shapes. */
Test(block, opening_a_worker_again_is_time_for_kernel_shapes)
{
    static const struct script script[] = { { "portable", .kernel_shapes = "abc", .shape_run = { 0.004, 0.004, 0.002 },
                                              .compile = 9, .bad_shape = "a", .fails_in = "slice",
                                              .fails_with = STATUS_FAILED },
                                            { .method = NULL } };
    scene_run("opencl:0", script, "--method", "portable");
    cr_expect_str_eq(scene->context.run_log.record->cell[0]->kernel_shape, "b");
}

/* At 512 the first is the best, at 1024 the second: what is found at one size says nothing about the other. */
Test(block, the_algorithms_of_a_library_are_tuned_at_each_size)
{
    static const struct script script[] = { { "clblast", .kernel_shapes = "ab", .shape_run = { 20e-6, 5e-6 },
                                              .shape_begin = { 0, 50e-6 } },
                                            { .method = NULL } };
    scene_open((const char *const[]){ "opencl:0", NULL }, script,
               (const char *const[]){ "--method", "clblast", "--size", "512", "--size", "1024", NULL });
    scene_measure();
    const struct record *record = scene->context.run_log.record;
    cr_assert_eq(record->cells, 2, "%u cells", record->cells);
    cr_expect_str_eq(record->cell[0]->kernel_shape, "a");
    cr_expect_str_eq(record->cell[1]->kernel_shape, "b");
}

/* The others get a new worker. */
Test(block, a_kernel_shape_that_crashes_or_is_wrong_costs_itself)
{
    static const struct {
        const char *fails_in;
        enum status with;
    } ways[] = { { "slice", STATUS_CRASHED },
                 { "verify", STATUS_WRONG },
                 { "verify", STATUS_CRASHED },
                 { "kernel_shape", STATUS_FAILED },
                 { "slice", STATUS_TIMEOUT } };
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct script script[3];
        memcpy(script, shapes, sizeof script);
        script[0].bad_shape = "c";
        script[0].fails_in = ways[i].fails_in;
        script[0].fails_with = ways[i].with;
        script[1].run = 0.02;
        scene_run("opencl:0", script, NULL, NULL);
        const struct cell_record *cell = scene->context.run_log.record->cell[0];
        cr_expect_eq(cell->outcome.status, STATUS_OK, "%u: %s", i, cell->outcome.message);
        cr_expect_str_eq(cell->method, "portable", "%u: %s", i, cell->method);
        cr_expect_str_eq(cell->kernel_shape, "b", "%u: %s", i, cell->kernel_shape);
        if (strcmp(ways[i].fails_in, "kernel_shape") != 0)
            cr_expect_eq(contender_named("portable", "c")->outcome.status, ways[i].with, "%u", i);
    }
}

/* Each of three fresh processes times one run, and ends, whatever became of it. Of what failed before none does. */
Test(block, naive_timing_leaves_no_process_and_stops_at_the_first_failure)
{
    static const struct {
        const char *fails_in;
        unsigned from, processes;
    } cases[] = { { NULL, 0, 3 }, { "naive", 0, 1 }, { "slice", 8, 0 } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct script script[] = { { "native", .run = 0.002, .fails_in = cases[i].fails_in,
                                           .fails_with = STATUS_WRONG, .fails_from = cases[i].from },
                                         { .method = NULL } };
        scene_open((const char *const[]){ "cpu", NULL }, script,
                   (const char *const[]){ "--suite", "uhd620", "--method", "native", NULL });
        scene_measure(); /* no worker is left */
        cr_expect_eq(count_requests("native", "naive", NULL), cases[i].processes, "%s", cases[i].fails_in);
        cr_expect_eq(seen.most, 1, "%u at once", seen.most);
    }
}

/* The worker fails in the slice that tells where to tune, and in all that follow, until another takes its place. */
Test(block, a_fault_before_kernel_shapes_are_tried_costs_one_of_them)
{
    struct script script[3];
    memcpy(script, shapes, sizeof script);
    script[0].fails_in = "slice";
    script[0].fails_with = STATUS_FAILED;
    script[0].recovers = true;
    scene_run("opencl:0", script, NULL, NULL);
    const struct cell_record *cell = scene->context.run_log.record->cell[0];
    cr_expect_eq(cell->outcome.status, STATUS_OK, "%s", cell->outcome.message);
    cr_expect_str_eq(cell->method, "portable");
    cr_expect_str_eq(cell->kernel_shape, "c", "%s", cell->kernel_shape);
    cr_expect_eq(contender_named("portable", "a")->outcome.status, STATUS_FAILED);
    cr_expect_eq(contender_named("portable", "b")->outcome.status, STATUS_OK);
}

/* Three workers are enough to know. */
Test(block, a_method_none_of_whose_kernel_shapes_works_is_lost_alone)
{
    struct script script[3];
    memcpy(script, shapes, sizeof script);
    script[0].fails_in = "slice";
    script[0].fails_with = STATUS_CRASHED;
    scene_run("opencl:0", script, NULL, NULL);
    cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "opencl:0"), "clblast");
    cr_expect_eq(count_requests("portable", "open", NULL), 3, "%u", count_requests("portable", "open", NULL));
}

/* --- a choice that is not settled --- */

/* Two methods of a card that noise does not tell apart: clblast is measured first, and the next three slices of each
 * decide. What is measured in the end, from which visit on, and how many slices the rival, portable, had. */
static const struct {
    const char *what;
    double late[2];       /* what the runs of each take after the choice */
    const char *fails[2]; /* in what, at a request of that number */
    unsigned fails_from;
    const char *measured;
    unsigned from, slices;
} rivals[] = {
    { "the rival is slower", { 1, 2 }, { NULL, NULL }, 0, "clblast", 3, 18 + 3 },
    { "the rival is faster", { 1.02, 1 }, { NULL, NULL }, 0, "portable", 3, 18 + 3 + 24 },
    { "by less than one percent", { 1.005, 1 }, { NULL, NULL }, 0, "clblast", 3, 18 + 3 },
    { "the rival fails", { 1, 0.5 }, { NULL, "slice" }, 19, "clblast", 2, 18 + 2 },
    { "the rival is faster and fails as it begins", { 2, 1 }, { NULL, "warmup" }, 0, "clblast", 3, 18 + 3 },
    { "the first fails", { 1, 2 }, { "slice", NULL }, 20, "portable", 2, 18 + 1 + 24 },
};

/* Returns the cell of the card. */
static const struct cell_record *measure_rivals(unsigned i)
{
    struct script script[] = { { "openblas", .run = 0.002 },
                               { "onednn", .run = 0.01 },
                               { "onednn-gemm", .run = 0.01 },
                               { "native", .run = 0.01 },
                               { "clblast", .run = 0.002, .noise = 0.1 },
                               { "portable", .run = 0.002, .noise = 0.1 },
                               { .method = NULL } };
    for (unsigned k = 0; k < 2; k++) {
        script[4 + k].late = rivals[i].late[k];
        script[4 + k].fails_in = rivals[i].fails[k];
        script[4 + k].fails_with = STATUS_CRASHED;
        script[4 + k].fails_from = rivals[i].fails_from;
    }
    scene_open((const char *const[]){ "cpu", "opencl:0", NULL }, script, (const char *const[]){ NULL });
    scene_measure();
    const struct record *record = scene->context.run_log.record;
    cr_assert_eq(record->cells, 2, "%s: %u cells", rivals[i].what, record->cells);
    return record->cell[1];
}

Test(block, of_two_methods_that_are_close_the_first_visits_decide_and_enter_no_figure)
{
    for (unsigned i = 0; i < sizeof rivals / sizeof *rivals; i++) {
        double ratio[64];
        const struct cell_record *cell = measure_rivals(i);
        const struct track *track = &cell->track[SERIES_RESIDENT];
        cr_expect(journal_says("\"settled\":false"), "%s", rivals[i].what);
        cr_expect_str_eq(cell->method, rivals[i].measured, "%s: %s", rivals[i].what, cell->method);
        cr_expect_eq(cell->outcome.status, STATUS_OK, "%s: %s", rivals[i].what, cell->outcome.message);
        cr_expect_eq(track->slices, 12, "%s: %u", rivals[i].what, track->slices);
        cr_expect_eq(track->slice[0].visit, rivals[i].from, "%s: %u", rivals[i].what, track->slice[0].visit);
        cr_expect_eq(record_ratios(scene->context.run_log.record, cell, SERIES_RESIDENT, ratio, 64), 12);
        cr_expect_eq(count_requests("portable", "slice", NULL), rivals[i].slices, "%s: %u", rivals[i].what,
                     count_requests("portable", "slice", NULL));
        cr_expect_eq(journal_says("failed at its first visits"), rivals[i].fails[0] || rivals[i].fails[1], "%s",
                     rivals[i].what);
    }
}

/* A method that converts layouts may be faster for one use and slower for the other. */
Test(block, a_method_with_a_layout_of_its_own_is_no_rival)
{
    for (unsigned first_repacks = 0; first_repacks < 2; first_repacks++) {
        struct script script[] = { { "clblast", .run = 0.002, .noise = 0.1 },
                                   { "portable", .run = 0.002, .noise = 0.1 },
                                   { .method = NULL } };
        script[!first_repacks].repack = 1e-6;
        scene_run("opencl:0", script, NULL, NULL);
        const struct record *record = scene->context.run_log.record;
        cr_expect(journal_says("\"settled\":false"));
        for (unsigned i = 0; i < record->cells; i++)
            for (enum use use = 0; use < USES; use++)
                if (record->cell[i]->track[use_series[use]].slices > 0)
                    cr_expect_eq(record->cell[i]->track[use_series[use]].slice[0].visit, 0, "%s",
                                 record->cell[i]->method);
    }
}

/* The only method that is close has wrong results: what is measured is known, and nothing is left to decide. */
Test(block, a_rival_with_wrong_results_leaves_the_choice_settled)
{
    static const struct script script[] = { { "openblas", .run = 0.002 },
                                            { "onednn", .run = 0.01 },
                                            { "onednn-gemm", .run = 0.01 },
                                            { "native", .run = 0.01 },
                                            { "clblast", .run = 0.002, .noise = 0.3 },
                                            { "portable", .run = 0.0022, .noise = 0.3, .fails_in = "verify",
                                              .fails_with = STATUS_WRONG, .fails_from = 0 },
                                            { .method = NULL } };
    scene_open((const char *const[]){ "cpu", "opencl:0", NULL }, script, (const char *const[]){ NULL });
    scene_measure();
    const struct cell_record *cell = scene->context.run_log.record->cell[1];
    cr_expect_str_eq(cell->method, "clblast");
    cr_expect_eq(cell->track[SERIES_RESIDENT].slice[0].visit, 0);
    cr_expect_not(journal_says("\"settled\":false"));
}

/* onednn is the first of the baseline's device, and slower once it is measured. */
Test(block, a_rival_that_wins_becomes_the_baseline_of_the_others)
{
    static const struct script script[] = { { "openblas", .run = 0.002, .noise = 0.2, .late = 1 },
                                            { "onednn", .run = 0.002, .noise = 0.2, .late = 2 },
                                            { "onednn-gemm", .run = 0.01 },
                                            { "native", .run = 0.01 },
                                            { "portable", .run = 0.001 },
                                            { "clblast", .run = 0.01 },
                                            { .method = NULL } };
    double ratio[64];
    scene_open((const char *const[]){ "cpu", "opencl:0", NULL }, script, (const char *const[]){ NULL });
    scene_measure();
    const struct record *record = scene->context.run_log.record;
    cr_expect(journal_says("\"instead_of\":\"matmul/f32/m=512,n=512,k=512/onednn/"));
    cr_assert_eq(record->cells, 2);
    const struct cell_record *cpu = record->cell[strcmp(record->cell[0]->device_id, "cpu") != 0],
                             *card = record->cell[record->cell[0] == cpu];
    cr_expect_str_eq(cpu->method, "openblas");
    cr_expect_str_eq(card->baseline, cpu->key);
    cr_expect_str_eq(card->baseline_copied, cpu->key);
    const unsigned count = record_ratios(record, card, SERIES_RESIDENT, ratio, 64);
    cr_expect_eq(count, 12, "%u", count);
    for (unsigned i = 0; i < count; i++)
        cr_expect_float_eq(ratio[i], 2, 0.05, "%g", ratio[i]);
}

/* --- workers that die later --- */

/* The baseline has a second worker, and no other row has. Three deaths would end a method: each counts once. */
Test(block, a_worker_that_dies_while_it_is_measured_costs_its_row_alone)
{
    for (unsigned of_baseline = 0; of_baseline < 2; of_baseline++) {
        struct script script[] = { { "openblas", .run = 0.002 }, { "portable", .run = 0.001 }, { .method = NULL } };
        struct script *bad = &script[!of_baseline];
        bad->fails_in = "slice";
        bad->fails_with = STATUS_CRASHED;
        bad->fails_from = 8;
        bad->recovers = true;
        scene_open((const char *const[]){ "cpu", "opencl:0", NULL }, script,
                   (const char *const[]){ "--method", "openblas,portable", NULL });
        scene_measure();
        const struct record *record = scene->context.run_log.record;
        cr_assert_eq(record->cells, 2);
        cr_expect_eq(record->cell[0]->outcome.status, STATUS_OK, "%s", record->cell[0]->outcome.message);
        cr_expect_eq(record->cell[1]->outcome.status, of_baseline ? STATUS_OK : STATUS_CRASHED);
        cr_expect_eq(journal_says("a new one continued"), of_baseline == 1);
        cr_expect_eq(scene->context.deaths, 1, "%u", scene->context.deaths);
        cr_expect_eq(count_requests("openblas", "verify", "before"), 1 + of_baseline, "each worker is verified");
    }
}

/* What was not measured is no failure of its own; a wrong answer stays one. */
Test(block, an_interrupt_does_not_excuse_a_failure)
{
    static const enum status before[] = { STATUS_WRONG, STATUS_OK }, after[] = { STATUS_WRONG, STATUS_ABANDONED };
    for (unsigned i = 0; i < 2; i++) {
        scene_open((const char *const[]){ "cpu", NULL }, four, (const char *const[]){ NULL });
        struct context *context = &scene->context;
        struct runner runner = { .context = context, .cell = scene->made.plan.cell, .outcome.status = before[i] };
        char shape[SHAPE_MAX];
        const struct cell_record stated = cell_stated(runner.cell, shape);
        run_log_write(&context->run_log, &(struct journal_line){ .kind = LINE_CELL, .stated = &stated });
        context->interrupted = true;
        runner_close(&runner);
        cr_expect_eq(record_cell(context->run_log.record, runner.cell->key)->outcome.status, after[i]);
    }
}

Test(block, a_baseline_has_one_second_worker)
{
    const struct script script[] = { { "openblas", .run = 0.002, .fails_in = "slice", .fails_with = STATUS_CRASHED,
                                       .fails_from = 8 },
                                     { "portable", .run = 0.001 },
                                     { .method = NULL } };
    scene_open((const char *const[]){ "cpu", "opencl:0", NULL }, script,
               (const char *const[]){ "--method", "openblas,portable", NULL });
    scene_measure();
    const struct cell_record *baseline = scene->context.run_log.record->cell[0];
    cr_expect_eq(baseline->outcome.status, STATUS_CRASHED);
    cr_expect_eq(baseline->track[SERIES_RESIDENT].stop, STOP_FAILED);
    cr_expect_eq(scene->context.deaths, 2, "each of its workers died: %u", scene->context.deaths);
}

/* What a row ended with, and whether its worker lacked the device. */
Test(block, a_row_that_is_lost_counts_against_its_device)
{
    static const struct {
        struct error outcome;
        bool lacks_device, counts;
    } cases[] = { { { STATUS_OK, "", "" }, false, false },          { { STATUS_WRONG, "", "" }, false, false },
                  { { STATUS_CRASHED, "check", "" }, false, true }, { { STATUS_TIMEOUT, "check", "" }, false, false },
                  { { STATUS_TIMEOUT, "slice", "" }, false, true }, { { STATUS_FAILED, "", "" }, true, true } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_open((const char *const[]){ "cpu", NULL }, four, (const char *const[]){ NULL });
        struct context *context = &scene->context;
        const struct runner runner = { .context = context,
                                       .cell = scene->made.plan.cell,
                                       .outcome = cases[i].outcome,
                                       .lacks_device = cases[i].lacks_device };
        runner_write_outcome(&runner);
        cr_expect_eq(context->losses[0], cases[i].counts, "case %u: %u", i, context->losses[0]);
    }
}

/* A copied run takes longer than a resident one, and its series ends in an earlier visit. */
Test(block, a_series_that_had_stopped_does_not_go_on_with_the_second_worker)
{
    unsigned slices[2][USES];
    for (unsigned dies = 0; dies < 2; dies++) {
        const struct script script[] = { { "openblas", .run = 0.02, .repack = 0.2, .noise = 0.3,
                                           .fails_in = dies ? "slice" : NULL, .fails_with = STATUS_CRASHED,
                                           .fails_from = 30, .recovers = true },
                                         { .method = NULL } };
        scene_open((const char *const[]){ "cpu", NULL }, script, (const char *const[]){ "--method", "openblas", NULL });
        scene->context.rule = (struct rule){ .target = 1e-9, .budget = 1.5, .deadline = 30 };
        scene_measure();
        cr_expect_eq(journal_says("a new one continued"), dies == 1);
        for (enum use use = 0; use < USES; use++)
            slices[dies][use] = scene->context.run_log.record->cell[0]->track[use_series[use]].slices;
    }
    cr_expect_gt(slices[0][USE_RESIDENT], slices[0][USE_COPIED] + 4, "%u, %u", slices[0][0], slices[0][1]);
    cr_expect_eq(slices[1][USE_COPIED], slices[0][USE_COPIED], "%u, not %u", slices[1][1], slices[0][1]);
}

/* At two sizes: a third death would be one too many. */
Test(block, a_worker_that_dies_once_it_was_chosen_counts_once)
{
    struct script script[METHODS];
    memcpy(script, four, sizeof script);
    script[2].fails_in = "warmup";
    script[2].fails_with = STATUS_CRASHED;
    scene_open((const char *const[]){ "cpu", NULL }, script,
               (const char *const[]){ "--size", "512", "--size", "768", "--size", "1024", NULL });
    scene_measure();
    cr_expect_eq(count_requests("openblas", "open", NULL), 3, "%u", count_requests("openblas", "open", NULL));
}

/* Checks that take too long may be the host's fault: of four sizes all are tried. */
Test(block, a_check_that_takes_too_long_counts_as_no_death)
{
    static const enum status ends[] = { STATUS_CRASHED, STATUS_TIMEOUT };
    for (unsigned i = 0; i < 2; i++) {
        struct script script[METHODS];
        memcpy(script, four, sizeof script);
        script[2].fails_in = "verify";
        script[2].fails_with = ends[i];
        scene_open((const char *const[]){ "cpu", NULL }, script,
                   (const char *const[]){ "--size", "512", "--size", "768", "--size", "1024", "--size", "1280", NULL });
        scene_measure();
        cr_expect_eq(count_requests("openblas", "open", NULL), 3 + i, "%u", count_requests("openblas", "open", NULL));
    }
}

/* The others are compared with nothing, not with each other. */
Test(block, without_a_method_that_works_on_its_device_there_is_no_baseline)
{
    const struct script script[] = { { "openblas", .fails_in = "open", .fails_with = STATUS_UNSUPPORTED },
                                     { "portable", .run = 0.001 },
                                     { .method = NULL } };
    scene_open((const char *const[]){ "cpu", "opencl:0", "opencl:1", NULL }, script,
               (const char *const[]){ "--method", "openblas,portable", NULL });
    scene_measure();
    const struct record *record = scene->context.run_log.record;
    cr_assert_eq(record->cells, 3);
    for (unsigned i = 0; i < 3; i++)
        cr_expect_str_empty(record->cell[i]->baseline, "%s: %s", record->cell[i]->key, record->cell[i]->baseline);
}

/* More than the 30 s that it may take; one that takes less is measured. What takes much more is not verified either. */
Test(block, a_run_that_takes_too_long_is_not_measured)
{
    static const double runs[] = { 20, 40, 4000 };
    for (unsigned i = 0; i < 3; i++) {
        const struct script script[] = { { "portable", .run = runs[i] }, { .method = NULL } };
        scene_run("opencl:0", script, "--method", "portable");
        const struct cell_record *cell = scene->context.run_log.record->cell[0];
        cr_expect_eq(cell->outcome.status, i == 0 ? STATUS_OK : STATUS_TOO_SLOW, "%s", cell->outcome.message);
        cr_expect(i == 0 || strstr(cell->outcome.message, "one run takes "), "%s", cell->outcome.message);
        cr_expect_eq(count_requests(NULL, "verify", NULL) == 0, i == 2, "%g s", runs[i]);
    }
}

/* The race says so of the method that was chosen, and that the other one is slower. */
Test(block, a_method_that_was_chosen_and_takes_too_long_is_not_the_one_that_was_measured)
{
    static const struct script script[] = { { "portable", .run = 40 }, { "clblast", .run = 50 }, { .method = NULL } };
    scene_run("opencl:0", script, NULL, NULL);
    cr_expect_str_eq(ends(MEASURES_RESIDENT), "portable passed-over, clblast slower", "%s", ends(MEASURES_RESIDENT));
}

/* The seconds of each block by what they were spent for. Each problem its own: filling takes 3 s for each of four
 * workers. */
Test(block, writes_what_its_time_was_spent_for)
{
    scene_open((const char *const[]){ "cpu", NULL }, four,
               (const char *const[]){ "--size", "512", "--size", "256", "--size", "128", NULL });
    scene_measure();
    cr_expect(journal_says("\"line\":\"spent\""));
    const struct record *record = scene->context.run_log.record;
    cr_assert_eq(record->blocks, 3);
    for (unsigned i = 0; i < record->blocks; i++)
        cr_expect_float_eq(record->block[i].spent[SPENT_FILLING], 12, 1e-6, "block %u: %g", i,
                           record->block[i].spent[SPENT_FILLING]);
}

/* Until its first result: the device, the kernels and the run, of 1 us, 0.5 s and 2 ms. */
Test(block, opening_a_worker_takes_all_its_parts_together)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.004 },
                                                   { "onednn-gemm", .run = 0.003 },
                                                   { "openblas", .run = 0.002, .compile = 0.5 },
                                                   { "native", .run = 0.005 } };
    scene_run("cpu", script, NULL, NULL);
    cr_expect_float_eq(contender_named("openblas", "")->first, 0.502, 0.0005, "%g",
                       contender_named("openblas", "")->first);
}

/* --- how long a problem will take --- */

/* Of the first problem. */
static struct forecast forecast_now(void)
{
    struct plan *plan = &scene->made.plan;
    return forecast_block(&scene->context, &scene->context.rule, plan->cell, plan_block_end(plan, 0));
}

static const char *const three_devices[] = { "cpu", "opencl:0", "opencl:1", NULL };

/* By the devices that take part, all of them, and by the rule. */
Test(block, what_a_problem_took_before_is_what_it_will_take)
{
    struct tuning_cache own;
    cache_begin(&own);
    scene_open(three_devices, four, (const char *const[]){ NULL });
    struct plan *plan = &scene->made.plan;
    cr_expect_gt(forecast_now().fixed, 0);
    struct runner first = { .cell = plan->cell };
    const struct block took = { .context = &scene->context,
                                .asked = scene->context.rule,
                                .runner = &first,
                                .runners = plan_block_end(plan, 0),
                                .visits = 10,
                                .visiting = 5,
                                .seconds = 82 };
    forecast_remember(&took);
    const struct forecast known = forecast_now();
    cr_expect_float_eq(forecast_seconds(&known), 82, 0.01);
    cr_expect_float_eq(forecast_least(&known), 77 + 6 * 0.5, 0.01);
    cr_expect_eq(forecast_least(&(struct forecast){ .fixed = 1, .visit = 2, .visits = 3 }), 7, "it has three visits");
    scene->context.rule.visits *= 2;
    cr_expect_float_neq(forecast_now().fixed, 77, 1, "with other visits it is not known");
    scene->context.rule.visits /= 2;
    scene->context.rule.budget *= 10;
    cr_expect_float_neq(forecast_now().fixed, 77, 1, "with another budget it is not known");
    own = scene->context.tuning_cache;
    scene_close();
    scene_open((const char *const[]){ "cpu", "opencl:0", NULL }, four, (const char *const[]){ NULL });
    cr_expect_float_neq(forecast_now().fixed, 77, 1, "of two devices it is not known");
    cache_end();
}

/* The rest of a problem that an earlier part of the run began is no measure of it. */
Test(block, a_resumed_run_remembers_no_time)
{
    for (unsigned is_resumed = 0; is_resumed < 2; is_resumed++) {
        struct resume resume = { .journal = NULL };
        scene_open((const char *const[]){ "cpu", NULL }, four, (const char *const[]){ NULL });
        scene->context.resume = is_resumed ? &resume : NULL;
        const double before = forecast_now().fixed;
        scene_measure();
        cr_expect_eq(forecast_now().fixed == before, is_resumed, "resumed: %u", is_resumed);
    }
}

/* A row has one choice, however many methods: each of them only adds the opening of its worker. */
Test(block, what_is_refused_takes_no_time_and_further_methods_take_none_for_visits)
{
    scene_open(three_devices, four, (const char *const[]){ NULL });
    struct plan *plan = &scene->made.plan;
    const struct forecast all = forecast_now();
    cr_assert(plan->cell[0].row == plan->cell[1].row && plan->cell[0].row != plan->cell[plan->cells - 1].row);
    for (unsigned i = 0; i < plan->cells; i++) {
        struct cell *cell = &plan->cell[i];
        const bool is_alone =
            (i == 0 || cell[-1].row != cell->row) && (i + 1 == plan->cells || cell[1].row != cell->row);
        fail(&cell->refused, STATUS_UNSUPPORTED, "not here");
        const struct forecast without = forecast_now();
        cr_expect_lt(without.fixed, all.fixed, "cell %u", i);
        cr_expect_eq(without.visit < all.visit, is_alone, "cell %u", i);
        cell->refused = (struct error){ .status = STATUS_OK };
    }
}
