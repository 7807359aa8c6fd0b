/* How the rows of a problem are opened and measured: on scripted workers. */

#include "bench/plan/resume.h"
#include "bench/schedule/block.h"
#include "harness/analysis/figure.h"
#include "harness/base/text.h"
#include "tests/support/scripted_workers.h"

#include <math.h>

TestSuite(block, .fini = scene_close);

/* More of the last method, openblas, may follow. */
#define FOUR "onednn 0.004, onednn-gemm 0.003, native 0.005, openblas 0.002"

/* The cell of that number in the record. */
static const struct cell_record *cell_of(unsigned number)
{
    const struct record *record = scene->context.run_log.record;
    cr_assert_lt(number, record->cells, "%u cells", record->cells);
    return record->cell[number];
}

static unsigned slices_of(unsigned number, enum series series)
{
    return cell_of(number)->track[series].slices;
}

static void expect_cells(unsigned cells)
{
    cr_assert_eq(scene->context.run_log.record->cells, cells, "%u cells", scene->context.run_log.record->cells);
}

/* --- room --- */

/* Whether the methods take turns because memory is short, or because a device takes one process: the first slices
 * decide, and the winner is opened again. */
Test(block, where_methods_take_turns_one_worker_is_open_and_first_slices_decide)
{
    for (unsigned is_exclusive = 0; is_exclusive < 2; is_exclusive++) {
        scene_open("cpu", FOUR, "");
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
    scene_open("cpu", FOUR, "--method openblas");
    scene->made.device[0].takes_one_process = true;
    scene_measure();
    cr_expect_eq(seen.opened, 1, "%u", seen.opened);
}

/* By the plan, or because others are open: it costs that method alone. What the plan refuses is not opened. */
Test(block, what_has_no_memory_is_left_out_and_told)
{
    for (unsigned by_plan = 0; by_plan < 2; by_plan++) {
        scene_open("cpu", by_plan ? FOUR : FOUR " beside=no-memory", "");
        for (unsigned i = 0; i < scene->made.plan.cells; i++)
            if (by_plan && strcmp(scene->made.plan.cell[i].method->name, "openblas") == 0)
                fail(&scene->made.plan.cell[i].refused, STATUS_NO_MEMORY, "too large");
        scene_measure();
        cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), "onednn-gemm", "%u", by_plan);
        cr_expect_eq(contender_named("openblas", "")->outcome.status, STATUS_NO_MEMORY, "%u", by_plan);
        cr_expect_eq(count_requests("openblas", "open", NULL), 0);
    }
}

/* --- lines and cells --- */

/* Two cells, each for its line, and what the device's row is compared with in each. */
Test(block, different_methods_for_data_that_stay_and_that_move_make_two_cells)
{
    scene_run("cpu opencl:0", "onednn 0.001 repack=0.002, onednn-gemm 0.002, portable 0.0005, * 0.008", "");
    expect_cells(3);
    cr_expect_str_eq(cell_of(0)->method, "onednn");
    cr_expect_eq(cell_of(0)->measures, MEASURES_RESIDENT);
    cr_expect_str_eq(cell_of(1)->method, "onednn-gemm");
    cr_expect_eq(cell_of(1)->measures, MEASURES_COPIED);
    cr_expect_eq(slices_of(0, SERIES_COPIED), 0);
    cr_expect_eq(slices_of(1, SERIES_RESIDENT), 0, "it answers for the copied line alone");
    cr_expect_eq(cell_of(2)->measures, MEASURES_BOTH, "one worker serves both lines");
    cr_expect_str_eq(cell_of(2)->baseline, cell_of(0)->key);
    cr_expect_str_eq(cell_of(2)->baseline_copied, cell_of(1)->key);
    cr_expect_gt(slices_of(2, SERIES_RESIDENT), 5);
    cr_expect_gt(slices_of(2, SERIES_COPIED), 5);
}

Test(block, a_cell_for_data_that_move_is_measured_with_transfers_alone)
{
    scene_run("cpu opencl:0",
              "openblas 0.004, portable 0.0005 repack=0.003, clblast 0.001, * fails=open with=unsupported", "");
    expect_cells(3);
    cr_expect_str_eq(cell_of(2)->method, "clblast");
    cr_expect_eq(cell_of(2)->measures, MEASURES_COPIED);
    cr_expect_gt(slices_of(2, SERIES_COPIED), 5);
    cr_expect_eq(slices_of(2, SERIES_RESIDENT), 0);
}

/* The one for data that stay fails once it is to be measured: the other is measured for both. The one for data that
 * move fails when the first is ready: the next is measured for these, and the first is left as it is. */
Test(block, of_two_methods_one_is_measured_for_both_if_the_first_fails)
{
    static const char *const methods[] = { "onednn", "onednn-gemm" };
    for (unsigned bad = 0; bad < 2; bad++) {
        scene_open("cpu", "onednn 0.001 repack=0.002, onednn-gemm 0.002, openblas 0.004, native 0.008", "");
        script_of(methods[bad])->fails = "warmup";
        script_of(methods[bad])->with = "crashed";
        scene_measure();
        expect_cells(2 + bad);
        cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "cpu"), methods[1 - bad], "%u", bad);
        cr_expect_str_eq(measured(0, MEASURES_COPIED, "cpu"), bad == 0 ? "onednn-gemm" : "openblas", "%u", bad);
        for (unsigned i = 0; i < 2 + bad; i++)
            cr_expect_eq(cell_of(i)->outcome.status, i == bad ? STATUS_CRASHED : STATUS_OK, "%u of %u", i, bad);
    }
}

/* Nothing is left for data that move: the method for data that stay is not measured for these. */
Test(block, a_method_that_is_measured_for_one_use_is_not_taken_for_the_other)
{
    scene_run("cpu opencl:0",
              "onednn 0.001 repack=0.002, onednn-gemm 0.002 fails=warmup with=crashed, portable 0.0005, clblast 0.002, "
              "* fails=open with=unsupported",
              "");
    expect_cells(3);
    cr_expect_eq(cell_of(0)->outcome.status, STATUS_OK);
    cr_expect_eq(cell_of(0)->measures, MEASURES_RESIDENT);
    cr_expect_eq(cell_of(1)->outcome.status, STATUS_CRASHED);
    cr_expect_str_eq(cell_of(2)->baseline, cell_of(0)->key);
    const char *copied = cell_of(2)->baseline_copied;
    cr_expect(!copied || strcmp(copied, cell_of(0)->key) != 0, "its copied runs are no baseline: %s", copied);
}

/* Each method is a row of its own, and the baseline is the fastest of them. Where that fails as it begins, the second
 * fastest is the baseline of the rows that come later. */
Test(block, with_every_method_the_baseline_is_chosen_of_all_rows)
{
    for (unsigned fails = 0; fails < 2; fails++) {
        double ratio[64];
        scene_open("cpu opencl:0",
                   "onednn 0.004, onednn-gemm 0.003, openblas 0.002, native 0.005, portable 0.0005, clblast 0.002",
                   "--method all");
        script_of("openblas")->fails = fails ? "warmup" : NULL;
        script_of("openblas")->with = "crashed";
        const struct record *record = scene_measure();
        expect_cells(6);
        for (unsigned i = 0; i < record->cells; i++) {
            const struct cell_record *cell = record->cell[i], *baseline = record_cell(record, cell->baseline);
            const bool is_bad = fails && strcmp(cell->method, "openblas") == 0, is_later = cell->device_id[0] == 'o';
            cr_expect_eq(cell->outcome.status, is_bad ? STATUS_CRASHED : STATUS_OK, "%s: %s", cell->method,
                         cell->outcome.message);
            cr_expect_eq(count_requests(cell->method, "open", NULL), 1, "%s", cell->method);
            if (fails && !is_later)
                continue;
            cr_assert_not_null(baseline, "%s: %s", cell->method, cell->baseline);
            cr_expect_str_eq(baseline->method, fails ? "onednn-gemm" : "openblas", "%s", cell->method);
            cr_expect_gt(slices_of(i, SERIES_RESIDENT), 5, "%s", cell->method);
            cr_expect(!is_later || record_ratios(record, cell, SERIES_RESIDENT, ratio, 64) > 5, "%s", cell->method);
        }
    }
}

/* A long run is timed once by phase, and that slice serves both lines. It has warmed up by itself. */
Test(block, above_half_a_second_one_phased_run_serves_both_lines)
{
    scene_run("cpu opencl:0", "openblas 0.7, portable 0.6", "--method openblas,portable");
    expect_cells(2);
    cr_expect_geq(slices_of(1, SERIES_RESIDENT), 6);
    cr_expect_eq(slices_of(1, SERIES_RESIDENT), slices_of(1, SERIES_COPIED));
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
        const char *device, *script;
        bool is_cold, is_sweep, is_queued, is_copied, is_phased;
    } cases[] = {
        { "opencl:0", "portable 0.0005", .is_queued = true, .is_copied = true },
        { "opencl:0", "portable 0.002", .is_copied = true },
        { "opencl:0", "portable 0.0005", .is_cold = true, .is_copied = true },
        { "opencl:0", "portable 0.0005", .is_sweep = true, .is_copied = true },
        { "cpu", "openblas 0.0005", .is_copied = true },
        { "cpu", "onednn 0.4 repack=0.3", .is_copied = true },
        { "cpu", "onednn 0.6 repack=0.3", .is_copied = true, .is_phased = true },
        { "cpu", "onednn 0.01 repack=40", .is_copied = false },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *script = cases[i].script;
        scene_open(
            cases[i].device, script,
            text_print("--method %.*s%s", (int)strcspn(script, " "), script, cases[i].is_cold ? " --cold" : "").text);
        if (cases[i].is_cold)
            scene->made.plan.cell[0].flush = 4096;
        if (cases[i].is_sweep)
            scene->made.options.verb = VERB_SWEEP;
        scene_measure();
        cr_expect_eq(cell_of(0)->outcome.status, STATUS_OK, "%s: %s", script, cell_of(0)->outcome.message);
        cr_expect_gt(slices_of(0, SERIES_RESIDENT), 5, "%s, case %u", script, i);
        cr_expect_eq(slices_of(0, SERIES_QUEUED) > 0, cases[i].is_queued, "%s, case %u", script, i);
        cr_expect_eq(slices_of(0, SERIES_COPIED) > 0, cases[i].is_copied, "%s, case %u", script, i);
        const struct request_seen *last = &seen.request[seen.requests - 1];
        while (strcmp(last->what, "slice") != 0)
            last--;
        cr_expect_eq(last->is_phased, cases[i].is_phased, "%s, case %u", script, i);
    }
}

/* Of two kinds of memory the first cannot be opened. */
Test(block, a_kind_of_memory_has_a_choice_where_the_one_before_it_had_none)
{
    for (unsigned bad = 0; bad < 2; bad++) {
        scene_open("opencl:0", "portable 0.001, clblast 0.002", "--memory pageable,pinned");
        script_of("portable")->bad_memory = script_of("clblast")->bad_memory = bad ? "pageable" : NULL;
        scene_measure();
        expect_cells(2);
        cr_expect_eq(cell_of(0)->outcome.status, bad ? STATUS_UNSUPPORTED : STATUS_OK);
        cr_expect_eq(cell_of(1)->outcome.status, STATUS_OK);
        cr_expect_str_eq(cell_of(1)->method, "portable");
        cr_expect_gt(count_requests("clblast", "slice", NULL), 0);
        cr_expect_eq(count_requests("clblast", "open", NULL), 1 + bad, "what was slower is not opened again");
    }
}

/* --- kernel shapes --- */

/* More of portable may follow. */
#define SHAPES "clblast 0.003, portable shapes=abcd takes=0.004:0.0039:0.002:0.006"

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
    scene_run("opencl:0", "portable noise=0.1 shapes=abcd takes=0.00201:0.002:0.00202:0.00201, clblast 0.02", "");
    cr_expect_gt(count_requests("portable", "verify", "before"), 1, "several were verified");
    expect_measured_as_verified();
}

Test(block, kernel_shapes_are_tuned_once_and_the_best_is_used_at_all_sizes)
{
    scene_run("opencl:0", SHAPES, "--size 512 --size 1024 --size 1280");
    expect_cells(3);
    for (unsigned i = 0; i < 3; i++) {
        cr_expect_str_eq(cell_of(i)->method, "portable");
        cr_expect_str_eq(cell_of(i)->kernel_shape, "c", "%u: %s", i, cell_of(i)->kernel_shape);
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
    scene_open("opencl:0", SHAPES, "");
    script_of("clblast")->run = 0.001;
    scene_measure();
    cr_expect_float_eq(contender_named("portable", "c")->ratio, 0.5, 0.02);
    cr_expect_float_eq(contender_named("portable", "a")->ratio, 0.25, 0.02);
}

/* The size of the problem at which a kernel shape was tried first. */
static double tuned_at(void)
{
    const unsigned first = first_request(NULL, "kernel_shape", NULL);
    cr_assert_lt(first, seen.requests);
    return seen.request[first].size;
}

/* A larger problem that cannot be opened, or that is of another type, tells nothing of this one; and where a device
 * takes one process none is opened beside it. */
Test(block, kernel_shapes_are_tuned_at_a_larger_problem_only_if_it_can_be_opened)
{
    for (unsigned i = 0; i < 3; i++) {
        scene_open("opencl:0", "portable shapes=abc takes=4e-4:2e-4:3e-4",
                   "--method portable --dtype f32,f64 --size 512 --size 1280");
        struct plan *plan = &scene->made.plan;
        for (unsigned k = 0; k < plan->cells && i == 1; k++)
            if (plan->cell[k].problem.dtype == DTYPE_F32 && plan->cell[k].problem.dim[0] == 1280)
                fail(&plan->cell[k].refused, STATUS_NO_MEMORY, "too large");
        scene->made.device[0].takes_one_process = i == 2;
        scene_measure();
        cr_expect_eq(tuned_at(), i == 0 ? 1280 : 512, "%u: %g", i, tuned_at());
        cr_expect(i < 2 || seen.most == 1, "%u at once", seen.most);
    }
}

/* The first size takes 0.2 ms, the second 1.6 ms, the third 5.4 ms: that is long enough. */
Test(block, kernel_shapes_are_tuned_at_the_first_problem_of_two_milliseconds)
{
    const struct record *record =
        scene_run("opencl:0", "portable shapes=abcd takes=0.0004:0.00039:0.0002:0.0006, clblast 0.0003",
                  "--size 512 --size 768 --size 1280 --size 2048");
    for (unsigned i = 0; i < seen.requests; i++) {
        const struct request_seen *one = &seen.request[i];
        if (strcmp(one->what, "kernel_shape") == 0 && strcmp(one->detail, "c") != 0)
            cr_expect_eq(one->size, 1280, "%s at %g", one->detail, one->size);
        cr_expect(one->size != 1280 || strcmp(one->detail, "queued") != 0,
                  "runs of that problem are long enough to be waited for one by one");
    }
    cr_expect_gt(count_requests("portable", "kernel_shape", "b"), 0);
    for (unsigned i = 0; i < record->cells; i++)
        cr_expect_str_eq(cell_of(i)->kernel_shape, "c", "%u: %s", i, cell_of(i)->kernel_shape);
}

/* The first of two kinds of memory cannot be opened, at the larger size either. */
Test(block, kernel_shapes_are_tuned_at_a_problem_in_memory_of_the_same_kind)
{
    scene_run("opencl:0", "portable shapes=abc takes=4e-4:2e-4:3e-4 bad_memory=pageable",
              "--method portable --memory pageable,pinned --size 512 --size 1280");
    cr_expect_eq(tuned_at(), 1280, "%g", tuned_at());
}

/* Blocks of 128 x 128, on 132 units: up to 1024 there is less than one for each, at 2048 there are two, at 4096 eight.
 * Each class has another best kernel shape. Runs are shorter than 2 ms but at 4096 and 8192: a class is tuned at its
 * largest problem, or at the first of that length: at 1024, 2048 and 4096. */
Test(block, kernel_shapes_are_tuned_once_for_each_size_class)
{
    static const char *const best[] = { "a", "a", "b", "c", "c" };
    cache_begin();
    for (unsigned run = 0; run < 2; run++) {
        scene_open("opencl:0", "portable shapes=abc takes=10e-6:7e-6:5e-6 begins=0:50e-6:300e-6, clblast 0.001",
                   "--size 512 --size 1024 --size 2048 --size 4096 --size 8192");
        scene->made.device[0].units = 132;
        scene_measure();
        expect_cells(5);
        for (unsigned i = 0; i < 5; i++)
            cr_expect_str_eq(cell_of(i)->kernel_shape, best[i], "%s: %s", cell_of(i)->shape, cell_of(i)->kernel_shape);
        for (unsigned i = 0; i < seen.requests; i++) {
            const double size = seen.request[i].size;
            if (strcmp(seen.request[i].what, "kernel_shape") == 0 && seen.request[i].kernel_shape == 'b')
                cr_expect(size == 1024 || size == 2048 || size == 4096, "run %u at %g", run, size);
        }
        cr_expect_eq(count_requests("portable", "kernel_shape", NULL) > 0, run == 0, "run %u", run);
    }
    cache_end();
}

Test(block, kernel_shapes_are_remembered_across_runs)
{
    cache_begin();
    for (unsigned run = 0; run < 2; run++) {
        scene_run("opencl:0", SHAPES, "");
        cr_expect_str_eq(cell_of(0)->kernel_shape, "c");
        cr_expect_eq(count_requests("portable", "kernel_shape", NULL) > 0, run == 0, "run %u", run);
        cr_expect_eq(count_requests("portable", "open", NULL), 1);
    }
    cache_end();
}

/* The interrupt comes as the second one is tried, so that only the first, which is slower, is left. */
Test(block, a_kernel_shape_that_was_left_by_an_interrupt_is_not_remembered)
{
    static const char *const scripts[] = {
        "portable shapes=ab takes=0.004:0.002 bad_shape=b fails=slice with=abandoned",
        "portable shapes=ab takes=0.004:0.002",
    };
    cache_begin();
    scene_run("opencl:0", scripts[0], "--method portable");
    cr_expect(scene->context.interrupted);
    scene_run("opencl:0", scripts[1], "--method portable");
    cr_expect_str_eq(cell_of(0)->kernel_shape, "b");
    cache_end();
}

/* Another version of a library may have it no longer, and another program may have the memory for its workspace. */
Test(block, a_kernel_shape_of_an_earlier_run_that_is_refused_now_is_forgotten)
{
    static const char *const refusals[] = { SHAPES, SHAPES " bad_shape=c fails=open with=unsupported",
                                            SHAPES " bad_shape=c fails=open with=no-memory" };
    cache_begin();
    for (unsigned run = 0; run < 3; run++) {
        scene_run("opencl:0", refusals[run], "");
        cr_expect_eq(cell_of(0)->outcome.status, STATUS_OK, "run %u: %s", run, cell_of(0)->outcome.message);
        cr_expect_str_eq(cell_of(0)->method, "portable");
        cr_expect_gt(count_requests("portable", "kernel_shape", NULL), 0, "run %u", run);
        cr_expect_eq(count_requests("portable", "open", NULL), run > 0 ? 2 : 1, "run %u", run);
    }
    cache_end();
}

/* A driver that fails costs the worker. The next one takes longer to open than there is time for kernel shapes. */
Test(block, opening_a_worker_again_is_time_for_kernel_shapes)
{
    scene_run("opencl:0", "portable shapes=abc takes=0.004:0.004:0.002 compile=9 bad_shape=a fails=slice with=failed",
              "--method portable");
    cr_expect_str_eq(cell_of(0)->kernel_shape, "b");
}

/* At 512 the first is the best, at 1024 the second: what is found at one size says nothing about the other. */
Test(block, the_algorithms_of_a_library_are_tuned_at_each_size)
{
    scene_run("opencl:0", "clblast shapes=ab takes=20e-6:5e-6 begins=0:50e-6",
              "--method clblast --size 512 --size 1024");
    expect_cells(2);
    cr_expect_str_eq(cell_of(0)->kernel_shape, "a");
    cr_expect_str_eq(cell_of(1)->kernel_shape, "b");
}

/* The others get a new worker. */
Test(block, a_kernel_shape_that_crashes_or_is_wrong_costs_itself)
{
    static const struct {
        const char *ends;
        enum status with;
    } ways[] = { { "fails=slice with=crashed", STATUS_CRASHED },
                 { "fails=verify with=wrong", STATUS_WRONG },
                 { "fails=verify with=crashed", STATUS_CRASHED },
                 { "fails=kernel_shape with=failed", STATUS_OK }, /* it is no contender */
                 { "fails=slice with=timeout", STATUS_TIMEOUT } };
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        scene_run(
            "opencl:0",
            text_print("clblast 0.02, portable shapes=abcd takes=0.004:0.0039:0.002:0.006 bad_shape=c %s", ways[i].ends)
                .text,
            "");
        cr_expect_eq(cell_of(0)->outcome.status, STATUS_OK, "%s: %s", ways[i].ends, cell_of(0)->outcome.message);
        cr_expect_str_eq(cell_of(0)->method, "portable", "%s", ways[i].ends);
        cr_expect_str_eq(cell_of(0)->kernel_shape, "b", "%s: %s", ways[i].ends, cell_of(0)->kernel_shape);
        if (ways[i].with != STATUS_OK)
            cr_expect_eq(contender_named("portable", "c")->outcome.status, ways[i].with, "%s", ways[i].ends);
    }
}

/* Each of three fresh processes times one run, and ends, whatever became of it. Of what failed before none does. */
Test(block, naive_timing_leaves_no_process_and_stops_at_the_first_failure)
{
    static const struct {
        const char *script;
        unsigned processes;
    } cases[] = { { "native 0.002", 3 },
                  { "native 0.002 fails=naive with=wrong", 1 },
                  { "native 0.002 fails=slice with=wrong from=8", 0 } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_run("cpu", cases[i].script, "--suite uhd620 --method native"); /* no worker is left */
        cr_expect_eq(count_requests("native", "naive", NULL), cases[i].processes, "%s", cases[i].script);
        cr_expect_eq(seen.most, 1, "%u at once", seen.most);
    }
}

/* The worker fails in the slice that tells where to tune, and in all that follow, until another takes its place. */
Test(block, a_fault_before_kernel_shapes_are_tried_costs_one_of_them)
{
    scene_run("opencl:0", SHAPES " fails=slice with=failed recovers", "");
    cr_expect_eq(cell_of(0)->outcome.status, STATUS_OK, "%s", cell_of(0)->outcome.message);
    cr_expect_str_eq(cell_of(0)->kernel_shape, "c", "%s", cell_of(0)->kernel_shape);
    cr_expect_eq(contender_named("portable", "a")->outcome.status, STATUS_FAILED);
    cr_expect_eq(contender_named("portable", "b")->outcome.status, STATUS_OK);
}

/* Three workers are enough to know. */
Test(block, a_method_none_of_whose_kernel_shapes_works_is_lost_alone)
{
    scene_run("opencl:0", SHAPES " fails=slice with=crashed", "");
    cr_expect_str_eq(measured(0, MEASURES_RESIDENT, "opencl:0"), "clblast");
    cr_expect_eq(count_requests("portable", "open", NULL), 3, "%u", count_requests("portable", "open", NULL));
}

/* --- a choice that is not settled --- */

/* Two methods of a card that noise does not tell apart: clblast is measured first, and the next three slices of each
 * decide. What is measured in the end, from which visit on, and how many slices the rival, portable, had. */
Test(block, of_two_methods_that_are_close_the_first_visits_decide_and_enter_no_figure)
{
    static const struct {
        const char *what, *clblast, *portable, *measured;
        unsigned from, slices;
        bool fails;
    } rows[] = {
        { "the rival is slower", "late=1", "late=2", "clblast", 3, 18 + 3, false },
        { "the rival is faster", "late=1.02", "late=1", "portable", 3, 18 + 3 + 24, false },
        { "by less than one percent", "late=1.005", "late=1", "clblast", 3, 18 + 3, false },
        { "the rival fails", "late=1", "late=0.5 fails=slice with=crashed from=19", "clblast", 2, 18 + 2, true },
        { "it is faster and fails as it begins", "late=2", "late=1 fails=warmup with=crashed", "clblast", 3, 18 + 3,
          true },
        { "the first fails", "late=1 fails=slice with=crashed from=20", "late=2", "portable", 2, 18 + 1 + 24, true },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        double ratio[64];
        const struct record *record =
            scene_run("cpu opencl:0",
                      text_print("openblas 0.002, clblast 0.002 noise=0.1 %s, portable 0.002 noise=0.1 %s, * 0.01",
                                 rows[i].clblast, rows[i].portable)
                          .text,
                      "");
        const struct cell_record *cell = cell_of(1);
        const struct track *track = &cell->track[SERIES_RESIDENT];
        expect_cells(2);
        cr_expect(journal_says("\"settled\":false"), "%s", rows[i].what);
        cr_expect_str_eq(cell->method, rows[i].measured, "%s: %s", rows[i].what, cell->method);
        cr_expect_eq(cell->outcome.status, STATUS_OK, "%s: %s", rows[i].what, cell->outcome.message);
        cr_expect_eq(track->slices, 12, "%s: %u", rows[i].what, track->slices);
        cr_expect_eq(track->slice[0].visit, rows[i].from, "%s: %u", rows[i].what, track->slice[0].visit);
        cr_expect_eq(record_ratios(record, cell, SERIES_RESIDENT, ratio, 64), 12, "%s", rows[i].what);
        cr_expect_eq(count_requests("portable", "slice", NULL), rows[i].slices, "%s: %u", rows[i].what,
                     count_requests("portable", "slice", NULL));
        cr_expect_eq(journal_says("failed at its first visits"), rows[i].fails, "%s", rows[i].what);
    }
}

/* A method that converts layouts may be faster for one use and slower for the other. */
Test(block, a_method_with_a_layout_of_its_own_is_no_rival)
{
    static const char *const scripts[] = {
        "clblast 0.002 noise=0.1, portable 0.002 noise=0.1 repack=1e-6",
        "clblast 0.002 noise=0.1 repack=1e-6, portable 0.002 noise=0.1",
    };
    for (unsigned i = 0; i < 2; i++) {
        const struct record *record = scene_run("opencl:0", scripts[i], "");
        cr_expect(journal_says("\"settled\":false"));
        for (unsigned k = 0; k < record->cells; k++)
            for (enum use use = 0; use < USES; use++)
                if (slices_of(k, use_series[use]) > 0)
                    cr_expect_eq(cell_of(k)->track[use_series[use]].slice[0].visit, 0, "%s", cell_of(k)->method);
    }
}

/* The only method that is close has wrong results: what is measured is known, and nothing is left to decide. */
Test(block, a_rival_with_wrong_results_leaves_the_choice_settled)
{
    scene_run("cpu opencl:0",
              "openblas 0.002, clblast 0.002 noise=0.3, portable 0.0022 noise=0.3 fails=verify with=wrong, * 0.01", "");
    cr_expect_str_eq(cell_of(1)->method, "clblast");
    cr_expect_eq(cell_of(1)->track[SERIES_RESIDENT].slice[0].visit, 0);
    cr_expect_not(journal_says("\"settled\":false"));
}

/* onednn is the first of the baseline's device, and slower once it is measured. */
Test(block, a_rival_that_wins_becomes_the_baseline_of_the_others)
{
    double ratio[64];
    const struct record *record = scene_run(
        "cpu opencl:0", "openblas 0.002 noise=0.2 late=1, onednn 0.002 noise=0.2 late=2, portable 0.001, * 0.01", "");
    cr_expect(journal_says("\"instead_of\":\"matmul/f32/m=512,n=512,k=512/onednn/"));
    expect_cells(2);
    const unsigned cpu = strcmp(cell_of(0)->device_id, "cpu") != 0;
    cr_expect_str_eq(cell_of(cpu)->method, "openblas");
    cr_expect_str_eq(cell_of(!cpu)->baseline, cell_of(cpu)->key);
    cr_expect_str_eq(cell_of(!cpu)->baseline_copied, cell_of(cpu)->key);
    const unsigned count = record_ratios(record, cell_of(!cpu), SERIES_RESIDENT, ratio, 64);
    cr_expect_eq(count, 12, "%u", count);
    for (unsigned i = 0; i < count; i++)
        cr_expect_float_eq(ratio[i], 2, 0.05, "%g", ratio[i]);
}

/* --- workers that die later --- */

/* The baseline has a second worker, and only one; no other row has. Three deaths would end a method: each counts once.
 */
Test(block, a_worker_that_dies_while_it_is_measured_costs_its_row_alone)
{
    static const struct {
        const char *bad;
        bool recovers;
        unsigned deaths;
        enum status of_baseline, of_card;
    } cases[] = { { "openblas", true, 1, STATUS_OK, STATUS_OK },
                  { "openblas", false, 2, STATUS_CRASHED, STATUS_OK },
                  { "portable", true, 1, STATUS_OK, STATUS_CRASHED } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_open("cpu opencl:0", "openblas 0.002, portable 0.001", "--method openblas,portable");
        struct script *bad = script_of(cases[i].bad);
        bad->fails = "slice";
        bad->with = "crashed";
        bad->from = 8;
        bad->recovers = cases[i].recovers;
        scene_measure();
        expect_cells(2);
        cr_expect_eq(cell_of(0)->outcome.status, cases[i].of_baseline, "case %u: %s", i, cell_of(0)->outcome.message);
        cr_expect_eq(cell_of(1)->outcome.status, cases[i].of_card, "case %u: %s", i, cell_of(1)->outcome.message);
        cr_expect_eq(cell_of(0)->track[SERIES_RESIDENT].stop == STOP_FAILED, cases[i].of_baseline != STATUS_OK);
        cr_expect_eq(journal_says("a new one continued"), i < 2, "case %u", i);
        cr_expect_eq(scene->context.deaths, cases[i].deaths, "case %u: %u", i, scene->context.deaths);
        cr_expect_eq(count_requests("openblas", "verify", "before"), i < 2 ? 2 : 1, "each worker is verified");
    }
}

/* What was not measured is no failure of its own; a wrong answer stays one. */
Test(block, an_interrupt_does_not_excuse_a_failure)
{
    static const enum status before[] = { STATUS_WRONG, STATUS_OK }, after[] = { STATUS_WRONG, STATUS_ABANDONED };
    for (unsigned i = 0; i < 2; i++) {
        scene_open("cpu", FOUR, "");
        struct context *context = &scene->context;
        struct runner runner = { .context = context, .cell = scene->made.plan.cell, .outcome.status = before[i] };
        char shape[SHAPE_MAX];
        const struct cell_record stated = cell_stated(runner.cell, shape);
        run_log_write(&context->run_log, &(struct journal_line){ .kind = LINE_CELL, .stated = &stated });
        context->interrupted = true;
        runner_close(&runner);
        cr_expect_eq(cell_of(0)->outcome.status, after[i]);
    }
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
        scene_open("cpu", FOUR, "");
        const struct runner runner = { .context = &scene->context,
                                       .cell = scene->made.plan.cell,
                                       .outcome = cases[i].outcome,
                                       .lacks_device = cases[i].lacks_device };
        runner_write_outcome(&runner);
        cr_expect_eq(scene->context.losses[0], cases[i].counts, "case %u: %u", i, scene->context.losses[0]);
    }
}

/* A copied run takes longer than a resident one, and its series ends in an earlier visit. */
Test(block, a_series_that_had_stopped_does_not_go_on_with_the_second_worker)
{
    unsigned slices[2][USES];
    for (unsigned dies = 0; dies < 2; dies++) {
        scene_open("cpu", "openblas 0.02 repack=0.2 noise=0.3 with=crashed from=30 recovers", "--method openblas");
        script_of("openblas")->fails = dies ? "slice" : NULL;
        scene->context.rule = (struct rule){ .target = 1e-9, .budget = 1.5, .deadline = 30 };
        scene_measure();
        cr_expect_eq(journal_says("a new one continued"), dies == 1);
        for (enum use use = 0; use < USES; use++)
            slices[dies][use] = slices_of(0, use_series[use]);
    }
    cr_expect_gt(slices[0][USE_RESIDENT], slices[0][USE_COPIED] + 4, "%u, %u", slices[0][0], slices[0][1]);
    cr_expect_eq(slices[1][USE_COPIED], slices[0][USE_COPIED], "%u, not %u", slices[1][1], slices[0][1]);
}

/* At two sizes: a third death would be one too many. Checks that take too long may be the host's fault: of four sizes
 * all are tried. */
Test(block, a_worker_that_dies_once_it_was_chosen_counts_once_and_a_slow_check_as_none)
{
    static const struct {
        const char *openblas;
        unsigned opened;
    } cases[] = { { FOUR " fails=warmup with=crashed", 3 },
                  { FOUR " fails=verify with=crashed", 3 },
                  { FOUR " fails=verify with=timeout", 4 } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_run("cpu", cases[i].openblas, "--size 512 --size 768 --size 1024 --size 1280");
        cr_expect_eq(count_requests("openblas", "open", NULL), cases[i].opened, "%s: %u", cases[i].openblas,
                     count_requests("openblas", "open", NULL));
    }
}

/* The others are compared with nothing, not with each other. */
Test(block, without_a_method_that_works_on_its_device_there_is_no_baseline)
{
    scene_run("cpu opencl:0 opencl:1", "openblas fails=open with=unsupported, portable 0.001",
              "--method openblas,portable");
    expect_cells(3);
    for (unsigned i = 0; i < 3; i++)
        cr_expect_str_empty(cell_of(i)->baseline, "%s: %s", cell_of(i)->key, cell_of(i)->baseline);
}

/* More than the 30 s that it may take; one that takes less is measured. What takes much more is not verified either. */
Test(block, a_run_that_takes_too_long_is_not_measured)
{
    static const char *const scripts[] = { "portable 20", "portable 40", "portable 4000" };
    for (unsigned i = 0; i < 3; i++) {
        scene_run("opencl:0", scripts[i], "--method portable");
        const struct error *outcome = &cell_of(0)->outcome;
        cr_expect_eq(outcome->status, i == 0 ? STATUS_OK : STATUS_TOO_SLOW, "%s: %s", scripts[i], outcome->message);
        cr_expect(i == 0 || strstr(outcome->message, "one run takes "), "%s: %s", scripts[i], outcome->message);
        cr_expect_eq(count_requests(NULL, "verify", NULL) == 0, i == 2, "%s", scripts[i]);
    }
}

/* The race says so of the method that was chosen, and that the other one is slower. */
Test(block, a_method_that_was_chosen_and_takes_too_long_is_not_the_one_that_was_measured)
{
    scene_run("opencl:0", "portable 40, clblast 50", "");
    cr_expect_str_eq(ends(MEASURES_RESIDENT), "portable passed-over, clblast slower", "%s", ends(MEASURES_RESIDENT));
}

/* The seconds of each block by what they were spent for. Each problem its own: filling takes 3 s for each of four
 * workers. */
Test(block, writes_what_its_time_was_spent_for)
{
    const struct record *record = scene_run("cpu", FOUR, "--size 512 --size 256 --size 128");
    cr_expect(journal_says("\"line\":\"spent\""));
    cr_assert_eq(record->blocks, 3);
    for (unsigned i = 0; i < record->blocks; i++)
        cr_expect_float_eq(record->block[i].spent[SPENT_FILLING], 12, 1e-6, "block %u: %g", i,
                           record->block[i].spent[SPENT_FILLING]);
}

/* Until its first result: the device, the kernels and the run, of 1 us, 0.5 s and 2 ms. */
Test(block, opening_a_worker_takes_all_its_parts_together)
{
    scene_run("cpu", "openblas 0.002 compile=0.5, * 0.004", "");
    const double first = contender_named("openblas", "")->first;
    cr_expect_float_eq(first, 0.502, 0.0005, "%g", first);
}

/* --- how long a problem will take --- */

/* Of the first problem. */
static struct forecast forecast_now(void)
{
    struct plan *plan = &scene->made.plan;
    return forecast_block(&scene->context, &scene->context.rule, plan->cell, plan_block_end(plan, 0));
}

/* By the devices that take part, all of them, and by the rule. */
Test(block, what_a_problem_took_before_is_what_it_will_take)
{
    cache_begin();
    scene_open("cpu opencl:0 opencl:1", FOUR, "");
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
    *cache = scene->context.tuning_cache;
    scene_open("cpu opencl:0", FOUR, "");
    cr_expect_float_neq(forecast_now().fixed, 77, 1, "of two devices it is not known");
    cache_end();
}

/* The rest of a problem that an earlier part of the run began is no measure of it. */
Test(block, a_resumed_run_remembers_no_time)
{
    for (unsigned is_resumed = 0; is_resumed < 2; is_resumed++) {
        struct resume resume = { .journal = NULL };
        scene_open("cpu", FOUR, "");
        scene->context.resume = is_resumed ? &resume : NULL;
        const double before = forecast_now().fixed;
        scene_measure();
        cr_expect_eq(forecast_now().fixed == before, is_resumed, "resumed: %u", is_resumed);
    }
}

/* A row has one choice, however many methods: each of them only adds the opening of its worker. */
Test(block, what_is_refused_takes_no_time_and_further_methods_take_none_for_visits)
{
    scene_open("cpu opencl:0 opencl:1", FOUR, "");
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
