#include "bench/schedule/contest.h"

#include "bench/backends/registry.h"
#include "bench/schedule/recall.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Seconds of a try beside opening the cell: for the progress line and the share of the tuning budget. */
static const double typical_try = 0.8;

/* The rounds of one race take at most so many budgets of a series, if that is enough for the least number of rounds. */
static const double rounds_budgets = 4;

/* The same for a race among those that an earlier run left. */
static const double quick_rounds_budgets = 1;

/* A contender is no tie below this share of the leader's speed, even if noise leaves that open. */
static const double tie_margin = 0.95;

/* A method is not tried if it is predicted to take this long, and this many times as long as the fastest. */
static const double long_try = 5, long_ratio = 4;

/* A contender is out without any round if its run takes this long, and this many times as long as the fastest. After
 * the first run alone it gets some seconds more: a CPU starts its threads then, another driver may compile. */
static const double hopeless_run = 0.05, hopeless_ratio = 4, late_start = 0.5, late_compile = 10;

/* Contenders that race together: as many as memory can hold. */
struct heat {
    unsigned member[RACE_CONTENDERS_MAX], members; /* indices of contenders */
    struct race race[RACE_KINDS];
    bool has_new;   /* a member was not in an earlier heat */
    double longest; /* seconds of one run */
};

/* Filling the operands once is less than half of opening a cell. A further kernel shape is compiled and verified. */
double contest_try_seconds(const struct cell *cell, bool is_first)
{
    return (is_first ? typical_try : typical_try / 2) + 0.4 * cell_opening_seconds(cell);
}

const struct contender *contest_fastest(const struct contest *contest)
{
    const struct contender *best = NULL;
    for (unsigned i = 0; i < contest->contenders; i++)
        if (contender_is_ready(&contest->contender[i]) && (!best || contest->contender[i].run < best->run))
            best = &contest->contender[i];
    return best;
}

/* The shortest time so far by which a race decides; INFINITY: none is known. fmin ignores NAN. */
static double shortest_of(const struct contest *contest, enum race_kind kind)
{
    double shortest = INFINITY;
    for (unsigned i = 0; i < contest->contenders; i++)
        if (contender_is_ready(&contest->contender[i]))
            shortest = fmin(shortest, contender_expected(&contest->contender[i], kind));
    return shortest;
}

/* Whether it can win neither race: one whose runs are slow may be the fastest where the others repack. `doubt`: seconds
 * by which its run may be shorter the next time. */
static bool is_hopeless(const struct contest *contest, const struct contender *contender, double doubt)
{
    double run = contender->run - doubt;
    return isfinite(run) && run > hopeless_run && run > hopeless_ratio * shortest_of(contest, RACE_COMPUTE) &&
           fmax(run, contender_expected(contender, RACE_TRANSFERS) - doubt) >
               hopeless_ratio * shortest_of(contest, RACE_TRANSFERS);
}

/* Whether opening it would waste time, by its alternatives or by its own runs at smaller sizes. */
static bool is_wasted(struct contest *contest, struct contender *contender)
{
    char reason[160], takes[TEXT_NUMBER], has[TEXT_NUMBER];
    const struct contender *fastest = contest_fastest(contest);
    const struct context *context = contest->context;
    double predicted = admission_predict(&context->terms->admission, contender->runner->candidate->cell);
    double with_repacking = shortest_of(contest, RACE_TRANSFERS);
    if (!fastest)
        return false;
    if (fastest->run > RUN_BUDGETS_MAX * context->terms->rule.budget)
        snprintf(reason, sizeof reason, "passed over: %s takes %s, more than %d times the budget",
                 fastest->runner->candidate->cell->method->name, text_seconds(takes, fastest->run), RUN_BUDGETS_MAX);
    else if (predicted > long_try && predicted > long_ratio * fmax(fastest->run, with_repacking))
        snprintf(reason, sizeof reason, "passed over: predicted %s, the fastest takes %s",
                 text_seconds(takes, predicted), text_seconds(has, fastest->run));
    else
        return false;
    contender_pass_over(contender, reason);
    return true;
}

static void show(const struct contest *contest, const struct cell *cell, unsigned round)
{
    char at[32] = "";
    if (round > 0)
        snprintf(at, sizeof at, ", round %u", round);
    progress_step(&contest->context->progress, round == 0, cell, "racing %u methods%s", contest->runners, at);
}

struct contender *contest_add(struct contest *contest, unsigned runner, unsigned shape, const char *name)
{
    struct contender *contender = &contest->contender[runner * KERNEL_SHAPES_MAX + shape];
    *contender = (struct contender){ .runner = &contest->runner[runner], .first = NAN, .run = INFINITY, .repack = NAN };
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++)
        contender->standing[kind] = (struct standing){ .end = RACE_PASSED_OVER, .ratio = NAN, .run = NAN };
    text_copy(contender->kernel_shape, sizeof contender->kernel_shape, name);
    return contender;
}

/* Charges what a try took since `start`: by the clock, or as estimated on a scripted device, whose clock is its own. */
static void charge(struct contest *contest, const struct contender *contender, double start, double estimate)
{
    const struct backend *backend = backend_find(contender->runner->candidate->cell->device->backend);
    bool is_scripted = backend && backend->now;
    double first = fmax(0, contender->first), elapsed = clock_wall() - start; /* fmax(0, NAN) is 0 */
    contest->spent += is_scripted ? estimate + first : fmax(first, elapsed);
    contest->context->progress.done += estimate;
}

/* Opens a runner with its first kernel shape, and verifies that unless it has no chance. */
static void open_runner(struct contest *contest, unsigned number)
{
    struct runner *runner = &contest->runner[number];
    const struct cell *cell = runner->candidate->cell;
    struct contender *contender = &contest->contender[number * KERNEL_SHAPES_MAX];
    if (contender->outcome.status != STATUS_OK)
        return;
    if (is_wasted(contest, contender))
        return;
    show(contest, cell, 0);
    double start = clock_wall();
    bool is_open = contender_open(contender);
    contest->repacks |= runner->repacks;
    bool may_compile = !cell->device->works_in_host_memory && contender->run <= late_compile;
    double doubt = may_compile ? late_compile : late_start;
    bool is_far_too_slow =
        isfinite(contender->run) && contender->run - doubt > RUN_BUDGETS_MAX * contest->context->terms->rule.budget;
    if (is_open && !is_far_too_slow && !is_hopeless(contest, contender, doubt))
        contender_verify(contender);
    charge(contest, contender, start, contest_try_seconds(cell, true));
}

/* The place of the shape that the runner was opened with, which is in place 0; 0 where the table lacks it. */
static unsigned place_of_opened(const struct runner *runner, const char *opened)
{
    for (unsigned i = 0; i < json_array_size(runner->kernel_shapes); i++) {
        const char *name = json_string_value(json_array_get(runner->kernel_shapes, i));
        if (name && strcmp(name, opened) == 0)
            return i;
    }
    return 0;
}

/* Prepares and verifies the other kernel shapes of an open runner, as many as the tuning budget allows. A remembered
 * shape may be in place 0: then number 0 of the table gets its place. */
static void open_kernel_shapes(struct contest *contest, unsigned number)
{
    struct runner *runner = &contest->runner[number];
    const struct cell *cell = runner->candidate->cell;
    const char *opened = contest->contender[number * KERNEL_SHAPES_MAX].kernel_shape;
    unsigned count = (unsigned)json_array_size(runner->kernel_shapes), swapped = place_of_opened(runner, opened);
    for (unsigned i = 0; i < count && !contest->context->interrupted; i++) {
        const char *name = json_string_value(json_array_get(runner->kernel_shapes, i));
        unsigned place = i == 0 ? swapped : i;
        if (!name || !recall_admits(contest, cell->method->name, name) || i == swapped || place >= KERNEL_SHAPES_MAX)
            continue;
        struct contender *contender = contest_add(contest, number, place, name);
        if (contest->spent > contest->share) {
            contender_pass_over(contender, "not tried: the time for tuning was spent");
            contender->was_left = true;
            continue;
        }
        show(contest, cell, 0);
        double start = clock_wall();
        bool is_verified = contender_prepare(contender) && contender_verify(contender);
        charge(contest, contender, start, contest_try_seconds(cell, false) + (is_verified ? contender->run : 0));
        contest->repacks |= runner->repacks;
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
    return race_is_over(&heat->race[RACE_COMPUTE]) && (!contest->repacks || race_is_over(&heat->race[RACE_TRANSFERS]));
}

/* Whether a contender was disturbed in nearly all its rounds so far: these few are taken whatever the time. */
static bool needs_rounds(const struct contest *contest, const struct heat *heat)
{
    return heat->longest <= race_long_run && (race_is_disturbed(&heat->race[RACE_COMPUTE]) ||
                                              (contest->repacks && race_is_disturbed(&heat->race[RACE_TRANSFERS])));
}

static void run_rounds(struct contest *contest, struct heat *heat)
{
    const struct context *context = contest->context;
    unsigned least = heat->longest > race_long_run ? 1 : RACE_FIRST_LOOK, rounds = 0;
    double budgets = contest->is_remembered && !contest->is_continued ? quick_rounds_budgets : rounds_budgets, last = 0;
    double end = fmin(contest->share, contest->spent + budgets * context->terms->rule.budget);
    bool is_alone = contest->contender[heat->member[0]].runner->is_alone; /* it needs a time to be compared by */
    while (!context->interrupted && (!is_decided(contest, heat) || (is_alone && rounds < least)) &&
           (rounds < least || contest->spent + last <= end || needs_rounds(contest, heat))) {
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
        if (isfinite(race_time(race, round, place)))
            seconds[out->rounds++] = race_time(race, round, place);
    out->run = stats_median(seconds, out->rounds);
    out->ratio = race_ratio(race, place);
    /* Where the rounds are too few for the test the ratio decides; and a tie is said of nothing far below. */
    bool is_below = out->ratio < (race->rounds < RACE_FIRST_LOOK ? race_margin : tie_margin);
    bool has_no_time = race->rounds > 0 && out->rounds == 0;
    out->is_out = race_is_out(race, place);
    out->end = out->is_out || is_below || has_no_time ? RACE_SLOWER : RACE_TIED;
    out->ratio = has_no_time ? NAN : out->ratio;
}

static bool is_member(const struct heat *heat, unsigned contender)
{
    for (unsigned i = 0; i < heat->members; i++)
        if (heat->member[i] == contender)
            return true;
    return false;
}

/* Ratios of earlier heats are to their leader. `ratio`: its own to the leader of this heat. What it tied with is slower
 * if it is. */
static void compare_with_earlier(struct contest *contest, const struct heat *heat, enum race_kind kind, double ratio,
                                 bool leader_lost)
{
    for (unsigned i = 0; i < contest->contenders; i++) {
        struct standing *standing = &contest->contender[i].standing[kind];
        if (is_member(heat, i))
            continue;
        standing->ratio *= ratio;
        standing->is_out |= leader_lost;
        if (standing->end == RACE_TIED && (leader_lost || standing->ratio < tie_margin))
            standing->end = RACE_SLOWER;
    }
}

/* Takes over how a heat ended for one race. A leader of an earlier heat that fails in this one says nothing of what it
 * tied with, beyond its rounds. */
static void conclude(struct contest *contest, const struct heat *heat, enum race_kind kind)
{
    const struct race *race = &heat->race[contest->repacks ? kind : RACE_COMPUTE];
    bool leader_lost = false;
    double ratio = 1;
    for (unsigned i = 0; i < heat->members; i++) {
        const struct contender *contender = &contest->contender[heat->member[i]];
        struct standing *standing = &contest->contender[heat->member[i]].standing[kind];
        bool was_leader = standing->end == RACE_TIED && standing->ratio == 1;
        read_standing(race, i, standing);
        if (!was_leader)
            continue;
        ratio = isnan(standing->ratio) ? 1 : standing->ratio;
        leader_lost = standing->end != RACE_TIED && contender->outcome.status == STATUS_OK;
    }
    compare_with_earlier(contest, heat, kind, ratio, leader_lost);
}

/* Whether it leads one of the races so far. */
static bool is_leader(const struct contender *contender)
{
    bool leads = false;
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++)
        leads |= contender->standing[kind].end == RACE_TIED && contender->standing[kind].ratio == 1;
    return leads && contender_is_ready(contender);
}

/* Whether there is memory for a runner beside those that are open. */
static bool has_room(const struct contest *contest, const struct runner *runner)
{
    const struct cell *cell = runner->candidate->cell;
    struct held held = { 0 };
    if (contest->context->options->order == ORDER_SEQUENTIAL)
        return false;
    for (unsigned i = 0; i < contest->runners; i++)
        if (contest->runner[i].client)
            admission_hold(&held, cell, contest->runner[i].candidate->cell, NAN);
    return runner->candidate->outcome.status != STATUS_OK ||
           admission_has_room(&contest->context->terms->admission, &held, cell, host_memory_available(""));
}

/* Whether the runner was refused because others are open. Then it gets a heat of its own, without them. */
static bool was_refused_beside(struct contest *contest, struct runner *runner)
{
    struct contender *contender = &contest->contender[(runner - contest->runner) * KERNEL_SHAPES_MAX];
    bool has_others = false, is_busy = runner->candidate->lacks_device;
    for (unsigned i = 0; i < contest->runners; i++)
        has_others |= contest->runner[i].client && &contest->runner[i] != runner;
    bool was_tried = runner->candidate->outcome.status == STATUS_OK;
    if (!was_tried || runner->is_alone || !has_others || !(is_busy || contender->outcome.status == STATUS_NO_MEMORY))
        return false;
    runner->lacked_device = is_busy;
    runner->candidate->lacks_device = false;
    contender->outcome = (struct error){ .status = STATUS_OK };
    return runner->is_alone = true;
}

/* Opens the runners of a heat, from `first` on, as long as there is room; those that are ready race, and the leaders of
 * earlier heats that are open with them. Returns the first that is left for the next heat. */
static unsigned open_heat(struct contest *contest, struct heat *heat, unsigned first)
{
    unsigned end = first;
    bool is_refused = false;
    while (end < contest->runners && !is_refused && !contest->context->interrupted &&
           (end == first || (!contest->runner[first].is_alone && has_room(contest, &contest->runner[end])))) {
        open_runner(contest, end);
        is_refused = was_refused_beside(contest, &contest->runner[end]);
        if (contest->runner[end].lacked_device && contest->runner[end].client)
            context_record_refusal(contest->context, contest->runner[end].candidate->cell->device);
        end += !is_refused;
    }
    for (unsigned i = first; i < end && !contest->context->interrupted; i++)
        open_kernel_shapes(contest, i);
    heat->has_new = false;
    heat->members = 0;
    heat->longest = 0;
    for (unsigned i = 0; i < contest->contenders && heat->members < RACE_CONTENDERS_MAX; i++) {
        const struct contender *contender = &contest->contender[i];
        bool is_new = i >= first * KERNEL_SHAPES_MAX && i < end * KERNEL_SHAPES_MAX;
        if (!contender_is_ready(contender) ||
            !(is_new ? !is_hopeless(contest, contender, 0)
                     : is_leader(contender) && (contender->runner->client || !contest->is_split)))
            continue;
        heat->member[heat->members++] = i;
        heat->has_new |= is_new;
        heat->longest = fmax(heat->longest, contender->run);
    }
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++) {
        race_open(&heat->race[kind], heat->members);
        for (unsigned i = 0; i < heat->members; i++)
            race_expect(&heat->race[kind], i, contender_expected(&contest->contender[heat->member[i]], kind));
    }
    return end;
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

/* Heats without a common member: the fastest of all leads by its time. A heat of one may have had no rounds. */
static void compare_by_time(struct contest *contest, enum race_kind kind)
{
    double best = INFINITY;
    for (unsigned i = 0; i < contest->contenders; i++) {
        struct contender *contender = &contest->contender[i];
        struct standing *standing = &contender->standing[kind];
        if (!contender->runner || !contender_is_ready(contender) || standing->end != RACE_TIED)
            continue;
        standing->run = standing->rounds > 0 ? standing->run : contender_expected(contender, kind);
        best = fmin(best, standing->run);
    }
    for (unsigned i = 0; i < contest->contenders; i++) {
        struct standing *standing = &contest->contender[i].standing[kind];
        if (!contest->contender[i].runner || isnan(standing->run))
            continue;
        standing->ratio = best / standing->run;
        standing->end = standing->ratio < tie_margin ? RACE_SLOWER : standing->end;
    }
}

void contest_run(struct contest *contest)
{
    struct heat heat;
    for (unsigned first = 0, end; first < contest->runners && !contest->context->interrupted; first = end) {
        struct runner *runner = &contest->runner[first];
        runner->is_alone |= admission_takes_one(&contest->context->terms->admission, runner->candidate->cell->device);
        contest->is_split |= runner->is_alone;
        if (runner->is_alone)
            close_losers(contest, true);
        end = open_heat(contest, &heat, first);
        if (heat.has_new)
            run_rounds(contest, &heat);
        for (enum race_kind kind = 0; kind < RACE_KINDS && heat.has_new; kind++)
            conclude(contest, &heat, kind);
        close_losers(contest, false);
    }
    for (enum race_kind kind = 0; kind < RACE_KINDS && contest->is_split; kind++)
        compare_by_time(contest, kind);
    close_losers(contest, true);
}
