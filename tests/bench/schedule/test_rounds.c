/* In which order slices are taken, when series stop, and what a failed slice costs: rounds on scripted workers. The
 * linker sends every request to a worker here. */

#include "bench/schedule/rounds.h"
#include "bench/schedule/sustained.h"
#include "harness/analysis/figures.h"
#include "tests/support/made_plan.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { CELLS_MAX = 4, ORDER_MAX = 4000 };

/* A worker that is none: what it answers. */
struct client {
    char letter;       /* in the order of slices */
    double run;        /* seconds of one run */
    double faster;     /* its runs with transfers take so many times less; 0: the same */
    double noise;      /* share by which its slices vary */
    unsigned fails_at; /* number of the slice that it fails at, from 1; 0: none */
    enum status fails_with;
    bool is_replaceable;  /* a second worker can take its place, once */
    unsigned check_every; /* slices; 0: never */
    enum status check;    /* the result of each check */
    unsigned slices, checks;
    double asked;       /* seconds that its latest slice was to take */
    enum series latest; /* of its slices */
    char *order; /* of the slices of all, each a letter; upper case for its copied series, a digit where it is alone */
};

json_t *__wrap_client_ask(struct client *client, json_t *request, double expected, struct error *err);
bool __wrap_client_end(struct client *client, struct error *err);
bool __wrap_runner_reopen(struct runner *runner, const struct error *why);

json_t *__wrap_client_ask(struct client *client, json_t *request, double expected, struct error *err)
{
    (void)expected;
    bool is_check = strcmp(json_string_value(json_object_get(request, "do")), "check") == 0;
    const enum series series = series_parse(json_string_value(json_object_get(request, "series")));
    cr_assert_neq(series, SERIES_COUNT);
    const bool is_copied = series == SERIES_COPIED;
    client->asked = is_check ? client->asked : 1e-9 * json_number_value(json_object_get(request, "ns"));
    json_t *phased = json_object_get(request, "phased");
    json_decref(request);
    cr_expect(!is_check || series == client->latest, "a check is of the slice before it");
    client->latest = series;
    if (is_check) {
        client->checks++;
        if (client->check != STATUS_OK)
            fail(err, client->check, "scripted");
        return client->check != STATUS_OK ? NULL
                                          : json_pack("{s:b, s:i, s:i}", "ok", 1, "check_ns", 5000, "check_every", 3);
    }
    size_t used = strlen(client->order);
    cr_assert(used + 1 < ORDER_MAX, "the rounds do not end");
    client->order[used] = (char)(client->letter + (series == SERIES_SUSTAINED ? '0' - 'a' : is_copied ? 'A' - 'a' : 0));
    client->order[used + 1] = '\0';
    if (++client->slices == client->fails_at) {
        fail(err, client->fails_with, "scripted");
        return NULL;
    }
    const double noise = 1 + client->noise * (client->slices * 37 % 11 / 11.0 - 0.5);
    json_int_t ns = (json_int_t)(1e9 * noise * client->run / (is_copied && client->faster > 0 ? client->faster : 1));
    json_t *slice = json_pack("{s:b, s:s, s:I, s:[I], s:i}", "ok", 1, "series", series_names[series], "elapsed_ns", ns,
                              "wall_ns", ns, "runs", 4);
    if (json_is_true(phased))
        json_object_set_new(slice, "phases",
                            json_pack("{s:[I], s:[I]}", "compute_ns", ns / 4 * 3, "upload_ns", ns / 4));
    if (client->check_every > 0 && client->slices % client->check_every == 0)
        json_object_set_new(slice, "check_due", json_true());
    return slice;
}

bool __wrap_client_end(struct client *client, struct error *err)
{
    (void)client, (void)err;
    return true;
}

bool __wrap_runner_reopen(struct runner *runner, const struct error *why)
{
    cr_expect_eq(runner->client->letter, 'a', "only the baseline gets a second worker");
    cr_expect_eq(why->status, runner->client->fails_with);
    bool is_replaced = runner->client->is_replaceable;
    runner->client->is_replaceable = false;
    return is_replaced;
}

struct scene {
    struct made_plan made;
    struct context context;
    struct client client[CELLS_MAX];
    struct runner runner[CELLS_MAX], *chosen[CELLS_MAX];
    struct cell cell[CELLS_MAX];
    struct rounds rounds;
    char order[ORDER_MAX], path[64];
};

/* A CPU as the baseline and `others` cards, each with a resident series and, unless it is the CPU, a copied series.
 */
static void scene_open(struct scene *scene, unsigned others, double budget)
{
    const char *const ids[] = { "cpu", "opencl:0", others > 1 ? "opencl:1" : NULL, others > 2 ? "opencl:2" : NULL,
                                NULL };
    const char *const words[] = { "--workload", "multiply", "--size", "1000", NULL };
    *scene = (struct scene){ .path = "/tmp/bench-rounds-XXXXXX" };
    cr_assert(made_plan_make(&scene->made, ids, words), "%s", scene->made.err.message);
    close(mkstemp(scene->path));
    unlink(scene->path);
    struct context *context = &scene->context;
    context->options = &scene->made.options;
    context->terms = &context->usual;
    context->usual.rule = (struct rule){ .target = 0.02, .budget = budget, .rounds = 2 };
    context->setup.timeout = 30;
    cr_assert(run_log_open(&context->run_log, scene->path, &context->interrupted, &scene->made.err), "%s",
              scene->made.err.message);
    scene->rounds.context = context;
    scene->rounds.runner = scene->chosen;
    scene->rounds.runners = others + 1;
    scene->rounds.baseline[USE_RESIDENT] = scene->rounds.baseline[USE_COPIED] = &scene->runner[0];
    for (unsigned i = 0; i <= others; i++) {
        struct runner *runner = scene->chosen[i] = &scene->runner[i];
        scene->cell[i] = scene->made.plan.cell[i];
        scene->client[i] = (struct client){ .letter = (char)('a' + i), .run = 0.1, .order = scene->order };
        *runner = (struct runner){
            .context = context, .cell = &scene->cell[i], .client = &scene->client[i], .has_copied = i > 0
        };
        runner->next = context->open;
        context->open = runner;
        runner->series[SERIES_RESIDENT] = (struct series_state){ .active = true, .run = 0.1 };
        runner->series[SERIES_COPIED] = (struct series_state){ .active = i > 0, .run = 0.1 };
        run_log_write(&context->run_log, cell_to_json(runner->cell, scene->cell[0].key));
        cr_assert_eq(context->run_log.fault.status, STATUS_OK, "%s", context->run_log.fault.message);
    }
}

static void scene_close(struct scene *scene)
{
    run_log_free(&scene->context.run_log);
    made_plan_free(&scene->made);
    unlink(scene->path);
}

/* Whether each slice of a device has a slice of the baseline just before the device's slices and just after them. */
static bool is_paired(const char *order)
{
    for (const char *at = order; *at; at++) {
        bool is_baseline = *at == 'a';
        if (is_baseline)
            continue;
        const char *before = at, *after = at;
        while (before > order && *before != 'a' && (*before | 32) == (*at | 32))
            before--;
        while (*after && *after != 'a' && (*after | 32) == (*at | 32))
            after++;
        if (*before != 'a' || *after != 'a')
            return false;
    }
    return true;
}

Test(rounds, the_check_of_pairs_notices_what_is_not_paired)
{
    cr_expect(is_paired("abBacCabBacCa"));
    cr_expect_not(is_paired("abBcCa"));
    cr_expect_not(is_paired("bBa"));
    cr_expect_not(is_paired("abB"));
}

Test(rounds, the_baseline_is_measured_before_and_after_each_device)
{
    for (unsigned others = 1; others <= 3; others++) {
        struct scene scene;
        scene_open(&scene, others, 0.6);
        rounds_run(&scene.rounds);
        cr_expect(is_paired(scene.order), "%u devices: %s", others, scene.order);
        static const char *const first[] = { "abBabB", "abBacCabBacC", "abBacCadDabBacCadD" };
        cr_expect(strncmp(scene.order, first[others - 1], strlen(first[others - 1])) == 0, "%u devices: %s", others,
                  scene.order);
        scene_close(&scene);
    }
}

/* What the budget allows, whether a series ends early, and who is measured how often. */
static const struct {
    double budget, run[3];
    unsigned fails_at[3];
    enum status status;
    bool is_replaceable; /* the baseline's worker */
    unsigned slices[3], outcome[3];
} rows[] = {
    /* six rounds of 0.1 s in each of two series; the baseline once more at the end */
    { 0.6, { 0.1, 0.1, 0.1 }, { 0, 0, 0 }, STATUS_OK, false, { 13, 12, 12 }, { STATUS_OK, STATUS_OK, STATUS_OK } },
    /* a device that crashes ends there, and the other goes on */
    { 0.6,
      { 0.1, 0.1, 0.1 },
      { 0, 3, 0 },
      STATUS_CRASHED,
      false,
      { 9, 3, 12 },
      { STATUS_OK, STATUS_CRASHED, STATUS_OK } },
    { 0.6,
      { 0.1, 0.1, 0.1 },
      { 0, 3, 0 },
      STATUS_TIMEOUT,
      true,
      { 9, 3, 12 },
      { STATUS_OK, STATUS_TIMEOUT, STATUS_OK } },
    { 0.6, { 0.1, 0.1, 0.1 }, { 0, 3, 0 }, STATUS_WRONG, true, { 9, 3, 12 }, { STATUS_OK, STATUS_WRONG, STATUS_OK } },
    /* a baseline that gets a second worker takes the slice again: one more */
    { 0.6, { 0.1, 0.1, 0.1 }, { 3, 0, 0 }, STATUS_CRASHED, true, { 14, 12, 12 }, { STATUS_OK, STATUS_OK, STATUS_OK } },
    { 0.6, { 0.1, 0.1, 0.1 }, { 1, 0, 0 }, STATUS_TIMEOUT, true, { 14, 12, 12 }, { STATUS_OK, STATUS_OK, STATUS_OK } },
    /* one that gets none ends, and the others go on without it */
    { 0.6,
      { 0.1, 0.1, 0.1 },
      { 1, 0, 0 },
      STATUS_CRASHED,
      false,
      { 1, 12, 12 },
      { STATUS_CRASHED, STATUS_OK, STATUS_OK } },
    { 0.6, { 0.1, 0.1, 0.1 }, { 3, 0, 0 }, STATUS_WRONG, false, { 3, 12, 12 }, { STATUS_WRONG, STATUS_OK, STATUS_OK } },
    /* slow runs: two rounds in any case */
    { 0.6, { 0.1, 0.5, 0.1 }, { 0, 0, 0 }, STATUS_OK, false, { 9, 4, 12 }, { STATUS_OK, STATUS_OK, STATUS_OK } },
};

Test(rounds, series_stop_as_the_table_states)
{
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;
        scene_open(&scene, 2, rows[i].budget);
        for (unsigned k = 0; k < 3; k++) {
            scene.client[k].run = scene.runner[k].series[SERIES_RESIDENT].run = rows[i].run[k];
            scene.runner[k].series[SERIES_COPIED].run = rows[i].run[k];
            scene.client[k].fails_at = rows[i].fails_at[k];
            scene.client[k].fails_with = rows[i].status;
        }
        scene.client[0].is_replaceable = rows[i].is_replaceable;
        rounds_run(&scene.rounds);
        for (unsigned k = 0; k < 3; k++) {
            cr_expect_eq(scene.client[k].slices, rows[i].slices[k], "row %u, cell %u: %u slices: %s", i, k,
                         scene.client[k].slices, scene.order);
            cr_expect_eq(scene.runner[k].outcome.status, rows[i].outcome[k], "row %u, cell %u: %s", i, k,
                         scene.runner[k].outcome.message);
        }
        scene_close(&scene);
    }
}

Test(rounds, an_interrupt_ends_all_and_keeps_what_was_measured)
{
    struct scene scene;
    scene_open(&scene, 2, 0.6);
    scene.client[2].fails_at = 1;
    scene.client[2].fails_with = STATUS_ABANDONED;
    rounds_run(&scene.rounds);
    cr_expect_eq(scene.context.run_log.fault.status, STATUS_OK, "%s", scene.context.run_log.fault.message);
    cr_expect_str_eq(scene.order, "abBac");
    cr_expect(scene.context.interrupted);
    const struct record *record = scene.context.run_log.record;
    cr_expect_eq(record_cell(record, scene.runner[1].cell->key)->track[SERIES_RESIDENT].slices, 1);
    scene_close(&scene);
}

/* A device that is four times as fast as the baseline, through the same rule that reports use. */
Test(rounds, ratios_are_those_of_the_paired_slices)
{
    struct scene scene;
    double ratio[64];
    scene_open(&scene, 1, 2);
    scene.client[1].run = 0.025;
    rounds_run(&scene.rounds);
    const struct record *record = scene.context.run_log.record;
    unsigned count = record_ratios(record, record_cell(record, scene.runner[1].cell->key), SERIES_RESIDENT, ratio, 64);
    cr_assert_gt(count, 5);
    for (unsigned i = 0; i < count; i++)
        cr_expect_float_eq(ratio[i], 4, 1e-9);
    scene_close(&scene);
}

/* Both are of the ratios of the record, by one function. */
Test(rounds, the_interval_by_which_a_series_stops_is_the_one_that_is_printed)
{
    for (unsigned is_noisy = 0; is_noisy < 2; is_noisy++) {
        struct scene scene;
        double ratio[512];
        scene_open(&scene, 1, 10);
        scene.made.options.budget = 10;
        scene.client[1].noise = is_noisy ? 0.5 : 0.02;
        rounds_run(&scene.rounds);
        const struct record *record = scene.context.run_log.record;
        const struct cell_record *cell = record_cell(record, scene.runner[1].cell->key);
        for (enum use use = 0; use < USES; use++) {
            const enum series series = use_series[use];
            const unsigned count = record_ratios(record, cell, series, ratio, 512);
            const struct estimate by_rule = stats_estimate(ratio, count),
                                  printed = record_speedup(record, cell, series);
            cr_expect_eq(cell->track[series].stop, is_noisy ? STOP_BUDGET : STOP_PRECISE, "%u rounds", count);
            cr_expect_geq(count, ESTIMATE_VALUES_MIN);
            cr_expect_eq(printed.low, by_rule.low);
            cr_expect_eq(printed.high, by_rule.high);
            cr_expect_eq(estimate_half_width(&printed) <= scene.context.usual.rule.target, !is_noisy);
        }
        scene_close(&scene);
    }
}

/* Each series pays for the slices before its device, and those of the last device for the one after the last round. */
Test(rounds, every_slice_of_the_baseline_is_charged_to_a_device)
{
    struct scene scene;
    scene_open(&scene, 2, 0.35);
    rounds_run(&scene.rounds);
    cr_expect_str_eq(scene.order, "abBacCabBacCabBacCa");
    for (unsigned i = 1; i <= 2; i++) {
        const struct series_state *series = scene.runner[i].series;
        const unsigned slices = i == 1 ? 3 : 4;
        cr_expect_eq(series[SERIES_RESIDENT].baseline_slices, slices, "%u", series[SERIES_RESIDENT].baseline_slices);
        cr_expect_float_eq(series[SERIES_RESIDENT].baseline_spent, 0.1 * slices, 1e-9);
        cr_expect_float_eq(series[SERIES_COPIED].baseline_spent, 0.1 * slices, 1e-9);
    }
    scene_close(&scene);
}

/* Its own budget, the 1.5 s of the suite, allows 15 rounds of each series, that of the baseline eight. */
Test(rounds, a_slow_baseline_may_spend_one_budget_for_a_series)
{
    struct scene scene;
    scene_open(&scene, 1, 2);
    scene.client[0].run = 0.2;
    rounds_run(&scene.rounds);
    cr_expect_eq(scene.client[1].slices, 16, "%u slices", scene.client[1].slices);
    scene_close(&scene);
}

/* The CPU finds freshly written inputs as well: its copied series is taken around that of the device. */
Test(rounds, a_baseline_with_a_copied_series_is_measured_in_both)
{
    struct scene scene;
    double ratio[64];
    scene_open(&scene, 1, 0.6);
    scene.runner[0].series[SERIES_COPIED].active = true;
    scene.client[1].run = 0.05;
    rounds_run(&scene.rounds);
    cr_expect(strncmp(scene.order, "aAbBaAbB", 8) == 0, "%s", scene.order);
    cr_expect_eq(scene.order[strlen(scene.order) - 1], 'A', "%s", scene.order);
    const struct record *record = scene.context.run_log.record;
    const struct cell_record *cell = record_cell(record, scene.runner[1].cell->key);
    cr_expect_gt(record_ratios(record, cell, SERIES_COPIED, ratio, 64), 5);
    scene_close(&scene);
}

/* A long run, timed by phase, is a slice of both series; three quarters of it are the computation. Of the device, of
 * the baseline, of both. */
Test(rounds, a_slice_timed_by_phase_gives_both_series_with_pairs)
{
    static const char *const order[] = { "aB", "AbB", "AB" };
    static const double resident[] = { 1 / 0.75, 0.75, 1 }, copied[] = { 1, 1, 1 };
    for (unsigned of = 1; of <= 3; of++) {
        struct scene scene;
        double ratio[64];
        scene_open(&scene, 1, 1);
        scene.runner[0].series[SERIES_COPIED].active = of >= 2;
        scene.runner[0].is_phased = of >= 2;
        scene.runner[1].is_phased = of != 2;
        rounds_run(&scene.rounds);
        cr_expect(strncmp(scene.order, order[of - 1], strlen(order[of - 1])) == 0, "%u: %s", of, scene.order);
        const struct record *record = scene.context.run_log.record;
        const struct cell_record *cell = record_cell(record, scene.runner[1].cell->key);
        for (unsigned k = 0; k < 2; k++) {
            const enum series series = k == 0 ? SERIES_RESIDENT : SERIES_COPIED;
            const unsigned count = record_ratios(record, cell, series, ratio, 64);
            cr_expect_geq(count, 6, "%u: %u of %s", of, count, series_names[series]);
            cr_expect_eq(count, cell->track[series].slices);
            for (unsigned i = 0; i < count; i++)
                cr_expect_float_eq(ratio[i], k == 0 ? resident[of - 1] : copied[of - 1], 1e-6, "%u %s: %g", of,
                                   series_names[series], ratio[i]);
        }
        cr_expect_not(scene.runner[1].series[SERIES_RESIDENT].active);
        for (unsigned i = 0; i < 2; i++) {
            const struct cell_record *of_runner = record_cell(record, scene.runner[i].cell->key);
            for (unsigned series = 0; series < SERIES_IN_TURN; series++)
                cr_expect_float_eq(scene.runner[i].series[series].spent, of_runner->track[series].elapsed, 1e-6);
        }
        scene_close(&scene);
    }
}

/* Two baselines and two cells of a device, each for one use of the data. Mixed up, the ratios would be 1, 4 or 16. */
Test(rounds, each_use_of_the_data_has_a_baseline_of_its_own)
{
    static const double run[] = { 0.1, 0.4, 0.05, 0.2 };
    struct scene scene;
    double ratio[64];
    scene_open(&scene, 3, 1);
    scene.rounds.baseline[USE_COPIED] = &scene.runner[1];
    struct run_log *log = &scene.context.run_log;
    for (unsigned i = 0; i < 4; i++) {
        json_t *line = cell_to_json(scene.runner[i].cell, "0");
        scene.client[i].run = run[i];
        scene.runner[i].series[i % 2 ? SERIES_RESIDENT : SERIES_COPIED].active = false;
        json_object_set_new(line, "baseline_copied", json_string("1"));
        json_object_set_new(line, "measures", json_string(measures_names[i % 2 ? MEASURES_COPIED : MEASURES_RESIDENT]));
        json_object_set_new(line, "key", json_sprintf("%u", i));
        run_log_write(log, line);
        snprintf(scene.cell[i].key, sizeof scene.cell[i].key, "%u", i);
    }
    rounds_run(&scene.rounds);
    cr_expect(strncmp(scene.order, "acaBDaBcaBD", 11) == 0, "%s", scene.order);
    for (unsigned i = 2; i < 4; i++) {
        unsigned count = record_ratios(log->record, record_cell(log->record, scene.cell[i].key),
                                       i % 2 ? SERIES_COPIED : SERIES_RESIDENT, ratio, 64);
        cr_expect_gt(count, 1, "cell %u", i);
        for (unsigned k = 0; k < count; k++)
            cr_expect_float_eq(ratio[k], 2, 1e-9, "cell %u: %g", i, ratio[k]);
    }
    scene_close(&scene);
}

Test(rounds, a_run_that_takes_no_time_is_impossible)
{
    struct scene scene;
    scene_open(&scene, 1, 0.6);
    scene.client[1].run = 0;
    rounds_run(&scene.rounds);
    cr_expect_eq(scene.runner[1].outcome.status, STATUS_IMPOSSIBLE);
    cr_expect_eq(scene.runner[0].outcome.status, STATUS_OK);
    scene_close(&scene);
}

/* By its own clock, as if both had been stopped meanwhile: it may take the timeout of 30 s. */
Test(rounds, a_slice_beyond_its_deadline_ends_the_cell)
{
    static const double runs[] = { 29, 31 };
    for (unsigned i = 0; i < 2; i++) {
        struct scene scene;
        scene_open(&scene, 1, 0.6);
        scene.client[1].run = runs[i];
        rounds_run(&scene.rounds);
        cr_expect_eq(scene.runner[1].outcome.status, i == 0 ? STATUS_OK : STATUS_TIMEOUT, "%g s", runs[i]);
        cr_expect_eq(scene.runner[0].outcome.status, STATUS_OK);
        scene_close(&scene);
    }
}

/* A slice of a run of 29 s may take five of them, and ten times that before it is given up. */
Test(rounds, the_deadline_of_a_slice_grows_with_the_run)
{
    static const double takes[] = { 1440, 1460 };
    for (unsigned i = 0; i < 2; i++) {
        struct scene scene;
        scene_open(&scene, 1, 0.6);
        scene.runner[1].series[SERIES_RESIDENT].run = scene.runner[1].series[SERIES_COPIED].run = 29;
        scene.client[1].run = takes[i];
        rounds_run(&scene.rounds);
        cr_expect_eq(scene.runner[1].outcome.status, i == 0 ? STATUS_OK : STATUS_TIMEOUT, "%g s: %s", takes[i],
                     scene.runner[1].outcome.message);
        scene_close(&scene);
    }
}

Test(rounds, a_slice_has_its_time_since_the_run_began)
{
    struct scene scene;
    scene_open(&scene, 1, 0.6);
    rounds_run(&scene.rounds);
    const struct cell_record *cell = record_cell(scene.context.run_log.record, scene.runner[1].cell->key);
    const struct track *track = &cell->track[SERIES_RESIDENT];
    for (unsigned i = 0; i < track->slices; i++)
        cr_expect(track->slice[i].at >= 0 && track->slice[i].at < 30, "%g", track->slice[i].at);
    scene_close(&scene);
}

Test(rounds, a_cell_that_the_record_has_no_memory_for_ends_and_harms_no_other)
{
    struct scene scene;
    scene_open(&scene, 2, 0.6);
    struct cell unrecorded = *scene.runner[1].cell;
    snprintf(unrecorded.key, sizeof unrecorded.key, "unrecorded");
    scene.runner[1].cell = &unrecorded;
    rounds_run(&scene.rounds);
    cr_expect_eq(scene.client[1].slices, 1);
    cr_expect_eq(scene.runner[1].outcome.status, STATUS_NO_MEMORY);
    cr_expect_eq(scene.runner[0].outcome.status, STATUS_OK);
    cr_expect_eq(scene.runner[2].outcome.status, STATUS_OK);
    scene_close(&scene);
}

/* Six rounds of two series: twelve slices of four runs each. */
Test(rounds, results_are_checked_when_the_worker_says_so_and_the_record_counts_them)
{
    struct scene scene;
    scene_open(&scene, 1, 0.6);
    scene.client[1].check_every = 3;
    rounds_run(&scene.rounds);
    cr_expect_eq(scene.runner[1].outcome.status, STATUS_OK, "%s", scene.runner[1].outcome.message);
    cr_expect_eq(scene.client[1].checks, 4);
    cr_expect_eq(scene.client[0].checks, 0);
    const struct cell_record *cell = record_cell(scene.context.run_log.record, scene.runner[1].cell->key);
    cr_expect_eq(cell->checks.timed, 48);
    cr_expect_eq(cell->checks.checked, 4);
    cr_expect_eq(cell->checks.every, 3);
    cr_expect_float_eq(cell->checks.seconds, 4 * 5e-6, 1e-12);
    scene_close(&scene);
}

Test(rounds, a_wrong_result_between_slices_ends_its_cell_alone)
{
    struct scene scene;
    scene_open(&scene, 2, 0.6);
    scene.client[1].check_every = 3;
    scene.client[1].check = STATUS_WRONG;
    rounds_run(&scene.rounds);
    cr_expect_eq(scene.runner[1].outcome.status, STATUS_WRONG);
    cr_expect(scene.client[1].slices == 3 && scene.client[1].checks == 1);
    cr_expect_eq(scene.runner[0].outcome.status, STATUS_OK);
    cr_expect_eq(scene.runner[2].outcome.status, STATUS_OK);
    cr_expect_eq(scene.client[2].slices, 12);
    scene_close(&scene);
}

/* What the times of that slice are of is unknown: the slices before it stay. */
Test(rounds, a_worker_that_dies_in_a_check_takes_the_times_of_its_slice_with_it)
{
    struct scene scene;
    scene_open(&scene, 1, 0.6);
    scene.client[1].check_every = 3;
    scene.client[1].check = STATUS_CRASHED;
    rounds_run(&scene.rounds);
    const struct cell_record *cell = record_cell(scene.context.run_log.record, scene.runner[1].cell->key);
    cr_expect_eq(scene.runner[1].outcome.status, STATUS_CRASHED);
    cr_expect_eq(scene.client[1].slices, 3);
    cr_expect_eq(cell->track[SERIES_RESIDENT].slices + cell->track[SERIES_COPIED].slices, 2);
    scene_close(&scene);
}

static unsigned slices_of(const struct scene *scene, char letter)
{
    unsigned count = 0;
    for (const char *at = scene->order; *at; at++)
        count += *at == letter;
    return count;
}

Test(rounds, a_total_below_its_part_is_measured_again_once_with_the_part)
{
    unsigned copies[2], residents[2];
    for (unsigned contradicts = 0; contradicts < 2; contradicts++) {
        struct scene scene;
        scene_open(&scene, 1, 0.4);
        scene.context.usual.rule.rounds = 4;
        scene.client[1].faster = contradicts ? 2 : 0.5;
        rounds_run(&scene.rounds);
        cr_expect(is_paired(scene.order), "%s", scene.order);
        copies[contradicts] = slices_of(&scene, 'B');
        residents[contradicts] = slices_of(&scene, 'b');
        scene_close(&scene);
    }
    struct scene scene;
    scene_open(&scene, 1, 1);
    scene.client[1].faster = 2;
    scene.client[1].noise = 0.5;
    rounds_run(&scene.rounds);
    cr_expect_geq(scene.runner[1].series[SERIES_RESIDENT].spent, 1.6, "twice the budget of 1 s, but for a round: %g s",
                  scene.runner[1].series[SERIES_RESIDENT].spent);
    scene_close(&scene);
    cr_expect_eq(copies[1], 2 * copies[0], "%u after %u", copies[1], copies[0]);
    cr_expect_eq(residents[1], 2 * residents[0], "%u after %u", residents[1], residents[0]);
}

/* Three rows of one device and a baseline: the seconds of a run of each row, and which is measured by itself. */
Test(rounds, the_fastest_row_of_a_device_is_measured_by_itself)
{
    static const struct {
        double run[3];
        bool is_dead[3], is_copied[3]; /* its worker has ended; it is measured with transfers only */
        char alone;
    } cases[] = {
        { { 0.1, 0.2, 0.4 }, { 0 }, { 0 }, '1' },    { { 0.2, 0.1, 0.4 }, { 0 }, { 0 }, '2' },
        { { 0.4, 0.2, 0.1 }, { 0 }, { 0 }, '3' },    { { 0.2, 0.1, 0.1 }, { 0 }, { 0 }, '2' },
        { { 0.1, 0.2, 0.4 }, { true }, { 0 }, '2' }, { { 0.4, 0.2, 0.1 }, { 0 }, { false, false, true }, '2' },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        char wanted[64] = "";
        scene_open(&scene, 3, 0.6);
        scene.made.options.sustained = 2;
        memset(wanted, '0', 20);
        memset(wanted + 20, cases[i].alone, 20);
        for (unsigned k = 0; k < 3; k++) {
            struct runner *runner = &scene.runner[k + 1];
            scene.cell[k + 1].device = scene.cell[1].device;
            runner->series[SERIES_RESIDENT].run = cases[i].run[k];
            runner->client = cases[i].is_dead[k] ? NULL : runner->client;
            runner->measures = cases[i].is_copied[k] ? MEASURES_COPIED : MEASURES_BOTH;
        }
        sustained_run(&scene.rounds);
        cr_expect_str_eq(scene.order, wanted, "case %u: %s", i, scene.order);
        cr_expect_eq(scene.client[0].checks, 1, "its last result is checked");
        scene_close(&scene);
    }
}

Test(rounds, each_device_is_measured_by_itself_in_slices_that_show_a_drift)
{
    struct scene scene;
    scene_open(&scene, 3, 0.6);
    scene.made.options.sustained = 24;
    scene.client[3].run = 5;
    sustained_run(&scene.rounds);
    cr_expect_eq(slices_of(&scene, '0'), 240);
    cr_expect_eq(slices_of(&scene, '1'), 240);
    cr_expect_eq(slices_of(&scene, '2'), 240);
    cr_expect_eq(slices_of(&scene, '3'), 5);
    cr_expect_float_eq(scene.client[2].asked, 0.6, 1e-9, "one part in 40: %g s", scene.client[2].asked);
    const struct record *record = scene.context.run_log.record;
    for (unsigned i = 0; i < 4; i++) {
        const struct cell_record *cell = record_cell(record, scene.cell[i].key);
        cr_expect_eq(cell->track[SERIES_SUSTAINED].stop, STOP_BUDGET, "cell %u", i);
        cr_expect_float_eq(cell->track[SERIES_SUSTAINED].elapsed, i == 3 ? 25 : 24, 0.01);
        cr_expect_eq(cell->track[SERIES_RESIDENT].slices, 0, "cell %u", i);
    }
    scene_close(&scene);
}
