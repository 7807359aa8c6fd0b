/* In which order slices are taken, which are compared, when series stop, and what a failed slice costs: visits on
 * scripted workers. The linker sends every request to a worker here. */

#include "bench/schedule/apart.h"
#include "harness/analysis/figure.h"
#include "harness/base/clock.h"
#include "tests/support/made_plan.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { CELLS_MAX = 4, ORDER_MAX = 4000, RATIOS = 512 };

/* A worker that is none: what it answers. */
struct client {
    char letter;       /* in the order of slices */
    double run;        /* seconds of one run */
    double noise;      /* share by which its slices vary */
    unsigned fails_at; /* number of the slice that it fails at, from 1; 0: none */
    enum status fails_with;
    bool is_replaceable;  /* a second worker can take its place, once */
    enum status second;   /* what another second worker fails with; STATUS_OK: none was tried */
    unsigned check_every; /* slices; 0: never */
    enum status check;    /* the result of each check */
    unsigned slices, checks;
    double reading; /* seconds that a reading of its device's state takes */
    unsigned readings[SERIES_COUNT];
    double asked;       /* seconds that its latest slice was to take */
    enum series latest; /* of its slices */
    char *order;        /* of the slices of all, a letter each (slice_letter) */
};

bool __wrap_client_ask(struct client *client, const struct request *request, double expected, struct reply *reply,
                       struct error *err);
bool __wrap_client_end(struct client *client, struct error *err);
const char *__wrap_client_last_line(const struct client *client);
bool __wrap_runner_reopen(struct runner *runner, const struct error *why);

/* Upper case for its copied series, the letters from p on for its queued one, a digit where it is alone. */
static char slice_letter(char letter, enum series series)
{
    static const int moved[SERIES_COUNT] = { 0, 'p' - 'a', 'A' - 'a', '0' - 'a' };
    return (char)(letter + moved[series]);
}

static bool reply_to_check(struct client *client, struct reply *reply, struct error *err)
{
    client->checks++;
    reply->check = (struct slice_check){ .check = 5e-6, .every = 3, .sample = NAN };
    return client->check == STATUS_OK || fail(err, client->check, "scripted");
}

static void one_time(struct reply *reply, struct samples *samples, double seconds)
{
    *samples = (struct samples){ pool_take(&reply->pool, sizeof seconds), 1 };
    *samples->value = seconds;
}

bool __wrap_client_ask(struct client *client, const struct request *request, double expected, struct reply *reply,
                       struct error *err)
{
    const bool is_check = request->kind == ASK_CHECK;
    *reply = reply_unknown(request->kind);
    client->asked = is_check ? client->asked : request->seconds;
    cr_expect(!is_check || request->series == client->latest, "a check is of the slice before it");
    client->latest = request->series;
    if (is_check)
        return reply_to_check(client, reply, err);
    size_t used = strlen(client->order);
    cr_assert(used + 1 < ORDER_MAX, "the visits do not end");
    client->order[used] = slice_letter(client->letter, request->series);
    client->order[used + 1] = '\0';
    if (++client->slices == client->fails_at)
        return fail(err, client->fails_with, "scripted");
    const double noise = 1 + client->noise * (client->slices * 37 % 11 / 11.0 - 0.5);
    const double seconds = noise * client->run;
    struct slice_line *slice = &reply->slice;
    slice->series = request->series;
    slice->elapsed = seconds;
    slice->runs = 4;
    one_time(reply, &slice->wall, seconds);
    if (request->phased) {
        one_time(reply, &slice->phases.of[PHASE_COMPUTE], seconds / 4 * 3);
        one_time(reply, &slice->phases.of[PHASE_UPLOAD], seconds / 4);
    }
    if (request->watch) {
        client->readings[request->series]++;
        slice->probes = client->reading;
        slice->gpu.after.sm_clock = 1e9;
    }
    reply->is_due = client->check_every > 0 && client->slices % client->check_every == 0;
    return true;
}

const char *__wrap_client_last_line(const struct client *client)
{
    return "";
}

bool __wrap_client_end(struct client *client, struct error *err)
{
    return true;
}

bool __wrap_runner_reopen(struct runner *runner, const struct error *why)
{
    cr_expect_eq(runner->client->letter, 'a', "only the baseline gets a second worker");
    cr_expect_eq(why->status, runner->client->fails_with);
    bool is_replaced = runner->client->is_replaceable;
    runner->client->is_replaceable = false;
    if (runner->client->second != STATUS_OK)
        fail(&runner->outcome, runner->client->second, "scripted");
    return is_replaced;
}

static unsigned looks;
struct neighbour_look __wrap_neighbours_look(struct neighbours *neighbours);
struct neighbour_look __wrap_neighbours_look(struct neighbours *neighbours)
{
    looks++;
    return (struct neighbour_look){ .processor = 0, .rate = 1e9 };
}

static struct scene {
    struct made_plan made;
    struct context context;
    struct client client[CELLS_MAX];
    struct runner runner[CELLS_MAX];
    struct cell cell[CELLS_MAX];
    struct block block;
    char order[ORDER_MAX], path[64];
} scene;

/* Six visits, unless a scene says otherwise. */
static const struct rule six = { .visits = 6, .target = 0.02, .budget = 1 };

static void write_cell(unsigned i, const char *baseline, const char *baseline_copied, enum measures measures)
{
    char shape[SHAPE_MAX];
    struct cell_record stated = cell_stated(&scene.cell[i], shape);
    stated.baseline = baseline;
    stated.baseline_copied = baseline_copied;
    stated.measures = measures;
    run_log_write(&scene.context.run_log, &(struct journal_line){ .kind = LINE_CELL, .stated = &stated });
}

static void add_cell(unsigned i)
{
    struct runner *runner = &scene.runner[i];
    struct context *context = &scene.context;
    scene.cell[i] = scene.made.plan.cell[i];
    scene.client[i] = (struct client){ .letter = (char)('a' + i), .run = 0.1, .order = scene.order };
    *runner = (struct runner){ .context = context,
                               .cell = &scene.cell[i],
                               .rule = &scene.block.rule,
                               .spent = scene.block.spent,
                               .client = &scene.client[i],
                               .is_measured = true,
                               .has_copied = true };
    runner->next = context->open;
    context->open = runner;
    runner->series[SERIES_RESIDENT] = runner->series[SERIES_COPIED] =
        (struct series_state){ .active = true, .run = 0.1 };
    write_cell(i, scene.cell[0].key, NULL, MEASURES_BOTH);
    cr_assert_eq(context->run_log.fault.status, STATUS_OK, "%s", context->run_log.fault.message);
}

static void scene_close(void)
{
    if (!*scene.path)
        return;
    run_log_free(&scene.context.run_log);
    made_plan_free(&scene.made);
    unlink(scene.path);
    *scene.path = '\0';
}

TestSuite(visit, .fini = scene_close);

/* A CPU as the baseline and `others` cards, each with a resident and a copied series. */
static void scene_open(unsigned others, const struct rule *rule)
{
    scene_close();
    scene = (struct scene){ .path = "/tmp/bench-visit-XXXXXX" };
    made_plan_of(&scene.made, "cpu opencl:0 opencl:1 opencl:2", "--workload multiply --size 1000");
    close(mkstemp(scene.path));
    unlink(scene.path);
    struct context *context = &scene.context;
    context->options = &scene.made.options;
    context->setup.timeout = 30;
    progress_start(&context->progress, true, 0, NAN);
    cr_assert(run_log_open(&context->run_log, scene.path, &context->interrupted, &scene.made.err), "%s",
              scene.made.err.message);
    scene.block = (struct block){
        .context = context, .rule = *rule, .asked = *rule, .runner = scene.runner, .runners = others + 1
    };
    scene.block.baseline[USE_RESIDENT] = scene.block.baseline[USE_COPIED] = &scene.runner[0];
    for (unsigned i = 0; i <= others; i++)
        add_cell(i);
}

static void scene_visit(void)
{
    while (block_is_active(&scene.block) && !scene.context.interrupted) {
        cr_assert_lt(scene.block.visits, ORDER_MAX, "the visits do not end");
        block_visit(&scene.block);
    }
}

static void set_run(unsigned i, double run)
{
    scene.client[i].run = scene.runner[i].series[SERIES_RESIDENT].run = scene.runner[i].series[SERIES_COPIED].run = run;
}

static const struct track *track_of(unsigned i, enum series series)
{
    return &record_cell(scene.context.run_log.record, scene.runner[i].cell->key)->track[series];
}

/* The ratios of a cell, and how many there are. */
static double ratio[RATIOS];
static unsigned ratios_of(unsigned i, enum series series)
{
    const struct record *record = scene.context.run_log.record;
    return record_ratios(record, record_cell(record, scene.runner[i].cell->key), series, ratio, RATIOS);
}

static unsigned slices_of(char letter)
{
    unsigned count = 0;
    for (const char *at = scene.order; *at; at++)
        count += *at == letter;
    return count;
}

/* --- order and pairs --- */

Test(visit, the_baseline_and_the_devices_alternate_and_several_share_its_slice)
{
    static const char *const orders[] = { "abABBAba", "abcABCCBAcba", "abcdABCDDCBAdcba" };
    for (unsigned others = 1; others <= 3; others++) {
        char wanted[64];
        scene_open(others, &six);
        scene_visit();
        snprintf(wanted, sizeof wanted, "%s%s%s", orders[others - 1], orders[others - 1], orders[others - 1]);
        cr_expect_str_eq(scene.order, wanted, "%u devices: %s", others, scene.order);
    }
}

/* Each visit is 1.5 times as slow as the one before: any other pair would be off by that. */
Test(visit, each_slice_is_compared_with_that_of_its_own_visit_and_of_no_other)
{
    scene_open(2, &six);
    set_run(1, 0.05);
    while (block_is_active(&scene.block)) {
        block_visit(&scene.block);
        for (unsigned i = 0; i < 3; i++)
            scene.client[i].run *= 1.5;
    }
    for (unsigned i = 0; i < 3; i++)
        for (enum use use = 0; use < USES; use++) {
            const struct track *track = track_of(i, use_series[use]);
            const unsigned count = i > 0 ? ratios_of(i, use_series[use]) : 0;
            cr_assert_eq(track->slices, 6);
            cr_expect_eq(track->stop, i == 0 ? STOP_WITH_OTHERS : STOP_VISITS, "%s", stop_names[track->stop]);
            cr_expect_eq(count, i > 0 ? 6 : 0);
            for (unsigned k = 0; k < 6; k++)
                cr_expect_eq(track->slice[k].visit, k, "cell %u, slice %u is of visit %u", i, k, track->slice[k].visit);
            for (unsigned k = 0; k < count; k++)
                cr_expect_float_eq(ratio[k], i == 1 ? 2 : 1, 1e-6, "cell %u: %g", i, ratio[k]);
        }
}

/* Of a CPU, a, and cards: as bits, which of them have no copied series, and which have a queued one. */
Test(visit, series_are_visited_next_to_the_baseline_of_their_use)
{
    static const struct {
        const char *what;
        unsigned others, uncopied, queued;
        bool is_second_copied; /* b is the baseline of data that move, and what is not copied is of one use */
        const char *order;     /* of the first visits */
    } rows[] = {
        { "a baseline alone, in all its series", 0, 0, 1, false, "apAAapapAAapapAAap" },
        { "one slice of a baseline that is not copied for both uses", 1, 1, 0, false, "abBBababBBababBBab" },
        { "the queued series beside the resident one", 1, 0, 2, false, "abqABBAbqa" },
        { "of a baseline that is a card, too", 1, 0, 1 | 2, false, "apbqABBAbqap" },
        { "the method for data that move failed: the next row has one for both", 1, 1, 0, true, "abBBbaabBBbaabBBba" },
        { "a baseline of data that move is visited for these alone", 2, 1 | 2, 0, true, "acbCCbca" },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene_open(rows[i].others, &six);
        scene.block.baseline[USE_COPIED] = &scene.runner[rows[i].is_second_copied];
        for (unsigned k = 0; k <= rows[i].others; k++) {
            const bool is_uncopied = rows[i].uncopied & 1u << k;
            scene.runner[k].series[SERIES_COPIED].active = !is_uncopied;
            scene.runner[k].series[SERIES_QUEUED].active = rows[i].queued & 1u << k;
            if (rows[i].is_second_copied && is_uncopied)
                scene.runner[k].measures = k ? MEASURES_COPIED : MEASURES_RESIDENT;
        }
        scene_visit();
        cr_expect(strncmp(scene.order, rows[i].order, strlen(rows[i].order)) == 0, "%s: %s", rows[i].what, scene.order);
        const enum series series = rows[i].queued ? SERIES_QUEUED : SERIES_COPIED;
        cr_expect(rows[i].is_second_copied || rows[i].others == 0 || ratios_of(1, series) == 6, "%s", rows[i].what);
        cr_expect(rows[i].is_second_copied || track_of(rows[i].others, series)->stop == STOP_VISITS, "%s: %s",
                  rows[i].what, stop_names[track_of(rows[i].others, series)->stop]);
    }
}

/* A long run, timed by phase, is a slice of both series; three quarters of it are the computation. Of the device, of
 * the baseline, of both. */
Test(visit, a_slice_timed_by_phase_gives_both_series_with_pairs)
{
    static const char *const order[] = { "aBBa", "AbBBAb", "ABBA" };
    static const double resident[] = { 1 / 0.75, 0.75, 1 };
    for (unsigned of = 1; of <= 3; of++) {
        scene_open(1, &six);
        scene.runner[0].series[SERIES_COPIED].active = scene.runner[0].is_phased = of >= 2;
        scene.runner[1].is_phased = of != 2;
        scene_visit();
        cr_expect(strncmp(scene.order, order[of - 1], strlen(order[of - 1])) == 0, "%u: %s", of, scene.order);
        for (enum use use = 0; use < USES; use++) {
            const unsigned count = ratios_of(1, use_series[use]);
            cr_expect_eq(count, 6, "%u: %u of %s", of, count, series_names[use_series[use]]);
            for (unsigned i = 0; i < count; i++)
                cr_expect_float_eq(ratio[i], use == USE_RESIDENT ? resident[of - 1] : 1, 1e-6, "%u: %g", of, ratio[i]);
        }
        for (unsigned i = 0; i < 2; i++)
            for (unsigned series = 0; series < SERIES_IN_TURN; series++)
                cr_expect_float_eq(scene.runner[i].series[series].spent, track_of(i, series)->elapsed, 1e-6);
    }
}

/* Two baselines and two cells of a device, each for one use of the data. Mixed up, the ratios would be 1, 4 or 16. */
Test(visit, each_use_of_the_data_has_a_baseline_of_its_own)
{
    static const double run[] = { 0.1, 0.4, 0.05, 0.2 };
    scene_open(3, &six);
    scene.block.baseline[USE_COPIED] = &scene.runner[1];
    for (unsigned i = 0; i < 4; i++) {
        scene.client[i].run = run[i];
        scene.runner[i].series[i % 2 ? SERIES_RESIDENT : SERIES_COPIED].active = false;
        snprintf(scene.cell[i].key, sizeof scene.cell[i].key, "%u", i);
        write_cell(i, "0", "1", i % 2 ? MEASURES_COPIED : MEASURES_RESIDENT);
    }
    scene_visit();
    cr_expect(strncmp(scene.order, "acBDDBca", 8) == 0, "%s", scene.order);
    for (unsigned i = 2; i < 4; i++) {
        const unsigned count = ratios_of(i, i % 2 ? SERIES_COPIED : SERIES_RESIDENT);
        cr_expect_eq(count, 6, "cell %u: %u", i, count);
        for (unsigned k = 0; k < count; k++)
            cr_expect_float_eq(ratio[k], 2, 1e-9, "cell %u: %g", i, ratio[k]);
    }
}

Test(visit, a_baseline_goes_on_while_rows_are_to_come)
{
    scene_open(1, &six);
    scene.block.is_opening = true;
    scene.client[1].fails_at = 1;
    scene.client[1].fails_with = STATUS_CRASHED;
    for (unsigned i = 0; i < 8; i++)
        block_visit(&scene.block);
    cr_expect(block_is_active(&scene.block), "the rows that come later have nothing to be compared with");
    scene.block.is_opening = false;
    block_visit(&scene.block);
    cr_expect_not(block_is_active(&scene.block));
}

/* --- when a series stops --- */

/* Of 24 visits the longest run of the problem decides, and only what is still measured. A budget is spent by slices of
 * 0.1 s, or the baseline's where these take longer, but not before six visits. */
Test(visit, a_series_ends_by_its_visits_or_when_its_budget_is_spent)
{
    static const struct {
        struct rule rule;
        double run[2];
        unsigned visits;
    } cases[] = {
        { { .visits = 24, .budget = 1 }, { 0.2, 0.25 }, 24 },
        { { .visits = 24, .budget = 1 }, { 0.1, 0.3 }, 12 },
        { { .visits = 24, .budget = 1 }, { 0.8, 0.1 }, 8 },
        { { .visits = 24, .budget = 1 }, { 0.1, 3 }, 6 },
        { { .budget = 1.05 }, { 0.1, 0.1 }, 10 },
        { { .budget = 0.3 }, { 0.1, 0.1 }, 6 },
        { { .budget = 2.1 }, { 0.2, 0.1 }, 10 },
        { { .budget = 2.1 }, { 0.1, 0.2 }, 10 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rule rule = cases[i].rule;
        rule.target = 0.02;
        scene_open(1, &rule);
        set_run(0, cases[i].run[0]);
        set_run(1, cases[i].run[1]);
        scene.runner[1].series[SERIES_QUEUED].run = 5; /* which is not measured */
        scene_visit();
        for (enum use use = 0; use < USES; use++) {
            const struct track *track = track_of(1, use_series[use]);
            cr_expect_eq(track->slices, cases[i].visits, "case %u: %u slices", i, track->slices);
            cr_expect_eq(track->stop, rule.visits ? STOP_VISITS : STOP_BUDGET, "case %u: %s", i,
                         stop_names[track->stop]);
        }
    }
}

/* Both are of the ratios of the record, by one function. */
Test(visit, the_interval_by_which_a_series_stops_is_the_one_that_is_printed)
{
    const struct rule rule = { .target = 0.02, .budget = 6 };
    for (unsigned is_noisy = 0; is_noisy < 2; is_noisy++) {
        scene_open(1, &rule);
        scene.client[1].noise = is_noisy ? 0.4 : 0.01;
        scene_visit();
        const struct record *record = scene.context.run_log.record;
        const struct cell_record *cell = record_cell(record, scene.runner[1].cell->key);
        for (enum use use = 0; use < USES; use++) {
            const struct estimate by_rule = stats_estimate(ratio, ratios_of(1, use_series[use])),
                                  printed = figure_read(record, cell, use).speedup;
            cr_expect_eq(cell->track[use_series[use]].stop, is_noisy ? STOP_BUDGET : STOP_PRECISE);
            cr_expect_eq(printed.low, by_rule.low);
            cr_expect_eq(printed.high, by_rule.high);
            cr_expect_eq(estimate_half_width(&printed) <= rule.target, !is_noisy);
        }
    }
}

/* --- what fails --- */

/* A slice that fails, of the baseline or of the first of two devices; slices and outcome of each. A slice that is taken
 * again counts twice. */
static const struct {
    const char *what;
    unsigned fails_at[2];
    enum status status;
    bool is_replaceable;
    unsigned slices[3];
    enum status outcome[2];
} failures[] = {
    { "nothing", { 0, 0 }, STATUS_OK, false, { 12, 12, 12 }, { STATUS_OK, STATUS_OK } },
    { "a device that crashes", { 0, 3 }, STATUS_CRASHED, true, { 12, 3, 12 }, { STATUS_OK, STATUS_CRASHED } },
    { "a device that hangs", { 0, 3 }, STATUS_TIMEOUT, true, { 12, 3, 12 }, { STATUS_OK, STATUS_TIMEOUT } },
    { "a device that is wrong", { 0, 3 }, STATUS_WRONG, true, { 12, 3, 12 }, { STATUS_OK, STATUS_WRONG } },
    { "a baseline with a second worker", { 3, 0 }, STATUS_CRASHED, true, { 13, 12, 12 }, { STATUS_OK, STATUS_OK } },
    { "at its first slice", { 1, 0 }, STATUS_TIMEOUT, true, { 13, 12, 12 }, { STATUS_OK, STATUS_OK } },
    { "a baseline without one", { 1, 0 }, STATUS_CRASHED, false, { 1, 12, 12 }, { STATUS_CRASHED, STATUS_OK } },
    { "whose second one is wrong", { 1, 0 }, STATUS_CRASHED, false, { 1, 12, 12 }, { STATUS_WRONG, STATUS_OK } },
    { "after some visits", { 5, 0 }, STATUS_WRONG, false, { 5, 12, 12 }, { STATUS_WRONG, STATUS_OK } },
};

Test(visit, a_slice_that_fails_ends_its_cell_alone)
{
    for (unsigned i = 0; i < sizeof failures / sizeof *failures; i++) {
        scene_open(2, &six);
        for (unsigned k = 0; k < 2; k++) {
            scene.client[k].fails_at = failures[i].fails_at[k];
            scene.client[k].fails_with = failures[i].status;
        }
        scene.client[0].is_replaceable = failures[i].is_replaceable;
        scene.client[0].second = failures[i].outcome[0];
        scene_visit();
        for (unsigned k = 0; k < 3; k++)
            cr_expect_eq(scene.client[k].slices, failures[i].slices[k], "%s, cell %u: %u slices: %s", failures[i].what,
                         k, scene.client[k].slices, scene.order);
        for (unsigned k = 0; k < 2; k++)
            cr_expect_eq(scene.runner[k].outcome.status, failures[i].outcome[k], "%s, cell %u: %s", failures[i].what, k,
                         scene.runner[k].outcome.message);
        cr_expect_eq(scene.runner[2].outcome.status, STATUS_OK, "%s", failures[i].what);
    }
}

/* What was compared before stays, and by budget as well the series ends. */
Test(visit, without_its_baseline_a_series_ends_by_its_own_times)
{
    const struct rule rule = { .target = 0.02, .budget = 1.05 };
    scene_open(1, &rule);
    scene.client[0].fails_at = 5;
    scene.client[0].fails_with = STATUS_CRASHED;
    scene_visit();
    cr_expect_eq(track_of(1, SERIES_RESIDENT)->slices, 10, "%s", scene.order);
    cr_expect_eq(ratios_of(1, SERIES_RESIDENT), 2);
}

Test(visit, an_interrupt_ends_all_and_keeps_what_was_measured)
{
    scene_open(2, &six);
    scene.client[2].fails_at = 1;
    scene.client[2].fails_with = STATUS_ABANDONED;
    scene_visit();
    cr_expect_eq(scene.context.run_log.fault.status, STATUS_OK, "%s", scene.context.run_log.fault.message);
    cr_expect_str_eq(scene.order, "abc");
    cr_expect(scene.context.interrupted);
    cr_expect_eq(track_of(1, SERIES_RESIDENT)->slices, 1);
    cr_expect_eq(scene.runner[2].outcome.status, STATUS_OK, "it is blamed");
}

/* By its own clock, as if both had been stopped meanwhile: it may take the timeout of 30 s. A slice of a run of 29 s
 * may take four of them, and ten times that before it is given up. */
Test(visit, a_slice_that_takes_no_time_or_too_long_for_its_run_ends_the_cell)
{
    static const struct {
        double run, takes;
        enum status status;
    } cases[] = {
        { 0.1, 0, STATUS_IMPOSSIBLE }, { 0.1, 29, STATUS_OK },       { 0.1, 31, STATUS_TIMEOUT },
        { 29, 1150, STATUS_OK },       { 29, 1170, STATUS_TIMEOUT },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_open(1, &six);
        set_run(1, cases[i].run);
        scene.client[1].run = cases[i].takes;
        scene_visit();
        cr_expect_eq(scene.runner[1].outcome.status, cases[i].status, "%g s", cases[i].takes);
        cr_expect_eq(scene.runner[0].outcome.status, STATUS_OK);
    }
}

Test(visit, a_slice_has_its_place_and_its_time_since_the_run_began)
{
    scene_open(1, &six);
    scene_visit();
    const struct track *track = track_of(1, SERIES_RESIDENT);
    for (unsigned i = 0; i < track->slices; i++) {
        cr_expect(track->slice[i].at >= 0 && track->slice[i].at < 30, "%g", track->slice[i].at);
        cr_expect_eq(scene.order[track->slice[i].number], 'b', "%u of %s", track->slice[i].number, scene.order);
    }
}

Test(visit, a_cell_that_the_record_has_no_memory_for_ends_and_harms_no_other)
{
    scene_open(2, &six);
    struct cell unrecorded = *scene.runner[1].cell;
    snprintf(unrecorded.key, sizeof unrecorded.key, "unrecorded");
    scene.runner[1].cell = &unrecorded;
    scene_visit();
    cr_expect_eq(scene.client[1].slices, 1);
    cr_expect_eq(scene.runner[1].outcome.status, STATUS_NO_MEMORY);
    cr_expect_eq(scene.runner[0].outcome.status, STATUS_OK);
    cr_expect_eq(scene.runner[2].outcome.status, STATUS_OK);
}

/* --- checks --- */

/* Six visits of two series: twelve slices of four runs each. */
Test(visit, results_are_checked_when_the_worker_says_so_and_the_record_counts_them)
{
    scene_open(1, &six);
    scene.client[1].check_every = 3;
    scene_visit();
    cr_expect_eq(scene.runner[1].outcome.status, STATUS_OK, "%s", scene.runner[1].outcome.message);
    cr_expect_eq(scene.client[1].checks, 4);
    cr_expect_eq(scene.client[0].checks, 0);
    const struct cell_record *cell = record_cell(scene.context.run_log.record, scene.runner[1].cell->key);
    cr_expect_eq(cell->checks.timed, 48);
    cr_expect_eq(cell->checks.checked, 4);
    cr_expect_eq(cell->checks.every, 3);
    cr_expect_float_eq(cell->checks.seconds, 4 * 5e-6, 1e-12);
}

/* A worker that dies in a check takes the times of its slice with it: what they are of is unknown. */
Test(visit, a_check_that_fails_ends_its_cell_alone)
{
    static const enum status status[] = { STATUS_WRONG, STATUS_CRASHED };
    for (unsigned i = 0; i < 2; i++) {
        scene_open(2, &six);
        scene.client[1].check_every = 3;
        scene.client[1].check = status[i];
        scene_visit();
        cr_expect_eq(scene.runner[1].outcome.status, status[i]);
        cr_expect(scene.client[1].slices == 3 && scene.client[1].checks == 1);
        cr_expect_eq(track_of(1, SERIES_RESIDENT)->slices + track_of(1, SERIES_COPIED)->slices,
                     status[i] == STATUS_WRONG ? 3 : 2);
        cr_expect_eq(scene.runner[0].outcome.status, STATUS_OK);
        cr_expect_eq(scene.client[2].slices, 12);
    }
}

/* --- apart from visits --- */

/* A look is due in the first slice, 20 ms after the latest one, or not yet. */
Test(visit, the_cores_are_looked_at_now_and_then)
{
    static const double since[] = { 1e6, 0.03, -1e6 };
    for (unsigned i = 0; i < 3; i++) {
        scene_open(1, &six);
        const double start = clock_wall();
        scene.context.neighbours.processors = 1;
        scene.context.looked = start - since[i];
        looks = 0;
        scene_visit();
        cr_expect_eq(looks > 0, i < 2, "%g s after a look: %u", since[i], looks);
        cr_expect(i == 2 || scene.context.looked >= start, "the time of a look is not kept");
    }
}

/* In the series of the main figure, of a cell that is measured, and not again before a hundred times as long as the
 * reading before took. Where the phases of a slice are both series, both have it. */
Test(visit, the_state_of_a_device_is_read_now_and_then)
{
    static const struct {
        const char *what;
        double before, later; /* seconds of a reading: of the one before, and of those that follow; NAN: it has none */
        bool has_begun, is_phased;
        unsigned resident, copied; /* readings in six visits */
    } cases[] = {
        { "in no time", 0, 0, true, false, 6, 0 },  { "by phase", 0, 0, true, true, 0, 6 },
        { "for long", 0, 1e6, true, false, 1, 0 },  { "without sensors", NAN, NAN, true, false, 0, 0 },
        { "of a rival", 0, 0, false, false, 0, 0 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_open(1, &six);
        scene.runner[0].reading = NAN;
        scene.runner[1].reading = cases[i].before;
        scene.runner[1].has_begun = cases[i].has_begun;
        scene.runner[1].is_phased = cases[i].is_phased;
        scene.client[1].reading = cases[i].later;
        scene_visit();
        const unsigned *readings = scene.client[1].readings;
        cr_expect_eq(readings[SERIES_RESIDENT], cases[i].resident, "%s: %u", cases[i].what, readings[SERIES_RESIDENT]);
        cr_expect_eq(readings[SERIES_COPIED], cases[i].copied, "%s: %u", cases[i].what, readings[SERIES_COPIED]);
        const struct track *track = track_of(1, SERIES_RESIDENT);
        unsigned known = 0;
        for (unsigned k = 0; k < track->slices; k++)
            known += track->slice[k].sm_clock > 0;
        cr_expect_eq(known, cases[i].resident + cases[i].copied, "%s: %u", cases[i].what, known);
    }
}

/* Three rows of one device and a baseline: the seconds of a run of each row, and which is measured by itself. */
Test(visit, the_fastest_row_of_a_device_is_measured_by_itself)
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
        char wanted[64] = "";
        scene_open(3, &six);
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
        sustained_run(&scene.block);
        cr_expect_str_eq(scene.order, wanted, "case %u: %s", i, scene.order);
        cr_expect_eq(scene.client[0].checks, 1, "its last result is checked");
    }
}

Test(visit, no_device_is_measured_by_itself_for_longer_than_the_run_has_time)
{
    for (unsigned i = 0; i < 2; i++) {
        scene_open(1, &six);
        scene.context.started = clock_wall();
        scene.made.options.sustained = 24;
        scene.made.options.time = i ? 1000 : 20;
        sustained_run(&scene.block);
        cr_expect_eq(slices_of('0'), i ? 240 : 0, "%u", slices_of('0'));
    }
}

Test(visit, each_device_is_measured_by_itself_in_slices_that_show_a_drift)
{
    scene_open(3, &six);
    scene.made.options.sustained = 24;
    scene.client[3].run = 5;
    sustained_run(&scene.block);
    cr_expect_eq(slices_of('0'), 240);
    cr_expect_eq(slices_of('1'), 240);
    cr_expect_eq(slices_of('2'), 240);
    cr_expect_eq(slices_of('3'), 5);
    cr_expect_float_eq(scene.client[2].asked, 0.6, 1e-9, "one part in 40: %g s", scene.client[2].asked);
    for (unsigned i = 0; i < 4; i++) {
        const struct track *track = track_of(i, SERIES_SUSTAINED);
        cr_expect_eq(track->stop, STOP_BUDGET, "cell %u", i);
        cr_expect_float_eq(track->elapsed, i == 3 ? 25 : 24, 0.01);
        cr_expect_eq(track_of(i, SERIES_RESIDENT)->slices, 0, "cell %u", i);
    }
}
