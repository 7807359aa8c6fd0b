/* How the problems of a run take turns, what ends them, and what a resumed run adds: on scripted workers, and by a
 * clock on which each request takes a tenth of a second, and measuring energy what it is asked to take, too. */

#include "bench/schedule/timetable.h"
#include "harness/analysis/figure.h"
#include "tests/support/scripted_workers.h"

TestSuite(rotation, .fini = scene_close);

double __wrap_clock_wall(void);

static double clock_before; /* of runs that were resumed */

double __wrap_clock_wall(void)
{
    return clock_before + 0.1 * seen.requests + seen.metered;
}

static const char sizes[] = "--size 512 --size 640 --size 768", both[] = "cpu opencl:0";

/* The times of the other methods leave no doubt which to measure. */
static const char usual[] = "openblas 0.002, portable 0.002, * 0.02";

/* The problems in the order in which they were asked for anything, a letter each. */
static const char *order_of_problems(void)
{
    static char order[400];
    unsigned count = 0;
    for (unsigned i = 0; i < seen.requests && count < sizeof order - 1; i++) {
        const double size = seen.request[i].size;
        const char letter = size < 600 ? 'a' : size < 700 ? 'b' : 'c';
        if (count == 0 || order[count - 1] != letter)
            order[count++] = letter;
    }
    order[count] = '\0';
    return order;
}

static const struct track *track_of(unsigned block, unsigned cell, enum series series)
{
    return &scene->context.run_log.record->block[block].cell[cell]->track[series];
}

/* Two visits as a problem is opened, and then one in each turn; the last one closes it. */
Test(rotation, problems_are_visited_in_turn)
{
    scene_open(both, usual, sizes);
    scene->context.rule.visits = 6;
    scene_measure();
    cr_expect_str_eq(order_of_problems(), "abcabcabcabcabcabc", "%s", order_of_problems());
    for (unsigned block = 0; block < 3; block++)
        for (unsigned cell = 0; cell < 2; cell++) {
            const struct track *track = track_of(block, cell, SERIES_RESIDENT);
            cr_assert_eq(track->slices, 6);
            const double first = track->slice[1].at - track->slice[0].at,
                         later = track->slice[3].at - track->slice[2].at;
            cr_expect(first < 0.8 && later > 1, "%u: visits are %g and %g s apart", block, first, later);
        }
}

/* Of twelve visits the problem with long runs, of 0.34 s at 768, has six, in every second turn. */
Test(rotation, long_runs_are_visited_less_often_over_the_same_time)
{
    scene_run("cpu", "openblas 0.1, * 1", sizes);
    cr_expect_str_eq(order_of_problems(), "abcabababcababcabababcababcabc", "%s", order_of_problems());
    cr_expect_eq(track_of(0, 0, SERIES_RESIDENT)->slices, 12);
    cr_expect_eq(track_of(2, 0, SERIES_RESIDENT)->slices, 6);
}

/* By budget: the largest problem, whose slices are two runs of 0.06 s, spends it in eight visits. */
Test(rotation, a_problem_that_is_done_leaves)
{
    scene_open("cpu", "openblas 0.018, * 1", sizes);
    scene->context.rule.visits = 0;
    scene_measure();
    cr_expect_eq(track_of(2, 0, SERIES_RESIDENT)->slices, 8);
    cr_expect_gt(track_of(0, 0, SERIES_RESIDENT)->slices, 20);
    unsigned last = 0;
    for (unsigned i = 0; i < seen.requests; i++)
        last = seen.request[i].size > 700 ? i : last;
    cr_expect_str_eq(seen.request[last].detail, "after", "it is verified for the last time");
    for (unsigned i = last + 1; i < seen.requests; i++)
        cr_expect_lt(seen.request[i].open, 3, "it is open while others are measured");
}

/* What does not fit together, rows of a device or problems, comes one after the other: the first does not take the time
 * of the next. */
static void expect_shared_time(const char *devices, const char *words, double room)
{
    scene_open(devices, usual, words);
    const struct plan *plan = &scene->made.plan;
    const unsigned first = plan->cells - plan_block_end(plan, 0) > 0 ? plan->cells - 1 : 0;
    memory_available = room * room_needed(&scene->context, &plan->cell[first], plan->cells - first).kept[0];
    scene->made.options.time = 14;
    scene->context.rule.visits = 24;
    const struct record *record = scene_measure();
    memory_available = 1e12;
    cr_assert_eq(record->cells, 3);
    cr_expect(journal_says("as not everything fits into memory"));
    for (unsigned i = 0; i < record->cells; i++) {
        const struct track *track = &record->cell[i]->track[SERIES_RESIDENT];
        cr_expect_neq(track->stop, STOP_NOT_YET, "%s, cell %u", words, i);
        cr_expect_geq(track->slices, ESTIMATE_VALUES_MIN, "%s, cell %u: %u slices", words, i, track->slices);
    }
    cr_expect_leq(__wrap_clock_wall(), scene->made.options.time + 0.5);
    scene_close();
}

Test(rotation, what_is_measured_one_after_the_other_shares_the_time)
{
    expect_shared_time(both, "--memory pageable,pinned", 1);
    expect_shared_time("cpu", sizes, 1.9);
}

/* Seconds; of the three problems each needs about 3 s for the visits of an interval. */
Test(rotation, at_the_end_of_its_time_a_run_keeps_what_it_has_and_each_problem_has_an_interval)
{
    static const struct {
        double time;
        unsigned problems;
        enum stop stop;
    } cases[] = { { 40, 3, STOP_VISITS }, { 13, 3, STOP_TIME }, { 9, 2, STOP_TIME }, { 6, 1, STOP_TIME } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_open("cpu", usual, sizes);
        scene->made.options.time = cases[i].time;
        scene->context.rule.visits = 24;
        const struct record *record = scene_measure();
        cr_expect_leq(__wrap_clock_wall(), cases[i].time + 0.5);
        cr_assert_eq(record->blocks, cases[i].problems, "%g s: %u problems", cases[i].time, record->blocks);
        cr_expect_eq(record->notes > 0 && strstr(record->note[0], "left out") != NULL, cases[i].problems < 3);
        const struct context *context = &scene->context;
        cr_expect(context->blocks == record->blocks && context->begun == record->blocks &&
                      context->finished == record->blocks,
                  "%g s: %u, %u, %u", cases[i].time, context->blocks, context->begun, context->finished);
        for (unsigned k = 0; k < record->blocks; k++) {
            const struct track *track = track_of(k, 0, SERIES_RESIDENT);
            cr_expect_geq(track->slices, 6, "%g s: %u visits", cases[i].time, track->slices);
            cr_expect_eq(track->stop, cases[i].stop, "%g s: %s", cases[i].time, stop_names[track->stop]);
            cr_expect(record->block[k].is_done && record->block[k].cell[0]->outcome.status == STATUS_OK);
        }
    }
}

/* For 5 s, in slices of two runs. The time for them was kept. */
Test(rotation, at_the_end_of_its_time_a_run_measures_without_pauses_as_planned)
{
    scene_open("cpu", "openblas 0.063, * 1", "--sustained 5s");
    scene->made.options.time = 20;
    scene->context.rule.visits = 240;
    scene_measure();
    cr_expect_eq(track_of(0, 0, SERIES_RESIDENT)->stop, STOP_TIME);
    cr_expect_eq(track_of(0, 0, SERIES_SUSTAINED)->slices, 40);
    cr_expect_leq(__wrap_clock_wall(), 20.5);
}

/* The clock has 0.1 s for each request: what the problem took is remembered as what it will take, and visits as what
 * they took. */
Test(rotation, what_a_problem_took_is_what_it_will_take)
{
    scene_run(both, usual, "");
    struct context *context = &scene->context;
    struct plan *plan = &scene->made.plan;
    const struct forecast known = forecast_block(context, &context->rule, plan->cell, plan_block_end(plan, 0));
    cr_expect_float_eq(forecast_seconds(&known), __wrap_clock_wall(), 0.2, "%g s", forecast_seconds(&known));
    cr_expect_eq(known.visits, 12);
    cr_expect_float_eq(known.visit, 0.4, 0.05, "four slices: %g s", known.visit);
}

/* --- sensors --- */

/* On the card, of 5 ms: a row in each of three problems. */
static const char with_sensors[] = "openblas 0.002, portable 0.002 reading=0.005, * 0.02";

/* A reading of 5 ms in 0.5 s, for the three rows together. */
Test(rotation, the_state_of_a_device_is_read_for_one_part_in_a_hundred_of_the_time)
{
    unsigned latest[64] = { 0 }, readings[64] = { 0 };
    scene_open(both, with_sensors, sizes);
    scene->context.rule.visits = 24;
    scene_measure();
    for (unsigned i = 0; i < seen.requests; i++) {
        const struct request_seen *one = &seen.request[i];
        if (!one->is_watched)
            continue;
        cr_assert_str_eq(one->method, "portable");
        cr_assert_lt(one->worker, 64);
        cr_expect_str_eq(one->detail, "resident");
        cr_expect(readings[one->worker]++ == 0 || i - latest[one->worker] >= 15, "%u and %u", latest[one->worker], i);
        latest[one->worker] = i;
    }
    for (unsigned k = 0; k < 3; k++) {
        unsigned i = 0;
        while (i < seen.requests && !(seen.request[i].is_watched && seen.request[i].size == 512 + 128 * k))
            i++;
        cr_assert_lt(i, seen.requests, "problem %u", k);
        cr_expect_geq(readings[seen.request[i].worker], 8, "problem %u: %u", k, readings[seen.request[i].worker]);
    }
}

/* Each row takes 1.1 s for it. */
Test(rotation, the_energy_of_each_row_is_measured_within_the_time)
{
    static const double times[] = { INFINITY, 16, 14 };
    for (unsigned i = 0; i < sizeof times / sizeof *times; i++) {
        scene_open(both, with_sensors, sizes);
        scene->made.options.time = times[i];
        scene->context.rule.visits = 24;
        const unsigned blocks = scene_measure()->blocks;
        cr_expect(blocks >= 2 && count_requests("portable", "meter", "resident") == blocks, "%g s: %u of %u", times[i],
                  count_requests("portable", "meter", NULL), blocks);
        cr_expect_eq(count_requests(NULL, "meter", NULL), blocks);
        cr_expect(fabs(seen.metered - 1.1 * blocks) < 1e-9, "%g s of runs", seen.metered);
        cr_expect_leq(__wrap_clock_wall(), times[i] + 0.5, "%g s: %g", times[i], __wrap_clock_wall());
    }
}

/* The counter of a board is read over a longer time than those of a processor, but for no longer than a short budget,
 * and at least over a run; before that come runs for its longest step. */
Test(rotation, energy_is_measured_of_warm_runs_of_methods)
{
    static const struct {
        const char *what;
        double budget, run, seconds;
        const char *workload; /* NULL: matmul */
        bool is_processor, lacks_counter, lacks_method, is_cold, is_sweep;
    } cases[] = {
        { "a GPU", 1.5, 0.002, .seconds = 1.3 },
        { "with a small budget", 0.8, 0.002, .seconds = 0.9 },
        { "with a tiny budget", 0.1, 0.002, .seconds = 0.7 },
        { "a processor", 1.5, 0.002, 0.7, .is_processor = true },
        { "long runs", 1.5, 4, .seconds = 8 },
        { "without a counter", 1.5, 0.002, 0, .lacks_counter = true },
        { "transfers", 1.5, 0.002, 0, .workload = "transfer", .lacks_method = true },
        { "peaks", 1.5, 0.002, 0, .workload = "peak" },
        { "launches", 1.5, 0.002, 0, .workload = "launch" },
        { "cold runs", 1.5, 0.002, 0, .is_cold = true },
        { "sweeps", 1.5, 0.002, 0, .is_sweep = true },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct workload *workload = workload_find(cases[i].workload ? cases[i].workload : "matmul");
        const struct device device = { .class = cases[i].is_processor ? CLASS_CPU : CLASS_DGPU };
        const struct options options = { .verb = cases[i].is_sweep ? VERB_SWEEP : VERB_RUN };
        struct cell cell = { .device = &device,
                             .problem = { .workload = workload, .dim = { 64, 1, 64 } },
                             .method = cases[i].lacks_method ? NULL : workload->methods,
                             .flush = cases[i].is_cold };
        struct context context = { .options = &options };
        const struct rule rule = { .budget = cases[i].budget };
        struct runner runner = runner_new(&context, &cell, &rule, NULL);
        runner.opened.first.counts_energy = !cases[i].lacks_counter;
        runner.series[SERIES_RESIDENT].run = runner.series[SERIES_COPIED].run = cases[i].run;
        cr_expect_float_eq(runner_metering(&runner), cases[i].seconds, 1e-9, "%s: %g s", cases[i].what,
                           runner_metering(&runner));
    }
}

/* --- interrupted and resumed --- */

/* Runs the scene until a worker of a method has had so many slices; then resumes it. Seconds of the budget; 0: it ends
 * by visits. */
static const struct record *interrupt_and_resume(const char *devices, const char *scripts, const char *words,
                                                 const char *method, unsigned slices, double budget)
{
    scene_open(devices, scripts, words);
    struct script *script = script_of(method);
    script->fails = "slice";
    script->with = "abandoned";
    script->from = slices;
    if (budget > 0)
        scene->context.rule = (struct rule){ .target = 0.02, .budget = budget, .deadline = 30 };
    const struct record *record = scene_measure();
    cr_assert(scene->context.interrupted);
    const struct block_record *block = record->block;
    cr_expect_not(block->is_done);
    unsigned begun = 0;
    for (unsigned i = 0; i < record->blocks; i++)
        begun += block[i].cell[0]->track[SERIES_RESIDENT].slices > 0;
    cr_expect_eq(scene->context.begun, begun, "%u", scene->context.begun);
    cr_expect_not(journal_says("not begun"), "problems that have begun");
    for (unsigned i = 0; i < block->cells; i++)
        for (enum use use = 0; use < USES; use++)
            if (block->cell[i]->track[use_series[use]].slices > 0) {
                cr_expect_eq(block->cell[i]->track[use_series[use]].stop, STOP_INTERRUPTED, "%s", block->cell[i]->key);
                cr_expect_eq(block->cell[i]->outcome.status, STATUS_OK, "%s", block->cell[i]->outcome.message);
            }
    cr_expect_eq(count_requests(NULL, "verify", "after"), 0, "nothing more is measured");
    scene->context.begun = 0;
    script->fails = NULL;
    clock_before = __wrap_clock_wall();
    scene_resume();
    return scene_measure();
}

/* The interrupt comes in the third visit of the last problem. Each has one worker for a row, and no method is chosen.
 */
Test(rotation, a_resumed_run_adds_the_visits_that_are_missing)
{
    double ratio[64];
    const struct record *record = interrupt_and_resume(both, usual, sizes, "openblas", 6, 0);
    cr_expect_str_eq(order_of_problems(), "abcabcabcabcabcabcabcabcabcabcabcabc", "%s", order_of_problems());
    cr_assert_eq(record->cells, 6);
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *cell = record->cell[i];
        const struct track *track = &cell->track[SERIES_RESIDENT];
        cr_expect_eq(cell->outcome.status, STATUS_OK, "%s: %s", cell->key, cell->outcome.message);
        cr_expect_eq(track->slices, 12, "%s: %u", cell->key, track->slices);
        for (unsigned k = 1; k < track->slices; k++)
            cr_expect_gt(track->slice[k].visit, track->slice[k - 1].visit, "%s", cell->key);
        if (cell->device_id[0] == 'o')
            cr_expect_eq(record_ratios(record, cell, SERIES_RESIDENT, ratio, 64), 12);
        cr_expect(record_find_block(record, cell->block)->is_done);
    }
    cr_expect_eq(seen.opened, 6, "%u", seen.opened);
    cr_expect_eq(count_requests("native", NULL, NULL), 0);
}

/* Nothing of the methods was measured: they are chosen anew. */
Test(rotation, a_choice_that_was_interrupted_is_made_again)
{
    const struct record *record =
        interrupt_and_resume("cpu", "openblas 0.002, onednn 0.02, * 0.02", "", "onednn", 1, 0);
    cr_expect_eq(record->cells, 1, "%u cells", record->cells);
    cr_expect_str_eq(record->cell[0]->method, "openblas", "%s", record->cell[0]->method);
    cr_expect_eq(record->cell[0]->track[SERIES_RESIDENT].slices, 12);
}

/* Slices of two runs, 4 ms: 15 of them. */
Test(rotation, a_resumed_run_spends_what_is_left_of_a_budget)
{
    interrupt_and_resume("cpu", usual, "", "openblas", 12, 0.062);
    const struct track *track = track_of(0, 0, SERIES_RESIDENT);
    cr_expect_eq(track->slices, 15, "%u", track->slices);
    cr_expect_eq(track->stop, STOP_BUDGET, "%s", stop_names[track->stop]);
}

/* Each method is measured for its use, and with the kernel shape that was found. */
Test(rotation, a_resumed_run_measures_what_was_chosen)
{
    const struct record *record =
        interrupt_and_resume("cpu", "onednn 0.001 repack=0.002, onednn-gemm 0.002, * 0.02", "", "onednn", 18, 0);
    cr_assert_eq(record->cells, 2);
    cr_expect_eq(record->cell[0]->track[SERIES_COPIED].slices, 0);
    cr_expect_eq(record->cell[1]->track[SERIES_RESIDENT].slices, 0);
    interrupt_and_resume("opencl:0", "portable shapes=ab takes=0.004:0.002, clblast 0.02", "", "portable", 24, 0);
    for (unsigned i = 0; i < seen.requests; i++)
        cr_expect_eq(seen.request[i].kernel_shape, 'b', "%s with %c", seen.request[i].what,
                     seen.request[i].kernel_shape);
}

/* As planned; where --time may end the run, the first sizes of all workloads come first. */
Test(rotation, problems_come_by_workload_or_by_worth)
{
    static const struct {
        double time;
        const char *order;
    } cases[] = { { NAN, "multiply 1, multiply 2, multiply 3, matmul 1, matmul 2, matmul 3, " },
                  { 100, "multiply 1, matmul 1, multiply 2, matmul 2, multiply 3, matmul 3, " } };
    for (unsigned i = 0; i < 2; i++) {
        char order[256] = "", label[CELL_TEXT];
        scene_open("cpu", usual, "--workload multiply --size 900 --size 600 --size 700");
        struct context *context = &scene->context;
        struct error *err = &scene->made.err;
        scene->made.options.time = cases[i].time;
        struct timetable timetable = { .context = context, .rule = &context->rule };
        cr_assert(timetable_add_plan(&timetable, &scene->made.plan, err));
        for (unsigned k = 0; k < timetable.entries; k++) {
            const struct problem *problem = &timetable.entry[k].cell->problem;
            snprintf(order + strlen(order), sizeof order - strlen(order), "%s %d, ", problem->workload->name,
                     problem->dim[0] == 900   ? 1
                     : problem->dim[0] == 600 ? 2
                                              : 3);
        }
        cr_expect_str_eq(order, cases[i].order, "%s", order);
        scene->made.options.time = 0.01;
        cr_expect_not(timetable_has_time(&timetable, err));
        cr_expect(strstr(err->message, "the shortest, multiply f32, n = 600, is predicted"), "%s: %s", err->message,
                  cell_label(timetable.entry->cell, label));
        timetable_free(&timetable);
    }
}
