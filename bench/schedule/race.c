#include "bench/schedule/race.h"

#include "bench/backends/registry.h"
#include "bench/schedule/block.h"
#include "bench/schedule/contender.h"
#include "bench/schedule/driver_log.h"
#include "harness/base/text.h"
#include "harness/measure/race.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds of a try beside opening the cell: for the progress line and the share of the tuning budget. */
static const double typical_try = 0.8;

/* Seconds that all races of a run share, by suite; of a run whose methods are tuned anew. */
static const double tuning_budgets[SUITE_COUNT] = {
    [SUITE_QUICK] = 25, [SUITE_STANDARD] = 90, [SUITE_FULL] = 600, [SUITE_UHD620] = 90
};

/* The rounds of one race take at most so many budgets of a series, if that is enough for the least number of rounds. */
static const double rounds_budgets = 4;

/* The same for a race among those that an earlier run left; those within this share of the winner are left. */
static const double quick_rounds_budgets = 1, remembered_margin = 0.95;

/* Seconds of a first run that is no burden to a run of the quick suite. */
static const double soon = 2;

/* A contender is no tie below this share of the leader's speed, even if noise leaves that open. */
static const double tie_margin = 0.95;

/* Where a run takes longer than this, the least number of rounds is smaller. */
static const double long_run = 0.5;
enum { ROUNDS_LONG = 2 };

/* A method is not tried if it is predicted to take this long, and this many times as long as the fastest. */
static const double long_try = 5, long_ratio = 4;

/* A contender is out without any round if its run takes this long, and this many times as long as the fastest. After
 * the first run alone it gets some seconds more: a CPU starts its threads then, another driver may compile. */
static const double hopeless_run = 0.05, hopeless_ratio = 4, late_start = 0.5, late_compile = 10;

/* A race of one group of candidates. Contenders have the order of the table of methods and kernel shapes:
 * KERNEL_SHAPES_MAX places for each runner. */
struct contest {
    struct context *context;
    struct runner *runner;
    struct contender *contender;
    struct heat *heat;
    unsigned runners;
    struct tuned tuned[RACE_KINDS]; /* what an earlier run found; without contenders if nothing */
    bool is_remembered;             /* only these race */
    bool repacks;                   /* a contender does, so that data that move have a race of their own */
    double share, spent;            /* seconds */
};

/* Contenders that race together: as many as memory can hold. */
struct heat {
    unsigned member[RACE_CONTENDERS_MAX], members; /* indices of contenders */
    struct race race[RACE_KINDS];
    double longest; /* seconds of one run */
};

double race_budget(const struct options *options)
{
    return options->retune ? tuning_budgets[SUITE_FULL] : tuning_budgets[options->suite];
}

static unsigned kernel_shapes_of(const struct cell *cell)
{
    const struct portable *portable = cell->method ? cell->method->portable : NULL;
    return portable && portable->kernel_shapes ? portable->kernel_shapes(&cell->problem, cell->device) : 1;
}

/* Filling the operands once is less than half of opening a cell. A further kernel shape is compiled and verified. */
static double shape_seconds(const struct cell *cell)
{
    return typical_try / 2 + 0.4 * cell_opening_seconds(cell);
}

static double try_seconds(const struct cell *cell)
{
    return typical_try + 0.4 * cell_opening_seconds(cell);
}

static double seconds_of(const struct cell *cell)
{
    return try_seconds(cell) + (kernel_shapes_of(cell) - 1) * shape_seconds(cell);
}

static unsigned contenders_of(const struct contest *contest)
{
    return contest->runners * KERNEL_SHAPES_MAX;
}

/* Whether it is in the race and nothing has gone wrong. */
static bool is_ready(const struct contender *contender)
{
    return contender->runner && contender->outcome.status == STATUS_OK && isfinite(contender->run);
}

/* Seconds of the fastest run so far; INFINITY without one. */
static double fastest_run(const struct contest *contest, const struct contender **fastest)
{
    double best = INFINITY;
    for (unsigned i = 0; i < contenders_of(contest); i++) {
        const struct contender *contender = &contest->contender[i];
        if (!is_ready(contender) || !(contender->run < best))
            continue;
        best = contender->run;
        *fastest = contender;
    }
    return best;
}

/* `doubt`: seconds by which its run may be shorter the next time. */
static bool is_hopeless(const struct contest *contest, const struct contender *contender, double doubt)
{
    const struct contender *fastest;
    double run = contender->run - doubt;
    return isfinite(run) && run > hopeless_run && run > hopeless_ratio * fastest_run(contest, &fastest);
}

/* Ends a contender for a reason that is no failure. */
static void pass_over(struct contender *contender, const char *reason)
{
    contender->outcome = (struct error){ .status = STATUS_OK };
    fail_in(&contender->outcome, "race", STATUS_TOO_SLOW, "%s", reason);
}

/* Whether opening it would waste time, by its alternatives or by its own runs at smaller sizes. */
static bool is_wasted(struct contest *contest, struct contender *contender)
{
    char reason[160], takes[TEXT_NUMBER], has[TEXT_NUMBER];
    const struct contender *fastest = NULL;
    const struct context *context = contest->context;
    double best = fastest_run(contest, &fastest),
           predicted = admission_predict(&context->admission, contender->runner->candidate->cell);
    if (fastest && best > RUN_BUDGETS_MAX * context->rule.budget)
        snprintf(reason, sizeof reason, "passed over: %s takes %s, more than %d times the budget",
                 fastest->runner->candidate->cell->method->name, text_seconds(takes, best), RUN_BUDGETS_MAX);
    else if (predicted > long_try && predicted > long_ratio * best)
        snprintf(reason, sizeof reason, "passed over: predicted %s, the fastest takes %s",
                 text_seconds(takes, predicted), text_seconds(has, best));
    else
        return false;
    pass_over(contender, reason);
    return true;
}

static void show(const struct contest *contest, const struct cell *cell, unsigned round)
{
    char label[CELL_TEXT], doing[CELL_TEXT], at[32] = "";
    if (round > 0)
        snprintf(at, sizeof at, ", round %u", round);
    snprintf(doing, sizeof doing, "%s  racing %u methods%s", cell->device->id, contest->runners, at);
    progress_show(&contest->context->progress, cell_label(cell, label), doing);
}

/* Whether an earlier run left the method with this kernel shape (NULL: any), or found it bad. The kernel shape it was
 * found with goes to `found` unless that is NULL. */
static bool is_recalled(const struct contest *contest, const char *method, const char *kernel_shape, bool is_bad,
                        const char **found)
{
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++)
        for (unsigned i = 0; i < contest->tuned[kind].count; i++) {
            const struct tuned_contender *tuned = &contest->tuned[kind].contender[i];
            if (tuned->is_bad != is_bad || strcmp(tuned->method, method) != 0 ||
                (kernel_shape && strcmp(tuned->kernel_shape, kernel_shape) != 0))
                continue;
            if (found)
                *found = tuned->kernel_shape;
            return true;
        }
    return false;
}

/* A race of all methods. Scripted devices may be others in the next run. */
static bool uses_cache(const struct contest *contest)
{
    const struct options *options = contest->context->options;
    const struct cell *cell = contest->runner[0].candidate->cell;
    const struct backend *backend = backend_find(cell->device->backend);
    bool has_all = !options->method[0] && options->suite != SUITE_FULL && cell->method->launch_mode == LAUNCH_USUAL;
    return contest->context->tuning_cache.entries && has_all && backend && !backend->now;
}

static struct tuning_key key_of(const struct contest *contest, enum race_kind kind)
{
    const struct cell *cell = contest->runner[0].candidate->cell;
    return (struct tuning_key){ &cell->problem, cell->device, cell->memory, kind == RACE_TRANSFERS };
}

/* Looks up what an earlier run left. What a quick run had no time to try, a longer one tries. */
static void recall(struct contest *contest)
{
    const struct options *options = contest->context->options;
    for (enum race_kind kind = 0; kind < RACE_KINDS && uses_cache(contest) && !options->retune; kind++) {
        const struct tuning_key key = key_of(contest, kind);
        tuning_cache_find(&contest->context->tuning_cache, &key, &contest->tuned[kind]);
    }
    bool is_enough = !contest->tuned[RACE_COMPUTE].is_partial || options->suite == SUITE_QUICK;
    for (unsigned i = 0; i < contest->runners && is_enough; i++)
        contest->is_remembered |=
            contest->runner[i].candidate->outcome.status == STATUS_OK &&
            is_recalled(contest, contest->runner[i].candidate->cell->method->name, NULL, false, NULL);
}

/* Passes over what an earlier run did not leave. */
static bool was_left_out(const struct contest *contest, struct contender *contender)
{
    const char *method = contender->runner->candidate->cell->method->name;
    if (!contest->is_remembered || contender->outcome.status != STATUS_OK ||
        is_recalled(contest, method, NULL, false, NULL))
        return false;
    bool was_bad = is_recalled(contest, method, NULL, true, NULL);
    pass_over(contender, was_bad ? "failed in an earlier race" : "slower in an earlier race");
    return true;
}

static struct contender *contender_add(struct contest *contest, unsigned runner, unsigned shape, const char *name)
{
    struct contender *contender = &contest->contender[runner * KERNEL_SHAPES_MAX + shape];
    *contender = (struct contender){ .runner = &contest->runner[runner], .first = NAN, .run = INFINITY };
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++)
        contender->standing[kind] = (struct standing){ RACE_PASSED_OVER, 0, NAN, NAN };
    text_copy(contender->kernel_shape, sizeof contender->kernel_shape, name);
    return contender;
}

/* Opens a runner with its first kernel shape, and verifies that unless it has no chance. */
static void open_runner(struct contest *contest, unsigned number)
{
    struct runner *runner = &contest->runner[number];
    const struct cell *cell = runner->candidate->cell;
    struct contender *contender = &contest->contender[number * KERNEL_SHAPES_MAX];
    if (contender->outcome.status != STATUS_OK)
        return;
    if (was_left_out(contest, contender) || is_wasted(contest, contender))
        return;
    show(contest, cell, 0);
    bool is_open = contender_open(contender);
    contest->spent += try_seconds(cell) + fmax(0, contender->first); /* fmax(0, NAN) is 0 */
    contest->context->progress.done += try_seconds(cell);
    contest->repacks |= runner->repacks;
    bool may_compile = !cell->device->works_in_host_memory && contender->run <= late_compile;
    double doubt = may_compile ? late_compile : late_start;
    bool is_far_too_slow =
        isfinite(contender->run) && contender->run - doubt > RUN_BUDGETS_MAX * contest->context->rule.budget;
    if (is_open && !is_far_too_slow && !is_hopeless(contest, contender, doubt))
        contender_verify(contender);
}

/* Prepares and verifies the other kernel shapes of an open runner, as many as the tuning budget allows. */
static void open_kernel_shapes(struct contest *contest, unsigned number)
{
    struct runner *runner = &contest->runner[number];
    const struct cell *cell = runner->candidate->cell;
    unsigned count = (unsigned)json_array_size(runner->kernel_shapes);
    for (unsigned i = 1; i < count && i < KERNEL_SHAPES_MAX && !contest->context->interrupted; i++) {
        const char *name = json_string_value(json_array_get(runner->kernel_shapes, i));
        bool is_left = !contest->is_remembered || is_recalled(contest, cell->method->name, name, false, NULL);
        if (!name || !is_left || strcmp(name, contest->contender[number * KERNEL_SHAPES_MAX].kernel_shape) == 0)
            continue;
        struct contender *contender = contender_add(contest, number, i, name);
        if (contest->spent > contest->share) {
            pass_over(contender, "not tried: the time for tuning was spent");
            continue;
        }
        show(contest, cell, 0);
        if (contender_prepare(contender) && contender_verify(contender))
            contest->spent += contender->run;
        contest->spent += shape_seconds(cell) + fmax(0, contender->first);
        contest->context->progress.done += shape_seconds(cell);
    }
}

/* One slice of a member for each race that it is still in. False if it failed. */
static bool take_member(struct contest *contest, struct heat *heat, unsigned place, double seconds[RACE_KINDS],
                        double *spent)
{
    struct contender *contender = &contest->contender[heat->member[place]];
    bool moves = contest->repacks && !race_is_out(&heat->race[RACE_TRANSFERS], place);
    double repack = 0;
    seconds[RACE_COMPUTE] = seconds[RACE_TRANSFERS] = NAN;
    if (!moves && race_is_out(&heat->race[RACE_COMPUTE], place))
        return true;
    if (!contender_slice(contender, RACE_COMPUTE, &seconds[RACE_COMPUTE], spent) ||
        (moves && contender->runner->repacks && !contender_slice(contender, RACE_TRANSFERS, &repack, spent)))
        return false;
    seconds[RACE_TRANSFERS] = seconds[RACE_COMPUTE] + repack;
    return true;
}

/* Returns the seconds that the round took. */
static double take_round(struct contest *contest, struct heat *heat)
{
    double seconds[RACE_KINDS][RACE_CONTENDERS_MAX], spent = 0;
    for (unsigned i = 0; i < heat->members && !contest->context->interrupted; i++) {
        double taken[RACE_KINDS] = { NAN, NAN };
        bool is_kept = take_member(contest, heat, i, taken, &spent);
        for (enum race_kind kind = 0; kind < RACE_KINDS; kind++) {
            seconds[kind][i] = is_kept ? taken[kind] : NAN;
            if (!is_kept)
                race_withdraw(&heat->race[kind], i);
        }
    }
    for (enum race_kind kind = 0; kind < RACE_KINDS && !contest->context->interrupted; kind++) {
        race_add(&heat->race[kind], seconds[kind]);
        race_eliminate(&heat->race[kind]);
    }
    contest->spent += spent;
    contest->context->progress.done += spent;
    return spent;
}

static bool is_decided(const struct contest *contest, const struct heat *heat)
{
    return race_is_over(&heat->race[RACE_COMPUTE], RACE_ROUNDS_MAX) &&
           (!contest->repacks || race_is_over(&heat->race[RACE_TRANSFERS], RACE_ROUNDS_MAX));
}

static void run_rounds(struct contest *contest, struct heat *heat)
{
    const struct context *context = contest->context;
    unsigned least = heat->longest > long_run ? ROUNDS_LONG : RACE_FIRST_LOOK, rounds = 0;
    double budgets = contest->is_remembered ? quick_rounds_budgets : rounds_budgets, last = 0;
    double end = fmin(contest->share, contest->spent + budgets * context->rule.budget);
    while (!context->interrupted && !is_decided(contest, heat) && (rounds < least || contest->spent + last <= end)) {
        show(contest, contest->contender[heat->member[0]].runner->candidate->cell, ++rounds);
        last = take_round(contest, heat);
    }
}

/* What the rounds of a member say. */
static void read_standing(const struct race *race, unsigned place, struct standing *out)
{
    double seconds[RACE_ROUNDS_MAX];
    out->rounds = 0;
    for (unsigned round = 0; round < race->rounds; round++)
        if (isfinite(race->log_time[round][place]))
            seconds[out->rounds++] = exp(race->log_time[round][place]);
    out->run = stats_median(seconds, out->rounds);
    out->ratio = race_ratio(race, place);
    /* Where the rounds are too few for the test the ratio decides; and a tie is said of nothing far below. */
    bool is_below = out->ratio < (race->rounds < RACE_FIRST_LOOK ? race_margin : tie_margin);
    out->end = race_is_out(race, place) || is_below ? RACE_SLOWER : RACE_TIED;
}

static bool is_member(const struct heat *heat, unsigned contender)
{
    for (unsigned i = 0; i < heat->members; i++)
        if (heat->member[i] == contender)
            return true;
    return false;
}

/* Takes over how a heat ended for one race. What tied with the leader of an earlier heat goes when that leader goes. */
static void conclude(struct contest *contest, const struct heat *heat, enum race_kind kind)
{
    const struct race *race = &heat->race[contest->repacks ? kind : RACE_COMPUTE];
    bool leader_lost = false;
    for (unsigned i = 0; i < heat->members; i++) {
        struct standing *standing = &contest->contender[heat->member[i]].standing[kind];
        bool was_leader = standing->end == RACE_TIED;
        read_standing(race, i, standing);
        leader_lost |= was_leader && standing->end != RACE_TIED;
    }
    for (unsigned i = 0; i < contenders_of(contest) && leader_lost; i++) {
        struct standing *standing = &contest->contender[i].standing[kind];
        if (!is_member(heat, i) && standing->end == RACE_TIED)
            standing->end = RACE_SLOWER;
    }
}

/* Whether it leads one of the races so far. */
static bool is_leader(const struct contender *contender)
{
    bool leads = false;
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++)
        leads |= contender->standing[kind].end == RACE_TIED && contender->standing[kind].ratio == 1;
    return leads && is_ready(contender);
}

/* How many of the runners from `first` on fit into memory together, beside those that are open; at least one. */
static unsigned heat_size(const struct contest *contest, unsigned first)
{
    const struct device *device = contest->runner[first].candidate->cell->device;
    bool has_memory = device->memory > 0 && !device->works_in_host_memory;
    double host[RACE_CONTENDERS_MAX], own[RACE_CONTENDERS_MAX], held = 0;
    unsigned count = contest->runners - first;
    if (contest->context->options->order == ORDER_SEQUENTIAL)
        return 1;
    for (unsigned i = 0; i < contest->runners; i++) {
        const struct cell *cell = contest->runner[i].candidate->cell;
        double bytes = problem_bytes_held(&cell->problem) + cell_workspace(cell);
        bool is_refused = contest->runner[i].candidate->outcome.status != STATUS_OK;
        held += contest->runner[i].client ? bytes : 0;
        if (i >= first) {
            host[i - first] = is_refused ? 0 : cell_host_bytes(cell);
            own[i - first] = is_refused ? 0 : bytes;
        }
    }
    unsigned by_host = block_group_size(host, count, host_memory_available(""));
    unsigned by_device = has_memory ? block_group_size(own, count, device->memory - held) : count;
    return by_host < by_device ? by_host : by_device;
}

/* Opens the runners of a heat; those that are ready race, and the leaders of earlier heats with them. */
static void open_heat(struct contest *contest, struct heat *heat, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end && !contest->context->interrupted; i++)
        open_runner(contest, i);
    for (unsigned i = first; i < end && !contest->context->interrupted; i++)
        open_kernel_shapes(contest, i);
    heat->members = 0;
    heat->longest = 0;
    for (unsigned i = 0; i < contenders_of(contest) && heat->members < RACE_CONTENDERS_MAX; i++) {
        const struct contender *contender = &contest->contender[i];
        bool is_new = i >= first * KERNEL_SHAPES_MAX && i < end * KERNEL_SHAPES_MAX;
        if (!is_ready(contender) || !(is_new ? !is_hopeless(contest, contender, 0) : is_leader(contender)))
            continue;
        heat->member[heat->members++] = i;
        heat->longest = fmax(heat->longest, contender->run);
    }
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++)
        race_open(&heat->race[kind], heat->members);
}

static void close_losers(struct contest *contest, bool all)
{
    for (unsigned i = 0; i < contest->runners; i++) {
        bool leads = false;
        for (unsigned k = 0; k < KERNEL_SHAPES_MAX; k++)
            leads |= is_leader(&contest->contender[i * KERNEL_SHAPES_MAX + k]);
        if (all || !leads)
            runner_close(&contest->runner[i]);
    }
}

static void run_heats(struct contest *contest)
{
    for (unsigned first = 0, end; first < contest->runners && !contest->context->interrupted; first = end) {
        end = first + heat_size(contest, first);
        open_heat(contest, contest->heat, first, end);
        if (contest->heat->members > 0)
            run_rounds(contest, contest->heat);
        for (enum race_kind kind = 0; kind < RACE_KINDS; kind++)
            conclude(contest, contest->heat, kind);
        close_losers(contest, false);
    }
    close_losers(contest, true);
}

/* Ends that are no matter of rounds: what failed, and what was too slow for any. */
static void settle(const struct contest *contest, struct contender *contender, enum race_kind kind)
{
    const struct contender *fastest;
    struct standing *standing = &contender->standing[kind];
    bool has_no_round = standing->rounds == 0 && isnan(standing->ratio);
    enum status status = contender->outcome.status;
    if (status != STATUS_OK) {
        standing->end = status_is_bad(status) && status != STATUS_ABANDONED ? RACE_FAILED : RACE_PASSED_OVER;
        standing->ratio = standing->run = NAN;
    } else if (is_ready(contender) && has_no_round)
        *standing =
            (struct standing){ RACE_SLOWER, 0, fastest_run(contest, &fastest) / contender->run, contender->run };
    else if (isnan(standing->run) && is_ready(contender))
        standing->run = contender->run; /* it raced alone */
}

static bool is_eligible(const struct standing *standing)
{
    return standing->end == RACE_TIED && standing->ratio >= race_margin;
}

/* The contender to measure: of those that tie with the leader the first of the table, in both races the same if there
 * is one. A method has one cell, so that it has one kernel shape in both. */
static void choose(const struct contest *contest)
{
    struct contender *choice[RACE_KINDS] = { NULL, NULL }, *both = NULL;
    for (unsigned i = 0; i < contenders_of(contest); i++) {
        struct contender *contender = &contest->contender[i];
        bool is_both = contender->runner;
        for (enum race_kind kind = 0; kind < RACE_KINDS && contender->runner; kind++) {
            bool fits = is_eligible(&contender->standing[kind]);
            choice[kind] = choice[kind] || !fits ? choice[kind] : contender;
            is_both = is_both && fits;
        }
        both = both || !is_both ? both : contender;
    }
    if (!both && choice[RACE_COMPUTE] && choice[RACE_TRANSFERS] &&
        choice[RACE_COMPUTE]->runner == choice[RACE_TRANSFERS]->runner)
        both = choice[RACE_COMPUTE];
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++)
        if (both || choice[kind])
            (both ? both : choice[kind])->standing[kind].end = RACE_MEASURED;
}

static double rank_of(const struct standing *standing)
{
    return standing->end == RACE_MEASURED ? 0 : standing->end == RACE_TIED ? 1 : 1 + 1 / standing->ratio;
}

/* Takes over what the race found of a method: the best of its kernel shapes, or why none can be measured. */
static void report_to(const struct contest *contest, unsigned number)
{
    struct candidate *candidate = contest->runner[number].candidate;
    const struct contender *first = &contest->contender[number * KERNEL_SHAPES_MAX];
    bool has_any = false;
    if (candidate->outcome.status != STATUS_OK)
        return;
    for (const struct contender *one = first; one < first + KERNEL_SHAPES_MAX; one++)
        for (enum race_kind kind = 0; kind < RACE_KINDS && one->runner && is_ready(one); kind++) {
            double rank = rank_of(&one->standing[kind]);
            has_any = true;
            if (!isnan(candidate->rank[kind]) && candidate->rank[kind] <= rank)
                continue;
            candidate->rank[kind] = rank;
            text_copy(candidate->kernel_shape[kind], sizeof candidate->kernel_shape[kind], one->kernel_shape);
        }
    candidate->was_passed_over = !has_any && first->outcome.status == STATUS_TOO_SLOW;
    if (!has_any && !candidate->was_passed_over && first->outcome.status != STATUS_ABANDONED)
        candidate->outcome = first->outcome;
    if (status_is_death(candidate->outcome.status))
        admission_record_death(&contest->context->admission, candidate->cell);
    if (has_any)
        admission_record_run(&contest->context->admission, candidate->cell, first->run);
}

/* A contender in the line of a race. What the driver printed last explains a failure. */
static json_t *contender_to_json(const struct contest *contest, const struct contender *contender, enum race_kind kind)
{
    const struct candidate *candidate = contender->runner->candidate;
    const struct standing *standing = &contender->standing[kind];
    const struct error *outcome = &contender->outcome;
    char words[DRIVER_LOG_TAIL] = "";
    json_t *json = json_pack(
        "{s:s, s:s, s:s, s:i, s:o, s:s, s:o, s:o, s:s, s:s}", "method", candidate->cell->method->name, "kernel_shape",
        contender->kernel_shape, "status", status_name(outcome->status), "rounds", (int)standing->rounds, "ratio",
        journal_number(standing->ratio), "end", race_end_name(standing->end), "wall_ns", journal_ns(standing->run),
        "first_ns", journal_ns(contender->first), "where", outcome->where, "reason", outcome->message);
    if (status_is_bad(outcome->status))
        driver_log_tail(words, sizeof words, contest->context->run_log.path, candidate->cell->device->id,
                        candidate->driver_log);
    if (words[0])
        json_object_set_new(json, "log", json_string(words));
    return json;
}

static void write_race(const struct contest *contest, enum race_kind kind, bool has_choice)
{
    const char *origin = contest->is_remembered ? "remembered" : has_choice ? "tuned" : "only";
    const struct cell *cell = contest->runner[0].candidate->cell;
    enum measures measures = kind == RACE_COMPUTE ? MEASURES_COMPUTE : MEASURES_TRANSFERS;
    json_t *contenders = json_array();
    unsigned rounds = 0;
    for (unsigned i = 0; i < contenders_of(contest); i++) {
        const struct contender *contender = &contest->contender[i];
        if (!contender->runner)
            continue;
        rounds = contender->standing[kind].rounds > rounds ? contender->standing[kind].rounds : rounds;
        json_array_append_new(contenders, contender_to_json(contest, contender, kind));
    }
    json_t *line =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:o}", "line", "race", "block", cell->block, "device",
                  cell->device->id, "memory", memory_name(cell->memory), "dtype", dtype_name(cell->problem.dtype),
                  "for", measures_name(measures), "rounds", (int)rounds, "origin", origin, "contenders", contenders);
    if (contest->is_remembered)
        json_object_set_new(line, "since", json_string(contest->tuned[RACE_COMPUTE].since));
    run_log_write(&contest->context->run_log, line);
}

/* Leaves to later runs what is within 5 % of the winner, and what is bad. */
static void remember(const struct contest *contest, enum race_kind kind)
{
    const struct tuning_key key = key_of(contest, kind);
    struct tuned tuned = { .starts_soon = true };
    for (unsigned i = 0; i < contenders_of(contest) && tuned.count < TUNED_MAX; i++) {
        const struct contender *contender = &contest->contender[i];
        const struct standing *standing = &contender->standing[kind];
        bool is_bad = contender->runner && standing->end == RACE_FAILED;
        bool was_untried = contender->runner && standing->end == RACE_PASSED_OVER;
        tuned.is_partial |= was_untried && contender->outcome.status != STATUS_UNSUPPORTED;
        if (!is_bad && !(contender->runner && is_ready(contender) && standing->ratio >= remembered_margin))
            continue;
        struct tuned_contender *to = &tuned.contender[tuned.count++];
        text_copy(to->method, sizeof to->method, contender->runner->candidate->cell->method->name);
        text_copy(to->kernel_shape, sizeof to->kernel_shape, contender->kernel_shape);
        to->is_bad = is_bad;
        tuned.starts_soon &= is_bad || contender->first <= soon;
    }
    tuning_cache_remember(&contest->context->tuning_cache, &key, &tuned);
}

/* Returns how many candidates admission lets in; `only` is the last of them. */
static unsigned enter(struct contest *contest, unsigned *only)
{
    unsigned admitted = 0;
    for (unsigned i = 0; i < contest->runners; i++) {
        const struct candidate *candidate = contest->runner[i].candidate;
        const char *shape = "";
        is_recalled(contest, candidate->cell->method->name, NULL, false, &shape);
        struct contender *contender = contender_add(contest, i, 0, contest->is_remembered ? shape : "");
        contender->outcome = candidate->outcome;
        admitted += contender->outcome.status == STATUS_OK;
        *only = contender->outcome.status == STATUS_OK ? i : *only;
    }
    return admitted;
}

static bool has_ready(const struct contest *contest)
{
    const struct contender *fastest;
    return isfinite(fastest_run(contest, &fastest));
}

/* If none is left of those that an earlier run left, all race. */
static void race_all(struct contest *contest)
{
    unsigned only;
    run_heats(contest);
    if (!contest->is_remembered || has_ready(contest) || contest->context->interrupted)
        return;
    contest->is_remembered = false;
    memset(contest->contender, 0, contenders_of(contest) * sizeof *contest->contender);
    enter(contest, &only);
    run_heats(contest);
}

/* It is measured without a race. */
static void take_alone(struct contender *alone, enum race_kind kind)
{
    struct candidate *candidate = alone->runner->candidate;
    alone->standing[kind] = (struct standing){ RACE_MEASURED, 0, NAN, NAN };
    candidate->rank[kind] = 0;
    text_copy(candidate->kernel_shape[kind], sizeof candidate->kernel_shape[kind], alone->kernel_shape);
}

/* Whether an earlier run left a single one, with one kernel shape; `only` is its runner. The others are passed over. */
static bool has_survivor(struct contest *contest, unsigned *only)
{
    const char *method = NULL, *shape = NULL;
    bool is_hurried = contest->context->options->suite == SUITE_QUICK;
    if (!contest->is_remembered || (is_hurried && !contest->tuned[RACE_COMPUTE].starts_soon))
        return false;
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++)
        for (unsigned i = 0; i < contest->tuned[kind].count; i++) {
            const struct tuned_contender *tuned = &contest->tuned[kind].contender[i];
            bool is_other = method && (strcmp(tuned->method, method) != 0 || strcmp(tuned->kernel_shape, shape) != 0);
            if (!tuned->is_bad && is_other)
                return false;
            method = tuned->is_bad ? method : tuned->method;
            shape = tuned->is_bad ? shape : tuned->kernel_shape;
        }
    for (unsigned i = 0; i < contest->runners; i++) {
        struct contender *contender = &contest->contender[i * KERNEL_SHAPES_MAX];
        if (!was_left_out(contest, contender) && contender->outcome.status == STATUS_OK)
            *only = i;
    }
    return true;
}

/* A race with one entrant is none. It is written all the same, with the reasons why the others did not take part. */
static void run_contest(struct contest *contest)
{
    unsigned only = 0;
    recall(contest);
    unsigned admitted = enter(contest, &only);
    if (admitted == 0)
        return;
    bool has_choice =
        !has_survivor(contest, &only) && (admitted > 1 || kernel_shapes_of(contest->runner[only].candidate->cell) > 1);
    struct contender *alone = &contest->contender[only * KERNEL_SHAPES_MAX];
    if (has_choice)
        race_all(contest);
    for (unsigned i = 0; i < contenders_of(contest) && has_choice; i++)
        for (enum race_kind kind = 0; kind < RACE_KINDS && contest->contender[i].runner; kind++)
            settle(contest, &contest->contender[i], kind);
    choose(contest);
    for (enum race_kind kind = 0; kind < RACE_KINDS && !has_choice; kind++)
        take_alone(alone, kind);
    bool is_new = has_choice && uses_cache(contest) && !contest->is_remembered && has_ready(contest);
    for (enum race_kind kind = 0; kind < (contest->repacks ? RACE_KINDS : RACE_TRANSFERS); kind++) {
        write_race(contest, kind, has_choice);
        if (is_new && !contest->context->interrupted)
            remember(contest, kind);
    }
    for (unsigned i = 0; i < contest->runners && has_choice; i++)
        report_to(contest, i);
}

/* The index after the candidates that race together: a row, or neighbouring rows of one candidate on the baseline's
 * device. */
static unsigned group_end(const struct device *baseline, const struct candidate candidate[], unsigned count,
                          unsigned first)
{
    unsigned end = race_row_end(candidate, count, first);
    if (end > first + 1 || candidate[first].cell->device != baseline)
        return end;
    while (end < count && candidate[end].cell->device == baseline && race_row_end(candidate, count, end) == end + 1)
        end++;
    return end;
}

unsigned race_row_end(const struct candidate candidate[], unsigned count, unsigned first)
{
    unsigned end = first + 1;
    while (end < count && candidate[end].cell->row == candidate[first].cell->row)
        end++;
    return end;
}

/* The same method on the same device in another kind of memory, before it; NULL: there is none. Its runs are the same,
 * so that it does not race again. */
static const struct candidate *raced_before(const struct candidate candidate[], const struct candidate *one)
{
    for (const struct candidate *other = candidate; other < one; other++)
        if (other->cell->device == one->cell->device && other->cell->method == one->cell->method)
            return other;
    return NULL;
}

/* The contest's share of what is left of the tuning budget: that of its estimated time in all that are left. */
static double take_share(struct context *context, const struct contest *contest)
{
    double seconds = 0;
    for (unsigned i = 0; i < contest->runners; i++)
        seconds += seconds_of(contest->runner[i].candidate->cell);
    double share = context->tuning_left * seconds / fmax(seconds, context->tuning_planned);
    context->tuning_planned -= seconds;
    return share;
}

/* Whether there is anything to choose from. Refused candidates count: the race says why they did not take part. */
static bool is_contested(const struct contest *contest)
{
    return contest->runners > 1 || (contest->runners == 1 && kernel_shapes_of(contest->runner[0].candidate->cell) > 1);
}

/* Races the candidates from `first` to `end`. Without memory for that none is preferred. */
static void race_group(struct context *context, struct candidate candidate[], unsigned first, unsigned end)
{
    unsigned count = end - first;
    struct contest contest = {
        .context = context,
        .runner = calloc(count, sizeof *contest.runner),
        .contender = calloc((size_t)count * KERNEL_SHAPES_MAX, sizeof *contest.contender),
        .heat = calloc(1, sizeof *contest.heat),
    };
    bool has_memory = contest.runner && contest.contender && contest.heat;
    for (unsigned i = first; i < end && has_memory; i++)
        if (candidate[i].cell->method && !raced_before(candidate, &candidate[i]))
            contest.runner[contest.runners++] = (struct runner){ .context = context, .candidate = &candidate[i] };
    if (is_contested(&contest) && !context->interrupted) {
        contest.share = take_share(context, &contest);
        run_contest(&contest);
        context->tuning_left = fmax(0, context->tuning_left - contest.spent);
    }
    for (unsigned i = 0; i < contest.runners; i++)
        json_decref(contest.runner[i].kernel_shapes);
    free(contest.runner);
    free(contest.contender);
    free(contest.heat);
}

/* A dead worker, or a device that does not open, counts against the device only if no method of the row worked. */
static void count_losses(struct context *context, const struct candidate row[], unsigned count)
{
    bool died = false;
    for (unsigned i = 0; i < count; i++)
        died = died || status_is_death(row[i].outcome.status) || row[i].lacks_device;
    if (died && row[0].outcome.status != STATUS_OK)
        admission_record_loss(&context->admission, row[0].cell->device);
}

void race_rows(struct context *context, struct candidate candidate[], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        candidate[i].rank[RACE_COMPUTE] = candidate[i].rank[RACE_TRANSFERS] = NAN;
        candidate[i].driver_log = driver_log_length(context->run_log.path, candidate[i].cell->device->id);
        context_admits(context, candidate[i].cell, &candidate[i].outcome);
    }
    for (unsigned first = 0, end; first < count; first = end) {
        end = group_end(context->baseline, candidate, count, first);
        race_group(context, candidate, first, end);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct candidate *before = raced_before(candidate, &candidate[i]);
        if (!before || candidate[i].outcome.status != STATUS_OK)
            continue;
        memcpy(candidate[i].rank, before->rank, sizeof before->rank);
        memcpy(candidate[i].kernel_shape, before->kernel_shape, sizeof before->kernel_shape);
        candidate[i].was_passed_over = before->was_passed_over;
    }
    race_order(context->baseline, candidate, count, RACE_COMPUTE);
    for (unsigned first = 0, end; first < count; first = end) {
        end = race_row_end(candidate, count, first);
        count_losses(context, &candidate[first], end - first);
    }
}

/* Order of candidates: ranked, not ranked, passed over, failed, unavailable. */
static unsigned class_of(const struct candidate *candidate, enum race_kind kind)
{
    if (candidate->outcome.status != STATUS_OK)
        return status_is_bad(candidate->outcome.status) ? 3 : 4;
    return candidate->was_passed_over ? 2 : isnan(candidate->rank[kind]) ? 1 : 0;
}

/* The plan's order breaks ties. */
static int compare(const struct candidate *one, const struct candidate *other, enum race_kind kind)
{
    unsigned class = class_of(one, kind), against = class_of(other, kind);
    if (class != against)
        return class < against ? -1 : 1;
    if (class == 0 && one->rank[kind] != other->rank[kind])
        return one->rank[kind] < other->rank[kind] ? -1 : 1;
    return one->cell < other->cell ? -1 : 1;
}

/* For qsort. */
static int compare_compute(const void *a, const void *b)
{
    return compare(a, b, RACE_COMPUTE);
}

static int compare_transfers(const void *a, const void *b)
{
    return compare(a, b, RACE_TRANSFERS);
}

void race_order(const struct device *baseline, struct candidate candidate[], unsigned count, enum race_kind kind)
{
    for (unsigned first = 0, end; first < count; first = end) {
        end = group_end(baseline, candidate, count, first);
        qsort(&candidate[first], end - first, sizeof *candidate,
              kind == RACE_COMPUTE ? compare_compute : compare_transfers);
    }
}

/* Whether the cell may race: there is a choice, and its method does not race in another kind of memory. */
static bool may_race(struct context *context, const struct cell cell[], unsigned cells, const struct cell *one)
{
    bool has_choice = kernel_shapes_of(one) > 1;
    for (const struct cell *other = cell; other < cell + cells; other++) {
        if (other->refused.status != STATUS_OK)
            continue;
        if (other < one && other->device == one->device && other->method == one->method)
            return false;
        bool are_together = other->row == one->row || one->device == context->baseline;
        has_choice |= are_together && other->device == one->device && other->method != one->method;
    }
    return has_choice && one->method && one->refused.status == STATUS_OK;
}

double race_seconds(struct context *context, const struct cell cell[], unsigned cells)
{
    double seconds = 0;
    for (unsigned i = 0; i < cells; i++)
        if (may_race(context, cell, cells, &cell[i]))
            seconds += seconds_of(&cell[i]);
    return seconds;
}
